"""Options whose values are the names in a registry.

A registry belongs to the capability that offers the choice. The command line types none of its names: it loads the
registry when a value is to be checked or help is to be shown, so that everything else starts at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

__all__ = ["REGISTRIES", "Format", "Method", "Noun", "chosen", "names", "several"]


def _part(name: str) -> Any:
    return import_module(f"entrenous.{name}")


#: What loads the names, or the objects of these names, that an option accepts.
REGISTRIES: Mapping[str, Callable[[], Iterable[object]]] = {
    "engine": lambda: _part("words.corpus").ENGINES,
    "format": lambda: _part("graph.formats").PUBLISHABLE,
    "links method": lambda: _part("links.trade_off").MECHANISMS,
    "method": lambda: _part("network").MECHANISMS,
    "noise": lambda: _part("price").MECHANISMS,
    "unit": lambda: _part("unit").Unit.all(),  # noqa: PLW0108 - loaded when asked for
    "utility": lambda: _part("network.release").UTILITIES,
    "weighting": lambda: _part("words.vocabulary").WEIGHTINGS,
    "words unit": lambda: _part("words.counting.holder").HOLDERS,
}


def names(registry: str) -> tuple[str, ...]:
    """Return the names in a registry, which is loaded now.

    >>> names("utility")
    ('clipped', 'published')
    """
    return tuple(str(each) for each in REGISTRIES[registry]())


def chosen(registry: str, text: str, *flags: str) -> Any:
    """Return an option that takes one name of a registry; help shows `text`, and the names."""

    def parse(value: str) -> str:
        return _checked(value, names(registry))

    return typer.Option(*flags, parser=parse, metavar="NAME", help=f"{text}: {{{registry}}}.")


def several(registry: str, text: str) -> Any:
    """Return an option that takes several names of a registry with commas between, as one text."""

    def parse(value: str) -> str:
        known = names(registry)
        return ",".join(_checked(name.strip(), known) for name in value.split(","))

    return typer.Option(
        parser=parse, metavar="NAMES", help=f"{text}, with commas between: {{{registry}}}. (default: all)"
    )


def _checked(value: str, known: Collection[str]) -> str:
    if value not in known:
        raise typer.BadParameter(f"expected one of {', '.join(known)}; got another word")
    return value


class _Command(TyperCommand):
    """A command that writes the names of a registry into its help when help is asked for."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        for parameter in self.params:
            text = getattr(parameter, "help", None)
            if text:
                parameter.help = re.sub(r"\{([a-z ]+)\}", _listed, text)  # type: ignore[attr-defined]  # options have help
        super().format_help(ctx, formatter)


def _listed(found: re.Match[str]) -> str:
    return ", ".join(names(found[1]))


class Noun(typer.Typer):
    """The commands about one noun."""

    def __init__(self, help: str) -> None:  # noqa: A002 - typer's word
        super().__init__(help=help, no_args_is_help=True)

    def command(self, *given: Any, **options: Any) -> Callable[[Any], Any]:
        """Return a decorator that adds a command, as typer's own does."""
        return super().command(*given, cls=_Command, **options)


Method = Annotated[str, chosen("method", "The mechanism; docs/network.md compares them")]
Format = Annotated[str | None, chosen("format", "The format of the released graph")]
