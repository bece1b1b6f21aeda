"""Use what a network knows without betraying what passes between its members.

The names a user types first. Capabilities (`network`, `access`, ...) load on first use, so that
``import entrenous`` stays quick and pulls in no compiler.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from entrenous.graph import Graph
    from entrenous.guarantee import Guarantee
    from entrenous.page import Report
    from entrenous.release import Release
    from entrenous.vault import Budget, Vault

__version__ = "0.2.0.dev0"

_FIRST_NAMES = {
    "Budget": "entrenous.vault",
    "Graph": "entrenous.graph",
    "Guarantee": "entrenous.guarantee",
    "Release": "entrenous.release",
    "Report": "entrenous.page",
    "Vault": "entrenous.vault",
}
CAPABILITIES = ("access", "attack", "datasets", "links", "network", "words")

__all__ = ["Budget", "Graph", "Guarantee", "Release", "Report", "Vault", "__version__", *CAPABILITIES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _FIRST_NAMES:
        return getattr(importlib.import_module(_FIRST_NAMES[name]), name)
    if name in CAPABILITIES:
        return importlib.import_module(f"entrenous.{name}")
    raise AttributeError(f"module 'entrenous' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
