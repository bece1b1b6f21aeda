"""What a noisy count of an n-gram tells about one edge: the attack that promises about words have to withstand.

The attacker wants to know whether one edge carries one n-gram. They know what all edges outside its neighbourhood
carry, have a belief about its neighbours, and read the released count. Both distributions of that count, edge carrying
or not, are known exactly, so the attacker's posterior odds are exact as well, and nothing here is simulated. (What is
known for certain only shifts the count, and the shift is subtracted.)

An edge-level release hides the edge's own bit alone. If neighbours talk alike, hundreds of bits move with it, and the
count tells the edge's bit all the same: attribute disclosure. A correlated-edge release has as much noise as the
belief asks for, and a group release as much as any belief could.

References
----------
Shafieinejad, Inan, Hasegawa, Sim: On privacy and confidentiality of communications in organizational graphs (2021).
Kifer, Machanavajjhala: No free lunch in data privacy. SIGMOD 2011 (why correlation matters).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.roc import Roc
from entrenous.errors import ArgumentError
from entrenous.words.beliefs import Belief, Binomial, Global, Group, Independent
from entrenous.words.counting.table import NeighbourCounts
from entrenous.words.histogram import HistogramRequest
from entrenous.words.prediction import Noisy
from entrenous.words.pufferfish.noisy_distributions import Pair, gaussian_pair, geometric_pair
from entrenous.words.pufferfish.wasserstein import LogPmf

__all__ = [
    "RELEASES",
    "Disclosure",
    "attackers",
    "disclose",
    "disclose_mail",
    "disclosures",
    "odds_change",
]

RELEASES = ("edge level", "correlated edge", "group")
"""What a publisher may choose to hide, from the least to the most."""


@dataclass(frozen=True)
class Disclosure:
    """What an attacker with a belief gains from one kind of release.

    Attributes
    ----------
    release, attacker
        What was published, and what the attacker believes, in a few words.
    epsilon, delta
        What the release promises to those who believe what it assumes.
    promised
        Whether the promise covers this attacker's belief.
    noise
        The distribution of the noise.
    log_odds
        The logarithm of the largest factor by which the odds of the edge carrying the n-gram move, either way.
    typical
        The same for the median release, if the edge does carry it.
    roc
        How well an attacker tells edges that carry it from those that do not.
    """

    release: str
    attacker: str
    epsilon: float
    delta: float
    promised: bool
    noise: Noisy
    log_odds: float
    typical: float
    roc: Roc = field(repr=False)

    @property
    def error(self) -> float:
        """The standard deviation of the released count: what privacy costs."""
        return self.noise.deviation

    def posterior(self, prior: float) -> float:
        """Return how sure the attacker is after the median release, if the edge carries it, who thought it so likely.

        >>> made = disclosures(Binomial(p0=0.0277, p1=0.2739, neighbours=1883), epsilon=1.0)
        >>> [round(made[name].posterior(0.1), 2) for name in RELEASES]
        [1.0, 0.23, 0.12]
        """
        before = _check.probability("prior", prior, positive=True)
        return float(1 / (1 + (1 - before) / before * math.exp(-min(self.typical, 700.0))))

    def finding(self) -> Finding:
        """Return this as a finding: the log of the odds factor is compared with epsilon."""
        return Finding(
            mechanism=f"words: histogram, {self.release} ({self.noise.mechanism} noise)",
            unit="edge content" if self.release == "edge level" else self.release,
            attack=f"exact odds of an attacker who believes: {self.attacker}",
            stated=self.epsilon if self.promised else None,
            measured=self.log_odds * (1 - 1e-9),  # computed by floats from a scale that meets epsilon exactly
            confidence=1.0,
            delta=self.delta,
            details={
                "auc": self.roc.auc,
                "advantage": self.roc.advantage,
                "typical": self.typical,
                "error": self.error,
            },
        )


def odds_change(pair: Pair, delta: float = 0.0) -> float:
    """Return the log of the largest factor by which outputs move the odds, leaving out a probability of delta.

    The delta is that of differential privacy: the least epsilon for which, in both directions, P[S] <= e^epsilon
    Q[S] + delta for every set S of outputs.

    >>> truth, lie = np.log([0.25, 0.75]), np.log([0.75, 0.25])
    >>> round(odds_change(Pair(lie, truth)), 4), odds_change(Pair(lie, truth), delta=0.5)
    (1.0986, 0.0)
    """
    ratio = pair.present - pair.absent
    largest = float(np.abs(ratio).max())
    if delta == 0:
        return largest
    low, high = 0.0, largest
    if max(_left_over(pair, low)) <= delta:
        return low
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if max(_left_over(pair, middle)) <= delta else (middle, high)
    return high


def _left_over(pair: Pair, epsilon: float) -> tuple[float, float]:
    """Return by how much the likelier sets of each world exceed e^epsilon times their probability in the other."""
    ratio = pair.present - pair.absent
    with np.errstate(over="ignore"):
        forth = np.exp(pair.present) * -np.expm1(np.minimum(epsilon - ratio, 0.0))
        back = np.exp(pair.absent) * -np.expm1(np.minimum(epsilon + ratio, 0.0))
    return float(forth.sum()), float(back.sum())


def disclose(
    belief: Belief,
    noise: Noisy,
    *,
    epsilon: float,
    delta: float = 0.0,
    release: str = "a release",
    attacker: str = "what the release assumes",
    promised: bool = True,
) -> Disclosure:
    """Return what a count with this noise tells an attacker with this belief, exactly.

    Parameters
    ----------
    belief
        What the attacker believes about neighbours.
    noise
        The distribution of the noise, as on the card of a histogram (`Histogram.noise`).
    epsilon, delta, release, attacker, promised
        What is promised, and names for the two sides.

    Examples
    --------
    Plain edge-level privacy at epsilon 1 against the belief of the paper: the odds move by a factor of 10^278.

    >>> paper = Binomial(p0=0.0277, p1=0.2739, neighbours=1883)
    >>> found = disclose(paper, Noisy("geometric", 1.0), epsilon=1.0)
    >>> round(found.log_odds / math.log(10)), round(found.roc.auc, 6)
    (278, 1.0)
    """
    pair = _noisy(belief.count_distributions(), noise)
    return Disclosure(
        release=release,
        attacker=attacker,
        epsilon=_check.epsilon("epsilon", epsilon),
        delta=_check.probability("delta", delta),
        promised=promised,
        noise=noise,
        log_odds=odds_change(pair, delta),
        typical=_median(pair.present - pair.absent, pair.present),
        roc=Roc.of_distributions(pair.absent, pair.present),
    )


def disclosures(
    belief: Binomial | Global, *, epsilon: float, noise: str = "geometric", delta: float | None = None
) -> dict[str, Disclosure]:
    """Return what an attacker gains from each of `RELEASES`, all at the same epsilon for one n-gram.

    Examples
    --------
    >>> made = disclosures(Binomial(p0=0.0277, p1=0.2739, neighbours=1883), epsilon=1.0)
    >>> {name: round(found.log_odds, 3) for name, found in made.items()}
    {'edge level': 639.709, 'correlated edge': 1.0, 'group': 0.247}
    >>> {name: round(found.error) for name, found in made.items()}
    {'edge level': 1, 'correlated edge': 658, 'group': 2664}
    """
    size = len(belief.count_distributions()[0]) - 1
    models = dict(zip(RELEASES, (Independent(), belief, Group(size)), strict=True))
    made = {
        name: HistogramRequest.checked(
            epsilon=epsilon, contribution=1, correlation=model, noise=noise, delta=delta
        )
        for name, model in models.items()
    }
    return {
        name: disclose(
            belief,
            each.noise,
            epsilon=epsilon,
            delta=delta or 0.0,
            release=name,
            attacker="neighbours talk alike",
            promised=name != "edge level",
        )
        for name, each in made.items()
    }


def attackers(belief: Binomial | Global, *, epsilon: float) -> list[Disclosure]:
    """Set every release against every attacker: who knows the others, who believes, and who expects mere copies.

    A promise covers an attacker whose belief is no stronger than the one it was made for. The table shows both sides:
    what is covered holds, and what is not covered does not hold by luck.

    >>> made = attackers(Binomial(p0=0.1, p1=0.6, neighbours=30), epsilon=1.0)
    >>> sum(found.promised for found in made), any(found.finding().broken for found in made)
    (6, False)
    >>> all(found.log_odds > 1.01 for found in made if not found.promised)
    True
    """
    size = len(belief.count_distributions()[0]) - 1
    beliefs: Mapping[str, Belief] = {
        "knows all other edges": Independent(),
        "neighbours talk alike": belief,
        "neighbours are copies": Group(size),
    }
    releases = disclosures(belief, epsilon=epsilon)
    strength = list(beliefs)
    return [
        disclose(
            believed,
            made.noise,
            epsilon=epsilon,
            release=release,
            attacker=attacker,
            promised=strength.index(attacker) <= RELEASES.index(release),
        )
        for release, made in releases.items()
        for attacker, believed in beliefs.items()
    ]


def disclose_mail(counts: NeighbourCounts, belief: Binomial, noise: Noisy | None) -> Roc:
    """Return how well such an attacker does on a real corpus: over all its edges and n-grams, noise computed exactly.

    For each edge and n-gram the attacker reads the count of the edge and its neighbours, with noise, and orders
    edges by the odds that the belief gives for a neighbourhood of its size. What is true is taken from the corpus,
    not from the belief. Private: computed from what the corpus says.

    Parameters
    ----------
    counts
        What neighbours of edges carry (`Corpus.neighbour_counts`).
    belief
        p0 and p1; the size of each neighbourhood is public.
    noise
        The distribution of the noise; None for true counts.

    Examples
    --------
    >>> from entrenous.words.counting.neighbours import neighbour_counts
    >>> from entrenous.words.counting.table import Table
    >>> team = [{"gold": 1}] * 6 + [{"lunch": 1}] * 6  # two teams, each with a word of its own
    >>> table = Table.from_counts(team, ends=[(i // 6 * 9, i + 1 + i // 6 * 9) for i in range(12)])
    >>> found = neighbour_counts(table)
    >>> belief = Binomial(p0=0.1, p1=0.9, neighbours=5)
    >>> [round(disclose_mail(found, belief, noise).auc, 2) for noise in (None, Noisy("geometric", 20.0))]
    [1.0, 0.57]
    """
    scores, absent, present = [], [], []
    for size in np.unique(counts.size).tolist():
        here = counts.size == size
        true = [np.zeros(size + 2) for _ in range(2)]
        for bit in (0, 1):
            rows = here & (counts.carried == bit)
            np.add.at(true[bit], counts.neighbours[rows] + bit, counts.pairs[rows].astype(np.float64))
        believed = Binomial(belief.p0, belief.p1, size).count_distributions()
        if noise is None:
            with np.errstate(invalid="ignore"):  # of counts that neither world believes in
                ratio = np.nan_to_num(believed[1] - believed[0], nan=0.0, posinf=1e9, neginf=-1e9)
            masses = (true[0], true[1])
        else:
            pair = _noisy(believed, noise)
            ratio, masses = pair.present - pair.absent, _blurred(true, noise)
        scores.append(ratio)
        absent.append(masses[0])
        present.append(masses[1])
    return Roc.of_masses(*(np.concatenate(part) for part in (scores, absent, present)))


def _noisy(distributions: tuple[LogPmf, LogPmf], noise: Noisy) -> Pair:
    return (geometric_pair if noise.mechanism == "geometric" else gaussian_pair)(*distributions, noise.scale)


def _blurred(
    masses: Iterable[NDArray[np.float64]], noise: Noisy
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return weights of counts after geometric noise; outputs are those of `geometric_pair`."""
    if noise.mechanism != "geometric":
        raise ArgumentError("noise", "expected geometric noise; got Gaussian")
    with np.errstate(divide="ignore"):
        logs = tuple(np.log(mass) for mass in masses)
    pair = geometric_pair(logs[0], logs[1], noise.scale)
    return np.exp(pair.absent), np.exp(pair.present)


def _median(values: NDArray[np.float64], distribution: LogPmf) -> float:
    """Return the median of values that have these logarithms of probabilities."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(np.exp(distribution[order]))
    return float(values[order][np.searchsorted(total, total[-1] / 2)])
