"""How people appear: beside every name, on every page and in every answer, stands the handle that is theirs alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient
from tests.web import rarities
from tests.web.crowd import Crowd

import entrenous.web
from entrenous.web import demo, store
from entrenous.web.app import create_app
from entrenous.web.http.avatars import COLOURS, INK, avatar
from entrenous.web.identity import tokens
from entrenous.web.pages import PAGES
from entrenous.web.service import proposals
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database, now
from entrenous.web.store.schema import items, people

NAME = "Kim Lee"
HANDLES = (*demo.HANDLES, *demo.FURTHER)
BESIDE = re.compile(rf'<bdi>(?:Hello, )?{NAME}</bdi> <bdi(?: class="handle")?>@({"|".join(HANDLES)})</bdi>')
OWN_FIELD = f'autocomplete="name" value="{NAME}"'
TEMPLATES = Path(entrenous.web.__file__).parent / "templates"


class Town:
    """The demonstration with all its rare things, in which everybody is called the same."""

    def __init__(self, settings: Settings) -> None:
        self.items = rarities.fill(settings, "no hash")
        self.database = Database(settings)
        self.app = create_app(settings, database=self.database)
        self.address = settings.address
        with self.database.writing() as session:
            bob = session.scalar(sa.select(people.c.id).where(people.c.handle == "bob"))
            proposals.propose(session, bob, self.items["document"], title="Other minutes")
            session.execute(sa.update(people).values(name=NAME, skeleton="kimlee"))
            self.ids = dict(session.execute(sa.select(people.c.handle, people.c.id)).all())
            self.all_items = session.scalars(sa.select(items.c.id)).all()

    def client(self, handle: str | None = None) -> TestClient:
        client = TestClient(self.app, base_url=self.address)
        if handle is None:
            return client
        secret = tokens.new_secret()
        with self.database.writing() as session:
            until = now(session) + timedelta(days=1)
            store.credentials.create_session(
                session, self.ids[handle], tokens.hash_secret(secret), until, "x"
            )
            store.credentials.create_token(
                session, self.ids[handle], "x", tokens.hash_secret(secret), ["read"], None
            )
        client.cookies.set("entrenous", secret)
        client.headers["authorization"] = f"Bearer {secret}"
        return client


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    folder = tmp_path_factory.mktemp("town")
    built = Town(Settings(database=f"sqlite:///{folder}/service.db", worker=False))
    yield built
    built.database.close()


def named_without_handle(text: str) -> list[str]:
    """Return what stands around each name that has no handle beside it."""
    rest = BESIDE.sub("", text).replace(OWN_FIELD, "")
    return [rest[max(0, found.start() - 60) : found.end() + 60] for found in re.finditer(NAME, rest)]


def test_fault_9_every_name_on_every_page_has_its_handle(town: Town) -> None:
    """Fault 9: handles were not shown, so that people of one name could not be told apart."""
    seen: dict[str, int] = {}
    for handle in (None, *HANDLES):
        client = town.client(handle)
        for page in PAGES:
            for item in town.all_items if "{item}" in page.path else [""]:
                answer = client.get(page.path.replace("{item}", item))
                if page.path == "/my-data" or answer.status_code not in (200, 422):
                    continue
                assert named_without_handle(answer.text) == [], (handle, page.path)
                seen[page.path] = seen.get(page.path, 0) + len(BESIDE.findall(answer.text))
    named = {path for path, times in seen.items() if times}
    assert named >= {page.path for page in PAGES if page.readers != "anybody"} - {"/my-data"}, (
        "the reader's own name is in the menu of every page"
    )
    assert {"/", "/items/{item}", "/gallery"} <= named


def test_the_check_notices_a_name_alone() -> None:
    alone = [f"<p>{NAME}</p>", f"<bdi>{NAME}</bdi>", f'<bdi>{NAME}</bdi> <bdi class="handle">@nobody</bdi>']
    assert all(named_without_handle(text) for text in alone)
    assert not named_without_handle(f'<bdi>{NAME}</bdi> <bdi class="handle">@ann</bdi>')


def named_parts(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every part of an answer that holds the name."""
    if isinstance(value, dict):
        if NAME in value.values():
            yield value
        for part in value.values():
            yield from named_parts(part)
    elif isinstance(value, list):
        assert NAME not in value
        for part in value:
            yield from named_parts(part)


def test_every_name_in_the_interface_has_its_handle(town: Town) -> None:
    paths = town.app.openapi()["paths"]
    readable = [path for path, methods in paths.items() if "get" in methods]
    found = set()
    for handle in HANDLES:
        client = town.client(handle)
        for path in readable:
            for item in town.all_items if "{item}" in path else [""]:
                answer = client.get(path.replace("{item}", item).replace("{round_}", "1"))
                if answer.headers["content-type"] != "application/json" or answer.status_code != 200:
                    continue
                for part in named_parts(answer.json()):
                    assert part["handle"] in HANDLES, path
                    found.add(path)
    assert {"/v1/me", "/v1/friends", "/v1/items", "/v1/items/{item}", "/v1/me/history", "/v1/inbox"} <= found


# --- templates ----------------------------------------------------------------------------------------------

PRINTED = re.compile(r"(.{0,40})\{\{[^{}]*?\b(\w+)\.(name|title)\b(?! *\()[^{}]*\}\}", re.DOTALL)
OURS = {"page", "settings"}


def test_templates_print_names_and_titles_isolated() -> None:
    """A name or a title stands in `<bdi>`, in an attribute or in the title of the window, and nowhere else."""
    wrong = []
    for file in TEMPLATES.glob("*.html"):
        text = re.sub(r"\{% block title %\}.*?\{% endblock %\}", "", file.read_text(), flags=re.DOTALL)
        wrong += [
            f"{file.name}: {found[0][-80:]}: use parts.who(...) for people, <bdi> for titles"
            for found in PRINTED.finditer(text)
            if found[2] not in OURS
            and not re.search(r'(?:<bdi>|<bdi>Hello, |="|isolated\()\Z', found[1])
            and "{{ parts.photo(" not in found[0]  # prints it as the attribute alt
        ]
    assert wrong == []


def test_the_rule_about_templates_notices_offences() -> None:
    assert PRINTED.search("<p>{{ friend.who.name }}</p>")
    assert PRINTED.search('<a href="x">{{ item.title }}</a>')


# --- pictures -----------------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", COLOURS)
def test_pictures_are_read_on_their_ground(colour: str) -> None:
    """The ground belongs to the picture, so that this holds in both colour schemes."""
    assert (luminance(INK) + 0.05) / (luminance(colour) + 0.05) >= 4.5


def test_pictures_differ_and_hold_no_style() -> None:
    drawn = {avatar(f"person{number}") for number in range(2000)}
    assert len(drawn) > 1950
    assert not any("style" in one or "http" in one for one in drawn)
    assert "person" not in str(avatar("person1")), "the picture does not hold the handle"


# --- who is who ---------------------------------------------------------------------------------------------


def rename(crowd: Crowd, handle: str, name: str) -> None:
    crowd.clients[handle].post("/account/profile", data={"name": name})


def test_look_alikes_on_a_page_are_said_to_be_two(crowd: Crowd) -> None:
    crowd.add("ann", "sara", "capa", "bob")
    rename(crowd, "sara", "Capa")
    rename(crowd, "capa", "Сара")
    crowd.befriend(("ann", "sara"))
    assert "tells them apart" not in crowd.clients["ann"].get("/friends").text, "one of them is nobody's twin"
    crowd.befriend(("ann", "capa"))
    page = crowd.clients["ann"].get("/friends").text
    note = page.split("Names on this page look alike", 1)[1].split("</p>")[0]
    assert "@sara" in note
    assert "@capa" in note
    assert "tells them apart" not in crowd.clients["bob"].get("/friends").text


def test_who_asks_under_a_friends_name_is_told_apart(crowd: Crowd) -> None:
    crowd.add("ann", "sara", "capa", "bob")
    rename(crowd, "sara", "Capa")
    rename(crowd, "capa", "Сара")
    crowd.befriend(("ann", "sara"))
    for asker in ("capa", "bob"):
        crowd.clients[asker].post("/friends", data={"handle": "ann"})
    for path in ("/", "/friends"):
        page = crowd.clients["ann"].get(path).text
        assert page.count("Not the same person as your friend") == 1
    told = crowd.stranger.get("/v1/friends/requests", headers=crowd.token("ann", "read")).json()
    assert [[friend["handle"] for friend in one["like"]] for one in told] == [["sara"], []]
    assert "Not the same person" not in crowd.clients["bob"].get("/friends").text


def test_names_from_before_the_rules_are_shown_safely(crowd: Crowd) -> None:
    crowd.add("ann", "bob")
    crowd.befriend(("ann", "bob"))
    item = crowd.share("ann", "bob")
    with crowd.database.writing() as session:
        session.execute(sa.update(people).where(people.c.handle == "bob").values(name="Bob\u202e\u200b"))
        session.execute(sa.update(items).values(title="A\u2067day", description="out\u202e"))
    for path in ("/", "/friends", "/listening", f"/items/{item}", f"/items/{item}/view", "/history"):
        for handle in ("ann", "bob"):
            text = crowd.clients[handle].get(path).text
            assert not set(text) & {"\u202e", "\u200b", "\u2067"}, path
    assert "<bdi>Bob��</bdi>" in crowd.clients["ann"].get("/friends").text
    bob = crowd.clients["bob"]
    saved = bob.post("/account/profile", data={"name": "Bob��", "email": "bob@example.org"})
    assert saved.status_code == 200, "the rest of the profile can be changed without a new name"
    with crowd.database.reading() as session:
        assert session.scalar(sa.select(people.c.name).where(people.c.handle == "bob")) == "Bob\u202e\u200b"


def test_fault_5_a_hidden_uploader_has_neither_name_nor_handle_nor_picture(crowd: Crowd) -> None:
    """Fault 5: "name hidden from others" stood beside "Photo added by" and the full name."""
    crowd.add("run", "ann", "bob", "cleo")
    crowd.befriend(("ann", "bob"))
    item = crowd.share("ann", "bob")
    for who in ("ann", "bob"):
        crowd.answer(who, item, {"friends": 5, "friends-of-friends": 5, "public": 5})
    for who in ("ann", "bob"):
        crowd.clients[who].post(f"/items/{item}/do/agree")
    crowd.clients["ann"].post(f"/items/{item}/do/untag")
    token = crowd.token("cleo", "read")
    for client in (crowd.stranger, crowd.clients["cleo"]):
        for path in (f"/items/{item}", "/gallery"):
            page = client.get(path)
            assert page.status_code == 200
            assert "A day out" in page.text
            for trace in ("Ann", "@ann", str(avatar("ann"))):
                assert trace not in page.text
    client = crowd.client()
    for path in (f"/v1/items/{item}", "/v1/items"):
        assert '"ann"' not in client.get(path, headers=token).text
    assert "@ann" in crowd.clients["bob"].get(f"/items/{item}").text, "who decides with ann knows"
