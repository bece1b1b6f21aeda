"""Passwords, sessions, tokens, and signing in with another service that really runs."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from statistics import median
from typing import Any

import httpx2
import pytest
from argon2 import PasswordHasher
from joserfc.jwk import RSAKey
from starlette.testclient import TestClient
from tests.web.crowd import Crowd
from tests.web.provider import CLIENT, SECRET, OpenProvider, providing
from tests.web.serving import PASSWORD

from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.identity import passwords
from entrenous.web.service import membership
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database


@pytest.fixture(scope="module")
def stored() -> str:
    return passwords.hash_password(PASSWORD)


@pytest.fixture
def ann(crowd: Crowd, stored: str) -> Crowd:
    crowd.add("ann", password_hash=stored)
    return crowd


def sign_in(client: TestClient, **fields: str) -> Any:
    return client.post(
        "/sign-in", data={"login": "ann", "password": PASSWORD} | fields, follow_redirects=False
    )


@pytest.mark.long
def test_passwords_are_hashed_with_argon2_and_fit_only_themselves(real_passwords: PasswordHasher) -> None:
    stored = passwords.hash_password(PASSWORD)
    assert real_passwords.memory_cost >= 1 << 16, "RFC 9106, second recommendation"
    assert real_passwords.time_cost >= 3
    assert stored.startswith("$argon2id$")
    assert passwords.password_fits(PASSWORD, stored)
    assert not passwords.password_fits(PASSWORD + "x", stored)
    assert not passwords.password_fits(PASSWORD, "not a hash")
    for wrong in ("short", "x" * 201):
        with pytest.raises(ArgumentError):
            passwords.hash_password(wrong)


def test_signing_in_and_out(ann: Crowd) -> None:
    answer = sign_in(ann.stranger, next="/friends")
    assert (answer.status_code, answer.headers["location"]) == (303, "/friends")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Hello, Ann" in ann.stranger.get("/").text
    secret = ann.stranger.cookies["entrenous"]
    ann.stranger.post("/sign-out")
    ann.stranger.cookies.set("entrenous", secret)
    assert "Hello, Ann" not in ann.stranger.get("/").text


def test_a_wrong_password_an_unknown_and_a_passwordless_person_get_one_answer(ann: Crowd) -> None:
    ann.add("guest")  # signs in with another service only
    answers = [
        sign_in(ann.client(), login=login, password="wrong as it is") for login in ("ann", "nobody", "guest")
    ]
    bodies = {
        answer.text.replace(login, "?")
        for answer, login in zip(answers, ("ann", "nobody", "guest"), strict=True)
    }
    assert {answer.status_code for answer in answers} == {401}
    assert len(bodies) == 1
    assert sign_in(ann.client(), login="ANN").status_code == 303, "names are found in any case"


@pytest.mark.long
@pytest.mark.usefixtures("real_passwords")
def test_an_unknown_name_takes_as_long_as_a_wrong_password() -> None:
    stored = passwords.hash_password(PASSWORD)

    def timed(known: str | None) -> float:
        start = time.process_time()  # of this process: others may be busy
        passwords.password_fits("wrong as it is", known)
        return time.process_time() - start

    pairs = [(timed(stored), timed(None)) for _ in range(5)]
    assert 0.5 < median(known for known, _ in pairs) / median(unknown for _, unknown in pairs) < 2


def test_the_database_keeps_hashes_alone(ann: Crowd) -> None:
    sign_in(ann.stranger)
    headers = ann.token("ann")
    ann.database.close()
    kept = b"".join(file.read_bytes() for file in _files(ann.settings))
    for secret in (PASSWORD, ann.stranger.cookies["entrenous"], headers["authorization"].split()[1]):
        assert secret.encode() not in kept


def _files(settings: Settings) -> Any:
    from pathlib import Path

    return Path(settings.database.removeprefix("sqlite:///")).parent.glob("service.db*")


def test_signing_in_gives_a_new_secret_whatever_was_planted(ann: Crowd) -> None:
    """Session fixation: a cookie chosen by somebody else must not become a session."""
    ann.stranger.cookies.set("entrenous", "planted-by-somebody-else")
    answer = sign_in(ann.stranger)
    secret = re.search(r"entrenous=([^;]+)", answer.headers["set-cookie"])
    assert secret is not None
    assert secret[1] != "planted-by-somebody-else"
    planted = ann.client()
    planted.cookies.set("entrenous", "planted-by-somebody-else")
    assert "Hello, Ann" not in planted.get("/").text


def test_signing_in_again_ends_the_session_before(ann: Crowd) -> None:
    sign_in(ann.stranger)
    before = ann.stranger.cookies["entrenous"]
    sign_in(ann.stranger)
    old = ann.client()
    old.cookies.set("entrenous", before)
    assert "Hello, Ann" not in old.get("/").text


def test_sessions_are_listed_and_ended(ann: Crowd) -> None:
    phone = ann.client()
    sign_in(phone)
    page = ann.clients["ann"].get("/account").text
    assert page.count("Sign out there") == 1
    other = re.search(r"/account/sessions/(\d+)/end", page)
    assert other is not None
    ann.clients["ann"].post(f"/account/sessions/{other[1]}/end")
    assert "Hello, Ann" not in phone.get("/").text
    sign_in(phone)
    ann.clients["ann"].post("/account/sessions/end-others")
    assert "Hello, Ann" not in phone.get("/").text
    assert "Hello, Ann" in ann.clients["ann"].get("/").text


def test_a_new_password_needs_the_old_one_and_ends_other_sessions(ann: Crowd) -> None:
    phone = ann.client()
    sign_in(phone)
    change = {"current": "wrong as it is", "password": "another sentence"}
    assert "not your current password" in ann.clients["ann"].post("/account/password", data=change).text
    assert "Saved." in ann.clients["ann"].post("/account/password", data=change | {"current": PASSWORD}).text
    assert "Hello, Ann" not in phone.get("/").text
    assert sign_in(phone, password="another sentence").status_code == 303


def test_deleting_the_account_needs_the_password(crowd: Crowd, stored: str) -> None:
    crowd.add("runs")
    crowd.add("ann", password_hash=stored)
    ann = crowd
    assert ann.clients["ann"].post("/account/delete", data={"current": "wrong"}).status_code == 422
    assert (
        "Your account is gone" in ann.clients["ann"].post("/account/delete", data={"current": PASSWORD}).text
    )
    assert sign_in(ann.client()).status_code == 401


def test_attempts_are_counted_for_all_processes(ann: Crowd) -> None:
    codes = [sign_in(ann.client(), login="nobody", password="x").status_code for _ in range(6)]
    assert codes == [401] * 5 + [429]
    twin = Crowd(ann.database, ann.settings)
    refused = sign_in(twin.client(), login="nobody", password="x")
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "1"


def test_profile_tokens_and_webhooks_on_the_account_page(ann: Crowd) -> None:
    client = ann.clients["ann"]
    profile = {"name": "Ann B", "email": "ann@example.org", "mail": "1"}
    assert 'value="Ann B"' in client.post("/account/profile", data=profile).text
    assert client.post("/account/profile", data={"name": ""}).status_code == 422
    page = client.post(
        "/account/tokens", data={"name": "script", "scope": ["read", "nonsense"], "days": "7"}
    ).text
    secret = re.search(r"<code>([\w-]{43})</code>", page)
    assert secret is not None
    assert secret[1] not in client.get("/account").text, "shown once"
    assert client.get("/v1/me", headers={"authorization": f"Bearer {secret[1]}"}).json()["handle"] == "ann"
    assert "last used" in client.get("/account").text
    token = re.search(r"/account/tokens/(\d+)/end", page)
    assert token is not None
    client.post(f"/account/tokens/{token[1]}/end")
    assert client.get("/v1/me", headers={"authorization": f"Bearer {secret[1]}"}).status_code == 401
    assert client.post("/account/tokens", data={"name": "nothing"}).status_code == 422
    page = client.post("/account/webhooks", data={"url": "http://127.0.0.1:9/x", "event": ["outcome"]}).text
    hook = re.search(r"/account/webhooks/(\d+)/end", page)
    assert hook is not None, page
    assert "/account/webhooks/" not in client.post(f"/account/webhooks/{hook[1]}/end").text.replace(
        'action="/account/webhooks"', ""
    )


# --- another service ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def running() -> Iterator[OpenProvider]:
    with providing() as provider:
        yield provider


@pytest.fixture
def olga(database: Database, settings: Settings, running: OpenProvider) -> Crowd:
    """A service that knows the provider; nobody has an account yet but who runs it."""
    running.claims, running.signs_with = {"sub": "person-1", "name": "Olga Sample"}, None
    details = {
        "oidc_name": "Sample",
        "oidc_issuer": running.issuer,
        "oidc_client": CLIENT,
        "oidc_secret": SECRET,
    }
    crowd = Crowd(database, replace(settings, **details))
    crowd.add("runs")
    return crowd


def travel(client: TestClient, start: str = "/sign-in/provider") -> Any:
    """Go to the provider and come back, as a browser does; return the answer to coming back."""
    there = client.get(start, follow_redirects=False)
    assert there.status_code == 303, there.text
    back = httpx2.get(there.headers["location"], follow_redirects=False)
    return client.get(back.headers["location"], follow_redirects=False)


def test_a_first_visit_opens_an_account_and_the_next_finds_it(olga: Crowd) -> None:
    assert "continue with Sample" in olga.stranger.get("/sign-in").text
    answer = travel(olga.stranger, "/sign-in/provider?next=/friends")
    assert (answer.status_code, answer.headers["location"]) == (303, "/friends")
    assert "Hello, Olga Sample" in olga.stranger.get("/").text
    travel(again := olga.client())
    assert "yours is @olgasample" in again.get("/friends").text


def test_two_people_of_one_name_get_two_accounts(olga: Crowd, running: OpenProvider) -> None:
    travel(olga.client())
    running.claims = {"sub": "person-2", "name": "Olga Sample"}
    travel(other := olga.client())
    assert "yours is @olgasample2" in other.get("/friends").text


def test_an_address_alone_signs_nobody_in(olga: Crowd, running: OpenProvider) -> None:
    """Accounts are linked by issuer and subject: a provider's word about an address opens no existing account."""
    olga.clients["runs"].post("/account/profile", data={"name": "Runs", "email": "runs@example.org"})
    running.claims |= {"email": "runs@example.org", "email_verified": True}
    travel(olga.stranger)
    assert "Hello, Olga Sample" in olga.stranger.get("/").text


def test_an_address_that_the_provider_verified_is_confirmed_unless_it_is_somebodys(
    olga: Crowd, running: OpenProvider
) -> None:
    with olga.database.writing() as session:  # whoever only claims it does not stand in the way
        store.persons.update_person(session, olga.ids["runs"], claimed="olga@example.org")
    running.claims |= {"email": "Olga@example.org", "email_verified": True}
    travel(first := olga.client())
    assert "confirmed" in first.get("/account").text
    for subject, verified in (("person-2", True), ("person-3", False)):
        running.claims = {
            "sub": subject,
            "name": "Other",
            "email": "olga@example.org",
            "email_verified": verified,
        }
        travel(olga.client())
    with olga.database.reading() as session:
        found = {one.handle: (one.email, one.claimed) for one in store.persons.everybody(session)}
    assert found.pop("olgasample") == ("olga@example.org", None)
    assert found.pop("runs") == (None, "olga@example.org")
    assert set(found.values()) == {(None, None)}


def connect(client: TestClient) -> str:
    """Ask on the account page for the way to the provider, go there, and return the way back."""
    page = client.post("/account/link", headers={"sec-fetch-site": "same-origin"})
    way = re.search(r'class="button" href="([^"]+)"', page.text)
    assert way is not None, page.text
    return str(httpx2.get(unescape(way[1]), follow_redirects=False).headers["location"])


def test_somebody_signed_in_connects_the_provider(olga: Crowd) -> None:
    back = olga.clients["runs"].get(connect(olga.clients["runs"]), follow_redirects=False)
    assert back.headers["location"].startswith("/account")
    travel(olga.stranger)
    assert "Hello, Runs" in olga.stranger.get("/").text


def test_nothing_but_the_own_account_page_connects_the_provider(olga: Crowd) -> None:
    """Another site may send a signed-in browser on its way; no provider's account becomes a way in by that."""
    runs = olga.clients["runs"]
    away = runs.get("/sign-in/provider", headers={"sec-fetch-site": "cross-site"}, follow_redirects=False)
    assert away.headers["location"] == "/sign-in?next=%2F"
    assert runs.post("/account/link", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    travel(runs)
    with olga.database.reading() as session:
        assert store.credentials.identities_of(session, olga.ids["runs"]) == ()


def test_connecting_ends_with_the_session_that_began_it(olga: Crowd) -> None:
    runs = olga.clients["runs"]
    back = connect(runs)
    runs.post("/sign-out")
    assert runs.get(back, follow_redirects=False).headers["location"].startswith("/sign-in")
    with olga.database.reading() as session:
        assert store.credentials.identities_of(session, olga.ids["runs"]) == ()


@pytest.mark.long
def test_an_account_that_signs_in_somebody_else_is_not_connected(olga: Crowd) -> None:
    travel(olga.stranger)
    runs = olga.clients["runs"]
    assert runs.get(connect(runs), follow_redirects=False).status_code == 409
    assert "Hello, Runs" in runs.get("/").text


@pytest.mark.long
def test_a_suspended_person_stays_out_and_a_namesake_gets_in(olga: Crowd, running: OpenProvider) -> None:
    travel(olga.stranger)
    with olga.database.writing() as session:
        suspended = store.credentials.credentials_by_identity(session, running.issuer, "person-1")
        assert suspended is not None
        membership.suspend(session, olga.ids["runs"], suspended.person_id, suspended=True)
    for name in ("Olga Sample", "Olga Renamed"):
        running.claims = {"sub": "person-1", "name": name}
        assert travel(olga.client()).status_code == 400
    running.claims = {"sub": "person-2", "name": "Olga Sample"}
    travel(namesake := olga.client())
    assert "yours is @olgasample2" in namesake.get("/friends").text


@pytest.mark.parametrize(
    "lie",
    [{"aud": "somebody else"}, {"iss": "http://127.0.0.1:1"}, {"nonce": "old"}, {"exp": 1}, {"sub": None}],
    ids=lambda lie: next(iter(lie)),
)
def test_a_token_that_is_not_in_order_signs_nobody_in(
    olga: Crowd, running: OpenProvider, lie: dict[str, Any]
) -> None:
    running.claims |= lie
    if lie.get("sub", "") is None:
        del running.claims["sub"]
    assert travel(olga.stranger).status_code == 400
    assert "Hello" not in olga.stranger.get("/").text


def test_a_token_signed_with_another_key_signs_nobody_in(olga: Crowd, running: OpenProvider) -> None:
    running.signs_with = RSAKey.generate_key(2048, {"kid": "one"}, private=True)
    assert travel(olga.stranger).status_code == 400


def test_an_answer_to_another_browser_and_an_answer_twice_are_refused(olga: Crowd) -> None:
    there = olga.stranger.get("/sign-in/provider", follow_redirects=False)
    back = httpx2.get(there.headers["location"], follow_redirects=False).headers["location"]
    assert olga.client().get(back, follow_redirects=False).status_code == 400, "another browser"
    assert olga.stranger.get(back, follow_redirects=False).status_code == 303
    assert olga.stranger.get(back, follow_redirects=False).status_code == 400, "a second time"


def test_a_closed_service_opens_no_account(olga: Crowd) -> None:
    closed = Crowd(olga.database, replace(olga.settings, registration=False))
    assert travel(closed.stranger).status_code == 403
    assert closed.stranger.post("/register", data={"handle": "x"}).status_code == 403


def test_without_a_provider_there_is_no_such_way(crowd: Crowd) -> None:
    assert crowd.stranger.get("/sign-in/provider").status_code == 404
    assert crowd.stranger.get("/sign-in/provider/back?code=a&state=b").status_code == 400


def test_a_session_of_a_token_hash_is_not_guessable(ann: Crowd) -> None:
    with ann.database.reading() as session:
        assert store.credentials.session_by_hash(session, "") is None
        assert store.credentials.token_by_hash(session, "' OR 1=1 --") is None
