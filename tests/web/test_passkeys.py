"""Passkeys: the right one signs in, and nothing else does."""

from __future__ import annotations

import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tests.web.authenticator import Authenticator, decoded, encoded
from tests.web.conftest import Clock
from tests.web.crowd import Crowd
from tests.web.posting import at
from tests.web.serving import PASSWORD

from entrenous.web import store
from entrenous.web.identity import keyring, passkeys, passwords
from entrenous.web.identity.passkeys import PasskeyRefused, RelyingParty
from entrenous.web.rules.refusals import Conflict
from entrenous.web.service import membership
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database
from entrenous.web.store.schema import audit, logins
from entrenous.web.store.schema import passkeys as table
from entrenous.web.store.signing_in import public_keys

ORIGIN = "http://localhost:8000"
PARTY = RelyingParty("localhost", ORIGIN)
REFUSED = "/sign-in?next=%2F&done=passkey-refused"


def named(database: Database) -> Crowd:
    """A service that is reached by a name, with ann, who has a password, and bob, who has none."""
    crowd = Crowd(database, replace(database.settings, address=ORIGIN))
    crowd.add("ann", password_hash=passwords.hash_password(PASSWORD))
    crowd.add("bob")
    return crowd


@pytest.fixture
def pair(database: Database) -> Crowd:
    return named(database)


def ask(client: TestClient, purpose: str) -> Any:
    answer = client.post("/passkeys/options", data={"purpose": purpose})
    assert answer.status_code == 200, answer.text
    return answer.json()["publicKey"]


def add(client: TestClient, device: Authenticator, name: str = "phone", **lies: Any) -> Any:
    sent = {"credential": device.create(ask(client, "add"), **lies), "name": name}
    return client.post("/account/passkeys", data=sent)


def sign_in(client: TestClient, device: Authenticator, go_on: str = "/", **lies: Any) -> Any:
    sent = {"credential": device.get(ask(client, "sign-in"), **lies), "next": go_on}
    return client.post("/sign-in/passkey", data=sent, follow_redirects=False)


def phone(crowd: Crowd, handle: str = "ann", **about: Any) -> Authenticator:
    """Return a device whose passkey signs somebody in."""
    device = Authenticator(ORIGIN, **about)
    assert "From now on this passkey signs you in" in add(crowd.clients[handle], device).text
    return device


def numbers(crowd: Crowd, handle: str) -> list[int]:
    with crowd.database.reading() as session:
        return [one.id for one in public_keys.passkeys_of(session, crowd.ids[handle])]


def actions(crowd: Crowd) -> list[tuple[str, int | None, str]]:
    with crowd.database.reading() as session:
        rows = session.execute(sa.select(audit).where(audit.c.action.like("pass%")).order_by(audit.c.number))
        return [(row.action, row.actor, row.details) for row in rows]


# --- the right one ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("curve", ["p256", "ed25519"])
def test_a_passkey_signs_in_without_a_name_being_typed(either: Database, curve: str) -> None:
    """Fault 6: there was no passkey."""
    crowd = named(either)
    device = phone(crowd, curve=curve, backed_up=True)
    page = crowd.clients["ann"].get("/account/passkeys").text
    assert "<strong><bdi>phone</bdi></strong>" in page
    assert "backed up" in page
    assert "not used yet" in page
    answer = sign_in(crowd.stranger, device, "/friends")
    assert (answer.status_code, answer.headers["location"]) == (303, "/friends")
    assert "Hello, Ann" in crowd.stranger.get("/").text
    assert "last used" in crowd.clients["ann"].get("/account/passkeys").text
    assert sign_in(crowd.client(), device).headers["location"] == "/", "and once more"


def test_what_a_browser_is_asked(pair: Crowd) -> None:
    device = phone(pair)
    asked = ask(pair.clients["ann"], "add")
    chosen = asked["authenticatorSelection"]
    assert (chosen["residentKey"], chosen["userVerification"]) == ("required", "required")
    assert chosen["requireResidentKey"] is True
    assert asked["rp"]["id"] == "localhost"
    assert asked["user"]["name"] == "ann"
    assert decoded(asked["user"]["id"]) == device.user_handle, "all passkeys of a person know one user"
    assert [one["id"] for one in asked["excludeCredentials"]] == [encoded(device.credential)]
    asked = ask(pair.stranger, "sign-in")
    assert asked["userVerification"] == "required"
    assert not asked.get("allowCredentials"), "whoever asks learns nothing about who has passkeys"
    assert len(decoded(asked["challenge"])) == 32
    assert asked["challenge"] != ask(pair.stranger, "sign-in")["challenge"]


def test_several_passkeys_have_names_and_each_signs_in(pair: Crowd) -> None:
    one, other = phone(pair), Authenticator(ORIGIN, counts=False)
    add(pair.clients["ann"], other, "key on my ring")
    page = pair.clients["ann"].get("/account/passkeys").text
    assert page.index("phone") < page.index("key on my ring")
    for device in (one, other, other):
        assert sign_in(pair.client(), device).headers["location"] == "/"


def test_tabs_of_one_browser_do_not_disturb_each_other(pair: Crowd) -> None:
    device = phone(pair)
    first = ask(pair.stranger, "sign-in")
    ask(pair.stranger, "sign-in")
    sent = {"credential": device.get(first)}
    assert (
        pair.stranger.post("/sign-in/passkey", data=sent, follow_redirects=False).headers["location"] == "/"
    )


def test_signing_in_gives_a_new_session_and_goes_nowhere_else(pair: Crowd) -> None:
    device = phone(pair)
    pair.stranger.cookies.set("entrenous", "planted-by-somebody-else")
    answer = sign_in(pair.stranger, device, "//evil.example")
    assert answer.headers["location"] == "/"
    secret = re.search(r"entrenous=([^;]+)", answer.headers["set-cookie"])
    assert secret is not None
    assert secret[1] != "planted-by-somebody-else"


# --- nothing else -------------------------------------------------------------------------------------------

LIES = {
    "another origin": {"origin": "http://localhost:8001"},
    "another site": {"origin": "https://localhost.evil.example"},
    "another service": {"rp_id": "evil.example"},
    "another challenge": {"challenge": encoded(b"x" * 32)},
    "no challenge": {"challenge": ""},
    "another kind of answer": {"type": "payment.get"},
    "a frame of another site": {"cross_origin": True},
    "nobody was there": {"present": False},
    "nobody was checked": {"verified": False},
}


@pytest.mark.parametrize(
    "lie", [*LIES.values(), {"tampered": True}, {"user_handle": None}, {"raw_id": b"x" * 32}]
)
def test_a_lie_signs_nobody_in(pair: Crowd, lie: dict[str, Any]) -> None:
    device = phone(pair)
    refused = sign_in(pair.stranger, device, **lie)
    assert (refused.status_code, refused.headers["location"]) == (303, REFUSED)
    assert "set-cookie" not in refused.headers
    assert "did not sign you in" in pair.stranger.get(REFUSED).text
    assert "Hello" not in pair.stranger.get("/").text
    assert sign_in(pair.stranger, device).headers["location"] == "/", "the passkey itself is fine"


@pytest.mark.parametrize(
    "lie",
    [*LIES.values(), {"algorithm": -257}, {"algorithm": -35}, {"raw_id": b"x" * 32}, {"credential": b""}],
)
def test_a_lie_adds_no_passkey(pair: Crowd, lie: dict[str, Any]) -> None:
    refused = add(pair.clients["ann"], Authenticator(ORIGIN), **lie)
    assert refused.status_code == 422
    assert "This passkey was not accepted" in refused.text
    assert numbers(pair, "ann") == []


def test_every_refusal_reads_the_same(pair: Crowd) -> None:
    """Whether a passkey is unknown, belongs to somebody suspended, or lies: the answer is one and the same."""
    device, suspended = phone(pair), phone(pair, "bob")
    with pair.database.writing() as session:
        membership.suspend(session, pair.ids["ann"], pair.ids["bob"], suspended=True)
    answers = [
        sign_in(pair.client(), Authenticator(ORIGIN, user_handle=b"u" * 32)),
        sign_in(pair.client(), suspended),
        sign_in(pair.client(), device, tampered=True),
        sign_in(pair.client(), device, count=0),
        pair.client().post("/sign-in/passkey", data={"credential": "nonsense"}, follow_redirects=False),
        pair.client().post("/sign-in/passkey", follow_redirects=False),
    ]
    seen = {(one.status_code, one.content, tuple(sorted(one.headers.items()))) for one in answers}
    assert len(seen) == 1


def test_an_answer_counts_once(pair: Crowd) -> None:
    device = phone(pair)
    sent = {"credential": device.get(ask(pair.stranger, "sign-in"))}

    def send() -> str:
        answer = pair.stranger.post("/sign-in/passkey", data=sent, follow_redirects=False)
        return str(answer.headers["location"])

    assert [send(), send()] == ["/", REFUSED]


def test_a_refused_answer_uses_up_its_challenge(pair: Crowd) -> None:
    device = phone(pair)
    asked = ask(pair.stranger, "sign-in")
    for lie, place in (({"tampered": True}, REFUSED), ({}, REFUSED)):
        sent = {"credential": device.get(asked, **lie)}
        answer = pair.stranger.post("/sign-in/passkey", data=sent, follow_redirects=False)
        assert answer.headers["location"] == place


def test_an_answer_counts_in_the_browser_that_was_asked(pair: Crowd) -> None:
    device = phone(pair)
    sent = {"credential": device.get(ask(pair.stranger, "sign-in"))}
    other = pair.client()
    assert other.post("/sign-in/passkey", data=sent, follow_redirects=False).headers["location"] == REFUSED
    ask(other, "sign-in")  # a cookie of its own does not help
    assert other.post("/sign-in/passkey", data=sent, follow_redirects=False).headers["location"] == REFUSED
    assert (
        pair.stranger.post("/sign-in/passkey", data=sent, follow_redirects=False).headers["location"] == "/"
    )


def test_a_challenge_is_gone_after_minutes(pair: Crowd, clock: Clock) -> None:
    device = phone(pair)
    for minutes, place in ((keyring.CHALLENGE_MINUTES - 1, "/"), (keyring.CHALLENGE_MINUTES, REFUSED)):
        client = pair.client()
        asked = ask(client, "sign-in")
        cookie = client.cookies["entrenous-passkey"]
        clock.turn(minutes=minutes)
        client.cookies.set("entrenous-passkey", cookie)
        sent = {"credential": device.get(asked)}
        assert client.post("/sign-in/passkey", data=sent, follow_redirects=False).headers["location"] == place
    with pair.database.writing() as session:
        clock.turn(minutes=1)
        store.credentials.purge(session)
        assert session.scalar(sa.select(sa.func.count()).select_from(logins)) == 0


@pytest.mark.parametrize(("asked_for", "used_for"), [("confirm", "sign-in"), ("sign-in", "confirm")])
def test_an_answer_counts_for_what_was_asked(pair: Crowd, asked_for: str, used_for: str) -> None:
    device, ann = phone(pair), pair.clients["ann"]
    path = {"sign-in": "/sign-in/passkey", "confirm": "/account/confirm/passkey"}[used_for]
    answer = ann.post(path, data={"credential": device.get(ask(ann, asked_for))}, follow_redirects=False)
    assert answer.status_code == 422 or answer.headers["location"] == REFUSED
    other = {"sign-in": "/account/confirm/passkey", "confirm": "/sign-in/passkey"}[used_for]
    sent = {"credential": device.get(ask(ann, asked_for))}
    assert ann.post(other, data=sent, follow_redirects=False).headers["location"] in ("/", "/account")


def test_a_passkey_that_exists_twice_is_refused_and_noted(pair: Crowd) -> None:
    device = phone(pair)
    for count, place in ((5, "/"), (5, REFUSED), (4, REFUSED), (0, REFUSED), (6, "/")):
        assert sign_in(pair.client(), device, count=count).headers["location"] == place
    noted = [action for action, *_ in actions(pair)]
    assert noted == ["passkey_added", "passkey_used", *["passkey_refused"] * 3, "passkey_used"]
    assert "it exists twice" in pair.clients["ann"].get("/history").text


def test_only_a_signature_makes_a_count_worth_noting(pair: Crowd) -> None:
    device = phone(pair)
    sign_in(pair.stranger, device, count=0, tampered=True)
    assert "passkey_refused" not in [action for action, *_ in actions(pair)]


def test_nobody_signs_in_with_a_passkey_as_somebody_else(pair: Crowd) -> None:
    ann, bob = phone(pair), phone(pair, "bob")
    assert sign_in(pair.stranger, bob, user_handle=ann.user_handle).headers["location"] == REFUSED
    assert sign_in(pair.stranger, bob, raw_id=ann.credential).headers["location"] == REFUSED
    assert sign_in(pair.stranger, bob, raw_id=ann.credential, user_handle=ann.user_handle).headers[
        "location"
    ] == (REFUSED)
    assert sign_in(pair.stranger, bob).headers["location"] == "/"
    assert "Hello, Bob" in pair.stranger.get("/").text


def test_a_known_passkey_is_not_added_again(pair: Crowd) -> None:
    device = phone(pair)
    thief = Authenticator(ORIGIN, credential=device.credential)
    assert add(pair.clients["bob"], thief).status_code == 422
    assert sign_in(pair.client(), device).headers["location"] == "/"


def test_who_left_or_was_locked_out_stays_out(pair: Crowd) -> None:
    device, ann = phone(pair, "bob"), pair.ids["ann"]
    for suspended, place in ((True, REFUSED), (False, "/")):
        with pair.database.writing() as session:
            membership.suspend(session, ann, pair.ids["bob"], suspended=suspended)
        assert sign_in(pair.client(), device).headers["location"] == place
    with pair.database.writing() as session:
        membership.delete_account(session, pair.ids["bob"])
        assert session.scalar(sa.select(sa.func.count()).select_from(table)) == 0
    assert sign_in(pair.client(), device).headers["location"] == REFUSED


def test_attempts_are_counted_for_an_address_or_its_network(pair: Crowd) -> None:
    """Of IPv6 the /64 counts, which is what one customer gets: another address in it is no way around."""
    places = [at(pair, f"2001:db8::{number:x}") for number in range(1, 102)]
    codes = [one.post("/sign-in/passkey", follow_redirects=False).status_code for one in places]
    assert codes == [303] * 100 + [429]
    asked = {"purpose": "sign-in"}
    assert places[0].post("/passkeys/options", data=asked).status_code == 200, "asking is counted apart"
    elsewhere = at(pair, "2001:db8:1::1").post("/sign-in/passkey", follow_redirects=False)
    assert elsewhere.status_code == 303
    refused = pair.client().post("/sign-in", data={"login": "x", "password": "y"})
    assert refused.status_code == 401, "whoever tries passkeys keeps nobody from their password"


# --- stolen sessions and last ways --------------------------------------------------------------------------


def confirm(client: TestClient, password: str = PASSWORD) -> Any:
    form = {"password": password, "next": "/account/passkeys"}
    return client.post("/account/confirm", data=form, follow_redirects=False)


def test_a_session_that_is_not_fresh_changes_no_way_to_sign_in(pair: Crowd, clock: Clock) -> None:
    device, ann = phone(pair), pair.clients["ann"]
    (number,) = numbers(pair, "ann")
    made = Authenticator(ORIGIN)
    asked = ask(ann, "add")
    cookie = ann.cookies["entrenous-passkey"]
    clock.turn(minutes=keyring.FRESH_MINUTES)
    ann.cookies.set("entrenous-passkey", cookie)
    stale = [
        ann.post("/account/passkeys", data={"credential": made.create(asked)}, follow_redirects=False),
        ann.post(f"/account/passkeys/{number}/end", follow_redirects=False),
        ann.post("/account/password/remove", follow_redirects=False),
    ]
    assert {one.headers["location"] for one in stale} == {"/account/confirm?next=/account/passkeys"}
    assert ann.post("/passkeys/options", data={"purpose": "add"}).status_code == 403
    page = ann.get("/account/passkeys").text
    assert "confirm that it is you" in page
    assert "Remove<" not in page
    assert numbers(pair, "ann") == [number]
    assert "This is not your password" in confirm(ann, "wrong as it is").text
    assert ann.post(f"/account/passkeys/{number}/end", follow_redirects=False).status_code == 303
    assert numbers(pair, "ann") == [number], "a wrong password proves nothing"
    assert confirm(ann).headers["location"] == "/account/passkeys"
    ann.post(f"/account/passkeys/{number}/end")
    assert numbers(pair, "ann") == []
    assert sign_in(pair.client(), device).headers["location"] == REFUSED


def test_a_passkey_of_ones_own_confirms(pair: Crowd, clock: Clock) -> None:
    device, stranger, bob = phone(pair, "bob"), phone(pair), pair.clients["bob"]
    clock.turn(minutes=keyring.FRESH_MINUTES)
    asked = ask(bob, "confirm")
    assert [one["id"] for one in asked["allowCredentials"]] == [encoded(device.credential)]
    wrong = bob.post("/account/confirm/passkey", data={"credential": stranger.get(asked)})
    assert wrong.status_code == 422
    assert bob.post("/passkeys/options", data={"purpose": "add"}).status_code == 403
    sent = {"credential": device.get(ask(bob, "confirm"), user_handle=None), "next": "/account/passkeys"}
    assert "A new passkey" in bob.post("/account/confirm/passkey", data=sent).text


def test_a_confirmation_is_for_the_session_that_was_asked(pair: Crowd, clock: Clock) -> None:
    device, laptop = phone(pair), pair.client()
    sign_in(laptop, device)
    clock.turn(minutes=keyring.FRESH_MINUTES)
    ann = pair.clients["ann"]
    sent = {"credential": device.get(ask(ann, "confirm"))}
    laptop.cookies.set("entrenous-passkey", ann.cookies["entrenous-passkey"])
    assert laptop.post("/account/confirm/passkey", data=sent).status_code == 422
    assert laptop.post("/passkeys/options", data={"purpose": "add"}).status_code == 403


def test_guessing_at_a_confirmation_is_counted(pair: Crowd) -> None:
    ann = pair.clients["ann"]
    assert [confirm(ann, "x").status_code for _ in range(11)] == [422] * 10 + [429]


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/account/password", {"password": "another sentence"}),
        ("/account/delete", {"handle": "bob"}),
    ],
)
def test_without_a_password_the_account_page_wants_a_fresh_session(
    pair: Crowd, clock: Clock, path: str, form: dict[str, str]
) -> None:
    """Whoever has no password was asked nothing: a stolen session could set one and stay."""
    clock.turn(minutes=keyring.FRESH_MINUTES)
    refused = pair.clients["bob"].post(path, data=form, follow_redirects=False)
    assert refused.headers["location"] == "/account/confirm?next=/account"
    with pair.database.reading() as session:
        person = membership.person(session, pair.ids["bob"])
    assert person is not None
    assert not person.has_password


def test_a_session_that_is_not_fresh_makes_no_token(pair: Crowd, clock: Clock) -> None:
    """A token is a key that outlives its session."""
    ann, wanted = pair.clients["ann"], {"name": "script", "scope": ["read", "answers"], "days": "7"}
    clock.turn(minutes=keyring.FRESH_MINUTES)
    refused = ann.post("/account/tokens", data=wanted, follow_redirects=False)
    assert refused.headers["location"] == "/account/confirm?next=/account"
    with pair.database.reading() as session:
        assert store.credentials.tokens_of(session, pair.ids["ann"]) == ()
    confirm(ann)
    assert "Your new token" in ann.post("/account/tokens", data=wanted).text


def test_a_session_that_is_not_fresh_connects_no_provider(database: Database, clock: Clock) -> None:
    provider = {"oidc_name": "Sample", "oidc_issuer": "http://127.0.0.1:9", "oidc_client": "x"}
    crowd = Crowd(database, replace(database.settings, **provider))
    crowd.add("ann")
    clock.turn(minutes=keyring.FRESH_MINUTES)
    refused = crowd.clients["ann"].post("/account/link", follow_redirects=False)
    assert refused.headers["location"] == "/account/confirm?next=/account"


def test_an_account_lives_with_passkeys_alone_and_keeps_the_last(pair: Crowd) -> None:
    device, ann = phone(pair), pair.clients["ann"]
    elsewhere = pair.client()
    sign_in(elsewhere, device)
    assert "Your password is gone" in ann.post("/account/password/remove").text
    assert "Hello" not in elsewhere.get("/").text, "other sessions end"
    wrong = pair.client().post("/sign-in", data={"login": "ann", "password": PASSWORD})
    assert wrong.status_code == 401
    (number,) = numbers(pair, "ann")
    refused = ann.post(f"/account/passkeys/{number}/end")
    assert refused.status_code == 422
    assert "the only way you can sign in" in refused.text
    assert sign_in(pair.client(), device).headers["location"] == "/"
    second = Authenticator(ORIGIN)
    add(ann, second, "second")
    assert "Removed here" in ann.post(f"/account/passkeys/{number}/end").text
    assert sign_in(pair.client(), device).headers["location"] != "/", "it opens nothing any more"
    assert sign_in(pair.client(), second).headers["location"] == "/"
    assert "Saved." in ann.post("/account/password", data={"password": "another sentence"}).text
    (number,) = numbers(pair, "ann")
    assert "Removed here" in ann.post(f"/account/passkeys/{number}/end").text, "the password is left"


def test_without_a_passkey_the_password_stays(pair: Crowd) -> None:
    refused = pair.clients["ann"].post("/account/password/remove")
    assert (refused.status_code, "Add a passkey first" in refused.text) == (422, True)
    assert pair.clients["bob"].post("/account/password/remove").status_code == 404, "there is none"


def test_a_passkey_for_another_name_is_no_way_in(pair: Crowd) -> None:
    device, ann = phone(pair), pair.ids["ann"]
    moved = RelyingParty("share.example.org", "https://share.example.org")
    with pytest.raises(Conflict, match="only way"), pair.database.writing() as session:
        keyring.remove_password(session, ann, party=moved)
    with pair.database.reading() as session:
        assert public_keys.lock_public_key(session, encoded(device.credential), moved.id) is None
        assert keyring._known(session, moved, ann) == []


def test_a_providers_account_is_a_way_in_where_there_is_that_provider(pair: Crowd) -> None:
    phone(pair, "bob")
    bob, (number,) = pair.ids["bob"], numbers(pair, "bob")
    with pair.database.writing() as session:
        store.credentials.link_identity(session, bob, "https://provider.example", "person-1")
    for issuer in (None, "https://other.example"):
        with pytest.raises(Conflict, match="only way"), pair.database.writing() as session:
            keyring.remove(session, bob, number, party=PARTY, issuer=issuer)
    with pair.database.writing() as session:
        keyring.remove(session, bob, number, party=PARTY, issuer="https://provider.example")


def test_two_removals_at_once_leave_one_way_in(either: Database) -> None:
    crowd = named(either)
    phone(crowd, "bob")
    phone(crowd, "bob")
    bob = crowd.ids["bob"]

    def remove(number: int) -> bool:
        try:
            either.write(lambda session: keyring.remove(session, bob, number, party=PARTY, issuer=None))
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(remove, numbers(crowd, "bob")))
    assert sorted(done) == [False, True]
    assert len(numbers(crowd, "bob")) == 1


def test_nobody_removes_anothers_passkey(pair: Crowd) -> None:
    phone(pair)
    (number,) = numbers(pair, "ann")
    assert pair.clients["bob"].post(f"/account/passkeys/{number}/end").status_code == 404
    assert pair.clients["bob"].post("/account/passkeys/999/end").status_code == 404
    assert numbers(pair, "ann") == [number]


def test_there_is_a_most(pair: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring, "MOST_PASSKEYS", 1)
    phone(pair)
    assert "Remove one before you add another" in add(pair.clients["ann"], Authenticator(ORIGIN)).text


@pytest.mark.parametrize("name", ["", "x" * 81, "a\nb"])
def test_a_name_is_checked(pair: Crowd, name: str) -> None:
    assert add(pair.clients["ann"], Authenticator(ORIGIN), name).status_code == 422
    assert numbers(pair, "ann") == []


# --- what is kept and shown ---------------------------------------------------------------------------------


def test_events_have_no_content(pair: Crowd) -> None:
    device, ann = phone(pair), pair.clients["ann"]
    sign_in(pair.stranger, device)
    ann.post("/account/password/remove")
    add(ann, Authenticator(ORIGIN), "second")
    ann.post(f"/account/passkeys/{numbers(pair, 'ann')[0]}/end")
    names = ["passkey_added", "passkey_used", "password_removed", "passkey_added", "passkey_removed"]
    assert actions(pair) == [(name, pair.ids["ann"], "{}") for name in names]


def test_the_database_keeps_no_challenge(pair: Crowd) -> None:
    asked = ask(pair.stranger, "sign-in")
    pair.database.close()
    folder = Path(pair.settings.database.removeprefix("sqlite:///")).parent
    kept = b"".join(file.read_bytes() for file in folder.glob("service.db*"))
    for secret in (asked["challenge"], pair.stranger.cookies["entrenous-passkey"]):
        assert secret.encode() not in kept
        assert decoded(secret) not in kept


def test_the_cookie_is_for_this_service_alone(database: Database) -> None:
    secure = Crowd(database, replace(database.settings, address="https://share.example.org"))
    cookie = secure.stranger.post("/passkeys/options", data={"purpose": "sign-in"}).headers["set-cookie"]
    assert cookie.startswith("__Host-entrenous-passkey=")
    assert {"HttpOnly", "Secure", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))


def test_own_data_has_own_passkeys(pair: Crowd) -> None:
    phone(pair)
    (kept,) = pair.clients["ann"].get("/my-data").json()["passkeys"]
    assert (kept["name"], kept["transports"], kept["backed_up"]) == ("phone", ["hybrid", "internal"], False)
    assert "public_key" not in kept
    assert pair.clients["bob"].get("/my-data").json()["passkeys"] == []


def test_other_sites_cannot_ask(pair: Crowd) -> None:
    for path in ("/passkeys/options", "/sign-in/passkey", "/account/passkeys", "/account/confirm"):
        answer = pair.clients["ann"].post(path, headers={"sec-fetch-site": "cross-site"})
        assert answer.status_code == 403
    assert pair.stranger.post("/passkeys/options", data={"purpose": "nonsense"}).status_code == 404
    for purpose in ("add", "confirm"):
        away = pair.stranger.post("/passkeys/options", data={"purpose": purpose}, follow_redirects=False)
        assert away.headers["location"] == "/sign-in?next=/"


@pytest.mark.parametrize(
    ("address", "party"),
    [
        ("https://share.example.org", RelyingParty("share.example.org", "https://share.example.org")),
        (
            "https://Share.Example.org:8443/x",
            RelyingParty("share.example.org", "https://share.example.org:8443"),
        ),
        ("https://münchen.example", RelyingParty("xn--mnchen-3ya.example", "https://xn--mnchen-3ya.example")),
        ("http://localhost:8000", PARTY),
        ("http://share.localhost", RelyingParty("share.localhost", "http://share.localhost")),
        ("http://share.example.org", None),
        ("http://127.0.0.1:8000", None),
        ("https://192.0.2.7", None),
        ("https://[2001:db8::1]", None),
        ("https://1.2.3", None),
        ("https://a..b", None),
        ("https://x:99999", None),
    ],
)
def test_passkeys_need_a_name_and_a_safe_connection(address: str, party: RelyingParty | None) -> None:
    assert RelyingParty.at(address) == party


def test_an_address_without_a_name_says_why_there_are_no_passkeys(crowd: Crowd) -> None:
    crowd.add("ann")
    page = crowd.clients["ann"].get("/account/passkeys").text
    assert "Passkeys work only where the service is reached by a name and over https" in page
    assert "data-passkey" not in page
    assert "passkey" not in crowd.stranger.get("/sign-in").text
    for path in ("/passkeys/options", "/sign-in/passkey", "/account/passkeys", "/account/confirm/passkey"):
        assert crowd.clients["ann"].post(path, data={"purpose": "sign-in"}).status_code == 404


def test_pages_say_what_to_do_without_scripts(pair: Crowd) -> None:
    phone(pair)
    for client, path in (
        (pair.stranger, "/sign-in"),
        (pair.clients["ann"], "/account/passkeys"),
        (pair.clients["ann"], "/account/confirm"),
    ):
        page = client.get(path).text
        assert re.search(r"<noscript><p[^>]*>[^<]* needs JavaScript\.", page), path
        assert re.search(r"<form [^>]*data-passkey[^>]* hidden>", page), "shown by the script"
        assert "<script>" not in page
    assert 'href="/account/passkeys"' in pair.clients["ann"].get("/account").text


# --- answers of all kinds -----------------------------------------------------------------------------------


@cache
def sample() -> tuple[Authenticator, bytes, str, str]:
    """Return a device, its public key, a challenge, and a good answer to it."""
    device, challenge = Authenticator(ORIGIN), passkeys.new_challenge()
    asked = passkeys.creation_options(
        PARTY, challenge, user_handle=passkeys.new_user_handle(), handle="ann", name="Ann", known=()
    )
    made = passkeys.check_attestation(PARTY, challenge, device.create(asked["publicKey"]))
    answer = device.get(passkeys.request_options(PARTY, challenge)["publicKey"])
    return device, made.public_key, challenge, answer


def check(answer: str) -> passkeys.Asserted:
    device, public_key, challenge, _ = sample()
    return passkeys.check_assertion(
        PARTY, challenge, answer, credential=encoded(device.credential), public_key=public_key
    )


@pytest.mark.long
@given(part=st.sampled_from(["clientDataJSON", "authenticatorData", "signature"]), data=st.data())
def test_no_bit_of_an_answer_can_be_changed(part: str, data: st.DataObject) -> None:
    answer = json.loads(sample()[3])
    assert check(json.dumps(answer)).sign_count == 2
    content = bytearray(decoded(answer["response"][part]))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    answer["response"][part] = encoded(bytes(content))
    with pytest.raises(PasskeyRefused):
        check(json.dumps(answer))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=8), part, max_size=3),
    max_leaves=8,
)


READERS = (
    passkeys.challenge_in,
    passkeys.credential_in,
    check,
    lambda answer: passkeys.check_attestation(PARTY, sample()[2], answer),
)


@pytest.mark.long
@given(
    answer=st.text(max_size=60) | JSON.map(json.dumps),
    name=st.sampled_from(["id", "rawId", "type", "clientDataJSON", "authenticatorData", "signature"]),
    value=JSON,
)
def test_nonsense_is_refused_and_breaks_nothing(answer: str, name: str, value: Any) -> None:
    changed = json.loads(sample()[3])
    (changed["response"] if name in changed["response"] else changed)[name] = value
    for read in READERS:
        with pytest.raises(PasskeyRefused):
            read(answer)
        with suppress(PasskeyRefused):  # not every reader looks at every part
            read(json.dumps(changed))


@pytest.mark.parametrize("answer", ["[" * 15_000, "x" * 30_000, "{}", "", '{"response": []}', "1" * 5000])
def test_large_and_deep_nonsense_is_refused(answer: str) -> None:
    for read in READERS:
        with pytest.raises(PasskeyRefused):
            read(answer)


def test_settings_are_those_of_the_service(settings: Settings, tmp_path: Path, migrated: Path) -> None:
    """The origin is the address in the settings, whatever a request says its host is."""
    shutil.copy(migrated, tmp_path / "service.db")
    database = Database(replace(settings, address=ORIGIN))
    crowd = named(database)
    device = phone(crowd)
    asked = ask(crowd.stranger, "sign-in")
    sent = {"credential": device.get(asked, origin="http://evil.example")}
    answer = crowd.stranger.post(
        "/sign-in/passkey", data=sent, headers={"host": "evil.example"}, follow_redirects=False
    )
    assert answer.headers["location"] == REFUSED
    database.close()
