"""What somebody who knows some of the links of an obfuscated graph learns about the others, exactly.

LORA keeps the number of edges of every link class. Who knows the hierarchy and these numbers believes in a link of a
class of N pairs with e edges with probability e / N. Who moreover knows K other pairs of the class, L of them edges,
believes in it with probability (e - L) / (N - K): all of the class's remaining edges are among the remaining pairs.
Who knows all but one knows the last. L itself is hypergeometric, so everything here is a finite sum, none of it drawn.

References
----------
Xiao, Wang & Tan (2011), LORA: link obfuscation by randomization in graphs, Secure Data Management, LNCS 6933.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.roc import Roc
from entrenous.errors import ArgumentError
from entrenous.links.obfuscation import Obfuscated, as_obfuscation

__all__ = ["SHARES", "SURE", "KnownLinks", "known_links"]

SHARES = (0.0, 0.5, 0.9, 1.0)
"""Shares of each class that an attacker is tried with; 1 is all of a class but the link in question."""

SURE = 0.9
_REACH = 12.0  # standard deviations of L that are looked at; beyond lies less than 1e-30

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class KnownLinks:
    """What an attacker who knows the hierarchy, and a share of every class, can say about single links.

    Attributes
    ----------
    share
        The share of the other pairs of each class that is known.
    prior, posterior
        The mean probability that the attacker gives to true ties: by the density of the graph alone, and after all.
    sure, certain
        The share of true ties that are given a probability of at least `SURE`, and of 1.
    bits
        How much is open about a single pair after all, on average.
    roc
        How well ties are told from pairs that are not tied.
    """

    share: float
    prior: float
    posterior: float
    sure: float
    certain: float
    bits: float
    roc: Roc = field(repr=False)

    def finding(self) -> Finding:
        """Return this as a finding; nothing is promised."""
        return Finding(
            mechanism="links: LORA",
            unit="link",
            attack=f"knows the hierarchy and {100 * self.share:g} % of each class",
            stated=None,
            measured=self.certain,
            quantity="share of ties known for certain",
            confidence=1.0,
            details={
                "auc": self.roc.auc,
                "advantage": self.roc.advantage,
                "prior": self.prior,
                "posterior": self.posterior,
                "sure": self.sure,
                "bits": self.bits,
            },
        )


def known_links(released: Obfuscated, share: float) -> KnownLinks:
    """Return what knowing a share of every link class tells about the links that are left.

    Parameters
    ----------
    released
        A release of `links.obfuscate` with its private half, or its distribution.
    share
        From 0, the hierarchy alone, to 1, all of a class but the link asked about.

    Examples
    --------
    >>> from entrenous import Graph
    >>> from entrenous.hrg import Dendrogram
    >>> from entrenous.links import Obfuscation
    >>> two_triangles = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)
    >>> hidden = Obfuscation.of(two_triangles, Dendrogram.from_nested((((0, 1), 2), (3, (4, 5)))))
    >>> [round(known_links(hidden, share).posterior, 3) for share in (0.0, 0.5, 1.0)]
    [0.873, 0.886, 1.0]
    """
    if not 0 <= share <= 1:
        raise ArgumentError("share", f"expected a number from 0 to 1; got {share!r}")
    hidden = as_obfuscation(released)
    if hidden.m in (0, int(hidden.pairs.sum())):
        raise ArgumentError("released", "expected some pairs with an edge and some without; got one kind")
    parts = [
        _class_posteriors(N, e, round(share * (N - 1)))
        for N, e in zip(hidden.pairs.tolist(), hidden.edges.tolist(), strict=True)
    ]
    posterior, tied, free = (np.concatenate(column) for column in zip(*parts, strict=True))
    all_pairs = float(tied.sum() + free.sum())
    return KnownLinks(
        share=float(share),
        prior=hidden.m / all_pairs,
        posterior=float(tied @ posterior / hidden.m),
        sure=float(tied[posterior >= SURE].sum() / hidden.m),
        certain=float(tied[posterior == 1].sum() / hidden.m),
        bits=float((tied + free) @ _bits(posterior) / all_pairs),
        roc=Roc.of_masses(posterior, free, tied),
    )


def _class_posteriors(N: int, e: int, K: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what may be believed of a link of a class, and how many ties and other pairs it will be believed of."""
    centre, spread = K * e / N, math.sqrt(K * e * (N - e) + 1) / N
    low = max(0, K - (N - e), math.floor(centre - _REACH * spread - _REACH))
    high = min(e, K, math.ceil(centre + _REACH * spread + _REACH))
    L = np.arange(low, high + 1)
    # Whichever pair is asked about, L is hypergeometric among the N - 1 others, of which e, or e - 1, are edges.
    tied, free = _hypergeometric(L, N - 1, e - 1, K), _hypergeometric(L, N - 1, e, K)
    return (e - L) / (N - K), e * tied, (N - e) * free


def _hypergeometric(L: NDArray[np.int64], N: int, e: int, K: int) -> FloatArray:
    """Return the probabilities of L edges among K of N pairs that have e in all; all 0 if there is no such class."""
    from scipy.special import gammaln

    possible = (max(0, K - (N - e)) <= L) & (min(e, K) >= L) & (0 <= e <= N)
    chances = np.zeros(len(L))
    if not possible.any():
        return chances
    k = L[possible].astype(np.float64)
    logs = -gammaln(k + 1) - gammaln(e - k + 1) - gammaln(K - k + 1) - gammaln(N - e - K + k + 1)
    weights = np.exp(logs - logs.max())
    chances[possible] = weights / weights.sum()
    return chances


def _bits(probability: FloatArray) -> FloatArray:
    """Return the entropy of a yes or no of this probability."""
    both = np.stack([probability, 1 - probability])
    return np.asarray(-(both * np.log2(both, where=both > 0, out=np.zeros_like(both))).sum(axis=0))
