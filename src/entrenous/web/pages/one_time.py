"""Pages behind one-time links: confirm an address, choose a new password, become the first administrator.

Opening a link uses nothing up, since programs that look through mail open links too; the button on its page does.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from entrenous.errors import ArgumentError
from entrenous.web.http.forms import Sent
from entrenous.web.http.held_links import drop_link, held_link, hold_link
from entrenous.web.http.visits import acting, client_network, go_to, service, visitor
from entrenous.web.identity import passwords
from entrenous.web.rules import one_time_links
from entrenous.web.rules.one_time_links import ADMINISTER, CONFIRM, RESET
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.service import membership
from entrenous.web.service.accounts import administrators, forgotten, own_address

__all__ = ["router"]

router = APIRouter()

Secret = Annotated[str, Path(max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]


@router.get("/forgot")
def forgot(request: Request) -> Response:
    """Show the form to ask for a new password."""
    with visitor(request) as visit:
        return visit.page("forgot.html", asked=False)


@router.post("/forgot")
def ask_for_reset(request: Request, form: Sent) -> Response:
    """Note who is to get a link; the answer and its work are the same whether or not there is such an account."""
    login = form.text("login").lower()
    service(request).database.write(lambda session: forgotten.ask_for_reset(session, login))
    with visitor(request) as visit:
        return visit.page("forgot.html", asked=True)


@router.get("/reset/{secret}")
def open_reset(request: Request, secret: Secret) -> Response:
    """Take the secret of a link out of the address."""
    return hold_link(request, RESET, secret)


@router.get("/reset")
def reset_form(request: Request) -> Response:
    """Show the form for a new password to whoever opened a link that works."""
    return _reset_form(request)


@router.post("/reset")
async def reset(request: Request, form: Sent) -> Response:
    """Set the new password, sign out everywhere, and lead to the door."""
    shared = service(request)
    with shared.hashing.place(client_network(request)):
        if not await shared.at_the_door(_works, request):
            return await shared.at_the_door(_reset_form, request)
        try:
            password_hash = await shared.hashing.do(passwords.hash_password, form.secret("password"))
        except ArgumentError as error:
            return await shared.at_the_door(_reset_form, request, str(error))
        return await shared.at_the_door(_reset, request, password_hash)


def _works(request: Request) -> bool:
    """Return whether a link to choose a new password was opened here and can still be used: else nothing is hashed."""
    with service(request).database.reading() as session:
        return one_time_links.look_at(session, RESET, held_link(request, RESET)) is not None


def _reset_form(request: Request, wrong: str | None = None) -> Response:
    secret = held_link(request, RESET)
    with visitor(request) as visit:
        works = one_time_links.look_at(visit.session, RESET, secret) is not None
        return visit.page("reset.html", status=_status(secret, works, wrong), works=works, wrong=wrong)


def _reset(request: Request, password_hash: str) -> Response:
    secret = held_link(request, RESET)
    try:
        service(request).database.write(
            lambda session: forgotten.reset_password(session, secret, password_hash)
        )
    except NotFound:
        return _reset_form(request)
    return drop_link(request, go_to("/sign-in", "reset"), RESET)


@router.get("/confirm/{secret}")
def open_confirmation(request: Request, secret: Secret) -> Response:
    """Take the secret of a link out of the address."""
    return hold_link(request, CONFIRM, secret)


@router.get("/confirm")
def confirmation(request: Request) -> Response:
    """Show the button that confirms an address."""
    return _confirmation(request)


@router.post("/confirm")
def confirm(request: Request) -> Response:
    """Confirm the address; whoever opened its mailbox need not be signed in there."""
    secret = held_link(request, CONFIRM)
    try:
        service(request).database.write(lambda session: own_address.confirm(session, secret))
    except (NotFound, Conflict) as error:
        return _confirmation(request, str(error) if isinstance(error, Conflict) else None)
    return drop_link(request, go_to("/confirm", "confirmed"), CONFIRM)


def _confirmation(request: Request, wrong: str | None = None) -> Response:
    secret = held_link(request, CONFIRM)
    with visitor(request) as visit:
        link = one_time_links.look_at(visit.session, CONFIRM, secret)
        claimant = None if link is None else membership.person(visit.session, link.person or 0)
        return visit.page(
            "confirm.html",
            status=_status(secret, claimant is not None, wrong),
            address=link.address if link and claimant else None,
            claimant=claimant,
            wrong=wrong,
        )


@router.get("/administer/{secret}")
def open_administration(request: Request, secret: Secret) -> Response:
    """Take the secret of a link out of the address."""
    return hold_link(request, ADMINISTER, secret)


@router.get("/administer")
def administration(request: Request) -> Response:
    """Show the way to become the first administrator: register or sign in, then confirm."""
    secret = held_link(request, ADMINISTER)
    with visitor(request) as visit:
        works = administrators.may_become_first(visit.session, secret)
        return visit.page("administer.html", status=_status(secret, works), works=works)


@router.post("/administer")
def administer(request: Request) -> Response:
    """Make the signed-in person the first administrator."""
    me, secret = acting(request), held_link(request, ADMINISTER)
    me.do(administrators.become_first, secret)
    return drop_link(request, go_to("/admin", "administrator"), ADMINISTER)


def _status(secret: str | None, works: bool, wrong: str | None = None) -> int:
    """Return the status of a page behind a link: a link that does not work is not there; no link at all is no fault."""
    if secret is None:
        return 200
    if not works:
        return 404
    return 422 if wrong else 200
