"""Parts of files (RFC 9110, section 14): the part that was asked for, after the same access check."""

from __future__ import annotations

from typing import Any

import pytest
from tests.web.crowd import Crowd
from tests.web.papers import paper
from tests.web.serving import photo

KINDS = {"photo": photo(), "text": b"0123456789" * 50, "pdf": paper()}


@pytest.fixture(params=KINDS)
def file(request: pytest.FixtureRequest, crowd: Crowd) -> tuple[Crowd, str, bytes]:
    """A file of ann's that nobody else sees, as a page and as the interface hand it out."""
    crowd.add("ann", "bob")
    files = {"file": ("a.bin", KINDS[request.param], "application/octet-stream")}
    answer = crowd.clients["ann"].post("/items", data={"title": "One", "do": "draft"}, files=files)
    path = f"{answer.url.path}/file"
    return crowd, path, crowd.clients["ann"].get(path).content


def asked(crowd: Crowd, path: str, who: str = "ann", **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return crowd.clients[who].get(path, headers=named)


def test_single_ranges(file: tuple[Crowd, str, bytes]) -> None:
    crowd, path, content = file
    size = len(content)
    for field, start, stop in (
        ("bytes=0-0", 0, 1),
        ("bytes=0-9", 0, 10),
        ("bytes=10-", 10, size),
        (f"bytes={size - 1}-", size - 1, size),
        (f"bytes=5-{size * 9}", 5, size),
        ("bytes=-7", size - 7, size),
        (f"bytes=-{size * 3}", 0, size),
        ("Bytes = 3-4", 3, 5),
    ):
        answer = asked(crowd, path, range=field)
        assert answer.status_code == 206, field
        assert answer.content == content[start:stop], field
        assert answer.headers["content-range"] == f"bytes {start}-{stop - 1}/{size}", field
        assert answer.headers["content-length"] == str(stop - start), field
        assert answer.headers["cache-control"] == "private, no-cache"


def test_parts_put_together_are_the_file(file: tuple[Crowd, str, bytes]) -> None:
    crowd, path, content = file
    step = max(1, len(content) // 7)
    parts = [
        asked(crowd, path, range=f"bytes={at}-{at + step - 1}").content for at in range(0, len(content), step)
    ]
    assert b"".join(parts) == content


def test_parts_that_are_not_there(file: tuple[Crowd, str, bytes]) -> None:
    crowd, path, content = file
    for field in (f"bytes={len(content)}-", f"bytes={len(content) + 5}-{len(content) + 9}", "bytes=-0"):
        answer = asked(crowd, path, range=field)
        assert answer.status_code == 416, field
        assert answer.headers["content-range"] == f"bytes */{len(content)}"
        assert "ask for another one" in answer.text
    token = crowd.token("ann")
    answer = crowd.stranger.get(f"/v1{path}", headers=token | {"range": "bytes=-0"})
    assert (answer.status_code, answer.json()["status"]) == (416, 416)


@pytest.mark.parametrize(
    "field",
    ["bytes=5-2", "bytes=", "bytes=a-b", "lines=0-5", "bytes=0-1,4-5", "0-5", "bytes=--5", "bytes=0x1-"],
)
def test_what_is_no_single_range_gets_the_whole_file(crowd: Crowd, field: str) -> None:
    crowd.add("ann")
    files = {"file": ("a.txt", KINDS["text"], "text/plain")}
    path = (
        crowd.clients["ann"].post("/items", data={"title": "One", "do": "draft"}, files=files).url.path
        + "/file"
    )
    answer = asked(crowd, path, range=field)
    assert (answer.status_code, answer.content) == (200, KINDS["text"])
    assert answer.headers["accept-ranges"] == "bytes"


def test_a_part_of_another_version_is_never_sent(file: tuple[Crowd, str, bytes]) -> None:
    crowd, path, content = file
    tag = asked(crowd, path).headers["etag"]
    same = asked(crowd, path, range="bytes=0-3", if_range=tag)
    assert (same.status_code, same.content) == (206, content[:4])
    for other in ('"another"', f"W/{tag}", "Wed, 18 Nov 2026 12:00:00 GMT", ""):
        answer = asked(crowd, path, range="bytes=0-3", if_range=other)
        assert (answer.status_code, answer.content) == (200, content), other
    beyond = asked(crowd, path, range=f"bytes={len(content)}-", if_range='"another"')
    assert beyond.status_code == 200


def test_head_has_the_headers_and_no_bytes(file: tuple[Crowd, str, bytes]) -> None:
    crowd, path, content = file
    for where, headers in ((path, {}), (f"/v1{path}", crowd.token("ann"))):
        whole = crowd.clients["ann"].get(where, headers=headers)
        answer = crowd.clients["ann"].head(where, headers=headers | {"range": "bytes=0-3"})
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["content-length"] == str(len(content))
        same = ("etag", "content-type", "content-disposition", "cache-control", "vary", "accept-ranges")
        assert {name: answer.headers[name] for name in same} == {name: whole.headers[name] for name in same}


def test_whoever_may_not_see_it_gets_no_part_and_no_size(file: tuple[Crowd, str, bytes]) -> None:
    crowd, path, content = file
    tag = asked(crowd, path).headers["etag"]
    for headers in (
        {"range": "bytes=0-3"},
        {"range": f"bytes={len(content)}-"},
        {"range": "bytes=0-3", "if-range": tag},
        {"if-none-match": tag},
        {"if-none-match": "*"},
        {"if-match": '"another"'},
    ):
        for client, where, more in (
            (crowd.clients["bob"], path, {}),
            (crowd.stranger, path, {}),
            (crowd.stranger, f"/v1{path}", crowd.token("bob")),
        ):
            answer = client.get(where, headers=headers | more)
            assert answer.status_code == 404
            assert not {"content-range", "etag", "accept-ranges"} & set(answer.headers)
            assert client.head(where, headers=headers | more).status_code == 404


def test_if_match(file: tuple[Crowd, str, bytes]) -> None:
    crowd, path, _ = file
    tag = asked(crowd, path).headers["etag"]
    assert asked(crowd, path, if_match=f'"x", {tag}').status_code == 200
    assert asked(crowd, path, if_match="*").status_code == 200
    assert asked(crowd, path, if_match=f"W/{tag}").status_code == 412
