"""Addresses that are somebody's, and passwords that were forgotten: what is told, to whom, and what a link can do."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.web.conftest import Clock, confirm_address
from tests.web.crowd import Crowd
from tests.web.posting import Post, at, statements
from tests.web.serving import PASSWORD

from entrenous.web import store
from entrenous.web.delivery import account_mail
from entrenous.web.delivery.outbox import deliver_due
from entrenous.web.identity import passwords
from entrenous.web.service import befriending, membership
from entrenous.web.service.accounts import forgotten
from entrenous.web.store import schema
from entrenous.web.store.signing_in import devices

NEW = "another sentence to remember"


@pytest.fixture
def people(post: Post) -> Post:
    """Ann has confirmed her address; bob has none; who runs the service is neither."""
    post.crowd.add("runs")
    post.crowd.add("ann", "bob", password_hash=passwords.hash_password(PASSWORD))
    with post.crowd.database.writing() as session:
        confirm_address(session, post.crowd.ids["ann"], "ann@example.org")
    return post


def registration(handle: str, email: str) -> dict[str, str]:
    return {"handle": handle, "name": "Cleo", "email": email, "password": PASSWORD}


def me(post: Post, handle: str) -> store.records.Person:
    with post.crowd.database.reading() as session:
        found = membership.person(session, post.crowd.ids[handle])
    assert found is not None
    return found


# --- addresses ----------------------------------------------------------------------------------------------


def test_registering_does_not_tell_whether_an_address_is_taken(people: Post) -> None:
    """Fault 7: the same page, the same steps in the database and the same letter, for a free and a taken address."""
    told = []
    for handle, email in (("cleo", "ann@example.org"), ("dora", "free@example.org")):
        client, form = people.crowd.client(), registration(handle, email)
        steps = statements(people.crowd, partial(client.post, "/register", data=form))
        page = client.get("/account").text.replace(email, "?").replace(handle, "?")
        page = re.sub(r"<svg.*?</svg>", "", page)  # the picture is of the handle
        told.append((re.sub(r"/devices/\d+/", "/devices/?/", page), steps))
    (page, steps), (other, others) = told
    assert page == other
    assert steps == others
    assert "waits to be confirmed" in page


def test_the_profile_does_not_tell_whether_an_address_is_taken(people: Post) -> None:
    """Fault 7: `/account/profile` answered that an address is taken, as often as one liked."""
    told, bob = [], people.crowd.clients["bob"]
    bob.get("/account")  # notes once in a while that a session is used
    for email in ("ann@example.org", "free@example.org"):
        pages: list[str] = []
        act = partial(bob.post, "/account/profile", data={"name": "Bob", "email": email})
        steps = statements(people.crowd, lambda a=act, p=pages: p.append(a().text))
        assert "We sent a link to that address" in pages[0]
        told.append((pages[0].replace(email, "?"), steps))
    assert told[0] == told[1]
    codes = [bob.post("/account/profile", data={"name": "Bob"}).status_code for _ in range(40)]
    assert codes[-1] == 429, "and not without end"


def test_the_owner_of_a_claimed_address_is_told_and_the_claimant_gets_nothing(people: Post) -> None:
    people.crowd.clients["bob"].post("/account/profile", data={"name": "Bob", "email": "ann@example.org"})
    (mail,) = people.deliver()
    assert mail["To"] == "ann@example.org"
    text = str(mail.get_content())
    assert "somebody entered your e-mail address" in text
    assert "/confirm/" not in text
    assert "Bob" not in text
    assert me(people, "bob").email is None


def test_an_address_is_used_once_its_owner_opened_the_link(people: Post, clock: Clock) -> None:
    """Fault 6: no notice goes to an address that nobody confirmed; opening by a mail scanner confirms nothing."""
    crowd, bob = people.crowd, people.crowd.clients["bob"]
    bob.post("/account/profile", data={"name": "Bob", "email": "Bob@example.org", "mail": "1"})
    path = people.link("bob@example.org")
    with crowd.database.writing() as session:
        befriending.ask_friend(session, crowd.ids["ann"], "bob")
    assert people.deliver() == [], "not confirmed, so not told"
    for _ in range(3):
        page = crowd.stranger.get(path)
        assert (
            "Is <strong>bob@example.org</strong> yours, and <strong>@bob</strong> your account?" in page.text
        )
        assert "Yes, both are mine" in page.text
    assert me(people, "bob").email is None, "looking is not confirming"
    assert "Confirmed" in crowd.stranger.post("/confirm").text, "wherever the mail is read"
    assert (me(people, "bob").email, me(people, "bob").claimed) == ("bob@example.org", None)
    with crowd.database.writing() as session:
        befriending.answer_friend(session, crowd.ids["bob"], crowd.ids["ann"], accept=True)
        befriending.end_friendship(session, crowd.ids["bob"], crowd.ids["ann"])
        clock.turn(days=2)
        befriending.ask_friend(session, crowd.ids["ann"], "bob")
    assert "bob@example.org" in {mail["To"] for mail in people.deliver()}
    assert crowd.client().get(path).status_code == 404, "a link works once"


def test_a_link_ends_after_two_days_and_with_another_claim(people: Post, clock: Clock) -> None:
    bob = people.crowd.clients["bob"]
    bob.post("/account/profile", data={"name": "Bob", "email": "bob@example.org"})
    old = people.link("bob@example.org")
    bob.post("/account/profile", data={"name": "Bob", "email": "robert@example.org"})
    new = people.link("robert@example.org")
    assert people.crowd.client().get(old).status_code == 404
    assert people.crowd.client().get(new).status_code == 200
    clock.turn(days=2, seconds=1)
    late = people.crowd.client()
    assert late.get(new).status_code == 404
    assert late.post("/confirm").status_code == 404
    assert me(people, "bob").email is None


def test_of_two_who_claim_an_address_the_first_to_confirm_owns_it(people: Post) -> None:
    people.crowd.add("cleo")
    paths = []
    for who in ("bob", "cleo"):
        people.crowd.clients[who].post("/account/profile", data={"name": who, "email": "shared@example.org"})
        paths.append(people.link("shared@example.org"))
    for path, status in zip(paths, (200, 422), strict=True):
        client = people.crowd.client()
        assert client.get(path).status_code == 200
        answer = client.post("/confirm")
        assert answer.status_code == status
    assert "another account has confirmed this address" in answer.text.lower()
    assert (me(people, "bob").email, me(people, "cleo").email) == ("shared@example.org", None)


def test_an_unconfirmed_address_neither_signs_in_nor_resets(people: Post) -> None:
    with people.crowd.database.writing() as session:
        store.persons.update_person(session, people.crowd.ids["bob"], claimed="bob@example.org")
    form = {"login": "bob@example.org", "password": PASSWORD}
    assert people.crowd.client().post("/sign-in", data=form).status_code == 401
    people.crowd.client().post("/forgot", data={"login": "bob@example.org"})
    people.crowd.client().post("/forgot", data={"login": "bob"})
    assert people.deliver() == []


def test_a_changed_address_is_told_to_the_former_one(people: Post) -> None:
    """Whoever took over a session must not take the account along in silence."""
    ann = people.crowd.clients["ann"]
    ann.post("/account/profile", data={"name": "Ann", "email": "new@example.org"})
    assert me(people, "ann").email == "ann@example.org", "until the other is confirmed"
    people.crowd.stranger.get(people.link("new@example.org"))
    people.crowd.stranger.post("/confirm")
    (mail,) = people.deliver()
    assert (mail["To"], mail["Subject"]) == ("ann@example.org", "Your e-mail address was changed")
    ann.post("/account/profile", data={"name": "Ann", "email": ""})
    assert [mail["To"] for mail in people.deliver()] == ["new@example.org"]
    assert me(people, "ann").email is None


def test_a_claim_can_be_taken_back(people: Post) -> None:
    ann = people.crowd.clients["ann"]
    ann.post("/account/profile", data={"name": "Ann", "email": "new@example.org"})
    path = people.link("new@example.org")
    ann.post("/account/profile", data={"name": "Ann", "email": "ann@example.org"})
    assert (me(people, "ann").email, me(people, "ann").claimed) == ("ann@example.org", None)
    assert people.crowd.client().get(path).status_code == 404


def test_no_mailbox_is_filled(people: Post) -> None:
    bob = people.crowd.clients["bob"]
    bob.post("/account/profile", data={"name": "Bob", "email": "bob@example.org"})
    for _ in range(12):
        assert "We sent a link" in bob.post("/account/address").text
    assert len(people.deliver()) == account_mail.MOST_CLAIMS
    for _ in range(12):
        people.crowd.client().post("/forgot", data={"login": "ann"})
    assert len(people.deliver()) == account_mail.MOST_RESETS


def test_without_a_mail_server_pages_say_so(crowd: Crowd) -> None:
    crowd.add("runs", "bob")
    page = (
        crowd.clients["bob"].post("/account/profile", data={"name": "Bob", "email": "bob@example.org"}).text
    )
    assert "This service sends no mail" in page
    assert "entrenous access admin reset bob" in page
    assert "We sent" not in page
    for path in ("/forgot", "/register"):
        assert "sends no mail" in crowd.stranger.get(path).text
    assert "sends no mail" in crowd.stranger.post("/forgot", data={"login": "bob"}).text
    with crowd.database.reading() as session:
        assert store.letters.counts(session) == (0, 0)


# --- passwords ----------------------------------------------------------------------------------------------


def test_asking_for_a_new_password_answers_everybody_alike(people: Post) -> None:
    """Known, unknown, unconfirmed and suspended: one page, one path through the database, one letter each."""
    crowd = people.crowd
    crowd.add("sue")
    with crowd.database.writing() as session:
        confirm_address(session, crowd.ids["sue"], "sue@example.org")
        membership.suspend(session, crowd.ids["runs"], crowd.ids["sue"], suspended=True)
    told = []
    for login in ("ann", "ANN@example.org", "nobody", "nobody@example.org", "bob", "sue"):
        pages: list[str] = []
        client = crowd.client()
        steps = statements(
            crowd, lambda c=client, one=login, p=pages: p.append(c.post("/forgot", data={"login": one}).text)
        )
        told.append((pages[0], steps))
    assert all(one == told[0] for one in told)
    with crowd.database.reading() as session:
        assert store.letters.counts(session) == (6, 0)
    assert [mail["To"] for mail in people.deliver()] == ["ann@example.org"] * 2


def test_a_forgotten_password_is_replaced_by_mail(people: Post) -> None:
    """Fault 6: there was no way back in. All sessions end, no browser is known, and the owner is told."""
    crowd = people.crowd
    phone = crowd.client()
    assert phone.post("/sign-in", data={"login": "ann", "password": PASSWORD}).status_code == 200
    crowd.client().post("/forgot", data={"login": "ann"})
    path, browser = people.link("ann@example.org"), crowd.client()
    assert "Choose a new password" in browser.get(path).text
    assert browser.post("/reset", data={"password": "short"}).status_code == 422
    answer = browser.post("/reset", data={"password": NEW})
    assert (answer.url.path, answer.status_code) == ("/sign-in", 200)
    assert "Your password is changed" in answer.text
    with crowd.database.reading() as session:
        assert store.credentials.sessions_of(session, crowd.ids["ann"]) == ()
        assert devices.devices_of(session, crowd.ids["ann"]) == ()
    assert "Hello, Ann" not in browser.get("/").text, "a link is no session"
    assert [(mail["To"], mail["Subject"]) for mail in people.deliver()] == [
        ("ann@example.org", "Your password was changed")
    ]
    for password, status in ((PASSWORD, 401), (NEW, 303)):
        form = {"login": "ann", "password": password}
        assert crowd.client().post("/sign-in", data=form, follow_redirects=False).status_code == status
    again = crowd.client()
    assert again.get(path).status_code == 404
    assert again.post("/reset", data={"password": PASSWORD + "!"}).status_code == 404


def test_a_reset_link_ends_after_an_hour_and_with_any_new_password(people: Post, clock: Clock) -> None:
    crowd = people.crowd
    crowd.client().post("/forgot", data={"login": "ann"})
    first = people.link("ann@example.org")
    crowd.client().post("/forgot", data={"login": "ann"})
    second = people.link("ann@example.org")
    assert [crowd.client().get(path).status_code for path in (first, second)] == [200, 200]
    browser = crowd.client()
    browser.get(first)
    browser.post("/reset", data={"password": NEW})
    assert crowd.client().get(second).status_code == 404
    crowd.client().post("/forgot", data={"login": "ann"})
    third = people.link("ann@example.org")
    clock.turn(hours=1, seconds=1)
    assert crowd.client().get(third).status_code == 404


def test_a_letter_that_waited_too_long_sends_no_link(people: Post, clock: Clock) -> None:
    people.crowd.client().post("/forgot", data={"login": "ann"})
    clock.turn(hours=2)
    assert people.deliver() == []


def test_a_suspended_person_gets_in_by_no_link(people: Post) -> None:
    crowd = people.crowd
    crowd.client().post("/forgot", data={"login": "ann"})
    path = people.link("ann@example.org")
    with crowd.database.writing() as session:
        membership.suspend(session, crowd.ids["runs"], crowd.ids["ann"], suspended=True)
    browser = crowd.client()
    browser.get(path)
    assert browser.post("/reset", data={"password": NEW}).status_code in (200, 404)
    form = {"login": "ann", "password": NEW}
    assert crowd.client().post("/sign-in", data=form).status_code == 401


def test_a_changed_password_is_told_by_mail(people: Post) -> None:
    people.crowd.clients["ann"].post("/account/password", data={"current": PASSWORD, "password": NEW})
    assert [mail["Subject"] for mail in people.deliver()] == ["Your password was changed"]


# --- secrets ------------------------------------------------------------------------------------------------


def test_no_secret_of_a_link_is_kept_or_logged_or_handed_on(
    people: Post, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Neither the outbox before a mail is sent, nor the database, a log, a later address or a Referer has it."""
    caplog.set_level(logging.DEBUG)
    crowd = people.crowd
    crowd.clients["bob"].post("/account/profile", data={"name": "Bob", "email": "bob@example.org"})
    crowd.client().post("/forgot", data={"login": "ann"})
    with crowd.database.reading() as session:
        waiting = [str(payload) for payload in session.scalars(sa.select(schema.outbox.c.payload))]
    secrets = []
    mails = people.deliver()
    for mail in mails:
        text = str(mail.get_content())
        secrets.append(text.split("/confirm/" if "/confirm/" in text else "/reset/")[1].split()[0])
    assert len(waiting) == len(secrets) == 2
    for secret, kind in zip(secrets, ("confirm", "reset"), strict=True):
        browser = crowd.client()
        opened = browser.get(f"/{kind}/{secret}", follow_redirects=False)
        assert (opened.status_code, opened.headers["location"]) == (303, f"/{kind}")
        assert opened.headers["referrer-policy"] == "no-referrer"
        cookie = opened.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert secret not in browser.get(f"/{kind}").text
    with crowd.database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(FULL)")
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("service.db*"))
    logged = [entry.getMessage() for entry in caplog.records if not entry.name.startswith("httpx")]
    for secret in secrets:
        assert not any(secret in one for one in waiting)
        assert secret.encode() not in kept
        assert not any(secret in line for line in logged)
        for mail in mails:
            raw = mail.as_bytes()
            assert raw.count(secret.encode()) <= 1
    assert sum(mail.as_bytes().count(one.encode()) for mail in mails for one in secrets) == 2, (
        "in one line each"
    )


def test_links_lead_to_the_address_of_the_settings_whatever_host_was_asked(people: Post) -> None:
    at(people.crowd, "192.0.2.1").post(
        "/forgot", data={"login": "ann"}, headers={"host": "evil.example", "x-forwarded-host": "evil.example"}
    )
    (mail,) = people.deliver()
    assert "evil" not in mail.as_string()
    assert f"{people.crowd.settings.address}/reset/" in str(mail.get_content())


def test_a_mail_that_could_not_be_sent_is_tried_again_with_another_link(
    people: Post, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd, works = people.crowd, account_mail.send

    def fails(*_given: object) -> None:
        raise ConnectionRefusedError

    crowd.client().post("/forgot", data={"login": "ann"})
    monkeypatch.setattr(account_mail, "send", fails)
    assert deliver_due(crowd.database) == 1
    monkeypatch.setattr(account_mail, "send", works)
    clock.turn(minutes=2)
    assert crowd.client().get(people.link("ann@example.org")).status_code == 200


def test_who_leaves_takes_links_and_letters_along(people: Post) -> None:
    crowd = people.crowd
    crowd.clients["bob"].post("/account/profile", data={"name": "Bob", "email": "bob@example.org"})
    path = people.link("bob@example.org")
    crowd.clients["bob"].post("/account/address")
    with crowd.database.writing() as session:
        membership.delete_account(session, crowd.ids["bob"])
        assert store.letters.counts(session) == (0, 0)
    assert crowd.client().get(path).status_code == 404


def test_only_the_owner_reads_an_unconfirmed_address(people: Post) -> None:
    people.crowd.clients["bob"].post("/account/profile", data={"name": "Bob", "email": "hidden@example.org"})
    people.crowd.befriend(("ann", "bob"))
    for path in ("/friends", "/admin", "/v1/friends"):
        for who in ("ann", "runs"):
            answer = people.crowd.clients[who].get(path, headers=people.crowd.token(who))
            assert "hidden@example.org" not in answer.text


def test_a_reset_link_from_the_command_line_needs_neither_mail_nor_address(crowd: Crowd) -> None:
    crowd.add("runs", "bob")
    with crowd.database.writing() as session:
        link = forgotten.reset_link(session, "BOB")
    path = link.removeprefix(crowd.settings.address)
    browser = crowd.client()
    assert browser.get(path).status_code == 200
    browser.post("/reset", data={"password": NEW})
    form = {"login": "bob", "password": NEW}
    assert crowd.client().post("/sign-in", data=form, follow_redirects=False).status_code == 303


def test_cookies_of_links_travel_encrypted_where_there_is_tls(people: Post) -> None:
    settings = replace(people.crowd.settings, address="https://share.example.org")
    secure = Crowd(people.crowd.database, settings)
    answer = secure.stranger.get("/reset/" + "x" * 43, follow_redirects=False)
    assert "Secure" in answer.headers["set-cookie"]
    assert answer.headers["set-cookie"].startswith("__Host-entrenous-reset=")
    with people.crowd.database.writing() as session:
        secret = forgotten.reset_link(session, "ann").rsplit("/", 1)[1]
    for name, works in (("entrenous-reset", False), ("__Host-entrenous-reset", True)):
        page = secure.client().get("/reset", headers={"cookie": f"{name}={secret}"}).text
        assert ("New password" in page) == works, "a neighbour of this host can set the first, not the second"
