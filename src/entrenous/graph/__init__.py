"""The material everything is made of: immutable undirected graphs, read, written and measured.

Importing this package loads numpy alone; readers, conversions and measures load on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from entrenous.graph.structure import Graph

if TYPE_CHECKING:
    from entrenous.graph.measures.comparison import compare
    from entrenous.graph.measures.summary import measure

__all__ = ["Graph", "compare", "measure"]

_HOMES = {
    "compare": "measures.comparison",
    "measure": "measures.summary",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
