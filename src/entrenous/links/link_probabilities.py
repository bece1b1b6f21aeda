"""Link probabilities over many dendrograms: what the graph's hierarchy as such says about a pair of nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous import _check
from entrenous.graph import Graph
from entrenous.links.fitting import STEPS_PER_NODE, checked_temperature, fit, soften
from entrenous.links.obfuscation import Obfuscation, checked_links

__all__ = ["consensus"]


def consensus(
    graph: Graph,
    links: ArrayLike,
    *,
    samples: int = 20,
    steps: int | None = None,
    temperature: float = 1.0,
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.float64]:
    """Return the mean probability of each link over sampled dendrograms. It tells about the graph: for the curator.

    One dendrogram fits a little more than the graph's structure. Averaged over many, a pair that is unlikely to be
    linked but is, or likely and is not, stands out.

    Parameters
    ----------
    graph
        The graph.
    links
        Rows of two nodes each.
    samples
        How many dendrograms to draw.
    steps
        Steps of the chain before the first sample, and between all that follow together; by default 300 per node.
    temperature
        1 to draw dendrograms by their likelihood, more to draw softer ones.
    rng
        A generator or a seed.
    progress
        Called with samples drawn and samples in all.

    Examples
    --------
    >>> two_triangles = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)
    >>> inside, across = consensus(two_triangles, [(0, 1), (0, 4)], rng=1)
    >>> bool(inside > 3 * across)
    True

    References
    ----------
    Clauset, Moore & Newman (2008), Hierarchical structure and the prediction of missing links in networks, Nature 453.
    """
    pairs = checked_links(links, graph.n)
    count = _check.at_least("samples", samples, 1)
    hot = checked_temperature(temperature)
    total = STEPS_PER_NODE * graph.n if steps is None else _check.at_least("steps", steps, 1)
    generator = np.random.default_rng(rng)
    state = fit(graph, chains=1, steps=total, rng=generator)
    sums = np.zeros(len(pairs))
    for drawn in range(count):
        # The first draw has to leave the best fit behind; later ones start where the last one ended.
        between = total if drawn == 0 else max(total // count, 1)
        state = soften(graph, state, temperature=hot, steps=between, rng=generator)
        distribution = Obfuscation.of(graph, state.tree)
        sums += distribution.probability[distribution.class_of(pairs)]
        if progress is not None:
            progress(drawn + 1, count)
    return sums / count
