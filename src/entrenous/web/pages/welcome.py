"""The door: the first page, registering, signing in and out, and the first steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import RedirectResponse, Response

from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.http import phrases
from entrenous.web.http.confirmed import freshly_acting
from entrenous.web.http.forms import Form, Sent
from entrenous.web.http.held_links import held_link
from entrenous.web.http.problems import Problem
from entrenous.web.http.security import client_address, safe_path
from entrenous.web.http.visits import acting, client_network, go_to, render, service, visiting, visitor
from entrenous.web.identity import backoff, cookies, passwords, tokens
from entrenous.web.identity.backoff import Pace
from entrenous.web.identity.known_devices import carried_secrets, recognize, recognized, set_device_cookie
from entrenous.web.identity.oidc import Claims, Flow
from entrenous.web.rules.naming import names
from entrenous.web.rules.naming.lookalikes import handle_shape
from entrenous.web.rules.one_time_links import ADMINISTER
from entrenous.web.rules.refusals import Conflict, NotFound, SignInFailed
from entrenous.web.service import befriending, browsing, membership
from entrenous.web.service.accounts.administrators import may_become_first
from entrenous.web.store.database import now

__all__ = ["router"]

router = APIRouter()

FLOW_COOKIE = "entrenous-flow"
FLOW_MINUTES = 10
HANDLE_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


@router.get("/how")
def how_it_works(request: Request) -> Response:
    """Say how deciding together works, in plain words."""
    with visitor(request) as visit:
        return visit.page("how.html")


@router.get("/register")
def registration(request: Request) -> Response:
    """Show the form to open an account."""
    with service(request).database.reading() as session:
        is_open = _is_open(request, session)
    return _form(request, "register.html", is_open=is_open, go_on=_after_registering(request))


@router.post("/register")
async def register(request: Request, form: Sent) -> Response:
    """Open an account and sign in."""
    shared = service(request)
    if not shared.settings.registration:
        await shared.at_the_door(_require_invitation, request)
    with shared.hashing.place(client_network(request)):
        try:
            password_hash = await shared.hashing.do(passwords.hash_password, form.secret("password"))
            return await shared.at_the_door(_registered, request, form, password_hash)
        except (ArgumentError, Conflict) as error:
            go_on, wrong = safe_path(form.text("next"), default=""), str(error)
    return await shared.at_the_door(
        lambda: _form(request, "register.html", status=422, form=form, wrong=wrong, is_open=True, go_on=go_on)
    )


def _registered(request: Request, form: Form, password_hash: str) -> Response:
    """Add the person and sign them in; whether their address is somebody's is not told."""
    shared = service(request)

    person = shared.database.write(
        lambda session: membership.register(
            session,
            handle=form.text("handle").lower(),
            name=form.text("name"),
            email=form.text("email") or None,
            password_hash=password_hash,
        )
    )
    told = "welcome-link" if person.claimed and shared.settings.smtp else "welcome"
    return _signed_in(request, person.id, go_to(safe_path(form.text("next"), default="/first-steps"), told))


def _require_invitation(request: Request) -> None:
    with service(request).database.reading() as session:
        if not _is_open(request, session):
            raise Problem(403, "closed", "This service is not open for registration. Ask whoever runs it.")


def _is_open(request: Request, session: Session) -> bool:
    """Return whether this browser may register: anybody, or whoever holds the link of the first administrator."""
    return service(request).settings.registration or may_become_first(session, held_link(request, ADMINISTER))


def _after_registering(request: Request) -> str:
    return safe_path(request.query_params.get("next"), default="")


@router.get("/sign-in")
def door(request: Request) -> Response:
    """Show the form to sign in."""
    return _form(request, "sign_in.html", go_on=safe_path(request.query_params.get("next")))


@router.post("/sign-in")
async def sign_in(request: Request, form: Sent) -> Response:
    """Check a password and begin a session; while it is checked neither a thread nor a transaction waits."""
    shared = service(request)
    with shared.hashing.place(client_network(request)):
        attempt = await shared.at_the_door(_begin_try, request, form.text("login").lower()[:254])
        if attempt.wait:
            return await shared.at_the_door(_asked_to_wait, request, form, attempt.wait)
        fits = await shared.hashing.do(passwords.password_fits, form.secret("password"), attempt.stored)
    return await shared.at_the_door(_end_try, request, form, attempt, fits)


@dataclass(frozen=True)
class Attempt:
    """A try to sign in: whose account, if there is one, what is stored for it, and how long to wait instead."""

    person: int | None
    stored: str | None
    keys: Mapping[str, Pace]
    wait: int


def _begin_try(request: Request, login: str) -> Attempt:
    """Count a try and look up what to check; known and unknown names take the same steps."""
    carried = carried_secrets(request, https=service(request).settings.secure)

    def begin(session: Session) -> Attempt:
        found = store.credentials.credentials(session, login)
        known = recognized(session, found.person_id if found else 0, carried)
        keys = backoff.keys_of_try(login, client_address(request), known)
        wait = backoff.begin_try(session, keys)
        person = found.person_id if found and not found.suspended else None
        return Attempt(person, found.password_hash if found else None, keys, wait)

    return service(request).database.write(begin)


def _end_try(request: Request, form: Form, attempt: Attempt, fits: bool) -> Response:
    """Begin a session, or say that the password is wrong."""
    if not fits or attempt.person is None:
        return _refused(request, form)
    answer = RedirectResponse(safe_path(form.text("next")), 303)
    try:
        return _signed_in(request, attempt.person, answer, attempt=attempt)
    except NotFound:
        return _refused(request, form)


@router.post("/sign-out")
def sign_out(request: Request) -> Response:
    """End this session."""
    me = acting(request)
    me.do(store.credentials.revoke_session, me.session_id)
    answer = go_to("/", "signed-out")
    cookies.clear_session_cookie(answer, https=service(request).settings.secure)
    return answer


@router.get("/sign-in/provider")
def set_out(request: Request) -> Response:
    """Send the browser to the provider, to sign in; another site's link leads to the door instead."""
    go_on = safe_path(request.query_params.get("next"))
    if request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        return RedirectResponse(f"/sign-in?{urlencode({'next': go_on})}", 303)
    flow = _begin(request, next=go_on, session=None)
    return _on_the_way(request, RedirectResponse(flow.url, 303), flow)


@router.post("/account/link")
def link(request: Request) -> Response:
    """Show the way to the provider to somebody who wants to sign in through it from now on.

    A page with a link, since browsers follow no redirect from a form to another site here.
    """
    me = freshly_acting(request)
    flow = _begin(request, next="/account", session=me.session_id)
    with visiting(request) as visit:
        return _on_the_way(request, visit.page("link.html", url=flow.url), flow)


def _begin(request: Request, **details: Any) -> Flow:
    """Begin a trip to the provider and keep what is needed when the browser comes back."""
    shared = service(request)
    if shared.provider is None:
        raise NotFound
    flow = shared.provider.begin()
    kept = {"nonce": flow.nonce, "verifier": flow.verifier, **details}
    shared.database.write(
        lambda session: store.credentials.remember_login(
            session, tokens.hash_secret(flow.state), kept, now(session) + timedelta(minutes=FLOW_MINUTES)
        )
    )
    return flow


def _on_the_way(request: Request, answer: Response, flow: Flow) -> Response:
    """Tie a trip to the browser that sets out."""
    answer.set_cookie(
        FLOW_COOKIE,
        flow.state,
        max_age=FLOW_MINUTES * 60,
        path="/sign-in/provider",
        secure=service(request).settings.secure,
        httponly=True,
        samesite="lax",
    )
    return answer


@router.get("/sign-in/provider/back")
def come_back(request: Request, code: str = "", state: str = "") -> Response:
    """Take the browser back from the provider: find, link or open the account."""
    shared = service(request)
    if shared.provider is None or not code or not state or request.cookies.get(FLOW_COOKIE) != state:
        raise SignInFailed
    details = shared.database.write(
        lambda session: store.credentials.take_login(session, tokens.hash_secret(state))
    )
    if details is None:
        raise SignInFailed
    claims = shared.provider.finish(code=code, nonce=details["nonce"], verifier=details["verifier"])
    if details["session"] is not None:
        me = acting(request)
        if me.session_id != details["session"]:
            raise SignInFailed
        me.do(_link, claims)
        answer: Response = go_to("/account", "saved")
    else:
        is_open = shared.settings.registration
        person = shared.database.write(lambda session: _account(session, claims, registration_open=is_open))
        answer = _signed_in(request, person, RedirectResponse(safe_path(details["next"]), 303))
    answer.delete_cookie(FLOW_COOKIE, path="/sign-in/provider")
    return answer


@router.get("/first-steps")
def first_steps(request: Request) -> Response:
    """Show what to do first, and what of it is done."""
    with visiting(request) as visit:
        friends = befriending.friends(visit.session, visit.me)
        return visit.page(
            "first_steps.html",
            has_friends=bool(friends),
            listens=any(friend.percent for friend in friends),
            has_line=befriending.standing_line(visit.session, visit.me) is not None,
            has_items=bool(browsing.mine(visit.session, visit.me, limit=1)),
        )


def _signed_in(
    request: Request, person: int, answer: Response, *, attempt: Attempt | None = None
) -> Response:
    """Begin a session with a fresh secret, end the one this browser carried, and know the browser from now on.

    A password that was replaced while it was checked (`attempt`) begins none.
    """
    shared = service(request)
    settings = shared.settings
    old, secret = cookies.session_secret(request, https=settings.secure), tokens.new_secret()
    carried = carried_secrets(request, https=settings.secure)

    def begin(session: Session) -> tuple[str, ...]:
        if attempt is not None and not store.credentials.still_fits(session, person, attempt.stored):
            raise NotFound
        before = store.credentials.session_by_hash(session, tokens.hash_secret(old)) if old else None
        if before is not None:
            store.credentials.revoke_session(session, before.person.id, before.session_id)
        expires = now(session) + timedelta(days=settings.session_days)
        agent = request.headers.get("user-agent", "")[:200]
        store.credentials.create_session(session, person, tokens.hash_secret(secret), expires, agent)
        if attempt is not None:
            backoff.forgive(session, attempt.keys)
        return recognize(session, person, carried, agent)

    set_device_cookie(answer, shared.database.write(begin), https=settings.secure)
    cookies.set_session_cookie(answer, secret, days=settings.session_days, https=settings.secure)
    return answer


def _refused(request: Request, form: Form) -> Response:
    """Return the one answer to every failed sign-in: it does not tell whether the account exists."""
    wrong = "This name and password do not belong together."
    return _form(
        request, "sign_in.html", status=401, form=form, go_on=safe_path(form.text("next")), wrong=wrong
    )


def _asked_to_wait(request: Request, form: Form, seconds: int) -> Response:
    """Return the answer to a try that comes too soon; the password was not looked at."""
    wrong = (
        f"Too many wrong passwords from here. Try again in {phrases.duration(seconds)}. "
        "A browser in which you signed in before does not wait for others’ tries."
    )
    answer = _form(
        request, "sign_in.html", status=429, form=form, go_on=safe_path(form.text("next")), wrong=wrong
    )
    answer.headers["retry-after"] = str(seconds)
    return answer


def _form(request: Request, template: str, *, status: int = 200, **context: Any) -> Response:
    """Return a form of the door, which knows nobody."""
    return render(request, template, status=status, **({"person": None, "form": None} | context))


def _link(session: Session, person: int, claims: Claims) -> None:
    """Let a provider's account sign in the person, unless it signs in somebody else."""
    known = store.credentials.credentials_by_identity(session, claims.issuer, claims.subject)
    if known is None:
        store.credentials.link_identity(session, person, claims.issuer, claims.subject)
    elif known.person_id != person:
        raise Conflict("already", "That account signs in somebody else here already.")


def _account(session: Session, claims: Claims, *, registration_open: bool) -> int:
    """Return whom the claims sign in; open an account for somebody new."""
    known = store.credentials.credentials_by_identity(session, claims.issuer, claims.subject)
    if known is not None:
        if known.suspended:
            raise SignInFailed
        return known.person_id
    if not registration_open:
        raise Problem(403, "closed", "There is no account for you here yet. Ask whoever runs this service.")
    address = claims.email.strip().lower() if claims.email else None
    taken = address is not None and store.persons.owner_of_address(session, address) is not None
    email = None if taken else address
    handle = _free_handle(session, claims)
    name = names.name_from(claims.name, otherwise=handle)
    person = membership.register(session, handle=handle, name=name, email=email, confirmed=True).id
    store.credentials.link_identity(session, person, claims.issuer, claims.subject)
    return person


def _free_handle(session: Session, claims: Claims) -> str:
    """Return a handle made from a name, with a number if it is taken, looks like another, or is nobody's."""
    letters = "".join(character for character in claims.name.lower() if character in HANDLE_LETTERS)[:20]
    stem = letters if len(letters) >= 2 else "person"
    handle, number = stem, 1
    while (
        names.is_reserved(handle)
        or store.credentials.credentials(session, handle) is not None
        or store.persons.has_shape(session, handle_shape(handle))
    ):
        number += 1
        handle = f"{stem}{number}"
    return handle
