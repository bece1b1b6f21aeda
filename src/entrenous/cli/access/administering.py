"""`entrenous access admin`: who looks after the service, and help for whoever cannot get in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from entrenous.cli.access.opening import Url, open_service
from entrenous.cli.choices import Noun
from entrenous.cli.console import Json, note, print_json
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from entrenous.web.store.database import Database

__all__ = ["app", "print_first_link"]

T = TypeVar("T")

app = Noun("Say who looks after the service, and help whoever cannot get in.")

Handle = Annotated[str, typer.Argument(metavar="HANDLE", help="The short name of an account.")]


@app.command("list")
def list_administrators(database: Url = None, as_json: Json = False) -> None:
    """List the administrators."""
    from entrenous.web.service.accounts import administrators

    found = [one.handle for one in _write(database, administrators.administrators)]
    if as_json:
        print_json(found)
        return
    for handle in found:
        typer.echo(handle)
    if not found:
        note("there is no administrator; `entrenous access admin link` prints a link to become one")


@app.command()
def add(handle: Handle, database: Url = None) -> None:
    """Let somebody look after the service."""
    from entrenous.web.service.accounts import administrators

    _write(database, lambda session: administrators.appoint(session, _person(session, handle), actor=None))
    note("done: this account is an administrator now")


@app.command()
def remove(handle: Handle, database: Url = None) -> None:
    """Let somebody no longer look after the service; the last one stays until another is added."""
    from entrenous.web.service.accounts import administrators

    _write(database, lambda session: administrators.dismiss(session, _person(session, handle), actor=None))
    note("done: this account is an ordinary one now")


@app.command()
def link(database: Url = None) -> None:
    """Print a link that makes who opens it the first administrator; earlier links stop working."""
    from entrenous.web.service.accounts import administrators

    printed = _write(database, administrators.first_link)
    if printed is None:
        raise ArgumentError(
            "link", "expected a service without an administrator; this one has some: see `list`"
        )
    typer.echo(printed)


@app.command()
def reset(handle: Handle, database: Url = None) -> None:
    """Print a link with which somebody chooses a new password, once and within a day."""
    from entrenous.web.rules.refusals import NotFound
    from entrenous.web.service.accounts import forgotten

    try:
        printed = _write(database, lambda session: forgotten.reset_link(session, handle))
    except NotFound:
        raise _nobody() from None
    typer.echo(printed)


def print_first_link(opened: Database) -> None:
    """Print the link of the first administrator, if there is none yet: once, before any process answers."""
    from entrenous.web.service.accounts import administrators

    printed = opened.write(administrators.first_link)
    if printed is not None:
        note(f"nobody looks after this service yet; to do so, open this link, which works once: {printed}")


def _write(database: str | None, work: Callable[[Session], T]) -> T:

    with open_service(database) as opened:
        return opened.write(work)


def _person(session: Session, handle: str) -> int:
    from entrenous.web import store

    found = store.persons.find_person(session, handle.strip().lower())
    if found is None:
        raise _nobody()
    return found.id


def _nobody() -> ArgumentError:
    return ArgumentError("HANDLE", "expected the short name of an account that is not suspended")
