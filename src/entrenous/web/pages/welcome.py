"""The door: the first page, registering, signing in and out, and the first steps."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import RedirectResponse, Response

from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.http.forms import Form, Sent
from entrenous.web.http.problems import Problem
from entrenous.web.http.security import client_address, safe_path
from entrenous.web.http.visits import acting, go_to, limit_rate, render, service, visiting, visitor
from entrenous.web.identity import cookies, passwords, tokens
from entrenous.web.identity.oidc import Claims, Flow
from entrenous.web.rules import naming
from entrenous.web.rules.lookalikes import handle_shape
from entrenous.web.rules.refusals import Conflict, NotFound, SignInFailed
from entrenous.web.service import befriending, browsing, membership
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
    return render(request, "register.html", person=None, form=None)


@router.post("/register")
def register(request: Request, form: Sent) -> Response:
    """Open an account and sign in."""
    shared = service(request)
    if not shared.settings.registration:
        raise Problem(403, "closed", "This service is not open for registration. Ask whoever runs it.")
    limit_rate(request, f"register {client_address(request)}", most=20, minutes=60)
    try:
        password_hash = passwords.hash_password(form.secret("password"))
        person = shared.database.write(
            lambda session: membership.register(
                session,
                handle=form.text("handle").lower(),
                name=form.text("name"),
                email=form.text("email") or None,
                password_hash=password_hash,
            )
        )
    except (ArgumentError, Conflict) as error:
        return render(request, "register.html", status=422, person=None, form=form, wrong=str(error))
    return _signed_in(request, person.id, go_to("/first-steps", "welcome"))


@router.get("/sign-in")
def door(request: Request) -> Response:
    """Show the form to sign in."""
    return render(
        request, "sign_in.html", person=None, form=None, go_on=safe_path(request.query_params.get("next"))
    )


@router.post("/sign-in")
def sign_in(request: Request, form: Sent) -> Response:
    """Check a password and begin a session."""
    login = form.text("login").lower()
    limit_rate(request, f"login {login}", most=10, minutes=15)
    limit_rate(request, f"address {client_address(request)}", most=100, minutes=15)
    with service(request).database.reading() as session:
        found = store.credentials.credentials(session, login) if login else None
    fits = passwords.password_fits(form.secret("password"), found.password_hash if found else None)
    if found is None or not fits or found.suspended:
        return _refused(request, form)
    return _signed_in(request, found.person_id, RedirectResponse(safe_path(form.text("next")), 303))


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
    me = acting(request)
    flow = _begin(request, next="/account", session=me.session_id)
    with visiting(request) as visit:
        return _on_the_way(request, visit.page("link.html", url=flow.url), flow)


def _begin(request: Request, **details: Any) -> Flow:
    """Begin a trip to the provider and keep what is needed when the browser comes back."""
    shared = service(request)
    if shared.provider is None:
        raise NotFound
    limit_rate(request, f"flow {client_address(request)}", most=60, minutes=15)
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
            has_items=bool(browsing.mine(visit.session, visit.me)),
        )


def _signed_in(request: Request, person: int, answer: Response) -> Response:
    """Begin a session with a fresh secret and end the one this browser carried, if any."""
    shared = service(request)
    settings = shared.settings
    old, secret = cookies.session_secret(request, https=settings.secure), tokens.new_secret()

    def begin(session: Session) -> None:
        before = store.credentials.session_by_hash(session, tokens.hash_secret(old)) if old else None
        if before is not None:
            store.credentials.revoke_session(session, before.person.id, before.session_id)
        expires = now(session) + timedelta(days=settings.session_days)
        agent = request.headers.get("user-agent", "")[:200]
        store.credentials.create_session(session, person, tokens.hash_secret(secret), expires, agent)

    shared.database.write(begin)
    cookies.set_session_cookie(answer, secret, days=settings.session_days, https=settings.secure)
    return answer


def _refused(request: Request, form: Form) -> Response:
    """Return the one answer to every failed sign-in: it does not tell whether the account exists."""
    return render(
        request,
        "sign_in.html",
        status=401,
        person=None,
        form=form,
        go_on=safe_path(form.text("next")),
        wrong="This name and password do not belong together.",
    )


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
    taken = claims.email is not None and store.credentials.credentials(session, claims.email) is not None
    email = None if taken else claims.email
    handle = _free_handle(session, claims)
    name = naming.name_from(claims.name, otherwise=handle)
    person = membership.register(session, handle=handle, name=name, email=email).id
    store.credentials.link_identity(session, person, claims.issuer, claims.subject)
    return person


def _free_handle(session: Session, claims: Claims) -> str:
    """Return a handle made from a name, with a number if it is taken, looks like another, or is nobody's."""
    letters = "".join(character for character in claims.name.lower() if character in HANDLE_LETTERS)[:20]
    stem = letters if len(letters) >= 2 else "person"
    handle, number = stem, 1
    while (
        naming.is_reserved(handle)
        or store.credentials.credentials(session, handle) is not None
        or store.persons.has_shape(session, handle_shape(handle))
    ):
        number += 1
        handle = f"{stem}{number}"
    return handle
