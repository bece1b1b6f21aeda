"""What a round can change: nothing wider without everybody's answer."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from tests.web.conftest import Clock, befriend, register
from tests.web.stories import SCORED, answer, put_up
from tests.web.test_workflow import page

from entrenous.access.receipts import Opening
from entrenous.web.rules import decisions
from entrenous.web.rules.visibility import visible_ids
from entrenous.web.service import befriending, workflow
from entrenous.web.store.database import Database
from entrenous.web.store.items import Decided, ItemRow, OwnerRow

EVERYONE, FRIENDS = (5, 5, 5), (5, 0, 0)


@dataclass
class Schemer:
    """Ann, who brings on round after round by letting accomplices in, all for everyone; bob said friends, once."""

    database: Database
    clock: Clock
    view: tuple[int, int, int] = FRIENDS
    accomplices: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ann, self.bob = register(self.database, "ann", "bob")
        befriend(self.database, self.ann, self.bob)
        self.item = put_up(self.database, [self.ann, self.bob])
        answer(self.database, self.item, self.bob, self.view)
        answer(self.database, self.item, self.ann, EVERYONE)

    def outcome(self) -> str:
        found = page(self.database, self.ann, self.item).outcome
        assert found is not None
        assert found.round == 1 + len(self.accomplices)
        return found.choice

    def begin_round(self) -> None:
        (friend,) = register(self.database, f"friend{len(self.accomplices)}")
        befriend(self.database, self.ann, friend)
        with self.database.writing() as session:
            workflow.tag(session, self.ann, self.item, [friend])
        with self.database.writing() as session:
            workflow.answer_tag(session, friend, self.item, accept=True)
        self.accomplices.append(friend)
        for one in (self.ann, *self.accomplices):
            answer(self.database, self.item, one, EVERYONE)

    def end_round(self) -> str:
        self.clock.turn(days=8)
        workflow.advance_due(self.database)
        return self.outcome()

    def rounds(self, last: int) -> list[str]:
        found = [self.outcome()]
        while len(found) < last:
            self.begin_round()
            found.append(self.end_round())
        return found


def test_silence_never_widens(database: Database, clock: Clock) -> None:
    """Bob says "friends" once and is silent ever after, whoever joins and however often."""
    assert Schemer(database, clock).rounds(5) == ["friends"] * 5


@pytest.mark.parametrize(
    ("bob_does", "choice"), [("nothing", "friends"), ("answer", "public"), ("stand", "friends")]
)
def test_only_an_answer_of_everybody_lets_it_go_further(
    database: Database, clock: Clock, bob_does: str, choice: str
) -> None:
    schemer = Schemer(database, clock)
    schemer.rounds(2)
    schemer.begin_round()
    if bob_does == "answer":
        answer(database, schemer.item, schemer.bob, EVERYONE)
    if bob_does == "stand":
        with database.writing() as session:
            befriending.set_standing_line(session, schemer.bob, "public", [schemer.ann])
    assert schemer.end_round() == choice


def test_an_explicit_no_is_never_replaced_by_a_wide_standing_line(database: Database, clock: Clock) -> None:
    """The story of the fault: only us, a wide standing line, three people join, and the photo was public."""
    schemer = Schemer(database, clock, view=(0, 0, 0))
    with database.writing() as session:
        befriending.set_standing_line(session, schemer.bob, "public", [schemer.ann])
    assert schemer.rounds(4) == ["private"] * 4
    assert page(database, schemer.ann, schemer.item).audience == "private"
    with database.reading() as session:
        assert visible_ids(session, None, [schemer.item]) == set()


def test_a_silent_joiner_keeps_it_among_the_co_owners(database: Database, clock: Clock) -> None:
    schemer = Schemer(database, clock)
    (friend,) = register(database, "quiet")
    befriend(database, schemer.ann, friend)
    with database.writing() as session:
        befriending.set_standing_line(session, friend, "public", [schemer.ann])
        workflow.tag(session, schemer.ann, schemer.item, [friend])
    with database.writing() as session:
        workflow.answer_tag(session, friend, schemer.item, accept=True)
    clock.turn(days=8)
    workflow.advance_due(database)
    found = page(database, schemer.ann, schemer.item).outcome
    assert found is not None
    assert (found.round, found.choice) == (2, "private")


MONOTONE = [
    (first, second, third) for first in range(6) for second in range(first + 1) for third in range(second + 1)
]


LINES = (0, 0, 0), (5, 0, 0), (5, 5, 0), (5, 5, 5)


@pytest.mark.long
def test_a_round_with_somebody_silent_is_a_function_of_the_first_outcome(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exhaustive for three, through the mediation itself: all 56 answers of the silent one, everybody's every line.

    Whoever is silent, the second outcome is the first one and never wider, whatever they said before.
    """
    slots = ("a", "b", "c")
    voters = [owner_row(number, slot) for number, slot in enumerate(slots, 1)]
    rounds: dict[int, dict[str, Opening]] = {}
    known: list[Decided] = []
    monkeypatch.setattr(decisions.sealing, "open_round", lambda _session, _item, round_: rounds[round_])
    monkeypatch.setattr(decisions.store.items, "decision_of", lambda *_: known[0] if known else None)
    monkeypatch.setattr(decisions, "_speak_for", lambda *_: [])

    def mediated(round_: int, answers: dict[str, tuple[int, ...] | None]) -> decisions.Settled:
        rounds[round_] = {slot: opening(scores) for slot, scores in answers.items()}
        return decisions.mediate_round(None, item_row(round=round_), voters)  # type: ignore[arg-type]

    tried = 0
    for silent in slots:
        others = [slot for slot in slots if slot != silent]
        for mine, one, two in itertools.product(MONOTONE, LINES, LINES):
            known.clear()
            first = mediated(1, {silent: mine, others[0]: one, others[1]: two})
            known.append(stored(first.choice, slots))
            for three, four in itertools.product((None, EVERYONE), repeat=2):
                second = mediated(2, {silent: None, others[0]: three, others[1]: four})
                assert second.choice == first.choice
                assert not second.weighed
                tried += 1
    assert tried == 3 * 56 * 16 * 4


def opening(scores: tuple[int, ...] | None) -> Opening:
    view = None if scores is None else dict(zip(SCORED, scores, strict=True))
    return Opening(view, None, {}, "00")


def item_row(**changes: object) -> ItemRow:
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    values: dict[str, object] = {
        "id": "photo",
        "originator": 1,
        "state": "collecting",
        "method": "oc",
        "anchor": "each",
        "choice": None,
        "cap": None,
        "incomplete": False,
        "objection_until": None,
        "expires": None,
        "title": "",
        "description": "",
        "kind": "photo",
        "round": 2,
        "petitions": 1,
        "vote": {"rule": "consensus"},
        "open": False,
        "created": moment,
        "deadline": None,
    }
    return ItemRow(**(values | changes))  # type: ignore[arg-type]


def owner_row(person: int, slot: str, limit: str | None = None) -> OwnerRow:
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    return OwnerRow(person, "accepted", limit, slot, "photo", "tagged", True, None, moment)


def stored(choice: str, slots: tuple[str, ...]) -> Decided:
    record = {"stands": None, "joined": [], "slots": list(slots), "round": 1}
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    return Decided("photo", 1, choice, True, json.dumps(record), None, "", moment)
