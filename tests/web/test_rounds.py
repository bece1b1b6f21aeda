"""How often an item may be decided, and how long a silent person's last word stands."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from tests.web.conftest import Clock, befriend, register
from tests.web.stories import SCORED, answer, put_up
from tests.web.test_workflow import page

from entrenous.web.service import befriending, workflow
from entrenous.web.store.database import Database

EVERYONE, FRIENDS = (5, 5, 5), (5, 0, 0)


@dataclass
class Schemer:
    """Ann, who brings on round after round by letting accomplices in, all for everyone; bob said friends, once."""

    database: Database
    clock: Clock
    accomplices: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ann, self.bob = register(self.database, "ann", "bob")
        befriend(self.database, self.ann, self.bob)
        self.item = put_up(self.database, [self.ann, self.bob])
        answer(self.database, self.item, self.bob, FRIENDS)
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


def test_a_last_word_stands_for_as_many_rounds_as_there_are(database: Database, clock: Clock) -> None:
    assert database.settings.rounds == 3
    assert Schemer(database, clock).rounds(5) == ["friends", "friends", "friends", "private", "private"]


@pytest.mark.parametrize(
    ("bob_does", "choice"), [("nothing", "private"), ("answer", "friends"), ("stand", "public")]
)
def test_later_what_counts_is_a_new_answer_or_the_standing_view(
    database: Database, clock: Clock, bob_does: str, choice: str
) -> None:
    schemer = Schemer(database, clock)
    schemer.rounds(3)
    schemer.begin_round()
    if bob_does == "answer":
        answer(database, schemer.item, schemer.bob, FRIENDS)
    if bob_does == "stand":
        with database.writing() as session:
            befriending.set_default(session, schemer.bob, dict.fromkeys(SCORED, 5), None)
    assert schemer.end_round() == choice
