"""How many threads and how much memory to use, and how compiled loops share them.

Two variables of the environment overrule what the machine offers: `ENTRENOUS_THREADS`, a whole number, and
`ENTRENOUS_MEMORY`, an amount such as 3GB. Neither changes a result: work that draws is cut into parts that do not
depend on the number of threads, each with a generator of its own; other work adds up whole numbers, however it is cut;
and results come back in the order of the parts.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from entrenous.errors import ArgumentError

__all__ = ["map_in_threads", "memory", "one_thread_each", "run_with_progress", "shares_for", "threads"]

_THREADS, _MEMORY = "ENTRENOUS_THREADS", "ENTRENOUS_MEMORY"
# Java's own default: it leaves room for a second command, the cache of files and what engines do not count.
_SHARE_OF_MEMORY = 4
_LEAST_MEMORY = 10**8  # less is more likely a slip of the unit than meant
_WORTH_THREADS = 100_000  # steps of a loop that take longer than threads to start
_UNITS = {
    unit + suffix: base**power
    for power, unit in enumerate("KMGT", start=1)
    for suffix, base in (("B", 1000), ("IB", 1024))
}
_CGROUPS = Path("/sys/fs/cgroup")

Part = TypeVar("Part")
Result = TypeVar("Result")


def threads() -> int:
    """Return how many threads, or processes, may compute at once.

    That is how many cores this process may run on, unless ENTRENOUS_THREADS says otherwise.
    """
    given = os.environ.get(_THREADS)
    if given is None:
        # What taskset, a batch system or a container left to this process, which may be less than the machine has.
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not (given.isascii() and given.isdecimal() and int(given)):
        raise ArgumentError(
            _THREADS, f"expected a whole number, 1 or more; got {given!r}; unset it to use all cores"
        )
    return int(given)


def memory() -> int:
    """Return how many bytes an engine may fill before it spills to disk.

    That is a quarter of what the machine has, or the control group of this process if it has less, unless
    ENTRENOUS_MEMORY says otherwise.
    """
    given = os.environ.get(_MEMORY)
    if given is None:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return min([machine, *_group_limits()]) // _SHARE_OF_MEMORY
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]I?B)", given.strip().upper(), re.ASCII)
    amount = int(float(found[1]) * _UNITS[found[2]]) if found else 0
    if amount < _LEAST_MEMORY:
        raise ArgumentError(
            _MEMORY,
            f"expected an amount such as 3GB or 800MB, 100MB or more; got {given!r}; "
            "unset it to use a quarter of the machine's memory",
        )
    return amount


def shares_for(steps: int) -> int:
    """Return in how many shares to cut a loop whose result does not depend on how it is cut."""
    return threads() if steps >= _WORTH_THREADS else 1


def map_in_threads(work: Callable[[Part], Result], parts: Sequence[Part]) -> Iterator[Result]:
    """Yield the results of all parts in their order; compiled loops hold no lock, so they run at once.

    >>> list(map_in_threads(abs, [-2, 1]))
    [2, 1]
    """
    count = min(threads(), len(parts))
    if count < 2:
        yield from map(work, parts)
        return
    with ThreadPoolExecutor(count) as pool:
        yield from pool.map(work, parts)


def run_with_progress(
    jobs: Sequence[Callable[[Callable[[int, int], None]], Result]],
    total: int,
    progress: Callable[[int, int], object] | None,
) -> list[Result]:
    """Run long jobs in threads with one report of progress for all; an interrupt ends them all.

    Parameters
    ----------
    jobs
        What to run; each is called with a function to report its steps to, steps made and steps in all.
    total
        The steps of all jobs together.
    progress
        Called with the steps that all jobs have made, and `total`.
    """
    ending = threading.Event()
    lock = threading.Lock()
    made = 0

    def reporter() -> Callable[[int, int], None]:
        last = 0

        def report(done: int, _: int) -> None:
            nonlocal last, made
            if ending.is_set():
                raise KeyboardInterrupt
            with lock:
                # A job of several stages counts each from nought.
                made += done - last if done >= last else done
                last = done
                if progress is not None:
                    progress(made, total)

        return report

    with ThreadPoolExecutor(threads()) as pool:
        futures = [pool.submit(job, reporter()) for job in jobs]
        try:
            return [future.result() for future in futures]
        except BaseException:
            ending.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Let processes that are started inside use one thread each, ours and those of linear algebra."""
    names = (_THREADS, "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _group_limits() -> Iterator[int]:
    """Yield the limits of memory of the control groups that hold this process, of either version; elsewhere none."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers not in ("", "memory"):
            continue
        base, name = _CGROUPS / controllers, "memory.limit_in_bytes" if controllers else "memory.max"
        place = base / path.lstrip("/")
        # A limit further up binds as well; inside a container the groups above, and perhaps its own, are not shown.
        for group in (place, *place.parents):
            if not group.is_relative_to(base):
                break
            try:
                yield int((group / name).read_text(encoding="ascii"))
            except (OSError, ValueError):  # not shown, or "max"
                continue
