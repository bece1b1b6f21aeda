"""People who use the service without a browser: a client each, signed in, and tokens for their programs."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from datetime import timedelta

from starlette.testclient import TestClient
from tests.web.serving import photo

from entrenous.web import store
from entrenous.web.app import create_app
from entrenous.web.identity import tokens
from entrenous.web.service import befriending, membership
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database, now

SCORES = {"friends": 4, "friends-of-friends": 3, "public": 1}


def plain(page: str) -> str:
    """Return the words of a page without its markup."""
    return html.unescape(" ".join(re.sub(r"<[^>]*>", "", page).split()))


@dataclass
class Crowd:
    """Everybody of a test; the first to come runs the service."""

    database: Database
    settings: Settings
    ids: dict[str, int] = field(default_factory=dict)
    clients: dict[str, TestClient] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.app = create_app(self.settings, database=self.database)
        self.stranger = self.client()

    def client(self) -> TestClient:
        """A browser of nobody in particular."""
        return TestClient(self.app, base_url=self.settings.address, raise_server_exceptions=False)

    def add(self, *handles: str, password_hash: str | None = None) -> None:
        """Let people register, and sign them in."""
        for handle in handles:
            secret = tokens.new_secret()
            with self.database.writing() as session:
                person = membership.register(
                    session,
                    handle=handle,
                    name=handle.title(),
                    password_hash=password_hash,
                    admin=not self.ids,
                )
                expires = now(session) + timedelta(days=30)
                store.credentials.create_session(
                    session, person.id, tokens.hash_secret(secret), expires, "a test"
                )
            self.ids[handle] = person.id
            self.clients[handle] = self.client()
            self.clients[handle].cookies.set("entrenous", secret)

    def befriend(self, *pairs: tuple[str, str]) -> None:
        """Make pairs of people friends."""
        with self.database.writing() as session:
            for one, other in pairs:
                befriending.ask_friend(session, self.ids[one], other)
                befriending.answer_friend(session, self.ids[other], self.ids[one], accept=True)

    def befriend_all(self, *handles: str) -> None:
        """Make everybody everybody's friend."""
        self.befriend(*((one, other) for place, one in enumerate(handles) for other in handles[:place]))

    def token(self, handle: str, *scopes: str) -> dict[str, str]:
        """Return the headers of a program that acts for somebody."""
        secret = tokens.new_secret()
        with self.database.writing() as session:
            store.credentials.create_token(
                session,
                self.ids[handle],
                "a test",
                tokens.hash_secret(secret),
                scopes or list(tokens.SCOPES),
                None,
            )
        return {"authorization": f"Bearer {secret}"}

    def share(self, owner: str, *tagged: str, title: str = "A day out", **fields: str) -> str:
        """Put up a photo on the pages, let those tagged say yes, and return its id."""
        data = {"title": title, "do": "ask", "friend": [str(self.ids[one]) for one in tagged], **fields}
        answer = self.clients[owner].post(
            "/items", data=data, files={"file": ("photo.jpg", photo(), "image/jpeg")}
        )
        assert answer.status_code == 200, answer.text
        item = re.search(r"/items/([\w-]+)", str(answer.url))
        assert item is not None
        for one in tagged:
            answer = self.clients[one].post(f"/items/{item[1]}/tag", data={"answer": "accept"})
            assert answer.status_code == 200, answer.text
        return item[1]

    def answer(self, handle: str, item: str, scores: dict[str, int] = SCORES, **fields: str) -> None:
        """Seal somebody's view."""
        data = {f"score-{choice}": str(score) for choice, score in scores.items()} | fields
        answer = self.clients[handle].post(f"/items/{item}/view", data=data)
        assert answer.status_code == 200, answer.text
