"""The mathematics of promises under correlation, in one place to look.

A Pufferfish promise says: for every secret bit, and every belief of a class about how bits depend on each other, the
odds of the bit move by a factor of e^epsilon at most, whatever is published. Four ways lead there.

- *Coupling* (`wasserstein`): if the two worlds can be coupled so that at most W edges differ, every mechanism that is
  eta-DP per bit has epsilon = W eta. `wasserstein_scale` turns any list of pairs of distributions into noise.
- *Affiliated transfer* (`transfer`): for positively correlated bits the exact epsilon of every mechanism that is
  eta-DP per bit, and the eta for an epsilon.
- *Exact calibration* (`calibration`): the least Laplace, or geometric, noise on one count.
- *Markov quilts* (`quilt`): chains and trees.

Pufferfish promises do not add up by themselves. What adds up are the edge-level budgets behind them: see `compose`.
Proofs are in docs/guarantees.md.

References
----------
Kifer, Machanavajjhala: Pufferfish: a framework for mathematical privacy definitions. TODS 2014.
Song, Wang, Chaudhuri: Pufferfish privacy mechanisms for correlated data. SIGMOD 2017.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.words.pufferfish.calibration import closed, laplace_loss, laplace_scale
from entrenous.words.pufferfish.quilt import Quilt, chain_quilt, tree_quilt
from entrenous.words.pufferfish.transfer import (
    chain_edge_epsilon,
    chain_epsilon,
    star_edge_epsilon,
    star_epsilon,
    topic_edge_epsilon,
    topic_epsilon,
)
from entrenous.words.pufferfish.wasserstein import (
    Distribution,
    binomial_log_pmf,
    coupling_defect,
    coupling_defect_log,
    quantile_distances,
    w_infinity,
    w_infinity_log,
)

if TYPE_CHECKING:
    from entrenous.words.beliefs.belief import Belief

__all__ = [
    "Distribution",
    "Quilt",
    "binomial_log_pmf",
    "chain_edge_epsilon",
    "chain_epsilon",
    "chain_quilt",
    "closed",
    "compose",
    "compose_zcdp",
    "coupling_defect",
    "coupling_defect_log",
    "laplace_loss",
    "laplace_scale",
    "quantile_distances",
    "star_edge_epsilon",
    "star_epsilon",
    "topic_edge_epsilon",
    "topic_epsilon",
    "tree_quilt",
    "w_infinity",
    "w_infinity_log",
    "wasserstein_scale",
]


def wasserstein_scale(pairs: Iterable[tuple[Distribution, Distribution]], epsilon: float) -> float:
    """Return the scale of Laplace noise that hides which distribution of each pair a published number comes from.

    The general Wasserstein mechanism, for any model: each pair holds the distributions of the number to be published
    under two values of a secret, one pair for each secret and each belief.

    Examples
    --------
    >>> wasserstein_scale([(Distribution((0, 5), (1, 1)), Distribution((0, 9), (1, 1)))], epsilon=0.5)
    8.0

    Notes
    -----
    Never below 1 / epsilon, also where a model claims that a bit leaves no trace.
    """
    widest = max([w_infinity(first, second) for first, second in pairs], default=None)
    if widest is None:
        raise ArgumentError("pairs", "expected one pair of distributions or more; got none")
    return max(1, widest) / _check.epsilon("epsilon", epsilon)


def compose(model: Belief, etas: Iterable[float]) -> float:
    """Return the Pufferfish epsilon, for one bit, of several releases together: budgets per bit add, then transfer.

    Examples
    --------
    >>> from entrenous.words.beliefs import Binomial
    >>> model = Binomial(p0=0.0277, p1=0.2739, neighbours=1883)
    >>> [round(compose(model, [model.edge_epsilon(1.0)] * times), 2) for times in (1, 10, 100, 1000)]
    [1.0, 10.07, 107.6, 1760.62]
    """
    return model.epsilon_of(math.fsum(etas))


def compose_zcdp(model: Belief, rhos: Iterable[float]) -> float:
    """Return the concentrated level, for one bit, of releases that are rho-zCDP per bit: W^2 times their sum.

    A defect of the model's coupling comes on top as a delta, once, however many releases there are.

    >>> from entrenous.words.beliefs import Group
    >>> compose_zcdp(Group(10), [0.01, 0.02])
    3.0
    """
    return model.w_inf() ** 2 * math.fsum(rhos)
