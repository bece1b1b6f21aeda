"""Compiled loops on both cores: they let go of the interpreter's lock, so threads run at once.

Work that draws is cut into parts that do not depend on the number of threads, each with its own generator; other work
adds up whole numbers, however it is cut; and results come back in the order of the parts. So a measure is the same on
one core and on many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["THREADS", "shares_for", "side_by_side"]

THREADS = 2
_WORTH_THREADS = 100_000  # steps of a loop that take longer than threads to start

Part = TypeVar("Part")
Result = TypeVar("Result")


def shares_for(steps: int) -> int:
    """Return in how many shares to cut a loop whose result does not depend on how it is cut."""
    return THREADS if steps >= _WORTH_THREADS else 1


def side_by_side(work: Callable[[Part], Result], parts: Sequence[Part]) -> Iterator[Result]:
    """Yield the results of all parts in their order, two of them at work at a time.

    >>> list(side_by_side(abs, [-2, 1]))
    [2, 1]
    """
    if len(parts) < 2:
        yield from map(work, parts)
        return
    with ThreadPoolExecutor(THREADS) as pool:
        yield from pool.map(work, parts)
