"""A page of a list: where it begins, how long it is, and how to go on in both directions.

A list goes onward from its first row; a position is what its order compares. A page ends at a row that is on it, so
that where it ended tells nothing that the page itself does not tell. It is full unless it is the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

__all__ = ["FIRST", "Fetch", "Listed", "Position", "Window", "cut"]

Position = Sequence[Any]
"""What the order of a list compares, ready for JSON."""

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Window:
    """Where a page begins: behind a position, in front of one, or at the first row."""

    behind: Position | None = None
    in_front: Position | None = None


FIRST = Window()


class Listed(tuple[T_co, ...]):
    """The rows of a page; `onward` and `back` are the positions the pages beside it begin from, None at an end."""

    onward: Position | None
    back: Position | None

    def __new__(
        cls, rows: Iterable[T_co], onward: Position | None = None, back: Position | None = None
    ) -> Listed[T_co]:
        """Return rows that know how to go on."""
        made = super().__new__(cls, tuple(rows))
        made.onward, made.back = onward, back
        return made


class Fetch(Protocol[T_co]):
    """How rows of a list are fetched: so many from an edge, away from the first row or back towards it."""

    def __call__(self, edge: Position | None, count: int, *, back: bool) -> Sequence[T_co]:
        """Return rows in the order in which they are met."""
        ...


def cut(fetch: Fetch[T], place: Callable[[Any], Position], window: Window, limit: int) -> Listed[T]:
    """Return the page of a list that a window begins."""
    if window.in_front is not None:
        rows = fetch(window.in_front, limit + 1, back=True)
        if len(rows) > limit:
            rows = rows[:limit][::-1]
            return Listed(rows, place(rows[-1]), place(rows[0]))
        window = FIRST  # less than a page lies in front: that is the first page
    rows = fetch(window.behind, limit + 1, back=False)
    page = rows[:limit]
    onward = place(page[-1]) if len(rows) > limit else None
    return Listed(page, onward, place(page[0]) if page and window.behind is not None else None)
