"""Plain randomizations of edges, to compare obfuscation with: each keeps a given share of the true edges.

References
----------
Bonchi, Gionis & Tassa (2011), Identity obfuscation in graphs through the information theoretic lens, ICDE
(sparsification, perturbation).
Ying & Wu (2008), Randomizing social networks: a spectrum preserving approach, SDM (add/delete and switching).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError
from entrenous.graph import Graph

__all__ = ["RANDOMIZATIONS", "perturb", "retained", "sparsify", "switch"]

_ATTEMPTS_PER_EDGE = 50  # switches beyond which the share of true edges hardly falls any further


def sparsify(graph: Graph, *, retention: float, rng: np.random.Generator | int | None = None) -> Graph:
    """Delete random edges until a share `retention` is left (random sparsification).

    >>> from entrenous.datasets import karate_club
    >>> sparsify(karate_club(), retention=0.5, rng=1).m
    39
    """
    generator = np.random.default_rng(rng)
    return graph.with_edges(_survivors(graph, _kept(graph, retention), generator))


def perturb(graph: Graph, *, retention: float, rng: np.random.Generator | int | None = None) -> Graph:
    """Delete random edges until a share `retention` is left, and add as many random new ones (add/delete).

    >>> from entrenous.datasets import karate_club
    >>> club = karate_club()
    >>> other = perturb(club, retention=0.5, rng=1)
    >>> other.m, retained(club, other)
    (78, 0.5)
    """
    generator = np.random.default_rng(rng)
    left = _survivors(graph, _kept(graph, retention), generator)
    missing = graph.m - len(left)
    room = graph.n * (graph.n - 1) // 2 - graph.m
    if missing > room:
        raise ArgumentError(
            "retention", f"expected room for {missing} new edges; got {room} pairs without an edge"
        )
    added = np.empty((0, 2), np.int64)
    taken = _keys(graph.edges())
    while len(added) < missing:  # rejected at most as often as pairs are taken: rare in sparse graphs
        drawn = np.sort(generator.integers(graph.n, size=(2 * (missing - len(added)) + 8, 2)), axis=1)
        drawn = drawn[drawn[:, 0] < drawn[:, 1]]
        candidates = np.concatenate([added, drawn[~np.isin(_keys(drawn), taken)]])
        # `unique` sorts: the first occurrences in the order drawn keep the choice among them fair.
        _, first = np.unique(_keys(candidates), return_index=True)
        added = candidates[np.sort(first)][:missing]
    return graph.with_edges(np.concatenate([left, added]))


def switch(graph: Graph, *, retention: float, rng: np.random.Generator | int | None = None) -> Graph:
    """Switch ends of random pairs of edges until a share `retention` is left; every degree is preserved.

    Where hubs are many, some true edges come back by chance: a share too small to be reached is approached.

    >>> from entrenous.datasets import karate_club
    >>> club = karate_club()
    >>> other = switch(club, retention=0.5, rng=1)
    >>> bool((other.degrees == club.degrees).all()), retained(club, other) <= 0.5
    (True, True)
    """
    from entrenous.links import _kernels

    edges = graph.edges()
    kept, attempts = _kept(graph, retention), _ATTEMPTS_PER_EDGE * graph.m
    _kernels.switch_edges(edges, graph.indptr, graph.indices, kept, attempts, np.random.default_rng(rng))
    return graph.with_edges(edges)


RANDOMIZATIONS: Mapping[str, Callable[..., Graph]] = {
    "sparsify": sparsify,
    "perturb": perturb,
    "switch": switch,
}
"""The plain randomizations by name."""


def retained(original: Graph, released: Graph) -> float:
    """Return the share of the original's edges that the released graph has."""
    common = np.intersect1d(_keys(original.edges()), _keys(released.edges()), assume_unique=True)
    return len(common) / max(original.m, 1)


def _kept(graph: Graph, retention: float) -> int:
    if not 0 <= retention <= 1:
        raise ArgumentError("retention", f"expected a share from 0 to 1; got {retention!r}")
    return round(retention * graph.m)


def _survivors(graph: Graph, kept: int, rng: np.random.Generator) -> NDArray[np.int32]:
    return graph.edges()[np.sort(rng.choice(graph.m, kept, replace=False))]


def _keys(edges: NDArray[Any]) -> NDArray[np.int64]:
    """Return one number per edge."""
    # Node numbers have 31 bits: both fit into one number, and sets of edges are sets of numbers.
    return np.asarray(edges.astype(np.int64) @ np.array([1 << 32, 1]))
