"""Pages that are seldom seen, in a real browser: things in rare states, refused forms, secrets shown once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page
from tests.web import rarities
from tests.web.provider import CLIENT, SECRET, providing
from tests.web.serving import PASSWORD, Hands, hands, served
from tests.web.test_browser import SCREENS, check, signed_in

from entrenous.web.identity import passwords
from entrenous.web.settings import Settings

STATES = {
    "draft": "Nobody was asked for a view yet",
    "document": "Open the document",
    "tag request": "says you are in",
    "no agreement": "No agreement",
    "withdrawn": "Undo my last step",
    "expired": "Expired",
    "claimed": "says they are in it",
    "second round": "asks all of you to let it go further",
    "by circles": "Collecting views",
    "decided by circles": "people in nobody’s circle do not see it",
}
"""Every rare kind of item, and words by which its page is known."""

REFUSED = (
    ("/register", {"name": "A", "handle": "!", "password": "short"}, 422),
    ("/sign-in", {"login": "ann", "password": "wrong wrong wrong"}, 401),
)
REFUSED_TO_MEMBERS = (
    ("/items", {"title": "Nothing"}, 422),
    ("/items/{second round}/view", {"score-friends": "0", "score-public": "5"}, 422),
    ("/items/{no agreement}/petition", {"text": ""}, 422),
    ("/account/profile", {"name": "Ann", "email": "nowhere"}, 422),
    ("/account/tokens", {"name": ""}, 422),
    ("/circles", {"name": "Strangers"}, 422),
    ("/standing-line", {"line": "nonsense"}, 422),
    ("/friends", {"handle": "nobody-here"}, 404),
    ("/playground", {"count": "2", "name-0": "x", "name-1": "x", "do": "weigh"}, 200),
)
SHOWN_ONCE = (
    ("/account/tokens", {"name": "backup", "scope": "read", "days": "9"}, "Your new token"),
    ("/account/webhooks", {"url": "https://example.org/", "event": "outcome"}, "The secret that signs"),
    ("/account/link", {}, "Go to Sample"),
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, dict[str, str]]]:
    settings = Settings(
        database=f"sqlite:///{tmp_path_factory.mktemp('rare')}/service.db",
        worker=False,
        private_webhooks=True,
        oidc_name="Sample",
        oidc_client=CLIENT,
        oidc_secret=SECRET,
    )
    items = rarities.fill(settings, passwords.hash_password(PASSWORD))
    with providing() as provider, served(replace(settings, oidc_issuer=provider.issuer)) as running:
        yield running, items


@pytest.fixture(scope="module")
def ann(browser: Browser, service: tuple[Settings, dict[str, str]]) -> Iterator[Hands]:
    person = signed_in(hands(browser, service[0].address, **SCREENS["dark phone"]), "ann")
    yield person
    person.page.context.close()


def submit(page: Page, address: str, fields: dict[str, str]) -> int:
    """Send a form that the page itself would not let go, and return the status of the answer."""
    script = """([address, fields]) => {
        const form = Object.assign(document.createElement("form"), {method: "post", action: address});
        for (const [name, value] of Object.entries(fields))
            form.append(Object.assign(document.createElement("input"), {name, value}));
        document.body.append(form);
        form.submit();
    }"""
    with page.expect_navigation() as answered:
        page.evaluate(script, [address, fields])
    return answered.value.status


@pytest.mark.parametrize("kind", STATES)
def test_rare_states_have_no_barrier(ann: Hands, service: tuple[Settings, dict[str, str]], kind: str) -> None:
    here = f"/items/{service[1][kind]}"
    ann.go(here)
    ann.reads(STATES[kind])
    check(ann.page)
    if kind == "by circles":
        for part, words in (("/view", "Family"), ("/limit", "only the circles ticked here")):
            ann.go(here + part)
            ann.reads(words)
            check(ann.page)


def test_refused_forms_have_no_barrier(ann: Hands, service: tuple[Settings, dict[str, str]]) -> None:
    settings, items = service
    stranger = hands(ann.page.context.browser, settings.address, **SCREENS["dark phone"])  # type: ignore[arg-type]
    for person, forms in ((stranger, REFUSED), (ann, REFUSED_TO_MEMBERS)):
        for path, fields, status in forms:
            person.go("/how")
            for kind, item in items.items():
                path = path.replace(f"{{{kind}}}", item)
            assert submit(person.page, path, fields) == status, path
            assert person.page.get_by_role("alert").count() == 1, path
            check(person.page)
    stranger.page.context.close()


def test_secrets_shown_once_have_no_barrier(ann: Hands) -> None:
    for path, fields, words in SHOWN_ONCE:
        ann.go("/account")
        assert submit(ann.page, path, fields) == 200
        ann.reads(words)
        check(ann.page)
