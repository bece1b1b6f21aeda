"""Ways to take an account over, or to keep its owner out, that an attacker tried: none of them works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from tests.web.conftest import Clock, confirm_address
from tests.web.crowd import Crowd
from tests.web.posting import Post, at
from tests.web.serving import PASSWORD
from tests.web.test_passkeys import named, phone

from entrenous.web.delivery import account_mail
from entrenous.web.http.limits import LIMITS
from entrenous.web.identity import keyring, passwords
from entrenous.web.service import membership
from entrenous.web.service.accounts import forgotten
from entrenous.web.store import credentials, persons, schema
from entrenous.web.store.database import Database

NEW = "another sentence to remember"


@pytest.fixture
def people(post: Post) -> Post:
    """Ann has confirmed her address, bob and cleo have none; who runs the service is somebody else."""
    post.crowd.add("runs", "ann", "bob", "cleo", password_hash=passwords.hash_password(PASSWORD))
    with post.crowd.database.writing() as session:
        confirm_address(session, post.crowd.ids["ann"], "ann@example.org")
    return post


# --- stolen sessions ----------------------------------------------------------------------------------------


def test_a_session_that_is_not_fresh_plants_nothing_that_outlives_it(people: Post, clock: Clock) -> None:
    """A webhook goes on telling, an administrator stays one, a token acts, and an address gets the next reset."""
    crowd, runs = people.crowd, people.crowd.clients["runs"]
    acts = (
        ("/account/tokens", {"name": "planted", "scope": "read"}, "/account"),
        ("/account/profile", {"name": "Runs", "email": "thief@example.org"}, "/account"),
        ("/account/webhooks", {"url": "https://example.org/hook", "event": "view_needed"}, "/account"),
        (f"/admin/people/{crowd.ids['bob']}/administrator", {"do": "appoint"}, "/admin"),
    )
    clock.turn(minutes=keyring.FRESH_MINUTES)
    for path, form, back in acts:
        answer = runs.post(path, data=form, follow_redirects=False)
        assert answer.headers["location"] == f"/account/confirm?next={back}"
    with crowd.database.reading() as session:
        assert membership.webhooks(session, crowd.ids["runs"]) == ()
        assert credentials.tokens_of(session, crowd.ids["runs"]) == ()
        me = membership.person(session, crowd.ids["runs"])
        assert me is not None
        assert (me.email, me.claimed) == (None, None)
        assert [one.handle for one in persons.administrators(session)] == ["runs"]
    runs.post("/account/confirm", data={"password": PASSWORD})
    for path, form, _ in acts:
        assert runs.post(path, data=form).status_code == 200
    with crowd.database.reading() as session:
        assert len(membership.webhooks(session, crowd.ids["runs"])) == 1
        assert len(credentials.tokens_of(session, crowd.ids["runs"])) == 1
        assert [one.handle for one in persons.administrators(session)] == ["bob", "runs"]


def meanwhile(monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[], None]) -> None:
    """Let something happen while a password waits to be hashed, once."""
    work: Callable[..., Any] = getattr(passwords, name)

    def wait(*given: Any) -> Any:
        monkeypatch.setattr(passwords, name, work)
        act()
        return work(*given)

    monkeypatch.setattr(passwords, name, wait)


def reset(database: Database, person: int) -> None:
    hashed = passwords.hash_password(NEW)
    database.write(lambda session: forgotten.change_password(session, person, hashed))


def test_a_password_that_is_replaced_while_it_is_checked_begins_no_session(
    people: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who knows the old one could stand in line until it is replaced, and be inside after all were signed out."""
    crowd, thief = people.crowd, people.crowd.client()
    meanwhile(monkeypatch, "password_fits", lambda: reset(crowd.database, crowd.ids["ann"]))
    answer = thief.post("/sign-in", data={"login": "ann", "password": PASSWORD}, follow_redirects=False)
    assert answer.status_code == 401
    assert "entrenous" not in thief.cookies
    with crowd.database.reading() as session:
        query = sa.select(sa.func.count()).where(schema.sessions.c.person == crowd.ids["ann"])
        assert session.scalar(query) == 0
    answer = thief.post("/sign-in", data={"login": "ann", "password": NEW}, follow_redirects=False)
    assert answer.status_code == 303


def test_somebody_suspended_while_a_password_is_checked_is_not_let_in_later(
    people: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd, ids = people.crowd, people.crowd.ids

    def suspend(suspended: bool) -> None:
        crowd.database.write(
            lambda session: membership.suspend(session, ids["runs"], ids["bob"], suspended=suspended)
        )

    meanwhile(monkeypatch, "password_fits", lambda: suspend(True))
    bob = crowd.client()
    assert bob.post("/sign-in", data={"login": "bob", "password": PASSWORD}).status_code == 401
    suspend(False)
    assert bob.get("/account", follow_redirects=False).status_code == 303


def test_a_password_is_not_replaced_by_a_session_that_ended_meanwhile(
    people: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thief who knows the old password would put their own over the one the owner has just chosen by mail."""
    crowd = people.crowd
    meanwhile(monkeypatch, "hash_password", lambda: reset(crowd.database, crowd.ids["ann"]))
    form = {"current": PASSWORD, "password": "the sentence of a thief"}
    answer = crowd.clients["ann"].post("/account/password", data=form, follow_redirects=False)
    assert answer.headers["location"].startswith("/sign-in")
    codes = [
        crowd.client().post("/sign-in", data={"login": "ann", "password": word}, follow_redirects=False)
        for word in (form["password"], PASSWORD, NEW)
    ]
    assert [one.status_code for one in codes] == [401, 401, 303]


def test_an_address_that_a_thief_entered_is_not_confirmed_after_the_owner_came_back(people: Post) -> None:
    """Else the thief, put out by a new password, would confirm it, ask for a reset there, and own the account."""
    crowd, ann = people.crowd, people.crowd.clients["ann"]
    for way in ("reset", "change"):
        ann.post("/account/profile", data={"name": "Ann", "email": "thief@example.org"})
        planted = people.link("thief@example.org")
        if way == "reset":
            crowd.client().post("/forgot", data={"login": "ann"})
            ann.get(people.link("ann@example.org"))
            ann.post("/reset", data={"password": NEW})
            ann.post("/sign-in", data={"login": "ann", "password": NEW})
        else:
            assert "has to be entered again" in ann.get("/account").text
            ann.post("/account/password", data={"current": NEW, "password": PASSWORD})
        thief = crowd.client()
        assert thief.get(planted).status_code == 404
        assert thief.post("/confirm").status_code == 404
        with crowd.database.reading() as session:
            me = membership.person(session, crowd.ids["ann"])
        assert me is not None
        assert (me.email, me.claimed) == ("ann@example.org", None)
    people.deliver()
    crowd.client().post("/forgot", data={"login": "thief@example.org"})
    assert people.deliver() == []


# --- passkeys -----------------------------------------------------------------------------------------------


@pytest.fixture
def pair(database: Database) -> Crowd:
    return named(database)


def test_the_service_keeps_the_public_half_of_a_passkey_alone(pair: Crowd) -> None:
    device = phone(pair)
    assert isinstance(device.key, ec.EllipticCurvePrivateKey)
    numbers = device.key.private_numbers()
    with pair.database.reading() as session:
        (row,) = session.execute(sa.select(schema.passkeys))
    kept = cbor.decode(row.public_key)
    assert kept == {
        1: 2,
        3: -7,
        -1: 1,
        -2: numbers.public_numbers.x.to_bytes(32, "big"),
        -3: numbers.public_numbers.y.to_bytes(32, "big"),
    }
    pair.database.close()
    folder = Path(pair.settings.database.removeprefix("sqlite:///")).parent
    everything = b"".join(file.read_bytes() for file in folder.glob("service.db*"))
    assert row.public_key in everything
    assert numbers.private_value.to_bytes(32, "big") not in everything


def test_who_lost_the_only_passkey_gets_in_by_a_link(pair: Crowd) -> None:
    phone(pair)
    assert "Your password is gone" in pair.clients["ann"].post("/account/password/remove").text
    browser, wrong = pair.client(), {"login": "ann", "password": PASSWORD}
    assert browser.post("/sign-in", data=wrong).status_code == 401
    link = pair.database.write(lambda session: forgotten.reset_link(session, "ann"))
    browser.get(link.replace(pair.database.settings.address, ""))
    browser.post("/reset", data={"password": NEW})
    answer = browser.post("/sign-in", data={"login": "ann", "password": NEW}, follow_redirects=False)
    assert answer.status_code == 303


# --- counts that strangers could use up ---------------------------------------------------------------------


def test_strangers_who_ask_for_resets_do_not_keep_the_owner_from_one(people: Post, clock: Clock) -> None:
    """Five mails a day were all there were: who asked for five at midnight locked the owner out until the next."""
    crowd = people.crowd
    for hour in range(30):
        for place in range(4):
            at(crowd, f"198.51.100.{place}").post("/forgot", data={"login": "ann"})
        mails = people.deliver()
        assert len(mails) == account_mail.MOST_RESETS, hour
        clock.turn(minutes=59)
        at(crowd, "192.0.2.9").post("/forgot", data={"login": "ann@example.org"})
        if hour < 29:
            people.deliver()
        clock.turn(minutes=1)
    at(crowd, "192.0.2.9").post("/forgot", data={"login": "ann@example.org"})
    browser = crowd.client()
    assert browser.get(people.link("ann@example.org")).status_code == 200
    assert browser.post("/reset", data={"password": NEW}, follow_redirects=False).status_code == 303


def test_who_is_sent_no_further_reset_has_one_that_works(people: Post, clock: Clock) -> None:
    crowd = people.crowd
    for _ in range(9):
        at(crowd, "198.51.100.1").post("/forgot", data={"login": "ann"})
    sent = people.link("ann@example.org")
    clock.turn(minutes=59)
    crowd.client().post("/forgot", data={"login": "ann"})
    assert people.deliver() == []
    assert crowd.client().get(sent).status_code == 200


def test_who_claims_an_address_does_not_keep_its_owner_from_confirming_it(people: Post) -> None:
    """Links for others' accounts used up the five a day of an address; each account has its own count now."""
    bob, cleo = people.crowd.clients["bob"], people.crowd.clients["cleo"]
    cleo.post("/account/profile", data={"name": "Cleo", "email": "bob@example.org"})
    for _ in range(12):
        cleo.post("/account/address")
    assert len(people.deliver()) == account_mail.MOST_CLAIMS
    bob.post("/account/profile", data={"name": "Bob", "email": "bob@example.org"})
    people.crowd.stranger.get(people.link("bob@example.org"))
    people.crowd.stranger.post("/confirm")
    with people.crowd.database.reading() as session:
        assert persons.owner_of_address(session, "bob@example.org") == people.crowd.ids["bob"]


def test_all_who_claim_an_address_together_do_not_fill_its_mailbox(people: Post) -> None:
    names = [f"person{place}" for place in range(account_mail.MOST_CLAIMS_OF_ALL + 3)]
    people.crowd.add(*names)
    for name in names:
        people.crowd.clients[name].post("/account/profile", data={"name": "P", "email": "x@example.org"})
    assert len(people.deliver()) == account_mail.MOST_CLAIMS_OF_ALL


@pytest.mark.parametrize("path", ["/reset/" + "x" * 43, "/confirm/" + "x" * 43, "/sign-in/provider"])
def test_what_another_site_shows_uses_up_no_count_of_its_reader(crowd: Crowd, path: str) -> None:
    """A page full of such pictures would keep whoever looks at it from opening their own link for an hour."""
    here = at(crowd, "192.0.2.1")
    limit = next(one for route, one in LIMITS.items() if route.startswith(f"GET /{path.split('/')[1]}/"))
    for dest in ("image", "iframe", "empty", "script") * (limit.most // 4 + 1):
        sent = {"sec-fetch-site": "cross-site", "sec-fetch-dest": dest}
        answer = here.get(path, headers=sent, follow_redirects=False)
        assert answer.status_code == 404
        assert "set-cookie" not in answer.headers
    opened = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}  # such as from webmail
    assert here.get(path, headers=opened, follow_redirects=False).status_code == 303


@pytest.mark.parametrize("path", ["/sign-in", "/register", "/v1/items", "/nothing"])
@pytest.mark.parametrize(
    "charset", ["charset=punycode", 'charset="IDNA"', "charset=unicode_escape", "CHARSET=utf-16"]
)
def test_no_form_is_decoded_as_it_wishes(crowd: Crowd, path: str, charset: str) -> None:
    """A field of a megabyte in Punycode took 22 seconds of the event loop, for anybody, without an account."""
    body = b'--x\r\ncontent-disposition: form-data; name="login"\r\n\r\n' + b"a" * 10_000 + b"\r\n--x--\r\n"
    sent = {"content-type": f"multipart/form-data; boundary=x; {charset}"}
    answer = crowd.client().post(path, content=body, headers=sent)
    assert answer.status_code == 415
    assert answer.json()["detail"] == "Expected a form in UTF-8; send it without another charset."
    sent = {"content-type": "multipart/form-data; boundary=x; charset=UTF-8"}
    assert crowd.client().post(path, content=body, headers=sent).status_code in (401, 404, 422)


# --- what is left behind ------------------------------------------------------------------------------------


def test_a_letter_that_waits_for_somebody_goes_with_them(people: Post) -> None:
    """A reset that could not be sent yet holds the name or address that was typed."""
    crowd = people.crowd
    for login in ("ann", "ann@example.org", "bob"):
        crowd.client().post("/forgot", data={"login": login})
    crowd.database.write(lambda session: membership.delete_account(session, crowd.ids["ann"]))
    with crowd.database.reading() as session:
        left = [row.payload["login"] for row in session.execute(sa.select(schema.outbox))]
    assert left == ["bob"]
