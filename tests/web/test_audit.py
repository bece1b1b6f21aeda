"""The audit: one unbroken chain, whoever writes; and every change to it is noticed."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session
from tests.web.stories import decided, four_friends

from entrenous.web.rules import decisions
from entrenous.web.store import audit_trail, schema
from entrenous.web.store.database import Database


def write(database: Database, count: int) -> None:
    for number in range(count):
        database.write(
            lambda session, number=number: audit_trail.record(session, "tested", actor=number, item=None)
        )


def verified(database: Database) -> int:
    with database.reading() as session:
        return audit_trail.verify(session)


def test_many_writers_make_one_chain(either: Database) -> None:
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: write(either, 10), range(6)))
    assert verified(either) == 60


def test_a_change_that_fails_leaves_no_event(either: Database) -> None:
    write(either, 1)

    def record_and_fail(session: Session) -> None:
        audit_trail.record(session, "tested", actor=1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        either.write(record_and_fail)
    assert verified(either) == 1


CHANGES = {
    "an actor": sa.update(schema.audit).where(schema.audit.c.number == 3).values(actor=99),
    "an action": sa.update(schema.audit).where(schema.audit.c.number == 3).values(action="other"),
    "details": sa.update(schema.audit).where(schema.audit.c.number == 3).values(details='{"a": 1}'),
    "one is gone": sa.delete(schema.audit).where(schema.audit.c.number == 3),
    "the last is gone": sa.delete(schema.audit).where(schema.audit.c.number == 5),
    "renumbered": sa.update(schema.audit).where(schema.audit.c.number == 5).values(number=6),
    "the head": sa.update(schema.audit_head).values(digest="1" * 64),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_noticed(database: Database, change: str) -> None:
    write(database, 5)
    assert verified(database) == 5
    with database.writing() as session:
        session.execute(CHANGES[change])
    with pytest.raises(audit_trail.BrokenChain):
        verified(database)


def test_the_place_of_a_change_is_named(database: Database) -> None:
    write(database, 5)
    with database.writing() as session:
        session.execute(CHANGES["an actor"])
    with pytest.raises(audit_trail.BrokenChain) as caught:
        verified(database)
    assert caught.value.number == 3


FORGERIES = {
    "another outcome, sealed anew": lambda kept: [
        sa.update(schema.decisions).values(**_forged(kept)),
        sa.update(schema.items).values(choice="public"),
    ],
    "another choice in force": lambda _: [sa.update(schema.items).values(choice="public")],
    "a decision is gone": lambda _: [sa.delete(schema.decisions)],
}


def _forged(kept: sa.Row) -> dict[str, str]:  # type: ignore[type-arg]
    """A decision that fits itself: everybody wants it public."""
    settled = decisions._settled(json.loads(kept.record) | {"choice": "public"}, None)
    return {"record": settled.record, "digest": settled.digest, "choice": settled.choice}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_decision_is_noticed(database: Database, forgery: str) -> None:
    item = decided(database, four_friends(database))
    with database.reading() as session:
        assert [result.same for result in decisions.recompute(session, item)] == [True]
        kept = session.execute(sa.select(schema.decisions)).one()
    with database.writing() as session:
        for change in FORGERIES[forgery](kept):
            session.execute(change)
    with database.reading() as session:
        assert [result.same for result in decisions.recompute(session, item)] == [False]
        assert audit_trail.verify(session) > 0  # the chain itself is whole
