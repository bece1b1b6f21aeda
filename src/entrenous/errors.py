"""Every exception entrenous raises on purpose.

::

    EntrenousError
    ├── InputError            what was handed in cannot be used
    │   ├── ArgumentError     one argument is out of its range (also a ValueError)
    │   ├── FormatError       a file or record cannot be read; knows its line
    │   ├── MissingDataError  a data file or folder is not where it should be
    │   └── MissingExtraError an optional dependency is not installed
    ├── PrivacyError          going on would break, or misstate, a promise
    │   ├── BudgetExceeded    the vault has less left than was asked for
    │   ├── Contradiction     an order contradicts what the vault holds
    │   ├── VaultError        the vault cannot be used, or not for this
    │   └── CannotCompose     two guarantees do not add up to one
    ├── DiskFull              there is no room left where something is to be written
    └── OutputExistsError     the output folder is already there

What the access service refuses (`NotFound`, `Conflict`, ...) hangs on the same tree, in `web/rules/refusals.py`.

A message says what was expected, what was got and what to do. It names places ("line 17"), never content:
a node name or a message text may be the very thing a user wants to keep confidential.
"""

from __future__ import annotations

import errno
from decimal import Decimal
from pathlib import Path

__all__ = [
    "ArgumentError",
    "BudgetExceeded",
    "CannotCompose",
    "Contradiction",
    "DiskFull",
    "EntrenousError",
    "FormatError",
    "InputError",
    "MissingDataError",
    "MissingExtraError",
    "OutputExistsError",
    "PrivacyError",
    "VaultError",
    "is_disk_full",
]


class EntrenousError(Exception):
    """The root of everything entrenous raises on purpose."""


class InputError(EntrenousError):
    """What was handed in cannot be used."""


class ArgumentError(InputError, ValueError):
    """One argument is out of its range; `argument` is its name."""

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(f"{argument}: {message}")
        self.argument = argument


class FormatError(InputError):
    """A file or record cannot be read; `line` is where (1-based), if that is known."""

    def __init__(self, message: str, *, line: int | None = None, file: str | None = None) -> None:
        where = ", ".join(part for part in (file, f"line {line}" if line is not None else None) if part)
        super().__init__(f"{where}: {message}" if where else message)
        self.line = line
        self.file = file


class MissingDataError(InputError):
    """A data file or folder is not where it should be."""


class MissingExtraError(InputError):
    """An optional dependency is not installed; `extra` names what to install."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs an optional dependency: pip install 'entrenous[{extra}]'")
        self.extra = extra


class PrivacyError(EntrenousError):
    """Going on would break, or misstate, a promise."""


class BudgetExceeded(PrivacyError):  # noqa: N818 - reads as what happened
    """The vault has less left than was asked for; nothing was charged and no noise was drawn."""

    def __init__(
        self,
        *,
        asked: Decimal,
        left: Decimal,
        parameter: str = "epsilon",
        unit: str = "edge",
        composed: float | None = None,
        own: str | None = None,
    ) -> None:
        wanted = f"{_short(asked)} was asked for"
        if own not in (None, unit):
            wanted = f"what is asked for per {own} costs that {_short(asked)}"
        exactly = "" if composed is None else f" (composed exactly, all would cost epsilon {composed:.4g})"
        super().__init__(
            f"the vault has {parameter} {_short(left)} left per {unit}, but {wanted}{exactly}; "
            "nothing was charged. Ask for less, or let the data's owner decide on a new budget"
        )
        self.asked = asked
        self.left = left
        self.parameter = parameter
        self.unit = unit


def _short(amount: Decimal) -> str:
    """Return an amount as it was written, or its first digits if it was computed."""
    text = str(amount)
    return text if len(text) <= 12 else f"{float(amount):.6g}"


class Contradiction(PrivacyError):  # noqa: N818 - reads as what happened
    """What is asked for contradicts an earlier promise or a declared fact; nothing was charged."""


class VaultError(PrivacyError):
    """The vault cannot be used, or not for this."""


class CannotCompose(PrivacyError):  # noqa: N818 - reads as what happened
    """Two guarantees do not add up to one."""


class OutputExistsError(EntrenousError):
    """The output folder is already there; nothing was overwritten."""


class DiskFull(EntrenousError):  # noqa: N818 - reads as what happened
    """There is no room left where something is to be written."""

    def __init__(self, place: Path, consequence: str) -> None:
        super().__init__(
            f"the disk that holds {place.resolve().name} is full: {consequence}. Make room and try again"
        )


def is_disk_full(problem: OSError) -> bool:
    """Tell whether there was no room left, on the disk or in the share of it one may use."""
    return problem.errno in (errno.ENOSPC, errno.EDQUOT)
