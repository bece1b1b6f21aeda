"""Pairs of worlds: one person answers differently, the outcomes are the same, and nobody else can tell."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa
from tests.web.conftest import Clock, befriend, register
from tests.web.stories import SCORED, agree_all, answer, put_up
from tests.web.test_sealed import MONOTONE

from entrenous import access
from entrenous.web.service import browsing, showing, workflow
from entrenous.web.settings import Settings
from entrenous.web.store import schema
from entrenous.web.store.database import Database

Scores = tuple[int, ...]
Transcript = list[str]


@pytest.fixture
def worlds(
    settings: Settings, migrated: Path, tmp_path: Path
) -> Iterator[list[tuple[Database, Clock, list[int]]]]:
    """Two services with the same three friends."""
    opened = []
    for name in ("one", "other"):
        shutil.copy(migrated, tmp_path / f"{name}.db")
        url = f"sqlite:///{tmp_path}/{name}"
        clock = Clock()
        database = Database(replace(settings, database=f"{url}.db", keys=f"{url}.keys"), clock=clock)
        ids = register(database, "ann", "bob", "dora")
        for one, two in ((0, 1), (0, 2), (1, 2)):
            befriend(database, ids[one], ids[two])
        opened.append((database, clock, ids))
    yield opened
    for database, _, _ in opened:
        database.close()


def outcome(ann: Scores, bob: Scores, dora: Scores) -> str:
    wishes = {
        who: dict(zip(SCORED, scores, strict=True))
        for who, scores in zip("abd", (ann, bob, dora), strict=True)
    }
    return access.mediate(wishes, {}).choice


def drawn(random: Random) -> tuple[Scores, Scores, Scores, Scores]:
    """Answers of ann and bob, and two of dora that lead to the same outcome below the widest."""
    while True:
        ann, bob, dora = (random.choice(MONOTONE) for _ in range(3))
        found = outcome(ann, bob, dora)
        twins = [one for one in MONOTONE if one != dora and outcome(ann, bob, one) == found]
        if twins and found != "public":
            return ann, bob, dora, random.choice(twins)


def lived(
    database: Database, clock: Clock, ids: list[int], views: tuple[Scores, Scores, Scores], end: str
) -> Transcript:
    """One story of an item to one of several ends, and all that others see of it."""
    ann, bob, dora = ids
    item = put_up(database, ids)
    seen: Transcript = []
    for person, scores in zip(ids, views, strict=True):
        answer(database, item, person, scores)
        seen += looked(database, item, (ann, bob, None))
    if end in ("petition", "undo", "silent"):
        with database.writing() as session:
            workflow.petition(session, bob, item, "More")
        seen += looked(database, item, (ann, bob, None))
    if end == "undo":
        with database.writing() as session:
            workflow.undo(session, bob, item)
    if end == "petition":
        for person, scores in zip((dora, ann, bob), (views[2], views[0], views[1]), strict=True):
            answer(database, item, person, scores)
    if end == "silent":
        answer(database, item, ann, views[0])
        clock.turn(days=8)
        workflow.advance_due(database, item)
    if end == "limit":
        with database.writing() as session:
            workflow.set_limit(session, dora, item, "private")
    if end != "open":
        agree_all(database, item, ids)
    seen += looked(database, item, (ann, bob, None))
    with database.writing() as session:
        told = session.execute(sa.select(schema.outbox.c.kind, schema.outbox.c.payload)).all()
        seen += [str(letter).replace(item, "ITEM") for letter in told]
        session.execute(sa.delete(schema.outbox))
    return seen


def looked(database: Database, item: str, viewers: tuple[int | None, ...]) -> Transcript:
    """Everything some people can read about an item, and their lists and notices."""
    found = []
    for viewer in viewers:
        with database.reading() as session:
            try:
                page = asdict(showing.item_page(session, viewer, item))
                page["can"] = sorted(page["can"])
            except Exception as refusal:
                page = {"refused": type(refusal).__name__}
            found.append(f"{page}".replace(item, "ITEM"))
            if viewer is not None and "refused" not in page:
                view = replace(showing.my_view(session, viewer, item), receipt=None)
                notices = browsing.notifications(session, viewer, 3)
                kinds = [(one.kind, one.actor, one.created) for one in notices if one.item == item]
                found.append(f"{view} {kinds}".replace(item, "ITEM"))
    return found


@pytest.mark.long
@pytest.mark.parametrize("pairs", [30, pytest.param(200, marks=pytest.mark.thorough)])
def test_what_others_see_depends_on_the_outcome_alone(
    worlds: list[tuple[Database, Clock, list[int]]], pairs: int
) -> None:
    random = Random(11)
    ends = ("agree", "petition", "undo", "silent", "limit", "open")
    for number in range(pairs):
        ann, bob, dora, twin = drawn(random)
        end = ends[number % len(ends)]
        first, second = (
            lived(*world, (ann, bob, view), end) for world, view in zip(worlds, (dora, twin), strict=True)
        )
        assert first == second, (number, end)


def test_a_different_outcome_is_seen(worlds: list[tuple[Database, Clock, list[int]]]) -> None:
    everyone, nobody = (5, 5, 4), (0, 0, 0)
    first, second = (
        lived(*world, (everyone, everyone, view), "agree")
        for world, view in zip(worlds, (everyone, nobody), strict=True)
    )
    assert first != second
