"""Every address of an item, asked by somebody it is not for: as if there were no such item, whatever else is asked."""

from __future__ import annotations

import re

import pytest
from tests.web.crowd import Crowd
from tests.web.serving import photo
from tests.web.test_limits import routes

from entrenous.web.pages import PAGES
from entrenous.web.service import membership, workflow

UNKNOWN = "AAAAAAAAAAAAAAAAAAAAAA"
ASKED = (
    {},
    {"if-none-match": "*"},
    {"if-match": "*"},
    {"range": "bytes=0-3"},
    {"range": "bytes=0-3", "if-range": '"0"'},
)


def addresses(crowd: Crowd) -> list[str]:
    """All addresses of items that are only read, as the service itself lists them, with a gap for the id."""
    found = set()
    for method_and_path in routes(crowd.app.router.routes):
        method, _, path = method_and_path.partition(" ")
        if "{item}" in path and method == "GET":
            path = path.replace("{item}", "ITEM")
            found.add(re.sub(r"\{round_?[^}]*\}", "1", path))
    return sorted(found)


@pytest.fixture
def item(crowd: Crowd) -> str:
    """A private photo of two, with a proposed file."""
    crowd.add("run", "ann", "bob", "eve")
    crowd.befriend(("ann", "bob"), ("ann", "eve"))
    shared = crowd.share("ann", "bob")
    sent = {"file": ("other.jpg", photo(), "image/jpeg")}
    answer = crowd.clients["ann"].post(f"/items/{shared}/change", data={"title": "A day out"}, files=sent)
    assert answer.status_code == 200, answer.text
    return shared


def test_every_address_is_looked_at(crowd: Crowd, item: str) -> None:
    found = addresses(crowd)
    named = {page.path.replace("{item}", "ITEM") for page in PAGES if "{item}" in page.path}
    assert named <= set(found)
    for path in ("file", "screen", "thumbnail", "change/file", "change/screen"):
        assert f"/items/ITEM/{path}" in found
        assert crowd.clients["bob"].get(f"/items/{item}/{path}").status_code == 200, path
    assert any(path.startswith("/v1/items/ITEM") for path in found)


@pytest.mark.parametrize("who", ["eve", "a stranger", "who left", "suspended"])
def test_a_foreign_item_is_as_if_it_were_not_there(crowd: Crowd, item: str, who: str) -> None:
    client, token = crowd.clients["eve"], crowd.token("eve")
    if who == "a stranger":
        client, token = crowd.stranger, {}
    elif who == "who left":
        with crowd.database.writing() as session:
            membership.delete_account(session, crowd.ids["eve"])
    elif who == "suspended":
        client, token = crowd.clients["bob"], crowd.token("bob")
        with crowd.database.writing() as session:
            membership.suspend(session, crowd.ids["run"], crowd.ids["bob"], suspended=True)
    compared = 0
    for path in addresses(crowd):
        for asked in ASKED:
            for method in ("GET", "HEAD"):
                headers = asked | (token if path.startswith("/v1") else {})
                first, second = (
                    client.request(method, path.replace("ITEM", one), headers=headers, follow_redirects=False)
                    for one in (item, UNKNOWN)
                )
                assert first.status_code == second.status_code, (path, asked)
                assert first.status_code in (303, 401, 404, 405), (path, first.status_code)
                assert first.text.replace(item, UNKNOWN) == second.text
                assert _told(first.headers, item) == _told(second.headers, UNKNOWN), path
                compared += 1
    assert compared > 100


def _told(headers: object, one: str) -> dict[str, str]:
    drawn = ("x-request-id", "content-security-policy", "date")
    return {key: value.replace(one, "") for key, value in headers.items() if key not in drawn}  # type: ignore[attr-defined]


def test_who_could_look_before_gets_no_bit_of_a_file_after(crowd: Crowd, item: str) -> None:
    """Also not that it has not changed: the tag that a browser kept is worth nothing."""
    for who in ("ann", "bob"):
        crowd.answer(who, item, {"friends": 5, "friends-of-friends": 5, "public": 5})
    with crowd.database.writing() as session:
        for who in ("ann", "bob"):
            workflow.agree(session, crowd.ids[who], item)
    eve = crowd.clients["eve"]
    tags = {
        path: eve.get(f"/items/{item}/{path}").headers["etag"] for path in ("file", "screen", "thumbnail")
    }
    with crowd.database.writing() as session:
        workflow.set_limit(session, crowd.ids["bob"], item, "private")
    for path, tag in tags.items():
        for headers in ({"if-none-match": tag}, {"range": "bytes=0-1", "if-range": tag}, {"if-match": tag}):
            for method in ("GET", "HEAD"):
                assert eve.request(method, f"/items/{item}/{path}", headers=headers).status_code == 404
