"""`entrenous access files`: where the bytes of photos and documents are kept."""

from __future__ import annotations

from typing import Annotated

import typer

from entrenous._check import one_of
from entrenous.cli.access.opening import Url, open_service
from entrenous.cli.choices import Noun

__all__ = ["files"]

files = Noun("Move photos and documents between the database and an object store, and tidy up there.")


@files.command()
def move(
    to: Annotated[str, typer.Option(metavar="PLACE", help="objects or database.")],
    database: Url = None,
) -> None:
    """Move all bytes; may be stopped at any moment and begun again, while the service runs."""
    place = one_of("--to", to, ("objects", "database"))
    from entrenous.web.service.uploads import storing

    with open_service(database) as opened:
        done = storing.move(opened, to_objects=place == "objects")
    typer.echo(f"{done.moved} files are in the {'object store' if place == 'objects' else 'database'} now")
    if done.lost:
        typer.echo(f"{done.lost} files are named by the database and are not in the object store", err=True)
        raise typer.Exit(1)


@files.command()
def sweep(database: Url = None) -> None:
    """Remove objects that no row of the database names and that are older than a day."""
    from entrenous.web.service.uploads import storing

    with open_service(database) as opened:
        removed = storing.sweep(opened)
    typer.echo(f"{removed} objects that belonged to nothing are removed")
