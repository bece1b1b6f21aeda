"""What browsers may keep: files only if they ask each time, style and script for a year, pages never."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from tests.web.crowd import Crowd
from tests.web.serving import photo

from entrenous.web.http.files import static_files
from entrenous.web.http.files.static_files import FOLDER, static
from entrenous.web.service import befriending, workflow

EVERYONE = {"friends": 5, "friends-of-friends": 5, "public": 5}
FRIENDS = {"friends": 5, "friends-of-friends": 0, "public": 0}
SIZES = ("file", "screen", "thumbnail")


@pytest.fixture
def people(crowd: Crowd) -> Crowd:
    """Ann and bob, who share things, and eve, a friend of both."""
    crowd.add("ann", "bob", "eve")
    crowd.befriend_all("ann", "bob", "eve")
    return crowd


def shared(crowd: Crowd, scores: dict[str, int]) -> str:
    item = crowd.share("ann", "bob")
    for who in ("ann", "bob"):
        crowd.answer(who, item, scores)
    for who in ("ann", "bob"):
        crowd.clients[who].post(f"/items/{item}/do/agree")
    return item


@contextmanager
def statements(crowd: Crowd) -> Iterator[list[str]]:
    asked: list[str] = []

    def note(*call: Any) -> None:
        asked.append(call[2])

    event.listen(crowd.database.engine, "before_cursor_execute", note)
    yield asked
    event.remove(crowd.database.engine, "before_cursor_execute", note)


def reads_bytes(asked: list[str]) -> bool:
    return any(re.search(r"contents\.content\b|substr", statement) for statement in asked)


def test_a_file_is_kept_privately_and_asked_about_every_time(people: Crowd) -> None:
    """Fault 8: original photos again on every reload."""
    item = shared(people, FRIENDS)
    eve, token = people.clients["eve"], people.token("eve")
    paths = [(f"/items/{item}/{size}", {}) for size in SIZES]
    paths += [
        (f"/v1/items/{item}/file?variant={size}", token) for size in ("original", "screen", "thumbnail")
    ]
    for path, headers in paths:
        first = eve.get(path, headers=headers)
        assert first.status_code == 200
        assert first.headers["cache-control"] == "private, no-cache"
        assert first.headers["vary"] == "Cookie, Authorization"
        tag = first.headers["etag"]
        for field in (tag, f"W/{tag}", f'"other", {tag}', "*"):
            again = eve.get(path, headers=headers | {"if-none-match": field})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == tag
            assert again.headers["cache-control"] == "private, no-cache"
        assert eve.get(path, headers=headers | {"if-none-match": '"other"'}).content == first.content


def test_not_modified_reads_no_bytes(people: Crowd) -> None:
    item = shared(people, FRIENDS)
    eve = people.clients["eve"]
    for size in SIZES:
        with statements(people) as asked:
            tag = eve.get(f"/items/{item}/{size}").headers["etag"]
        assert reads_bytes(asked), "the test would notice"
        with statements(people) as asked:
            assert eve.get(f"/items/{item}/{size}", headers={"if-none-match": tag}).status_code == 304
            assert eve.head(f"/items/{item}/{size}").status_code == 200
            assert eve.get(f"/items/{item}/{size}", headers={"range": "bytes=-0"}).status_code == 416
        assert asked
        assert not reads_bytes(asked)


def lose_friend(crowd: Crowd, _item: str) -> None:
    with crowd.database.writing() as session:
        befriending.end_friendship(session, crowd.ids["bob"], crowd.ids["eve"])


def set_limit(crowd: Crowd, item: str) -> None:
    with crowd.database.writing() as session:
        workflow.set_limit(session, crowd.ids["bob"], item, "private")


def withdraw(crowd: Crowd, item: str) -> None:
    crowd.clients["ann"].post(f"/items/{item}/do/withdraw")


@pytest.mark.parametrize("loss", [lose_friend, set_limit, withdraw])
def test_whoever_lost_access_gets_nothing_for_a_tag_they_know(people: Crowd, loss: Any) -> None:
    item = shared(people, FRIENDS)
    eve, token = people.clients["eve"], people.token("eve")
    tags = {size: eve.get(f"/items/{item}/{size}").headers["etag"] for size in SIZES}
    loss(people, item)
    for size, tag in tags.items():
        for field in (tag, "*"):
            answer = eve.get(f"/items/{item}/{size}", headers={"if-none-match": field})
            assert answer.status_code == 404
            assert answer.headers["cache-control"] == "no-store"
            assert "etag" not in answer.headers
    answer = eve.get(f"/v1/items/{item}/file", headers=token | {"if-none-match": tags["file"]})
    assert answer.status_code == 404


def test_guests_see_what_is_public_and_only_as_long_as_it_is(people: Crowd) -> None:
    item = shared(people, EVERYONE)
    first = people.stranger.get(f"/items/{item}/screen")
    again = {"if-none-match": first.headers["etag"]}
    assert first.headers["cache-control"] == "private, no-cache"
    assert people.stranger.get(f"/items/{item}/screen", headers=again).status_code == 304
    set_limit(people, item)
    assert people.stranger.get(f"/items/{item}/screen", headers=again).status_code == 404
    assert people.clients["ann"].get(f"/items/{item}/screen", headers=again).status_code == 304


def test_a_tag_tells_nothing_about_what_is_in_a_file(people: Crowd) -> None:
    """The same photo put up twice has two tags: nobody finds out by theirs whether another's is the same."""
    items = [people.share("ann") for _ in range(2)]
    answers = [people.clients["ann"].get(f"/items/{item}/file") for item in items]
    assert answers[0].content == answers[1].content
    assert answers[0].headers["etag"] != answers[1].headers["etag"]
    tags = {people.clients["ann"].get(f"/items/{items[0]}/{size}").headers["etag"] for size in SIZES}
    assert len(tags) == 3


def test_a_replaced_file_has_another_tag(people: Crowd) -> None:
    item = people.share("ann")
    ann = people.clients["ann"]
    before = ann.get(f"/items/{item}/screen").headers["etag"]
    files = {"file": ("p.jpg", photo("another"), "image/jpeg")}
    ann.post(f"/items/{item}/change", data={"title": "A day out"}, files=files)
    after = ann.get(f"/items/{item}/screen", headers={"if-none-match": before})
    assert after.status_code == 200
    assert after.headers["etag"] != before


def test_a_name_that_is_hidden_from_now_on_is_not_kept_with_the_file(people: Crowd) -> None:
    files = {"file": ("ann-at-home.jpg", photo(), "image/jpeg")}
    ann = people.clients["ann"]
    item = str(ann.post("/items", data={"title": "One", "do": "ask"}, files=files).url.path)
    people.answer("ann", item.split("/")[2], EVERYONE)
    first = people.stranger.get(f"{item}/file")
    assert "ann-at-home" in first.headers["content-disposition"]
    ann.post(f"{item}/do/untag")
    second = people.stranger.get(f"{item}/file", headers={"if-none-match": first.headers["etag"]})
    assert second.status_code == 200
    assert "ann" not in second.headers["content-disposition"]


def test_pages_and_answers_of_the_interface_are_never_kept(people: Crowd) -> None:
    item = people.share("ann")
    for path in ("/", f"/items/{item}", "/gallery", f"/v1/items/{item}", "/my-data", "/nothing"):
        answer = people.clients["ann"].get(path, headers=people.token("ann"))
        assert answer.headers["cache-control"] == "no-store", path


# --- style, script and icon ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.iterdir()))
def test_our_own_files_are_kept_for_a_year_under_an_address_with_their_hash(crowd: Crowd, name: str) -> None:
    """Fault 8: /static was no-store."""
    address = static(name)
    assert re.fullmatch(r"/static/[\w-]+\.[0-9a-f]{16}\.\w+", address)
    answer = crowd.stranger.get(address)
    assert answer.content == (FOLDER / name).read_bytes()
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"].startswith(
        ("text/css", "text/javascript", "image/svg", "application/java")
    )
    again = crowd.stranger.get(address, headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_pages_name_our_files_by_their_hash_and_no_other_way(crowd: Crowd) -> None:
    page = crowd.stranger.get("/how").text
    named = re.findall(r'"(/static/[^"]+)"', page)
    assert sorted(named) == sorted(static(name) for name in ("style.css", "icon.svg", "page.js"))


def test_plain_and_outdated_addresses_work_and_are_kept_for_minutes(crowd: Crowd) -> None:
    for path in ("/static/style.css", "/static/style.0123456789abcdef.css"):
        answer = crowd.stranger.get(path)
        assert answer.content == (FOLDER / "style.css").read_bytes()
        assert answer.headers["cache-control"] == "public, max-age=300"
        assert crowd.stranger.get(path, headers={"if-none-match": answer.headers["etag"]}).status_code == 304
    for path in ("/static/nothing.css", "/static/nothing.0123456789abcdef.css", "/static/"):
        answer = crowd.stranger.get(path)
        assert (answer.status_code, answer.headers["cache-control"]) == (404, "no-store")


def test_another_content_has_another_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "style.css").write_text("body { color: red }")
    before = static("style.css")
    monkeypatch.setattr(static_files, "FOLDER", tmp_path)
    static_files._hash.cache_clear()
    static.cache_clear()
    assert static("style.css") != before
    static_files._hash.cache_clear()
    static.cache_clear()
