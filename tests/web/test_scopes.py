"""Scopes of tokens: one's own sealed answers need one of their own, which no other scope holds."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Clock
from tests.web.crowd import SCORES, Crowd

from entrenous.web.identity import tokens
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

OTHERS = [scope for scope in tokens.SCOPES if scope != "answers"]


@pytest.fixture
def pair(crowd: Crowd) -> Crowd:
    crowd.add("ann", "bob")
    crowd.befriend(("ann", "bob"))
    return crowd


@pytest.mark.parametrize("path", ["/v1/items/{item}/view", "/v1/standing-line", "/v1/me/data"])
def test_own_answers_need_their_own_scope(pair: Crowd, path: str) -> None:
    """Fault 10: the scope `read` handed out one's own sealed answers."""
    item = pair.share("ann", "bob")
    pair.answer("bob", item, limit="friends")
    path = path.format(item=item)
    before = pair.token("bob", "read")  # such as one that was made before there was this scope
    assert pair.stranger.get("/v1/me", headers=before).status_code == 200
    for scopes in (["read"], OTHERS):
        refused = pair.stranger.get(path, headers=pair.token("bob", *scopes))
        assert refused.status_code == 403
        assert refused.json()["detail"] == "This token may not do that; it lacks the scope answers."
    assert pair.stranger.get(path, headers=pair.token("bob", "read", "answers")).status_code == 200


def test_the_scope_for_answers_holds_nothing_else(pair: Crowd) -> None:
    item, headers = pair.share("ann", "bob"), pair.token("bob", "answers")
    pair.answer("bob", item, limit="friends")
    own = pair.stranger.get(f"/v1/items/{item}/view", headers=headers).json()
    assert (own["scores"], own["limit"]) == (SCORES, "friends")
    for path in ("/v1/me", "/v1/items", f"/v1/items/{item}", "/v1/me/data", "/v1/friends"):
        assert pair.stranger.get(path, headers=headers).status_code == 403


def test_the_account_page_offers_it_apart(pair: Crowd) -> None:
    page = pair.clients["ann"].get("/account").text
    assert "<strong>read</strong>: read what you can read on the pages, but for your own answers" in page
    assert "<strong>answers</strong>: read your own answers" in page


NARROW: dict[str, Any] = {
    "scores": {"friends": 5, "friends-of-friends": 1, "public": 0},
    "limit": "friends",
    "line": "private",
    "percent": 20,
}
WIDE: dict[str, Any] = {
    "scores": {"friends": 4, "friends-of-friends": 4, "public": 4},
    "limit": "friends-of-friends",
    "line": "public",
    "percent": 70,
}


@pytest.fixture
def world(settings: Settings, migrated: Path, tmp_path: Path) -> Iterator[Callable[..., Crowd]]:
    """How to live through one story with what bob keeps to himself given."""
    opened = []

    def live(name: str, scores: dict[str, int], limit: str, line: str, percent: int) -> Crowd:
        shutil.copy(migrated, tmp_path / f"{name}.db")
        here = replace(
            settings, database=f"sqlite:///{tmp_path}/{name}.db", keys=f"sqlite:///{tmp_path}/{name}.keys"
        )
        database = Database(here, clock=Clock())
        opened.append(database)
        crowd = Crowd(database, here)
        crowd.add("ann", "bob")
        crowd.befriend(("ann", "bob"))
        bob, ann = crowd.clients["bob"], crowd.ids["ann"]
        headers = crowd.token("bob", "write")
        bob.put(f"/v1/friends/{ann}/listening", json={"percent": percent}, headers=headers)
        bob.put("/v1/standing-line", json={"line": line, "counts_for": []}, headers=headers)
        for title in ("decided", "open"):
            item = crowd.share("ann", "bob", title=title)
            crowd.answer("bob", item, scores, limit=limit)
            if title == "decided":
                crowd.answer("ann", item, {"friends": 5, "friends-of-friends": 0, "public": 0})
        return crowd

    yield live
    for database in opened:
        database.close()


def everything(crowd: Crowd, *scopes: str) -> dict[str, str]:
    """Return all that a token of bob's reads, by path, with ids that differ between worlds evened out."""
    headers = crowd.token("bob", *scopes)
    client = crowd.stranger
    ids = {
        one["id"]: f"<{one['title']}>"
        for one in client.get("/v1/items?which=of-me", headers=crowd.token("bob", "read")).json()
    }
    found: dict[str, str] = {}
    for path, operations in client.get("/v1/openapi.json").json()["paths"].items():
        if "get" not in operations:
            continue
        for item in ids if "{item}" in path else [""]:
            asked = path.replace("{item}", item).replace("{round_}", "1")
            text = client.get(asked, headers=headers).text
            for one, name in ids.items():
                asked, text = asked.replace(one, name), text.replace(one, name)
            found[asked] = text
    return found


def differing(one: dict[str, str], other: dict[str, str]) -> set[str]:
    assert one.keys() == other.keys()
    return {path for path, text in one.items() if text != other[path]}


@pytest.mark.long
def test_nothing_read_without_that_scope_depends_on_own_answers(world: Callable[..., Crowd]) -> None:
    """Fault 10: two worlds that differ in what bob answered; a token without the scope reads the same in both."""
    narrow, wide = world("narrow", **NARROW), world("wide", **WIDE)
    commitments = {"/v1/items/<decided>/decisions/1"}  # random in every world
    assert differing(everything(narrow, *OTHERS), everything(wide, *OTHERS)) == commitments
    told = differing(everything(narrow, *tokens.SCOPES), everything(wide, *tokens.SCOPES))
    assert told - commitments == {
        "/v1/friends",
        "/v1/items/<decided>",
        "/v1/items/<decided>/view",
        "/v1/items/<open>/view",
        "/v1/me/data",
        "/v1/standing-line",
    }, "the test would notice"
