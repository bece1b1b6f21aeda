"""Tell what a file holds that an attack was given: a graph, or mail."""

from __future__ import annotations

from pathlib import Path

__all__ = ["holds_corpus"]

_MAGIC = slice(8, 12)  # where a DuckDB file, which a corpus is kept in, says what it is


def holds_corpus(path: Path) -> bool:
    """Tell whether a file is a corpus that `words read` wrote; whatever else is there is read as a graph."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(_MAGIC.stop)[_MAGIC] == b"DUCK"
