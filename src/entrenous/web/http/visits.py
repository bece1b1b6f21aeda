"""One request of a page: who asks, in which transaction, and the page that answers.

Everything a page does to the database happens inside its function, never in a dependency of the framework:
what is done before and after a function waits for a thread of its own, and a transaction that waits for a
thread while all threads wait for transactions never ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote, urlencode

from anyio import CapacityLimiter, to_thread
from jinja2 import Environment, PackageLoader, StrictUndefined
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from entrenous.web import store
from entrenous.web.http import phrases
from entrenous.web.http.avatars import as_shown, avatar, people_in
from entrenous.web.http.files.static_files import static
from entrenous.web.http.limits import Counters, Limit, limit_of
from entrenous.web.http.metrics import Metrics
from entrenous.web.http.paging import links, window
from entrenous.web.http.problems import Problem
from entrenous.web.http.security import client_address
from entrenous.web.identity import cookies, tokens
from entrenous.web.identity.backoff import network_of
from entrenous.web.identity.hashing import HashingRoom
from entrenous.web.identity.oidc import Provider
from entrenous.web.rules.naming.lookalikes import look_alikes
from entrenous.web.rules.refusals import NotFound
from entrenous.web.service import browsing
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database, now
from entrenous.web.store.lists.windows import Listed, Window
from entrenous.web.store.records import Person
from entrenous.web.store.signing_in import freshness, public_keys

__all__ = [
    "Acting",
    "Service",
    "SignInNeeded",
    "Visit",
    "acting",
    "client_network",
    "count_address",
    "count_person",
    "go_to",
    "limit_rate",
    "render",
    "require_session",
    "service",
    "visiting",
    "visitor",
]

P = ParamSpec("P")
T = TypeVar("T")
TOUCH_SECONDS = 600
QUICK_THREADS = 4
DOOR_THREADS = 2
COUNTED = 100
"""What waits is counted so far; more is "99+", so that a page costs the same however much waits."""


class SignInNeeded(Exception):  # noqa: N818 - not an error: the answer is the way to the door
    """The page is for people who are signed in."""


@dataclass
class Service:
    """What all requests of a process share."""

    settings: Settings
    database: Database
    provider: Provider | None
    metrics: Metrics = field(default_factory=Metrics)
    counters: Counters = field(default_factory=Counters)
    hashing: HashingRoom = field(default_factory=HashingRoom)
    _door: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(DOOR_THREADS))
    _quick: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(QUICK_THREADS))
    _touched: dict[tuple[str, int], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.templates = Environment(
            loader=PackageLoader("entrenous.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            finalize=as_shown,
        )
        self.templates.globals.update(
            words=phrases, settings=self.settings, provider=self.provider, static=static, avatar=avatar
        )

    async def quickly(self, work: Callable[..., T], *given: Any) -> T:
        """Do work that takes a few milliseconds in one of few threads, and return its result.

        Many threads would take turns inside Python, and each answer would be as late as the last of them.
        """
        return await to_thread.run_sync(work, *given, limiter=self._quick)

    async def at_the_door(self, work: Callable[..., T], *given: Any) -> T:
        """Do work of somebody who is not inside yet in one of few threads, and return its result.

        However many sign in at once, they take no thread in which a page could be made.
        """
        return await to_thread.run_sync(work, *given, limiter=self._door)

    def touch_session(self, session_id: int) -> None:
        """Note that a session was used, at most every ten minutes: a page that is looked at writes nothing."""
        if self._is_due("session", session_id):
            self.database.write(
                lambda session: store.credentials.touch_session(session, session_id), idempotent=True
            )

    def touch_token(self, token_id: int) -> None:
        """Note that a token was used, as seldom."""
        if self._is_due("token", token_id):
            self.database.write(
                lambda session: store.credentials.touch_token(session, token_id), idempotent=True
            )

    def _is_due(self, kind: str, number: int) -> bool:
        if monotonic() - self._touched.get((kind, number), -TOUCH_SECONDS) < TOUCH_SECONDS:
            return False
        if len(self._touched) > 10_000:
            self._touched.clear()
        self._touched[kind, number] = monotonic()
        return True


def service(request: Request) -> Service:
    """Return what all requests share."""
    shared: Service = request.app.state.service
    return shared


@dataclass(frozen=True)
class Acting:
    """A person about to change something; every change is one transaction, committed when `write` returns."""

    request: Request
    person: Person
    session_id: int

    @property
    def id(self) -> int:
        """The person's number."""
        return self.person.id

    def do(self, act: Callable[Concatenate[Session, int, P], T], *given: P.args, **named: P.kwargs) -> T:
        """Take a step in the person's name."""
        return self.write(lambda session: act(session, self.id, *given, **named))

    def write(self, change: Callable[[Session], T], *, idempotent: bool = False) -> T:
        """Carry out a change."""
        return service(self.request).database.write(change, idempotent=idempotent)


@dataclass(frozen=True)
class Visit:
    """A page being made: the person, if signed in, and the transaction it reads in."""

    request: Request
    session: Session
    person: Person | None
    session_id: int | None

    @property
    def me(self) -> int:
        """The number of the person, who is signed in."""
        if self.person is None:
            raise SignInNeeded
        return self.person.id

    @property
    def viewer(self) -> int | None:
        """The number of the person, None for somebody who is not signed in."""
        return self.person.id if self.person else None

    def page(self, template: str, *, status: int = 200, **context: Any) -> Response:
        """Return a page."""
        shared: dict[str, Any] = {"person": self.person, "now": now(self.session), "waiting": 0, "unread": 0}
        if self.person is not None:
            shared["waiting"] = _counted(browsing.waiting_count(self.session, self.person.id, COUNTED))
            shared["unread"] = _counted(browsing.unread(self.session, self.person.id, COUNTED))
        return render(self.request, template, status=status, **(shared | context))

    def listed(self, template: str, name: str, rows: str, page: Listed[Any], **context: Any) -> Response:
        """Return a page that shows a page of a list, with links to the pages beside it."""
        beside = links(self.request, self.session, name, self.viewer, page)
        context |= {rows: page, "links": beside}
        return self.page(template, **context)

    def window(self, name: str, before: str | None, after: str | None) -> Window:
        """Return where a page of a list begins; what is no link of ours leads nowhere, as any unknown address."""
        try:
            return window(self.session, name, self.viewer, before, after)
        except Problem:
            raise NotFound from None


def _counted(number: int) -> int | str:
    return number if number < COUNTED else f"{COUNTED - 1}+"


@contextmanager
def visitor(request: Request) -> Iterator[Visit]:
    """Begin a page that anybody may ask for."""
    shared = service(request)
    secret = cookies.session_secret(request, https=shared.settings.secure)
    with shared.database.reading() as session:
        found = store.credentials.session_by_hash(session, tokens.hash_secret(secret)) if secret else None
        count_person(request, found.person.id if found else None, writing=False)
        yield Visit(request, session, found.person if found else None, found.session_id if found else None)


@contextmanager
def visiting(request: Request) -> Iterator[Visit]:
    """Begin a page for people who are signed in; others are sent to the door."""
    with visitor(request) as visit:
        if visit.person is None or visit.session_id is None:
            raise SignInNeeded
        yield visit
    service(request).touch_session(visit.session_id)


def acting(request: Request) -> Acting:
    """Return the signed-in person who is about to change something."""
    with visitor(request) as visit:
        if visit.person is None or visit.session_id is None:
            raise SignInNeeded
        me = Acting(request, visit.person, visit.session_id)
    count_person(request, me.id, writing=True)
    return me


def require_session(session: Session, person: int, session_id: int) -> None:
    """Refuse whoever was signed out since they asked, as by a new password, while something of theirs took its time."""
    if public_keys.lock_person(session, person) is None or freshness.proved(session, session_id) is None:
        raise SignInNeeded


def render(request: Request, template: str, *, status: int = 200, **context: Any) -> Response:
    """Return a page without touching the database; `person` must be among what it is given."""
    shared = service(request)
    said = phrases.DONE.get(request.query_params.get("done", "")) if request.method == "GET" else None
    context = {"said": said, "wrong": None, "path": request.url.path, "quote": quote} | context
    context["alike"] = look_alikes(people_in(context))
    return HTMLResponse(shared.templates.get_template(template).render(context), status)


def go_to(path: str, done: str | None = None) -> Response:
    """Return the way to another page, which then says what was done."""
    return RedirectResponse(f"{path}?{urlencode({'done': done})}" if done else path, 303)


def limit_rate(request: Request, key: str, *, most: int, minutes: int) -> None:
    """Count an attempt and refuse it once there were too many; all processes share the count."""
    _count_for_all(request, key, Limit("", most, minutes))


def count_person(request: Request, person: int | None, *, writing: bool) -> None:
    """Count a request as the table of limits says, once, as soon as it is known who asks.

    What is counted in the database waits until no transaction is open (`writing`): two at once in every thread would be
    more than there are connections.
    """
    limit = limit_of(request.scope)
    if limit is None or limit.per != "person" or (limit.shared and not writing):
        return
    _count(request, limit, f"person {person}" if person else _place(request))


async def count_address(request: Request) -> None:
    """Count a request by its address, if the table of limits says so: before anything is read from it."""
    limit = limit_of(request.scope)
    if limit is None or limit.per != "address":
        return
    if _is_embedded(request):
        raise NotFound
    if limit.shared:
        await service(request).at_the_door(_count, request, limit, _place(request))
    else:
        _count(request, limit, _place(request))


def client_network(request: Request) -> str:
    """Return the network a request comes from, for which it is counted."""
    return network_of(client_address(request))


def _is_embedded(request: Request) -> bool:
    """Return whether a page of another site loads this as its picture or frame: it would use up its reader's counts."""
    if request.headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
        return False
    return request.headers.get("sec-fetch-dest", "document") != "document"


def _place(request: Request) -> str:
    return f"address {client_network(request)}"


def _count(request: Request, limit: Limit, who: str) -> None:
    if request.scope.get("entrenous.counted"):
        return
    request.scope["entrenous.counted"] = True
    if limit.shared:
        _count_for_all(request, f"{limit.name} {who}", limit)
    elif service(request).counters.count(who, limit) > limit.most:
        raise _too_many(limit)


def _count_for_all(request: Request, key: str, limit: Limit) -> None:
    window, hashed = timedelta(minutes=limit.minutes), tokens.hash_secret(key)
    hits = service(request).database.write(
        lambda session: store.credentials.count_hit(session, hashed, window)
    )
    if hits > limit.most:
        raise _too_many(limit)


def _too_many(limit: Limit) -> Problem:
    return Problem(
        429,
        "too-many",
        f"Too many attempts. Please wait {limit.minutes} minutes and try again.",
        headers={"retry-after": str(limit.minutes * 60)},
    )
