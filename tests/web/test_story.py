"""The story of chapter 6, as four people live it in a browser: by mouse, and by keyboard alone and without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser
from tests.web.serving import PASSWORD, Hands, hands, photo, served

from entrenous.web.settings import Settings

NAMES = {"u1": "Ann", "u2": "Bob", "u3": "Cleo", "u4": "Dora"}
LISTENS = {"u1": {"u2": "quite"}, "u3": {"u2": "a little", "u4": 50}, "u4": {"u2": 25, "u3": 25}}
WORDS = ("strongly disagree", "disagree", "slightly disagree", "slightly agree", "agree", "strongly agree")
FIRST = {"u1": (5, 5, 4), "u2": (3, 3, 0), "u3": (4, 4, 0), "u4": (2, 2, 2)}
AUDIENCES = ("Friends", "Friends of friends", "Everyone")
TITLE = "On the hill"


@pytest.mark.parametrize(
    ("keyboard", "scripts"),
    [pytest.param(False, True, marks=pytest.mark.thorough), (True, False)],
    ids=["mouse", "keyboard alone, no scripts"],
)
def test_the_story(browser: Browser, settings: Settings, keyboard: bool, scripts: bool) -> None:
    with served(settings) as service:
        people = {who: hands(browser, service.address, keyboard=keyboard, scripts=scripts) for who in NAMES}
        for who, person in people.items():
            register(person, who)
        befriend_all(people)
        for who, levels in LISTENS.items():
            listen(people[who], levels)
        upload(people["u1"])
        for who in ("u2", "u3", "u4"):
            join(people[who])
        for who, scores in FIRST.items():
            answer(people[who], scores)
        person = people["u1"]
        person.go("/")
        person.press("Look at the outcome", role="link")
        person.reads("Friends of friends")
        person.reads("Do you agree?")
        person.follow("Ask everybody to let it go further")
        person.reads("will see that you would like more")
        person.write(
            "Your words to everybody", "My grandmother has no account here. Could she see it, please?"
        )
        person.press("Ask: everybody will see that I would like more")
        people["u3"].go("/")
        people["u3"].follow("Say who may see it")
        people["u3"].reads("My grandmother has no account here")
        people["u3"].reads("you said no to")
        for who in ("u1", "u2", "u4"):
            again(people[who])
        answer(people["u3"], (4, 2, 0))
        for who, person in people.items():
            person.go("/")
            person.press("Look at the outcome", role="link")
            person.reads("Outcome of round 2")
            assert person.page.locator("strong.audience").inner_text() == "Friends", who
            person.press("Yes, I agree")
        people["u1"].reads("You agree")
        people["u4"].reads("Settled")
        for person in people.values():
            person.page.context.close()


def register(person: Hands, handle: str) -> None:
    person.go("/")
    person.follow("Open an account")
    person.write("Your name", NAMES[handle])
    person.write("A short name", handle)
    person.write("Password", PASSWORD)
    person.press("Open the account")
    person.reads("Welcome!")


def befriend_all(people: dict[str, Hands]) -> None:
    handles = list(people)
    for place, who in enumerate(handles):
        for other in handles[place + 1 :]:
            people[who].go("/friends")
            people[who].write("Ask somebody", other)
            people[who].press("Ask")
            people[other].go("/")
            people[other].press(f"Accept {NAMES[who]}")


def listen(person: Hands, levels: dict[str, str | int]) -> None:
    person.go("/listening")
    for friend, level in levels.items():
        name = NAMES[friend]
        if isinstance(level, str):
            person.choose(name, level)
        else:
            summary = person.page.locator("summary", has_text=f"Fine-tune for {name}")
            person._use(summary, "Enter")
            person.write(f"The wish of {name}", str(level))
    person.press("Save")
    person.reads("Saved.")


def upload(person: Hands) -> None:
    person.go("/")
    person.follow("Add a photo or a document")
    person.attach("The file", "hill.jpg", photo())
    person.write("Title", TITLE)
    for friend in ("Bob", "Cleo", "Dora"):
        person.tick(friend)
    person.press("Ask everybody")
    person.reads("Everybody was asked")


def join(person: Hands) -> None:
    person.go("/")
    person.follow("Are you in this?")
    assert person.page.locator("img.shown").count() == 0, "nobody sees it before they said yes"
    person.press("Yes, I am in it")
    person.reads("Who may see it")


def answer(person: Hands, scores: tuple[int, ...]) -> None:
    person.go("/")
    person.follow("Say who may see it")
    for audience, score in zip(AUDIENCES, scores, strict=True):
        person.choose(audience, WORDS[score])
    person.press("Seal my view")
    person.reads("Your view is sealed")


def again(person: Hands) -> None:
    """Send the same view once more."""
    person.go("/")
    person.follow("Say who may see it")
    person.reads("This is what you said last time")
    person.press("Seal my view")
