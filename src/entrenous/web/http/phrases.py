"""The words people read instead of numbers and codes."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from difflib import SequenceMatcher

from entrenous.access.insight.explanation import SCALE
from entrenous.access.votes import read_vote

__all__ = [
    "ANCHORS",
    "AUDIENCES",
    "DONE",
    "LISTENING",
    "NEEDS",
    "NOTICES",
    "PARTS",
    "PRESETS",
    "SCALE",
    "STATES",
    "audience",
    "compared",
    "device",
    "duration",
    "event",
    "listening",
    "reason",
    "until",
    "vote",
]

AUDIENCES = {
    "private": ("Only us", "nobody but the co-owners"),
    "friends": ("Friends", "people who are friends with {whom}"),
    "friends-of-friends": ("Friends of friends", "friends of {whom}, and their friends"),
    "public": ("Everyone", "anybody, also people without an account"),
    "circles": ("Circles", "every co-owner decides for their own circles"),
    "deny": ("By circles", "whoever our circles let in; people in nobody’s circle do not see it"),
    "allow": ("By circles", "whoever our circles do not keep out; people in nobody’s circle see it, too"),
}
"""A short and a longer name for every audience; `{whom}` depends on the anchor."""

ANCHORS = {
    "each": "every one of us",
    "any": "at least one of us",
    "originator": "whoever added it",
}

STATES = {
    "draft": ("Draft", "", "nobody was asked for a view yet"),
    "collecting": ("Collecting views", "open", "everybody is asked for their view"),
    "proposed": ("Proposed", "open", "decided, with time to object"),
    "active": ("Settled", "done", "decided and in force"),
    "no_agreement": ("No agreement", "stop", "only the co-owners see it"),
    "withdrawn": ("Withdrawn", "stop", "taken back, nobody else sees it any more"),
    "expired": ("Expired", "stop", "its time is over, only the co-owners see it"),
}
"""A name, a colour and a sentence for every state of an item."""

LISTENING = ((0, "not at all"), (20, "a little"), (40, "quite"), (70, "a lot"))
"""How much a friend's wish moves one's own, in percent and in words."""

PRESETS = {
    "private": ("Only us", (0, 0, 0)),
    "friends": ("Friends, no wider", (5, 1, 0)),
    "friends-of-friends": ("Friends of friends", (5, 4, 1)),
    "public": ("Everyone is fine", (5, 5, 5)),
    "unsure": ("I do not mind", (3, 3, 3)),
}
"""Whole answers to start from: scores for friends, friends of friends and everyone."""

NEEDS = {
    "answer": "Say who may see it",
    "tag": "Are you in this?",
    "claim": "Somebody says they are in this",
    "agree": "Look at the outcome",
    "change": "Look at a proposed change",
}

NOTICES = {
    "tag_asked": "{actor} says you are in “{title}”.",
    "tag_accepted": "{actor} joined “{title}”.",
    "tag_declined": "{actor} does not want to be part of “{title}”.",
    "claim_made": "{actor} says they are in “{title}”.",
    "claim_accepted": "You are now a co-owner of “{title}”.",
    "claim_refused": "You were not taken in as a co-owner of “{title}”.",
    "view_needed": "Your view on “{title}” is asked for.",
    "outcome": "There is an outcome for “{title}”.",
    "petition": "{actor} asks all of you to let “{title}” go further.",
    "active": "The audience of “{title}” is settled.",
    "no_agreement": "No audience suits enough of you for “{title}”; only the co-owners see it.",
    "change_proposed": "{actor} proposes to change “{title}”. It changes only if all of you say yes.",
    "change_agreed": "“{title}” was changed, as all of you agreed.",
    "change_ended": "The proposed change of “{title}” ended without taking effect.",
    "expiry": "{actor} brought the last day of “{title}” forward.",
    "names": "Who is named in “{title}” has changed.",
    "expired": "“{title}” has expired.",
    "withdrawn": "“{title}” was withdrawn.",
    "friend_asked": "{actor} would like to be friends.",
    "friend_accepted": "You and {actor} are now friends.",
}

PARTS = {"title": "Title", "description": "Words", "expires": "Last day it is shown", "file": "File"}
"""What can be changed in an item that was agreed on."""

DONE = {
    "welcome": "Welcome! Your account is ready.",
    "welcome-link": "Welcome! Your account is ready. We sent a link to your address: open it to confirm the address.",
    "saved": "Saved.",
    "asked": "Asked. It counts when they say yes.",
    "accepted": "Accepted.",
    "declined": "Declined.",
    "ended": "Ended.",
    "answered": "Your view is sealed. No other member can read it.",
    "opened": "Everybody was asked for their view.",
    "drafted": "Saved as a draft. Nobody was asked for a view yet.",
    "agreed": "Noted: you agree.",
    "petitioned": "Everybody was asked to let it go further. Answer as well: the round counts only if all do.",
    "proposed": "Proposed. Everybody in it was told; until all say yes, it stays as it is.",
    "changed": "Changed. Nobody else had to be asked.",
    "change-accepted": "Noted: you say yes.",
    "change-declined": "The proposed change is ended. Nobody is told who said no.",
    "retracted": "Taken back. It stays as it is.",
    "limited": "Your limit holds from now on.",
    "withdrawn": "Withdrawn. Nobody else sees it any more.",
    "undone": "Undone.",
    "claimed": "Whoever put it up was asked whether you are in this.",
    "untagged": (
        "Your name is no longer shown to people who neither decide with you nor were asked by you. "
        "Your voice still counts."
    ),
    "retagged": "Your name is shown again.",
    "revoked": "Signed out there.",
    "deleted": "Your account is gone.",
    "passkey-added": "Added. From now on this passkey signs you in.",
    "passkey-removed": "Removed here. Delete it on your device too, so that it is not offered any more.",
    "passkey-refused": "This passkey did not sign you in. Try again, or use another way.",
    "password-removed": "Your password is gone. Your passkeys sign you in.",
    "signed-out": "You are signed out.",
    "link-sent": "We sent a link to that address. Open it to confirm that the address is yours.",
    "confirmed": "Confirmed: this e-mail address is yours.",
    "reset": "Your password is changed, and you are signed out everywhere. Sign in with the new one.",
    "administrator": "You look after this service now.",
    "forgotten": "That browser is not known any more.",
}
"""What a page says after something was done, by the code in its address."""

_EVENTS = {
    "address_confirmed": "confirmed an e-mail address",
    "appointed": "made somebody an administrator",
    "dismissed": "made an administrator an ordinary member",
    "password_changed": "changed the password",
    "reset_link": "was given a link to choose a new password",
    "active": "the audience is settled",
    "agreed": "agreed with the outcome",
    "answered": "gave a view",
    "change_agreed": "a proposed change was agreed by all",
    "change_answered": "answered a proposed change",
    "change_ended": "a proposed change ended without taking effect",
    "change_proposed": "proposed a change",
    "change_retracted": "took a proposed change back",
    "claim_made": "said to be in it",
    "claim_refused": "did not take somebody in",
    "created": "added it",
    "decided": "the views were weighed",
    "demonstration": "the service was filled with invented people",
    "answers_destroyed": "the sealed answers were destroyed",
    "asked_again": "the sealed answers were lost, so everybody was asked again",
    "edited": "changed title or words",
    "expired": "its time was over",
    "expiry": "changed until when it is shown",
    "friend_asked": "asked somebody to be friends",
    "friends": "became friends",
    "friends_no_more": "ended a friendship",
    "joined": "joined",
    "left": "left it",
    "limited": "set a limit",
    "line": "changed what holds without an answer",
    "listens": "changed whom to listen to",
    "no_agreement": "no audience suited enough of you",
    "opened": "asked everybody for their view",
    "passkey_added": "added a passkey",
    "passkey_refused": "a passkey was refused, because it exists twice; remove it if that was not you",
    "passkey_removed": "removed a passkey",
    "passkey_used": "showed a passkey",
    "password_removed": "did away with the password",
    "petition": "asked all to let it go further",
    "profile": "changed the profile",
    "registered": "opened the account",
    "retagged": "showed the name again",
    "round": "began another round",
    "sealed": "everything was sealed",
    "readmitted": "let somebody in again",
    "suspended": "locked somebody out",
    "tag_asked": "said who else is in it",
    "tag_declined": "declined to be in it",
    "undone": "took a step back",
    "untagged": "hid the name",
    "webhook": "had another service told",
    "withdrawn": "withdrew it",
}


_BROWSERS = (("Firefox/", "Firefox"), ("Edg/", "Edge"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("Windows", "Windows"),
    ("Mac OS", "Mac"),
    ("Linux", "Linux"),
)


def audience(choice: str | None, anchor: str = "each") -> tuple[str, str]:
    """Return the short and the longer name of an audience.

    >>> audience("friends")
    ('Friends', 'people who are friends with every one of us')
    """
    short, long = AUDIENCES.get(choice or "private", (str(choice), ""))
    return short, long.format(whom=ANCHORS.get(anchor, ANCHORS["each"]))


def vote(entry: dict[str, object]) -> str:
    """Return a vote in words.

    >>> vote({"rule": "majority", "theta": 0.75})
    'at least 75% of us have to be fine with it'
    """
    return read_vote(entry).sentence


def listening(percent: int) -> str:
    """Return how much a friend's wish counts, in words.

    >>> listening(0), listening(25), listening(100)
    ('not at all', 'a little', 'a lot')
    """
    if percent == 0:
        return LISTENING[0][1]
    return min(LISTENING[1:], key=lambda level: abs(level[0] - percent))[1]


def reason(text: str) -> str:
    """Return what is said about an outcome, for a page; where circles decide, it is about people whom no circle holds.

    >>> reason("Shown to this viewer: that works for all of you.")
    'Shown to people in nobody’s circle: that works for all of you.'
    """
    return text.replace("this viewer", "people in nobody’s circle")


def device(agent: str) -> str:
    """Return roughly what somebody signed in with.

    >>> device("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36")
    'Chrome on Linux'
    """
    browser = next((name for mark, name in _BROWSERS if mark in agent), "Another program")
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    return f"{browser} on {system}" if system else browser


def duration(seconds: int) -> str:
    """Return how long to wait, in words.

    >>> duration(1), duration(59), duration(61), duration(900)
    ('1 second', '59 seconds', '2 minutes', '15 minutes')
    """
    number, unit = (seconds, "second") if seconds < 60 else (-(-seconds // 60), "minute")
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def event(action: str) -> str:
    """Return what happened, for the history."""
    return _EVENTS.get(action, action.replace("_", " ").replace(".", " "))


Runs = list[tuple[bool, str]]


def compared(part: str, old: str | None, new: str | None) -> tuple[Runs, Runs]:
    """Return both versions of a part, word by word, with whether each stretch is in the other one too.

    >>> compared("title", "A day out", "A bad day")
    ([(True, 'A '), (True, 'day'), (False, ' out')], [(True, 'A '), (False, 'bad '), (True, 'day')])
    >>> compared("expires", None, "2030-05-01T23:59:59+00:00")
    ([(False, 'without an end')], [(False, '1 May 2030')])
    """
    if part == "expires":
        return [(False, _day(old))], [(False, _day(new))]
    before, after = (re.findall(r"\s+|\S+", text or "") for text in (old, new))
    old_runs, new_runs = Runs(), Runs()
    for kind, start, end, begin, stop in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        _add_run(old_runs, kind == "equal", "".join(before[start:end]))
        _add_run(new_runs, kind == "equal", "".join(after[begin:stop]))
    return old_runs or [(True, "nothing")], new_runs or [(True, "nothing")]


def _add_run(runs: Runs, kept: bool, text: str) -> None:
    """Add a stretch; a blank between words that differ is no likeness."""
    if runs and not runs[-1][0] and (not kept or text.isspace()):
        runs[-1] = (False, runs[-1][1] + text)
    elif text:
        runs.append((kept, text))


def _day(moment: str | None) -> str:
    return datetime.fromisoformat(moment).strftime("%-d %B %Y") if moment else "without an end"


def until(moment: datetime, now: datetime) -> str:
    """Return the time left in words.

    >>> until(datetime(2030, 1, 8), datetime(2030, 1, 1)), until(datetime(2030, 1, 1, 5), datetime(2030, 1, 1))
    ('7 days', '5 hours')
    """
    left = moment - now
    if left <= timedelta(0):
        return "no time"
    for size, unit in (
        (timedelta(days=1), "day"),
        (timedelta(hours=1), "hour"),
        (timedelta(minutes=1), "minute"),
    ):
        number = round(left / size)
        if number >= 1:
            return f"{number} {unit}{'' if number == 1 else 's'}"
    return "less than a minute"
