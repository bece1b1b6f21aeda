"""Changes and answers that meet: nobody says yes to what they were not shown, and every round is decided once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from tests.web.conftest import Clock
from tests.web.stories import agree_all, answer_all, four_friends, put_up
from tests.web.test_workflow import page

from entrenous.web import store
from entrenous.web.rules import decisions
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.service import membership, proposals, worker, workflow
from entrenous.web.store import audit_trail, schema
from entrenous.web.store.database import Database

EVERYONE = {"friends": 5, "friends-of-friends": 5, "public": 5}


def together(database: Database, *acts: Callable[[Any], Any]) -> list[str]:
    """Let people act at the same moment, and return what became of each: done, or the code of a refusal."""
    ready = threading.Barrier(len(acts))
    results = [""] * len(acts)

    def run(place: int, act: Callable[[Any], Any]) -> None:
        ready.wait()
        try:
            database.write(act)
            results[place] = "done"
        except Conflict as refusal:
            results[place] = refusal.code
        except NotFound:
            results[place] = "not found"

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def proposed(database: Database, person: int, item: str, title: str) -> str:
    with database.writing() as session:
        proposals.propose(session, person, item, title=title)
        change = store.changes.change_of(session, item)
    assert change is not None
    return change.id


def saying(person: int, item: str, change: str, *, accept: bool) -> Callable[[Any], None]:
    return lambda session: proposals.answer_change(session, person, item, change, accept=accept)


@pytest.mark.long
def test_a_proposal_that_is_swapped_gets_no_yes_of_the_other(either: Database) -> None:
    ids = four_friends(either)
    ann, bob, cleo, _ = ids.values()
    item = put_up(either, [ann, bob, cleo])

    def swap(session: Any) -> None:
        proposals.retract(session, ann, item)
        proposals.propose(session, ann, item, title="Bob is drunk")

    for number in range(6):
        change = proposed(either, ann, item, f"Fine {number}")
        yes = [saying(one, item, change, accept=True) for one in (bob, cleo)]
        results = together(either, *yes, swap)
        seen = page(either, bob, item)
        assert seen.title != "Bob is drunk"
        if seen.title == f"Fine {number}":
            assert results[:2] == ["done", "done"]
        if seen.change is not None:
            with either.reading() as session:
                assert store.changes.voices(session, item) == {ann}, "no yes went over to the other one"
            with either.writing() as session:
                proposals.retract(session, ann, item)
    with either.reading() as session:
        assert audit_trail.verify(session) > 0


@pytest.mark.long
def test_the_last_yes_meets_a_no(either: Database) -> None:
    ann, bob, cleo, _ = four_friends(either).values()
    item = put_up(either, [ann, bob, cleo])
    for number in range(6):
        before = page(either, ann, item).title
        change = proposed(either, ann, item, f"New {number}")
        with either.writing() as session:
            proposals.answer_change(session, bob, item, change, accept=True)
        results = together(
            either, saying(cleo, item, change, accept=True), saying(bob, item, change, accept=False)
        )
        seen = page(either, ann, item)
        assert seen.change is None
        assert sorted(results) == ["done", "no_change"], "one of them comes first, and that is that"
        assert seen.title == (f"New {number}" if results[0] == "done" else before)


@pytest.mark.long
def test_an_answer_arrives_while_a_change_takes_effect(either: Database) -> None:
    ann, bob, cleo, _ = four_friends(either).values()
    for number in range(5):
        item = put_up(either, [ann, bob, cleo])
        for person in (ann, bob):
            with either.writing() as session:
                workflow.answer(session, person, item, EVERYONE)
        change = proposed(either, ann, item, f"New {number}")
        with either.writing() as session:
            proposals.answer_change(session, bob, item, change, accept=True)
        results = together(
            either,
            saying(cleo, item, change, accept=True),
            lambda session, item=item: workflow.answer(session, cleo, item, EVERYONE),
            lambda session, item=item: workflow.set_limit(session, bob, item, "friends"),
        )
        assert results == ["done"] * 3
        seen = page(either, ann, item)
        assert (seen.title, seen.change, seen.state) == (f"New {number}", None, "proposed")
        with either.reading() as session:
            assert [one.same for one in decisions.recompute(session, item)] == [True]
    with either.reading() as session:
        told = sa.select(sa.func.count()).where(schema.audit.c.action == "decided")
        assert session.scalar(told) == 5
        assert audit_trail.verify(session) > 0


@pytest.mark.long
def test_who_leaves_while_the_last_yes_is_said(either: Database) -> None:
    ann, bob, cleo, dora = four_friends(either).values()
    item = put_up(either, [ann, bob, cleo, dora])
    change = proposed(either, ann, item, "New")
    with either.writing() as session:
        proposals.answer_change(session, bob, item, change, accept=True)
    results = together(
        either,
        saying(cleo, item, change, accept=True),
        lambda session: membership.delete_account(session, dora),
    )
    assert results == ["done", "done"]
    assert page(either, ann, item).title == "New"
    told = [kind for kind in kinds(either, ann, item) if kind.startswith("change")]
    assert told == ["change_agreed"]


def kinds(database: Database, person: int, item: str) -> list[str]:
    with database.reading() as session:
        query = sa.select(schema.notifications.c.kind).where(
            schema.notifications.c.person == person, schema.notifications.c.item == item
        )
        return list(session.scalars(query.order_by(schema.notifications.c.id)))


@pytest.mark.long
def test_the_job_that_destroys_keys_meets_a_petition(either: Database, clock: Clock) -> None:
    """Whichever comes first, the new round can be answered and decided."""
    ids = list(four_friends(either).values())
    for _ in range(4):
        item = put_up(either, ids)
        answer_all(either, item, dict.fromkeys(ids, (5, 1, 0)))
        agree_all(either, item, ids)
        destroying = threading.Thread(target=worker.Worker(either).run_once)
        destroying.start()
        results = together(
            either, lambda session, item=item: workflow.petition(session, ids[0], item, "More")
        )
        answer_all(either, item, dict.fromkeys(ids, (5, 5, 0)))
        destroying.join()
        assert results == ["done"]
        found = page(either, ids[0], item).outcome
        assert found is not None
        assert (found.round, found.choice) == (2, "friends-of-friends")
