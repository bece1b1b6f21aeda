"""What a page costs the database: as many questions for many items as for few, and none that goes through a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from tests.web.crowd import Crowd
from tests.web.heaps import heap

from entrenous.web.store.database import Database
from entrenous.web.store.schema import metadata

PAGES = (
    "/how",
    "/",
    "/waiting",
    "/mine",
    "/of-me",
    "/gallery",
    "/notifications",
    "/history",
    "/friends",
    "/first-steps",
    "/admin",
)
LISTS = (
    "/v1/inbox",
    "/v1/items",
    "/v1/items?which=mine",
    "/v1/items?which=of-me",
    "/v1/notifications",
    "/v1/me/history",
    "/v1/friends",
)


@contextmanager
def asked(database: Database) -> Iterator[list[tuple[str, Any]]]:
    """Collect the questions that are put to a database."""
    found: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        found.append((statement, parameters))

    event.listen(database.engine, "before_cursor_execute", note)
    yield found
    event.remove(database.engine, "before_cursor_execute", note)


def counts(crowd: Crowd, who: str) -> dict[str, int]:
    """How many questions each page of somebody makes, once everything is warm."""
    token = crowd.token(who)
    found = {}
    for page in (*PAGES, *LISTS):
        for _ in range(2):
            with asked(crowd.database) as questions:
                answer = crowd.clients[who].get(page, headers=token if page in LISTS else {})
                assert answer.status_code == 200, (page, answer.text)
        found[page] = len(questions)
    return found


def test_many_items_make_no_more_questions_than_few(crowd: Crowd) -> None:
    """Fault 8: every page computed the whole inbox, with questions for each item."""
    crowd.add("ann", "few", "many", "bob")
    heap(crowd.database, crowd.ids["ann"], crowd.ids["few"], 10)
    few = counts(crowd, "ann")
    heap(crowd.database, crowd.ids["ann"], crowd.ids["many"], 300, start=10)
    many = counts(crowd, "ann")
    assert many == few
    assert few["/how"] <= 5


def plan(database: Database, statement: str, parameters: Any) -> list[str]:
    """How SQLite answers a question."""
    with database.engine.connect() as connection:
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
    return [row[-1] for row in rows]


def scans(database: Database, statement: str, parameters: Any) -> list[str]:
    """The tables that a question of SQLite goes through from one end to the other."""
    steps = plan(database, statement, parameters)
    scanned = [(step, re.match(r"SCAN (\w+?)(_\d+)?\b", step)) for step in steps]
    return [step for step, found in scanned if found and found[1] in metadata.tables]


SMALL = {"audit_head", "page_keys", "alembic_version"}


@pytest.mark.parametrize("page", [page for page in (*PAGES, *LISTS) if page != "/admin"])
def test_no_page_goes_through_a_table(crowd: Crowd, page: str) -> None:
    """Fault 8: what a page costs must not grow with what there is."""
    crowd.add("ann", "bob")
    heap(crowd.database, crowd.ids["ann"], crowd.ids["bob"], 60)
    with asked(crowd.database) as questions:
        answer = crowd.clients["ann"].get(page, headers=crowd.token("ann") if page in LISTS else {})
    assert answer.status_code == 200
    reads = [(text, given) for text, given in questions if text.lstrip().startswith(("SELECT", "WITH"))]
    assert reads
    offences = {step for text, given in reads for step in scans(crowd.database, text, given)}
    assert {step for step in offences if step.split()[1] not in SMALL} == set()


def test_items_of_others_are_found_by_who_they_are_near_to(crowd: Crowd) -> None:
    """By their reach alone only those are found that everybody may see: the others could all be for other people."""
    crowd.add("ann")
    with asked(crowd.database) as questions:
        crowd.clients["ann"].get("/gallery")
    steps = [
        step
        for text, given in questions
        if "crew_members" in text
        for step in plan(crowd.database, text, given)
    ]
    assert sum("ix_shown_reach_place" in step for step in steps) == 2
    assert (
        sum(
            step.startswith("SEARCH shown USING INDEX ix_shown_crew_place (crew=? AND place>")
            for step in steps
        )
        == 3
    )


def test_a_scan_would_be_noticed(crowd: Crowd) -> None:
    assert scans(crowd.database, "SELECT id FROM items WHERE title = 'a'", ()) != []
