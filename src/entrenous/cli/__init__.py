"""The command line: `entrenous NOUN VERB INPUT --options`, one file per noun.

Nothing heavy is imported before a command runs, so that help is instant.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from entrenous import __version__
from entrenous.cli import access, attack, budget, datasets, links, network, release, report, words
from entrenous.errors import EntrenousError

__all__ = ["app", "main"]


class _OneLineErrors(TyperGroup):
    """Our own errors are one line on standard error and exit code 1; a wrong call is 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except EntrenousError as problem:
            typer.echo(f"entrenous: {' '.join(str(problem).split())}", err=True)
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            typer.echo(
                "entrenous: interrupted; what was saved is complete, and a charge, once made, stays", err=True
            )
            raise typer.Exit(130) from None


app = typer.Typer(
    cls=_OneLineErrors,
    help="Use what a network knows without betraying what passes between its members.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(network.app, name="network")
app.add_typer(links.app, name="links")
app.add_typer(words.app, name="words")
app.add_typer(access.app, name="access")
app.add_typer(attack.app, name="attack")
app.add_typer(budget.app, name="budget")
app.add_typer(release.app, name="release")
app.add_typer(datasets.app, name="datasets")
app.command(name="report")(report.report)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"entrenous {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    app()
