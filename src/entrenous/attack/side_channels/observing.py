"""What somebody beside a release could see of it: time, memory, random numbers drawn, and the sizes of its files.

Numbers that are drawn do not depend on the machine, and repeat exactly: they show where a mechanism works more in one
world than in the other, long before a clock does. They are counted in `Noise`, whoever makes one.
"""

from __future__ import annotations

import gc
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from entrenous.desk import Desk
from entrenous.noise import REHEARSAL, Noise
from entrenous.release import Release, artifact_of

__all__ = ["Spent", "counting", "file_sizes", "old_garbage_aside", "peak_memory", "spent_on"]

_CLASSES = RLock()  # they are changed for a while, so only one count at a time


@dataclass
class Spent:
    """What one release took.

    Attributes
    ----------
    numbers
        How many noisy numbers were drawn, geometric and Gaussian.
    words
        How many random 64-bit words were drawn.
    cpu
        Nanoseconds of all cores.
    at_desk
        Nanoseconds of these inside questions to a desk: where private data is looked at.
    """

    numbers: int = 0
    words: int = 0
    cpu: int = 0
    at_desk: int = 0


@contextmanager
def counting() -> Iterator[Spent]:
    """Count what is drawn by any `Noise`, and time any desk, inside.

    >>> with counting() as spent:
    ...     drawn = Noise(7).geometric(np.zeros(3, np.int64), sensitivity=1, epsilon=1.0)
    >>> spent.numbers, spent.words
    (3, 0)
    """
    spent = Spent()
    with _CLASSES:
        before = [
            (owner, name, vars(owner)[name])
            for owner, name in (
                (Noise, "geometric"),
                (Noise, "gaussian"),
                (Noise, "words"),
                (Desk, "__call__"),
            )
        ]
        try:
            for owner, name, method in before:
                setattr(owner, name, _watched(name, method, spent))
            yield spent
        finally:
            for owner, name, method in before:
                setattr(owner, name, method)


def _watched(name: str, method: Callable[..., Any], spent: Spent) -> Callable[..., Any]:
    """Return a method that also counts."""

    def numbers(self: Noise, values: Any, **given: Any) -> Any:
        spent.numbers += np.size(values)
        return method(self, values, **given)

    def words(self: Noise, count: int) -> Any:
        spent.words += count
        return method(self, count)

    def asked(self: Desk[Any], statistic: Any) -> Any:
        start = time.process_time_ns()
        try:
            return method(self, statistic)
        finally:
            spent.at_desk += time.process_time_ns() - start

    watching: dict[str, Callable[..., Any]] = {"words": words, "__call__": asked}
    return watching.get(name, numbers)


@contextmanager
def old_garbage_aside() -> Iterator[None]:
    """Let the garbage collector look at nothing that was there before, which takes a third of a second each time."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def spent_on(release: Callable[[], Release[Any]]) -> tuple[Release[Any], Spent]:
    """Return what is released, and what that took; what earlier runs left to collect is collected before."""
    gc.collect()
    with counting() as spent:
        start = time.process_time_ns()
        made = release()
        spent.cpu = time.process_time_ns() - start
    return made, spent


def peak_memory(release: Callable[[], Release[Any]]) -> int:
    """Return the most bytes that Python and numpy held at once for a release, by tracemalloc; it slows runs down."""
    gc.collect()
    tracemalloc.start()
    try:
        start = tracemalloc.get_traced_memory()[0]
        release()
        return tracemalloc.get_traced_memory()[1] - start
    finally:
        tracemalloc.stop()


def file_sizes(made: Release[Any]) -> dict[str, int]:
    """Return the bytes of each file that `Release.save` writes, by name; nothing waits for the disk."""
    stamp = REHEARSAL if made.provenance.rehearsal else None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = artifact_of(made.artifact, made.provenance.method).write(made.artifact, folder, None, stamp)
        made.card.write(folder, files)
        return {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
