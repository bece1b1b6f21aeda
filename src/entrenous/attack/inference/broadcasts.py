"""A broadcast: whether a message to many is published, phrase by phrase, because it counts on each of its edges.

A message to sixty people lies on sixty edges. Who hides the content of one edge hides one of sixty copies, and phrases
that nobody but its author ever used are published as if sixty had used them. Units that hide a message count it once.
"""

from __future__ import annotations

import numpy as np

from entrenous import _check
from entrenous.attack.canaries.canary_broadcasts import OWN, UNITS, phrases_seen
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.lower_bound import BEYOND_DOUBT, CONFIDENCE, epsilon_lower_bound
from entrenous.unit import Unit
from entrenous.words.counting.holder import HOLDERS

__all__ = ["broadcasts"]

_OTHERS = 400  # ordinary messages; they say the words of the phrases so often that these are published
_UNPROTECTED = "edge-content"


def broadcasts(
    *,
    epsilon: float = 3.0,
    delta: float = 1e-5,
    trials: int = 60,
    rng: np.random.Generator | int | None = None,
) -> list[Finding]:
    """Return for each unit what a vocabulary tells of a message to sixty people with seven phrases of its own.

    For edge-content nothing is promised about a message: that finding shows a known limit.

    Parameters
    ----------
    epsilon, delta
        What each vocabulary promises for its unit.
    trials
        The runs with the message, and as many without.
    rng
        None for real noise, a seed for a rehearsal.

    Examples
    --------
    >>> limit, *hidden = broadcasts(trials=4, rng=1)
    >>> limit.details["phrases published"], limit.verdict
    (1.0, 'nothing promised')
    >>> max(found.details["phrases published"] for found in hidden) < 0.1
    True
    """
    epsilon, delta = _check.epsilon("epsilon", epsilon), _check.probability("delta", delta, positive=True)
    trials = _check.at_least("trials", trials, 2)
    source = None if rng is None else np.random.default_rng(rng)
    return [_finding(unit, epsilon, delta, trials, source) for unit in (_UNPROTECTED, *UNITS)]


def _finding(
    unit: str, epsilon: float, delta: float, trials: int, rng: np.random.Generator | None
) -> Finding:
    hidden = HOLDERS[unit].unit
    seen = phrases_seen(unit, epsilon=epsilon, delta=delta, others=_OTHERS)
    published = [[seen(canary, rng) for _ in range(trials)] for canary in (True, False)]
    scores = [[float(sum(phrases.values())) for phrases in world] for world in published]
    share = sum(map(len, published[0])) / (len(OWN) * trials)
    bound, certain = (
        epsilon_lower_bound(*scores, delta=delta, confidence=confidence)
        for confidence in (CONFIDENCE, BEYOND_DOUBT)
    )
    return Finding(
        mechanism=f"words: vocabulary, a broadcast to sixty, {hidden}",
        unit=str(hidden),
        attack="a message to sixty more; what is published of its own phrases",
        stated=None if hidden.factor(Unit.MESSAGE) is None else epsilon,
        measured=bound.epsilon,
        trials=2 * trials,
        delta=delta,
        details={"phrases published": share},
        beyond_doubt=certain.epsilon,
    )
