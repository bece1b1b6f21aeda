"""Linkage: what several releases of the same data tell together, and what a shared vault prevents.

Every release keeps its epsilon, and yet an attacker who holds k of them adds up what each tells: noise averages out,
the data does not. Basic composition says that k epsilon is all this can come to; here is how much of it an attacker
really gets. A vault that all releases are charged to refuses the one that would exceed its budget.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from entrenous import _check
from entrenous.attack.canaries.canary_edges import all_answers, asking, worlds
from entrenous.attack.canaries.canary_messages import Mailbox, counts_seen
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.lower_bound import BEYOND_DOUBT, CONFIDENCE, epsilon_lower_bound
from entrenous.attack.tools.setting import Play
from entrenous.errors import BudgetExceeded
from entrenous.network.mechanism import Request
from entrenous.unit import Unit
from entrenous.vault import Budget, Vault
from entrenous.words import histogram

__all__ = ["linkage", "releases_allowed"]


def linkage(
    releases: Sequence[int] = (1, 2, 4, 8),
    *,
    epsilon: float,
    trials: int = 1000,
    rng: int | None = None,
) -> list[Finding]:
    """Return what an attacker who holds several releases certainly gains, without a vault they share.

    Parameters
    ----------
    releases
        How many releases of the same data are held together.
    epsilon
        What each of them promises.
    trials
        The runs of each world.
    rng
        None for real noise, a seed for a rehearsal.

    Examples
    --------
    >>> [found.stated for found in linkage((1, 4), epsilon=1.0, trials=20, rng=3)]
    [1.0, 4.0, 1.0, 4.0]

    References
    ----------
    Dwork, McSherry, Nissim, Smith: Calibrating noise to sensitivity in private data analysis. TCC 2006 (composition).
    Ganta, Kasiviswanathan, Smith: Composition attacks and auxiliary information in data privacy. KDD 2008.
    """
    epsilon = _check.epsilon("epsilon", epsilon)
    generator = None if rng is None else np.random.default_rng(rng)
    attacked = [
        ("words: histogram", Unit.EDGE_CONTENT, _one_content(epsilon)),
        ("network: chung-lu", Unit.EDGE, _one_edge(epsilon)),
    ]
    return [
        _finding(name, unit, _scores(play, count, trials, generator), count, epsilon)
        for name, unit, play in attacked
        for count in releases
    ]


def releases_allowed(*, epsilon: float, budget: float, most: int = 10) -> int:
    """Return how many releases of one histogram a vault lets through before it refuses.

    >>> releases_allowed(epsilon=0.5, budget=1.0)
    2
    """
    table = Mailbox([{"gold": 1}, {}]).table()
    with tempfile.TemporaryDirectory() as folder:
        vault = Vault.create(Path(folder) / "attack.vault", Budget(epsilon=budget, unit=Unit.EDGE_CONTENT))
        for made in range(most):
            try:
                histogram(
                    table, vocabulary=["gold"], epsilon=epsilon, contribution=1, useless=True, vault=vault
                )
            except BudgetExceeded:
                return made
    return most


def _one_content(epsilon: float) -> Play:
    return counts_seen(Mailbox([{}, {}]), Mailbox([{"gold": 1}, {}]), epsilon=epsilon, contribution=1)


def _one_edge(epsilon: float) -> Play:
    return all_answers(asking("chung-lu", Request(epsilon, 2)), worlds(2), epsilon=epsilon)


def _scores(play: Play, count: int, trials: int, rng: np.random.Generator | None) -> list[list[float]]:
    """Return the scores of both worlds, with the canary first: each the sum over releases of one data set."""
    return [[sum(play(canary, rng) for _ in range(count)) for _ in range(trials)] for canary in (True, False)]


def _finding(name: str, unit: Unit, scores: list[list[float]], count: int, epsilon: float) -> Finding:
    bound, certain = (
        epsilon_lower_bound(*scores, confidence=confidence) for confidence in (CONFIDENCE, BEYOND_DOUBT)
    )
    return Finding(
        mechanism=f"{name}, {count} release{'s' if count > 1 else ''} without a vault",
        unit=str(unit),
        attack="what all releases tell, added up",
        stated=count * epsilon,
        measured=bound.epsilon,
        trials=2 * len(scores[0]),
        details={"releases": count, "epsilon of one": epsilon},
        beyond_doubt=certain.epsilon,
    )
