"""How far time, memory, random numbers and file sizes of a release tell two neighbouring inputs apart.

A promise is about what is published. The sizes of files are part of that, and covered; how long a release took, how
much memory, and how many random numbers are not. Releases with the canary and without are made in random order, and for
each quantity the AUC says how often somebody who sees it once of each world points at the right one.

References
----------
Jin, McMurtry, Rubinstein, Ohrimenko: Are we there yet? Timing and floating-point attacks on differential privacy
systems. IEEE S&P 2022.
Haeberlen, Pierce, Narayan: Differential privacy under fire. USENIX Security 2011 (time as a channel).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from entrenous import _check
from entrenous.attack.side_channels.auc_interval import AucInterval
from entrenous.attack.side_channels.observing import file_sizes, old_garbage_aside, peak_memory, spent_on
from entrenous.attack.side_channels.worlds_compared import (
    WORDS,
    Compared,
    network_worlds,
    own_graph,
    words_worlds,
)
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.lower_bound import BEYOND_DOUBT, CONFIDENCE, epsilon_lower_bound
from entrenous.attack.tools.roc import allowed_auc
from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.network import MECHANISMS
from entrenous.release import Release

__all__ = ["FEWEST_RUNS", "QUANTITIES", "compare", "side_channels"]

FEWEST_RUNS = 10
#: What is measured of a run besides the sizes of its files, with the words of tables.
QUANTITIES: Mapping[str, str] = {
    "cpu": "CPU time",
    "at_desk": "CPU time at the desk",
    "memory": "peak memory",
    "numbers": "noisy numbers drawn",
    "words": "random words drawn",
}
_ALL_FILES = "size of all files"
_MEMORY_SHARE = 4  # of the runs one in so many is made again with every allocation traced
Runs = dict[str, tuple[list[float], list[float]]]
Progress = Callable[[int, int], object]


def side_channels(
    methods: Iterable[str] | None = None,
    *,
    epsilon: float,
    graph: Graph | None = None,
    runs: int = 100,
    rng: int | None = None,
    progress: Progress | None = None,
) -> list[Finding]:
    """Return how well each quantity tells two neighbouring inputs apart: its AUC, at the least.

    Parameters
    ----------
    methods
        Mechanisms of networks by name, "histogram" and "vocabulary". (default: all)
    epsilon
        What each release promises; nothing is published, so no vault is charged.
    graph
        A graph of one's own instead of invented inputs; what is found is then private, and words are left out.
    runs
        How many releases are made of each input.
    rng
        None for real noise, which is what takes the time that others could see; a seed makes a rehearsal.
    progress
        Called with runs made and runs in all.

    Examples
    --------
    >>> from entrenous import datasets
    >>> club = datasets.karate_club()
    >>> found = side_channels(["chung-lu"], epsilon=1.0, graph=club, runs=10, rng=1)
    >>> drawn = next(each for each in found if each.quantity == "AUC of random words drawn")
    >>> drawn.details["constant"], drawn.verdict
    (1.0, 'nothing promised')
    """
    known = [*MECHANISMS, *(WORDS if graph is None else ())]
    chosen = known if methods is None else list(dict.fromkeys(methods))
    for method in chosen:
        _check.one_of("methods", method, known)
    if graph is not None and (not isinstance(graph, Graph) or graph.n < 2):
        raise ArgumentError("graph", "expected a Graph of two nodes or more")
    epsilon, runs = _check.epsilon("epsilon", epsilon), _check.at_least("runs", runs, FEWEST_RUNS)
    compared: list[Compared] = []
    for method in chosen:
        if graph is not None:
            compared.append(own_graph(method, graph, epsilon=epsilon))
        else:
            worlds = words_worlds if method in WORDS else network_worlds
            compared.extend(worlds(method, epsilon=epsilon))
    found: list[Finding] = []
    for place, each in enumerate(compared):
        found += compare(each, runs=runs, rng=None if rng is None else (rng, place))
        if progress is not None:
            progress(place + 1, len(compared))
    return found


def compare(compared: Compared, *, runs: int = 100, rng: int | Sequence[int] | None = None) -> list[Finding]:
    """Return the findings on one kind of release and one pair of inputs.

    Parameters
    ----------
    compared
        What is released, and from which inputs.
    runs
        How many releases are made of each input.
    rng
        None for real noise; a seed makes a rehearsal.
    """
    seeds = None if rng is None else np.random.default_rng(rng)
    runs = _check.at_least("runs", runs, FEWEST_RUNS)
    for canary in (False, True):
        compared.release(canary, seeds)  # compiles, and fills caches
    with old_garbage_aside():
        seen = _observed(compared, runs, seeds)
    trials = {quantity: len(worlds[0]) for quantity, worlds in seen.items()}
    found = [
        _told(compared, quantity, worlds, None) for quantity, worlds in seen.items() if quantity in QUANTITIES
    ]
    allowed = allowed_auc(compared.epsilon, compared.delta)
    sizes = {quantity: worlds for quantity, worlds in seen.items() if quantity not in QUANTITIES}
    found += [_told(compared, quantity, worlds, allowed) for quantity, worlds in sizes.items()]
    return [*found, _proved(compared, seen[_ALL_FILES], trials[_ALL_FILES])]


def _observed(compared: Compared, runs: int, seeds: np.random.Generator | None) -> Runs:
    """Make the runs of both worlds in random order, and return each quantity without the canary and with it."""
    seen: Runs = {}

    def note(quantity: str, canary: bool, value: float) -> None:
        seen.setdefault(quantity, ([], []))[canary].append(value)

    def once(canary: bool) -> Callable[[], Release[Any]]:
        source = None if seeds is None else seeds.spawn(1)[0]
        return lambda: compared.release(canary, source)

    order = np.random.default_rng() if seeds is None else seeds.spawn(1)[0]
    for _ in range(runs):
        for canary in order.permutation([False, True]).tolist():
            made, spent = spent_on(once(canary))
            for quantity in ("cpu", "at_desk", "numbers", "words"):
                note(quantity, canary, getattr(spent, quantity))
            sizes = file_sizes(made)
            for file, size in sizes.items():
                note(f"size of {file}", canary, size)
            note(_ALL_FILES, canary, sum(sizes.values()))
    for _ in range(max(runs // _MEMORY_SHARE, FEWEST_RUNS)):
        for canary in order.permutation([False, True]).tolist():
            note("memory", canary, peak_memory(once(canary)))
    return seen


def _told(
    compared: Compared, quantity: str, worlds: tuple[list[float], list[float]], stated: float | None
) -> Finding:
    """Return the AUC of a quantity as a finding: what an attacker reaches at the least."""
    plain, canary = worlds
    interval, surer = (
        AucInterval.of(canary, plain, confidence=confidence) for confidence in (CONFIDENCE, BEYOND_DOUBT)
    )
    return Finding(
        mechanism=compared.name,
        unit=compared.unit,
        attack=compared.change,
        stated=stated,
        measured=interval.told,
        quantity=f"AUC of {QUANTITIES.get(quantity, quantity)}",
        confidence=CONFIDENCE,
        trials=len(plain) + len(canary),
        delta=compared.delta,
        details={
            "auc": interval.auc,
            "low": interval.low,
            "high": interval.high,
            "surely": surer.told,
            "constant": float(interval.constant),
            "allowed": allowed_auc(compared.epsilon, compared.delta),
            "epsilon": epsilon_lower_bound(canary, plain, delta=compared.delta).epsilon,
            "plain": float(np.median(plain)),
            "canary": float(np.median(canary)),
        },
        beyond_doubt=None if stated is None else surer.told,
    )


def _proved(compared: Compared, worlds: tuple[list[float], list[float]], runs: int) -> Finding:
    """Return the epsilon that the sizes of files prove: they are part of what is published."""
    plain, canary = worlds
    bounds = [
        epsilon_lower_bound(canary, plain, delta=compared.delta, confidence=confidence).epsilon
        for confidence in (CONFIDENCE, BEYOND_DOUBT)
    ]
    return Finding(
        mechanism=compared.name,
        unit=compared.unit,
        attack=f"{compared.change}; the {_ALL_FILES}",
        stated=compared.epsilon,
        measured=bounds[0],
        confidence=CONFIDENCE,
        trials=2 * runs,
        delta=compared.delta,
        beyond_doubt=bounds[1],
    )
