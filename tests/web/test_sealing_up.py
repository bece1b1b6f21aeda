"""A database of the version that kept answers in the clear: refused as it is, sealed once and for good."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from tests.web.conftest import Clock
from tests.web.test_sealed import everything_on_disk, numbers
from tests.web.test_workflow import page

from entrenous import access
from entrenous.errors import PrivacyError
from entrenous.web.migrations.sealing_up import Sealed, seal
from entrenous.web.rules import decisions
from entrenous.web.service import befriending, showing, workflow
from entrenous.web.settings import Settings
from entrenous.web.store import audit_trail
from entrenous.web.store.database import Database, _alembic

MOMENT = datetime(2030, 5, 1, 12, tzinfo=UTC)
SCORED = ("friends", "friends-of-friends", "public")
VIEWS = {1: (5, 5, 4), 2: (3, 3, 0), 3: (4, 4, 1)}


@pytest.fixture
def old(settings: Settings, clock: Clock) -> Iterator[Database]:
    """A service of the first version: one item in force, one proposed, one that still collects."""
    opened = Database(settings, clock=clock)
    with opened._writing.begin() as connection:
        command.upgrade(_alembic(connection), "first")
        fill(connection)
    yield opened
    opened.close()


def view(person: int) -> dict[str, int]:
    return dict(zip(SCORED, VIEWS[person], strict=True))


def fill(connection: sa.Connection) -> None:
    events: list[tuple[int | None, str, str | None, dict[str, Any]]] = []
    for number, handle in enumerate(("ann", "bob", "cleo"), 1):
        put(
            connection,
            "people",
            id=number,
            handle=handle,
            name=handle,
            admin=False,
            mail=False,
            created=MOMENT,
        )
        events.append((number, "registered", None, {}))
    for one, other in ((1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)):
        put(connection, "friendships", person=one, friend=other, percent=30 if one == 1 else 0, since=MOMENT)
    events.append((1, "friends", None, {"person": 2}))
    put(
        connection,
        "defaults",
        person=2,
        scores=json.dumps({"friends": 5, "friends-of-friends": 4, "public": 0}),
    )
    for item, state in (("settled", "active"), ("proposal", "proposed"), ("waiting", "collecting")):
        put_item(connection, item, state)
        if state != "collecting":
            text, choice = snapshot()
            digest = hashlib.sha256(text.encode()).hexdigest()
            put(connection, "decisions", item=item, round=1, choice=choice, rule="consensus", agreed=True,
                snapshot=text, digest=digest, decided=MOMENT)  # fmt: skip
            events.append((None, "decided", item, {"round": 1, "digest": digest}))
    write_audit(connection, events)


def put_item(connection: sa.Connection, item: str, state: str) -> None:
    put(connection, "items", id=item, originator=1, title=item, description="", kind="photo", state=state,
        round=1, petitions=0, method="oc", vote='{"rule": "consensus"}', anchor="each",
        choice=None if state == "collecting" else "friends-of-friends", created=MOMENT,
        deadline=datetime(2030, 6, 1, tzinfo=UTC) if state == "collecting" else None,
        objection_until=datetime(2030, 6, 1, tzinfo=UTC) if state == "proposed" else None)  # fmt: skip
    for person in VIEWS:
        put(connection, "owners", item=item, person=person, role="originator" if person == 1 else "tagged",
            state="accepted", tagged=True, since=MOMENT)  # fmt: skip
        if state != "collecting" or person < 3:
            put(
                connection,
                "answers",
                item=item,
                round=1,
                person=person,
                scores=json.dumps(view(person)),
                given=MOMENT,
            )


def snapshot() -> tuple[str, str]:
    item = access.Item(
        {str(person): view(person) for person in VIEWS}, {"1": {"2": 0.3, "3": 0.3}}, originator="1"
    )
    decision = access.decide(item)
    kept = {"engine": 1, "version": "0.1", "input": item.to_dict(), "output": decision.to_dict()}
    return json.dumps(kept), decision.choice


def write_audit(
    connection: sa.Connection, events: list[tuple[int | None, str, str | None, dict[str, Any]]]
) -> None:
    digest = audit_trail.START
    for number, (actor, action, item, details) in enumerate(events, 1):
        text = json.dumps(details, sort_keys=True)
        event = [digest, number, MOMENT.isoformat(), actor, action, item, text]
        digest = hashlib.sha256(json.dumps(event).encode()).hexdigest()
        put(connection, "audit", number=number, at=MOMENT, actor=actor, action=action, item=item, details=text,
            digest=digest)  # fmt: skip
    connection.execute(
        sa.text("UPDATE audit_head SET number = :n, digest = :d"), {"n": len(events), "d": digest}
    )


def put(connection: sa.Connection, table: str, **values: Any) -> None:
    plain = {
        name: value.replace(tzinfo=None).isoformat(" ") + ".000000" if isinstance(value, datetime) else value
        for name, value in values.items()
    }
    columns = ", ".join(f'"{name}"' for name in plain)
    places = ", ".join(f":{name}" for name in plain)
    connection.execute(sa.text(f"INSERT INTO {table} ({columns}) VALUES ({places})"), plain)


def test_answers_in_the_clear_are_not_taken_over_in_passing(old: Database) -> None:
    with pytest.raises(PrivacyError, match="entrenous access seal"):
        old.migrate()
    assert '"public": 4' in everything_on_disk(old), "nothing was touched"


def test_everything_is_sealed_and_goes_on(old: Database) -> None:
    assert seal(old) == Sealed(decisions=2, answers=5, lines=1)
    with old.reading() as session:
        assert audit_trail.verify(session) == 7
        found = {one.item: (one.same, one.opened) for one in decisions.recompute(session)}
        assert found == {"settled": (True, False), "proposal": (True, True)}
        line = befriending.standing_line(session, 2)
        assert line is not None
        assert (line.line, line.confirmed) == ("friends-of-friends", False)
        assert showing.my_view(session, 1, "waiting").scores == view(1)
        assert showing.my_view(session, 3, "waiting").submitted is False
    assert page(old, 1, "settled").audience == "friends-of-friends"
    assert [page(old, person, "waiting").answered for person in (1, 2, 3)] == [True, True, False]
    with old.writing() as session:
        workflow.answer(session, 3, "waiting", view(3))
    assert page(old, 1, "waiting").outcome.choice == "friends-of-friends"  # type: ignore[union-attr]
    with old.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    assert numbers(old, 1) != []


def test_nothing_is_left_in_the_clear_after_sealing(old: Database) -> None:
    seal(old)
    for text in ('"friends-of-friends": 4', '"friends-of-friends": 3', "snapshot"):
        assert text not in everything_on_disk(old)


def test_a_database_that_was_tampered_with_is_not_sealed(old: Database) -> None:
    with old._writing.begin() as connection:
        connection.execute(sa.text("UPDATE audit SET actor = 2 WHERE number = 1"))
    with pytest.raises(audit_trail.BrokenChain):
        seal(old)
    with old._writing.begin() as connection:
        connection.execute(sa.text("UPDATE audit SET actor = 1 WHERE number = 1"))
        connection.execute(sa.text("UPDATE decisions SET choice = 'public'"))
    with pytest.raises(PrivacyError, match="same again"):
        seal(old)
