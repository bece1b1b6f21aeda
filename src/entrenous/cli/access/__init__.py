"""`entrenous access`: decide together who may see a shared thing."""

from __future__ import annotations

from entrenous.cli.access.administering import app as admin
from entrenous.cli.access.deciding import compare, examples, mediate, votes
from entrenous.cli.access.file_places import files
from entrenous.cli.access.leak import leak
from entrenous.cli.access.looking_after import export, recompute, recount, seal
from entrenous.cli.access.serving import serve, work
from entrenous.cli.choices import Noun

__all__ = ["app"]

app = Noun("Decide together who may see a shared thing.")
for command in (mediate, compare, votes, examples, leak, serve, work, recompute, recount, seal, export):
    app.command()(command)
app.add_typer(admin, name="admin")
app.add_typer(files, name="files")
