"""Noisy degrees into a model of dense blocks (BTER): cliques of similar degree, and the rest at random.

All of epsilon goes to degrees, as in `chung-lu`. What differs is the model: nodes of similar noisy degree d form an
affinity block of d + 1 nodes that is nearly complete, and edges beyond those inside blocks are drawn in proportion
to what is left of each degree. How dense blocks are cannot be told from degrees: it is a public constant, between
the nearly complete blocks of co-author networks and the loose ones of blogs and votes, chosen on the four graphs of
docs/network.md. Denser blocks would serve co-author networks better, and blogs worse.

*Repaired.* One edge changes two degrees, so the noise is for an L1 sensitivity of 2; implementations with noise for
1 spend twice what they say. The largest degree is that of the noisy sequence.

References
----------
Seshadhri, Kolda & Pinar (2012), Community structure and scale-free collections of Erdős-Rényi graphs, Physical
Review E 85. Kolda, Pinar, Plantenga & Seshadhri (2014), A scalable generative graph model with community structure,
SIAM Journal on Scientific Computing 36. Qin et al. (2017), Generating synthetic decentralized social graphs with
local differential privacy, CCS (DGG, where each node adds noise on its own; here a curator does).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous.hrg.sampling import draw, pair_counts
from entrenous.network import statistics
from entrenous.network.drawing.deconvolution import LOWEST_MEAN
from entrenous.network.drawing.model import fit
from entrenous.network.drawing.pairs import draw_by_weight, pair_numbers, pairs_of
from entrenous.network.mechanism import GraphDesk, Mechanism, Model, Outcome, Request

__all__ = ["MECHANISM", "AffinityBlocks", "BlockedModel", "affinity_blocks", "run"]

DENSITY, DECAY = 0.7, 0.5  # rho and eta of Seshadhri, Kolda & Pinar


@dataclass(frozen=True)
class AffinityBlocks:
    """Nodes in the order of their degrees, cut into blocks.

    Attributes
    ----------
    order
        The nodes, smallest degree first.
    start, stop
        Where each block begins and ends in this order.
    density
        The probability of a tie inside each block.
    """

    order: NDArray[np.int64]
    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    density: NDArray[np.float64]

    @property
    def members(self) -> NDArray[np.int64]:
        """The nodes that are in a block, block after block."""
        return self.order[self.start.min(initial=len(self.order)) : self.stop.max(initial=0)]

    @property
    def rectangles(self) -> NDArray[np.int64]:
        """The pairs inside each block, as for `entrenous.hrg.draw`."""
        return np.column_stack([self.start, self.stop, self.start, self.stop])

    def block_of(self) -> NDArray[np.int64]:
        """Return the block of each node, -1 for nodes in none."""
        block = np.full(len(self.order), -1, dtype=np.int64)
        block[self.members] = np.repeat(np.arange(len(self.start)), self.stop - self.start)
        return block

    def excess(self, degrees: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what the blocks leave of each degree."""
        spent, size = np.zeros(len(degrees)), self.stop - self.start
        spent[self.members] = np.repeat(self.density * (size - 1), size)
        return np.maximum(degrees - spent, 0.0)


@dataclass(frozen=True)
class BlockedModel:
    """Independent ties from degrees, with pairs inside blocks tied as often as their block says."""

    degrees: Model
    blocks: AffinityBlocks

    def cross_entropy(self, edges: NDArray[np.integer]) -> float:
        """Return -(1/n) log-likelihood of the edges of a graph, in nats per node.

        Pairs inside blocks are few; they are taken to be explained by their block alone, and counted twice by the
        degrees of everybody, which makes the figure an upper bound.
        """
        block = self.blocks.block_of()
        u, v = edges.T
        inside = (block[u] == block[v]) & (block[u] >= 0)
        present = np.bincount(block[u[inside]], minlength=len(self.blocks.start))
        pairs, p = pair_counts(self.blocks.rectangles), self.blocks.density
        own = -(present * np.log(p) + (pairs - present) * np.log1p(-p)).sum() / len(block)
        return float(self.degrees.cross_entropy(edges[~inside]) + own)


def affinity_blocks(degrees: NDArray[np.int64], rng: np.random.Generator) -> AffinityBlocks:
    """Cut nodes of degree 2 and more, in the order of their degrees, into blocks of d + 1 nodes.

    >>> found = affinity_blocks(np.array([1, 2, 2, 2, 3, 3, 3, 3, 0]), np.random.default_rng(1))
    >>> (found.stop - found.start).tolist()
    [3, 4]
    """
    order = np.lexsort((rng.random(len(degrees)), degrees))
    ascending = degrees[order]
    starts, stops = [], []
    at = int(np.searchsorted(ascending, 2))
    while at < len(order) - 1:
        starts.append(at)
        at = min(at + int(ascending[at]) + 1, len(order))
        stops.append(at)
    start = np.array(starts, dtype=np.int64)
    smallest = ascending[start]
    fading = np.log1p(smallest) / max(math.log1p(int(degrees.max(initial=1))), 1e-9)
    return AffinityBlocks(order, start, np.array(stops, dtype=np.int64), DENSITY * (1 - DECAY * fading**2))


def run(asked: GraphDesk, request: Request) -> Outcome:
    """Spend all of epsilon on degrees."""
    noisy = asked(statistics.Degrees(epsilon=request.epsilon))
    degrees = np.clip(noisy, 0, request.n - 1)
    blocks = affinity_blocks(degrees, asked.generator)
    dense = draw(blocks.order, blocks.rectangles, probability=blocks.density, rng=asked.generator)
    excess = blocks.excess(degrees)
    inside = pair_numbers(dense)
    everybody, target = np.zeros(request.n, dtype=np.int64), np.array([round(float(excess.sum()) / 2)])
    rest = draw_by_weight(excess, everybody, target, asked.generator, taken=inside)
    model = BlockedModel(fit(everybody, np.maximum(excess, LOWEST_MEAN)), blocks)
    parameters: dict[str, str | int | float] = {
        "density of blocks": DENSITY,
        "decay of the density": DECAY,
    }
    return Outcome(pairs_of(np.union1d(inside, rest)), parameters, model)


MECHANISM = Mechanism("dgg", "degrees and dense blocks (BTER)", run)
