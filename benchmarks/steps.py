"""Growth: a step in a process of its own, with its time and peak of memory, and the exponent of a curve."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

__all__ = ["exponent", "measured", "slope"]

Work = Callable[..., dict[str, Any]]


def measured(work: Work, *arguments: Any, warm: Callable[[], object] | None = None) -> dict[str, Any]:
    """Run a function in a process of its own; return its figures, seconds, processor seconds and peak of memory.

    Parameters
    ----------
    work
        A function of a module, which returns figures by name.
    arguments
        What it is called with.
    warm
        Called before the clock starts: imports, compiled code.
    """
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(_timed, work, arguments, warm).result()


def _timed(work: Work, arguments: tuple[Any, ...], warm: Callable[[], object] | None) -> dict[str, Any]:
    if warm is not None:
        warm()
    before, wall, processor = _peak(), time.perf_counter(), _processor_seconds()
    figures = work(*arguments)
    return figures | {
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": _processor_seconds() - processor,
        "peak_mb": _peak(),
        "peak_before_mb": before,
    }


def _processor_seconds() -> float:
    """Return the processor time of this process and of those it started and has seen end."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(times.ru_utime + times.ru_stime for times in used)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the power of the size that a quantity grows with: the slope of the line through the logarithms."""
    return slope(np.log(sizes), np.log(values))


def slope(sizes: Any, values: Any) -> float:
    """Return the slope of the straight line of least squares."""
    return float(np.polyfit(np.asarray(sizes, float), np.asarray(values, float), 1)[0])
