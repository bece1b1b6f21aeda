"""What stands on a page below the card: pictures and tables, each with a plain explanation."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

__all__ = ["Picture", "Row", "Section"]


@dataclass(frozen=True)
class Picture:
    """An SVG with its heading and caption; a wide one takes the whole line."""

    title: str
    caption: str
    svg: Markup
    wide: bool = False


@dataclass(frozen=True)
class Row:
    """One line of a table: a quantity, its value in each column, and what it tells."""

    name: str
    values: tuple[str, ...]
    meaning: str


@dataclass(frozen=True)
class Section:
    """A heading and an introduction, then pictures, then a table, then names with a number each."""

    title: str
    introduction: str
    pictures: tuple[Picture, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    names: tuple[tuple[str, int], ...] = ()
