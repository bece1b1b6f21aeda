"""A service with a mail server whose mails can be read at once, and people at different places."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any

import sqlalchemy as sa
from starlette.testclient import TestClient
from tests.web.crowd import Crowd

from entrenous.web.delivery.outbox import deliver_due

LINK = re.compile(r"http://127\.0\.0\.1:8000(/(?:confirm|reset|administer)/([\w-]{43}))\s")


@dataclass
class Post:
    """A crowd whose service sends mail, and what was sent."""

    crowd: Crowd
    mails: list[EmailMessage] = field(default_factory=list)

    def deliver(self) -> list[EmailMessage]:
        """Let the worker send what waits, and return it."""
        self.mails.clear()
        while deliver_due(self.crowd.database):
            pass
        return list(self.mails)

    def link(self, to: str) -> str:
        """Deliver what waits and return the path of the link that went to an address."""
        found = [LINK.search(str(mail.get_content())) for mail in self.deliver() if mail["To"] == to]
        assert found, f"nothing was sent to {to}"
        assert found[-1] is not None
        return found[-1][1]


def at(crowd: Crowd, address: str) -> TestClient:
    """A browser of nobody in particular, somewhere else."""
    return TestClient(
        crowd.app,
        base_url=crowd.settings.address,
        client=(address, 50_000),
        raise_server_exceptions=False,
    )


def statements(crowd: Crowd, act: Any) -> list[str]:
    """Return the SQL that doing something takes, in order."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        seen.append(statement)

    sa.event.listen(crowd.database.engine, "before_cursor_execute", note)
    try:
        act()
    finally:
        sa.event.remove(crowd.database.engine, "before_cursor_execute", note)
    return seen
