"""The ten faults of the version before (commit d979e60), in the order of their list, each shown from outside.

This file runs unchanged against that version and this one: there every test fails and says what was wrong, here every
test passes. So it uses what both have: pages and forms, `/v1`, the command line, mails, files on disk, and a clock.
Where a form has another shape here, a small step tries the new one first and falls back to the old one.

To see it fail: `git worktree add /tmp/before d979e60`, copy this file into its tests/web, and run it there with
PYTHONPATH=/tmp/before/src:/tmp/before.
"""

from __future__ import annotations

import html
import io
import os
import re
import shutil
import smtplib
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import pikepdf
import pytest
import sqlalchemy as sa
import uvicorn
from PIL import Image
from sqlalchemy import event
from starlette.testclient import TestClient
from typer.testing import CliRunner

from entrenous.cli import app as command_line
from entrenous.web.app import THREADS, create_app
from entrenous.web.identity import passwords
from entrenous.web.service.worker import Worker
from entrenous.web.settings import Settings
from entrenous.web.store import schema
from entrenous.web.store.database import Database

PASSWORD = "a sentence to remember"
ADDRESS = "http://127.0.0.1:8000"
WIDER = ("friends", "friends-of-friends", "public")
EVERYONE, ONLY_US = (5, 5, 5), (0, 0, 0)
PATIENCE = 300
SCOPES = ("mediate", "check", "read", "answers", "write")
LINK = re.compile(re.escape(ADDRESS) + r"(/(?:confirm|reset)/[\w-]+)")


@dataclass
class Clock:
    """A clock that stands still unless it is turned."""

    moment: datetime = datetime(2030, 5, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment


@dataclass
class World:
    """A service, the people on it with a browser and a program each, and the mails it sent."""

    folder: Path
    smtp: str = ""
    address: str = ADDRESS
    clock: Clock = field(default_factory=Clock)
    ids: dict[str, int] = field(default_factory=dict)
    browsers: dict[str, TestClient] = field(default_factory=dict)
    tokens: dict[str, dict[str, str]] = field(default_factory=dict)
    mails: list[EmailMessage] = field(default_factory=list)

    def __post_init__(self) -> None:
        url = f"sqlite:///{self.folder}/service.db"
        settings = Settings(database=url, address=self.address, worker=False, smtp=self.smtp)
        self.database = Database(settings, clock=self.clock)
        self.app = create_app(settings, database=self.database)
        self.stranger = self.browser("192.0.2.250")

    def browser(self, address: str) -> TestClient:
        return TestClient(
            self.app, base_url=self.address, client=(address, 50000), raise_server_exceptions=False
        )

    def join(self, handle: str, name: str | None = None, email: str = "") -> None:
        """Let somebody register, at an address of their own, and make a token that may do everything."""
        browser = self.browser(f"198.51.100.{len(self.ids) + 1}")
        form = {"handle": handle, "name": name or handle.title(), "email": email, "password": PASSWORD}
        assert browser.post("/register", data=form, follow_redirects=False).status_code == 303
        self.browsers[handle] = browser
        self.tokens[handle] = self.token(handle, *SCOPES)
        self.ids[handle] = self.call(handle, "GET", "/v1/me").json()["id"]

    def token(self, handle: str, *scopes: str) -> dict[str, str]:
        form = {"name": "a test", "scope": list(scopes), "days": "90"}
        page = self.browsers[handle].post("/account/tokens", data=form).text
        found = re.search(r"Your new token.*?<code>([^<]+)</code>", page, re.DOTALL)
        assert found is not None
        return {"authorization": f"Bearer {found[1]}"}

    def call(self, handle: str, method: str, path: str, **sent: Any) -> Any:
        answer = self.stranger.request(method, path, headers=self.tokens[handle], **sent)
        assert answer.status_code < 300, (path, answer.text)
        return answer

    def befriend(self, *handles: str) -> None:
        for place, one in enumerate(handles):
            for other in handles[:place]:
                self.call(one, "POST", "/v1/friends", json={"handle": other})
                self.call(other, "POST", f"/v1/friends/{self.ids[one]}/answer", json={"accept": True})

    def put_up(self, owner: str, content: bytes | None = None, title: str = "A day out") -> str:
        files = {"file": ("photo.png", content or picture(), "image/png")}
        item: str = self.call(owner, "POST", "/v1/items", data={"title": title}, files=files).json()["id"]
        return item

    def tag(self, owner: str, item: str, *others: str) -> None:
        sent = {"people": [self.ids[one] for one in others]}
        self.call(owner, "POST", f"/v1/items/{item}/tags", json=sent)
        for one in others:
            self.call(one, "POST", f"/v1/items/{item}/tags/mine", json={"accept": True})

    def share(self, owner: str, *others: str, title: str = "A day out") -> str:
        """Put up a photo of some people, and ask all of them."""
        item = self.put_up(owner, title=title)
        if others:
            self.tag(owner, item, *others)
        self.call(owner, "POST", f"/v1/items/{item}/open", json={})
        return item

    def answer(self, item: str, scores: tuple[int, ...], *handles: str) -> None:
        sent = {"scores": dict(zip(WIDER, scores, strict=True))}
        for one in handles:
            self.call(one, "PUT", f"/v1/items/{item}/view", json=sent)

    def decided(self, owner: str, *others: str, scores: tuple[int, ...] = EVERYONE) -> str:
        """Share a photo on whose audience all agree, so that the outcome is in force."""
        item = self.share(owner, *others)
        self.answer(item, scores, owner, *others)
        for one in (owner, *others) if others else ():
            self.call(one, "POST", f"/v1/items/{item}/agree")
        self.turn(hours=25)
        return item

    def turn(self, **length: float) -> None:
        self.clock.moment += timedelta(**length)

    def work(self) -> list[EmailMessage]:
        """Let the worker do what is due, and return what it mailed."""
        self.mails.clear()
        while Worker(self.database).run_once():
            pass
        return list(self.mails)

    def stand(self, handle: str, scores: tuple[int, ...], *counts_for: str) -> None:
        """Say what counts for somebody who is silent: a line here, and whose items it counts in; once, scores."""
        line = ("private", *WIDER)[sum(score > 2 for score in scores)]
        form = {"line": line, "counts": [str(self.ids[one]) for one in counts_for]}
        answer = self.browsers[handle].post("/standing-line", data=form, follow_redirects=False)
        if answer.status_code == 404:
            form = {f"score-{choice}": str(score) for choice, score in zip(WIDER, scores, strict=True)}
            answer = self.browsers[handle].post("/default", data=form, follow_redirects=False)
        assert "done=saved" in answer.headers["location"]

    def confirm(self, address: str) -> None:
        """Let an address be its owner's: here by the link in a mail; once it was, unasked."""
        for mail in self.work():
            found = LINK.search(str(mail.get_content()))
            if mail["To"] == address and found:
                reader = self.browser("203.0.113.9")
                reader.get(found[1])
                assert reader.post("/confirm").status_code == 200

    def administer(self, handle: str) -> None:
        """Let somebody look after the service, unless they do already."""
        if not self.administers(handle):
            url = f"sqlite:///{self.folder}/service.db"
            done = CliRunner().invoke(command_line, ["access", "admin", "add", handle, "--database", url])
            assert done.exit_code == 0, done.output
        assert self.administers(handle)

    def administers(self, handle: str) -> bool:
        page = self.browsers[handle].get("/admin", follow_redirects=False)
        return bool(page.status_code == 200)

    def copies(self, item: str, number: int) -> set[str]:
        """Add as many items like one there is, each a second newer than the one before; return their ids."""
        with self.database.writing() as session:
            like = session.execute(sa.select(schema.items).where(schema.items.c.id == item)).one()._mapping
            owners = session.execute(sa.select(schema.owners).where(schema.owners.c.item == item)).all()
            rows = [
                dict(like)
                | {"id": f"copy-{place:06}-{item[:8]}", "created": like["created"] + timedelta(seconds=place)}
                for place in range(1, number + 1)
            ]
            places = [dict(owner._mapping) | {"item": row["id"]} for row in rows for owner in owners]
            session.execute(sa.insert(schema.items), rows)
            session.execute(sa.insert(schema.owners), places)
        return {row["id"] for row in rows}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a service with nobody on it."""
    folder = tmp_path_factory.mktemp("empty")
    made = Database(Settings(database=f"sqlite:///{folder}/service.db"))
    made.migrate()
    with made.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    made.close()
    return folder / "service.db"


@pytest.fixture
def worlds(empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., World]]:
    """Make services, each with nobody on it."""
    made: list[World] = []

    def make(**options: Any) -> World:
        folder = tmp_path / f"service{len(made)}"
        folder.mkdir()
        shutil.copy(empty, folder)
        world = World(folder, **options)

        class Server:
            """A mail server that keeps what it is given."""

            def __init__(self, *_given: Any, **_named: Any) -> None: ...
            def __enter__(self) -> Server:
                return self

            def __exit__(self, *_given: Any) -> None: ...
            def send_message(self, mail: EmailMessage) -> None:
                world.mails.append(mail)

        monkeypatch.setattr(smtplib, "SMTP", Server)
        made.append(world)
        return world

    yield make
    for world in made:
        world.database.close()


@pytest.fixture
def world(worlds: Callable[..., World]) -> World:
    return worlds()


@pytest.fixture
def mailing(worlds: Callable[..., World]) -> World:
    """A service that sends mails."""
    return worlds(smtp="smtp://127.0.0.1:1")


def picture(size: tuple[int, int] = (32, 24), colour: str = "#9cc4e4") -> bytes:
    stored = io.BytesIO()
    Image.new("RGB", size, colour).save(stored, "PNG")
    return stored.getvalue()


def main_part(page: str) -> str:
    return page.partition("<main")[2].partition("</main>")[0]


# --- 1: a no is not replaced ----------------------------------------------------------------------------------


def test_fault_01_silence_does_not_turn_only_us_into_everyone(world: World) -> None:
    """Fault 1: "only us" once, a wide standing view, three people join, silence: public, for strangers too."""
    for handle in ("ann", "bob", "cleo", "dora", "emil"):
        world.join(handle)
        world.befriend(*dict.fromkeys(("ann", handle)))
    world.stand("bob", EVERYONE, "ann")
    item = world.share("ann", "bob")
    world.answer(item, ONLY_US, "bob")
    world.answer(item, EVERYONE, "ann")
    others = ["ann"]
    for joining in ("cleo", "dora", "emil"):
        world.tag("ann", item, joining)
        others.append(joining)
        world.answer(item, EVERYONE, *others)
        world.turn(days=8)
        world.work()
    world.turn(days=2)
    world.work()
    shown = world.call("bob", "GET", f"/v1/items/{item}").json()
    assert shown["outcome"]["round"] == 4, "each of the three brought on a round"
    choice = shown["audience"] or "private"
    assert choice == "private", (
        f"bob said only us and was silent ever after, and now it is shown to: {choice}"
    )
    seen = world.stranger.get(f"/items/{item}").status_code
    assert seen == 404, "a stranger sees the photo that bob wanted to keep among its co-owners"


# --- 2: nobody is named ---------------------------------------------------------------------------------------


def after_a_petition(world: World, refusing: str) -> dict[str, str]:
    """What two who did not refuse are shown, when somebody else did and one of them asks to think again."""
    handles = ("ann", "bob", "cleo", "dora")
    for handle in handles:
        world.join(handle)
    world.befriend(*handles)
    item = world.share("ann", "bob", "cleo", "dora")
    for handle in handles:
        world.answer(item, ONLY_US if handle == refusing else EVERYONE, handle)
    before = {
        f"ann {path}": world.browsers["ann"].get(f"/items/{item}{path}").text for path in ("", "/petition")
    }
    world.call("dora", "POST", f"/v1/items/{item}/petition", json={"text": "Please think again."})
    paths = [f"/items/{item}", f"/items/{item}/view", "/", "/notifications", "/history"]
    seen = {f"{who} {path}": world.browsers[who].get(path).text for who in ("ann", "dora") for path in paths}
    for who in ("ann", "dora"):
        for path in (f"/v1/items/{item}", "/v1/notifications", "/v1/inbox", "/v1/me/history"):
            seen[f"{who} {path}"] = world.call(who, "GET", path).text
    return {name.replace(item, "*"): text.replace(item, "*") for name, text in (before | seen).items()}


def test_fault_02_a_petition_does_not_tell_who_refused(worlds: Callable[..., World]) -> None:
    """Fault 2: three for everyone and one for nobody; all were told that it goes above all to that one, by name."""
    bob, cleo = (after_a_petition(worlds(), refusing) for refusing in ("bob", "cleo"))
    telling = [name for name in bob if bob[name] != cleo[name]]
    named = [found[0] for name in telling if (found := re.search(r"above all to [^.]*", bob[name]))]
    assert not telling, f"{telling} tell whether bob or cleo refused: {named[:1]}"


def beside(world: World, scores: tuple[int, ...]) -> dict[str, str]:
    """What ann is shown who listens to bob and cleo, when bob answers so and dora stops at friends."""
    handles = ("ann", "bob", "cleo", "dora")
    for handle in handles:
        world.join(handle)
    world.befriend(*handles)
    for one in ("bob", "cleo"):
        world.call("ann", "PUT", f"/v1/friends/{world.ids[one]}/listening", json={"percent": 20})
    item = world.share(*handles)
    for handle, said in zip(handles, ((5, 3, 1), scores, (5, 4, 1), (5, 0, 0)), strict=True):
        world.answer(item, said, handle)
    shown = world.call("ann", "GET", f"/v1/items/{item}")
    assert shown.json()["outcome"]["choice"] == "friends"
    seen = {path: world.browsers["ann"].get(f"/items/{item}{path}").text for path in ("", "/petition")}
    return {name: text.replace(item, "*") for name, text in {"/v1": shown.text, **seen}.items()}


def test_fault_02_reasons_tell_no_more_than_the_outcome(worlds: Callable[..., World]) -> None:
    """Fault 2: reasons and hints leaked as much again."""
    wide, narrow = beside(worlds(), EVERYONE), beside(worlds(), (5, 1, 0))
    telling = [name for name in wide if wide[name] != narrow[name]]
    said = [re.findall(r'"reason": ?"([^"]*)"', one["/v1"]) for one in (wide, narrow)]
    assert not telling, f"the outcome is the same, and {telling} tell ann how bob answered: {said}"


# --- 3: standing views are not there to be worked out -----------------------------------------------------------


def test_fault_03_an_uploader_with_a_second_account_learns_no_standing_view(world: World) -> None:
    """Fault 3: a friend's standing view was worked out exactly, without their letting anybody use it."""
    for handle in ("ann", "second", "target"):
        world.join(handle)
    world.befriend("ann", "second", "target")

    def shown(standing: tuple[int, ...], *counts_for: str) -> str:
        """What both accounts are told when the target is silent."""
        world.stand("target", standing, *counts_for)
        item = world.share("ann", "second", "target")
        world.answer(item, EVERYONE, "ann", "second")
        world.turn(days=7, minutes=1)
        world.work()
        seen = [world.call(who, "GET", f"/v1/items/{item}").json()["outcome"] for who in ("ann", "second")]
        return str([(one["choice"], one["agreed"], one["reason"]) for one in seen])

    told = {shown(standing) for standing in (ONLY_US, (5, 0, 0), (5, 5, 0), EVERYONE)}
    assert len(told) == 1, f"the uploader tells {len(told)} of 4 standing views apart, of somebody silent"
    assert shown(EVERYONE, "ann") not in told, "it would count for whom the target lets it count"


# --- 4: nothing agreed changes in silence -----------------------------------------------------------------------


def with_another_title(world: World) -> tuple[str, list[Any], list[Any]]:
    """Let ann change the title that bob agreed to, in every way there is; return what bob was told before and after."""
    for handle in ("ann", "bob"):
        world.join(handle)
    world.befriend("ann", "bob")
    item = world.decided("ann", "bob")
    assert "A day out" in world.stranger.get(f"/items/{item}").text
    before = world.call("bob", "GET", "/v1/notifications").json()
    sent = {"title": "Bob is drunk", "description": ""}
    world.browsers["ann"].post(f"/items/{item}/edit", data=sent)
    world.stranger.put(f"/v1/items/{item}", json=sent, headers=world.tokens["ann"])
    world.browsers["ann"].post(f"/items/{item}/change", data=sent | {"expires": ""})
    return item, before, world.call("bob", "GET", "/v1/notifications").json()


def test_fault_04_a_title_nobody_agreed_to_is_not_public(world: World) -> None:
    """Fault 4: after everybody agreed, a title that shames a co-owner by name was public at once."""
    item, _, _ = with_another_title(world)
    for path in (f"/items/{item}", "/gallery"):
        page = world.stranger.get(path)
        assert page.status_code == 200
        assert "Bob is drunk" not in page.text, f"strangers read on {path} what bob never agreed to"
        assert "A day out" in page.text


def test_fault_04_co_owners_are_told_of_another_title(world: World) -> None:
    """Fault 4: nobody was told."""
    item, before, after = with_another_title(world)
    assert len(after) > len(before), "ann changed the title, and bob was not told"
    assert after[0]["item"] == item


# --- 5: sentences that are true ---------------------------------------------------------------------------------


def test_fault_05_a_hidden_name_is_hidden(world: World) -> None:
    """Fault 5: "name hidden from others" stood beside "Photo added by" and the full name."""
    world.join("annabel", "Annabel Winter")
    world.join("bob")
    world.befriend("annabel", "bob")
    item = world.decided("annabel", "bob")
    world.browsers["annabel"].post(f"/items/{item}/do/untag")  # once it was so from the beginning
    assert "name hidden from" in world.browsers["annabel"].get(f"/items/{item}").text
    for path in (f"/items/{item}", "/gallery"):
        page = world.stranger.get(path)
        assert page.status_code == 200
        words = " ".join(re.sub(r"<[^>]*>", " ", main_part(page.text)).split())
        found = re.search(r".{0,20}annabel.{0,10}", words, re.IGNORECASE)
        assert found is None, f"the hidden name is on {path}: {found and found[0]}"


def dump(file: Path) -> str:
    with closing(sqlite3.connect(file)) as opened:
        return "\n".join(opened.iterdump())


def test_fault_05_answers_are_gone_after_the_decision(world: World) -> None:
    """Fault 5: "your views are gone for good", and snapshots kept scores, limits and weights in plain JSON."""
    for handle in ("ann", "bob"):
        world.join(handle)
    world.befriend("ann", "bob")

    def keys() -> str:
        return "".join(dump(file) for file in world.folder.glob("*.keys"))

    item = world.share("ann", "bob")
    world.answer(item, (5, 4, 1), "ann", "bob")
    assert not keys() or item in keys(), "sealed answers can be opened until then"
    for one in ("ann", "bob"):
        world.call(one, "POST", f"/v1/items/{item}/agree")
    world.turn(days=2)
    world.work()
    assert world.call("ann", "GET", f"/v1/items/{item}").json()["state"] == "active"
    score = r'"friends-of-friends"\s*:\s*[0-9.]+'
    kept = re.findall(score, dump(world.folder / "service.db"))
    assert not kept, f"the database still holds {len(kept)} scores in plain text, such as {kept[0]}"
    for file in sorted(world.folder.iterdir()):  # and what was removed is not left in a corner of a file
        found = re.search(score.encode(), file.read_bytes())
        assert found is None, f"{file.name} still holds a score: {found and found[0].decode()}"
    assert item not in keys(), "and nothing is left that opens a sealed answer"


def paper(**planted: bool) -> bytes:
    """A page with an author, or with what acts when it is opened."""
    made, written = pikepdf.Pdf.new(), io.BytesIO()
    made.add_blank_page(page_size=(200, 100))
    if planted.get("author"):
        made.docinfo["/Author"] = "Annabel Winter"
    if planted.get("action"):
        target = pikepdf.String("https://example.org/annabel")
        made.Root.OpenAction = pikepdf.Dictionary(S=pikepdf.Name.URI, URI=target)
    made.save(written, compress_streams=False, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    return written.getvalue()


def handed_out(world: World, content: bytes) -> bytes:
    """Upload a document, and return what others get, laid open; empty if it is refused."""
    world.join("ann")
    files = {"file": ("minutes.pdf", content, "application/pdf")}
    answer = world.browsers["ann"].post("/items", data={"title": "Minutes", "do": "draft"}, files=files)
    if answer.status_code == 422:
        return b""
    assert answer.status_code == 200
    stored = world.browsers["ann"].get(f"{answer.url.path}/file")
    assert stored.headers["content-type"] == "application/pdf"
    plain = io.BytesIO()
    with pikepdf.open(io.BytesIO(stored.content)) as opened:
        opened.save(plain, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    return stored.content + plain.getvalue()


def test_fault_05_a_pdf_loses_its_author(world: World) -> None:
    """Fault 5: PDFs kept their author."""
    found = handed_out(world, paper(author=True))
    assert found
    assert b"Annabel Winter" not in found, "whoever may see the document reads who wrote it"


# --- 6: accounts one can live with ------------------------------------------------------------------------------


def test_fault_06_a_forgotten_password_can_be_reset(mailing: World) -> None:
    """Fault 6: there was no password reset."""
    mailing.join("ann", email="ann@example.org")
    mailing.confirm("ann@example.org")
    browser = mailing.browser("203.0.113.7")
    page = browser.get("/forgot")
    assert page.status_code == 200, "there is no page for a forgotten password"
    browser.post("/forgot", data={"login": "ann"})
    (link,) = [found[1] for mail in mailing.work() if (found := LINK.search(str(mail.get_content())))]
    browser.get(link)
    browser.post("/reset", data={"password": "another sentence to remember"})
    form = {"login": "ann", "password": "another sentence to remember"}
    answer = mailing.browser("203.0.113.8").post("/sign-in", data=form, follow_redirects=False)
    assert answer.status_code == 303


def test_fault_06_nothing_goes_to_an_address_that_nobody_confirmed(mailing: World) -> None:
    """Fault 6: there was no confirmed address."""
    mailing.join("ann", email="somebody.else@example.org")
    for handle in ("bob", "cleo"):
        mailing.join(handle)
    form = {"name": "Ann", "email": "somebody.else@example.org", "mail": "1"}
    mailing.browsers["ann"].post("/account/profile", data=form)
    mailing.work()
    mailing.call("bob", "POST", "/v1/friends", json={"handle": "ann"})
    sent = [f"{mail['To']}: {mail['Subject']}" for mail in mailing.work()]
    assert not sent, f"a notice went to an address that nobody confirmed: {sent}"
    mailing.browsers["ann"].post("/account/address")
    mailing.confirm("somebody.else@example.org")
    mailing.call("cleo", "POST", "/v1/friends", json={"handle": "ann"})
    assert [mail["To"] for mail in mailing.work()] == ["somebody.else@example.org"], "then it does"


def test_fault_06_there_are_passkeys(worlds: Callable[..., World]) -> None:
    """Fault 6: there was no passkey."""
    world = worlds(address="https://photos.example")
    world.join("ann")
    page = world.browsers["ann"].get("/account/passkeys")
    assert page.status_code == 200, "there is no page for passkeys"
    assert "Add a passkey" in page.text
    assert "with a passkey" in world.stranger.get("/sign-in").text


def test_fault_06_the_only_administrator_stays(world: World) -> None:
    """Fault 6: the only administrator could delete itself, and nobody could follow."""
    world.join("ann")
    world.join("bob")
    world.administer("ann")
    answer = world.browsers["ann"].post("/account/delete", data={"current": PASSWORD})
    assert world.administers("ann"), f"the only administrator is gone: {answer.url}"
    world.administer("bob")
    answer = world.browsers["ann"].post("/account/delete", data={"current": PASSWORD})
    assert "deleted" in str(answer.url), "with another administrator it is possible"


def test_fault_06_the_first_visitor_is_nobody_special(world: World) -> None:
    """Fault 6: the first visitor of a fresh service became administrator."""
    world.join("early")
    assert not world.administers("early"), "whoever came first administers the service"


# --- 7: at the door ---------------------------------------------------------------------------------------------


def test_fault_07_wrong_tries_of_others_do_not_lock_the_owner_out(world: World) -> None:
    """Fault 7: ten wrong tries by anybody locked the owner out, right password included."""
    world.join("ann")
    world.browsers["ann"].post("/sign-out")
    attacker = [world.browser("203.0.113.66") for _ in range(12)]
    tries = [one.post("/sign-in", data={"login": "ann", "password": "a wrong guess"}) for one in attacker]
    assert tries[-1].status_code == 429, "the attacker has to wait"
    form = {"login": "ann", "password": PASSWORD}
    answer = world.browsers["ann"].post("/sign-in", data=form, follow_redirects=False)
    assert answer.status_code == 303, f"the owner, with the right password, gets {answer.status_code}"


@contextmanager
def listening(world: World) -> Iterator[str]:
    """Let the service answer at a port of this machine, with as many threads as it gives itself."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(world.app, log_level="warning", lifespan="on", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            thread.join(0.02)
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def wait_until(so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not so():
        assert time.monotonic() < end
        time.sleep(0.01)


def fetched(url: str, **form: str) -> int:
    """Ask for a page over the wire, or send it a form, and return how that ended."""
    try:
        with urlopen(url, urlencode(form).encode() if form else None) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


def test_fault_07_eighty_sign_ins_do_not_stop_the_pages(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 7: 80 parallel sign-ins starved all pages. Here no password is looked at until the page is there."""
    go_on, held, check = threading.Event(), list[str](), passwords.password_fits

    def stopped(*given: Any) -> bool:
        held.append(threading.current_thread().name)
        go_on.wait(PATIENCE)
        return check(*given)

    monkeypatch.setattr(passwords, "password_fits", stopped)
    with listening(world) as address, ThreadPoolExecutor(90) as many:
        forms = [{"login": f"person{number}", "password": "wrong as it is"} for number in range(80)]
        signing_in = [many.submit(fetched, f"{address}/sign-in", **form) for form in forms]
        wait_until(lambda: bool(held))
        pages = [many.submit(fetched, f"{address}/how") for _ in range(8)]
        wait_until(lambda: all(page.done() for page in pages) or len(held) >= THREADS)
        answered, starving = all(page.done() for page in pages), len(held)
        go_on.set()
    assert answered, f"sign-ins hold {starving} of {THREADS} threads, and pages wait until they are through"
    assert {page.result() for page in pages} == {200}
    # From one address some are asked to come again; nobody is let in, and nobody waits for ever.
    assert 401 in {one.result() for one in signing_in} <= {401, 503}


def test_fault_07_the_profile_does_not_tell_whether_an_address_is_taken(mailing: World) -> None:
    """Fault 7: `/account/profile` answered whether an address is taken."""
    mailing.join("ann", email="ann@example.org")
    mailing.confirm("ann@example.org")
    mailing.join("bob")
    told = []
    for email in ("ann@example.org", "free@example.org"):
        page = mailing.browsers["bob"].post("/account/profile", data={"name": "Bob", "email": email})
        told.append((page.status_code, main_part(page.text).replace(email, "?")))
    wrong = re.search(r'role="alert"[^>]*>(.*?)</(?:p|div)>', told[0][1], re.DOTALL)
    said = wrong and re.sub(r"<[^>]*>", "", wrong[1])
    assert told[0] == told[1], f"a taken and a free address are told apart: {said}"


def test_fault_07_what_tells_about_others_has_a_limit(world: World) -> None:
    """Fault 7: `/account/profile` and `POST /v1/friends` had no limit."""
    world.join("ann")
    ann, token = world.browsers["ann"], world.tokens["ann"]

    def claim(number: int) -> int:
        form = {"name": "Ann", "email": f"guess{number}@example.org"}
        return ann.post("/account/profile", data=form, follow_redirects=False).status_code

    def ask(number: int) -> int:
        return world.stranger.post(
            "/v1/friends", json={"handle": f"guess{number}"}, headers=token
        ).status_code

    most = 150
    endless = [guess.__name__ for guess in (claim, ask) if 429 not in map(guess, range(most))]
    assert not endless, f"{most} guesses in one moment, and the next is welcome too: {endless}"


# --- 8: per-person scale ----------------------------------------------------------------------------------------


def questions(world: World, path: str) -> int:
    """How many questions to the database a page takes, once everything is warm."""
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        asked.append(statement)

    world.browsers["ann"].get(path)
    event.listen(world.database.engine, "before_cursor_execute", note)
    assert world.browsers["ann"].get(path).status_code == 200
    event.remove(world.database.engine, "before_cursor_execute", note)
    return len(asked)


def test_fault_08_a_page_costs_the_same_with_a_full_inbox(world: World) -> None:
    """Fault 8: every page computed the whole inbox."""
    world.join("ann")
    world.copies(world.share("ann"), 4)
    few = {path: questions(world, path) for path in ("/how", "/account")}
    world.copies(world.share("ann"), 54)
    assert len(world.call("ann", "GET", "/v1/inbox?limit=100").json()) == 60
    many = {path: questions(world, path) for path in few}
    assert many == few, f"questions to the database with 5 items waiting: {few}, with 60: {many}"


def items_in(text: str) -> set[str]:
    return set(re.findall(r'href="/items/([\w-]{8,})["/]', text)) - {"new"}


def reached(browser: TestClient, start: str) -> set[str]:
    """The items one comes to from a page by going on: links in its main part that lead to no item."""
    found, seen, ahead = set[str](), set[str](), [start]
    while ahead:
        path = ahead.pop()
        if path in seen:
            continue
        seen.add(path)
        text = main_part(browser.get(path).text)
        found |= items_in(text)
        links = [html.unescape(link) for link in re.findall(r'href="([^"]+)"', text)]
        ahead += [
            link if link.startswith("/") else path.partition("?")[0] + link
            for link in links
            if link[0] in "/?"
        ]
        ahead = [link for link in ahead if not link.startswith(("/items", "/first-steps", "/static"))]
    return found


def test_fault_08_home_reaches_all_items(world: World) -> None:
    """Fault 8: home reached 210 of 1,000 items."""
    world.join("ann")
    item = world.put_up("ann")
    made = {item} | world.copies(item, 59)
    found = reached(world.browsers["ann"], "/")
    assert found == made, f"home reaches {len(found)} of {len(made)} items"


def pages_of(world: World, path: str) -> list[set[str]]:
    """The items on each page of a list, going on as long as it says how."""
    pages, go_on = list[set[str]](), path
    while go_on:
        answer = world.browsers["ann"].get(go_on, headers=world.tokens["ann"])
        assert answer.status_code == 200
        if path.startswith("/v1"):
            pages.append({card["id"] for card in answer.json()})
            go_on = answer.links.get("next", {}).get("url", "")
        else:
            text = main_part(answer.text)
            pages.append(items_in(text))
            further = re.search(r'href="([^"]*)(\?before=[^"]*)"', text)
            go_on = path + html.unescape(further[2]) if further else ""
    return pages


def test_fault_08_lists_have_pages(world: World) -> None:
    """Fault 8: lists had no pages."""
    world.join("ann")
    item = world.put_up("ann")
    world.browsers["ann"].post(f"/items/{item}/do/retag")  # ann is in it, by name
    made = {item} | world.copies(item, 59)
    lists = {
        path: pages_of(world, path) for path in ("/of-me", "/v1/items?which=mine", "/v1/items?which=of-me")
    }
    assert all(set().union(*pages) == made for pages in lists.values()), "nothing is left out"
    endless = [path for path, pages in lists.items() if len(pages) == 1]
    assert not endless, f"all {len(made)} items on one page, however many there are: {endless}"


def test_fault_08_the_gallery_is_found_behind_what_one_may_not_see(world: World) -> None:
    """Fault 8: the gallery was empty behind 10,000 newer items one may not see."""
    for handle in ("ann", "eve"):
        world.join(handle)
    visible = world.decided("ann")
    world.turn(seconds=1)
    world.copies(world.decided("ann", scores=(5, 0, 0)), 10_001)
    world.turn(days=1)
    for browser in (world.browsers["eve"], world.stranger):
        page = browser.get("/gallery")
        assert page.status_code == 200
        assert items_in(main_part(page.text)) == {visible}, "the gallery is empty behind what one may not see"


def large_photo() -> bytes:
    """A photo with as much in it as one of a camera has."""
    grain = Image.effect_noise((3000, 2000), 40)
    stored = io.BytesIO()
    Image.merge("RGB", [grain] * 3).save(stored, "JPEG", quality=90)
    return stored.getvalue()


def test_fault_08_a_page_does_not_load_the_original(world: World) -> None:
    """Fault 8: original photos on every view."""
    world.join("ann")
    item, ann = world.put_up("ann", large_photo()), world.browsers["ann"]
    original = len(ann.get(f"/items/{item}/file").content)
    assert original > 2_000_000
    text = main_part(ann.get(f"/items/{item}").text)
    images = re.findall(r'<img[^>]* src="([^"]+)"', text)
    choices = re.findall(r'<img[^>]* srcset="([^"]+)"', text)
    images += [one.split()[0] for listed in choices for one in listed.split(",")]
    assert images
    for path in images:
        size = len(ann.get(path).content)
        assert size < original / 3, f"the page loads {path}, {size:,} bytes of {original:,}"


def test_fault_08_a_reload_does_not_load_the_photo_again(world: World) -> None:
    """Fault 8: original photos again on every reload."""
    world.join("ann")
    item, ann = world.put_up("ann"), world.browsers["ann"]
    for part in ("thumbnail", "file"):
        first = ann.get(f"/items/{item}/{part}")
        caching = first.headers["cache-control"]
        assert "no-store" not in caching, f"a browser may not keep the {part} of a photo: {caching}"
        again = ann.get(f"/items/{item}/{part}", headers={"if-none-match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_fault_08_static_files_are_kept(world: World) -> None:
    """Fault 8: `/static` was no-store."""
    sheet = re.search(r'rel="stylesheet" href="(/static/[^"]+)"', world.stranger.get("/how").text)
    assert sheet is not None
    caching = world.stranger.get(sheet[1]).headers["cache-control"]
    assert "no-store" not in caching, f"{sheet[1]} comes again with every page: {caching}"
    assert int(re.findall(r"max-age=(\d+)", caching)[0]) > 86_400


# --- 9: names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["register", "rename"])
def test_fault_09_a_name_that_looks_like_another_is_refused(world: World, way: str) -> None:
    """Fault 9: look-alike Cyrillic, invisible and right-to-left characters were accepted."""
    world.join("bob")
    taken = []
    for name in ("\u0410nn Miller", "Ann\u200b Miller", "Ann \u202erelliM"):
        form = {"handle": f"mallory-{len(taken)}", "name": name, "password": PASSWORD}
        browser = world.browser("203.0.113.5") if way == "register" else world.browsers["bob"]
        path = "/register" if way == "register" else "/account/profile"
        if browser.post(path, data=form, follow_redirects=False).status_code != 422:
            taken.append(ascii(name))
    assert not taken, f"these look like Ann Miller, and are accepted: {taken}"


def test_fault_09_people_of_the_same_name_are_told_apart(world: World) -> None:
    """Fault 9: the same name twice, and handles were not shown."""
    for handle in ("ann", "sam-one", "sam-two"):
        world.join(handle, "Ann" if handle == "ann" else "Sam Hill")
    world.befriend("ann", "sam-one", "sam-two")
    item = world.share("ann", "sam-one", "sam-two")
    for path in (f"/items/{item}", "/items/new", "/listening", "/notifications"):
        words = re.sub(r"<[^>]*>", "", main_part(world.browsers["ann"].get(path).text))
        assert words.count("Sam Hill") >= 2, path
        for handle in ("sam-one", "sam-two"):
            assert f"@{handle}" in words, f"{path} says Sam Hill twice, and not which one is {handle}"


# --- 10: smaller ------------------------------------------------------------------------------------------------


def test_fault_10_webhooks_stay_outside(world: World) -> None:
    """Fault 10: `::127.0.0.1`, `64:ff9b:1::/48` and `fec0::` passed the webhook guard."""
    world.join("ann")
    ann = world.browsers["ann"]
    events = re.findall(r'name="event" value="([^"]+)"', ann.get("/account").text)

    def is_taken(host: str) -> bool:
        form = {"url": f"https://{host}/hook", "event": events[0]}
        return "The secret that signs" in ann.post("/account/webhooks", data=form).text

    inside = [host for host in ("[::127.0.0.1]", "[64:ff9b:1::1]", "[fec0::1]") if is_taken(host)]
    assert not inside, f"webhooks may go to {inside}"
    assert is_taken("93.184.215.14"), "and to public places"


def test_fault_10_a_pdf_does_nothing_when_it_is_opened(world: World) -> None:
    """Fault 10: PDFs with OpenAction and URI were accepted."""
    found = handed_out(world, paper(action=True))
    for name in (b"/OpenAction", b"/URI"):
        assert name not in found, f"a PDF is handed out with {name.decode()} in it"


def test_fault_10_the_scope_read_holds_no_sealed_answers(world: World) -> None:
    """Fault 10: the scope `read` handed out one's own sealed answers."""
    for handle in ("ann", "bob"):
        world.join(handle)
    world.befriend("ann", "bob")
    item = world.share("ann", "bob")
    world.answer(item, (5, 4, 1), "ann")
    paths, sealed = (f"/v1/items/{item}/view", "/v1/me/data"), re.compile(r'"friends-of-friends":\s*4')
    assert all(sealed.search(world.call("ann", "GET", path).text) for path in paths), "with every scope"
    token = world.token("ann", "read")
    assert world.stranger.get("/v1/me", headers=token).status_code == 200
    answers = {path: world.stranger.get(path, headers=token) for path in paths}
    telling = [path for path, answer in answers.items() if sealed.search(answer.text)]
    assert not telling, f"a token that may read gets ann's sealed scores from {telling}"
    assert {answer.status_code for answer in answers.values()} == {403}


def test_fault_10_a_link_in_a_mail_leads_through_the_door(mailing: World) -> None:
    """Fault 10: mail links gave a signed-out reader a bare 404."""
    mailing.join("ann")
    mailing.join("bob", email="bob@example.org")
    mailing.confirm("bob@example.org")
    mailing.browsers["bob"].post(
        "/account/profile", data={"name": "Bob", "email": "bob@example.org", "mail": "1"}
    )
    mailing.befriend("ann", "bob")
    mailing.share("ann", "bob")
    texts = [str(mail.get_content()) for mail in mailing.work()]
    link = next(
        found[1] for text in texts if (found := re.search(re.escape(ADDRESS) + r"(/items/[\w-]+)", text))
    )
    reader = mailing.browser("203.0.113.4")
    page = reader.get(link)
    door = re.search(r'href="(/sign-in\?next=[^"]+)"', page.text)
    assert door is not None, (
        f"{page.status_code}, and no way to sign in and go on: {main_part(page.text)[-120:]}"
    )
    form = reader.get(html.unescape(door[1])).text
    go_on = re.search(r'name="next" value="([^"]+)"', form)
    assert go_on is not None
    sent = {"login": "bob", "password": PASSWORD, "next": html.unescape(go_on[1])}
    assert "A day out" in reader.post("/sign-in", data=sent).text


def test_fault_10_a_restarted_demonstration_says_how_to_sign_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 10: restarting the demo printed no password."""
    url = f"sqlite:///{tmp_path}/demo.db"
    monkeypatch.setattr("uvicorn.run", lambda *_, **__: None)
    for start in ("first", "second"):
        with monkeypatch.context() as patch:  # it leaves its settings in the environment, for other processes
            patch.setattr(os, "environ", dict(os.environ))
            done = CliRunner().invoke(command_line, ["access", "serve", "--demo", "--database", url])
        assert done.exit_code == 0, done.output
        said = " ".join(done.stderr.split())
        found = re.search(r"password: ((?:\w+ ?){2,3})", said)
        assert found is not None, f"the {start} start of the demonstration prints no password: {said}"
        database = Database(Settings(database=url, address=ADDRESS, worker=False))
        browser = TestClient(create_app(database.settings, database=database), base_url=ADDRESS)
        words = found[1].split()
        tries = [" ".join(words[:count]) for count in (2, 3)]
        answers = [
            browser.post(
                "/sign-in", data={"login": "ann", "password": one}, follow_redirects=False
            ).status_code
            for one in tries
        ]
        database.close()
        assert 303 in answers, "and it opens the door"
