"""Edge inference: somebody who knows every tie but one guesses that one from released graphs.

The attacker runs the mechanism themselves, many times with the tie and many times without, learns which traces it
leaves, and judges releases they have not seen. This is the game that epsilon speaks about: whatever they do, true
alarms are at most e^epsilon times false ones.

References
----------
Shokri, Stronati, Song, Shmatikov: Membership inference attacks against machine learning models. S&P 2017 (own runs).
Carlini, Chien, Nasr, Song, Terzis, Tramer: Membership inference attacks from first principles. S&P 2022 (rates of true
alarms at few false ones).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.lower_bound import BEYOND_DOUBT, CONFIDENCE, clopper_pearson, epsilon_lower_bound
from entrenous.attack.tools.roc import Roc
from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.network import release as publish
from entrenous.release import Release

__all__ = [
    "FALSE_RATES",
    "EdgeInference",
    "Rate",
    "both_worlds",
    "infer_edge",
    "most_exposed",
    "traces",
]

FloatArray = NDArray[np.float64]

FALSE_RATES = (0.01, 0.1)
"""Rates of false alarms an attacker aims at."""

_RIDGE = 1e-9  # of the variance of a trace: keeps traces that never vary from being divided by 0


@dataclass(frozen=True)
class Rate:
    """How often something was seen, and between which bounds its probability lies (Clopper-Pearson).

    >>> round(Rate.of(0, 100).high, 4)
    0.0362
    """

    seen: float
    low: float
    high: float

    @classmethod
    def of(cls, times: int, runs: int, confidence: float = CONFIDENCE) -> Rate:
        """Return the rate of something seen so many times in so many runs."""
        return cls(times / runs, *clopper_pearson(times, runs, confidence=confidence))


@dataclass(frozen=True)
class EdgeInference:
    """How well somebody who knows all other ties tells whether this one is there.

    Attributes
    ----------
    method, epsilon
        The mechanism, and what one release promises.
    together
        How many releases of the same graph the attacker puts together: the promise is that many times epsilon.
    lower_bound
        The epsilon that the alarms prove, with a confidence of 95 %.
    beyond_doubt
        The same with a confidence of 99.9 %; this decides whether a promise is called broken.
    false, true
        Rates of alarms, for each of `FALSE_RATES` that the attacker aimed at.
    roc
        All rates, on releases that were not learned from.
    trials
        How many releases, or sets of releases, were judged in each world.
    """

    method: str
    epsilon: float
    together: int
    lower_bound: float
    beyond_doubt: float
    false: tuple[Rate, ...]
    true: tuple[Rate, ...]
    trials: int
    roc: Roc = field(repr=False)

    @property
    def promised(self) -> float:
        """The epsilon of all releases together."""
        return self.together * self.epsilon

    def posterior(self, prior: float) -> float:
        """Return how sure the attacker certainly is after an alarm, by Bayes' rule, who thought it so likely before.

        Of `FALSE_RATES` the better one, with the fewest true and the most false alarms that the runs leave open.
        """
        before = _check.probability("prior", prior, positive=True)
        odds = max(true.low / false.high for false, true in zip(self.false, self.true, strict=True))
        return _updated(before, max(odds, 1.0))

    def allowed_posterior(self, prior: float) -> float:
        """Return the most that the promise allows: odds that are e^epsilon times those before."""
        return _updated(
            _check.probability("prior", prior, positive=True), math.exp(min(self.promised, 700.0))
        )

    def finding(self) -> Finding:
        """Return this as a finding."""
        return Finding(
            mechanism=f"network: {self.method}" + (f", {self.together} releases" * (self.together > 1)),
            unit="edge",
            attack="knows all other ties, learns from own runs",
            stated=self.promised,
            measured=self.lower_bound,
            confidence=CONFIDENCE,
            trials=2 * self.trials,
            details={"auc": self.roc.auc, "advantage": self.roc.advantage},
            beyond_doubt=self.beyond_doubt,
        )


def _updated(prior: float, factor: float) -> float:
    """Return the probability whose odds are so many times those of another."""
    return prior * factor / (prior * factor + 1 - prior)


def most_exposed(graph: Graph) -> tuple[int, int]:
    """Return the tie whose ends have the fewest ties together: the one that leaves the largest trace.

    Where the nodes are those seen in the edges, each is known to have a tie, and the last tie of a node is no secret:
    such ties are left out.

    >>> most_exposed(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (3, 4)], n=5))
    (3, 4)
    """
    least = 2 if graph.nodes_from == "seen" else 1
    edges = graph.edges()
    degrees = graph.degrees[edges]
    secret = (degrees >= least).all(axis=1)
    if not secret.any():
        raise ArgumentError("graph", "expected a tie that is nobody's only one; got none. List the nodes")
    sums = np.where(secret, degrees.sum(axis=1), degrees.sum() + 1)
    u, v = edges[int(sums.argmin())].tolist()
    return u, v


def traces(made: Release[Graph], edge: tuple[int, int]) -> FloatArray:
    """Return what a release shows that a tie may have moved: numbers an attacker learns from.

    Whether the two are tied in it, the ties of each and of all, the neighbours they share, and the logarithm of the
    odds that the model behind the release gives to the tie. The model is not published, but it is made of noisy
    numbers alone and covered by the promise: an attacker who has it is stronger than those who have not.
    """
    graph, (u, v) = made.artifact, edge
    of_u, of_v = (graph.indices[graph.indptr[w] : graph.indptr[w + 1]] for w in (u, v))
    shared = len(np.intersect1d(of_u, of_v))
    # Models take ties as independent: a graph with this tie alone, against one without any, shows its odds.
    surprise = [
        made.private["model"].cross_entropy(graph.with_edges(edges).edges()) for edges in ([], [edge])
    ]
    odds = np.nan_to_num(graph.n * (surprise[0] - surprise[1]), posinf=50.0, neginf=-50.0)
    return np.array([v in of_u, len(of_u), len(of_v), graph.m, shared, odds], dtype=np.float64)


def both_worlds(graph: Graph, edge: tuple[int, int]) -> tuple[Graph, Graph]:
    """Return the graph without a tie, and with it.

    >>> [world.m for world in both_worlds(Graph.from_edges([(0, 1), (1, 2)], n=3), (0, 1))]
    [1, 2]
    """
    edges = graph.edges()
    rest = edges[~((edges == edge[0]).any(axis=1) & (edges == edge[1]).any(axis=1))]
    return graph.with_edges(rest), graph.with_edges(np.concatenate([rest, [edge]]))


def infer_edge(
    graph: Graph,
    edge: tuple[int, int] | None = None,
    *,
    epsilon: float,
    method: str = "owner",
    trials: int = 1000,
    together: Sequence[int] = (1,),
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[EdgeInference]:
    """Let somebody who knows every other tie guess this one, and count how often they are right.

    The mechanism runs `trials` times on the graph with the tie and as often on the graph without it. On one half of
    the runs the attacker learns to weigh `traces` (Fisher's linear discriminant, which is the logarithm of the
    likelihood ratio where traces scatter normally) and chooses thresholds; the other half is judged.

    Parameters
    ----------
    graph
        The private graph.
    edge
        Two nodes; by default `most_exposed`.
    epsilon, method
        As in `network.release`; there is no default epsilon.
    trials
        Releases in each world.
    together
        For each number, also judge sets of so many releases, as if all of them had been published.
    rng
        None runs the mechanism with real noise; a seed makes the attack repeatable, every release being a rehearsal.
    progress
        Called with releases made and releases in all.

    Examples
    --------
    >>> from entrenous import datasets
    >>> found, = infer_edge(datasets.karate_club(), epsilon=1.0, method="chung-lu", trials=200, rng=1)
    >>> 0.4 < found.roc.auc < 0.731, found.lower_bound <= 1.0
    (True, True)
    """
    trials = _check.at_least("trials", trials, 40)
    sets = [_checked_sets(count, trials) for count in together]
    secret = most_exposed(graph) if edge is None else _checked_edge(graph, edge)
    worlds = both_worlds(graph, secret)
    source = None if rng is None else np.random.default_rng(rng)
    tick = progress or (lambda _done, _total: None)
    seen: list[list[FloatArray]] = [[], []]
    for run in range(trials):
        for side in (0, 1):
            made = publish(worlds[side], epsilon=epsilon, method=method, rng=source)
            seen[side].append(traces(made, secret))
        tick(2 * (run + 1), 2 * trials)
    scores = _learned_scores(np.array(seen[0]), np.array(seen[1]))
    return [_judged(scores, method, float(epsilon), count) for count in sets]


def _checked_edge(graph: Graph, edge: tuple[int, int]) -> tuple[int, int]:
    u, v = sorted(int(node) for node in edge)
    if not 0 <= u < v < graph.n:
        raise ArgumentError("edge", f"expected two different nodes below {graph.n}; got others")
    if graph.nodes_from == "seen" and not both_worlds(graph, (u, v))[0].degrees[[u, v]].all():
        raise ArgumentError(
            "edge", "expected no node's only tie: where nodes are those seen, it is no secret"
        )
    return u, v


def _checked_sets(count: int, trials: int) -> int:
    if _check.at_least("together", count, 1) > trials // 40:
        raise ArgumentError(
            "together", f"expected at most {trials // 40}, a fortieth of all runs in each world; got {count}"
        )
    return count


def _learned_scores(without: FloatArray, with_it: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weigh traces by Fisher's discriminant of the first half; return all scores, the first half first."""
    half = len(without) // 2
    centre = [part[:half].mean(axis=0) for part in (without, with_it)]
    pooled = np.concatenate([without[:half] - centre[0], with_it[:half] - centre[1]])
    scatter = np.cov(pooled, rowvar=False)
    scatter += np.diag(_RIDGE + _RIDGE * np.diag(scatter))
    weights = np.linalg.solve(scatter, centre[1] - centre[0])
    middle = (centre[0] + centre[1]) / 2
    return (without - middle) @ weights, (with_it - middle) @ weights


def _judged(scores: tuple[FloatArray, FloatArray], method: str, epsilon: float, count: int) -> EdgeInference:
    """Choose thresholds on the first half, and count alarms on the second."""
    half = len(scores[0]) // 2
    learned, judged = (
        [_in_sets(side[part], count) for side in scores] for part in (slice(half), slice(half, None))
    )
    false, true = [], []
    for rate in FALSE_RATES:
        threshold = np.quantile(learned[0], 1 - rate, method="higher")
        alarms = [int((side > threshold).sum()) for side in judged]
        false.append(Rate.of(alarms[0], len(judged[0])))
        true.append(Rate.of(alarms[1], len(judged[1])))
    bounds = [
        epsilon_lower_bound(judged[1], judged[0], confidence=confidence).epsilon
        for confidence in (CONFIDENCE, BEYOND_DOUBT)
    ]
    return EdgeInference(
        method=method,
        epsilon=epsilon,
        together=count,
        lower_bound=bounds[0],
        beyond_doubt=bounds[1],
        false=tuple(false),
        true=tuple(true),
        trials=len(judged[0]),
        roc=Roc.of_runs(judged[0], judged[1]),
    )


def _in_sets(scores: FloatArray, count: int) -> FloatArray:
    """Return the sums of scores of so many releases each; whatever is left over is left out."""
    whole = len(scores) // count * count
    return np.asarray(scores[:whole].reshape(-1, count).sum(axis=1))
