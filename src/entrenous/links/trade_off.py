"""Obfuscation beside plain randomizations at equal retention, and what a softer fit costs. For the curator."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.graph import Graph, measure
from entrenous.graph import compare as compare_graphs
from entrenous.graph.measures.comparison import Comparison
from entrenous.graph.measures.summary import Measures
from entrenous.links.exposure import Exposure, exposure
from entrenous.links.fitting import STEPS_PER_NODE, Fit, checked_temperature, fit, soften
from entrenous.links.obfuscation import Obfuscation, as_obfuscation
from entrenous.links.randomization import RANDOMIZATIONS, retained
from entrenous.release import Release

__all__ = [
    "MEASURES",
    "METHODS",
    "TEMPERATURES",
    "FrontierPoint",
    "Rival",
    "ahead",
    "checked_methods",
    "compare",
    "frontier",
]

METHODS = ("lora", *RANDOMIZATIONS)
_QUICK = ("degrees", "clustering", "centrality", "paths")
TEMPERATURES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)

MEASURES: Mapping[str, tuple[str, bool]] = {
    **{f"evc_max1_overlap@{k}": (f"top {k}, overlap", True) for k in ("10", "20", "50", "1%", "5%")},
    **{f"evc_max1_MAE@{k}": (f"top {k}, MAE of influence", False) for k in ("10", "20", "50", "1%", "5%")},
    "deg_KS": ("degrees, Kolmogorov-Smirnov", False),
    "deg_Hellinger": ("degrees, Hellinger", False),
    "deg_W1": ("degrees, Wasserstein", False),
    "dist_KS": ("path lengths, Kolmogorov-Smirnov", False),
    "dist_Hellinger": ("path lengths, Hellinger", False),
    "avg_sp_RE": ("mean path length, relative error", False),
    "gcc_RE": ("transitivity, relative error", False),
    "acc_RE": ("local clustering, relative error", False),
    "tri_RE": ("triangles, relative error", False),
    "lambda1_RE": ("leading eigenvalue, relative error", False),
    "mod_RE": ("modularity, relative error", False),
    "cd_NMI": ("communities, mutual information", True),
}
"""What is compared: a label, and whether more is better."""


@dataclass(frozen=True)
class Rival:
    """One way to randomize a graph and what came of it."""

    method: str
    retention: float
    comparison: Comparison

    def to_json(self) -> dict[str, float | str | None]:
        """Return method, retention and measures as plain values; what is not a number is None."""
        found = {key: self.comparison[key] for key in MEASURES if key in self.comparison}
        finite = {key: value if np.isfinite(value) else None for key, value in found.items()}
        return {"method": self.method, "retention": self.retention, **finite}


def compare(
    release: Release[Graph],
    graph: Graph,
    *,
    methods: Collection[str] = METHODS,
    sources: int | None = None,
    seeds: int = 5,
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[Rival, ...]:
    """Set an obfuscated graph beside plain randomizations that keep the same share of true edges.

    Parameters
    ----------
    release
        What `obfuscate` made.
    graph
        The original.
    methods
        Of "lora", the release itself, "sparsify", "perturb" and "switch".
    sources
        How many nodes path lengths are measured from; all by default, up to 50,000.
    seeds
        How many Louvain partitions are drawn of each graph.
    rng
        A generator or a seed, for the randomizations.
    progress
        Called with methods done and methods in all.

    Examples
    --------
    >>> from entrenous import datasets, links
    >>> club = datasets.karate_club()
    >>> hidden = links.obfuscate(club, rng=7)
    >>> rivals = compare(hidden, club, methods=["lora", "switch"], rng=1)
    >>> [rival.method for rival in rivals], rivals[1].comparison["deg_KS"]
    (['lora', 'switch'], 0.0)
    """
    wanted = checked_methods(methods)
    generator = np.random.default_rng(rng)
    as_obfuscation(release)
    measured = measure(graph, sources=sources, seeds=seeds)
    share = retained(graph, release.artifact)
    rivals = []
    for done, method in enumerate(wanted):
        other = (
            release.artifact
            if method == "lora"
            else RANDOMIZATIONS[method](graph, retention=share, rng=generator)
        )
        found = compare_graphs(graph, other, sources=sources, seeds=seeds, measured=measured)
        rivals.append(Rival(method, retained(graph, other), found))
        if progress is not None:
            progress(done + 1, len(wanted))
    return tuple(rivals)


def checked_methods(methods: Collection[str]) -> tuple[str, ...]:
    """Return the methods asked for, obfuscation first."""
    if not methods or not set(methods) <= set(METHODS):
        raise ArgumentError("methods", f"expected some of {', '.join(METHODS)}; got others")
    return tuple(method for method in METHODS if method in methods)


def ahead(one: Comparison, other: Comparison) -> dict[str, bool | None]:
    """Tell measure by measure whether one comparison is better than the other; None where they are equal.

    >>> star, path = Graph.from_edges([(0, 1), (0, 2), (0, 3)]), Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> same, other = compare_graphs(star, star), compare_graphs(star, path)
    >>> ahead(same, other)["deg_KS"], ahead(other, same)["deg_KS"], ahead(same, other)["tri_RE"]
    (True, False, None)
    """
    verdicts: dict[str, bool | None] = {}
    for key, (_, more_is_better) in MEASURES.items():
        if key in one and key in other:
            gap = one[key] - other[key]
            verdicts[key] = None if gap == 0 else (gap > 0) == more_is_better
    return verdicts


@dataclass(frozen=True)
class FrontierPoint:
    """What a temperature hides and what it keeps; `temperature` is None for the best fit."""

    temperature: float | None
    log_likelihood_per_node: float
    exposure: Exposure
    comparison: Comparison


def frontier(
    graph: Graph,
    *,
    start: Fit | None = None,
    temperatures: Sequence[float] = TEMPERATURES,
    steps: int | None = None,
    sources: int | None = 256,
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[FrontierPoint, ...]:
    """Return what is hidden and what is kept, from the best fit to hotter and hotter hierarchies.

    Parameters
    ----------
    graph
        The original.
    start
        The best fit, if it is already there.
    temperatures
        In rising order, 1 or more.
    steps
        Steps per temperature; by default 75 per node.
    sources
        How many nodes path lengths are measured from.
    rng
        A generator or a seed.
    progress
        Called with temperatures done and temperatures in all.

    Examples
    --------
    >>> from entrenous import datasets
    >>> sharp, soft = frontier(datasets.karate_club(), temperatures=[50.0], rng=1)
    >>> sharp.exposure.retention > soft.exposure.retention
    True
    """
    hotter = [checked_temperature(temperature) for temperature in temperatures]
    generator = np.random.default_rng(rng)
    part = STEPS_PER_NODE // 4 * graph.n if steps is None else _check.at_least("steps", steps, 1)
    measured = measure(graph, only=_QUICK, sources=sources)
    state = start if start is not None else fit(graph, rng=generator)
    points = [_point(graph, state, measured, sources, generator)]
    for done, temperature in enumerate(hotter, start=1):
        state = soften(graph, state, temperature=temperature, steps=part, rng=generator)
        points.append(_point(graph, state, measured, sources, generator))
        if progress is not None:
            progress(done, len(hotter))
    return tuple(points)


def _point(
    graph: Graph, state: Fit, measured: Measures, sources: int | None, rng: np.random.Generator
) -> FrontierPoint:
    distribution = Obfuscation.of(graph, state.tree)
    drawn = graph.with_edges(distribution.draw(rng=rng))
    found = compare_graphs(graph, drawn, only=_QUICK, sources=sources, measured=measured)
    return FrontierPoint(state.temperature, state.log_likelihood / graph.n, exposure(distribution), found)
