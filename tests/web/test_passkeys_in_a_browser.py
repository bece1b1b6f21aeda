"""Passkeys in a real browser, on a phone's width: chromium's own authenticator makes one and signs in with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, Page
from tests.web.serving import PASSWORD, Hands, hands, served
from tests.web.test_browser import SCREENS, check

from entrenous.web.identity import passwords
from entrenous.web.service import membership
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

PHONE = {"viewport": {"width": 390, "height": 800}}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A service that is reached by a name: browsers have no passkeys for numbers."""
    folder: Path = tmp_path_factory.mktemp("service")
    settings = Settings(database=f"sqlite:///{folder}/service.db", worker=False)
    database = Database(settings)
    database.migrate()
    with database.writing() as session:
        for handle in ("ann", "bob", "cleo"):
            hashed = passwords.hash_password(PASSWORD)
            membership.register(session, handle=handle, name=handle.title(), password_hash=hashed)
    database.close()
    with served(settings, host="localhost") as running:
        yield running


def plug_in(page: Page, *, verified: bool = True) -> tuple[CDPSession, str]:
    """Give a page an authenticator, as a phone has one built in."""
    protocol = page.context.new_cdp_session(page)
    protocol.send("WebAuthn.enable", {"enableUI": False})
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": verified,
        "automaticPresenceSimulation": True,
    }
    made = protocol.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return protocol, made["authenticatorId"]


def stored(protocol: CDPSession, authenticator: str) -> list[dict[str, Any]]:
    found = protocol.send("WebAuthn.getCredentials", {"authenticatorId": authenticator})
    return list(found["credentials"])


def with_password(person: Hands, handle: str) -> Hands:
    person.go("/sign-in")
    person.write("Short name", handle)
    person.write("Password", PASSWORD)
    person.press("Sign in")
    return person


def watched(person: Hands) -> list[str]:
    """Return a list that fills with what the browser complains about."""
    faults: list[str] = []
    person.page.on(
        "console", lambda message: faults.append(message.text) if message.type == "error" else None
    )
    person.page.on("pageerror", lambda error: faults.append(str(error)))
    return faults


def signed_out(person: Hands) -> None:
    """Forget the session, and nothing of the authenticator."""
    person.page.context.clear_cookies()


@pytest.mark.parametrize("keyboard", [False, True], ids=["mouse", "keyboard"])
def test_a_passkey_is_added_and_signs_in_on_a_phone(
    browser: Browser, service: Settings, keyboard: bool
) -> None:
    """Fault 6: there was no passkey. By mouse and by keyboard alone."""
    handle = "bob" if keyboard else "ann"
    person = hands(browser, service.address, keyboard=keyboard, **PHONE)
    faults = watched(person)
    person.page.add_init_script("PublicKeyCredential.isConditionalMediationAvailable = async () => false")
    protocol, authenticator = plug_in(person.page)
    with_password(person, handle)
    person.go("/account")
    person.follow("Your passkeys")
    person.write("Name", "My phone")
    person.press("Add a passkey")
    person.reads("From now on this passkey signs you in.")
    person.reads("My phone")
    (kept,) = stored(protocol, authenticator)
    assert (kept["rpId"], kept["isResidentCredential"]) == ("localhost", True)
    signed_out(person)
    person.go("/sign-in?next=/friends")
    person.press("Sign in with a passkey")
    assert person.page.url == f"{service.address}/friends"
    person.reads(f"@{handle}")
    (used,) = stored(protocol, authenticator)
    assert used["signCount"] > kept["signCount"]
    assert faults == [], "nothing is blocked by the content security policy"
    person.page.context.close()


def test_one_of_the_list_under_the_name_signs_in(browser: Browser, service: Settings) -> None:
    """Conditional mediation: the page waits for a passkey from the list the browser opens; nobody presses a button."""
    person = hands(browser, service.address, **PHONE)
    protocol, authenticator = plug_in(person.page)
    with_password(person, "cleo")
    person.go("/account/passkeys")
    person.press("Add a passkey")
    signed_out(person)
    with person.page.expect_navigation(url=f"{service.address}/friends"):
        person.page.goto(f"{service.address}/sign-in?next=/friends", wait_until="commit")
    assert "@cleo" in person.page.locator("main").inner_text()
    assert len(stored(protocol, authenticator)) == 1
    person.page.context.close()


def test_whoever_is_not_checked_does_not_get_in(browser: Browser, service: Settings) -> None:
    person = hands(browser, service.address, **PHONE)
    plug_in(person.page, verified=False)
    person.go("/sign-in")
    person.page.get_by_role("button", name="Sign in with a passkey").click()
    told = person.page.get_by_role("status").filter(has_text="No passkey was used")
    told.wait_for()
    assert person.page.url.endswith("/sign-in")
    person.page.context.close()


def test_without_scripts_the_page_says_what_to_do(browser: Browser, service: Settings) -> None:
    person = hands(browser, service.address, scripts=False, **PHONE)
    person.go("/sign-in")
    person.reads("Signing in with a passkey needs JavaScript.")
    assert not person.page.get_by_role("button", name="Sign in with a passkey").is_visible()
    with_password(person, "ann")
    person.go("/account/passkeys")
    person.reads("Adding a passkey needs JavaScript.")
    person.page.context.close()


def test_a_browser_without_passkeys_says_so(browser: Browser, service: Settings) -> None:
    person = hands(browser, service.address, **PHONE)
    person.page.add_init_script("delete window.PublicKeyCredential")
    person.go("/sign-in")
    person.reads("This browser has no passkeys.")
    person.page.context.close()


@pytest.mark.parametrize("screen", SCREENS)
def test_pages_with_passkeys_have_no_barrier(browser: Browser, service: Settings, screen: str) -> None:
    person = hands(browser, service.address, **SCREENS[screen])
    person.go("/sign-in")
    person.page.get_by_role("button", name="Sign in with a passkey").wait_for()
    check(person.page)
    plug_in(person.page)
    with_password(person, "ann")
    person.go("/account/passkeys")
    person.write("Name", f"A device with quite a long name, for the {screen} screen, to see where it breaks")
    person.press("Add a passkey")
    for path in ("/account/passkeys", "/account/confirm", "/account"):
        person.go(path)
        check(person.page)
    person.page.context.close()
