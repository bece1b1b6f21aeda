"""`entrenous access serve` and `work`: run the service."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.access.administering import print_first_link
from entrenous.cli.access.opening import Url, open_service, settings_for
from entrenous.cli.console import note
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.web.store.database import Database

__all__ = ["serve", "work"]


def serve(
    database: Url = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Fill an empty service with four people and their story.")
    ] = False,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8000,
    processes: Annotated[int, typer.Option(min=1, help="How many processes answer.")] = 1,
) -> None:
    """Run the service on which people decide together; more settings are ENTRENOUS_... variables."""
    settings = settings_for(database, demo=demo, address=f"http://{host}:{port}")
    if settings.demo:
        _keep_to_this_machine(host, settings.address)
    import uvicorn

    from entrenous.web.service.uploads.storing import check_place
    from entrenous.web.store.database import Database

    opened = Database(settings)
    opened.migrate()
    check_place(opened)
    if settings.demo:
        _fill(opened)
    print_first_link(opened)
    opened.close()
    note(f"listening on {settings.address}")
    # Several processes each read their settings from the environment.
    os.environ.update(settings.to_environment())
    uvicorn.run(
        "entrenous.web.app:create_app",
        factory=True,
        host=host,
        port=port,
        workers=processes,
        log_level="warning",
        access_log=False,  # paths name items, and logs are read by people who were never asked
        proxy_headers=True,
        forwarded_allow_ips="127.0.0.1",
        server_header=False,
    )


def work(database: Url = None) -> None:
    """Deliver mail and webhooks and watch deadlines, in a process of its own, until interrupted."""
    from entrenous.web.service.worker import Worker

    with open_service(database) as opened:
        worker = Worker(opened)
        worker.start()
        try:
            worker.join()
        finally:
            worker.stop()


def _fill(opened: Database) -> None:
    """Fill an empty service with the story, and say how to sign in; the password is new at every start."""
    from entrenous.web.demo import HANDLES, fill, let_in, new_password
    from entrenous.web.identity.passwords import hash_password

    password = new_password()
    hashed = hash_password(password)
    if fill(opened, hashed) or let_in(opened, hashed):
        note(f"sign in as {', '.join(HANDLES)} with the password: {password}")
    else:
        note(
            "there are people here already who are not of the demonstration, so it was left out and nobody's "
            "password was changed; for a demonstration give another --database"
        )


def _keep_to_this_machine(host: str, address: str) -> None:
    """Refuse a demonstration that others could reach: all its people share a password."""
    from ipaddress import ip_address
    from urllib.parse import urlsplit

    for place, name in (("--host", host), ("ENTRENOUS_ADDRESS", urlsplit(address).hostname or "")):
        try:
            here = ip_address(name).is_loopback
        except ValueError:
            here = name == "localhost"
        if not here:
            raise ArgumentError(
                place, "expected an address of this machine alone, such as 127.0.0.1, for a demonstration"
            )
