"""The audit: every mechanism with a canary and without, many times, and what that proves about its epsilon."""

from __future__ import annotations

import multiprocessing
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous._parallel import one_thread_each
from entrenous.attack import broken as broken_variants
from entrenous.attack.canaries import canary_broadcasts, canary_edges, canary_messages
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.lower_bound import BEYOND_DOUBT, CONFIDENCE, epsilon_lower_bound
from entrenous.attack.tools.setting import Setting

__all__ = ["audit", "broken_settings", "settings"]

_PIECES = 10  # parts of a setting's runs: the grain of progress, and of what processes share

Progress = Callable[[int, int], object]
#: A setting's name, whether it is a broken one, whether with the canary, the runs, and the seed.
Task = tuple[str, bool, bool, int, tuple[int, ...] | None]


def settings() -> dict[str, Setting]:
    """Return every setting of a sound mechanism, by name.

    >>> len(settings()) >= 10 and all(setting.flaw is None for setting in settings().values())
    True
    """
    return dict(_known(broken=False))


def broken_settings() -> dict[str, Setting]:
    """Return every mechanism that was broken on purpose, by name; an audit has to catch them all.

    >>> len(broken_settings()) >= 8 and all(setting.flaw for setting in broken_settings().values())
    True
    """
    return dict(_known(broken=True))


@cache
def _known(*, broken: bool) -> dict[str, Setting]:
    """Return settings by name, built once in a process."""
    sound = (canary_edges, canary_messages, canary_broadcasts)
    return {each.name: each for part in ((broken_variants,) if broken else sound) for each in part.settings()}


def audit(
    names: Iterable[str] | None = None,
    *,
    broken: bool = False,
    effort: float = 1.0,
    rng: int | None = None,
    processes: int = 1,
    progress: Progress | None = None,
) -> list[Finding]:
    """Return for each setting the epsilon that its mechanism certainly gives away.

    Parameters
    ----------
    names
        Which settings; by default all.
    broken
        Take the settings that were broken on purpose instead of the sound ones.
    effort
        How many times the runs of the short audit are made.
    rng
        None for real noise; a seed makes the audit a rehearsal that can be repeated, with any number of processes.
    processes
        How many processes share the runs.
    progress
        Called with runs made and runs in all.

    Examples
    --------
    >>> audit(["words: histogram, geometric"], effort=0.2, rng=1)[0].broken
    False

    References
    ----------
    See `entrenous.attack.tools.lower_bound`.
    """
    known = _known(broken=broken)
    asked = list(known) if names is None else list(names)
    for name in asked:
        _check.one_of("names", name, known)
    _check.epsilon("effort", effort)
    chosen = [known[name] for name in asked]
    plan = [(each, max(2 * _PIECES, round(effort * each.short))) for each in chosen]
    tasks = [task for each, trials in plan for task in _tasks(each, trials, broken, rng)]
    scores = _gather(tasks, _check.at_least("processes", processes, 1), progress)
    return [_finding(each, scores[each.name, True], scores[each.name, False]) for each in chosen]


def _tasks(setting: Setting, trials: int, broken: bool, rng: int | None) -> Iterator[Task]:
    """Cut the runs of a setting into pieces, each with a seed of its own."""
    for canary in (True, False):
        for piece in range(_PIECES):
            runs = trials * (piece + 1) // _PIECES - trials * piece // _PIECES
            seed = None if rng is None else (rng, zlib.crc32(setting.name.encode()), canary, piece)
            yield setting.name, broken, canary, runs, seed


def _gather(
    tasks: list[Task], processes: int, progress: Progress | None
) -> dict[tuple[str, bool], NDArray[np.float64]]:
    """Make all runs, in this process or in others, and return the scores of each setting and world."""
    parts: dict[tuple[str, bool], list[NDArray[np.float64]]] = {}
    done, total = 0, sum(task[3] for task in tasks)
    with one_thread_each():
        pool = multiprocessing.get_context("spawn").Pool(processes) if processes > 1 else None
    try:
        for task, scores in zip(tasks, (pool.imap if pool else map)(_play, tasks), strict=True):
            parts.setdefault(task[:1] + task[2:3], []).append(scores)
            done += task[3]
            if progress is not None:
                progress(done, total)
    finally:
        if pool is not None:
            pool.terminate()
    return {key: np.concatenate(found) for key, found in parts.items()}


def _play(task: Task) -> NDArray[np.float64]:
    """Make the runs of one task; settings hold functions that cannot travel, so processes look them up by name."""
    name, broken, canary, runs, seed = task
    setting = _known(broken=broken)[name]
    rng = None if seed is None else np.random.default_rng(seed)
    return np.array([setting.play(canary, rng) for _ in range(runs)], dtype=np.float64)


def _finding(setting: Setting, canary: NDArray[np.float64], plain: NDArray[np.float64]) -> Finding:
    bounds = [
        epsilon_lower_bound(canary, plain, delta=setting.delta, confidence=confidence)
        for confidence in (CONFIDENCE, BEYOND_DOUBT)
    ]
    likelier, other = (hits / trials for hits, trials in zip(bounds[0].hits, bounds[0].trials, strict=True))
    return Finding(
        mechanism=setting.name,
        unit=str(setting.unit),
        attack=setting.attack,
        stated=setting.epsilon,
        measured=bounds[0].epsilon,
        confidence=CONFIDENCE,
        trials=len(canary) + len(plain),
        delta=setting.delta,
        details={"likelier": likelier, "other": other},
        beyond_doubt=bounds[1].epsilon,
    )
