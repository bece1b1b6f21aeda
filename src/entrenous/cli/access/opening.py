"""The service that a command is about: its settings, and its database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.errors import ArgumentError, MissingExtraError

if TYPE_CHECKING:
    from entrenous.web.settings import Settings
    from entrenous.web.store.database import Database

__all__ = ["Url", "open_service", "require_web", "settings_for"]

Url = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="sqlite:///file.db or postgresql://user:password@host/name. "
        "(default: ENTRENOUS_DATABASE, else entrenous.db in this folder)",
    ),
]


def require_web() -> None:
    """Refuse where the service is not installed."""
    if not all(find_spec(package) for package in ("alembic", "fastapi", "sqlalchemy")):
        raise MissingExtraError("web", "the access service")


def settings_for(database: str | None, **changes: Any) -> Settings:
    """Return the settings in the environment, with what the command says instead."""
    require_web()
    from entrenous.web.settings import Settings

    variables = dict(os.environ)
    if database is not None:
        variables["ENTRENOUS_DATABASE"] = database
    if "address" in changes:
        variables.setdefault("ENTRENOUS_ADDRESS", changes["address"])
    if changes.get("demo"):
        variables["ENTRENOUS_DEMO"] = "yes"
    return Settings.from_environment(variables)


@contextmanager
def open_service(url: str | None) -> Iterator[Database]:
    """Open the database of a service that is there already."""
    settings = settings_for(url)
    from entrenous.web.store.database import Database, healthy

    opened = Database(settings)
    try:
        with opened.reading() as session:
            if not healthy(session):
                raise ArgumentError(
                    "--database", "expected the database of a service of this version; run serve once"
                )
        yield opened
    finally:
        opened.close()
