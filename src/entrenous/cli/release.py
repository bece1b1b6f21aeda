"""`entrenous release`: releases that were paid for and are kept beside their vault."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from entrenous.cli.choices import Format, Noun
from entrenous.cli.console import Json, print_json, print_table
from entrenous.cli.options import NewFolder, print_remembered

__all__ = ["app"]

app = Noun("Find and finish releases that were paid for.")
File = Annotated[Path, typer.Argument(help="The vault that was charged.", metavar="VAULT")]
Number = Annotated[
    int | None, typer.Argument(help="Its entry in the vault. (default: the latest)", metavar="ENTRY")
]


@app.command(name="list")
def list_(file: File, as_json: Json = False) -> None:
    """List every release of a vault, and whether it is kept."""
    from entrenous.vault import Vault

    vault = Vault(file)
    state, kept = vault.state, set(vault.kept)
    rows = [
        {
            "entry": number,
            "day": entry.time[:10],
            "release": entry.purpose,
            "kept": number in kept,
            "drawn": number in state.drawn or number in kept,
        }
        for number, entry in state.releases.items()
    ]
    if as_json:
        print_json(rows)
        return
    from rich.table import Table

    table = Table("entry", "day", "release", "kept", box=None)
    for row in rows:
        said = "yes" if row["kept"] else "no" if row["drawn"] else "never drawn"
        table.add_row(str(row["entry"]), str(row["day"]), str(row["release"]), said)
    print_table(table)


@app.command()
def resume(
    file: File,
    out: NewFolder,
    number: Number = None,
    format: Format = None,  # noqa: A002 - the user's word
    as_json: Json = False,
) -> None:
    """Write a release that was paid for into a new folder: after a full disk, a crash, or a lost folder."""
    from entrenous.vault import Vault

    made = Vault(file).resume(number)
    made.save(out, format=format)
    if as_json:
        print_json(made.card.to_json() | {"folder": str(out)})
        return
    typer.echo(f"{out}: {made.provenance.method}, without a new charge")
    typer.echo(made.card.promise if made.guarantee is None else str(made.guarantee))
    print_remembered(made)


@app.command()
def discard(file: File, number: Annotated[int, typer.Argument(help="Its entry.", metavar="ENTRY")]) -> None:
    """Delete what is kept of a release; its charge stays, and it can no longer be resumed."""
    from entrenous.errors import VaultError
    from entrenous.vault import Vault

    vault = Vault(file)
    if number not in vault.kept:
        raise VaultError(f"no release of entry {number} is kept")
    vault.shelf.discard(number)
    typer.echo(f"entry {number} is kept no longer; its charge stays")
