"""Every exception entrenous raises on purpose.

::

    EntrenousError
    ├── InputError            what was handed in cannot be used
    │   ├── ArgumentError     one argument is out of its range (also a ValueError)
    │   ├── FormatError       a file or record cannot be read; knows its line
    │   ├── MissingDataError  a data file or folder is not where it should be
    │   └── MissingExtraError an optional dependency is not installed
    ├── PrivacyError          going on would break, or misstate, a promise
    │   ├── BudgetExceeded    the ledger has less left than was asked for
    │   ├── LedgerError       the ledger file cannot be used
    │   └── CannotCompose     two guarantees do not add up to one
    └── OutputExistsError     the output folder is already there

What the access service refuses (`NotFound`, `Conflict`, ...) hangs on the same tree, in `web/rules/refusals.py`.

A message says what was expected, what was got and what to do. It names places ("line 17"), never content:
a node name or a message text may be the very thing a user wants to keep confidential.
"""

from __future__ import annotations

from decimal import Decimal

__all__ = [
    "ArgumentError",
    "BudgetExceeded",
    "CannotCompose",
    "EntrenousError",
    "FormatError",
    "InputError",
    "LedgerError",
    "MissingDataError",
    "MissingExtraError",
    "OutputExistsError",
    "PrivacyError",
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
    """The ledger has less left than was asked for; nothing was charged and no noise was drawn."""

    def __init__(self, *, asked: Decimal, left: Decimal, parameter: str = "epsilon") -> None:
        super().__init__(
            f"the ledger has {parameter} {left} left, but {asked} was asked for; "
            "nothing was charged. Ask for less, or let the data's owner decide on a new ledger"
        )
        self.asked = asked
        self.left = left
        self.parameter = parameter


class LedgerError(PrivacyError):
    """The ledger file cannot be used."""


class CannotCompose(PrivacyError):  # noqa: N818 - reads as what happened
    """Two guarantees do not add up to one."""


class OutputExistsError(EntrenousError):
    """The output folder is already there; nothing was overwritten."""
