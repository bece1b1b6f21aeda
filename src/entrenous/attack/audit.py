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
from entrenous.attack.canaries import canary_edges, canary_messages, planted_mail
from entrenous.attack.tools.evidence import Evidence
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.lower_bound import CONFIDENCE
from entrenous.attack.tools.setting import Setting

__all__ = ["audit_settings", "broken_settings", "settings"]

_PIECES = (
    10  # parts of a setting's runs, after each of which its promise may be refuted and the rest be saved
)

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
    sound = (canary_edges, canary_messages, planted_mail)
    return {each.name: each for part in ((broken_variants,) if broken else sound) for each in part.settings()}


def audit_settings(
    names: Iterable[str] | None = None,
    *,
    broken: bool = False,
    effort: float = 1.0,
    rng: int | None = None,
    processes: int = 1,
    progress: Progress | None = None,
) -> list[Finding]:
    """Return for each setting the epsilon that its mechanism certainly gives away.

    A setting is run in parts and ends once its promise is refuted beyond doubt; otherwise all planned runs are made.
    Whatever the mechanisms do, a sound one is called broken with a probability of at most one in two thousand, any of a
    hundred sound ones with at most one in twenty.

    Parameters
    ----------
    names
        Which settings; by default all.
    broken
        Take the settings that were broken on purpose instead of the sound ones.
    effort
        How many times the runs of the short audit are planned.
    rng
        None for real noise; a seed makes the audit a rehearsal that can be repeated, with any number of processes.
    processes
        How many processes share the runs.
    progress
        Called with runs made and runs in all; these become fewer where a setting ends early.

    Examples
    --------
    >>> audit_settings(["words: histogram, geometric"], effort=0.2, rng=1)[0].broken
    False

    References
    ----------
    See `entrenous.attack.tools.lower_bound` and `entrenous.attack.tools.betting`.
    """
    known = _known(broken=broken)
    asked = list(dict.fromkeys(known if names is None else names))
    for name in asked:
        _check.one_of("names", name, known)
    _check.epsilon("effort", effort)
    courses = [
        _Course(each, max(2 * _PIECES, round(effort * each.short)))
        for each in (known[name] for name in asked)
    ]
    _run(courses, broken, rng, _check.at_least("processes", processes, 1), progress)
    return [course.finding() for course in courses]


class _Course:
    """The runs of one setting: how many are planned, what they said so far, and whether that is enough."""

    def __init__(self, setting: Setting, planned: int) -> None:
        self.setting, self.planned = setting, planned
        self.evidence = Evidence(setting.epsilon, setting.delta)
        self.refuted = False

    @property
    def runs(self) -> int:
        """Runs of both worlds so far."""
        return len(self.evidence.canary) + len(self.evidence.plain)

    @property
    def goal(self) -> int:
        """Runs of both worlds that there will be, as far as is known."""
        return self.runs if self.refuted else 2 * self.planned

    def tasks(self, piece: int, broken: bool, rng: int | None) -> Iterator[Task]:
        """Return what is to be run for one part: as often with the canary as without, each with a seed of its own."""
        runs = self.planned * (piece + 1) // _PIECES - self.planned * piece // _PIECES
        for canary in (True, False):
            seed = None if rng is None else (rng, zlib.crc32(self.setting.name.encode()), canary, piece)
            yield self.setting.name, broken, canary, runs, seed

    def finding(self) -> Finding:
        """Return what the runs show."""
        setting, evidence = self.setting, self.evidence
        bounds = evidence.bounds(complete=self.runs == 2 * self.planned)
        return Finding(
            mechanism=setting.name,
            unit=str(setting.unit),
            attack=setting.attack,
            stated=setting.epsilon,
            measured=bounds.shown,
            confidence=CONFIDENCE,
            trials=self.runs,
            delta=setting.delta,
            details={
                "likelier": bounds.likelier,
                "other": bounds.other,
                "planned": 2 * self.planned,
            },
            beyond_doubt=bounds.beyond_doubt,
        )


def _run(
    courses: list[_Course], broken: bool, rng: int | None, processes: int, progress: Progress | None
) -> None:
    """Make all runs, in this process or in others, part by part, and end settings that are refuted."""

    def tell(more: int = 0) -> None:
        if progress is not None:
            progress(sum(course.runs for course in courses) + more, sum(course.goal for course in courses))

    with one_thread_each():
        pool = multiprocessing.get_context("spawn").Pool(processes) if processes > 1 else None
    try:
        for piece in range(_PIECES):
            going = [course for course in courses if not course.refuted]
            tasks = [task for course in going for task in course.tasks(piece, broken, rng)]
            scores, made = [], 0
            for found in (pool.imap if pool else map)(_play, tasks):
                scores.append(found)
                made += len(found)
                tell(made)
            for place, course in enumerate(going):
                course.evidence.add(scores[2 * place], scores[2 * place + 1])
                course.refuted = course.evidence.refuted
            tell()
    finally:
        if pool is not None:
            pool.terminate()


def _play(task: Task) -> NDArray[np.float64]:
    """Make the runs of one task; settings hold functions that cannot travel, so processes look them up by name."""
    name, broken, canary, runs, seed = task
    setting = _known(broken=broken)[name]
    rng = None if seed is None else np.random.default_rng(seed)
    return np.array([setting.play(canary, rng) for _ in range(runs)], dtype=np.float64)
