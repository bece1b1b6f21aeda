"""Limits: every route that answers about others has one, on pages and for programs, and it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from starlette.routing import BaseRoute
from tests.web.crowd import Crowd
from tests.web.posting import at

from entrenous.web.http import limits
from entrenous.web.http.limits import FREE, LIMITS, Limit


def routes(found: list[BaseRoute], prefix: str = "") -> Iterator[str]:
    """Yield every route of the service as "METHOD /path"."""
    for route in found:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from routes(inner.routes, prefix + str(getattr(inner, "prefix", "")))
            continue
        path = str(getattr(route, "path", ""))
        for method in getattr(route, "methods", None) or ():
            if method != "HEAD":
                yield f"{method} {path if path.startswith(prefix) else prefix + path}"


@pytest.fixture
def known(crowd: Crowd) -> set[str]:
    return set(routes(crowd.app.router.routes))


def test_every_route_has_a_limit_or_a_reason_to_need_none(known: set[str]) -> None:
    """Fault 7: `POST /v1/friends` and `/account/profile` had no limit. A new route fails here until it has a row."""
    assert len(known) > 100, "the walk sees what there is"
    missing = known - LIMITS.keys() - FREE.keys()
    assert not missing, (
        f"put into http/limits.py, or say in FREE why they tell nothing about others: {missing}"
    )
    assert not (LIMITS.keys() | FREE.keys()) - known, "rows of routes that are gone"
    assert not LIMITS.keys() & FREE.keys()


def test_nothing_that_takes_a_name_or_an_id_is_free(known: set[str]) -> None:
    """What is found by something that was sent, in the path, a form or a body, is never without a limit."""
    assert not [route for route in FREE if "{" in route]
    named = {
        "POST /friends",
        "POST /v1/friends",
        "POST /account/profile",
        "POST /register",
        "POST /forgot",
        "POST /v1/check",
        "POST /v1/check/batch",
    }
    assert named <= LIMITS.keys() & known


def test_what_finds_people_or_writes_to_them_is_counted_for_all_processes() -> None:
    for route in (
        "POST /friends",
        "POST /v1/friends",
        "POST /account/profile",
        "POST /register",
        "POST /forgot",
    ):
        assert LIMITS[route].shared, route
    assert LIMITS["POST /friends"] == LIMITS["POST /v1/friends"], "one count: the pages are no way around"


@pytest.mark.long
def test_the_limit_of_every_route_holds(crowd: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for one request the second is refused, whoever asks: enforced by what every request passes."""
    crowd.add("ann")
    headers = crowd.token("ann")
    for route, limit in LIMITS.items():
        monkeypatch.setattr(limits, "LIMITS", {route: replace(limit, name=route, most=1)})
        method, path = route.split(" ", 1)
        path = path.replace("{step}", "agree").replace("{item}", "x" * 22).replace("{secret}", "x" * 43)
        ask = partial(
            crowd.clients["ann"].request,
            method,
            re.sub(r"\{\w+\}", "9", path),
            headers=headers if path.startswith("/v1") else {},
            follow_redirects=False,
            **sent(route),
        )
        codes = [ask().status_code, ask().status_code]
        assert codes[0] != 429, route
        assert codes[1] == 429, (route, codes)


def sent(route: str) -> dict[str, Any]:
    """Return a body that is read before anybody is known, where there is such a thing."""
    if route in ("POST /v1/items", "POST /v1/items/{item}/change"):
        return {"data": {"title": "x"}, "files": {"file": ("a.txt", b"text", "text/plain")}}
    bodies: dict[str, Any] = {
        "POST /v1/friends": {"handle": "nobody"},
        "POST /v1/check": {"item": "x" * 22},
        "POST /v1/check/batch": {"items": ["x" * 22]},
        "POST /v1/circles": {"name": "x", "members": []},
        "PUT /v1/circles/{circle}": {"name": "x", "members": []},
        "PUT /v1/standing-line": {"line": "friends", "counts_for": []},
        "PUT /v1/friends/{other}/listening": {"percent": 1},
        "PUT /v1/items/{item}": {"title": "x", "description": ""},
        "PUT /v1/items/{item}/expiry": {"expires": None},
        "POST /v1/items/{item}/tags": {"people": [1]},
        "POST /v1/items/{item}/open": {"days": 1},
        "PUT /v1/items/{item}/view": {"scores": {"friends": 1}},
        "PUT /v1/items/{item}/limit": {"limit": None},
        "POST /v1/items/{item}/petition": {"text": "x"},
        "POST /v1/items/{item}/change/answer": {"change": "x", "accept": True},
    }
    if route in bodies:
        return {"json": bodies[route]}
    return {"json": {"accept": True}} if route.startswith("POST /v1") else {}


def test_strangers_are_counted_by_their_address(crowd: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LIMITS", {"GET /gallery": Limit("look", 2, 10)})
    codes = [at(crowd, "192.0.2.1").get("/gallery").status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    assert at(crowd, "192.0.2.2").get("/gallery").status_code == 200


def test_a_person_is_counted_wherever_they_sit(crowd: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    crowd.add("runs", "ann")
    monkeypatch.setattr(
        limits, "LIMITS", {"GET /friends": Limit("look", 1, 10), "GET /v1/friends": Limit("look", 1, 10)}
    )
    assert crowd.clients["ann"].get("/friends").status_code == 200
    assert crowd.client().get("/v1/friends", headers=crowd.token("ann")).status_code == 429
    assert crowd.clients["runs"].get("/friends").status_code == 200


def test_a_route_that_nobody_put_into_the_table_is_counted_all_the_same(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd.add("ann")
    monkeypatch.setattr(limits, "LIMITS", {})
    monkeypatch.setattr(limits, "REST", Limit("rest", 1, 10))
    codes = [crowd.clients["ann"].get(path).status_code for path in ("/friends", "/gallery")]
    assert codes == [200, 429]


def test_asking_for_friends_is_limited_for_programs_and_pages_together(crowd: Crowd) -> None:
    """Fault 7: a program could try all names there are."""
    crowd.add("runs", "ann")
    headers = crowd.token("ann")
    codes = []
    for place in range(101):
        client, path = crowd.clients["ann"], "/friends" if place % 2 else "/v1/friends"
        body = {"data": {"handle": f"person{place}"}} if place % 2 else {"json": {"handle": f"person{place}"}}
        codes.append(client.post(path, headers=headers, **body).status_code)
    assert codes == [404] * 100 + [429]


def test_reading_writes_nothing_for_its_limit(crowd: Crowd) -> None:
    """A page that is looked at is counted in memory: its limit costs no write."""
    from tests.web.posting import statements

    crowd.add("ann")
    crowd.clients["ann"].get("/friends")  # notes once in a while that a session is used
    for path in ("/friends", "/gallery", "/account"):
        taken = statements(crowd, lambda one=path: crowd.clients["ann"].get(one))
        assert not [one for one in taken if one.startswith(("INSERT", "UPDATE", "DELETE"))]


def test_memory_of_counts_is_bounded() -> None:
    counters = limits.Counters(most=100)
    for place in range(1000):
        counters.count(str(place), Limit("look", 10, 10))
    assert len(counters._counts) <= 100
