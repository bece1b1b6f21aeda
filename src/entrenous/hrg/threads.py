"""Several chains at once, on both cores, with one progress report and one way to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["side_by_side"]

Result = TypeVar("Result")


def side_by_side(
    jobs: Sequence[Callable[[Callable[[int, int], None]], Result]],
    total: int,
    progress: Callable[[int, int], object] | None,
) -> list[Result]:
    """Run chains in two threads, which the compiled chain lets run at once; an interrupt ends them all.

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
                made += done - last if done >= last else done
                last = done
                if progress is not None:
                    progress(made, total)

        return report

    with ThreadPoolExecutor(max_workers=2) as pool:
        futures = [pool.submit(job, reporter()) for job in jobs]
        try:
            return [future.result() for future in futures]
        except BaseException:
            ending.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
