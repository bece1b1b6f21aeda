"""Pages behind one-time links in a real browser: no barrier, no script needed, and no secret handed on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.web.serving import PASSWORD, hands, served
from tests.web.test_browser import SCREENS, check

from entrenous.web.identity import passwords
from entrenous.web.rules import one_time_links
from entrenous.web.service import membership
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

pytestmark = pytest.mark.browser
NEW = "another sentence to remember"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Settings]:
    """A fresh service that could send mail, where ann claims an address."""
    settings = Settings(database=f"sqlite:///{tmp_path}/service.db", smtp="smtp://127.0.0.1:1", worker=False)
    with served(settings) as running:
        yield running


@pytest.mark.parametrize("screen", SCREENS)
def test_links_are_followed_without_scripts_and_their_secrets_go_nowhere_else(
    service: Settings, browser: Browser, screen: str
) -> None:
    database = Database(service)
    with database.writing() as session:
        ann = membership.register(
            session,
            handle="ann",
            name="Ann",
            email="ann@example.org",
            password_hash=passwords.hash_password(PASSWORD),
        ).id
        made = {
            "confirm": one_time_links.new_link(session, "confirm", person=ann, address="ann@example.org"),
            "reset": one_time_links.new_link(session, "reset", person=ann),
            "administer": one_time_links.new_link(session, "administer"),
        }
    looking = hands(browser, service.address, **SCREENS[screen])  # type: ignore[arg-type]
    acting = hands(browser, service.address, scripts=False, **SCREENS[screen])  # type: ignore[arg-type]
    secrets = [link.rsplit("/", 1)[1] for link in made.values()]
    carried: list[str] = []
    for person in (looking, acting):
        person.page.on("request", lambda sent: carried.append(sent.headers.get("referer", "")))
    for kind, link in made.items():
        looking.page.goto(link)
        assert looking.page.url == f"{service.address}/{kind}"
        check(looking.page)
    acting.page.goto(made["confirm"])
    acting.press("Yes, both are mine")
    acting.reads("Confirmed: this e-mail address is yours.")
    acting.page.goto(made["reset"])
    acting.reads("This page needs a link that works")  # a confirmed address makes earlier links useless
    with database.writing() as session:
        made["reset"] = one_time_links.new_link(session, "reset", person=ann)
    acting.page.goto(made["reset"])
    acting.write("New password", NEW)
    acting.press("Change the password")
    acting.reads("Your password is changed")
    acting.page.goto(made["administer"])
    acting.page.locator("main").get_by_role(
        "link", name="Sign in"
    ).click()  # it leads back, unlike that at the top
    acting.write("Short name", "ann")
    acting.write("Password", NEW)
    acting.press("Sign in")
    acting.press("Become the administrator")
    acting.reads("You look after this service now.")
    secrets.append(made["reset"].rsplit("/", 1)[1])
    assert len(carried) > 10
    assert not [one for one in carried for secret in secrets if secret in one]
    for person in (looking, acting):
        person.page.context.close()
    database.close()
