"""A crowd at the door: passwords are hashed apart, pages are answered meanwhile, and the line has an end."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from tests.web.crowd import Crowd
from tests.web.posting import at
from tests.web.serving import PASSWORD

from entrenous.web.http.visits import Service
from entrenous.web.identity import hashing, passwords
from entrenous.web.identity.hashing import MOST_FROM_ONE, MOST_WAITING, HashingRoom
from entrenous.web.service.accounts import forgotten

PATIENCE = 300


@pytest.fixture
def ann(crowd: Crowd) -> Crowd:
    crowd.add("runs")
    crowd.add("ann", password_hash=passwords.hash_password(PASSWORD))
    return crowd


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Nothing is hashed until the event is set."""
    go_on = threading.Event()

    def waiting(work: Callable[..., Any]) -> Callable[..., Any]:
        def wait(*given: Any) -> Any:
            assert go_on.wait(PATIENCE)
            return work(*given)

        return wait

    for name in ("password_fits", "hash_password"):
        monkeypatch.setattr(passwords, name, waiting(getattr(passwords, name)))
    yield go_on
    go_on.set()


def room(crowd: Crowd) -> HashingRoom:
    shared: Service = crowd.app.state.service
    return shared.hashing


def filled(crowd: Crowd, many: ThreadPoolExecutor) -> list[Future[Any]]:
    """Let as many sign in as there are places, from as few networks as can, and wait until all stand in line."""
    networks = [f"198.51.100.{place // MOST_FROM_ONE}" for place in range(MOST_WAITING)]
    pending = [many.submit(try_at, crowd, network, place) for place, network in enumerate(networks)]
    wait_for(crowd, MOST_WAITING)
    return pending


def try_at(crowd: Crowd, network: str, place: int) -> Any:
    form = {"login": f"person{place}", "password": "wrong as it is"}
    return at(crowd, network).post("/sign-in", data=form)


def wait_for(crowd: Crowd, number: int) -> None:
    end = time.monotonic() + PATIENCE
    while room(crowd).waiting < number:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_pages_are_answered_while_eighty_sign_in_and_the_next_is_asked_to_come_again(
    ann: Crowd, stopped: threading.Event
) -> None:
    """Fault 7: 80 parallel sign-ins held all threads, and pages waited 49.7 seconds for 0.13."""
    assert MOST_WAITING == 80
    with ThreadPoolExecutor(MOST_WAITING + 20) as many:
        pending = filled(ann, many)
        pages = [
            many.submit(ann.clients["ann"].get, path) for path in ("/", "/friends", "/how", "/account") * 5
        ]
        assert [page.result(PATIENCE).status_code for page in pages] == [200] * 20
        assert not any(one.done() for one in pending), "not one password was looked at meanwhile"
        for path, form in (
            ("/sign-in", {"login": "ann", "password": PASSWORD}),
            ("/register", {"handle": "new", "name": "New", "password": PASSWORD}),
            ("/reset", {"password": PASSWORD}),
        ):
            answer = at(ann, "192.0.2.2").post(path, data=form)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "10"), path
        change = {"current": PASSWORD, "password": "another sentence"}
        for path in ("/account/password", "/account/delete"):
            assert ann.clients["ann"].post(path, data=change).status_code == 503, path
        stopped.set()
        assert {one.result(PATIENCE).status_code for one in pending} == {401}
    assert room(ann).waiting == 0
    form = {"login": "ann", "password": PASSWORD}
    answer = at(ann, "192.0.2.3").post("/sign-in", data=form, follow_redirects=False)
    assert answer.status_code == 303, "who was asked to come again had no try counted"


def test_one_network_does_not_fill_the_line(ann: Crowd, stopped: threading.Event) -> None:
    """Who floods the door from one place, of IPv6 from one /64, keeps nobody out but those there."""
    with ThreadPoolExecutor(MOST_FROM_ONE + 1) as many:
        pending = [many.submit(try_at, ann, f"2001:db8::{place:x}", place) for place in range(MOST_FROM_ONE)]
        wait_for(ann, MOST_FROM_ONE)
        assert try_at(ann, "2001:db8::ffff", 99).status_code == 503
        right = {"login": "ann", "password": PASSWORD}
        owner = many.submit(at(ann, "192.0.2.2").post, "/sign-in", data=right, follow_redirects=False)
        wait_for(ann, MOST_FROM_ONE + 1)
        stopped.set()
        assert owner.result(PATIENCE).status_code == 303
        assert {one.result(PATIENCE).status_code for one in pending} == {401}
    assert (room(ann).waiting, dict(room(ann)._inside)) == (0, {}), "and nothing is kept of who was there"


def test_who_waits_for_a_hash_holds_no_connection(ann: Crowd, stopped: threading.Event) -> None:
    with ThreadPoolExecutor(MOST_WAITING) as many:
        pending = filled(ann, many)
        end = time.monotonic() + PATIENCE
        while ann.database.engine.pool.checkedout():  # type: ignore[attr-defined]
            assert time.monotonic() < end
            time.sleep(0.01)
        stopped.set()
        assert {one.result(PATIENCE).status_code for one in pending} == {401}


def test_hashing_has_fewer_threads_than_cores_and_the_lowest_claim_to_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import asyncio

    monkeypatch.setattr(hashing, "threads", lambda: 4)
    wide = HashingRoom()
    assert wide._threads._max_workers == 3
    nice, name = asyncio.run(
        wide.do(
            lambda: (
                os.getpriority(os.PRIO_PROCESS, threading.get_native_id()),
                threading.current_thread().name,
            )
        )
    )
    assert name.startswith("entrenous-hashing")
    assert nice >= hashing.NICENESS
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) < hashing.NICENESS, (
        "and nobody else has"
    )
    monkeypatch.setattr(hashing, "threads", lambda: 1)
    assert HashingRoom()._threads._max_workers == 1
    wide.close()


def test_no_page_hashes_outside_the_room(ann: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    """Registering, signing in, changing and resetting a password: every hash is made in one of the room's threads."""
    seen: set[str] = set()

    def noting(work: Callable[..., Any]) -> Callable[..., Any]:
        def note(*given: Any) -> Any:
            seen.add(threading.current_thread().name.rsplit("_", 1)[0])
            return work(*given)

        return note

    for name in ("password_fits", "hash_password"):
        monkeypatch.setattr(passwords, name, noting(getattr(passwords, name)))
    client = ann.client()
    client.post("/register", data={"handle": "new", "name": "New", "password": PASSWORD})
    client.post("/account/password", data={"current": PASSWORD, "password": "another sentence"})
    client.post("/sign-in", data={"login": "new", "password": "another sentence"})
    client.post("/account/delete", data={"current": "another sentence"})
    assert seen == {"entrenous-hashing"}
    seen.clear()
    client.post("/reset", data={"password": "yet another one"})
    assert not seen, "without a link nothing is hashed"
    with ann.database.writing() as session:
        link = forgotten.reset_link(session, "ann")
    client.get(link.removeprefix(ann.settings.address))
    client.post("/reset", data={"password": "yet another one"})
    assert seen == {"entrenous-hashing"}
