"""What a round can change: nothing wider without everybody's answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from tests.web.conftest import Clock, befriend, register
from tests.web.stories import SCORED, answer, put_up
from tests.web.test_workflow import page

from entrenous.access import CHOICES
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


def test_what_a_silent_person_would_say_changes_nothing_for_all_answers_of_three() -> None:
    """Exhaustive at the level of the engine: a round with somebody silent is a function of what was known before."""
    row = item_row(method="oc")
    slots = ("a", "b", "c")
    for earlier_choice in CHOICES:
        earlier = stored(earlier_choice, slots)
        for scores in MONOTONE:
            for silent in slots:
                openings = {slot: opening(None if slot == silent else scores) for slot in slots}
                voters = [owner_row(number, slot) for number, slot in enumerate(slots, 1)]
                settled = decisions._standing(row, earlier, voters, openings)
                assert settled.choice == earlier_choice
                assert not settled.weighed


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
