"""One-line argument checks: each names the argument, says what was expected and returns the clean value.

The messages quote numbers of the call, never content of the data.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from numbers import Real
from operator import index

from entrenous.errors import ArgumentError

__all__ = ["at_least", "epsilon", "one_of", "probability", "shares"]


def epsilon(argument: str, value: object) -> float:
    """Return a privacy parameter: a finite number above 0.

    >>> epsilon("epsilon", 1)
    1.0
    >>> epsilon("epsilon", 0)
    Traceback (most recent call last):
    entrenous.errors.ArgumentError: epsilon: expected a finite number above 0; got 0
    """
    number = _number(value)
    if not 0 < number < math.inf:
        raise ArgumentError(argument, f"expected a finite number above 0; got {value!r}")
    return number


def probability(argument: str, value: object, *, positive: bool = False) -> float:
    """Return a number from 0 to below 1, above 0 if `positive`."""
    number = _number(value)
    if not 0 <= number < 1 or (positive and not number):
        least = "above" if positive else "from"
        raise ArgumentError(argument, f"expected a number {least} 0 and below 1; got {value!r}")
    return number


def at_least(argument: str, value: object, least: int) -> int:
    """Return a whole number not below `least`."""
    try:
        number = math.nan if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = math.nan
    if not number >= least:
        raise ArgumentError(argument, f"expected a whole number, {least} or more; got {value!r}")
    return int(number)


def one_of(argument: str, value: object, choices: Collection[str]) -> str:
    """Return `value` if it is one of the named choices."""
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError(argument, f"expected one of {', '.join(sorted(choices))}; got {value!r}")
    return value


def shares(argument: str, value: object, names: Sequence[str]) -> tuple[float, ...]:
    """Return shares of a budget, one per name, each 0 or more, together 1.

    >>> shares("shares", (0.5, 0.1, 0.4), ("structure", "counts", "degrees"))
    (0.5, 0.1, 0.4)
    """
    numbers = [_number(part) for part in value] if isinstance(value, Iterable) else []
    total = math.fsum(numbers)
    if len(numbers) != len(names) or not all(number >= 0 for number in numbers) or not abs(total - 1) <= 1e-9:
        raise ArgumentError(
            argument,
            f"expected {len(names)} shares ({', '.join(names)}), 0 or more, together 1; got {value!r}",
        )
    return tuple(number / total for number in numbers)


def _number(value: object) -> float:
    """Return a real number as a float, or nan for anything else."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf
