"""What somebody with bad intentions would try first: one test each."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient
from tests.web.crowd import Crowd
from tests.web.serving import photo

from entrenous.web import store
from entrenous.web.http.security import safe_path
from entrenous.web.identity import tokens
from entrenous.web.service import befriending
from entrenous.web.store.schema import metadata

SCRIPT = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7*7 }}"


@pytest.fixture
def pair(crowd: Crowd) -> Crowd:
    crowd.add("ann", "bob")
    crowd.befriend(("ann", "bob"))
    return crowd


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "none"}, True),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site"}, False),
        ({"origin": "http://127.0.0.1:8000"}, True),
        ({"origin": "http://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": "http://127.0.0.1:8000.evil.example"}, False),
        ({}, True),
    ],
)
def test_requests_from_other_sites_change_nothing(pair: Crowd, headers: dict[str, str], passes: bool) -> None:
    answer = pair.clients["ann"].post("/circles", data={"name": "Choir"}, headers=headers)
    assert (answer.status_code != 403) == passes
    assert ("Choir" in pair.clients["ann"].get("/circles").text) == passes


def test_no_page_changes_anything_when_it_is_only_looked_at(pair: Crowd) -> None:
    """What changes something is a POST, so that a picture or link on another site cannot do it."""
    item = pair.share("ann", "bob")
    for path in ("/sign-out", f"/items/{item}/do/withdraw", "/account/delete", f"/items/{item}/claim"):
        assert pair.clients["ann"].get(path).status_code in (404, 405)


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "javascript:alert(1)",
        " //evil.example",
        "///evil.example",
        "/%0d%0aset-cookie:x".replace("%0d%0a", "\r\n"),
    ],
)
def test_no_redirect_leads_off_the_site(target: str) -> None:
    assert safe_path(target) == "/"


def test_answers_carry_their_headers(crowd: Crowd) -> None:
    for path in ("/", "/nothing", "/v1/nothing", "/static/style.css", "/health"):
        headers = crowd.stranger.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        kept = "public, max-age=300" if path.startswith("/static") else "no-store"
        assert headers["cache-control"] == kept


@pytest.mark.parametrize("path", ["/friends", "/v1/friends"])
def test_what_nobody_expected_is_answered_without_a_word_about_it(
    pair: Crowd, path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("planted-in-a-message")

    monkeypatch.setattr(befriending, "friends_page", fail)
    client = TestClient(pair.app, base_url=pair.settings.address, raise_server_exceptions=True)
    client.cookies = pair.clients["ann"].cookies
    answer = client.get(path, headers=pair.token("ann"))  # it would raise what the server gets to log
    assert answer.status_code == 500
    assert "planted" not in answer.text + caplog.text
    assert f"unexpected ValueError at {path}" in caplog.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


def test_pages_load_nothing_from_elsewhere(pair: Crowd) -> None:
    for path in ("/", "/items/new", "/account", "/playground", "/how"):
        page = pair.clients["ann"].get(path).text
        assert "<style" not in page
        assert "style=" not in page
        assert "onclick" not in page
        assert 'src="http' not in page
        assert 'href="http' not in page


def test_scripts_in_names_titles_words_and_petitions_stay_text(pair: Crowd) -> None:
    ann, bob = pair.clients["ann"], pair.clients["bob"]
    ann.post("/account/profile", data={"name": SCRIPT[:80]})
    ann.post("/circles", data={"name": SCRIPT[:40]})
    item = pair.share("ann", "bob", title=SCRIPT, description=SCRIPT)
    for who in ("ann", "bob"):
        pair.answer(who, item)
    bob.post(f"/items/{item}/petition", data={"text": SCRIPT})
    pages = ("/", "/circles", "/friends", "/gallery", "/of-me", "/notifications", "/history", "/account")
    for client in (ann, bob):
        for path in (*pages, f"/items/{item}", f"/items/{item}/view"):
            text = client.get(path).text
            assert "<script>alert" not in text, path
            assert "<img src=x" not in text, path
            assert ">49" not in text, path
    assert "&lt;script&gt;" in bob.get(f"/items/{item}").text


def test_a_document_cannot_run_in_the_browser(pair: Crowd) -> None:
    files = {"file": ("page.html", b"<html><script>alert(1)</script></html>", "text/html")}
    answer = pair.clients["ann"].post("/items", data={"title": "A page", "do": "ask"}, files=files)
    assert answer.status_code == 200
    stored = pair.clients["ann"].get(str(answer.url.path) + "/file")
    assert stored.headers["content-type"].startswith("text/plain")
    assert stored.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in stored.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/..%2fapp.0123456789abcdef.py",
        "/static/app.0123456789abcdef.py",
        "/items/..%2f..%2fetc%2fpasswd/file",
        "/items/%00/file",
        "/items/a%20b/file",
    ],
)
def test_no_path_leads_out_of_its_folder(pair: Crowd, path: str) -> None:
    answer = pair.clients["ann"].get(path)
    assert answer.status_code == 404
    assert "def " not in answer.text
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    "text", ["' OR '1'='1", "x'; DROP TABLE people; --", '" OR 1=1 --', "ann\x00", "%' --"]
)
def test_sql_in_fields_stays_text(pair: Crowd, text: str) -> None:
    stranger = pair.client()
    assert stranger.post("/sign-in", data={"login": text, "password": text}).status_code == 401
    assert pair.clients["ann"].post("/friends", data={"handle": text}).status_code in (404, 409)
    pair.clients["ann"].post("/circles", data={"name": text})
    headers = pair.token("ann")
    answer = stranger.post("/v1/check/batch", json={"items": [text]}, headers=headers)
    assert answer.status_code == 422
    assert "Bob" in pair.clients["ann"].get("/friends").text


def test_a_large_body_is_refused_while_it_is_read(pair: Crowd) -> None:
    most = pair.settings.upload_bytes + 2 * 1024 * 1024
    declared = pair.clients["ann"].post("/items", content=b"", headers={"content-length": str(most)})
    assert declared.status_code == 413

    def stream():  # type: ignore[no-untyped-def]
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n'
        for _ in range(most // 65536 + 1):
            yield b"\0" * 65536

    headers = {"content-type": "multipart/form-data; boundary=x"}
    assert pair.clients["ann"].post("/items", content=stream(), headers=headers).status_code == 413


def test_what_others_own_cannot_be_touched(pair: Crowd) -> None:
    """Every writing page with the ids of somebody else's things: one answer, and nothing happens."""
    pair.add("eve")
    item, eve = pair.share("ann", "bob"), pair.clients["eve"]
    pair.clients["ann"].post("/circles", data={"name": "Choir"})
    before = stored(pair)
    for path, data in {
        f"/items/{item}/tag": {"answer": "accept"},
        f"/items/{item}/tags": {"friend": str(pair.ids["ann"])},
        f"/items/{item}/claim": {},
        f"/items/{item}/claims/{pair.ids['eve']}": {"answer": "accept"},
        f"/items/{item}/edit": {"title": "Mine now"},
        f"/items/{item}/change": {"title": "Mine now"},
        f"/items/{item}/change/answer": {"change": "x", "answer": "accept"},
        f"/items/{item}/change/retract": {},
        f"/items/{item}/expiry": {"expires": "2031-01-01"},
        f"/items/{item}/do/open": {},
        f"/items/{item}/do/withdraw": {},
        f"/items/{item}/do/undo": {},
        f"/items/{item}/do/agree": {},
        f"/items/{item}/do/untag": {},
        f"/items/{item}/view": {"score-friends": "5"},
        f"/items/{item}/limit": {"limit": ""},
        f"/items/{item}/petition": {"text": "Please"},
        "/circles/1": {"name": "Mine now"},
        f"/friends/{pair.ids['ann']}/answer": {"answer": "accept"},
        "/account/sessions/1/end": {},
        "/admin/people/1/suspend": {"do": "suspend"},
    }.items():
        answer = eve.post(path, data=data, follow_redirects=False)
        ended = path == "/account/sessions/1/end"  # a session that is not there is as good as ended
        assert answer.status_code == (303 if ended else 404), path
    assert stored(pair) == before


def stored(crowd: Crowd) -> dict[str, list[tuple[object, ...]]]:
    """Everything in the database but counts of attempts and times of use."""
    tables = {name: table for name, table in metadata.tables.items() if name not in ("hits", "sessions")}
    with crowd.database.engine.connect() as connection:
        rows = {name: connection.execute(sa.select(table)).all() for name, table in tables.items()}
        rows["sessions"] = connection.execute(sa.select(metadata.tables["sessions"].c.id)).all()
    return {name: sorted(map(tuple, found), key=repr) for name, found in rows.items()}


def test_work_that_takes_long_is_counted(pair: Crowd) -> None:
    """Anybody may try the playground, and any token mediate: neither may keep the service from others."""
    with pair.database.writing() as session:
        for key in ("playground address testclient", f"mediate {pair.ids['ann']}"):
            for _ in range(300):
                store.credentials.count_hit(session, tokens.hash_secret(key), timedelta(minutes=60))
    assert pair.stranger.post("/playground", data={"count": "2"}).status_code == 429
    headers = pair.token("ann")
    for people_in_it, status in ((4, 200), (60, 429)):
        wishes = {
            f"u{place}": {"friends": 4, "friends-of-friends": 3, "public": 1} for place in range(people_in_it)
        }
        assert (
            pair.stranger.post("/v1/mediate", json={"wishes": wishes}, headers=headers).status_code == status
        )


def test_claims_and_petitions_are_limited(pair: Crowd) -> None:
    item = pair.share("ann", "bob")
    codes = {
        pair.clients["bob"].post(f"/items/{item}/petition", data={"text": "x"}).status_code for _ in range(11)
    }
    assert 429 in codes
    codes = {pair.clients["bob"].post(f"/items/{item}/claim").status_code for _ in range(21)}
    assert 429 in codes


def test_photos_lose_where_they_were_taken(pair: Crowd) -> None:
    from io import BytesIO

    from PIL import Image

    image = Image.open(BytesIO(photo()))
    exif = Image.Exif()
    exif[0x010F], exif[0x8825] = "A camera", {1: "N", 2: (1.0, 2.0, 3.0)}
    tagged = BytesIO()
    image.save(tagged, "JPEG", exif=exif)
    assert b"A camera" in tagged.getvalue()
    files = {"file": ("p.jpg", tagged.getvalue(), "image/jpeg")}
    answer = pair.clients["ann"].post("/items", data={"title": "Where", "do": "draft"}, files=files)
    stored = pair.clients["ann"].get(str(answer.url.path) + "/file").content
    assert b"A camera" not in stored
    assert not Image.open(BytesIO(stored)).getexif()
