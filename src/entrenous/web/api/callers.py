"""A request of the interface: whose token, what it may do, and that it is carried out once."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

from fastapi import Request, Security
from fastapi.encoders import jsonable_encoder
from fastapi.security import HTTPBearer
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from starlette.responses import Response

from entrenous.web import store
from entrenous.web.api.schemas import Done
from entrenous.web.http.paging import link_header, links, window
from entrenous.web.http.problems import Problem
from entrenous.web.http.visits import count_person, service
from entrenous.web.identity import tokens
from entrenous.web.store.lists.windows import Listed
from entrenous.web.store.records import Person, Reply, TokenUse

__all__ = [
    "ANSWERS",
    "Bearer",
    "Caller",
    "caller",
    "calling",
    "read",
    "read_answers",
    "read_page",
    "read_page_with",
    "using",
]

Bearer = Annotated[object, Security(HTTPBearer(auto_error=False, description="A token made under Account."))]
"""Says in OpenAPI that a token is needed; `caller` and `calling` are what checks it."""

ANSWERS = "answers"
"""The scope for one's own sealed answers; no other scope holds it."""

LONGEST_KEY = 200
P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def using(request: Request, *scopes: str) -> Iterator[tuple[Session, TokenUse]]:
    """Begin a request that reads: one transaction for the token, which needs all scopes, and for what it asks."""
    with service(request).database.reading() as session:
        used = _checked(session, request, *scopes)
        count_person(request, used.person.id, writing=False)
        yield session, used
    service(request).touch_token(used.token_id)


@contextmanager
def calling(request: Request, *scopes: str) -> Iterator[tuple[Session, Person]]:
    """Begin a request that reads, and say for whom."""
    with using(request, *scopes) as (session, used):
        yield session, used.person


def read(
    request: Request, act: Callable[Concatenate[Session, int, P], T], *given: P.args, **named: P.kwargs
) -> T:
    """Return what the token's owner reads."""
    with calling(request, "read") as (session, person):
        return act(session, person.id, *given, **named)


def read_answers(
    request: Request, act: Callable[Concatenate[Session, int, P], T], *given: P.args, **named: P.kwargs
) -> T:
    """Return what the token's owner said and nobody else may read: it needs a scope of its own."""
    with calling(request, ANSWERS) as (session, person):
        return act(session, person.id, *given, **named)


def read_page(
    request: Request,
    response: Response,
    name: str,
    act: Callable[..., Listed[T]],
    *,
    before: str | None,
    after: str | None,
    limit: int,
) -> Listed[T]:
    """Return a page of what the token's owner reads; the header Link says where the pages beside it are."""
    return read_page_with(request, response, name, act, before=before, after=after, limit=limit)[0]


def read_page_with(
    request: Request,
    response: Response,
    name: str,
    act: Callable[..., Listed[T]],
    *,
    before: str | None,
    after: str | None,
    limit: int,
) -> tuple[Listed[T], TokenUse]:
    """Return such a page with what the token may do, for a list that shows more to some tokens."""
    with using(request, "read") as (session, used):
        reader = used.person.id
        where = window(session, name, reader, before, after)
        page = act(session, reader, window=where, limit=limit)
        response.headers.update(link_header(links(request, session, name, reader, page)))
    return page, used


def caller(request: Request, scope: str = "write") -> Caller:
    """Return who is about to change something."""
    with service(request).database.reading() as session:
        used = _checked(session, request, scope)
    count_person(request, used.person.id, writing=True)
    service(request).touch_token(used.token_id)
    return Caller(request, used.person)


@dataclass(frozen=True)
class Caller:
    """A person whose program is about to change something."""

    request: Request
    person: Person

    @property
    def id(self) -> int:
        """The person's number."""
        return self.person.id

    def do(
        self,
        sent: object,
        act: Callable[Concatenate[Session, int, P], object],
        *given: P.args,
        **named: P.kwargs,
    ) -> Response:
        """Take a step in the caller's name; that it is done is all there is to answer."""

        def change(session: Session) -> Done:
            act(session, self.id, *given, **named)
            return Done()

        return self.write(change, sent)

    def write(self, change: Callable[[Session], Any], sent: object = None, *, status: int = 200) -> Response:
        """Carry out a change in one transaction and return its result.

        With an Idempotency-Key the result is kept in the same transaction: the same request sent again gets the
        same answer and changes nothing, another request with the same key is refused.
        """
        key = self.request.headers.get("idempotency-key")
        if key is not None and not 0 < len(key) <= LONGEST_KEY:
            raise Problem(400, "bad-key", f"Expected an Idempotency-Key of 1 to {LONGEST_KEY} characters.")
        hashed = tokens.hash_secret(key) if key else None
        fingerprint = self._fingerprint(sent)

        def once(session: Session) -> Reply:
            before = store.credentials.remembered(session, self.id, hashed) if hashed else None
            if before is not None:
                if before.fingerprint != fingerprint:
                    raise Problem(422, "key-reused", "This Idempotency-Key was used for another request.")
                return before
            body = json.dumps(jsonable_encoder(change(session)))
            reply = Reply(fingerprint, status, body, "application/json")
            if hashed:
                store.credentials.remember(session, self.id, hashed, reply)
            return reply

        reply = self._carried_out(once, repeatable=hashed is not None)
        return Response(reply.body, reply.status, media_type=reply.media_type)

    def _carried_out(self, once: Callable[[Session], Reply], *, repeatable: bool) -> Reply:
        database = service(self.request).database
        try:
            return database.write(once, idempotent=repeatable)
        except IntegrityError:
            if not repeatable:
                raise
            # Its twin was faster: now there is an answer to repeat.
            return database.write(once, idempotent=True)

    def _fingerprint(self, sent: object) -> str:
        """Return what tells one request from another, and tells nothing to whoever reads the database.

        There are so few answers that a plain digest of one is as good as the answer. So it is keyed with the token's
        secret, which is not stored.
        """
        words = json.dumps(
            [self.request.method, self.request.url.path, jsonable_encoder(sent)], sort_keys=True
        )
        secret = tokens.bearer_secret(self.request) or ""
        return hmac.new(secret.encode(), words.encode(), hashlib.sha256).hexdigest()


def _checked(session: Session, request: Request, *scopes: str) -> TokenUse:
    secret = tokens.bearer_secret(request)
    token = store.credentials.token_by_hash(session, tokens.hash_secret(secret)) if secret else None
    if token is None:
        raise Problem(
            401,
            "no-token",
            "Send a valid token: Authorization: Bearer ...",
            headers={"www-authenticate": "Bearer"},
        )
    for scope in scopes:
        if scope not in token.scopes:
            raise Problem(403, "scope", f"This token may not do that; it lacks the scope {scope}.")
    return token
