"""Guessing passwords: whoever guesses waits, the owner does not; and the browsers an account knows."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Clock
from tests.web.crowd import Crowd
from tests.web.posting import at, statements
from tests.web.serving import PASSWORD

from entrenous.web.identity import backoff, passwords, tokens
from entrenous.web.store.database import Database
from entrenous.web.store.signing_in import devices

OWNER, ATTACKER = "198.51.100.7", "203.0.113.9"
COOKIE = "entrenous-device"


@pytest.fixture
def ann(crowd: Crowd) -> Crowd:
    crowd.add("runs")
    crowd.add("ann", "bob", password_hash=passwords.hash_password(PASSWORD))
    return crowd


def sign_in(client: TestClient, password: str = PASSWORD, login: str = "ann") -> Any:
    return client.post("/sign-in", data={"login": login, "password": password}, follow_redirects=False)


def attack(crowd: Crowd, tries: int = 12, address: str = ATTACKER) -> list[int]:
    """Guess at ann's password, each time in a fresh browser."""
    return [sign_in(at(crowd, address), "a wrong guess").status_code for _ in range(tries)]


def test_the_owner_of_an_attacked_name_signs_in_from_a_known_browser_and_from_elsewhere(ann: Crowd) -> None:
    """Fault 7: ten wrong tries by anybody locked the owner out for a quarter of an hour, right password included."""
    known = at(ann, ATTACKER)  # even behind the same address, as at home or in an office
    assert sign_in(known).status_code == 303
    known.post("/sign-out")
    assert attack(ann) == [401] * 5 + [429] * 7
    assert sign_in(known).status_code == 303
    assert sign_in(at(ann, OWNER)).status_code == 303
    assert sign_in(at(ann, ATTACKER)).status_code == 429, (
        "there a stranger's right password is not even looked at"
    )


def test_waits_grow_up_to_a_quarter_of_an_hour_and_are_said(ann: Crowd, clock: Clock) -> None:
    attack(ann, 5)
    waits = []
    for _ in range(13):
        refused = sign_in(at(ann, ATTACKER), "a wrong guess")
        assert refused.status_code == 429
        waits.append(int(refused.headers["retry-after"]))
        clock.turn(seconds=waits[-1] - 0.5)
        assert sign_in(at(ann, ATTACKER), "a wrong guess").status_code == 429, "not a moment earlier"
        clock.turn(seconds=0.5)
        assert sign_in(at(ann, ATTACKER), "a wrong guess").status_code == 401
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]
    page = sign_in(at(ann, ATTACKER)).text
    assert "Try again in 15 minutes" in page
    assert 'role="alert"' in page
    clock.turn(minutes=15)
    assert sign_in(at(ann, ATTACKER)).status_code == 303
    assert attack(ann, 5) == [401] * 5, "the right password begins anew"


def test_names_that_nobody_has_are_counted_alike(ann: Crowd) -> None:
    """Known or not: the same answers, the same waits, the same steps in the database."""
    seen = {}
    for login in ("ann", "nobody", "bob"):
        told, taken = [], []
        client = at(ann, "192.0.2.44" if login == "bob" else ATTACKER)
        for _ in range(7):
            answers: list[Any] = []
            taken.append(
                statements(
                    ann, lambda c=client, a=answers, one=login: a.append(sign_in(c, "wrong as it is", one))
                )
            )
            (answer,) = answers
            told.append(
                (answer.status_code, answer.headers.get("retry-after"), answer.text.replace(login, "?"))
            )
        seen[login] = (told, taken)
    assert seen["ann"] == seen["nobody"] == seen["bob"]


def test_a_try_is_counted_before_the_password_is_looked_at(
    ann: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tries made at once must not all be free: each counts when it begins."""
    looked: list[int] = []
    monkeypatch.setattr(passwords, "password_fits", lambda *_given: looked.append(1))
    codes = attack(ann, 9)
    assert codes.count(429) == 4
    assert len(looked) == 5


def guesses(database: Database, clock: Clock, sources: Any, *, device: int | None = None) -> int:
    """Return how many tries somebody gets in a day who tries from each source as soon as it is allowed."""
    begin, made = clock.moment, 0
    while (clock.moment - begin).total_seconds() < 86_400:
        waits = []
        for source in sources:
            keys = backoff.keys_of_try("ann", source, device)
            with database.writing() as session:
                wait = backoff.begin_try(session, keys)
            made += not wait
            waits.append(max(wait, 0))
            if wait and len(sources) > 3:
                break  # all wait for the same count
        clock.turn(seconds=max(1, min(waits)) if waits and min(waits) else 0.001)
    return made


def test_one_address_never_uses_up_what_all_unknown_browsers_have(database: Database, clock: Clock) -> None:
    for _ in range(3):  # day after day
        assert 100 <= guesses(database, clock, [ATTACKER]) <= 110
        with database.writing() as session:
            assert backoff.begin_try(session, backoff.keys_of_try("ann", OWNER, None)) == 0


def test_many_addresses_get_some_four_hundred_guesses_a_day_and_known_browsers_do_not_wait(
    database: Database, clock: Clock
) -> None:
    many = [f"10.0.{place // 250}.{place % 250}" for place in range(1000)]
    assert 300 <= guesses(database, clock, many) <= 420
    clock.turn(days=1)
    for address in many[: backoff.ACCOUNT.free + 1]:
        with database.writing() as session:
            refused = backoff.begin_try(session, backoff.keys_of_try("ann", address, None))
    assert refused, "all free tries of the day are used up"
    with database.writing() as session:
        assert backoff.begin_try(session, backoff.keys_of_try("ann", "10.9.9.9", None)) > 0
        assert backoff.begin_try(session, backoff.keys_of_try("ann", "10.9.9.9", 7)) == 0, "a known browser"


def test_a_known_browser_has_tries_of_its_own_and_not_without_end(database: Database, clock: Clock) -> None:
    assert 290 <= guesses(database, clock, [ATTACKER], device=3) <= 310


def test_who_tries_many_names_from_one_address_waits_too(ann: Crowd) -> None:
    codes = [
        sign_in(at(ann, ATTACKER), "wrong as it is", f"person{place}").status_code for place in range(101)
    ]
    assert codes == [401] * 100 + [429]
    assert sign_in(at(ann, OWNER)).status_code == 303


def test_the_right_password_does_not_count_against_an_address(ann: Crowd) -> None:
    """A school behind one address signs in every morning; and an own account does not buy an attacker new tries."""
    assert {sign_in(at(ann, ATTACKER)).status_code for _ in range(30)} == {303}
    attack(ann, 5)
    assert sign_in(at(ann, ATTACKER), PASSWORD, "bob").status_code == 303
    assert attack(ann, 1) == [429]


@pytest.mark.parametrize(
    ("one", "other", "same"), [("2001:db8::1", "2001:db8::ffff", True), ("192.0.2.1", "192.0.2.2", False)]
)
def test_an_address_of_ipv6_stands_for_its_network(ann: Crowd, one: str, other: str, same: bool) -> None:
    attack(ann, 6, one)
    assert attack(ann, 1, other) == [429 if same else 401]


# --- browsers -----------------------------------------------------------------------------------------------


def known_to(crowd: Crowd, handle: str) -> list[int]:
    with crowd.database.reading() as session:
        return [one.id for one in devices.devices_of(session, crowd.ids[handle])]


def test_a_browser_is_known_from_its_first_sign_in_on_and_after_signing_out(ann: Crowd) -> None:
    browser = ann.client()
    answer = sign_in(browser)
    cookie = next(one for one in answer.headers.get_list("set-cookie") if one.startswith(COOKIE))
    for mark in ("HttpOnly", "SameSite=lax", "Max-Age=34560000", "Path=/"):
        assert mark in cookie
    secret = browser.cookies[COOKIE]
    browser.post("/sign-out")
    assert browser.cookies[COOKIE] == secret
    assert "Hello, Ann" not in browser.get("/").text, "it opens nothing"
    sign_in(browser)
    assert browser.cookies[COOKIE] == secret
    assert len(known_to(ann, "ann")) == 1
    ann.database.close()
    kept = b"".join(file.read_bytes() for file in _files(ann))
    assert secret.encode() not in kept


def _files(crowd: Crowd) -> Any:
    from pathlib import Path

    return Path(crowd.settings.database.removeprefix("sqlite:///")).parent.glob("service.db*")


def test_a_planted_secret_is_worth_nothing(ann: Crowd) -> None:
    """Fixation: a cookie that somebody else chose must not become a browser the account knows."""
    planted = tokens.new_secret()
    browser = ann.client()
    browser.cookies.set(COOKIE, planted)
    sign_in(browser)
    attack(ann, 6, "testclient")
    thief = ann.client()
    thief.cookies.set(COOKIE, planted)
    assert sign_in(thief).status_code == 429
    with ann.database.reading() as session:
        assert devices.known_hashes(session, [tokens.hash_secret(planted)]) == set()


def test_strangers_cannot_use_up_the_tries_of_a_known_browser_nor_another_account_s(ann: Crowd) -> None:
    browser = at(ann, OWNER)
    sign_in(browser)
    for _ in range(3):
        attack(ann, 20)
        attack(ann, 20, OWNER)
    assert sign_in(browser).status_code == 303
    assert sign_in(browser, "wrong", "bob").status_code == 401, "to bob's account it is a stranger"


def test_two_people_who_share_a_browser_are_both_known(ann: Crowd) -> None:
    browser = ann.client()
    sign_in(browser)
    sign_in(browser, login="bob")
    assert len(browser.cookies[COOKIE].split(".")) == 2
    for login in ("ann", "bob"):
        for _ in range(6):
            sign_in(ann.client(), "wrong as it is", login)
        assert sign_in(ann.client(), login=login).status_code == 429
        assert sign_in(browser, login=login).status_code == 303
    assert (len(known_to(ann, "ann")), len(known_to(ann, "bob"))) == (1, 1)


def test_browsers_are_listed_forgotten_and_end_with_everything_else(ann: Crowd) -> None:
    here, there = ann.client(), ann.client()
    sign_in(here)
    sign_in(there)
    page = here.get("/account").text
    assert page.count("Forget</button>") == 2
    assert "Sign out everywhere else" in page
    other, _this = re.findall(r"/account/devices/(\d+)/forget", page)  # the last to sign in comes first
    assert "not known any more" in here.post(f"/account/devices/{other}/forget").text
    assert len(known_to(ann, "ann")) == 1
    assert "Hello, Ann" in there.get("/").text, "it is still signed in"
    sign_in(there)
    here.post("/account/sessions/end-others")
    assert "Hello, Ann" not in there.get("/").text
    assert "Hello, Ann" in here.get("/").text
    assert len(known_to(ann, "ann")) == 1
    attack(ann, 6, "testclient")
    assert (sign_in(there).status_code, sign_in(here).status_code) == (429, 303)


def test_one_forgets_only_ones_own_browsers(ann: Crowd) -> None:
    sign_in(ann.client())
    (mine,) = known_to(ann, "ann")
    ann.clients["bob"].post(f"/account/devices/{mine}/forget")
    assert known_to(ann, "ann") == [mine]


def test_a_new_password_forgets_all_browsers_but_the_one_it_was_chosen_in(ann: Crowd) -> None:
    here, there = ann.client(), ann.client()
    sign_in(here)
    sign_in(there)
    before = here.cookies[COOKIE]
    here.post("/account/password", data={"current": PASSWORD, "password": "another sentence"})
    assert here.cookies[COOKIE] != before
    assert len(known_to(ann, "ann")) == 1
    assert "Hello, Ann" in here.get("/").text
    assert "Hello, Ann" not in there.get("/").text, "the other session ended"
    attack(ann, 6, "testclient")
    for browser, status in ((there, 429), (here, 303)):
        assert sign_in(browser, "another sentence").status_code == status


def test_so_many_browsers_are_known_and_no_more(ann: Crowd, clock: Clock) -> None:
    with ann.database.writing() as session:
        for place in range(devices.MOST_DEVICES + 5):
            devices.add_device(session, ann.ids["ann"], f"{place:064}", "a browser")
            clock.turn(minutes=1)
    assert len(known_to(ann, "ann")) == devices.MOST_DEVICES
    with ann.database.reading() as session:
        assert devices.known_hashes(session, [f"{0:064}"]) == set(), "the one not seen for longest went"


def test_counts_are_tidied_up(ann: Crowd, clock: Clock) -> None:
    import sqlalchemy as sa

    from entrenous.web.service.worker import tidy_up
    from entrenous.web.store.signing_in.sign_in_tables import attempts

    attack(ann, 6)
    clock.turn(days=1, seconds=1)
    tidy_up(ann.database)
    with ann.database.reading() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(attempts)) == 0


def test_counting_works_on_both_databases_and_for_many_at_once(either: Database) -> None:
    from concurrent.futures import ThreadPoolExecutor

    keys = backoff.keys_of_try("ann", ATTACKER, None)

    def one_try(_place: int) -> int:
        return either.write(lambda session: backoff.begin_try(session, keys))

    with ThreadPoolExecutor(8) as many:
        waits = list(many.map(one_try, range(24)))
    assert sum(wait == 0 for wait in waits) == backoff.PAIR.free, "however many come at one moment"
    with either.writing() as session:
        backoff.forgive(session, keys)
    with either.writing() as session:
        assert backoff.begin_try(session, keys) == 0
