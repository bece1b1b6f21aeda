"""Pairs of worlds: one person answers differently, the outcomes are the same, and nobody else can tell.

Everybody else acts and reads over HTTP, and every byte counts: status, headers in their order, pages, answers of the
interface, mails and webhooks in theirs. Only what is drawn at random is left out: ids, slots, one's own receipts.
"""

from __future__ import annotations

import json
import re
import shutil
import smtplib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.web.conftest import Clock
from tests.web.crowd import Crowd
from tests.web.stories import SCORED, put_up
from tests.web.test_sealed import MONOTONE

from entrenous import access
from entrenous.web import store
from entrenous.web.delivery import outbox
from entrenous.web.service import befriending, membership, proposals, worker, workflow
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

Scores = tuple[int, ...]
LISTENING = (0, 20, 40)


@dataclass(frozen=True)
class Dora:
    """What dora does in one world: two answers, None for silence, and what she keeps to herself besides."""

    first: Scores
    second: Scores | None
    percent: int = 0
    limit: str | None = None
    ticks: bool = False
    says_yes: bool = False


@dataclass(frozen=True)
class Pair:
    """What all others do in both worlds, what dora does in each, and how it goes on after the first outcome."""

    others: dict[str, tuple[Scores, Scores | None]]
    doras: tuple[Dora, Dora]
    story: str
    vote: access.votes.Vote = field(default_factory=access.Consensus)


@dataclass
class World:
    """A service with its people, and all that was shown to everybody but dora, in order."""

    crowd: Crowd
    clock: Clock
    pair: Pair
    dora: Dora
    mails: list[str]
    item: str = ""
    change: str = ""
    seen: list[tuple[str, str]] = field(default_factory=list)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)

    def ask(self, who: str, method: str, path: str, **sent: Any) -> None:
        """Let somebody ask for something, and note the whole response."""
        client = self.crowd.clients.get(who, self.crowd.stranger)
        if path.startswith("/v1/"):
            sent["headers"] = self.headers[who]
        answer = client.request(method, path, follow_redirects=False, **sent)
        head = "\n".join(f"{name}: {value}" for name, value in answer.headers.multi_items())
        self.seen.append(
            (
                f"{who} {method} {path}".replace(self.item, "ITEM"),
                self.plain(f"{answer.status_code}\n{head}\n{answer.text}"),
            )
        )

    def plain(self, text: str) -> str:
        """Leave out what is drawn at random, and the length of a page that holds some of it."""
        for name, drawn in (("ITEM", self.item), ("CHANGE", self.change)):
            text = text.replace(drawn, name) if drawn else text
        text = re.sub(r"entrenous1:[\w:=-]+", "a receipt", text)
        text = re.sub(r'<svg(?! class="avatar").*?</svg>', "a picture of a receipt", text, flags=re.DOTALL)
        text = re.sub(r"content-length: \d+", "", text)
        return re.sub(r'"slots": ?\[.*?\]|"commitments": ?\[.*?\]|"slot": ?"[^"]*"', "drawn", text)

    def look(self) -> None:
        """Let everybody but dora look at all that tells about the item."""
        for who in (*self.pair.others, "eve", "nobody"):
            self.ask(who, "GET", f"/items/{self.item}")
        for who in self.pair.others:
            self.ask(who, "GET", f"/v1/items/{self.item}")
            for path in ("/v1/notifications", "/v1/inbox", "/v1/items?which=mine"):
                self.ask(who, "GET", path)

    def look_at_everything(self) -> None:
        self.look()
        who = "bob"
        parts = ("view", "limit", "petition", "receipt", "change")
        for path in (
            *(
                "/",
                "/mine",
                "/waiting",
                "/of-me",
                "/gallery",
                "/notifications",
                "/history",
                "/my-data",
                "/friends",
            ),
            *(
                "/v1/me/history",
                "/v1/me/data",
                f"/v1/items/{self.item}/view",
                f"/v1/items/{self.item}/change",
            ),
            *(f"/v1/items/{self.item}/decisions/{round_}" for round_ in (1, 2)),
            *(f"/items/{self.item}/{part}" for part in parts),
        ):
            self.ask(who, "GET", path)
        for path in ("/gallery", "/v1/items", "/v1/notifications"):
            self.ask("eve", "GET", path)

    def do(self, who: str, step: str) -> None:
        self.ask(who, "POST", f"/items/{self.item}/do/{step}")

    def answer(self, who: str, scores: Scores, **fields: str) -> None:
        data = {f"score-{choice}": str(score) for choice, score in zip(SCORED, scores, strict=True)} | fields
        self.ask(who, "POST", f"/items/{self.item}/view", data=data)

    def answer_as_dora(self, scores: Scores) -> None:
        view = dict(zip(SCORED, scores, strict=True))
        with self.crowd.database.writing() as session:
            workflow.answer(
                session, self.crowd.ids["dora"], self.item, view, limit=self.dora.limit, named=self.dora.ticks
            )

    def write(self, function: Callable[..., Any], *sent: Any, **named: Any) -> None:
        with self.crowd.database.writing() as session:
            function(session, self.crowd.ids["dora"], self.item, *sent, **named)


@contextmanager
def world(
    settings: Settings, migrated: Path, folder: Path, pair: Pair, dora: Dora, mails: list[str]
) -> Iterator[World]:
    shutil.copy(migrated, folder / "world.db")
    url = f"sqlite:///{folder}/world"
    clock = Clock()
    settings = replace(settings, database=f"{url}.db", keys=f"{url}.keys", smtp="smtp://mail.example:25")
    database = Database(settings, clock=clock)
    crowd = Crowd(database, settings)
    people = (*pair.others, "dora")
    crowd.add(*people, "eve")
    crowd.befriend_all(*people, "eve")
    made = World(crowd, clock, pair, dora, mails)
    with database.writing() as session:
        for who in (*pair.others, "eve"):
            address = f"{who}@example.org"
            # Confirmed: mail goes to nobody else.
            store.persons.update_person(session, crowd.ids[who], email=address, mail=True)
            events = [
                "outcome",
                "active",
                "petition",
                "view_needed",
                "change_ended",
                "change_proposed",
                "names",
            ]
            membership.add_webhook(session, crowd.ids[who], "http://127.0.0.1:9/", events)
        befriending.listen(session, crowd.ids["dora"], crowd.ids["ann"], dora.percent)
    made.headers = {who: crowd.token(who) for who in (*pair.others, "eve")}
    made.item = put_up(
        database,
        [crowd.ids[who] for who in people],
        vote=pair.vote.to_dict(),
        may_be_open=pair.story == "open",
    )
    yield made
    database.close()
    for path in folder.glob("world*"):
        path.unlink()


def lived(made: World) -> list[tuple[str, str]]:
    """Live one story from the first answer to its end."""
    pair, dora = made.pair, made.dora
    made.answer_as_dora(dora.first)
    made.look()
    for who, (scores, _) in pair.others.items():
        made.answer(who, scores, **({"named": "1"} if who == "ann" else {}))
    made.look()
    STORIES[pair.story](made)
    made.look_at_everything()
    worker.Worker(made.crowd.database).run_once()
    made.seen += [("letter", made.plain(letter)) for letter in made.mails]
    made.mails.clear()
    made.look()
    return made.seen


def agreed(made: World) -> None:
    for who in made.pair.others:
        made.do(who, "agree")
    made.write(workflow.agree)


def petitioned(made: World) -> None:
    made.ask("bob", "POST", f"/items/{made.item}/petition", data={"text": "More"})
    made.look()
    if made.dora.second is not None:
        made.answer_as_dora(made.dora.second)
    made.look()
    for who, (_, second) in made.pair.others.items():
        if second is not None:
            made.answer(who, second)
    made.clock.turn(days=8)
    workflow.advance_due(made.crowd.database)


def undone(made: World) -> None:
    made.ask("bob", "POST", f"/items/{made.item}/petition", data={"text": "More"})
    made.do("bob", "undo")
    made.ask("ann", "POST", f"/items/{made.item}/petition", data={"text": "Again"})


def limited(made: World) -> None:
    agreed(made)
    made.look()
    made.write(workflow.set_limit, "private")
    made.ask("ann", "POST", f"/items/{made.item}/limit", data={"limit": "friends"})


def left(made: World) -> None:
    agreed(made)
    with made.crowd.database.writing() as session:
        membership.delete_account(session, made.crowd.ids["dora"])


def changed(made: World) -> None:
    made.ask(
        "ann",
        "POST",
        f"/items/{made.item}/change",
        data={"title": "Another", "description": "", "expires": ""},
    )
    with made.crowd.database.reading() as session:
        found = proposals.store.changes.change_of(session, made.item)
    assert found is not None
    made.change = found.id
    if made.dora.says_yes:
        made.write(proposals.answer_change, found.id, accept=True)
    made.look_at_everything()
    made.ask(
        "bob", "POST", f"/items/{made.item}/change/answer", data={"change": found.id, "answer": "decline"}
    )


STORIES: dict[str, Callable[[World], None]] = {
    "agree": agreed,
    "petition": petitioned,
    "quiet": petitioned,
    "undo": undone,
    "limit": limited,
    "limit for a no": agreed,
    "leave": left,
    "change": changed,
    "open": agreed,
}


def outcome(pair: Pair, dora: Dora, place: int) -> str:
    """The outcome of a round as the engine gives it."""
    wishes = {who: dict(zip(SCORED, views[place] or (), strict=True)) for who, views in pair.others.items()}
    wishes["dora"] = dict(zip(SCORED, (dora.first, dora.second)[place] or (), strict=True))
    peers = {"dora": {"ann": dora.percent / 100}} if dora.percent else {}
    limits = {} if dora.limit is None else {"dora": dora.limit}
    return access.mediate(wishes, peers, vote=pair.vote, limits=limits).choice


def drawn(random: Random, number: int) -> Pair:
    """Draw a pair of worlds with equal outcomes below the widest."""
    story = list(STORIES)[number % len(STORIES)]
    four = number // len(STORIES) % 2 == 1
    vote = access.StrongMajority(0.66) if four and random.random() < 0.5 else access.Consensus()
    while True:
        names = ("ann", "bob", "cleo") if four else ("ann", "bob")
        others = {who: (random.choice(MONOTONE), random.choice(MONOTONE)) for who in names}
        doras = tuple(
            Dora(
                random.choice(MONOTONE),
                random.choice(MONOTONE),
                random.choice(LISTENING),
                ticks=bool(one),
                says_yes=bool(one),
            )
            for one in range(2)
        )
        pair = Pair(others, (doras[0], doras[1]), story, vote)
        if story == "limit for a no":
            bound = replace(doras[0], limit=outcome(pair, doras[1], 0))
            pair = replace(pair, doras=(bound, doras[1]))
        if story == "quiet":  # bob is silent in both, dora in one of them
            silent = {who: (views[0], None if who == "bob" else views[1]) for who, views in others.items()}
            quiet = replace(doras[1], second=None)
            found = {outcome(pair, one, 0) for one in doras}
            pair = replace(pair, others=silent, doras=(doras[0], quiet))
        else:
            found = {outcome(pair, one, 0) for one in pair.doras}
            if story == "petition" and len({outcome(pair, one, 1) for one in pair.doras}) > 1:
                continue
        if len(found) == 1 and found != {"public"}:
            return pair


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything that is sent, in its order, instead of sending it."""
    sent: list[str] = []

    class Recorder:
        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def __enter__(self) -> Recorder:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def send_message(self, message: Any) -> None:
            sent.append(message.as_string())

    def post(_url: str, _secret: str, name: str, body: object, **_: object) -> None:
        sent.append(f"{name} {json.dumps(body)}")

    monkeypatch.setattr(smtplib, "SMTP", Recorder)
    monkeypatch.setattr(outbox, "post", post)
    return sent


Living = Callable[[Pair, Dora], list[tuple[str, str]]]


@pytest.fixture
def live(settings: Settings, migrated: Path, tmp_path: Path, mails: list[str]) -> Living:
    def one(pair: Pair, dora: Dora) -> list[tuple[str, str]]:
        with world(settings, migrated, tmp_path, pair, dora, mails) as made:
            return lived(made)

    return one


@pytest.mark.long
@pytest.mark.parametrize("pairs", [len(STORIES), pytest.param(200, marks=pytest.mark.thorough)])
def test_what_others_see_depends_on_the_outcome_alone(live: Living, pairs: int) -> None:
    """Fault 2: nothing but the outcome tells who said no: no name in a petition, no reason, no hint, no count."""
    random = Random(11)
    for number in range(pairs):
        pair = drawn(random, number)
        first, second = (live(pair, dora) for dora in pair.doras)
        assert [place for place, _ in first] == [place for place, _ in second]
        different = [
            (place, *apart)
            for (place, one), (_, other) in zip(first, second, strict=True)
            if (apart := _apart(one, other))
        ]
        assert different == [], (number, pair)
        assert sum(place == "letter" for place, _ in first) > 4, "mails and webhooks are among it"


def _apart(one: str, other: str) -> tuple[str, str] | None:
    """Return where two texts begin to differ."""
    if one == other:
        return None
    at = next(
        (k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return one[max(0, at - 60) : at + 60], other[max(0, at - 60) : at + 60]


@pytest.mark.parametrize("place", [0, 1])
def test_a_different_outcome_is_seen(live: Living, place: int) -> None:
    """What cannot be hidden shows: the walk looks at what there is."""
    everyone, friends, nobody = (5, 5, 5), (5, 1, 0), (0, 0, 0)
    others = {"ann": (everyone, everyone), "bob": (everyone, everyone)}
    doras = (Dora(friends, everyone), Dora(friends, friends) if place else Dora(nobody, everyone))
    pair = Pair(others, doras, "petition")  # type: ignore[arg-type]
    first, second = (live(pair, dora) for dora in pair.doras)
    assert first != second
