"""One release of the user's own network with many canary ties, and what it proves about its epsilon.

Thousands of ties are planted between pairs that are not tied, each by a fair coin. The network is released once, by
the real code and with real noise. One attacker sees every answer that the release was made of, another the published
graph alone. From how many coins they guess follows how much epsilon there is at the least.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.attack.one_run.canary_ties import CanaryTies, place
from entrenous.attack.one_run.coin_bounds import guess, most_telling, pure_epsilon
from entrenous.attack.one_run.published_evidence import learn
from entrenous.attack.one_run.tie_evidence import all_evidence
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.lower_bound import BEYOND_DOUBT, CONFIDENCE
from entrenous.attack.tools.recorder import Recorder
from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.network import MECHANISMS
from entrenous.network.mechanism import Mechanism
from entrenous.network.release import check_request, drawn
from entrenous.network.statistics.passing_pairs import choose_filter

__all__ = ["Outcome", "judged", "planted_ties", "run_once", "usual_canaries"]

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

_FEWEST = 20  # canaries: with fewer, even an attacker who is always right proves next to nothing
#: Two canaries at a node hide each other a little, and are twice as many: worth it where guesses are weak.
_CROWDED_BELOW = 1.5
#: For `owner`, at each node where epsilon is 1, fewer where it is more: a tie moves one draw of slots, and few show it.
_OWNED, _MOST_OWNED = 32, 100_000
#: Where single pairs are published, only those that pass say much: so many of them are wished for.
_PASSING = 7000
_MOST = 2_000_000


@dataclass(frozen=True, eq=False)
class Outcome:
    """One release of a graph with canaries: what was noted, and what is published."""

    recorder: Recorder
    published: Graph


def planted_ties(
    graph: Graph,
    *,
    epsilon: float,
    method: str = "owner",
    canaries: int | None = None,
    added: int = 0,
    published: bool = True,
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[Finding]:
    """Release a network once with many canary ties, and return what two attackers prove about its epsilon.

    The first finding is that of an attacker who sees all answers, the second that of one who sees the published graph.
    Both tell about the private graph; nothing that was released here is meant to be published.

    Parameters
    ----------
    graph
        The private graph. Its own ties stay.
    epsilon, method
        As for `entrenous.network.release`.
    canaries
        How many pairs get a coin; by default see `usual_canaries`.
    added
        Nodes without ties to add, so that there is room for more canaries. The public list of nodes is then a
        longer one than the user's.
    published
        Whether the weaker attacker is tried as well, who needs a second release to rehearse on.
    rng
        None for real noise; a seed makes a rehearsal, noise included.
    progress
        Called with steps made and steps in all.

    Examples
    --------
    >>> from entrenous import datasets
    >>> found = planted_ties(datasets.karate_club(), epsilon=4.0, method="chung-lu", added=1000, rng=1)
    >>> [each.attack for each in found]
    ['one release, 517 canary ties, all answers', 'one release, 517 canary ties, published graph']
    >>> 2 < found[0].measured < 4, found[0].broken
    (True, False)

    References
    ----------
    Steinke, Nasr, Jagielski: Privacy auditing with one (1) training run. NeurIPS 2023.
    """
    mechanism = MECHANISMS[_check.one_of("method", method, MECHANISMS)]
    check_request(graph, mechanism, epsilon=epsilon)
    count = (
        usual_canaries(graph, epsilon=epsilon, method=method, added=added) if canaries is None else canaries
    )
    if _check.at_least("canaries", count, 1) < _FEWEST:
        raise ArgumentError(
            "canaries", f"expected {_FEWEST} or more; got {count}. On a small graph, add nodes"
        )
    seed = None if rng is None else np.random.default_rng(rng)
    chance = np.random.default_rng() if seed is None else seed
    tick = progress or _silent
    ties = place(graph, count, added=added, rng=chance)
    coins, steps = ties.toss(chance), 2 + 2 * published
    tick(1, steps)
    outcome = run_once(ties, coins, mechanism, epsilon=epsilon, rng=seed)
    tick(2, steps)
    found = [
        judged(all_evidence(outcome.recorder.said, ties), coins, ties, mechanism, epsilon, "all answers")
    ]
    if published:
        own = ties.toss(chance)
        rehearsed = run_once(ties, own, mechanism, epsilon=epsilon, rng=chance)
        tick(3, steps)
        spoken = learn(ties, own, rehearsed.published).evidence(ties, outcome.published)
        found.append(judged(spoken, coins, ties, mechanism, epsilon, "published graph"))
        tick(4, steps)
    return found


def _silent(done: int, total: int) -> None:
    pass


def usual_canaries(graph: Graph, *, epsilon: float, method: str, added: int = 0) -> int:
    """Return how many canaries are planted where nobody says how many.

    One at each node, or two where epsilon is small. For `owner` there are more, the more the smaller epsilon is: only
    a part of it goes to degrees, and few draws of slots say much. A method that publishes pairs one by one says
    little about those that do not pass; it gets so many canaries that thousands pass, two million at most.

    >>> sparse = Graph.from_edges([(0, 1), (1, 2)], n=1000)
    >>> [usual_canaries(sparse, epsilon=epsilon, method="chung-lu") for epsilon in (1.0, 4.0)]
    [1000, 500]
    """
    n = graph.n + added
    pairs = n * (n - 1) // 2
    most = max((pairs - graph.m) // 2, 1)
    if method != "tmf":
        count = n * (1 + (epsilon < _CROWDED_BELOW)) // 2
        if method == "owner":
            count = min(max(n, _MOST_OWNED), n * max(round(_OWNED / epsilon**2), 2) // 2)
        return min(count, most)
    count = n
    while count < min(most, _MOST):
        chances = choose_filter(epsilon, pairs, min(graph.m + count // 2, pairs))
        if count * (chances.kept + chances.invented) / 2 >= _PASSING:
            break
        count = count * 5 // 4 + 1
    return min(count, most, _MOST)


def run_once(
    ties: CanaryTies,
    coins: Coins,
    mechanism: Mechanism,
    *,
    epsilon: float,
    rng: np.random.Generator | None,
) -> Outcome:
    """Release the graph with the canaries whose coins say so, by the real code, and take notes."""
    planted = ties.planted(coins)
    recorder = Recorder(rng, public=int((rng or np.random.default_rng()).integers(2**31)))
    made, _ = drawn(planted, mechanism, check_request(planted, mechanism, epsilon=epsilon), recorder)
    return Outcome(recorder, made.artifact)


def judged(
    scores: Floats, coins: Coins, ties: CanaryTies, mechanism: Mechanism, epsilon: float, seen: str
) -> Finding:
    """Guess as many coins as the scores are worth, then look at the coins, and return what that proves."""
    found = guess(scores, coins, most_telling(scores))
    return Finding(
        f"network: {mechanism.name}",
        "edge",
        f"one release, {len(coins):,} canary ties, {seen}",
        stated=epsilon,
        measured=pure_epsilon(found, confidence=CONFIDENCE),
        confidence=CONFIDENCE,
        trials=1,
        beyond_doubt=pure_epsilon(found, confidence=BEYOND_DOUBT),
        details={
            "canaries": found.canaries,
            "added nodes": ties.added,
            "guesses": found.made,
            "right": found.right,
        },
    )
