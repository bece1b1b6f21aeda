"""Every page in a real browser: no barrier axe can find, in both colour schemes and on a phone; and the comforts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from tests.web.serving import PASSWORD, Hands, hands, served

from entrenous.web import demo
from entrenous.web.identity import passwords
from entrenous.web.pages import PAGES
from entrenous.web.service import browsing
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

SHOWN = [page for page in PAGES if "{" not in page.path and page.path != "/my-data"]
"""Pages without parameters, but for the one that is a download."""

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
SCREENS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1100, "height": 800}},
    "dark phone": {"color_scheme": "dark", "viewport": {"width": 390, "height": 800}},
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A service in the middle of its story: items settled, proposed and collecting views."""
    folder: Path = tmp_path_factory.mktemp("service")
    settings = Settings(database=f"sqlite:///{folder}/service.db", worker=False)
    database = Database(settings)
    database.migrate()
    demo.fill(database, passwords.hash_password(PASSWORD))
    database.close()
    with served(settings) as running:
        yield running


def signed_in(person: Hands, handle: str) -> Hands:
    person.go("/sign-in")
    person.write("Short name", handle)
    person.write("Password", PASSWORD)
    person.press("Sign in")
    return person


def check(page: Page) -> None:
    """Fail for whatever axe finds with all closed parts of the page opened, and if it is wider than the screen."""
    page.evaluate("document.querySelectorAll('main details').forEach(part => { part.open = true })")
    found = Axe().run(page, options=RULES)
    assert found.violations_count == 0, f"{page.url}\n{found.generate_report()}"
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{page.url} is {wide} px wider than the screen"


@pytest.mark.parametrize("screen", SCREENS)
def test_no_page_has_a_barrier(browser: Browser, service: Settings, screen: str) -> None:
    stranger = hands(browser, service.address, **SCREENS[screen])
    for path in (*(page.path for page in SHOWN if page.readers == "anybody"), "/nothing-here"):
        stranger.page.goto(service.address + path)
        check(stranger.page)
    ann = signed_in(hands(browser, service.address, **SCREENS[screen]), "ann")
    for page in SHOWN:
        if page.readers == "anybody" and page.top not in ("anybody", "members"):
            continue  # the same page as for strangers
        ann.go(page.path)
        check(ann.page)
    ann.go("/")
    ann.page.locator("details.menu summary").click()
    check(ann.page)
    ann.go("/of-me")
    seen = set()
    for item in [tile.get_attribute("href") for tile in ann.page.locator("a.tile").all()]:
        for part in ("", "/view", "/limit", "/petition"):
            answer = ann.page.goto(f"{service.address}{item}{part}")
            assert answer is not None
            if answer.status == 200 and ann.page.url.endswith(part):
                seen.add(part)
                check(ann.page)
    assert seen == {"", "/view", "/limit", "/petition"}
    ann.page.context.close()
    stranger.page.context.close()


def test_targets_are_large_enough(browser: Browser, service: Settings) -> None:
    """WCAG 2.5.8: what is pressed is 24 pixels or more, unless it stands in a line of text."""
    ann = signed_in(hands(browser, service.address, **SCREENS["dark phone"]), "ann")
    for path in ("/", "/friends", "/items/new", "/listening", "/account"):
        ann.go(path)
        small = ann.page.evaluate(
            """() => [...document.querySelectorAll('button, summary, .button, nav a, select, .scale label, .check')]
            .map(part => [part.textContent.trim(), part.getBoundingClientRect()])
            .filter(([, box]) => box.width && (box.width < 24 || box.height < 24)).map(([text]) => text)"""
        )
        assert small == [], path
    ann.page.context.close()


def _collecting(service: Settings) -> str:
    """The demonstration's item that still waits for views."""
    database = Database(service)
    with database.reading() as session:
        cards = browsing.mine(session, 1)
    database.close()
    return next(card.id for card in cards if card.state == "collecting")


def test_comforts_of_the_scripts(browser: Browser, service: Settings) -> None:
    """Presets fill in without a new page, an impossible answer is told at once, the menu closes with Escape."""
    person = signed_in(hands(browser, service.address, keyboard=True), "cleo")
    faults: list[str] = []
    person.page.on(
        "console", lambda message: faults.append(message.text) if message.type == "error" else None
    )
    person.go(f"/items/{_collecting(service)}/view")
    person._reach(person.page.get_by_role("link", name="Friends, no wider"))
    person.page.keyboard.press("Enter")
    assert person.page.url.endswith("/view"), "no new page"
    assert person.page.get_by_role("status").inner_text() == "Filled in: Friends, no wider."
    chosen = [radio.get_attribute("value") for radio in person.page.locator("input:checked").all()]
    assert chosen == ["5", "1", "0"]
    person.choose("Everyone", "agree")
    assert "cannot suit you better" in person.page.get_by_role("status").inner_text()
    person._reach(person.page.locator("details.menu summary"))
    person.page.keyboard.press("Enter")
    assert person.page.get_by_role("link", name="Account").is_visible()
    person.page.keyboard.press("Tab")
    person.page.keyboard.press("Escape")
    assert not person.page.get_by_role("link", name="Account").is_visible()
    assert faults == [], "nothing is blocked by the content security policy"
    person.page.context.close()
