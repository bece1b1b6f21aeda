"""How often everybody may ask: one table of all routes, for pages and programs alike.

Every route is either in `LIMITS`, or in `FREE` with the reason why it answers nothing about others; a test fails for
one that is in neither, and until then it is counted as `REST`. Nobody calls a limit by hand: what every request passes
does (`visits.visitor`, `visits.acting`, `callers`, and `visits.count_address` for those who are not signed in).

Two kinds of counts. What finds people, or sends something to them, is counted in the database, for all processes
together. What only reads, or changes a thing whose id nobody can guess, is counted in the memory of each process: a
page that is looked at writes nothing. Some routes have a narrower limit of their own besides (uploads, petitions,
claims).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from starlette.types import Scope

from entrenous.web.http.metrics import path_pattern

__all__ = ["FREE", "LIMITS", "REST", "Counters", "Limit", "limit_of"]


@dataclass(frozen=True)
class Limit:
    """So many requests in so many minutes.

    Parameters
    ----------
    name
        Routes of one name share one count.
    most, minutes
        How many, in how long.
    per
        Whose requests are counted together: those of a signed-in person (of an address, for others), or of an address.
    shared
        Whether all processes count together, in the database.
    """

    name: str
    most: int
    minutes: int
    per: Literal["person", "address"] = "person"
    shared: bool = False


LOOK = Limit("look", 6_000, 10)
ACT = Limit("act", 3_000, 10)
CHECK = Limit("check", 200_000, 10)
FIND = Limit("friend", 100, 60, shared=True)
REST = Limit("rest", 600, 10)
"""For a route that nobody put into the table."""

_ROWS: Final[tuple[tuple[Limit, str], ...]] = (
    (
        FIND,
        """
        POST /friends
        POST /v1/friends
        """,
    ),
    (Limit("register", 20, 60, per="address", shared=True), "POST /register"),
    (
        Limit("profile", 30, 60, shared=True),
        """
        POST /account/profile
        POST /account/address
        """,
    ),
    (Limit("forgot", 20, 60, per="address", shared=True), "POST /forgot"),
    (
        Limit("link", 100, 60, per="address", shared=True),
        """
        POST /confirm
        POST /reset
        POST /administer
        GET /confirm/{secret}
        GET /reset/{secret}
        GET /administer/{secret}
        """,
    ),
    (
        Limit("flow", 60, 15, per="address", shared=True),
        """
        GET /sign-in/provider
        GET /sign-in/provider/back
        """,
    ),
    (Limit("passkey-options", 300, 15, per="address", shared=True), "POST /passkeys/options"),
    (Limit("passkey", 100, 15, per="address", shared=True), "POST /sign-in/passkey"),
    (Limit("playground", 300, 60, per="address", shared=True), "POST /playground"),
    (Limit("connect", 60, 15, shared=True), "POST /account/link"),
    (
        Limit("admin", 600, 10),
        """
        GET /admin
        POST /admin/people/{person}/suspend
        POST /admin/people/{person}/administrator
        """,
    ),
    (
        CHECK,
        """
        POST /v1/check
        POST /v1/check/batch
        """,
    ),
    (
        LOOK,
        """
        GET /
        GET /gallery
        GET /of-me
        GET /mine
        GET /waiting
        GET /friends
        GET /notifications
        GET /history
        GET /listening
        GET /circles
        GET /standing-line
        GET /first-steps
        GET /items/new
        GET /account
        GET /account/passkeys
        GET /account/confirm
        GET /items/{item}
        GET /items/{item}/file
        GET /items/{item}/thumbnail
        GET /items/{item}/screen
        GET /items/{item}/view
        GET /items/{item}/limit
        GET /items/{item}/petition
        GET /items/{item}/receipt
        GET /items/{item}/change
        GET /items/{item}/change/file
        GET /items/{item}/change/screen
        GET /v1/inbox
        GET /v1/items
        GET /v1/items/{item}
        GET /v1/items/{item}/file
        GET /v1/items/{item}/view
        GET /v1/items/{item}/decisions/{round_}
        GET /v1/items/{item}/change
        GET /v1/items/{item}/change/file
        GET /v1/friends
        GET /v1/friends/requests
        GET /v1/circles
        GET /v1/standing-line
        GET /v1/notifications
        GET /v1/me
        GET /v1/me/history
        """,
    ),
    (
        Limit("data", 60, 60),
        """
        GET /my-data
        GET /v1/me/data
        """,
    ),
    (
        ACT,
        """
        POST /items
        POST /items/{item}/tag
        POST /items/{item}/tags
        POST /items/{item}/claim
        POST /items/{item}/claims/{claimant}
        POST /items/{item}/edit
        POST /items/{item}/expiry
        POST /items/{item}/do/{step}
        POST /items/{item}/view
        POST /items/{item}/limit
        POST /items/{item}/petition
        POST /items/{item}/receipt
        POST /items/{item}/change
        POST /items/{item}/change/answer
        POST /items/{item}/change/retract
        POST /friends/{other}/answer
        POST /friends/{other}/end
        POST /listening
        POST /circles
        POST /circles/{circle}
        POST /standing-line
        POST /account/sessions/{session_id}/end
        POST /account/sessions/end-others
        POST /account/devices/{device}/forget
        POST /account/passkeys
        POST /account/passkeys/{passkey}/end
        POST /account/tokens
        POST /account/tokens/{token}/end
        POST /account/webhooks
        POST /account/webhooks/{webhook}/end
        POST /notifications/read
        POST /v1/items
        PUT /v1/items/{item}
        PUT /v1/items/{item}/expiry
        POST /v1/items/{item}/tags
        POST /v1/items/{item}/tags/mine
        POST /v1/items/{item}/claims/{claimant}
        POST /v1/items/{item}/open
        PUT /v1/items/{item}/view
        PUT /v1/items/{item}/limit
        POST /v1/items/{item}/petition
        POST /v1/items/{item}/{step}
        POST /v1/items/{item}/change
        DELETE /v1/items/{item}/change
        POST /v1/items/{item}/change/answer
        POST /v1/friends/{other}/answer
        PUT /v1/friends/{other}/listening
        DELETE /v1/friends/{other}
        POST /v1/circles
        PUT /v1/circles/{circle}
        DELETE /v1/circles/{circle}
        PUT /v1/standing-line
        DELETE /v1/standing-line
        POST /v1/notifications/read
        """,
    ),
    (
        Limit("password", 60, 60, shared=True),
        """
        POST /account/password
        POST /account/password/remove
        POST /account/delete
        POST /account/confirm
        POST /account/confirm/passkey
        """,
    ),
)
"""Limits, each with its routes, one a line: a new route is a line here, or a reason in `FREE`."""


def _table(rows: tuple[tuple[Limit, str], ...]) -> dict[str, Limit]:
    return {route.strip(): limit for limit, routes in rows for route in routes.strip().split("\n")}


LIMITS: Final[Mapping[str, Limit]] = _table(_ROWS)
"""Every route that answers about others, as "METHOD /path", with its limit."""

FREE: Final[Mapping[str, str]] = {
    "GET /v1/openapi.json": "the same for everybody",
    "GET /health": "says that the process answers",
    "GET /ready": "says that the database answers",
    "GET /metrics": "for this machine, or a token of its own",
    "GET /how": "the same for everybody",
    "GET /register": "a form",
    "GET /sign-in": "a form",
    "POST /sign-in": "one answer to all names; `identity.backoff` counts the tries, and no stranger's for the owner",
    "GET /forgot": "a form",
    "GET /confirm": "a form, or that there is no link",
    "GET /reset": "a form, or that there is no link",
    "GET /administer": "a form, or that there is no link",
    "POST /sign-out": "ends a session that has to be one's own",
    "GET /playground": "invented people",
    "POST /v1/mediate": "reads nothing that is stored; the work is counted there",
}
"""Routes that answer nothing about others, and why that is so."""


def limit_of(scope: Scope) -> Limit | None:
    """Return the limit of the route that a request fitted, None for one that is free."""
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    route = f"{method} {path_pattern(scope)}"
    return None if route in FREE else LIMITS.get(route, REST)


@dataclass
class Counters:
    """Counts in the memory of this process.

    >>> counters = Counters()
    >>> [counters.count("ann", Limit("look", 2, 10)) for _ in range(3)]
    [1, 2, 3]
    """

    most: int = 50_000
    _counts: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, who: str, limit: Limit) -> int:
        """Count a request and return how many there were in the running window."""
        window = int(time.monotonic() // (60 * limit.minutes))
        with self._lock:
            if len(self._counts) >= self.most:
                self._counts.clear()  # so many ask at once that memory matters more than a window's counts
            before, number = self._counts.get((limit.name, who), (window, 0))
            number = number + 1 if before == window else 1
            self._counts[limit.name, who] = (window, number)
        return number
