"""Every sentence about privacy is shown by a test; here are the table's checks, and tests no other file had."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.web.claims import CLAIMS, EXEMPT, PRIVACY
from tests.web.conftest import Clock, befriend, register
from tests.web.crowd import Crowd
from tests.web.sentences import WEB, sentences, strings
from tests.web.stories import answer, answer_all, four_friends, put_up
from tests.web.test_sealed import everything_on_disk
from tests.web.test_workflow import page

from entrenous.web.pages import PAGES
from entrenous.web.service import befriending, membership, worker, workflow
from entrenous.web.store import schema
from entrenous.web.store.database import Database

TESTS = Path(__file__).parents[1]


@cache
def functions_of(file: str) -> dict[str, ast.FunctionDef]:
    """The tests of a file by name."""
    tree = ast.parse((TESTS / file).read_text())
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_sentence_about_privacy_is_claimed_or_exempt() -> None:
    exempt = {sentence for group in EXEMPT.values() for sentence in group}
    missing = [
        f'    "{sentence}": ...,  # {file}'
        for sentence, file in sentences().items()
        if PRIVACY.search(sentence) and sentence not in CLAIMS and sentence not in exempt
    ]
    assert not missing, (
        "no test shows these sentences; name one in CLAIMS of tests/web/claims.py, write one where there is none, "
        "correct the sentence if it is not true, or say in EXEMPT why it claims nothing:\n"
        + "\n".join(missing)
    )


def test_every_claim_still_stands_on_a_page() -> None:
    said = sentences()
    stale = [
        one for one in (*CLAIMS, *(each for group in EXEMPT.values() for each in group)) if one not in said
    ]
    assert not stale, "no text says this any more; take it out of tests/web/claims.py:\n" + "\n".join(stale)


@pytest.mark.parametrize("test", sorted(set(CLAIMS.values())))
def test_every_test_that_shows_a_claim_is_there_and_runs(test: str) -> None:
    file, name = test.split("::")
    assert (TESTS / file).is_file(), f"{file} is not there; correct the row in tests/web/claims.py"
    found = functions_of(file).get(name)
    assert found is not None, f"{file} has no {name}; correct the row in tests/web/claims.py"
    marks = " ".join(ast.unparse(mark) for mark in found.decorator_list)
    assert "skip" not in marks, "a test that is left out shows nothing"
    assert "xfail" not in marks, "a test that may fail shows nothing"
    assert re.search(r"\bassert\b|raises", ast.unparse(found)), f"{name} checks nothing"


def test_nothing_is_claimed_and_exempt() -> None:
    exempt = [sentence for group in EXEMPT.values() for sentence in group]
    assert len(exempt) == len(set(exempt))
    assert not CLAIMS.keys() & set(exempt)


def test_sentences_are_found_wherever_they_stand() -> None:
    files = set(sentences().values())
    assert {f"templates/{file.name}" for file in WEB.glob("templates/*.html")} - files <= {
        "templates/link.html",
        "templates/error.html",
    }
    assert {"http/phrases.py", "delivery/notices.py", "api/shared.py"} <= files
    said = sentences()
    for (
        sentence
    ) in (  # in a paragraph, in a hint, in a label beside a condition, in a table of phrases, in a docstring
        "No other member can read it, now or later.",
        "They are asked first.",
        "This stays sealed.",
        "Nobody is told who said no.",
        "needs the scope answers, and nobody can read another's.",
    ):
        assert sentence in said
    assert list(strings(ast.parse('"""A doc."""\nx = f"never {1} told"\ny = "a b"'))) == [
        "never … told",
        "a b",
    ]
    assert len([one for one in said if PRIVACY.search(one)]) > 200


# --- claims that no other file shows ------------------------------------------------------------------------


def test_fault_5_what_somebody_said_and_added_is_gone_for_good(crowd: Crowd, clock: Clock) -> None:
    """Fault 5: "your views are gone for good" stood there while snapshots kept scores, limits and weights."""
    crowd.add("run", "ann", "quagga")
    crowd.befriend(("ann", "quagga"))
    quagga = crowd.clients["quagga"]
    quagga.post("/account/profile", data={"name": "Zebra Okapi", "email": "okapi@example.org"})
    quagga.post("/circles", data={"name": "My bongos", "member": str(crowd.ids["ann"])})
    quagga.post("/account/tokens", data={"name": "My gerenuk", "scope": "read"})
    own = crowd.share("quagga", "ann", title="The kudu", description="With an eland")
    shared = crowd.share("ann", "quagga")
    for who in ("ann", "quagga"):
        crowd.answer(who, shared, {"friends": 5, "friends-of-friends": 2, "public": 2})
        crowd.answer(who, own, {"friends": 5, "friends-of-friends": 2, "public": 2}, limit="friends")
    quagga.post(f"/items/{shared}/petition", data={"text": "Like an impala", "audience": "public"})
    quagga.post(f"/items/{shared}/change", data={"title": "The dikdik", "description": ""})
    words = ("Zebra Okapi", "okapi@", "bongos", "gerenuk", "The kudu", "an eland", "an impala", "The dikdik")
    worker.Worker(crowd.database).run_once()
    before = everything_on_disk(crowd.database)
    assert [word for word in words if word not in before] == [], "the scan finds what there is"
    with crowd.database.writing() as session:
        mine = schema.owners.c.person == crowd.ids["quagga"]
        slots = session.scalars(sa.select(schema.owners.c.slot).where(mine)).all()
        membership.delete_account(session, crowd.ids["quagga"])
    clock.turn(days=3)
    worker.Worker(crowd.database).run_once()
    for backup in Path(str(crowd.database.engine.url.database)).parent.glob("*.copy*"):
        backup.unlink()  # a backup from before lasts until it is removed, as the page says
    after = everything_on_disk(crowd.database)
    assert [word for word in (*words, "quagga") if word in after] == []
    assert "A day out" in after, "what ann added stays"
    with crowd.database.reading() as session:
        for table in (schema.petitions, schema.circles, schema.friendships, schema.tokens):
            assert session.scalar(sa.select(sa.func.count()).select_from(table)) == 0, table.name
        theirs = sa.select(sa.func.count()).where(schema.answers.c.slot.in_(slots))
        assert len(slots) == 2
        assert session.scalar(theirs) == 0, "no box, opened or not"


def test_the_admin_page_shows_nothing_that_is_shared_or_said(crowd: Crowd) -> None:
    crowd.add("ann", "bob", "cleo")
    crowd.befriend(("bob", "cleo"))
    item = crowd.share("bob", "cleo", title="The kudu", description="With an eland")
    crowd.answer("bob", item)
    page = crowd.clients["ann"].get("/admin").text
    assert "Collecting views" in page
    assert not [word for word in ("kudu", "eland", item, "answered", "friends-of-friends") if word in page]
    admin, headers = crowd.clients["ann"], crowd.token("ann")
    of_item = ("", "/file", "/view")
    for path in (f"{room}/items/{item}{part}" for room in ("", "/v1") for part in of_item):
        assert admin.get(path, headers=headers).status_code == 404, path
    for path in ("/gallery", "/history", "/notifications", "/v1/items", "/v1/notifications"):
        answer = admin.get(path, headers=headers)
        assert answer.status_code == 200, path
        assert "kudu" not in answer.text, path


def test_an_address_is_shown_to_nobody_else(crowd: Crowd) -> None:
    crowd.add("ann", "bob", "cleo")
    crowd.befriend_all("ann", "bob", "cleo")
    crowd.clients["bob"].post("/account/profile", data={"name": "Bob", "email": "okapi@example.org"})
    item = crowd.share("bob", "ann", "cleo")
    paths = [page.path.replace("{item}", item) for page in PAGES]
    paths += [path for path in crowd.app.openapi()["paths"] if "{" not in path] + [f"/v1/items/{item}"]
    for handle in ("ann", "cleo"):
        headers = crowd.token(handle)
        for path in paths:
            assert "okapi" not in crowd.clients[handle].get(path, headers=headers).text, path
    assert "okapi" in crowd.clients["bob"].get("/account").text
    assert "okapi" in crowd.clients["bob"].get("/v1/me", headers=crowd.token("bob")).text


def test_secrets_are_shown_once(crowd: Crowd) -> None:
    crowd.add("ann")
    ann = crowd.clients["ann"]
    for path, fields, secret in (
        ("/account/tokens", {"name": "x", "scope": "read"}, r"<code>([\w-]{30,})</code>"),
        (
            "/account/webhooks",
            {"url": "https://example.org/", "event": "outcome"},
            r"<code>(whsec_[^<]+)</code>",
        ),
    ):
        shown = re.search(secret, ann.post(path, data=fields).text)
        assert shown is not None, path
        for again in ("/account", "/my-data"):
            assert shown[1] not in ann.get(again).text


def test_only_those_who_decide_see_that_somebody_was_asked(crowd: Crowd, clock: Clock) -> None:
    crowd.add("run", "ann", "bob", "zelda", "eve")
    crowd.befriend_all("ann", "bob", "zelda", "eve")
    item = crowd.share("ann", "bob")
    crowd.clients["ann"].post(f"/items/{item}/tags", data={"friend": str(crowd.ids["zelda"])})
    assert "@zelda" in crowd.clients["bob"].get(f"/items/{item}").text, "who decides sees it"
    for who in ("ann", "bob"):
        crowd.answer(who, item, {"friends": 5, "friends-of-friends": 5, "public": 5})
    for days in (8, 2):  # zelda does not answer, and nobody objects
        clock.turn(days=days)
        workflow.advance_due(crowd.database)
    headers = crowd.token("eve")
    for path in (f"/items/{item}", "/gallery", f"/v1/items/{item}", "/v1/items"):
        for client in (crowd.clients["eve"], crowd.stranger):
            answered = client.get(path, headers=headers)
            assert answered.status_code == 200
            assert "A day out" in answered.text
            assert "zelda" not in answered.text.lower()


@pytest.mark.parametrize("line", [None, "public"])
def test_silence_keeps_it_among_them_also_where_two_thirds_decide(
    database: Database, clock: Clock, line: str | None
) -> None:
    """Three of four would let everyone see it; the fourth is silent, and nobody they trust put it up."""
    ids = list(four_friends(database).values())
    if line is not None:
        with database.writing() as session:
            befriending.set_standing_line(session, ids[3], line, [])
    item = put_up(database, ids, vote={"rule": "majority", "theta": 2 / 3})
    answer_all(database, item, dict.fromkeys(ids[:3], (5, 5, 5)))
    clock.turn(days=8)
    workflow.advance_due(database)
    clock.turn(days=2)
    workflow.advance_due(database)
    assert page(database, ids[0], item).outcome.choice == "private"  # type: ignore[union-attr]
    assert page(database, ids[0], item).audience == "private"


def test_who_listens_to_nobody_counts_alone(database: Database) -> None:
    """Whatever the other one says, an outcome that one's own answer refuses does not come about."""
    one, other = register(database, "ann", "bob")
    befriend(database, one, other)
    for theirs in ((5, 5, 5), (5, 0, 0), (0, 0, 0)):
        item = put_up(database, [one, other])
        answer(database, item, one, (5, 1, 0))
        answer(database, item, other, theirs)
        outcome = page(database, one, item).outcome
        assert outcome is not None
        assert outcome.choice == ("friends" if theirs[0] else "private")


def test_the_history_holds_no_views(crowd: Crowd) -> None:
    crowd.add("ann", "bob")
    crowd.befriend(("ann", "bob"))
    item = crowd.share("ann", "bob")
    crowd.answer("bob", item, limit="friends")
    crowd.clients["bob"].post(f"/items/{item}/limit", data={"limit": "private"})
    told = crowd.clients["ann"].get("/history").text
    assert "joined" in told
    assert "gave a view" not in told
    assert "set a limit" not in told
    own = crowd.clients["bob"].get("/history").text
    assert "gave a view" in own, "one's own doing is told, and not what was said"
    events = crowd.stranger.get("/v1/me/history", headers=crowd.token("bob")).json()
    assert {frozenset(event) for event in events} == {frozenset(("at", "action", "item", "title", "actor"))}


def test_a_standing_line_counts_for_nobody_to_begin_with(crowd: Crowd) -> None:
    crowd.add("ann", "bob", "cleo")
    crowd.befriend_all("ann", "bob", "cleo")
    page = crowd.clients["ann"].post("/standing-line", data={"line": "public"}).text
    boxes = re.findall(r'<input type="checkbox" name="counts"[^>]*>', page)
    assert len(boxes) == 2
    assert not any("checked" in box for box in boxes)


def test_what_is_tried_out_is_not_kept(crowd: Crowd) -> None:
    crowd.add("ann")
    headers = crowd.token("ann")
    form = {"count": "2", "name-0": "okapi", "name-1": "gerenuk", "score-0-1": "5", "do": "weigh"}
    assert "okapi" in crowd.stranger.post("/playground", data=form).text
    group = {"wishes": {"okapi": {"friends": 5, "friends-of-friends": 1, "public": 0}}}
    many = {f"gerenuk{number}": group["wishes"]["okapi"] for number in range(60)}
    for wishes in (group["wishes"], many):
        sent = crowd.stranger.post("/v1/mediate", json={"wishes": wishes}, headers=headers)
        assert sent.status_code == 200
        assert any(name in sent.text for name in ("okapi", "gerenuk"))
    kept = everything_on_disk(crowd.database)
    assert "okapi" not in kept
    assert "gerenuk" not in kept
