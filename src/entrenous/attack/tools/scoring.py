"""A score for outputs of any kind, learned from runs with the canary and without: how much likelier what is seen is.

An output is read as named features: a number is one; an array or a list of numbers has one for each place, and
their sum; a mapping has those of its values; of a set or a sequence of other things each kind is counted; a graph has
its edges, its degrees and how many edges there are; of a structure all parts are read. What is not there counts as 0.
Each feature is cut into at most twelve bins. The score of an output is the sum, over the features that differ most
between the worlds, of the logarithm of how much likelier their bins were. That is the likelihood ratio if features are
independent, and otherwise a score like any other: a bound holds whatever the score is, and a poor one only proves less.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError
from entrenous.graph import Graph

__all__ = ["features", "learn_score"]

_BINS = 12
_MOST_FEATURES = 16  # that a score adds up: many that tell little would drown the few that tell much
_MOST_PLACES = 2000  # of an array that are looked at
_DEPTH = 6

Features = dict[Hashable, float]
Score = Callable[[Any], float]


def features(output: Any) -> Features:
    """Return an output as numbers by name.

    >>> features([2.0, 3.0])
    {(0,): 2.0, (1,): 3.0, ('sum',): 5.0}
    >>> features({"a": 1, "b": ["x", "x"]})
    {('a',): 1.0, ('b', 'has', 'x'): 2.0, ('b', 'length'): 2.0}
    """
    return dict(_read(output, (), _DEPTH))


def learn_score(canary: Sequence[Any], plain: Sequence[Any]) -> Score:
    """Return a score that is high for outputs as in the first world, and low for those as in the second.

    Parameters
    ----------
    canary, plain
        Outputs of runs in either world, which must not be judged again.

    Examples
    --------
    >>> score = learn_score([["yes"]] * 9 + [["no"]], [["no"]] * 9 + [["yes"]])
    >>> score(["yes"]) > 0 > score(["no"])
    True
    """
    worlds = [[features(output) for output in outputs] for outputs in (canary, plain)]
    names = sorted({name for world in worlds for seen in world for name in seen}, key=repr)
    judged = [
        _Ratio.of_runs(name, *([seen.get(name, 0.0) for seen in world] for world in worlds)) for name in names
    ]
    judged.sort(key=lambda ratio: -ratio.surplus)
    # The best one in any case, and all others that differ by more than chance would have them.
    told = [ratio for place, ratio in enumerate(judged[:_MOST_FEATURES]) if place == 0 or ratio.surplus > 3]

    def score(output: Any) -> float:
        seen = features(output)
        return math.fsum(ratio(seen.get(ratio.name, 0.0)) for ratio in told)

    return score


class _Ratio:
    """How much likelier each bin of a feature is in the one world, as a logarithm."""

    def __init__(
        self, name: Hashable, inner: NDArray[np.float64], logs: NDArray[np.float64], surplus: float
    ) -> None:
        self.name, self.inner, self.logs, self.surplus = name, inner, logs, surplus

    def __call__(self, value: float) -> float:
        return float(self.logs[np.searchsorted(self.inner, value, side="right")])

    @classmethod
    def of_runs(cls, name: Hashable, canary: Sequence[float], plain: Sequence[float]) -> _Ratio:
        """Cut a feature into bins with about equally many runs, and compare; the surplus is in deviations of chance."""
        values = np.unique(np.concatenate([canary, plain]))
        if len(values) > _BINS:
            pooled = np.sort(np.concatenate([canary, plain]))
            values = np.unique(pooled[np.linspace(0, len(pooled) - 1, _BINS + 1).astype(np.int64)[:-1]])
        inner = values[1:]
        first, second = (
            np.bincount(np.searchsorted(inner, world, side="right"), minlength=len(values))
            for world in (canary, plain)
        )
        expected = (first + second) * len(canary) / (len(canary) + len(plain))
        rest = (first + second) - expected
        squares = float(((first - expected) ** 2 / expected + (second - rest) ** 2 / rest).sum())
        freedom = max(len(values) - 1, 1)
        logs = np.log((first + 0.5) / (len(canary) + 0.5 * len(values)))
        logs -= np.log((second + 0.5) / (len(plain) + 0.5 * len(values)))
        return cls(name, inner, logs, (squares - freedom) / math.sqrt(2 * freedom))


def _read(output: Any, path: tuple[Hashable, ...], depth: int) -> Iterator[tuple[Hashable, float]]:
    """Read one part of an output."""
    if isinstance(output, np.generic | np.ndarray):
        output = np.ravel(output)[:_MOST_PLACES].tolist() if np.ndim(output) else output.item()
    if isinstance(output, Real):
        yield from _number(float(output), path)
    elif isinstance(output, Graph):
        yield from _graph(map(tuple, output.edges().tolist()), path)
    elif type(output).__module__.startswith("networkx"):
        yield from _graph((tuple(edge[:2]) for edge in output.edges()), path)
    elif isinstance(output, Mapping) and depth:
        for key, value in output.items():
            yield from _read(value, (*path, key), depth - 1)
    elif isinstance(output, AbstractSet | list | tuple) and depth:
        yield from _collection(output, path, depth)
    elif isinstance(output, Hashable):
        yield (*path, "is", output), 1.0
    else:
        raise ArgumentError(
            "score",
            f"expected a function from an output to a number, as outputs of type {type(output).__name__} "
            "are not read; got none",
        )


def _number(value: float, path: tuple[Hashable, ...]) -> Iterator[tuple[Hashable, float]]:
    if math.isnan(value):
        yield (*path, "not a number"), 1.0
    else:
        yield path, value


def _collection(
    items: AbstractSet[Any] | Sequence[Any], path: tuple[Hashable, ...], depth: int
) -> Iterator[tuple[Hashable, float]]:
    """Read numbers by their places, what can be counted by counting it, and anything else part by part."""
    numbers = [item for item in items if isinstance(item, Real)]
    if isinstance(items, AbstractSet):
        yield from _counted(items, path)
    elif len(numbers) == len(items) and numbers:
        for place, item in enumerate(numbers[:_MOST_PLACES]):
            yield from _number(float(item), (*path, place))
        yield from _number(
            math.fsum(map(float, numbers)) if all(map(math.isfinite, numbers)) else 0.0, (*path, "sum")
        )
    elif all(isinstance(item, Hashable) for item in items) and not numbers:
        yield from _counted(items, path)
    else:
        for place, item in enumerate(items):
            yield from _read(item, (*path, place), depth - 1)


def _counted(items: Iterable[Hashable], path: tuple[Hashable, ...]) -> Iterator[tuple[Hashable, float]]:
    counts = Counter(items)
    for item, count in counts.items():
        yield (*path, "has", item), float(count)
    yield (*path, "length"), float(counts.total())


def _graph(edges: Iterable[tuple[Any, ...]], path: tuple[Hashable, ...]) -> Iterator[tuple[Hashable, float]]:
    """Read a graph: each edge, each degree, and how many edges there are."""
    degrees: Counter[Hashable] = Counter()
    total = 0
    for edge in edges:
        total += 1
        degrees.update(edge)
        yield (*path, "edge", frozenset(edge)), 1.0
    for node, degree in degrees.items():
        yield (*path, "degree", node), float(degree)
    yield (*path, "edges"), float(total)
