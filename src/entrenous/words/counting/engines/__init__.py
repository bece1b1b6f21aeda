"""Where counting runs: DuckDB, embedded, or Apache Spark, on many machines.

The modules here are the doors of both. An engine only counts: noise is drawn elsewhere, on the driver, so that no
engine can change a guarantee.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

from entrenous.words.counting.engines.duckdb import DuckDB

__all__ = ["DuckDB", "Engine", "Lasting"]

# Kept with the corpus, until it is closed, or worked out when asked for.
Lasting = Literal["table", "temporary", "view"]


class Engine(Protocol):
    """What reading and counting ask of an engine; statements are in DuckDB's SQL and use our own names alone."""

    # How many occurrences of n-grams are counted at once; None: the engine sees to that itself.
    slices: int | None

    @property
    def address(self) -> Any:
        """The arrow type by which messages name addresses."""

    def rows(self, statement: str, *values: Any) -> list[Any]:
        """Run one statement of SQL and return the rows it answers with."""

    def number(self, statement: str) -> int:
        """Run a query that answers with one whole number, and return it."""

    def has(self, name: str) -> bool:
        """Tell whether the corpus has a table of this name."""

    def take(self, name: str, rows: Any, lasting: Lasting = "temporary") -> None:
        """Make a table of the rows of an arrow table."""

    def make(self, name: str, query: str, lasting: Lasting = "table") -> None:
        """Make a table of what a query answers with."""

    def transaction(self) -> AbstractContextManager[None]:
        """Do all that is done inside, or nothing of it."""

    def tokens(self, n: int) -> Any:
        """Return the words of all texts, each with the n - 1 words that follow it, as an ibis table."""

    def keep(self, name: str, expression: Any) -> Any:
        """Work out an ibis expression, keep its rows until they are dropped and return them as a table."""

    def parted(self, name: str, expression: Any) -> dict[int, Any]:
        """Work out an ibis expression once, share its rows out by their `part` and return a table for each part."""

    def drop(self, names: list[str]) -> None:
        """Let go of what was kept."""

    def batches(self, expression: Any) -> Iterator[Any]:
        """Return the result of an ibis expression as arrow batches, made as they are asked for."""

    def close(self) -> None:
        """Let go of everything."""
