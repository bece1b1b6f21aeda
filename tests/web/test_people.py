"""People: accounts, friends, circles, standing answers, and who looks after the service."""

from __future__ import annotations

import json

import pytest
from sqlalchemy.exc import IntegrityError
from tests.web.conftest import Clock, befriend, register
from tests.web.stories import FIRST, answer, decided, four_friends, put_up

from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.service import befriending, export, membership, workflow
from entrenous.web.service.accounts import administrators
from entrenous.web.store.database import Database, now
from entrenous.web.store.records import Credentials


def test_an_administrator_looks_after_the_service_and_nobody_else_may(either: Database) -> None:
    ann, bob = register(either, "ann", "bob")
    for nobody_yet in (ann, bob):
        with either.reading() as session, pytest.raises(NotFound):
            membership.everybody(session, nobody_yet)
    with either.writing() as session:
        administrators.appoint(session, ann, actor=None)
    with either.reading() as session:
        assert [person.handle for person in membership.everybody(session, ann)] == ["ann", "bob"]
        assert membership.overview(session, ann).people == 2
        for act in (membership.everybody, membership.overview):
            with pytest.raises(NotFound):
                act(session, bob)
    with pytest.raises(NotFound), either.writing() as session:
        membership.suspend(session, bob, ann, suspended=True)


def test_a_suspended_person_is_signed_out_and_cannot_be_found(database: Database) -> None:
    ann, bob = register(database, "ann", "bob")
    with database.writing() as session:
        administrators.appoint(session, ann, actor=None)
        store.credentials.create_session(session, bob, "hash", now(session).replace(year=2031), "browser")
        store.credentials.create_token(session, bob, "t", "token", ["read"], None)
        assert store.credentials.session_by_hash(session, "hash") is not None
        membership.suspend(session, ann, bob, suspended=True)
    with database.reading() as session:
        assert store.credentials.session_by_hash(session, "hash") is None
        assert store.credentials.token_by_hash(session, "token") is None
        assert membership.find(session, "bob") is None
    with database.writing() as session:
        membership.suspend(session, ann, bob, suspended=False)
        assert store.credentials.token_by_hash(session, "token") is not None


@pytest.mark.parametrize("handle", ["", "a", "-ann", "ann ann", "ann@home", "ä" * 5, "a" * 41, "an\x00n"])
def test_odd_handles_are_refused(database: Database, handle: str) -> None:
    with pytest.raises(ArgumentError, match="handle: expected"), database.writing() as session:
        membership.register(session, handle=handle, name="Ann")


def test_handles_and_confirmed_addresses_are_nobodys_twice(either: Database) -> None:
    """A handle is somebody's at once. An address may be claimed by many, and belongs to who confirmed it."""
    with either.writing() as session:
        membership.register(session, handle="Ann", name="Ann", email="Ann@example.org", confirmed=True)
        bob = membership.register(session, handle="bob", name="Bob", email="ann@EXAMPLE.org")
        assert (bob.email, bob.claimed) == (None, "ann@example.org")
    with pytest.raises(Conflict, match="taken"), either.writing() as session:
        membership.register(session, handle="ann", name="Other")
    with pytest.raises(IntegrityError), either.writing() as session:
        store.persons.update_person(session, bob.id, email="ann@example.org")
    with either.reading() as session:
        assert store.credentials.credentials(session, "ANN@example.org") == store.credentials.credentials(
            session, "ann"
        )


def test_asking_each_other_makes_friends_and_a_refusal_is_not_told(either: Database) -> None:
    ann, bob, cleo = register(either, "ann", "bob", "cleo")
    with either.writing() as session:
        befriending.ask_friend(session, ann, "bob")
    with either.writing() as session:
        befriending.ask_friend(session, bob, " ANN ")
    with either.writing() as session:
        befriending.ask_friend(session, ann, "cleo")
    with either.writing() as session:
        befriending.answer_friend(session, cleo, ann, accept=False)
    with either.reading() as session:
        assert [friend.who.handle for friend in befriending.friends(session, ann)] == ["bob"]
        assert befriending.requests(session, ann) == befriending.requests(session, cleo) == ()
    for handle, code in (("ann", "yourself"), ("bob", "already")):
        with pytest.raises(Conflict) as caught, either.writing() as session:
            befriending.ask_friend(session, ann, handle)
        assert caught.value.code == code


def test_two_who_ask_at_the_same_moment_become_friends_once(either: Database) -> None:
    ann, bob = register(either, "ann", "bob")
    with either.writing() as session:  # as two transactions leave it that do not see each other
        store.friendships.add_friend_request(session, ann, bob, now(session))
        store.friendships.add_friend_request(session, bob, ann, now(session))
    with either.writing() as session:
        befriending.answer_friend(session, ann, bob, accept=True)
        assert befriending.requests(session, bob) == ()
        store.friendships.add_friendship(session, bob, ann, now(session))  # the other's yes, a moment later
        assert [friend.who.id for friend in befriending.friends(session, bob)] == [ann]


@pytest.mark.parametrize(
    "address", ["=?utf-8?q?x=0abcc=3a_v=40e.org?=@example.org", "a@b@example.org", "ann", "a b@example.org"]
)
def test_addresses_that_write_into_a_header_are_none(database: Database, address: str) -> None:
    with pytest.raises(ArgumentError, match="email: expected"), database.writing() as session:
        membership.register(session, handle="ann", name="Ann", email=address)


@pytest.mark.parametrize("name", ["A\nB http://elsewhere.example", "A\u2028B", "A\tB", "A\x00B"])
def test_a_name_is_one_line(database: Database, name: str) -> None:
    with pytest.raises(ArgumentError, match="name: expected"), database.writing() as session:
        membership.register(session, handle="ann", name=name)


def test_listening_needs_a_friend_and_ends_with_the_friendship(database: Database) -> None:
    ann, bob = register(database, "ann", "bob")
    with pytest.raises(NotFound), database.writing() as session:
        befriending.listen(session, ann, bob, 40)
    befriend(database, ann, bob)
    for percent in (-1, 101, True, 0.5):
        with pytest.raises(ArgumentError, match="percent"), database.writing() as session:
            befriending.listen(session, ann, bob, percent)  # type: ignore[arg-type]
    with database.writing() as session:
        befriending.listen(session, ann, bob, 40)
        circle = befriending.create_circle(session, ann, "Lab")
        befriending.set_members(session, ann, circle.id, [bob])
        befriending.end_friendship(session, bob, ann)
    befriend(database, ann, bob)
    with database.reading() as session:
        assert befriending.friends(session, ann)[0].percent == 0
        assert befriending.circles(session, ann)[0].members == ()


def test_circles_are_ones_own(database: Database) -> None:
    ann, bob, far = register(database, "ann", "bob", "far")
    befriend(database, ann, bob)
    with database.writing() as session:
        circle = befriending.create_circle(session, ann, "Lab")
        befriending.rename_circle(session, ann, circle.id, "Labmates")
    with pytest.raises(Conflict, match="only friends"), database.writing() as session:
        befriending.set_members(session, ann, circle.id, [far])
    for act in (befriending.delete_circle, lambda *where: befriending.rename_circle(*where, "Mine")):
        with pytest.raises(NotFound), database.writing() as session:
            act(session, bob, circle.id)
    with pytest.raises(ArgumentError, match="Strangers"), database.writing() as session:
        befriending.create_circle(session, ann, "Strangers")
    with pytest.raises(Conflict), database.writing() as session:
        befriending.create_circle(session, ann, "Labmates")
    with database.writing() as session:
        befriending.delete_circle(session, ann, circle.id)
        assert befriending.circles(session, ann) == ()


def test_my_data_is_all_of_mine_and_nothing_of_others(database: Database) -> None:
    ids = four_friends(database)
    item = decided(database, ids)
    with database.writing() as session:
        workflow.set_limit(session, ids["bob"], item, "friends")
        befriending.set_standing_line(session, ids["bob"], "friends")
    with database.reading() as session:
        mine = export.my_data(session, ids["bob"])
        theirs = export.my_data(session, ids["ann"])
    assert json.loads(json.dumps(mine)) is not None
    view = dict(zip(("friends", "friends-of-friends", "public"), FIRST["bob"], strict=True))
    (kept,) = mine["items"]
    assert (kept["answers"], kept["limit"], "file" in kept) == ({1: view}, "friends", False)
    assert mine["standing_line"]["line"] == "friends"
    assert theirs["items"][0]["limit"] is None
    assert theirs["items"][0]["file"] == f"/items/{item}/file"
    assert theirs["standing_line"] is None
    assert {friend["who"]["handle"]: friend["percent"] for friend in theirs["friends"]} == {
        "bob": 40,
        "cleo": 0,
        "dora": 0,
    }


def test_my_data_holds_also_what_was_refused_withdrawn_or_said_in_earlier_rounds(database: Database) -> None:
    ids = four_friends(database)
    ann, bob, cleo, eve = ids["ann"], ids["bob"], ids["cleo"], *register(database, "eve")
    item = decided(database, ids)
    with database.writing() as session:
        workflow.petition(session, bob, item, "Please")
    answer(database, item, bob, (1, 1, 1))
    declined, claimed = put_up(database, [ann]), put_up(database, [ann])
    answer(database, claimed, ann, (5, 5, 5))
    with database.writing() as session:
        workflow.tag(session, ann, declined, [bob])
        workflow.answer_tag(session, bob, declined, accept=False)
        workflow.claim(session, eve, claimed)
        workflow.answer_claim(session, ann, claimed, eve, accept=False)
        workflow.withdraw(session, ann, item)
    with database.reading() as session:
        bobs, eves, cleos = (export.my_data(session, one)["items"] for one in (bob, eve, cleo))
    shared = next(entry for entry in bobs if entry["item"] == item)
    assert sorted(shared["answers"]) == [1, 2]
    assert shared["agreements"] == [1]
    assert [(one["round"], one["text"]) for one in shared["petitions"]] == [(1, "Please")]
    assert "page" not in shared
    assert {entry["item"]: entry["state"] for entry in bobs}[declined] == "declined"
    assert [(entry["item"], entry["state"]) for entry in eves] == [(claimed, "refused")]
    assert "Please" not in json.dumps(cleos)


def test_who_leaves_takes_along_what_others_said_about_their_things(database: Database) -> None:
    ids = four_friends(database)
    decided(database, ids)
    with database.writing() as session:
        membership.delete_account(session, ids["ann"])
    with database.reading() as session:
        assert export.my_data(session, ids["bob"])["items"] == []


def test_who_was_refused_asks_again_another_day(either: Database, clock: Clock) -> None:
    ann, bob = register(either, "ann", "bob")
    for refuses in (bob, ann):  # refused, and taken back
        with either.writing() as session:
            befriending.ask_friend(session, ann, "bob")
        with either.writing() as session:
            befriending.answer_friend(session, refuses, ann if refuses == bob else bob, accept=False)
        with pytest.raises(Conflict) as caught, either.writing() as session:
            befriending.ask_friend(session, ann, "bob")
        assert caught.value.code == "too_soon"
        clock.turn(days=1)
    with either.writing() as session:
        befriending.ask_friend(session, bob, "ann")  # the other way round is another request


def test_grants_are_those_of_the_access_function(database: Database) -> None:
    ids = four_friends(database)
    eve, _ = register(database, "eve.f", "far")
    for person in ids.values():
        befriend(database, person, eve)
    item = decided(database, ids)
    open_one = put_up(database, [ids["ann"]])
    with database.writing() as session:
        workflow.answer(session, ids["ann"], open_one, {"friends": 5, "friends-of-friends": 5, "public": 5})
    draft = put_up(database, [ids["bob"]])
    with database.reading() as session:
        tuples = list(export.openfga(session))
        lines = list(export.spicedb(session))
    by_item = {
        name: [(entry["relation"], entry["user"]) for entry in tuples if entry["object"] == f"item:{name}"]
        for name in (item, open_one, draft)
    }
    owners = [("owner", f"user:{handle}") for handle in FIRST]
    assert by_item[item] == [*owners, ("viewer", "user:eve.f")]
    assert by_item[open_one] == [("owner", "user:ann"), ("viewer", "user:*")]
    assert by_item[draft] == [("owner", "user:bob")]
    assert f"item:{item}#viewer@user:eve/f" in lines
    assert len(lines) == len(tuples)


def test_ways_of_signing_in_are_kept_apart(either: Database) -> None:
    ann, bob = register(either, "ann", "bob")
    with either.writing() as session:
        ends = now(session).replace(year=2031)
        kept = [store.credentials.create_session(session, ann, f"hash{n}", ends, "browser") for n in range(3)]
        store.credentials.link_identity(session, ann, "https://issuer.example", "subject")
        store.credentials.remember_login(session, "state", {"verifier": "v"}, ends)
    with either.writing() as session:
        assert not store.credentials.revoke_session(session, bob, kept[0])
        assert store.credentials.revoke_session(session, ann, kept[0])
        assert store.credentials.revoke_sessions(session, ann, keep=kept[2]) == 1
        found = store.credentials.credentials_by_identity(session, "https://issuer.example", "subject")
        assert found == Credentials(ann, None, suspended=False)
        assert store.credentials.credentials_by_identity(session, "https://other.example", "subject") is None
        assert store.credentials.take_login(session, "state") == {"verifier": "v"}
        assert store.credentials.take_login(session, "state") is None
    with either.reading() as session:
        assert [one.id for one in store.credentials.sessions_of(session, ann)] == [kept[2]]
