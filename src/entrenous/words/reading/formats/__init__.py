"""What holds messages besides plain mail and tables: every `Kind` that a module here defines, named nowhere else."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from entrenous.words.reading.formats.kind import Kind

__all__ = ["KINDS", "kind_of"]


def _kinds() -> tuple[Kind, ...]:
    """Return the kinds that modules of this folder define, by name."""
    found = [
        each
        for module in iter_modules(__path__)
        for each in vars(import_module(f"{__name__}.{module.name}")).values()
        if isinstance(each, Kind)
    ]
    return tuple(sorted(found, key=lambda each: each.name))


KINDS = _kinds()
"""The kinds in the order of their names."""


def kind_of(path: str, head: bytes) -> Kind | None:
    """Return the kind of a file by its path and its first bytes; None if it is none of these.

    >>> kind_of("archive/old.pst", b"!BDN").name
    'pst'
    """
    return next((each for each in KINDS if each.recognises(path, head)), None)
