"""Passkeys on pages: signing in with one, the list of one's own, and showing once more who one is.

Browsers hand out passkeys to scripts alone, so `static/passkeys.js` fetches what to ask, has the browser ask it and
sends the answer as a form; everything else is plain pages.
"""

from __future__ import annotations

from functools import partial
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import JSONResponse, RedirectResponse, Response

from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.http import phrases
from entrenous.web.http.confirmed import ConfirmationNeeded, freshly_acting
from entrenous.web.http.forms import Sent
from entrenous.web.http.path_parts import Number
from entrenous.web.http.problems import Problem
from entrenous.web.http.security import safe_path
from entrenous.web.http.visits import Acting, acting, client_network, go_to, limit_rate, service, visiting
from entrenous.web.identity import keyring, passwords, tokens
from entrenous.web.identity.passkeys import PasskeyRefused, RelyingParty
from entrenous.web.pages.welcome import _signed_in
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.store.signing_in import freshness, public_keys

__all__ = ["router"]

router = APIRouter()

HERE = "/account/passkeys"


def _party(request: Request) -> RelyingParty:
    """Return whom passkeys are for; where browsers offer none, there is nothing here."""
    party = RelyingParty.at(service(request).settings.address)
    if party is None:
        raise NotFound
    return party


# --- asking the browser -------------------------------------------------------------------------------------


@router.post("/passkeys/options")
def options(request: Request, form: Sent) -> Response:
    """Say what to ask the browser, and tie its answer to it."""
    party, browser = _party(request), _browser(request) or tokens.new_secret()
    purpose = form.text("purpose")
    try:
        if purpose == keyring.SIGN_IN:
            asked = service(request).database.write(
                lambda session: keyring.ask_for_any(session, party, browser)
            )
        elif purpose == keyring.CONFIRM:
            me = acting(request)
            asked = me.write(
                lambda session: keyring.ask_for_own(session, party, browser, me.id, me.session_id)
            )
        elif purpose == keyring.ADD:
            me = freshly_acting(request)
            asked = me.write(
                lambda session: keyring.ask_for_new(session, party, browser, me.id, me.session_id)
            )
        else:
            raise NotFound
    except ConfirmationNeeded:
        return Problem(403, "confirm", "Confirm that it is you, then try again.").response()
    return _tied(request, JSONResponse(asked), browser)


def _cookie_name(request: Request) -> str:
    return "__Host-entrenous-passkey" if service(request).settings.secure else "entrenous-passkey"


def _browser(request: Request) -> str | None:
    """Return the secret that ties challenges to this browser; tabs of one browser share it."""
    return request.cookies.get(_cookie_name(request))


def _tied(request: Request, answer: Response, browser: str) -> Response:
    answer.set_cookie(
        _cookie_name(request),
        browser,
        max_age=keyring.CHALLENGE_MINUTES * 60,
        path="/",
        secure=service(request).settings.secure,
        httponly=True,
        samesite="strict",
    )
    return answer


def _taken(
    request: Request, answer: str, purpose: str, session_id: int | None = None
) -> tuple[str, keyring.Details]:
    """Use up the challenge an answer is to, in a transaction of its own: it is gone also if the answer is refused."""
    browser = _browser(request)
    return service(request).database.write(
        lambda session: keyring.take(session, browser, answer, purpose, session_id=session_id)
    )


# --- signing in ---------------------------------------------------------------------------------------------


@router.post("/sign-in/passkey")
def sign_in(request: Request, form: Sent) -> Response:
    """Begin a session for whoever a passkey proves to be there; every refusal reads the same."""
    party, answer, go_on = _party(request), form.text("credential"), safe_path(form.text("next"))
    try:
        taken = _taken(request, answer, keyring.SIGN_IN)
    except PasskeyRefused:
        taken = ("", {})
    person = service(request).database.write(lambda session: keyring.use(session, party, answer, taken=taken))
    if person is None:
        return RedirectResponse(f"/sign-in?{urlencode({'next': go_on, 'done': 'passkey-refused'})}", 303)
    return _signed_in(request, person, RedirectResponse(go_on, 303))


# --- the own passkeys ---------------------------------------------------------------------------------------


@router.get("/account/passkeys")
def own_passkeys(request: Request) -> Response:
    """Show the own passkeys, and how to add one."""
    return _own_passkeys(request)


def _own_passkeys(request: Request, *, wrong: str | None = None) -> Response:
    with visiting(request) as visit:
        assert visit.session_id is not None, "whoever visits is signed in"
        return visit.page(
            "passkeys.html",
            status=422 if wrong else 200,
            wrong=wrong,
            party=RelyingParty.at(service(request).settings.address),
            passkeys=public_keys.passkeys_of(visit.session, visit.me),
            fresh=keyring.is_fresh(visit.session, visit.session_id),
            usual_name=phrases.device(request.headers.get("user-agent", "")),
        )


@router.post("/account/passkeys")
def add_passkey(request: Request, form: Sent) -> Response:
    """Add a passkey that the browser has just made."""
    me, party, answer = freshly_acting(request, back=HERE), _party(request), form.text("credential")
    try:
        taken = _taken(request, answer, keyring.ADD, me.session_id)
        me.do(keyring.add, party, answer, taken=taken, name=form.text("name"))
    except (PasskeyRefused, Conflict, ArgumentError) as error:
        return _own_passkeys(request, wrong=str(error))
    return go_to(HERE, "passkey-added")


@router.post("/account/passkeys/{passkey}/end")
def remove_passkey(request: Request, passkey: Number) -> Response:
    """Remove a passkey, unless it is the last way to sign in."""
    me = freshly_acting(request, back=HERE)
    provider = service(request).provider
    party = RelyingParty.at(service(request).settings.address)
    try:
        me.do(keyring.remove, passkey, party=party, issuer=provider.issuer if provider else None)
    except Conflict as error:
        return _own_passkeys(request, wrong=str(error))
    return go_to(HERE, "passkey-removed")


@router.post("/account/password/remove")
def remove_password(request: Request) -> Response:
    """Do without a password from now on, and end all other sessions."""
    me = freshly_acting(request, back=HERE)

    def change(session: Session) -> None:
        keyring.remove_password(session, me.id, party=RelyingParty.at(service(request).settings.address))
        store.credentials.revoke_sessions(session, me.id, keep=me.session_id)

    try:
        me.write(change)
    except Conflict as error:
        return _own_passkeys(request, wrong=str(error))
    return go_to(HERE, "password-removed")


# --- showing once more who one is ---------------------------------------------------------------------------


@router.get("/account/confirm")
def confirmation(request: Request) -> Response:
    """Ask somebody who is signed in to show that it is them."""
    return _confirmation(request, request.query_params.get("next"))


def _confirmation(request: Request, go_on: str | None, *, wrong: str | None = None) -> Response:
    with visiting(request) as visit:
        party = RelyingParty.at(service(request).settings.address)
        own = public_keys.passkeys_of(visit.session, visit.me)
        return visit.page(
            "prove.html",
            status=422 if wrong else 200,
            wrong=wrong,
            go_on=safe_path(go_on, default="/account"),
            has_passkey=party is not None and any(one.rp_id == party.id for one in own),
            identities=store.credentials.identities_of(visit.session, visit.me),
            minutes=keyring.FRESH_MINUTES,
        )


@router.post("/account/confirm")
async def confirm(request: Request, form: Sent) -> Response:
    """Take the password as proof."""
    shared, go_on = service(request), form.text("next")
    with shared.hashing.place(client_network(request)):
        me, stored = await shared.at_the_door(_stored_password, request)
        fits = await shared.hashing.do(passwords.password_fits, form.secret("password"), stored)
    if not fits:
        wrong = partial(_confirmation, request, go_on, wrong="This is not your password.")
        return await shared.at_the_door(wrong)
    return await shared.at_the_door(_confirmed, me, go_on)


def _stored_password(request: Request) -> tuple[Acting, str | None]:
    me = _counted(request)
    with service(request).database.reading() as session:
        found = store.credentials.credentials(session, me.person.handle)
    return me, found.password_hash if found else None


@router.post("/account/confirm/passkey")
def confirm_with_passkey(request: Request, form: Sent) -> Response:
    """Take a passkey as proof."""
    me, party, answer = _counted(request), _party(request), form.text("credential")
    try:
        taken = _taken(request, answer, keyring.CONFIRM, me.session_id)
    except PasskeyRefused:
        taken = ("", {})
    if me.write(lambda session: keyring.use(session, party, answer, taken=taken, person=me.id)) is None:
        return _confirmation(request, form.text("next"), wrong=str(PasskeyRefused()))
    return _confirmed(me, form.text("next"))


def _counted(request: Request) -> Acting:
    me = acting(request)
    limit_rate(request, f"confirm {me.id}", most=10, minutes=15)
    return me


def _confirmed(me: Acting, go_on: str) -> Response:
    me.write(lambda session: freshness.confirm_session(session, me.session_id))
    return RedirectResponse(safe_path(go_on, default="/account"), 303)
