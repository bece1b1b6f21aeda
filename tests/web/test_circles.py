"""Items decided by circles, while circles change."""

from __future__ import annotations

import pytest
from tests.web.conftest import Clock, befriend, register
from tests.web.stories import put_up

from entrenous.web import people, workflow
from entrenous.web.store import Database
from entrenous.web.visibility import visible_ids


@pytest.fixture
def kept_from_eve(database: Database) -> tuple[Database, int, int, int, str]:
    """Ann shows something to her friends cleo and eve, but not to her boss, who is eve as well."""
    ann, cleo, eve = register(database, "ann", "cleo", "eve")
    for friend in (cleo, eve):
        befriend(database, ann, friend)
    with database.writing() as session:
        for name, members in (("Friends", [cleo, eve]), ("Boss", [eve])):
            people.set_members(session, ann, people.create_circle(session, ann, name).id, members)
    item = put_up(database, [ann], method="circles")
    with database.writing() as session:
        scores = {"Boss": 0, "Friends": 5, "Strangers": 0}
        workflow.answer(session, ann, item, scores, limit=["Friends"])
    return database, ann, cleo, eve, item


def see(database: Database, item: str, *viewers: int) -> list[bool]:
    with database.reading() as session:
        return [item in visible_ids(session, viewer, [item]) for viewer in viewers]


def circle(database: Database, person: int, name: str) -> int:
    with database.reading() as session:
        return next(one.id for one in people.circles(session, person) if one.name == name)


def test_a_renamed_circle_goes_on_keeping_out(kept_from_eve: tuple[Database, int, int, int, str]) -> None:
    database, ann, cleo, eve, item = kept_from_eve
    assert see(database, item, cleo, eve) == [True, False]
    boss = circle(database, ann, "Boss")
    with database.writing() as session:
        people.rename_circle(session, ann, boss, "Boss and co")
    assert see(database, item, cleo, eve) == [True, False]


def test_whom_a_new_circle_holds_waits_for_a_new_decision(
    kept_from_eve: tuple[Database, int, int, int, str],
) -> None:
    database, ann, cleo, _, item = kept_from_eve
    with database.writing() as session:
        people.set_members(session, ann, people.create_circle(session, ann, "Rivals").id, [cleo])
    assert see(database, item, cleo) == [False]


def test_a_limit_to_a_circle_made_after_the_answer_lets_the_round_close(
    database: Database, clock: Clock
) -> None:
    ann, bob, mate = register(database, "ann", "bob", "mate")
    befriend(database, ann, bob)
    befriend(database, bob, mate)
    item = put_up(database, [ann, bob], method="circles")
    with database.writing() as session:
        workflow.answer(session, bob, item, {"Strangers": 5})
        people.set_members(session, bob, people.create_circle(session, bob, "Work").id, [mate])
        workflow.set_limit(session, bob, item, ["Work"])
    clock.turn(days=8)
    assert workflow.advance_due(database) == 1
    assert see(database, item, ann, bob, mate) == [True, True, False]
