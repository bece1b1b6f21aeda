"""Links in mails, opened by somebody who is not signed in: they lead to the door and from there to the page."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
from tests.web.conftest import Clock
from tests.web.crowd import Crowd
from tests.web.serving import PASSWORD

from entrenous.web.identity import passwords
from entrenous.web.pages import PAGES

OF_ITEMS = [page.path for page in PAGES if page.path.startswith("/items/{item}/")]


@pytest.fixture
def pair(crowd: Crowd) -> Crowd:
    crowd.add("ann", "bob", password_hash=passwords.hash_password(PASSWORD))
    crowd.befriend(("ann", "bob"))
    return crowd


def test_a_link_leads_to_the_door_and_then_to_the_page(pair: Crowd) -> None:
    """Fault 10: whoever was not signed in got a bare 404."""
    item = pair.share("ann", "bob", title="A day out")
    page = pair.stranger.get(f"/items/{item}")
    assert page.status_code == 404
    assert "Sign in to see whether you may see this." in page.text
    door = re.search(r'class="button" href="(/sign-in\?next=([^"]+))"', page.text)
    assert door is not None
    assert unquote(door[2]) == f"/items/{item}"
    form = pair.stranger.get(door[1]).text
    go_on = re.search(r'name="next" value="([^"]+)"', form)
    assert go_on is not None
    sent = {"login": "bob", "password": PASSWORD, "next": go_on[1]}
    assert "A day out" in pair.stranger.post("/sign-in", data=sent).text
    assert str(pair.stranger.get(f"/items/{item}").url).endswith(f"/items/{item}")


def test_the_page_tells_nothing(pair: Crowd, clock: Clock) -> None:
    """Unknown, forbidden, withdrawn and impossible: the same bytes, but for the address that was asked for."""
    hidden, withdrawn, draft = pair.share("ann", "bob"), pair.share("ann"), pair.share("ann", do="draft")
    pair.clients["ann"].post(f"/items/{withdrawn}/do/withdraw")
    unknown = "x" * len(hidden)
    for part in ("", "/file", "/thumbnail", "/nothing"):
        answers = []
        for item in (unknown, hidden, withdrawn, draft, "not~an~id"):
            answer = pair.stranger.get(f"/items/{item}{part}")
            headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
            answers.append((answer.status_code, headers, answer.text.replace(item, "<item>")))
        assert all(answer == answers[0] for answer in answers), part
        assert answers[0][0] == 404


@pytest.mark.parametrize("path", OF_ITEMS)
def test_pages_of_items_show_the_door_alike(pair: Crowd, path: str) -> None:
    hidden = pair.share("ann", "bob")
    doors = set()
    for item in ("x" * len(hidden), hidden):
        answer = pair.stranger.get(path.format(item=item), follow_redirects=False)
        location = answer.headers["location"].replace(item, "<item>")
        doors.add((answer.status_code, location, answer.content))
    assert doors == {(303, "/sign-in?next=" + path.replace("{item}", "<item>"), b"")}


def test_what_a_guest_may_see_is_shown_as_before(pair: Crowd, clock: Clock) -> None:
    item = pair.share("ann", title="For everyone")
    pair.answer("ann", item, {"friends": 5, "friends-of-friends": 5, "public": 5})
    clock.turn(hours=25)
    page = pair.stranger.get(f"/items/{item}")
    assert page.status_code == 200
    assert "For everyone" in page.text
    assert "Sign in to see whether" not in page.text


def test_somebody_signed_in_is_told_what_they_always_were(pair: Crowd) -> None:
    pair.add("cleo")
    hidden = pair.share("ann", "bob")
    seen = {
        pair.clients["cleo"].get(f"/items/{item}").text.replace(item, "<item>")
        for item in (hidden, "x" * len(hidden))
    }
    assert len(seen) == 1
    assert "Sign in" not in seen.pop()


@pytest.mark.parametrize(
    "path", ["/items/%22onload%3D", "/items/%0d%0aset-cookie", "//evil.example/x", "/%5c%5cevil"]
)
def test_the_way_on_stays_here(pair: Crowd, path: str) -> None:
    page = pair.stranger.get(f"http://127.0.0.1:8000{path}")
    assert page.status_code == 404
    door = re.search(r'href="(/sign-in\?next=[^"]+)"', page.text)
    assert door is not None
    form = pair.stranger.get(door[1]).text
    go_on = re.search(r'name="next" value="(/[^"/\\]?[^"\\]*)"', form)
    assert go_on is not None
    assert not go_on[1].startswith("//")
