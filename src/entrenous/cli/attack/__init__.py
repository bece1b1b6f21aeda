"""`entrenous attack`: try to break the promises, and show how far that gets."""

from __future__ import annotations

from entrenous.cli.attack.disclose import words
from entrenous.cli.attack.infer import links, network
from entrenous.cli.attack.manipulate import access
from entrenous.cli.attack.plant import release
from entrenous.cli.attack.run_audit import audit
from entrenous.cli.choices import Noun

__all__ = ["app"]

app = Noun("Try to break the promises, and show how far an attacker gets.")
app.command()(network)
app.command()(links)
app.command()(words)
app.command()(access)
app.command()(release)
app.command()(audit)
