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

__all__ = ["REGISTRIES", "Format", "Method", "Noun", "chosen", "described", "names", "several"]


def _part(name: str) -> Any:
    return import_module(f"entrenous.{name}")


def _bare(names: Iterable[object]) -> dict[str, str]:
    return {str(name): "" for name in names}


#: What loads the names that an option accepts, and what help says of each; nothing where the name says all.
REGISTRIES: Mapping[str, Callable[[], Mapping[str, str]]] = {
    "engine": lambda: _bare(_part("words.corpus").ENGINES),
    "fact": lambda: {each.name: each.says for each in _part("vault").FACTS.values()},
    "format": lambda: _bare(_part("graph.formats").PUBLISHABLE),
    "graph format": lambda: _bare(_part("graph.formats").FORMATS),
    "links method": lambda: _bare(_part("links.trade_off").METHODS),
    "measured belief": lambda: {
        name: each.label for name, each in _part("words.beliefs").BELIEFS.items() if each.measurable
    },
    "method": lambda: {each.name: each.summary for each in _part("network").MECHANISMS.values()},
    "noise": lambda: _bare(_part("price").NOISES),
    "unit": lambda: {
        each.name: each.change.format(size="so many").rstrip(",") for each in _part("unit").Unit.all()
    },
    "utility": lambda: _bare(_part("network.release").UTILITIES),
    "weighting": lambda: {name: each.label for name, each in _part("words.vocabulary").WEIGHTINGS.items()},
    "words unit": lambda: {
        name: each.unit.change.rstrip(",") for name, each in _part("words.counting.holder").HOLDERS.items()
    },
}


def names(registry: str) -> tuple[str, ...]:
    """Return the names in a registry, which is loaded now.

    >>> names("utility")
    ('clipped', 'published')
    """
    return tuple(REGISTRIES[registry]())


def described(registry: str) -> str:
    """Return the names in a registry with what is said of them, as they follow a text of help.

    >>> described("utility")
    ': clipped, published.'
    """
    texts = REGISTRIES[registry]()
    if not any(texts.values()):
        return f": {', '.join(texts)}."
    return f". {'; '.join(f'{name}: {text}' for name, text in texts.items())}."


def chosen(registry: str, text: str, *flags: str) -> Any:
    """Return an option that takes one name of a registry; help shows `text`, and the names."""

    def parse(value: str) -> str:
        return _checked(value, names(registry))

    return typer.Option(*flags, parser=parse, metavar="NAME", help=f"{text}{{{registry}}}")


def several(registry: str, text: str) -> Any:
    """Return an option that takes several names of a registry with commas between, as one text."""

    def parse(value: str) -> str:
        known = names(registry)
        return ",".join(_checked(name.strip(), known) for name in value.split(","))

    return typer.Option(
        parser=parse, metavar="NAMES", help=f"{text}, with commas between (default: all){{{registry}}}"
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
    return described(found[1])


class Noun(typer.Typer):
    """The commands about one noun."""

    def __init__(self, help: str) -> None:  # noqa: A002 - typer's word
        super().__init__(help=help, no_args_is_help=True)

    def command(self, *given: Any, **options: Any) -> Callable[[Any], Any]:
        """Return a decorator that adds a command, as typer's own does."""
        return super().command(*given, cls=_Command, **options)


Method = Annotated[str, chosen("method", "The mechanism; docs/network.md compares them")]
Format = Annotated[str | None, chosen("format", "The format of the released graph")]
