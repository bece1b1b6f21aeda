"""A service as the earlier version left it, with contents of every kind: sealed on both databases, killed and repeated.

`first_version.json` was written by the code of commit d979e60, so nothing here is as we remember it.
"""

from __future__ import annotations

import base64
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from tests.web.conftest import Clock
from tests.web.test_sealed import dumped, everything_on_disk
from tests.web.test_workflow import page

from entrenous.web.migrations.sealing_up import Sealed, seal
from entrenous.web.rules import decisions
from entrenous.web.rules.visibility import visible_ids
from entrenous.web.service import befriending, showing, worker, workflow
from entrenous.web.settings import Settings
from entrenous.web.store import audit_trail, schema
from entrenous.web.store.database import Database, _alembic

BEFORE: dict[str, Any] = json.loads((Path(__file__).parent / "first_version.json").read_text())
ITEMS, PEOPLE = BEFORE["items"], BEFORE["people"]
KINDS = {"moment": schema.Instant(), "json": sa.JSON(), "bytes": sa.LargeBinary(), "plain": None}
READ = {"moment": datetime.fromisoformat, "bytes": base64.b64decode}


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def old(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Database]:
    """The service of the earlier version, on each kind of database."""
    if request.param == "postgresql":
        settings = replace(settings, database=request.getfixturevalue("postgres_url"))
    opened = Database(settings, clock=Clock(datetime.fromisoformat(BEFORE["moment"])))
    with opened._writing.begin() as connection:
        command.upgrade(_alembic(connection), "first")
        for name, table in BEFORE["tables"].items():
            fill(connection, name, table)
    yield opened
    opened.close()


def fill(connection: sa.Connection, name: str, table: dict[str, Any]) -> None:
    columns = [sa.column(column, KINDS[kind]) for column, kind in table["columns"]]  # type: ignore[arg-type]
    into = sa.table(name, *columns)
    connection.execute(sa.delete(into))  # the head of the audit comes with the tables
    for row in table["rows"]:
        values = {
            column: READ[kind](value) if kind in READ and value is not None else value
            for (column, kind), value in zip(table["columns"], row, strict=True)
        }
        connection.execute(sa.insert(into).values(**values))
    if connection.dialect.name == "postgresql" and columns[0].name == "id" and name != "items":
        count = f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), (SELECT max(id) FROM {name}))"
        connection.execute(sa.text(count))


def former(table: str) -> list[dict[str, Any]]:
    entry = BEFORE["tables"][table]
    names = [name for name, _ in entry["columns"]]
    return [dict(zip(names, row, strict=True)) for row in entry["rows"]]


def test_what_was_decided_stays_and_everybody_sees_what_they_saw(old: Database) -> None:
    lines, opened = len(former("defaults")), 3 + 2 * 2
    done = seal(old)
    assert (done.decisions, done.lines) == (12, lines)
    assert done.answers > opened
    with old.reading() as session:
        assert audit_trail.verify(session) > len(former("audit"))
        results = list(decisions.recompute(session))
        assert all(one.same for one in results)
        kept = {
            (row.item, row.round): (row.choice, row.agreed)
            for row in session.execute(sa.select(schema.decisions))
        }
        assert kept == {
            (row["item"], row["round"]): (row["choice"], row["agreed"]) for row in former("decisions")
        }
        for viewer, items in BEFORE["visible"].items():
            number = int(viewer) if viewer else None
            assert sorted(visible_ids(session, number, ITEMS.values())) == items, viewer
        states = session.execute(sa.select(schema.items.c.id, schema.items.c.state, schema.items.c.round))
        assert {row.id: [row.state, row.round] for row in states} == {
            item: state[:2] for item, state in BEFORE["states"].items()
        }
    still = {one.item for one in results if one.opened}
    needed = ("proposed", "second round", "circled", "circled proposed", "silent", "joined")
    assert still == {ITEMS[name] for name in needed}
    assert seal(old) == Sealed(0, 0, 0), "once more harms nothing"


def test_what_is_open_goes_on(old: Database) -> None:
    seal(old)
    ann, bob, cleo = (PEOPLE[who] for who in ("ann", "bob", "cleo"))
    with old.reading() as session:
        mine = showing.my_view(session, ann, ITEMS["collecting"])
        assert (dict(mine.scores or {}), mine.limit) == (
            {"friends": 5, "friends-of-friends": 5, "public": 4},
            "friends-of-friends",
        )
        again = showing.my_view(session, bob, ITEMS["second round"])
        assert (dict(again.scores or {})["friends-of-friends"], again.source) == (1, "last round")
        assert again.nudge is None, "the earlier version did not ask for an audience"
        found = [befriending.standing_line(session, one) for one in (bob, cleo)]
        assert [(line.line, line.confirmed) for line in found if line is not None] == [
            ("friends-of-friends", False),
            ("friends", False),
        ]
    assert [page(old, one, ITEMS["second round"]).answered for one in (ann, bob, cleo)] == [True, False, True]
    with old.writing() as session:
        scores = {"friends": 5, "friends-of-friends": 4, "public": 0}
        workflow.answer(session, bob, ITEMS["second round"], scores)
    outcome = page(old, ann, ITEMS["second round"]).outcome
    assert outcome is not None
    assert (outcome.round, outcome.choice) == (2, "friends-of-friends")
    old.clock.turn(days=90)  # type: ignore[attr-defined]
    workflow.advance_due(old)
    for name, choice in (("joined", "friends"), ("collecting", "private")):
        outcome = page(old, ann, ITEMS[name]).outcome
        assert (name, None if outcome is None else outcome.choice) == (name, choice)
    worker.Worker(old).run_once()
    with old.reading() as session:
        assert all(one.same for one in decisions.recompute(session))
        assert audit_trail.verify(session) > 0


SCORES = re.compile(r'\\?"(friends|friends-of-friends|public|private|Family|Work|Strangers)\\?": ?[0-5]\b')


def test_no_score_no_name_and_no_digest_of_them_is_left(old: Database) -> None:
    def text() -> str:
        return everything_on_disk(old) if old.sqlite else dumped(old)

    before = text()
    digests = [row["digest"] for row in former("decisions")]
    assert SCORES.search(before), "the scan finds what is there"
    assert digests[0] in before
    seal(old)
    after = text()
    assert len(after) > 10_000
    assert SCORES.search(after) is None
    for word in ("snapshot", "asks", *digests):
        assert word not in after, word


def test_who_left_before_is_erased_too(old: Database) -> None:
    gus = PEOPLE["gus"]
    seal(old)
    with old.reading() as session:
        events = sa.select(schema.audit).where(
            sa.or_(schema.audit.c.actor == gus, schema.audit.c.subject == gus)
        )
        assert session.execute(events).all() == []
        places = session.execute(sa.select(schema.owners).where(schema.owners.c.person == gus)).all()
        assert places == []
        item = session.execute(
            sa.select(schema.items.c.cap, schema.items.c.incomplete).where(
                schema.items.c.id == ITEMS["somebody left"]
            )
        ).one()
        assert tuple(item) == ("friends", True)
        assert audit_trail.verify(session) > 0


KILLED = """
import os, signal
from entrenous.cli import main
from entrenous.web.migrations import sealing_up
from entrenous.web.store.sealed.keys import KeyStore

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

{patch}
main()
"""
POINTS = {
    "before the first key": "KeyStore.make = die",
    "before the audit": "sealing_up._Work._write_audit = die",
    "before the commit": "sealing_up._Work.write = lambda self, c, w=sealing_up._Work.write: (w(self, c), die())",
    "before the sweep": "sealing_up._sweep = die",
}


KILLED_AT = [
    ("sqlite", "before the commit"),
    *(
        pytest.param("sqlite", point, marks=pytest.mark.thorough)
        for point in POINTS
        if point != "before the commit"
    ),
    pytest.param("postgresql", "before the commit", marks=[pytest.mark.postgres, pytest.mark.thorough]),
]


@pytest.mark.faults
@pytest.mark.parametrize(("old", "point"), KILLED_AT, indirect=["old"])
def test_killed_in_the_middle_it_is_repeated_and_nothing_is_lost(
    request: pytest.FixtureRequest, old: Database, process_environment: dict[str, str], point: str
) -> None:
    environment = process_environment | {"ENTRENOUS_KEYS": old.settings.keys}
    program = KILLED.format(patch=POINTS[point])
    arguments = ["access", "seal", "--yes", "--database", old.settings.database]
    killed = subprocess.run(
        [sys.executable, "-c", program, *arguments], env=environment, capture_output=True, check=False
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    restarted = Database(old.settings, clock=old.clock)
    request.addfinalizer(restarted.close)
    done = seal(restarted)
    assert done.decisions == (0 if point == "before the sweep" else 12)
    with restarted.reading() as session:
        assert audit_trail.verify(session) > len(former("audit"))
        assert all(one.same for one in decisions.recompute(session))
        assert showing.my_view(session, PEOPLE["ann"], ITEMS["collecting"]).submitted
    assert SCORES.search(everything_on_disk(restarted) if restarted.sqlite else dumped(restarted)) is None


@pytest.mark.parametrize("old", ["sqlite"], indirect=True)
def test_nothing_is_sealed_without_a_typed_yes(old: Database, process_environment: dict[str, str]) -> None:
    environment = process_environment | {"ENTRENOUS_KEYS": old.settings.keys}
    arguments = ["access", "seal", "--database", old.settings.database]
    for typed, code in (("no\n", 1), ("yes\n", 0)):
        done = subprocess.run(
            [sys.executable, "-c", "from entrenous.cli import main; main()", *arguments],
            env=environment, input=typed, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        with old.engine.connect() as connection:
            tables = sa.inspect(connection).get_table_names()
        assert ("defaults" in tables) == (code != 0)
