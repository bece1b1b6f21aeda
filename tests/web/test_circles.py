"""Items decided by circles, while circles change."""

from __future__ import annotations

from itertools import combinations
from math import ceil
from random import Random

import pytest
from tests.web.conftest import Clock, befriend, register
from tests.web.naive import STRANGERS, Circled, may_see_circled
from tests.web.stories import put_up

from entrenous.web import store
from entrenous.web.rules.visibility import visible_ids
from entrenous.web.service import befriending, membership, workflow
from entrenous.web.store.database import Database


@pytest.fixture
def kept_from_eve(database: Database) -> tuple[Database, int, int, int, str]:
    """Ann shows something to her friends cleo and eve, but not to her boss, who is eve as well."""
    ann, cleo, eve = register(database, "ann", "cleo", "eve")
    for friend in (cleo, eve):
        befriend(database, ann, friend)
    with database.writing() as session:
        for name, members in (("Friends", [cleo, eve]), ("Boss", [eve])):
            befriending.set_members(session, ann, befriending.create_circle(session, ann, name).id, members)
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
        return next(one.id for one in befriending.circles(session, person) if one.name == name)


def test_a_renamed_circle_goes_on_keeping_out(kept_from_eve: tuple[Database, int, int, int, str]) -> None:
    database, ann, cleo, eve, item = kept_from_eve
    assert see(database, item, cleo, eve) == [True, False]
    boss = circle(database, ann, "Boss")
    with database.writing() as session:
        befriending.rename_circle(session, ann, boss, "Boss and co")
    assert see(database, item, cleo, eve) == [True, False]


def test_whom_a_new_circle_holds_waits_for_a_new_decision(
    kept_from_eve: tuple[Database, int, int, int, str],
) -> None:
    database, ann, cleo, _, item = kept_from_eve
    with database.writing() as session:
        befriending.set_members(session, ann, befriending.create_circle(session, ann, "Rivals").id, [cleo])
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
        befriending.set_members(session, bob, befriending.create_circle(session, bob, "Work").id, [mate])
        workflow.set_limit(session, bob, item, ["Work"])
    clock.turn(days=8)
    assert workflow.advance_due(database) == 1
    assert see(database, item, ann, bob, mate) == [True, True, False]


Circles = dict[int, dict[str, set[int]]]


def draw_circles(database: Database, ids: list[int], random: Random) -> Circles:
    """Give everybody up to three circles of their own, which may overlap."""
    circles: Circles = {}
    with database.writing() as session:
        for one in ids:
            names = random.sample(["Family", "Work", "Choir"], random.randrange(4))
            circles[one] = {
                name: set(random.sample([other for other in ids if other != one], 5)) for name in names
            }
            for name, members in circles[one].items():
                befriending.set_members(
                    session, one, befriending.create_circle(session, one, name).id, members
                )
    return circles


def draw_item(database: Database, group: list[int], circles: Circles, random: Random) -> tuple[str, Circled]:
    """Let a group decide about an item by circles, some with a hard limit."""
    theta = random.choice([None, 0.66])
    vote = {"rule": "consensus"} if theta is None else {"rule": "majority", "theta": theta}
    item = put_up(database, group, method="circles", vote=vote)
    few = theta is None or len(group) < 4  # then it takes everybody
    thing = Circled({}, len(group) if few else ceil(theta * len(group)))
    for person in group:
        names = [*circles[person], STRANGERS]
        thing.scores[person] = {name: random.choice([0, 2, 3, 4, 5, 5]) for name in names}
        if random.random() < 0.15:
            thing.limits[person] = random.sample(names, ceil(len(names) / 2))
        with database.writing() as session:
            workflow.answer(session, person, item, thing.scores[person], limit=thing.limits.get(person))
    return item, thing


def change(database: Database, ids: list[int], circles: Circles, known: dict[str, Circled]) -> None:
    """Let circles get other members and another name, limits become narrower, and somebody leave."""
    with database.writing() as session:
        for one in ids[::3]:
            for number, circle in enumerate(befriending.circles(session, one)):
                if number:
                    circles[one]["Renamed"] = circles[one].pop(circle.name)
                    befriending.rename_circle(session, one, circle.id, "Renamed")
                    break
                circles[one][circle.name] = set(ids[3:6]) - {one}
                befriending.set_members(session, one, circle.id, circles[one][circle.name])
        for item, thing in list(known.items())[::4]:
            person = next(iter(thing.scores))
            thing.limits[person] = sorted(circles[person])
            workflow.set_limit(session, person, item, thing.limits[person])
        membership.delete_account(session, ids[-1])
    for thing in known.values():
        thing.left = ids[-1] in thing.scores
        thing.scores.pop(ids[-1], None)


@pytest.mark.long
def test_every_cell_agrees_with_the_naive_twin(either: Database, clock: Clock) -> None:
    random = Random(5)
    ids = register(either, *(f"person{number}" for number in range(11)))
    with either.writing() as session:
        for one, other in combinations(ids, 2):
            store.friendships.add_friendship(session, one, other, clock())
    circles = draw_circles(either, ids, random)
    groups = [random.sample(ids[:-1], 1 + number % 3) for number in range(36)]
    groups += [[*group, ids[-1]] for group in groups[::9]]
    known = dict(draw_item(either, group, circles, random) for group in groups)
    cells = seen = 0
    for stage in ("proposed", "active", "changed"):
        if stage == "active":
            clock.turn(days=2)
        if stage == "changed":
            change(either, ids, circles, known)
            ids.pop()
        for viewer in (None, *ids):
            with either.reading() as session:
                visible = visible_ids(session, viewer, known)
            for item, thing in known.items():
                thing.in_force = stage != "proposed" or len(thing.scores) == 1
                expected = may_see_circled(thing, viewer, circles)
                assert (item in visible) == expected, (stage, viewer, groups[list(known).index(item)])
                cells, seen = cells + 1, seen + expected
    assert cells >= 1_200
    assert 0.2 < seen / cells < 0.8
