"""Who leaves is gone from every table: a walk through all of them, also those that lists are read from."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from tests.web.conftest import Clock
from tests.web.crowd import Crowd

from entrenous.web.identity.backoff import keys_of_try
from entrenous.web.service import befriending, export, membership, proposals, worker, workflow
from entrenous.web.store import schema
from entrenous.web.store.database import Database
from entrenous.web.store.lists import list_tables
from entrenous.web.store.lists.touched import settle_all
from entrenous.web.store.signing_in import sign_in_tables

WORDS = ("quagga", "okapi", "bongo", "gerenuk", "dikdik", "kudu", "nyala", "eland")
"""Handle, name, address, circle, title, petition, browser and proposed words of who leaves."""

VIEW = {"friends": 5, "friends-of-friends": 5, "public": 5}


def about(database: Database, person: int) -> set[str]:
    """The columns that hold a person's number, by their references and by their names."""
    found = set()
    with database.reading() as session:
        for table in schema.metadata.sorted_tables:
            for column in table.c:
                refers = column.references(schema.people.c.id) or column.name in ("actor", "subject")
                if refers and session.scalar(sa.select(sa.exists().where(column == person))):
                    found.add(f"{table.name}.{column.name}")
    return found


def cells(database: Database) -> list[tuple[str, str]]:
    """All that stands in any column of any table, as text."""
    found = []
    with database.reading() as session:
        for table in schema.metadata.sorted_tables:
            for row in session.execute(sa.select(table)):
                found += [(f"{table.name}.{name}", _text(value)) for name, value in row._mapping.items()]
    return found


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1").lower()
    return (value if isinstance(value, str) else json.dumps(value, default=str)).lower()


def live(crowd: Crowd, clock: Clock) -> None:
    """Let somebody leave traces in every table there is."""
    crowd.add("run", "ann", "bob", "quagga")
    crowd.befriend_all("run", "ann", "bob", "quagga")
    me, ann, bob = (crowd.ids[who] for who in ("quagga", "ann", "bob"))
    api = crowd.token("quagga") | {"idempotency-key": "one"}
    shared = [crowd.share("ann", title=f"Shared {number}") for number in range(3)]
    own = crowd.share("quagga", title="My dikdik")
    with crowd.database.writing() as session:
        session.execute(
            sa.update(schema.people)
            .where(schema.people.c.id == me)
            .values(name="Okapi", email="bongo@x.example")
        )
        circle = befriending.create_circle(session, me, "Gerenuk")
        befriending.set_members(session, me, circle.id, [ann])
        theirs = befriending.create_circle(session, ann, "Close")
        befriending.set_members(session, ann, theirs.id, [me])
        befriending.set_standing_line(session, me, "friends", [ann])
        membership.add_webhook(session, me, "http://127.0.0.1:9/quagga", ["active"])
        sign_in_traces(session, me, clock)
    for item in shared:
        with crowd.database.writing() as session:
            workflow.tag(session, ann, item, [me, bob])
        for person in (me, bob):
            with crowd.database.writing() as session:
                workflow.answer_tag(session, person, item, accept=True)
    for item in shared[:2]:
        for person in (ann, bob, me):
            with crowd.database.writing() as session:
                view = VIEW | ({"public": 0} if person == bob else {})
                workflow.answer(
                    session, person, item, view, limit="friends" if person == me else workflow.KEEP
                )
        for person in (ann, bob, me):
            with crowd.database.writing() as session:
                workflow.agree(session, person, item)
    with crowd.database.writing() as session:
        workflow.petition(session, me, shared[1], "A kudu asks for more")
        proposals.propose(session, me, shared[0], title="An eland")
        proposals.propose(session, ann, shared[2], title="Another day")
    crowd.stranger.post("/sign-in", data={"login": "quagga", "password": "wrong as can be"})
    crowd.clients["quagga"].post("/friends", data={"handle": "nobody-here"})
    answer = crowd.clients["quagga"].put(f"/v1/items/{own}/limit", headers=api, json={"limit": "friends"})
    assert answer.status_code == 200, answer.text
    program = crowd.token("ann") | {"idempotency-key": "two"}
    sent = {"name": "Family", "members": [me]}
    answer = crowd.clients["ann"].post("/v1/circles", headers=program, json=sent)
    assert answer.status_code == 201, answer.text
    assert "quagga" in answer.text, "an answer that is kept to be repeated names its members"
    crowd.clients["ann"].post("/friends", data={"handle": "quagga"})


def sign_in_traces(session: Any, me: int, clock: Clock) -> None:
    moment = clock()
    session.execute(
        sa.insert(sign_in_tables.devices).values(
            person=me, secret_hash="d" * 64, agent="Nyala", created=moment, seen=moment
        )
    )
    session.execute(
        sa.insert(sign_in_tables.one_time_links).values(
            secret_hash="l" * 64,
            kind="reset",
            person=me,
            address="bongo@x.example",
            expires=moment + timedelta(1),
        )
    )
    session.execute(
        sa.insert(schema.identities).values(issuer="https://x.example", subject="quagga", person=me)
    )
    session.execute(
        sa.insert(schema.passkeys).values(
            person=me,
            credential="quagga",
            public_key=b"key",
            user_handle="quagga",
            rp_id="x.example",
            sign_count=0,
            name="Nyala",
            transports=[],
            backed_up=False,
            created=moment,
        )
    )
    other = session.scalar(sa.select(schema.people.c.id).where(schema.people.c.handle == "run"))
    session.execute(sa.insert(schema.friend_requests).values(asker=me, asked=other, created=moment))


REFERRING = {
    f"{table.name}.{column.name}"
    for table in schema.metadata.sorted_tables
    for column in table.c
    if column.references(schema.people.c.id)
} - {"friend_requests.asked", "items.originator"}


def test_nothing_of_who_leaves_stays_in_any_table(crowd: Crowd, clock: Clock) -> None:
    live(crowd, clock)
    me, database = crowd.ids["quagga"], crowd.database
    before = about(database, me)
    assert before >= REFERRING, "every table with people in it held this one; a new table belongs into `live`"
    words = {word for word in WORDS if any(word in text for _, text in cells(database))}
    assert words == set(WORDS), "the search finds what there is"
    tries = keys_of_try("quagga", "testclient", None)
    with database.reading() as session:
        assert set(session.scalars(sa.select(sign_in_tables.attempts.c.key))) >= tries.keys()
    with database.writing() as session:
        membership.delete_account(session, me)
    worker.Worker(database).run_once()
    assert about(database, me) == set()
    left = [(place, text) for place, text in cells(database) if any(word in text for word in WORDS)]
    assert left == []
    account = [key for key in keys_of_try("quagga", "elsewhere", None) if key in tries]
    with database.reading() as session:
        kept = set(session.scalars(sa.select(sign_in_tables.attempts.c.key)))
    assert account
    assert not kept & set(account), "that somebody tried this name is forgotten with it"


def test_lists_of_the_others_are_as_if_counted_anew_after_somebody_left(crowd: Crowd, clock: Clock) -> None:
    live(crowd, clock)
    database = crowd.database
    with database.writing() as session:
        membership.delete_account(session, crowd.ids["quagga"])
    tables = (list_tables.waiting, list_tables.shelves, list_tables.shown)

    def rows() -> list[Any]:
        with database.reading() as session:
            return [
                sorted(
                    tuple(row)
                    for row in session.execute(sa.select(*(c for c in table.c if c.name != "crew")))
                )
                for table in tables
            ]

    kept = rows()
    with database.writing() as session:
        settle_all(session)
    assert rows() == kept
    with database.reading() as session:
        used = set(session.scalars(sa.select(list_tables.shown.c.crew))) - {None}
        assert set(session.scalars(sa.select(list_tables.crews.c.id))) == used


@pytest.mark.parametrize("who", ["ann", "run"])
def test_the_others_read_their_pages_after_somebody_left(crowd: Crowd, clock: Clock, who: str) -> None:
    live(crowd, clock)
    with crowd.database.writing() as session:
        membership.delete_account(session, crowd.ids["quagga"])
    for path in (
        "/",
        "/waiting",
        "/mine",
        "/of-me",
        "/gallery",
        "/notifications",
        "/history",
        "/my-data",
        "/friends",
    ):
        answer = crowd.clients[who].get(path)
        assert answer.status_code == 200, path
        assert not any(word in answer.text.lower() for word in WORDS if word != "eland"), path


def test_own_data_hold_all_of_ones_words(crowd: Crowd, clock: Clock) -> None:
    live(crowd, clock)
    with crowd.database.reading() as session:
        data = json.dumps(export.my_data(session, crowd.ids["quagga"]), default=str).lower()
    assert [word for word in WORDS if word not in data] == []
