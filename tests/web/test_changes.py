"""Agreed means the whole item: title, words, last day and file change when all say yes, and never in silence."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from PIL import Image
from tests.web.conftest import Clock, befriend, confirm_address, register
from tests.web.crowd import Crowd, plain
from tests.web.serving import photo
from tests.web.stories import PHOTO, agree_all, answer_all, decided, four_friends, put_up
from tests.web.test_secrecy import named, without_what_is_drawn
from tests.web.test_workflow import page, refuses

from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.rules.refusals import NotFound
from entrenous.web.service import browsing, export, media, membership, proposals, workflow
from entrenous.web.service.media import Upload
from entrenous.web.service.worker import Worker
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

SHAME = "Bob was drunk again"
OTHER = Upload("photo", "image/jpeg", b"another photo", b"another thumbnail", "other.jpg")


def propose(database: Database, person: int, item: str, **wanted: object) -> bool:
    with database.writing() as session:
        return proposals.propose(session, person, item, **wanted)  # type: ignore[arg-type]


def say(database: Database, person: int, item: str, *, accept: bool) -> None:
    change = page(database, person, item).change
    assert change is not None
    with database.writing() as session:
        proposals.answer_change(session, person, item, change.id, accept=accept)


def told(database: Database, person: int) -> list[str]:
    with database.reading() as session:
        return [one.kind for one in browsing.notifications(session, person)]


def public(database: Database) -> tuple[dict[str, int], str]:
    """Four friends, and a photo of them that everyone may see."""
    ids = four_friends(database)
    item = put_up(database, list(ids.values()))
    answer_all(database, item, dict.fromkeys(ids.values(), (5, 5, 5)))
    agree_all(database, item, list(ids.values()))
    return ids, item


def test_a_title_that_shames_stays_with_those_it_is_about(either: Database) -> None:
    ids, item = public(either)
    refuses(either, "wrong_state", workflow.edit_item, ids["ann"], item, title=SHAME, description="")
    assert propose(either, ids["ann"], item, title=SHAME) is False
    with either.reading() as session:
        assert [card.title for card in browsing.gallery(session, None)] == ["A day out"]
        assert SHAME not in str(browsing.history(session, ids["bob"]))
    assert page(either, ids["bob"], item).title == "A day out"
    for who in ("bob", "cleo", "dora"):
        assert told(either, ids[who])[0] == "change_proposed"
        with either.reading() as session:
            assert [card.need for card in browsing.inbox(session, ids[who])] == ["change"]
        change = page(either, ids[who], item).change
        assert change is not None
        assert [(one.part, one.old, one.new) for one in change.differences] == [("title", "A day out", SHAME)]
    say(either, ids["bob"], item, accept=False)
    for person in ids.values():
        assert page(either, person, item).change is None
        assert told(either, person)[0] == "change_ended"
    assert page(either, ids["ann"], item).title == "A day out"


def test_what_all_say_yes_to_takes_effect_and_keeps_the_audience(either: Database) -> None:
    ids, item = public(either)
    wanted = {"title": "By the lake", "description": "In\nsummer", "upload": OTHER}
    assert propose(either, ids["cleo"], item, **wanted) is False  # not only who put it up
    for who in ("ann", "bob"):
        say(either, ids[who], item, accept=True)
        before = page(either, ids["dora"], item)
        assert (before.title, before.description) == ("A day out", "")
        with either.reading() as session:
            assert media.read_file(session, None, item).content == PHOTO.content
    say(either, ids["dora"], item, accept=True)
    after = page(either, ids["ann"], item)
    assert (after.title, after.description, after.change) == ("By the lake", "In\nsummer", None)
    assert (after.state, after.audience) == ("active", "public")
    with either.reading() as session:
        assert media.read_file(session, None, item).content == OTHER.content
        assert media.read_file(session, None, item, "thumbnail").content == OTHER.thumbnail
        names = set(session.scalars(sa.text("SELECT variant FROM contents")))
    assert names == {"original", "thumbnail"}
    assert all(told(either, person)[0] == "change_agreed" for person in ids.values())


def test_the_proposed_file_is_for_co_owners_alone_and_goes_with_the_proposal(database: Database) -> None:
    ids, item = public(database)
    (eve,) = register(database, "eve")
    propose(database, ids["ann"], item, upload=OTHER)
    with database.reading() as session:
        for person in ids.values():
            assert media.read_proposed(session, person, item).content == OTHER.content
        with pytest.raises(NotFound):
            media.read_proposed(session, eve, item)
        for variant in media.PROPOSED.values():
            with pytest.raises(NotFound):
                media.read_file(session, ids["ann"], item, variant)
    say(database, ids["bob"], item, accept=False)
    with database.reading() as session:
        with pytest.raises(NotFound):
            media.read_proposed(session, ids["ann"], item)
        assert session.scalar(sa.text("SELECT count(*) FROM contents")) == 2


def test_a_file_of_another_kind_and_no_difference_are_refused(database: Database) -> None:
    ids, item = public(database)
    document = Upload("document", "text/plain", b"words", None, "words.txt")
    for wanted in ({"upload": document}, {"title": "A day out"}, {}):
        with pytest.raises(ArgumentError):
            propose(database, ids["ann"], item, **wanted)
    assert page(database, ids["ann"], item).change is None


def test_in_a_draft_and_alone_nobody_has_to_be_asked(database: Database) -> None:
    (ann,) = register(database, "ann")
    with database.writing() as session:
        item = workflow.create_item(session, ann, PHOTO, title="A day out")
        workflow.edit_item(session, ann, item, title="Another", description="")
    refuses(database, "wrong_state", proposals.propose, ann, item, title="Third")
    with database.writing() as session:
        workflow.open_item(session, ann, item)
    assert propose(database, ann, item, title="Third") is True
    assert (page(database, ann, item).title, page(database, ann, item).change) == ("Third", None)


def test_there_is_one_proposal_and_who_made_it_may_take_it_back(database: Database) -> None:
    ids, item = public(database)
    propose(database, ids["ann"], item, title="First")
    refuses(database, "already", proposals.propose, ids["bob"], item, title="Second")
    refuses(database, "own_change", proposals.answer_change, ids["ann"], item, "x", accept=True)
    refuses(database, "no_change", proposals.retract, ids["bob"], item)
    with database.writing() as session:
        proposals.retract(session, ids["ann"], item)
    assert told(database, ids["bob"])[0] == "change_ended"
    assert propose(database, ids["bob"], item, title="Second") is False


def test_nobody_says_yes_to_another_change_than_they_were_shown(database: Database) -> None:
    ids, item = public(database)
    propose(database, ids["ann"], item, title="Harmless")
    shown = page(database, ids["bob"], item).change
    assert shown is not None
    with database.writing() as session:
        proposals.retract(session, ids["ann"], item)
        proposals.propose(session, ids["ann"], item, title=SHAME)
    refuses(database, "another_change", proposals.answer_change, ids["bob"], item, shown.id, accept=True)
    now_proposed = page(database, ids["bob"], item).change
    assert now_proposed is not None
    assert not now_proposed.agrees


def test_a_yes_may_become_a_no_and_a_yes_twice_counts_once(database: Database) -> None:
    ids, item = public(database)
    propose(database, ids["ann"], item, title="New")
    before = page(database, ids["ann"], item)
    say(database, ids["bob"], item, accept=True)
    say(database, ids["bob"], item, accept=True)
    assert page(database, ids["ann"], item) == before, "not even how many said yes is told"
    say(database, ids["bob"], item, accept=False)
    assert page(database, ids["ann"], item).change is None


def test_a_proposal_lapses_before_any_worker_notices(either: Database, clock: Clock) -> None:
    ids, item = public(either)
    propose(either, ids["ann"], item, title=SHAME, upload=OTHER)
    shown = page(either, ids["bob"], item).change
    assert shown is not None
    for who in ("bob", "cleo"):
        say(either, ids[who], item, accept=True)
    clock.turn(days=either.settings.answer_days)
    assert page(either, ids["dora"], item).change is None
    refuses(either, "no_change", proposals.answer_change, ids["dora"], item, shown.id, accept=True)
    with either.reading() as session:
        assert browsing.inbox(session, ids["dora"]) == ()
    Worker(either).run_once()
    assert told(either, ids["ann"])[0] == "change_ended"
    with either.reading() as session:
        assert store.changes.change_of(session, item) is None
        assert session.scalar(sa.text("SELECT count(*) FROM contents")) == 2
    assert Worker(either).run_once() == 0


def test_after_a_lapse_one_may_propose_anew_without_a_worker(database: Database, clock: Clock) -> None:
    ids, item = public(database)
    propose(database, ids["ann"], item, upload=OTHER)
    clock.turn(days=8)
    assert propose(database, ids["bob"], item, upload=OTHER) is False


def test_who_joins_has_to_agree_too(database: Database) -> None:
    ids, item = public(database)
    (eve,) = register(database, "eve")
    befriend(database, ids["ann"], eve)
    propose(database, ids["ann"], item, title="New")
    with database.writing() as session:
        workflow.tag(session, ids["ann"], item, [eve])
        workflow.answer_tag(session, eve, item, accept=True)
    for who in ("bob", "cleo", "dora"):
        say(database, ids[who], item, accept=True)
    assert page(database, eve, item).title == "A day out"
    say(database, eve, item, accept=True)
    assert page(database, eve, item).title == "New"


def test_nobody_waits_for_somebody_who_left(either: Database) -> None:
    ids, item = public(either)
    propose(either, ids["ann"], item, title="New")
    for who in ("bob", "cleo"):
        say(either, ids[who], item, accept=True)
    with either.writing() as session:
        membership.delete_account(session, ids["dora"])
    assert page(either, ids["bob"], item).title == "New"


def test_the_proposal_of_somebody_who_left_is_gone(either: Database) -> None:
    ids, item = public(either)
    propose(either, ids["dora"], item, title=SHAME, upload=OTHER)
    say(either, ids["bob"], item, accept=True)
    with either.writing() as session:
        membership.delete_account(session, ids["dora"])
    assert page(either, ids["bob"], item).change is None
    with either.reading() as session:
        for table in ("changes", "change_voices"):
            assert session.scalar(sa.text(f"SELECT count(*) FROM {table}")) == 0
        assert session.scalar(sa.text("SELECT count(*) FROM contents")) == 2


@pytest.mark.parametrize("end", ["expired", "withdrawn"])
def test_with_the_item_its_proposal_goes(either: Database, clock: Clock, end: str) -> None:
    ids, item = public(either)
    if end == "expired":
        with either.writing() as session:
            proposals.set_expiry(session, ids["ann"], item, clock() + timedelta(days=1))
    propose(either, ids["bob"], item, title=SHAME)
    if end == "withdrawn":
        with either.writing() as session:
            workflow.withdraw(session, ids["ann"], item)
    clock.turn(days=1)
    assert page(either, ids["ann"], item).change is None
    with either.reading() as session:
        assert browsing.inbox(session, ids["bob"]) == ()
    for _ in range(2):
        Worker(either).run_once()
    with either.reading() as session:
        assert store.changes.change_of(session, item) is None


def test_an_earlier_last_day_holds_at_once_and_is_told(database: Database, clock: Clock) -> None:
    ids, item = public(database)
    soon, late = clock() + timedelta(days=20), clock() + timedelta(days=40)
    with database.writing() as session:
        proposals.set_expiry(session, ids["ann"], item, late)
    assert told(database, ids["bob"])[0] == "expiry"
    refuses(database, "only_earlier", proposals.set_expiry, ids["ann"], item, None)
    propose(database, ids["ann"], item, expires=None)
    say(database, ids["bob"], item, accept=True)
    with database.writing() as session:
        proposals.set_expiry(session, ids["ann"], item, soon)
    assert page(database, ids["bob"], item).change is None, "yes was said to another last day"
    assert page(database, ids["bob"], item).expires == soon
    propose(database, ids["ann"], item, expires=late)
    for who in ("bob", "cleo", "dora"):
        say(database, ids[who], item, accept=True)
    assert page(database, ids["bob"], item).expires == late


def test_nobody_is_named_anew_in_silence(database: Database) -> None:
    ids, item = public(database)
    (eve,) = register(database, "eve")
    befriend(database, ids["ann"], eve)
    with database.writing() as session:
        workflow.tag(session, ids["ann"], item, [eve])
    assert [told(database, ids[who])[0] for who in ("bob", "cleo", "dora")] == ["names"] * 3
    for step in (workflow.untag, workflow.retag):
        with database.writing() as session:
            step(session, ids["bob"], item)
        assert [told(database, ids[who])[0] for who in ("ann", "cleo", "dora")] == ["names"] * 3
    with database.reading() as session:
        lines = [event.action for event in browsing.history(session, ids["dora"])]
    assert {"tag_asked", "untagged", "retagged"} <= set(lines)


def test_the_audit_says_that_and_never_what(database: Database) -> None:
    ids, item = public(database)
    propose(database, ids["ann"], item, title=SHAME, description="zebra")
    say(database, ids["bob"], item, accept=True)
    say(database, ids["cleo"], item, accept=False)
    with database.reading() as session:
        rows = session.execute(sa.text("SELECT action, actor, details FROM audit ORDER BY number")).all()
        assert store.audit_trail.verify(session)
        seen = {
            who: [event.action for event in browsing.history(session, person) if "change" in event.action]
            for who, person in ids.items()
        }
    lines = [tuple(row) for row in rows if row.action.startswith("change")]
    assert lines == [
        ("change_proposed", ids["ann"], "{}"),
        ("change_answered", ids["bob"], "{}"),
        ("change_answered", ids["cleo"], "{}"),
        ("change_ended", None, "{}"),
    ]
    assert seen["dora"] == ["change_ended", "change_proposed"]
    assert seen["bob"] == ["change_ended", "change_answered", "change_proposed"]


# --- pages and the interface --------------------------------------------------------------------------------


def settled(crowd: Crowd, clock: Clock, *others: str) -> str:
    """Let ann put up a photo that all of them show to everyone."""
    item = crowd.share("ann", *others)
    for who in ("ann", *others):
        crowd.answer(who, item, {"friends": 5, "friends-of-friends": 5, "public": 5})
    clock.turn(days=2)
    return item


def test_the_pages_of_a_change(crowd: Crowd, clock: Clock) -> None:
    crowd.add("ann", "bob", "cleo", "eve")
    crowd.befriend_all("ann", "bob", "cleo", "eve")
    item = settled(crowd, clock, "bob", "cleo")
    ann, bob, cleo, eve = (crowd.clients[who] for who in ("ann", "bob", "cleo", "eve"))
    here = f"/items/{item}"
    assert "Propose a change" in ann.get(f"{here}/change").text
    refused = ann.post(f"{here}/change", data={"title": "A day out"})
    assert (refused.status_code, "something that differs" in refused.text) == (422, True)
    said = ann.post(
        f"{here}/change",
        data={"title": "A night out", "description": "We four", "expires": ""},
        files={"file": ("Ann-Smith.jpg", located_photo(), "image/jpeg")},
    )
    assert "until all 3 of you have said yes. Who has, you are not told" in said.text
    page = bob.get(f"{here}/change").text
    assert "<del>day</del>" in page
    assert "<ins>night</ins>" in page
    assert "Ann @ann proposes a change" in plain(bob.get(here).text)
    assert "Look at a proposed change" in bob.get("/").text
    proposed = bob.get(f"{here}/change/file")
    assert not Image.open(io.BytesIO(proposed.content)).getexif()
    for client in (eve, crowd.stranger):
        assert "night" not in client.get(here).text
        assert "proposes" not in client.get(here).text
        assert client.get(f"{here}/change", follow_redirects=False).status_code in (303, 404)
        assert client.get(f"{here}/change/file", follow_redirects=False).status_code in (303, 404)
    change = page.split('name="change" value="')[1].split('"')[0]
    stale = bob.post(f"{here}/change/answer", data={"change": "another", "answer": "accept"})
    assert (stale.status_code, "another change is proposed" in stale.text.lower()) == (409, True)
    answer = {"change": change, "answer": "accept"}
    assert "Noted: you say yes." in bob.post(f"{here}/change/answer", data=answer).text
    assert "You said yes" in bob.get(f"{here}/change").text
    cleo.post(f"{here}/change/answer", data=answer)
    assert "A night out" in crowd.stranger.get(here).text
    assert crowd.stranger.get(f"{here}/file").content == proposed.content


def located_photo() -> bytes:
    """A photo that says where it was taken."""
    buffer, exif = io.BytesIO(), Image.Exif()
    exif[0x010E] = "at home"
    Image.open(io.BytesIO(photo())).convert("RGB").save(buffer, "JPEG", exif=exif)
    return buffer.getvalue()


def test_the_interface_of_a_change(crowd: Crowd, clock: Clock) -> None:
    crowd.add("ann", "bob", "eve")
    crowd.befriend_all("ann", "bob", "eve")
    item = settled(crowd, clock, "bob")
    ann, bob, eve = (crowd.token(who) for who in ("ann", "bob", "eve"))
    client, here = crowd.stranger, f"/v1/items/{item}/change"
    assert client.get(here, headers=ann).status_code == 404
    answer = client.post(here, data={"title": "A night out"}, headers=ann)
    assert (answer.status_code, answer.json()) == (201, {"in_effect": False})
    assert client.post(here, data={"title": "Third"}, headers=bob).status_code == 409
    assert client.get(here, headers=eve).status_code == 404
    read = client.get(here, headers=bob).json()
    assert read["differences"] == [{"part": "title", "old": "A day out", "new": "A night out"}]
    assert client.delete(here, headers=bob).status_code == 409
    assert client.delete(here, headers=ann).json() == {"done": True}
    files = {"file": ("p.jpg", photo(), "image/jpeg")}
    assert client.post(here, files=files, headers=bob).status_code == 201
    assert client.get(f"{here}/file", headers=ann).status_code == 200
    assert client.get(f"{here}/file", headers=eve).status_code == 404
    body = {"change": client.get(here, headers=ann).json()["id"], "accept": True}
    assert client.post(f"{here}/answer", json=body, headers=eve).status_code == 404
    assert client.post(f"{here}/answer", json=body, headers=ann).json() == {"done": True}
    assert client.get(here, headers=ann).status_code == 404
    assert client.put(f"/v1/items/{item}", json={"title": "Mine"}, headers=ann).status_code == 409


def test_ones_own_data_hold_what_one_proposed(database: Database) -> None:
    ids, item = public(database)
    propose(database, ids["ann"], item, title="New")
    with database.reading() as session:
        entry = json.dumps(export.my_data(session, ids["ann"])["items"])
    assert '"new": "New"' in entry


# --- secrecy ------------------------------------------------------------------------------------------------

PATHS = (
    "/",
    "/notifications",
    "/history",
    "/my-data",
    "/gallery",
    "/of-me",
    "/v1/inbox",
    "/v1/notifications",
)
PARTS = ("", "/change", "/view", "/limit")


def lived(crowd: Crowd, clock: Clock, refusing: str) -> Iterator[dict[tuple[str, str], str]]:
    """Let one of two say no, and look around as everybody else, before and after."""
    crowd.add("ann", "bob", "cleo", "dora", "eve")
    crowd.befriend_all("ann", "bob", "cleo", "dora", "eve")
    with crowd.database.writing() as session:
        for who, person in crowd.ids.items():
            confirm_address(session, person, f"{who}@example.org")
            membership.add_webhook(session, person, "http://127.0.0.1:9/", ["change_ended"])
    item = settled(crowd, clock, "bob", "cleo", "dora")
    crowd.clients["ann"].post(f"/items/{item}/change", data={"title": SHAME})
    change = page(crowd.database, crowd.ids["bob"], item).change
    assert change is not None
    for say_yes in ("dora",):
        crowd.clients[say_yes].post(
            f"/items/{item}/change/answer", data={"change": change.id, "answer": "accept"}
        )
    for answered in (False, True):
        if answered:
            crowd.clients[refusing].post(
                f"/items/{item}/change/answer", data={"change": change.id, "answer": "decline"}
            )
        seen = {}
        for who in ("nobody", "ann", "dora", "eve"):
            client = crowd.clients.get(who, crowd.stranger)
            headers = crowd.token(who) if who in crowd.ids else {}
            paths = [*PATHS, *(f"{room}/items/{item}{part}" for room in ("", "/v1") for part in PARTS)]
            for path in paths:
                got = client.get(path, headers=headers)
                known = {"ITEM": item, "CHANGE": change.id}
                seen[who, named(path, known)] = named(f"{got.status_code} {got.text}", known)
        yield seen


def test_two_worlds_do_not_tell_who_said_no(settings: Settings, tmp_path: Path) -> None:
    worlds = []
    for refusing in ("bob", "cleo"):
        clock = Clock()
        database = Database(
            replace(settings, database=f"sqlite:///{tmp_path}/{refusing}.db", smtp="smtp://mail.example"),
            clock=clock,
        )
        database.migrate()
        stages = list(lived(Crowd(database, database.settings), clock, refusing))
        with database.reading() as session:
            letters = session.execute(sa.text("SELECT kind, payload FROM outbox ORDER BY id")).all()
            items = session.scalars(sa.text("SELECT id FROM items")).all()
        told_all = [named(str(letter), {"ITEM": items[0]}) for letter in letters]
        worlds.append((stages, told_all))
        database.close()
    for before, after in zip(worlds[0][0], worlds[1][0], strict=True):
        clean = without_what_is_drawn
        assert [key for key in before if clean(before[key]) != clean(after[key])] == []
    assert worlds[0][1] == worlds[1][1]
    ended = [letter for letter in worlds[0][1] if "change_ended" in letter]
    assert len(ended) == 8, "a mail and a webhook for each of four, also for who said no"
    first, last = worlds[0][0]
    assert first["ann", "/items/ITEM/change"] != last["ann", "/items/ITEM/change"], "the walk sees the end"
    assert SHAME in first["dora", "/items/ITEM/change"]
    assert all(SHAME not in text for (who, _), text in first.items() if who in ("nobody", "eve"))


def test_who_hid_their_name_is_named_to_nobody_else(crowd: Crowd, clock: Clock) -> None:
    """Every place an outsider can look: with the name hidden it stands nowhere, and with it shown it does."""
    crowd.add("zelda", "bob", "eve", "finn")
    crowd.befriend_all("bob", "eve", "finn")
    crowd.befriend(("zelda", "bob"))
    data = {"title": "A day out", "do": "ask", "friend": str(crowd.ids["bob"])}
    files = {"file": ("zelda-at-home.jpg", photo(), "image/jpeg")}
    item = (
        str(crowd.clients["zelda"].post("/items", data=data, files=files).url)
        .split("/items/")[1]
        .split("?")[0]
    )
    crowd.clients["bob"].post(f"/items/{item}/tag", data={"answer": "accept"})
    for who in ("zelda", "bob"):
        crowd.answer(who, item, {"friends": 5, "friends-of-friends": 5, "public": 5})
    clock.turn(days=2)
    for claimant in ("eve", "finn"):
        crowd.clients[claimant].post(f"/items/{item}/claim")
    refusal = crowd.clients["zelda"].post(
        f"/items/{item}/claims/{crowd.ids['finn']}", data={"answer": "decline"}
    )
    assert refusal.status_code == 200

    def places(who: str) -> dict[str, str]:
        client = crowd.clients.get(who, crowd.stranger)
        headers = crowd.token(who) if who in crowd.ids else {}
        paths = [
            *("/", "/gallery", "/of-me", "/notifications", "/history", "/my-data"),
            *("/v1/items", "/v1/items?which=mine", "/v1/inbox", "/v1/notifications", "/v1/me/history"),
            *("/v1/me/data", f"/v1/items/{item}", f"/v1/items/{item}/file", f"/items/{item}"),
            *(f"/items/{item}/file", f"/items/{item}/thumbnail", f"/items/{item}/change"),
        ]
        found = {}
        for path in paths:
            got = client.get(path, headers=headers)
            found[path] = f"{got.headers.get('content-disposition')} {got.content!r}".lower()
        return found

    outsiders = ("nobody", "eve", "finn")
    shown = {path for who in outsiders for path, text in places(who).items() if "zelda" in text}
    expected = {"/gallery", f"/items/{item}", f"/items/{item}/file", "/v1/items", f"/v1/items/{item}"}
    assert expected | {"/v1/notifications", "/my-data"} <= shown, "the walk sees what there is"
    assert "no longer shown" in crowd.clients["zelda"].post(f"/items/{item}/do/untag").text
    for who in outsiders:
        assert [path for path, text in places(who).items() if "zelda" in text] == [], who
    assert "zelda" in places("bob")[f"/items/{item}"]
    assert "name hidden from people who neither decide" in crowd.clients["zelda"].get(f"/items/{item}").text
    crowd.clients["zelda"].post(f"/items/{item}/do/retag")
    assert "zelda" in places("nobody")[f"/items/{item}"]


def test_an_open_proposal_decides_what_is_offered(database: Database) -> None:
    ids, item = public(database)
    propose(database, ids["ann"], item, title="New")
    words = {"propose", "answer_change", "retract"}
    assert page(database, ids["ann"], item).can & words == {"retract"}
    assert page(database, ids["bob"], item).can & words == {"answer_change"}
    say(database, ids["bob"], item, accept=False)
    assert page(database, ids["ann"], item).can & words == {"propose"}


def test_decided_items_of_the_thesis_can_be_changed_in_every_state(database: Database) -> None:
    ids = four_friends(database)
    item = decided(database, ids)
    with database.writing() as session:
        workflow.petition(session, ids["dora"], item, "Once more?")
    propose(database, ids["dora"], item, title="Round two")
    for who in ("ann", "bob", "cleo"):
        say(database, ids[who], item, accept=True)
    assert (page(database, ids["ann"], item).title, page(database, ids["ann"], item).state) == (
        "Round two",
        "collecting",
    )
