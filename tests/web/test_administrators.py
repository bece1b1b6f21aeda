"""Who looks after the service: the first by a link, several after that, and never nobody."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient
from tests.web.conftest import Clock, register
from tests.web.crowd import Crowd
from tests.web.serving import PASSWORD
from typer.testing import CliRunner, Result

from entrenous.cli import app
from entrenous.web import demo
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.service import membership
from entrenous.web.service.accounts import administrators
from entrenous.web.settings import Settings
from entrenous.web.store import audit_trail, schema
from entrenous.web.store.database import Database

ONLY = "only administrator"


def run(database: Database, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["access", "admin", *arguments, "--database", database.settings.database])


def path_of(link: str, settings: Settings) -> str:
    assert link.startswith(f"{settings.address}/administer/")
    return link.removeprefix(settings.address)


def registered(client: TestClient, handle: str, **fields: str) -> Any:
    form = {"handle": handle, "name": handle.title(), "password": PASSWORD}
    return client.post("/register", data=form | fields)


def handles(database: Database) -> list[str]:
    with database.reading() as session:
        return [one.handle for one in administrators.administrators(session)]


# --- the first ----------------------------------------------------------------------------------------------


def test_the_first_visitor_is_an_ordinary_person_and_who_holds_the_link_becomes_administrator(
    crowd: Crowd,
) -> None:
    """Fault 6: whoever came first became the administrator of a fresh service."""
    visitor = crowd.client()
    registered(visitor, "early")
    assert visitor.get("/admin").status_code == 404
    with crowd.database.writing() as session:
        link = administrators.first_link(session)
    assert link is not None
    path, browser = path_of(link, crowd.settings), crowd.client()
    page = browser.get(path)
    assert page.url.path == "/administer", "the secret is not in the address of the page"
    assert "/register?next=/administer" in page.text
    back = registered(browser, "olga", next="/administer")
    assert back.url.path == "/administer"
    assert "Become the administrator" in back.text
    assert handles(crowd.database) == [], "opening and registering make nobody administrator"
    assert browser.post("/administer").url.path == "/admin"
    assert handles(crowd.database) == ["olga"]
    assert visitor.get(path).status_code == 404, "it works once"
    assert visitor.post("/administer").status_code == 404
    assert handles(crowd.database) == ["olga"]


def test_somebody_with_an_account_signs_in_and_becomes_it(crowd: Crowd) -> None:
    registered(crowd.client(), "olga")
    with crowd.database.writing() as session:
        link = administrators.first_link(session)
    browser = crowd.client()
    browser.get(path_of(str(link), crowd.settings))
    assert browser.post("/administer", follow_redirects=False).headers["location"].startswith("/sign-in")
    form = {"login": "olga", "password": PASSWORD, "next": "/administer"}
    assert "Become the administrator" in browser.post("/sign-in", data=form).text
    browser.post("/administer")
    assert handles(crowd.database) == ["olga"]


def test_of_several_links_the_newest_works_and_none_once_there_is_an_administrator(
    crowd: Crowd, clock: Clock
) -> None:
    made = []
    for _ in range(2):
        with crowd.database.writing() as session:
            made.append(path_of(str(administrators.first_link(session)), crowd.settings))
    assert [crowd.client().get(path).status_code for path in made] == [404, 200]
    crowd.add("ann")
    assert crowd.client().get(made[1]).status_code == 404
    with crowd.database.writing() as session:
        assert administrators.first_link(session) is None
        with pytest.raises(NotFound):
            administrators.become_first(session, crowd.ids["ann"], made[1].rsplit("/", 1)[1])
    clock.turn(days=8)


def test_a_closed_service_lets_the_holder_of_the_link_register(crowd: Crowd) -> None:
    closed = Crowd(crowd.database, replace(crowd.settings, registration=False))
    assert registered(closed.client(), "early").status_code == 403
    with crowd.database.writing() as session:
        link = administrators.first_link(session)
    browser = closed.client()
    browser.get(path_of(str(link), crowd.settings))
    assert registered(browser, "olga", next="/administer").status_code == 200
    browser.post("/administer")
    assert handles(crowd.database) == ["olga"]
    assert registered(closed.client(), "late").status_code == 403


def test_the_link_expires(crowd: Crowd, clock: Clock) -> None:
    with crowd.database.writing() as session:
        link = administrators.first_link(session)
    clock.turn(days=7, seconds=1)
    assert crowd.client().get(path_of(str(link), crowd.settings)).status_code == 404


@pytest.mark.parametrize("with_story", [False, True])
def test_serving_prints_the_link_while_nobody_looks_after_the_service(
    database: Database, monkeypatch: pytest.MonkeyPatch, with_story: bool
) -> None:
    import uvicorn

    monkeypatch.setattr(uvicorn, "run", lambda *_given, **_named: None)
    for name in database.settings.to_environment():  # the command sets them for its processes
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    if with_story:
        assert demo.fill(database, "hash")
    said = CliRunner().invoke(app, ["access", "serve", "--database", database.settings.database]).stderr
    printed = re.search(r"http://127\.0\.0\.1:8000/administer/[\w-]{43}", said.replace("\n", ""))
    assert (printed is None) == with_story
    assert handles(database) == (["ann"] if with_story else [])


# --- several ------------------------------------------------------------------------------------------------


@pytest.fixture
def two(crowd: Crowd) -> Crowd:
    crowd.add("ann", "bob", "cleo")
    return crowd


def test_administrators_appoint_and_dismiss_each_other_on_the_page(two: Crowd) -> None:
    ann, bob = two.clients["ann"], two.clients["bob"]
    assert "Make admin" in ann.get("/admin").text
    ann.post(f"/admin/people/{two.ids['bob']}/administrator", data={"do": "appoint"})
    assert bob.get("/admin").status_code == 200
    bob.post(f"/admin/people/{two.ids['ann']}/administrator", data={"do": "dismiss"})
    assert ann.get("/admin").status_code == 404
    assert handles(two.database) == ["bob"]
    with two.database.reading() as session:
        assert {"appointed", "dismissed"} <= set(session.scalars(sa.select(schema.audit.c.action)))
        audit_trail.verify(session)


def test_nobody_else_appoints_anybody(two: Crowd) -> None:
    for who in ("bob", "cleo"):
        answer = two.clients[who].post(f"/admin/people/{two.ids[who]}/administrator", data={"do": "appoint"})
        assert answer.status_code == 404
    assert handles(two.database) == ["ann"]


def test_the_only_administrator_can_neither_leave_nor_be_dismissed_nor_suspended(two: Crowd) -> None:
    """Fault 6: the only administrator could delete the account, and nobody could follow."""
    ann, number = two.clients["ann"], two.ids["ann"]
    for path, form, status in (
        ("/account/delete", {"handle": "ann"}, 422),
        (f"/admin/people/{number}/administrator", {"do": "dismiss"}, 409),
        (f"/admin/people/{number}/suspend", {"do": "suspend"}, 409),
    ):
        answer = ann.post(path, data=form)
        assert answer.status_code == status, path
        assert ONLY in answer.text
        assert "ppoint another first" in answer.text
    assert handles(two.database) == ["ann"]
    ann.post(f"/admin/people/{two.ids['bob']}/administrator", data={"do": "appoint"})
    assert "Your account is gone" in ann.post("/account/delete", data={"handle": "ann"}).text
    assert handles(two.database) == ["bob"]


def test_a_suspended_administrator_does_not_count(two: Crowd) -> None:
    with two.database.writing() as session:
        administrators.appoint(session, two.ids["bob"], actor=two.ids["ann"])
        membership.suspend(session, two.ids["ann"], two.ids["bob"], suspended=True)
        with pytest.raises(Conflict, match=ONLY):
            membership.delete_account(session, two.ids["ann"])
        with pytest.raises(NotFound):
            administrators.set_administrator(session, two.ids["bob"], two.ids["cleo"], appointed=True)


@pytest.mark.parametrize("way", ["dismiss", "leave"])
def test_two_who_go_at_the_same_moment_leave_one_behind(either: Database, way: str) -> None:
    ann, bob = register(either, "ann", "bob")
    with either.writing() as session:
        for one in (ann, bob):
            administrators.appoint(session, one, actor=None)
    together = threading.Barrier(2)

    def go(person: int) -> bool:
        together.wait(60)
        try:
            if way == "leave":
                either.write(lambda session: membership.delete_account(session, person))
            else:
                either.write(lambda session: administrators.dismiss(session, person, actor=person))
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(2) as both:
        assert sorted(both.map(go, (ann, bob))) == [False, True]
    assert len(handles(either)) == 1


# --- the command line ---------------------------------------------------------------------------------------


def test_the_command_line_lists_adds_and_removes(database: Database) -> None:
    register(database, "ann", "bob")
    assert "no administrator" in run(database, "list").stderr
    assert run(database, "add", "@nobody").exit_code == 1
    for handle in ("Ann", "bob"):
        assert run(database, "add", handle).exit_code == 0
    assert run(database, "list").stdout.split() == ["ann", "bob"]
    assert run(database, "list", "--json").stdout.strip().startswith("[")
    assert run(database, "remove", "ann").exit_code == 0
    last = run(database, "remove", "bob")
    assert (last.exit_code, ONLY in last.stderr.replace("\n", " ")) == (1, True)
    assert run(database, "list").stdout.split() == ["bob"]
    with database.reading() as session:
        assert {"appointed", "dismissed"} <= set(session.scalars(sa.select(schema.audit.c.action)))


def test_the_command_line_prints_links(database: Database) -> None:
    present = Database(database.settings)  # the command goes by the clock on the wall
    crowd = Crowd(present, present.settings)
    printed = run(crowd.database, "link").stdout.strip()
    assert crowd.client().get(path_of(printed, crowd.settings)).status_code == 200
    crowd.add("ann")
    assert run(crowd.database, "link").exit_code == 1
    printed = run(crowd.database, "reset", "ann").stdout.strip()
    assert printed.startswith(f"{crowd.settings.address}/reset/")
    browser = crowd.client()
    assert browser.get(printed.removeprefix(crowd.settings.address)).status_code == 200
    browser.post("/reset", data={"password": PASSWORD})
    form = {"login": "ann", "password": PASSWORD}
    assert crowd.client().post("/sign-in", data=form, follow_redirects=False).status_code == 303
    wrong = run(crowd.database, "reset", "nobody")
    assert (wrong.exit_code, "nobody" in wrong.stderr) == (1, False)
    with crowd.database.reading() as session:
        assert "reset_link" in set(session.scalars(sa.select(schema.audit.c.action)))
    present.close()
