"""What a page is made of: a head, and sections of pictures and tables, each with a plain explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

__all__ = ["Head", "Picture", "Ranking", "Row", "Section"]


@dataclass(frozen=True)
class Head:
    """What stands first on a page, in the place of a card.

    Attributes
    ----------
    promise
        What is promised; where nothing is, what the page is about.
    facts
        Short values by name.
    stamp
        Why this must not be published, if that is so.
    notes
        Sentences without their capital letter and full stop.
    assumptions
        What the promise rests on.
    files
        The files of a saved release, and what each of them is.
    """

    promise: str
    facts: Sequence[tuple[str, object]] = ()
    stamp: str | None = None
    notes: Sequence[str] = ()
    assumptions: Sequence[str] = ()
    files: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Picture:
    """An SVG with its heading and caption, perhaps with a sentence below; a wide one takes the whole line."""

    title: str
    caption: str
    svg: Markup
    wide: bool = False
    below: str = ""


@dataclass(frozen=True)
class Row:
    """One line of a table: a quantity, its value in each column, and what it tells."""

    name: str
    values: tuple[str, ...]
    meaning: str


@dataclass(frozen=True)
class Ranking:
    """Names with a number each, in their order; without a title where the section says it."""

    title: str
    introduction: str
    entries: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Section:
    """A heading and an introduction, then pictures (many small ones, or few), then a table, then a ranking."""

    title: str
    introduction: str
    pictures: tuple[Picture, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    ranking: Ranking | None = None
    small: bool = False
