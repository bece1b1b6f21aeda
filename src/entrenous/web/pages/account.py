"""A person's own account: profile, ways to sign in, sessions, tokens, webhooks, and the way out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.http.forms import Sent
from entrenous.web.http.path_parts import Number
from entrenous.web.http.phrases import NOTICES
from entrenous.web.http.visits import Acting, acting, go_to, limit_rate, service, visiting
from entrenous.web.identity import cookies, passwords, tokens
from entrenous.web.rules.refusals import Conflict
from entrenous.web.rules.typed import checked_text
from entrenous.web.service import membership
from entrenous.web.store.database import now

__all__ = ["router"]

router = APIRouter()


@router.get("/account")
def account(request: Request) -> Response:
    """Show the account."""
    return _account(request)


def _account(request: Request, *, wrong: str | None = None, **fresh: Any) -> Response:
    with visiting(request) as visit:
        return visit.page(
            "account.html",
            status=422 if wrong else 200,
            wrong=wrong,
            sessions=store.credentials.sessions_of(visit.session, visit.me),
            this_session=visit.session_id,
            tokens=store.credentials.tokens_of(visit.session, visit.me),
            webhooks=membership.webhooks(visit.session, visit.me),
            identities=store.credentials.identities_of(visit.session, visit.me),
            scopes=tokens.SCOPES,
            events=sorted(NOTICES),
            **({"new_token": None, "new_webhook": None} | fresh),
        )


@router.post("/account/profile")
def change_profile(request: Request, form: Sent) -> Response:
    """Change name, address and whether mail is wanted."""
    me = acting(request)
    try:
        me.do(
            membership.update_profile,
            name=form.text("name"),
            email=form.text("email") or None,
            mail=form.flag("mail"),
        )
    except (ArgumentError, Conflict) as error:
        return _account(request, wrong=str(error))
    return go_to("/account", "saved")


@router.post("/account/password")
def change_password(request: Request, form: Sent) -> Response:
    """Change the password and end all other sessions."""
    me = acting(request)
    try:
        _confirm(request, me, form.secret("current"))
        password_hash = passwords.hash_password(form.secret("password"))
    except (ArgumentError, Conflict) as error:
        return _account(request, wrong=str(error))

    def change(session: Session) -> None:
        store.credentials.set_password_hash(session, me.id, password_hash)
        store.credentials.revoke_sessions(session, me.id, keep=me.session_id)

    me.write(change)
    return go_to("/account", "saved")


@router.post("/account/sessions/{session_id}/end")
def end_session(request: Request, session_id: Number) -> Response:
    """End a session on another device."""
    me = acting(request)
    me.do(store.credentials.revoke_session, session_id)
    return go_to("/account", "revoked")


@router.post("/account/sessions/end-others")
def end_other_sessions(request: Request) -> Response:
    """End all sessions but this one."""
    me = acting(request)
    me.do(store.credentials.revoke_sessions, keep=me.session_id)
    return go_to("/account", "revoked")


@router.post("/account/tokens")
def create_token(request: Request, form: Sent) -> Response:
    """Make a token for a program; it is shown once."""
    me, secret = acting(request), tokens.new_secret()
    scopes = [scope for scope in form.texts("scope") if scope in tokens.SCOPES]
    days = form.number("days")
    try:
        name = checked_text("name", form.text("name"), most=80)
    except ArgumentError:
        name = ""
    if not scopes or not name:
        return _account(
            request,
            wrong="Give the token a plain name of up to 80 characters and something it may do.",
        )

    def create(session: Session) -> None:
        expires = now(session) + timedelta(days=min(days, 3650)) if days else None
        store.credentials.create_token(session, me.id, name, tokens.hash_secret(secret), scopes, expires)

    me.write(create)
    return _account(request, new_token=secret)


@router.post("/account/tokens/{token}/end")
def end_token(request: Request, token: Number) -> Response:
    """Take a token back."""
    me = acting(request)
    me.do(store.credentials.revoke_token, token)
    return go_to("/account", "ended")


@router.post("/account/webhooks")
def add_webhook(request: Request, form: Sent) -> Response:
    """Tell another service when something happens; its signing secret is shown once."""
    me = acting(request)
    try:
        _, secret = me.do(membership.add_webhook, form.text("url"), form.texts("event"))
    except (ArgumentError, Conflict) as error:
        return _account(request, wrong=str(error))
    return _account(request, new_webhook=secret)


@router.post("/account/webhooks/{webhook}/end")
def remove_webhook(request: Request, webhook: Number) -> Response:
    """Stop telling another service."""
    me = acting(request)
    me.do(membership.remove_webhook, webhook)
    return go_to("/account", "ended")


@router.post("/account/delete")
def delete_account(request: Request, form: Sent) -> Response:
    """Delete the account, after the password or, without one, the name was typed."""
    me = acting(request)
    try:
        if me.person.has_password:
            _confirm(request, me, form.secret("current"))
        elif form.text("handle") != me.person.handle:
            raise Conflict("not_confirmed", "Type your name to delete the account.")
    except Conflict as error:
        return _account(request, wrong=str(error))
    me.do(membership.delete_account)
    answer = go_to("/", "deleted")
    cookies.clear_session_cookie(answer, https=service(request).settings.secure)
    return answer


def _confirm(request: Request, me: Acting, password: str) -> None:
    """Check the current password of somebody who has one."""
    if not me.person.has_password:
        return
    limit_rate(request, f"confirm {me.id}", most=10, minutes=15)
    with service(request).database.reading() as session:
        found = store.credentials.credentials(session, me.person.handle)
    if not passwords.password_fits(password, found.password_hash if found else None):
        raise Conflict("wrong_password", "This is not your current password.")
