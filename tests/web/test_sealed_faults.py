"""The faults that sealing mends, one test each, and what becomes of answers when a process dies."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from tests.web.conftest import Clock, befriend, register
from tests.web.crowd import Crowd
from tests.web.stories import FIRST, SCORED, agree_all, answer, answer_all, four_friends, put_up
from tests.web.test_rounds import Schemer
from tests.web.test_sealed import MONOTONE, dumped, everything_on_disk, receipts_of, trio
from tests.web.test_workflow import page

from entrenous.access import CHOICES
from entrenous.web.rules import decisions, sealing
from entrenous.web.rules.visibility import visible_ids
from entrenous.web.service import befriending, membership, worker, workflow
from entrenous.web.store import audit_trail, schema
from entrenous.web.store.database import Database

EVERYONE, NOBODY = (5, 5, 5), (0, 0, 0)


def test_a_no_is_never_replaced(database: Database, clock: Clock) -> None:
    """Fault 1: "only us" once, a wide standing line, three people join, silence: it stays among the co-owners."""
    schemer = Schemer(database, clock, view=NOBODY)
    with database.writing() as session:
        befriending.set_standing_line(session, schemer.bob, "public", [schemer.ann])
    assert schemer.rounds(4) == ["private"] * 4
    with database.reading() as session:
        assert visible_ids(session, None, [schemer.item]) == set()


def test_a_petition_names_nobody_but_who_asks(crowd: Crowd) -> None:
    """Fault 2: three are for everyone and one for nobody; nothing that a petition shows says which one."""
    crowd.add("ann", "bob", "cleo", "dora")
    crowd.befriend_all("ann", "bob", "cleo", "dora")
    seen = []
    for refusing in ("bob", "cleo"):
        item = crowd.share("ann", "bob", "cleo", "dora", title="The same")
        for who in ("ann", "bob", "cleo", "dora"):
            scores = NOBODY if who == refusing else EVERYONE
            crowd.answer(who, item, dict(zip(SCORED, scores, strict=True)))
        crowd.clients["dora"].post(f"/items/{item}/petition", data={"text": "Think again"})
        texts = [
            crowd.clients[who].get(f"/items/{item}{part}").text.partition("<main")[2]
            for who in ("ann", "dora")
            for part in ("", "/view")
        ]
        texts.append(crowd.stranger.get(f"/v1/items/{item}", headers=crowd.token("dora")).text)
        seen.append([text.replace(item, "ITEM") for text in texts])
    assert seen[0] == seen[1]
    assert not any("above all" in text for text in seen[0])


@pytest.mark.long
@pytest.mark.parametrize("trusted", [False, True])
def test_the_strength_of_a_standing_answer_is_not_there_to_be_worked_out(
    database: Database, clock: Clock, trusted: bool
) -> None:
    """Fault 3: an uploader with a second account learns nothing of who does not let it count, else the line alone.

    All 56 answers that somebody may have in mind end in one of four lines; those of one line look the same for good.
    """
    (target, uploader, helper), _ = trio(database)
    seen: dict[str, set[tuple[str, ...]]] = {choice: set() for choice in CHOICES}
    for line in CHOICES:
        with database.writing() as session:
            befriending.set_standing_line(session, target, line, [uploader] if trusted else [])
        for _again in range(2):
            told = []
            for probe in (EVERYONE, (5, 5, 0), (5, 0, 0), (3, 3, 3), (5, 3, 2)):
                item = put_up(database, [uploader, helper, target])
                answer_all(database, item, {uploader: probe, helper: probe})
                clock.turn(days=8)
                workflow.advance_due(database)
                found = page(database, uploader, item).outcome
                assert found is not None
                told.append(f"{found.choice} {found.agreed} {found.reason}")
            seen[line].add(tuple(told))
    assert all(len(stories) == 1 for stories in seen.values())
    assert len(set.union(*seen.values())) == (4 if trusted else 1)
    with database.reading() as session:
        columns = {column.name for column in schema.standing_lines.c}
        kept = session.execute(sa.select(schema.standing_lines)).one()._mapping
    assert columns == {"person", "line", "confirmed", "possible", "uses"}, "there is no score to steal"
    assert kept["line"] in CHOICES


def test_nothing_agreed_changes_in_silence(crowd: Crowd) -> None:
    """Fault 4: after all agreed, a title that shames is not public, and the others are told and asked."""
    crowd.add("ann", "bob", "eve")
    crowd.befriend_all("ann", "bob", "eve")
    item = crowd.share("ann", "bob", title="A day out")
    for who in ("ann", "bob"):
        crowd.answer(who, item, dict(zip(SCORED, EVERYONE, strict=True)))
    for who in ("ann", "bob"):
        crowd.clients[who].post(f"/items/{item}/do/agree")
    headers = crowd.token("ann")
    assert crowd.stranger.get(f"/items/{item}").status_code == 200
    crowd.clients["ann"].post(f"/items/{item}/edit", data={"title": "Bob is drunk", "description": ""})
    sent = {"title": "Bob is drunk", "description": ""}
    crowd.stranger.put(f"/v1/items/{item}", json=sent, headers=headers)
    crowd.clients["ann"].post(f"/items/{item}/change", data=sent | {"expires": ""})
    for client in (crowd.stranger, crowd.clients["eve"]):
        assert "drunk" not in client.get(f"/items/{item}").text
        assert "drunk" not in client.get("/gallery").text
    bob = crowd.clients["bob"]
    assert "drunk" in bob.get(f"/items/{item}/change").text
    assert "Look at a proposed change" in bob.get("/").text


def test_what_is_gone_for_good_is_gone(either: Database) -> None:
    """Fault 5: once an outcome is in force, no copy of the database holds a score, a salt or a digest of one."""
    ids = four_friends(either)
    item = put_up(either, list(ids.values()))
    answer_all(either, item, {ids[who]: scores for who, scores in FIRST.items()})
    receipts = receipts_of(either, list(ids.values()), item)
    agree_all(either, item, list(ids.values()))
    worker.Worker(either).run_once()
    with either.writing() as session:
        membership.delete_account(session, ids["dora"])
    text = everything_on_disk(either) if either.sqlite else dumped(either)
    assert "commitments" in text, "the scan sees the record"
    for receipt in receipts:
        assert receipt.opening.salt not in text
        for separators in ((",", ":"), (", ", ": ")):
            assert json.dumps(receipt.opening.scores, separators=separators) not in text
    with either.reading() as session:
        assert [(one.same, one.opened) for one in decisions.recompute(session)] == [(True, False)]
        with pytest.raises(sealing.Lost):
            sealing.open_round(session, item, 1)


# --- when processes die ---------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from entrenous.web.delivery import outbox
from entrenous.web.rules import sealing
from entrenous.web.service import worker, workflow
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

address, keys, item, person = sys.argv[1:]
database = Database(Settings(database=address, keys=keys, worker=False))
{patch}
with database.writing() as session:
    workflow.agree(session, int(person), item)
{then}
"""
DEATHS = {
    "after the commit": ("", "die()"),
    "before the key is destroyed": ("sealing.destroy = die", "worker.Worker(database).run_once()"),
    "after the key is destroyed": (
        "sealing.boxes.remove_boxes = die",
        "worker.Worker(database).run_once()",
    ),
}


@pytest.mark.faults
@pytest.mark.parametrize("death", DEATHS)
def test_killed_between_the_decision_and_its_job_the_key_goes_after_the_restart(
    either: Database, process_environment: dict[str, str], death: str
) -> None:
    ids = list(four_friends(either).values())
    item = put_up(either, ids)
    answer_all(either, item, dict.fromkeys(ids, (5, 4, 1)))
    agree_all(either, item, ids[:3])
    salts = [receipt.opening.salt for receipt in receipts_of(either, ids, item)]
    patch, then = DEATHS[death]
    program = KILLED.format(patch=patch, then=then)
    place = [either.settings.database, either.settings.keys, item, str(ids[3])]
    died = subprocess.run(
        [sys.executable, "-c", program, *place], env=process_environment, capture_output=True, check=False
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert page(either, ids[0], item).state == "active"
    if death == "after the key is destroyed":
        assert either.keys.key_of(item, 1) is None
    else:
        assert either.keys.key_of(item, 1) is not None
    either.clock.turn(minutes=10)  # type: ignore[attr-defined]
    restarted = Database(either.settings, clock=either.clock)
    worker.Worker(restarted).run_once()
    assert restarted.keys.key_of(item, 1) is None
    with restarted.reading() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(schema.answers)) == 0
        assert all(one.same for one in decisions.recompute(session))
        assert audit_trail.verify(session) > 0
    restarted.close()
    text = everything_on_disk(either) if either.sqlite else dumped(either)
    assert not any(salt in text for salt in salts)


def test_an_answer_given_by_a_program_cannot_be_guessed_from_its_reply(crowd: Crowd) -> None:
    """What is kept to repeat a reply is keyed: all answers there are, tried against the database, fit none."""
    import hashlib

    crowd.add("ann", "bob")
    crowd.befriend_all("ann", "bob")
    item = crowd.share("ann", "bob")
    headers = crowd.token("bob") | {"Idempotency-Key": "easy to guess"}
    sent = {"scores": dict(zip(SCORED, (5, 4, 1), strict=True))}
    path = f"/v1/items/{item}/view"
    for _ in range(2):
        assert crowd.stranger.put(path, json=sent, headers=headers).status_code == 200
    other = {"scores": dict(zip(SCORED, (5, 4, 2), strict=True))}
    assert crowd.stranger.put(path, json=other, headers=headers).status_code == 422
    with crowd.database.reading() as session:
        kept = set(session.scalars(sa.select(schema.replies.c.fingerprint)))
    assert len(kept) == 1
    bodies: list[dict[str, Any]] = [
        {"scores": dict(zip(SCORED, scores, strict=True)), "limit": limit, "named": named}
        for scores, limit, named in itertools.product(MONOTONE, (None, *CHOICES), (True, False))
    ]
    guesses = {
        hashlib.sha256(json.dumps(["PUT", path, body], sort_keys=True).encode()).hexdigest()
        for body in bodies
    }
    assert not kept & guesses


# --- what joins, limits and circles do ------------------------------------------------------------------------


def test_a_limit_of_ones_own_does_not_mislead_the_meter(database: Database, clock: Clock) -> None:
    (target, uploader, helper), _ = trio(database)
    with database.writing() as session:
        befriending.set_standing_line(session, target, "public", [uploader])
    item = put_up(database, [uploader, helper, target])
    with database.writing() as session:
        workflow.set_limit(session, target, item, "friends")
    answer_all(database, item, {uploader: EVERYONE, helper: EVERYONE})
    clock.turn(days=8)
    workflow.advance_due(database)
    with database.reading() as session:
        line = befriending.standing_line(session, target)
    assert line is not None
    assert befriending.known_lines(line) == CHOICES[1:], "at least friends; the limit hides the rest"


OPTIONS = ("private", *SCORED)


@pytest.mark.parametrize(
    ("scores", "choice"),
    [
        ((0, 0, 5, 5), "private"),
        ((5, 5, 0, 5), "friends"),
        ((0, 0, 0, 5), "private"),
        ((0, 0, 3, 0), "private"),
    ],
)
def test_who_joins_where_audiences_stand_side_by_side_is_asked_about_each(
    database: Database, clock: Clock, scores: tuple[int, ...], choice: str
) -> None:
    """A wide audience accepted says nothing about a narrower one, so what stands has to suit the joiner itself."""
    ann, bob, cleo = register(database, "ann", "bob", "cleo")
    for one, other in itertools.combinations((ann, bob, cleo), 2):
        befriend(database, one, other)
    item = put_up(database, [ann, bob], method="oo")
    view = dict(zip(OPTIONS, (0, 5, 0, 0), strict=True))
    for person in (ann, bob):
        with database.writing() as session:
            workflow.answer(session, person, item, view)
    assert page(database, ann, item).outcome.choice == "friends"  # type: ignore[union-attr]
    with database.writing() as session:
        workflow.tag(session, ann, item, [cleo])
    with database.writing() as session:
        workflow.answer_tag(session, cleo, item, accept=True)
        workflow.answer(session, cleo, item, dict(zip(OPTIONS, scores, strict=True)))
    clock.turn(days=8)
    workflow.advance_due(database)
    found = page(database, ann, item).outcome
    assert found is not None
    assert (found.round, found.choice) == (2, choice)
    with database.reading() as session:
        assert [(one.same, one.opened) for one in decisions.recompute(session)] == [(True, True)] * 2


def test_what_stood_is_checked_while_its_key_lives(database: Database, clock: Clock) -> None:
    """A record of a round that somebody did not answer cannot be made wider, digest, audit and all."""
    schemer = Schemer(database, clock)
    schemer.rounds(2)
    with database.reading() as session:
        assert [one.same for one in decisions.recompute(session)] == [True, True]
        kept = session.scalar(sa.select(schema.decisions.c.record).where(schema.decisions.c.round == 2))
    forged = json.dumps(json.loads(str(kept)) | {"choice": "public"}, sort_keys=True, separators=(",", ":"))
    digest = decisions._digest(forged)
    with database.writing() as session:
        here = schema.decisions.c.round == 2
        session.execute(
            sa.update(schema.decisions).where(here).values(record=forged, digest=digest, choice="public")
        )
        session.execute(sa.update(schema.items).values(choice="public"))
        audit_trail.record(session, "decided", actor=None, item=schemer.item, round=2, digest=digest)
    with database.reading() as session:
        assert [one.same for one in decisions.recompute(session)] == [True, False]


def test_the_limit_of_who_joined_holds_at_once_where_circles_decide(database: Database, clock: Clock) -> None:
    ann, bob, cleo = register(database, "ann", "bob", "cleo")
    (eve,) = register(database, "eve")
    for one, other in itertools.combinations((ann, bob, cleo, eve), 2):
        befriend(database, one, other)
    item = put_up(database, [ann, bob], method="circles")
    for person in (ann, bob):
        with database.writing() as session:
            workflow.answer(session, person, item, {"Strangers": 5})
    with database.writing() as session:
        workflow.tag(session, ann, item, [cleo])
        for name in ("Family", "Work"):
            circle = befriending.create_circle(session, cleo, name)
            befriending.set_members(session, cleo, circle.id, [eve])
    with database.writing() as session:
        workflow.answer_tag(session, cleo, item, accept=True)
        workflow.answer(session, cleo, item, {"Family": 5, "Strangers": 5, "Work": 5})
    clock.turn(days=8)  # ann and bob are silent: the first outcome stands, as far as cleo goes along
    workflow.advance_due(database)
    agree_all(database, item, [ann, bob, cleo])

    def seen() -> bool:
        with database.reading() as session:
            return visible_ids(session, eve, [item]) == {item}

    assert seen()
    for limit in (["Strangers"], ["Family"]):  # eve is in a circle beyond the second one, too
        with database.writing() as session:
            workflow.set_limit(session, cleo, item, limit)
        assert not seen()
    with database.writing() as session:
        workflow.set_limit(session, cleo, item, None)
    worker.Worker(database).run_once()
    assert seen(), "both rounds are still asked"
    assert database.keys.key_of(item, 1) is not None


def test_where_circles_decide_a_round_that_was_replaced_is_destroyed(
    database: Database, clock: Clock
) -> None:
    ann, bob = register(database, "ann", "bob")
    befriend(database, ann, bob)
    item = put_up(database, [ann, bob], method="circles")
    for score in (0, 5):
        for person in (ann, bob):
            with database.writing() as session:
                workflow.answer(session, person, item, {"Strangers": score})
        if not score:
            with database.writing() as session:
                workflow.petition(session, ann, item, "More")
    agree_all(database, item, [ann, bob])
    worker.Worker(database).run_once()
    assert [database.keys.key_of(item, round_) is None for round_ in (1, 2)] == [True, False]
    with database.reading() as session:
        assert visible_ids(session, None, [item]) == {item}
        assert [(one.same, one.opened) for one in decisions.recompute(session)] == [
            (True, False),
            (True, True),
        ]


@pytest.mark.parametrize("leaves", [False, True])
def test_two_thirds_hold_while_four_decide(database: Database, clock: Clock, leaves: bool) -> None:
    """A vote that was offered to four counts everybody once there are three, also if somebody left meanwhile."""
    ids = list(four_friends(database).values())
    for person in ids:
        for friend in ids:
            if person != friend:
                with database.writing() as session:
                    befriending.listen(session, person, friend, 0)
    item = put_up(database, ids, vote={"rule": "majority", "theta": 0.66})
    if leaves:
        with database.writing() as session:
            membership.delete_account(session, ids[3])
    voters = ids[:3] if leaves else ids
    answer_all(database, item, {one: NOBODY if one == ids[2] else EVERYONE for one in voters})
    found = page(database, ids[0], item)
    assert found.outcome is not None
    assert found.outcome.choice == ("private" if leaves else "public")
    assert (found.vote or {})["rule"] == ("consensus" if leaves else "majority")


def test_who_joins_makes_four_and_two_thirds_count(database: Database, clock: Clock) -> None:
    ids = list(four_friends(database).values())
    for person, friend in itertools.permutations(ids, 2):
        with database.writing() as session:
            befriending.listen(session, person, friend, 0)
    item = put_up(database, ids[:3], vote={"rule": "majority", "theta": 0.66})
    answer_all(database, item, {ids[0]: EVERYONE, ids[1]: EVERYONE, ids[2]: NOBODY})
    assert page(database, ids[0], item).outcome.choice == "private"  # type: ignore[union-attr]
    with database.writing() as session:
        workflow.tag(session, ids[0], item, [ids[3]])
    with database.writing() as session:
        workflow.answer_tag(session, ids[3], item, accept=True)
    answer_all(database, item, {one: NOBODY if one == ids[2] else EVERYONE for one in ids})
    assert page(database, ids[0], item).outcome.choice == "public"  # type: ignore[union-attr]


def test_a_standing_line_ticks_nothing(database: Database, clock: Clock) -> None:
    """An open round in which somebody's line spoke stays sealed: a line cannot tick."""
    ids, _ = trio(database)
    with database.writing() as session:
        befriending.set_standing_line(session, ids[2], "friends", [ids[0]])
    item = put_up(database, ids, may_be_open=True)
    for person in ids[:2]:
        answer(database, item, person, EVERYONE, named=True)
    clock.turn(days=8)
    workflow.advance_due(database)
    found = page(database, ids[0], item).outcome
    assert found is not None
    assert (found.choice, found.named) == ("friends", None)


def test_names_point_the_right_way(database: Database) -> None:
    """Only those are named whose other answer could have led further, never those who wanted more already."""
    ids = list(four_friends(database).values())
    for person, friend in itertools.permutations(ids, 2):
        with database.writing() as session:
            befriending.listen(session, person, friend, 0)
    for views in ((EVERYONE, EVERYONE, (5, 1, 0), EVERYONE), (EVERYONE, (5, 1, 0), (5, 1, 0), EVERYONE)):
        item = put_up(database, ids, may_be_open=True)
        for person, scores in zip(ids, views, strict=True):
            answer(database, item, person, scores, named=True)
        found = page(database, ids[0], item).outcome
        assert found is not None
        assert found.named is not None
        refusing = [person for person, scores in zip(ids, views, strict=True) if scores != EVERYONE]
        # Two who refuse hold each other up: no answer of one alone leads further.
        assert [who.id for who in found.named] == (refusing if len(refusing) == 1 else [])


def test_a_box_opens_in_its_own_place_alone(database: Database) -> None:
    """A box put into another place, round or item does not open: its place is part of the seal."""
    ids, item = trio(database)
    answer(database, item, ids[0], EVERYONE)
    with database.writing() as session:
        rows = session.execute(sa.select(schema.answers)).all()
        boxes = {row.slot: row.box for row in rows}
        first, second = sorted(boxes)[:2]
        here = sa.and_(schema.answers.c.item == item, schema.answers.c.slot == first)
        session.execute(sa.update(schema.answers).where(here).values(box=boxes[second]))
    with database.reading() as session, pytest.raises(sealing.Lost):
        sealing.open_round(session, item, 1)
    assert len({len(box) for box in boxes.values()}) == 1, "silence and an answer have the same length"


@pytest.mark.parametrize("confirmed", [False, True])
def test_a_line_that_was_worked_out_counts_once_it_is_confirmed(
    database: Database, clock: Clock, confirmed: bool
) -> None:
    ids, _ = trio(database)
    with database.writing() as session:
        befriending.set_standing_line(session, ids[2], "friends", [ids[0]])
        session.execute(sa.update(schema.standing_lines).values(confirmed=False))
    if confirmed:
        with database.writing() as session:
            befriending.set_standing_line(session, ids[2], "friends")
    item = put_up(database, ids)
    answer_all(database, item, dict.fromkeys(ids[:2], EVERYONE))
    clock.turn(days=8)
    workflow.advance_due(database)
    found = page(database, ids[0], item).outcome
    assert found is not None
    assert found.choice == ("friends" if confirmed else "private")


def test_the_limit_of_who_left_goes_on_holding_and_is_nobodys(database: Database) -> None:
    ids, _ = trio(database)
    item = put_up(database, ids, anchor="any")
    answer_all(database, item, dict.fromkeys(ids, EVERYONE))
    with database.writing() as session:
        workflow.set_limit(session, ids[2], item, "friends")
    agree_all(database, item, ids)
    with database.writing() as session:
        membership.delete_account(session, ids[2])
        cap = session.scalar(sa.select(schema.items.c.cap).where(schema.items.c.id == item))
        limits = session.scalars(sa.select(schema.owners.c.limit).where(schema.owners.c.item == item)).all()
    assert (cap, set(limits)) == ("friends", {None})
    assert page(database, ids[0], item).audience == "friends"


def test_a_limit_to_circles_holds_on_when_they_are_gone(database: Database) -> None:
    ids, _ = trio(database)
    (eve,) = register(database, "eve")
    for friend in ids:
        befriend(database, friend, eve)
    item = put_up(database, ids, method="circles")
    with database.writing() as session:
        befriending.create_circle(session, ids[2], "Family")
    for person in ids:
        family = {"Family": 5} if person == ids[2] else {}
        with database.writing() as session:
            workflow.answer(session, person, item, {"Strangers": 5, **family})
    with database.writing() as session:
        workflow.set_limit(session, ids[2], item, ["Family"])
    agree_all(database, item, ids)
    with database.writing() as session:
        membership.delete_account(session, ids[2])
    with database.writing() as session:
        workflow.petition(session, ids[0], item, "Further?")
    for person in ids[:2]:
        with database.writing() as session:
            workflow.answer(session, person, item, {"Strangers": 5})
    agree_all(database, item, ids[:2])
    assert page(database, ids[0], item).state == "active"
    with database.reading() as session:
        assert visible_ids(session, eve, [item]) == set(), "answered by all who are left"
    assert page(database, ids[0], item).audience == "private"


@pytest.mark.parametrize("end", ["withdrawn", "expired"])
def test_where_circles_decide_answers_go_when_it_is_no_longer_shown(
    database: Database, clock: Clock, end: str
) -> None:
    ann, bob = register(database, "ann", "bob")
    befriend(database, ann, bob)
    item = put_up(database, [ann, bob], method="circles", expires=clock() + timedelta(days=3))
    for person in (ann, bob):
        with database.writing() as session:
            workflow.answer(session, person, item, {"Strangers": 5})
    agree_all(database, item, [ann, bob])
    worker.Worker(database).run_once()
    assert database.keys.key_of(item, 1) is not None, "every viewer is decided for anew"
    if end == "withdrawn":
        with database.writing() as session:
            workflow.withdraw(session, ann, item)
    clock.turn(**({"minutes": 11} if end == "withdrawn" else {"days": 4}))
    worker.Worker(database).run_once()
    assert database.keys.key_of(item, 1) is None


def test_a_limit_set_later_does_not_tell_whose_it_is(crowd: Crowd) -> None:
    handles = ("ann", "bob", "cleo")
    crowd.add(*handles)
    crowd.befriend_all(*handles)
    headers, seen = crowd.token("ann"), []
    for limiting in ("bob", "cleo"):
        item = crowd.share(*handles, title="The same")
        for who in handles:
            crowd.answer(who, item, dict(zip(SCORED, EVERYONE, strict=True)))
        for who in handles:
            crowd.clients[who].post(f"/items/{item}/do/agree")
        crowd.clients[limiting].post(f"/items/{item}/limit", data={"limit": "friends"})
        page = crowd.clients["ann"].get(f"/items/{item}").text.partition("<main")[2]
        told = crowd.stranger.get("/v1/notifications", headers=headers).json()
        kinds = [(one["kind"], one["actor"]) for one in told if one["item"] == item]
        texts = [page, crowd.stranger.get(f"/v1/items/{item}", headers=headers).text, str(kinds)]
        seen.append([text.replace(item, "ITEM") for text in texts])
    assert seen[0] == seen[1]
    assert "Friends" in seen[0][0], "the limit is seen, not whose"
