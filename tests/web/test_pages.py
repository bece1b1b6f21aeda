"""The pages without a browser: what they say, whom they let in, and what they do with mistakes."""

from __future__ import annotations

import re
import time
from pathlib import Path
from statistics import median

import pytest
from tests.web.conftest import Clock
from tests.web.crowd import SCORES, Crowd, plain
from tests.web.serving import PASSWORD, photo

import entrenous.web
from entrenous.web.http import phrases
from entrenous.web.pages import PAGES, router

WEB = Path(entrenous.web.__file__).parent
PLAIN = [page for page in PAGES if "{" not in page.path]
"""Pages without parameters."""


@pytest.fixture
def pair(crowd: Crowd) -> Crowd:
    crowd.add("ann", "bob", "cleo")
    crowd.befriend(("ann", "bob"))
    return crowd


@pytest.mark.parametrize("path", [page.path for page in PLAIN if page.readers == "anybody"])
def test_pages_for_anybody(crowd: Crowd, path: str) -> None:
    answer = crowd.stranger.get(path)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert "<h1>" in answer.text


@pytest.mark.parametrize("path", [page.path for page in PLAIN if page.readers == "members"])
def test_pages_for_members_show_others_the_door(pair: Crowd, path: str) -> None:
    assert pair.clients["bob"].get(path).status_code == 200
    door = pair.stranger.get(path, follow_redirects=False)
    assert (door.status_code, door.headers["location"]) == (303, f"/sign-in?next={path}")


def test_pages_for_administrators_are_not_there_for_others(pair: Crowd) -> None:
    for page in PLAIN:
        if page.readers == "administrators":
            assert pair.clients["ann"].get(page.path).status_code == 200
            assert pair.clients["bob"].get(page.path).status_code == 404


def test_every_page_is_in_the_table() -> None:
    routes = {
        route.path
        for included in router.routes
        for route in getattr(getattr(included, "original_router", None), "routes", [included])
        if "GET" in getattr(route, "methods", ())
    }
    not_pages = {
        "/sign-in/provider",
        "/sign-in/provider/back",
        "/items/{item}/file",
        "/items/{item}/screen",
        "/items/{item}/thumbnail",
        "/items/{item}/change/file",
        "/administer/{secret}",
        "/confirm/{secret}",
        "/reset/{secret}",
        "/items/{item}/change/screen",
    }
    assert routes - not_pages == {page.path for page in PAGES}


MENUS = {"top": ("<nav", "</nav>"), "menu": ("</nav>", "<main"), "foot": ("<footer", "</footer>")}
"""Where the links of each kind stand on a page."""


def links(text: str, where: str) -> list[str]:
    start, end = MENUS[where]
    return re.findall(r'<a href="([^"]+)"', text.split(start, 1)[1].split(end, 1)[0])


def test_everybody_finds_the_links_that_are_for_them(pair: Crowd) -> None:
    ann, bob = pair.clients["ann"], pair.clients["bob"]
    for client, groups in (
        (pair.stranger, {"anybody", "guests"}),
        (bob, {"anybody", "members"}),
        (ann, {"anybody", "members", "administrators"}),
    ):
        text = client.get("/how").text
        for where in MENUS:
            assert links(text, where) == [page.path for page in PAGES if getattr(page, where) in groups]
    assert {"/gallery", "/sign-in"} <= set(links(pair.stranger.get("/how").text, "top"))
    assert "/sign-in" not in links(bob.get("/how").text, "top")
    assert "/admin" in links(ann.get("/how").text, "menu")
    assert "/admin" not in links(bob.get("/how").text, "menu")


def test_registering_opens_an_account_and_signs_in(crowd: Crowd) -> None:
    form = {"handle": "Ann", "name": "Ann", "email": "ann@example.org", "password": PASSWORD}
    answer = crowd.stranger.post("/register", data=form)
    assert "Welcome!" in answer.text
    assert "Hello, Ann" in crowd.stranger.get("/").text


@pytest.mark.parametrize(
    "wrong",
    [{"password": "short"}, {"handle": "a b"}, {"name": ""}, {"email": "nowhere"}, {"handle": "taken"}],
)
def test_a_mistake_in_registering_keeps_what_was_typed(crowd: Crowd, wrong: dict[str, str]) -> None:
    crowd.add("taken")
    form = {"handle": "ann", "name": "Ann Example", "email": "", "password": PASSWORD} | wrong
    answer = crowd.stranger.post("/register", data=form)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert PASSWORD not in answer.text
    assert f'value="{form["handle"]}"' in answer.text


def test_friends_are_asked_accepted_and_left(pair: Crowd) -> None:
    ann, cleo = pair.clients["ann"], pair.clients["cleo"]
    assert "Asked." in ann.post("/friends", data={"handle": "@cleo"}).text
    assert "Ann @ann would like to be friends" in plain(cleo.get("/").text)
    cleo.post(f"/friends/{pair.ids['ann']}/answer", data={"answer": "accept"})
    assert "Cleo" in ann.get("/listening").text
    ann.post(f"/friends/{pair.ids['cleo']}/end")
    assert "Cleo" not in ann.get("/listening").text


def test_asking_nobody_says_so(pair: Crowd) -> None:
    answer = pair.clients["ann"].post("/friends", data={"handle": "nobody"})
    assert answer.status_code == 404
    assert "Nobody here has this name" in answer.text


def test_listening_in_words_and_in_percent(pair: Crowd) -> None:
    pair.befriend(("ann", "cleo"))
    ann, bob, cleo = pair.clients["ann"], pair.ids["bob"], pair.ids["cleo"]
    ann.post("/listening", data={f"level-{bob}": "a lot", f"percent-{cleo}": "33"})
    page = ann.get("/listening").text
    assert re.search(rf'id="percent-{bob}"[^>]*value="70"', page)
    assert re.search(rf'id="percent-{cleo}"[^>]*value="33"', page)
    ann.post("/listening", data={f"level-{cleo}": "a little", f"percent-{cleo}": "33"})
    assert re.search(rf'id="percent-{cleo}"[^>]*value="20"', ann.get("/listening").text), (
        "a changed word wins"
    )


def test_circles_are_made_changed_and_dissolved(pair: Crowd) -> None:
    ann, bob = pair.clients["ann"], str(pair.ids["bob"])
    assert "Choir" in ann.post("/circles", data={"name": "Choir", "member": bob}).text
    circle = re.search(r'action="/circles/(\d+)"', ann.get("/circles").text)
    assert circle is not None
    assert "Band" in ann.post(f"/circles/{circle[1]}", data={"name": "Band", "do": "save"}).text
    assert "Band" not in ann.post(f"/circles/{circle[1]}", data={"do": "delete"}).text
    assert ann.post("/circles", data={"name": ""}).status_code == 422


def test_an_item_from_upload_to_settled(pair: Crowd, clock: Clock) -> None:
    item = pair.share("ann", "bob")
    ann, bob = pair.clients["ann"], pair.clients["bob"]
    before = bob.get(f"/items/{item}").text
    assert "Waiting for your view" in before
    pair.answer("ann", item)
    assert "Waiting for the others" in ann.get(f"/items/{item}").text
    assert bob.get(f"/items/{item}").text == before, "nobody sees who has answered, nor how many"
    pair.answer("bob", item)
    page = bob.get(f"/items/{item}").text
    assert "Friends of friends" in page
    assert "With so few of you the outcome itself tells." in page
    assert pair.clients["cleo"].get(f"/items/{item}").status_code == 404, "proposed is not in force"
    ann.post(f"/items/{item}/do/agree")
    clock.turn(hours=25)
    assert "Settled" in bob.get(f"/items/{item}").text
    pair.befriend(("cleo", "bob"), ("cleo", "ann"))
    assert pair.clients["cleo"].get(f"/items/{item}").status_code == 200
    assert pair.clients["cleo"].get(f"/items/{item}/file").headers["content-type"] == "image/jpeg"


def test_a_limit_and_an_ended_friendship_count_at_the_next_request(pair: Crowd, clock: Clock) -> None:
    pair.befriend(("cleo", "bob"), ("cleo", "ann"))
    item, cleo = pair.share("ann", "bob"), pair.clients["cleo"]
    for who in ("ann", "bob"):
        pair.answer(who, item)
    clock.turn(hours=25)
    assert cleo.get(f"/items/{item}").status_code == 200
    assert "limit holds" in pair.clients["bob"].post(f"/items/{item}/limit", data={"limit": "private"}).text
    assert cleo.get(f"/items/{item}").status_code == 404
    pair.clients["bob"].post(f"/items/{item}/limit", data={"limit": "friends"})
    assert cleo.get(f"/items/{item}").status_code == 200
    cleo.post(f"/friends/{pair.ids['ann']}/end")
    assert cleo.get(f"/items/{item}/thumbnail").status_code == 404


def test_my_view_refuses_a_wider_audience_above_a_narrower_one(pair: Crowd) -> None:
    item = pair.share("ann")
    data = {"score-friends": "1", "score-friends-of-friends": "4", "score-public": "0"}
    answer = pair.clients["ann"].post(f"/items/{item}/view", data=data)
    assert answer.status_code == 422
    assert "cannot suit you better" in answer.text
    answer = pair.clients["ann"].post(f"/items/{item}/view", data={"score-friends": "1"})
    assert "Choose one answer in every row" in answer.text


def test_presets_fill_the_form_without_scripts(pair: Crowd) -> None:
    item = pair.share("ann")
    page = pair.clients["ann"].get(f"/items/{item}/view?preset=friends").text
    assert re.findall(r'name="score-([\w-]+)" value="(\d)" required checked', page) == [
        ("friends", "5"),
        ("friends-of-friends", "1"),
        ("public", "0"),
    ]


def test_the_standing_line_is_kept_used_and_metered(pair: Crowd, clock: Clock) -> None:
    ann, bob = pair.clients["ann"], pair.clients["bob"]
    assert "never used" in ann.post("/standing-line", data={"line": "friends-of-friends"}).text
    item = pair.share("ann")
    assert "This is what you let count" in ann.get(f"/items/{item}/view").text
    clock.turn(days=8)
    assert "Friends of friends" in ann.get(f"/items/{item}").text
    assert "exactly “friends of friends”" in ann.get("/standing-line").text
    silent = pair.share("bob", "ann")
    pair.answer("bob", silent)
    clock.turn(days=8)
    assert "Only us" in bob.get(f"/items/{silent}").text  # bob may not count it
    page = ann.post(
        "/standing-line", data={"line": "friends-of-friends", "counts": str(pair.ids["bob"])}
    ).text
    assert f'value="{pair.ids["bob"]}" checked' in page
    cleared = ann.post("/standing-line", data={"do": "clear"}).text
    assert "What others could know" not in cleared
    for wrong in ({"line": "nonsense"}, {"line": "friends", "counts": "999"}):
        assert ann.post("/standing-line", data=wrong).status_code == 422


def test_items_decided_by_circles(pair: Crowd) -> None:
    ann = pair.clients["ann"]
    ann.post("/circles", data={"name": "Choir", "member": str(pair.ids["bob"])})
    item = pair.share("ann", method="circles")
    assert "everybody who is in none of your circles" in ann.get(f"/items/{item}/view").text
    pair.answer("ann", item, {"Choir": 5, "Strangers": 0}, limited="1", limit="Choir")
    assert pair.clients["bob"].get(f"/items/{item}").status_code == 200
    assert pair.clients["cleo"].get(f"/items/{item}").status_code == 404


def test_i_am_in_this(pair: Crowd, clock: Clock) -> None:
    item = pair.share("ann", title="The fair")
    pair.answer("ann", item, {"friends": 5, "friends-of-friends": 5, "public": 5})
    cleo, ann = pair.clients["cleo"], pair.clients["ann"]
    assert "I am in this" in cleo.get(f"/items/{item}").text
    cleo.post(f"/items/{item}/claim")
    assert "Somebody says they are in this" in ann.get("/").text
    ann.post(f"/items/{item}/claims/{pair.ids['cleo']}", data={"answer": "accept"})
    assert "The fair" in cleo.get("/of-me").text
    assert "Say who may see it" in cleo.get("/").text


def test_steps_back_and_away(pair: Crowd) -> None:
    item, ann, bob = pair.share("ann", "bob"), pair.clients["ann"], pair.clients["bob"]
    assert "Your voice still counts" in bob.post(f"/items/{item}/do/untag").text
    assert "shown again" in bob.post(f"/items/{item}/do/retag").text
    assert ann.post(f"/items/{item}/edit", data={"title": "Another"}).status_code == 409  # others were asked
    draft = pair.share("ann", do="draft")
    assert (
        "Saved." in ann.post(f"/items/{draft}/edit", data={"title": "Another", "description": "Words"}).text
    )
    assert "Saved." in ann.post(f"/items/{item}/expiry", data={"expires": "2031-01-01"}).text
    assert ann.post(f"/items/{item}/expiry", data={"expires": "soon"}).status_code == 422
    assert "Withdrawn." in ann.post(f"/items/{item}/do/withdraw").text
    assert bob.get(f"/items/{item}").status_code == 404
    assert "Undone." in ann.post(f"/items/{item}/do/undo").text
    assert bob.get(f"/items/{item}").status_code == 200
    assert ann.post(f"/items/{item}/do/nonsense").status_code == 404


def test_a_draft_asks_for_no_view_until_it_is_opened(pair: Crowd) -> None:
    files = {"file": ("notes.txt", b"What we agreed on.", "text/plain")}
    data = {"title": "Notes", "do": "draft", "friend": str(pair.ids["bob"])}
    answer = pair.clients["ann"].post("/items", data=data, files=files)
    assert "Nobody was asked for a view yet" in answer.text
    item = str(answer.url.path).rsplit("/", 1)[1]
    assert "Notes" in pair.clients["bob"].get("/").text, "who is named is asked whether they are in it"
    pair.clients["bob"].post(f"/items/{item}/tag", data={"answer": "accept"})
    for who in ("ann", "bob"):
        assert "view_needed" not in pair.clients[who].get("/v1/notifications", headers=pair.token(who)).text
        with pytest.raises(AssertionError, match="not possible while"):
            pair.answer(who, item)
    assert "Everybody was asked" in pair.clients["ann"].post(f"/items/{item}/do/open").text
    stored = pair.clients["ann"].get(f"/items/{item}/file")
    assert stored.content == b"What we agreed on."
    assert stored.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    ("file", "title"),
    [
        (("photo.jpg", photo()[:200], "image/jpeg"), "A title"),
        (("photo.jpg", photo(), "image/jpeg"), ""),
        (("", b"", "application/octet-stream"), "A title"),
    ],
)
def test_an_upload_that_does_not_fit_says_why(pair: Crowd, file: tuple[str, bytes, str], title: str) -> None:
    answer = pair.clients["ann"].post("/items", data={"title": title}, files={"file": file})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_notifications_are_read(pair: Crowd) -> None:
    pair.share("ann", "bob")
    bob = pair.clients["bob"]
    assert "Ann @ann says you are in “A day out”" in plain(bob.get("/notifications").text)
    bob.post("/notifications/read")
    assert "Mark all as read" not in bob.get("/notifications").text


def test_the_admin_page_is_for_admins_and_suspends(pair: Crowd) -> None:
    ann, bob = pair.clients["ann"], pair.clients["bob"]
    assert bob.get("/admin").status_code == 404
    assert "3 accounts" in ann.get("/admin").text
    ann.post(f"/admin/people/{pair.ids['bob']}/suspend", data={"do": "suspend"})
    assert str(bob.get("/friends").url.path) == "/sign-in"
    assert "Let in again" in ann.get("/admin").text
    ann.post(f"/admin/people/{pair.ids['bob']}/suspend", data={"do": "restore"})
    assert "Let in again" not in ann.get("/admin").text


def test_playground_reproduces_the_tables(crowd: Crowd) -> None:
    page = crowd.stranger.get("/playground?example=thesis-oc").text
    for numbers in ("4.00, 3.00", "1.14, 9.29", "2.29, 6.57", "6.83, 3.60", "4.46, 4.40"):
        assert numbers in page
    assert "7.00" in crowd.stranger.get("/playground?example=thesis-oo").text


def test_playground_takes_any_numbers(crowd: Crowd) -> None:
    form = {
        "count": "2",
        "name-0": "x",
        "name-1": "y",
        "score-0-1": "5",
        "weight-0-1": "100",
        "weight-1-0": "100",
    }
    assert "only us" in crowd.stranger.post("/playground", data=form | {"mode": "strict"}).text.lower()
    assert "person 3" in crowd.stranger.post("/playground", data=form | {"do": "add"}).text
    assert "a name of their own" in crowd.stranger.post("/playground", data=form | {"name-1": "x"}).text


def test_who_claims_to_be_in_it_is_told_how_that_stands(pair: Crowd) -> None:
    pair.befriend(("ann", "cleo"))
    item = pair.share("ann")
    pair.answer("ann", item, dict.fromkeys(SCORES, 5))
    pair.clients["cleo"].post(f"/items/{item}/claim")
    assert "Ann @ann has not answered yet" in plain(pair.clients["cleo"].get(f"/items/{item}").text)
    pair.clients["ann"].post(f"/items/{item}/claims/{pair.ids['cleo']}", data={"answer": "decline"})
    assert "Ann @ann did not take you in" in plain(pair.clients["cleo"].get(f"/items/{item}").text)
    assert "take you in" not in pair.clients["bob"].get(f"/items/{item}").text


def test_a_request_can_be_taken_back_where_it_is_listed(pair: Crowd) -> None:
    bob, cleo = pair.clients["bob"], pair.clients["cleo"]
    assert "Take back" in bob.post("/friends", data={"handle": "@Cleo"}).text
    assert "Take back" not in bob.post(f"/friends/{pair.ids['cleo']}/answer", data={"answer": "decline"}).text
    assert "would like to be friends" not in cleo.get("/").text
    refused = bob.post("/friends", data={"handle": "cleo"})
    assert (refused.status_code, 'value="cleo"' in refused.text) == (409, True)


def test_every_step_that_is_kept_has_words() -> None:
    """The history would show its code instead."""
    steps = re.compile(r'(?:audit_trail\.record\(\s*session|_tell\(session, held),\s*"(\w+)"')
    kept = {step for file in WEB.rglob("*.py") for step in steps.findall(file.read_text())}
    assert len(kept) > 25
    assert [step for step in sorted(kept) if phrases.event(step) == step.replace("_", " ")] == ["joined"]


@pytest.mark.long
def test_unknown_and_forbidden_are_one_answer_also_in_time(pair: Crowd, clock: Clock) -> None:
    """Something undecided, something for friends, and something by circles of several, one of whom keeps cleo out."""
    several = [f"friend{number}" for number in range(6)]
    pair.add(*several)
    pair.befriend(*(("ann", one) for one in (*several, "cleo")))
    circle = {"name": "Others", "member": str(pair.ids["cleo"])}
    assert pair.clients["ann"].post("/circles", data=circle).status_code == 200
    undecided, friends, circled = (
        pair.share("ann", *several, method=method) for method in ("oc", "oc", "circles")
    )
    for one in ("ann", *several):
        pair.answer(one, friends, {"friends": 5, "friends-of-friends": 0, "public": 0})
        pair.answer(one, circled, {"Strangers": 5} | ({"Others": 0} if one == "ann" else {}))
    clock.turn(days=2)
    ids = (undecided, friends, circled, "AAAAAAAAAAAAAAAAAAAAAA")
    for path in ("/items/{}", "/items/{}/file", "/v1/items/{}"):
        answers = [pair.clients["cleo"].get(path.format(one), headers=pair.token("cleo")) for one in ids]
        assert {answer.status_code for answer in answers} == {404}
        assert len({answer.content for answer in answers}) == 1
        assert len({str(sorted(answer.headers.items())) for answer in answers}) == 1
    headers, times = pair.token("cleo"), {one: [0.0] * 200 for one in ids}
    for number in range(200):
        for one in ids:
            start = time.process_time()  # the service answers in this process
            pair.clients["cleo"].get(f"/v1/items/{one}", headers=headers)
            times[one][number] = time.process_time() - start
    *forbidden, unknown = (median(times[one]) for one in ids)
    spread = median(abs(sample - unknown) for sample in times[ids[-1]])
    assert max(abs(one - unknown) for one in forbidden) < 3 * spread
