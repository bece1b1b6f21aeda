"""A person's own account: profile, ways to sign in, sessions, tokens, webhooks, and the way out."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.http.confirmed import freshly_acting
from entrenous.web.http.forms import Sent
from entrenous.web.http.path_parts import Number
from entrenous.web.http.phrases import NOTICES
from entrenous.web.http.visits import (
    Acting,
    acting,
    client_network,
    go_to,
    limit_rate,
    require_session,
    service,
    visiting,
)
from entrenous.web.identity import cookies, passwords, tokens
from entrenous.web.identity.known_devices import carried_secrets, recognize, recognized, set_device_cookie
from entrenous.web.rules.refusals import Conflict
from entrenous.web.rules.typed import checked_text
from entrenous.web.service import membership
from entrenous.web.service.accounts import forgotten, own_address
from entrenous.web.store.database import now
from entrenous.web.store.signing_in import devices as store_devices

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
            devices=store_devices.devices_of(visit.session, visit.me),
            this_device=recognized(visit.session, visit.me, _carried(request)),
            tokens=store.credentials.tokens_of(visit.session, visit.me),
            webhooks=membership.webhooks(visit.session, visit.me),
            identities=store.credentials.identities_of(visit.session, visit.me),
            scopes=tokens.SCOPES,
            events=sorted(NOTICES),
            **({"new_token": None, "new_webhook": None} | fresh),
        )


@router.post("/account/profile")
def change_profile(request: Request, form: Sent) -> Response:
    """Change name and whether mail is wanted, and claim an address; whether it is somebody's already is not told.

    An address opens the account by a reset: claiming another one, or doing without, needs a fresh sign-in.
    """
    me = acting(request)
    if form.text("email").lower() != (me.person.claimed or me.person.email or ""):
        me = freshly_acting(request)
    try:
        claimed = me.do(
            membership.update_profile,
            name=form.text("name"),
            email=form.text("email") or None,
            mail=form.flag("mail"),
        )
    except (ArgumentError, Conflict) as error:
        return _account(request, wrong=str(error))
    return go_to("/account", "link-sent" if claimed and service(request).settings.smtp else "saved")


@router.post("/account/address")
def send_link_again(request: Request) -> Response:
    """Send the link to the address that waits to be confirmed once more."""
    me = acting(request)
    me.do(own_address.ask_again)
    return go_to("/account", "link-sent" if service(request).settings.smtp else "saved")


@router.post("/account/password")
async def change_password(request: Request, form: Sent) -> Response:
    """Change the password, end all other sessions, and know no browser any more but this one."""
    shared = service(request)
    with shared.hashing.place(client_network(request)):
        try:
            me = await _confirmed(request, form.secret("current"))
            password_hash = await shared.hashing.do(passwords.hash_password, form.secret("password"))
        except (ArgumentError, Conflict) as error:
            return await shared.at_the_door(partial(_account, request, wrong=str(error)))
        return await shared.at_the_door(_change_password, request, me, password_hash)


def _change_password(request: Request, me: Acting, password_hash: str) -> Response:
    def change(session: Session) -> tuple[str, ...]:
        require_session(session, me.id, me.session_id)
        forgotten.change_password(session, me.id, password_hash, keep=me.session_id)
        return recognize(session, me.id, _carried(request), request.headers.get("user-agent", ""))

    answer = go_to("/account", "saved")
    set_device_cookie(answer, me.write(change), https=service(request).settings.secure)
    return answer


@router.post("/account/sessions/{session_id}/end")
def end_session(request: Request, session_id: Number) -> Response:
    """End a session on another device."""
    me = acting(request)
    me.do(store.credentials.revoke_session, session_id)
    return go_to("/account", "revoked")


@router.post("/account/sessions/end-others")
def end_other_sessions(request: Request) -> Response:
    """End all sessions but this one, and know no other browser any more."""
    me = acting(request)

    def end(session: Session) -> None:
        store.credentials.revoke_sessions(session, me.id, keep=me.session_id)
        here = recognized(session, me.id, _carried(request))
        store_devices.forget_devices(session, me.id, keep=here)

    me.write(end)
    return go_to("/account", "revoked")


@router.post("/account/devices/{device}/forget")
def forget_device(request: Request, device: Number) -> Response:
    """Know a browser no longer; signing in there is possible as from any other."""
    me = acting(request)
    me.do(store_devices.forget_device, device)
    return go_to("/account", "forgotten")


@router.post("/account/tokens")
def create_token(request: Request, form: Sent) -> Response:
    """Make a token for a program; it is shown once."""
    me, secret = freshly_acting(request), tokens.new_secret()
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
    """Tell another service when something happens; its signing secret is shown once.

    Whoever took over a session must not go on listening once it has ended: it needs a fresh sign-in.
    """
    me = freshly_acting(request)
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
async def delete_account(request: Request, form: Sent) -> Response:
    """Delete the account, after the password or, without one, the name was typed."""
    shared = service(request)
    with shared.hashing.place(client_network(request)):
        try:
            me = await _confirmed(request, form.secret("current"))
            if not me.person.has_password and form.text("handle") != me.person.handle:
                raise Conflict("not_confirmed", "Type your name to delete the account.")
            await shared.at_the_door(me.do, membership.delete_account)
        except Conflict as error:
            return await shared.at_the_door(partial(_account, request, wrong=str(error)))
    answer = go_to("/", "deleted")
    cookies.clear_session_cookie(answer, https=shared.settings.secure)
    return answer


async def _confirmed(request: Request, password: str) -> Acting:
    """Return who acts, once they gave their password; whoever has none must have signed in a moment ago."""
    shared = service(request)
    me, stored = await shared.at_the_door(_stored_password, request)
    if me.person.has_password and not await shared.hashing.do(passwords.password_fits, password, stored):
        raise Conflict("wrong_password", "This is not your current password.")
    return me


def _stored_password(request: Request) -> tuple[Acting, str | None]:
    me = acting(request)
    if not me.person.has_password:
        return freshly_acting(request), None
    limit_rate(request, f"confirm {me.id}", most=10, minutes=15)
    with service(request).database.reading() as session:
        found = store.credentials.credentials(session, me.person.handle)
    return me, found.password_hash if found else None


def _carried(request: Request) -> tuple[str, ...]:
    return carried_secrets(request, https=service(request).settings.secure)
