"""From what is promised to what a mechanism may spend, and back: the only door to dp-accounting.

`edge_level` turns an epsilon for attackers with a belief into the budget of ordinary mechanisms. Gaussian noise is
calibrated exactly: for edges that say nothing about each other by the normal law, under the Binomial model by the
privacy loss of the two laws an attacker must tell apart, composed over all n-grams of an edge. `compose` says what
all charges of a ledger cost together.

References
----------
Doroshenko, Ghazi, Kamath, Kumar, Manurangsi: Connect the dots. PoPETs 2022 (discretized privacy losses).
Zhu, Dong, Wang: Optimal accounting of differential privacy via characteristic function. AISTATS 2022 (pairs of laws
that dominate others compose).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from entrenous import _check
from entrenous.budget import Entry, NoiseEvent
from entrenous.errors import ArgumentError, MissingExtraError
from entrenous.guarantee import CORRELATED_EDGES, GRAPH_PUBLIC, KNOWN_SEED, Guarantee, Kind, Unit, exact
from entrenous.words.correlation import Binomial, Correlation, Group, Independent
from entrenous.words.gaussian import gaussian_epsilon, gaussian_mu, gaussian_scale
from entrenous.words.neighbourhood import largest_neighbourhood
from entrenous.words.noisy_laws import Pair, brackets, gaussian_pair, geometric_pair
from entrenous.words.wasserstein import LogPmf

__all__ = [
    "POSITIVE",
    "REPLACED",
    "UNITS",
    "EdgeLevel",
    "binomial_epsilon",
    "compose",
    "edge_level",
]

UNITS = ("edge", "sender")
REPLACED = "It holds also against learning that the content of an edge was replaced by another one."
POSITIVE = "Also, the attacker believes that no neighbour carries an n-gram less often if the edge has it than if not."
LEAST_EPSILON = 1e-9  # where a delta alone hides everything, a promise still has an epsilon
LEAST_DELTA = 1e-12  # below, the transforms that compose losses have no digits left
_EVALUATED = (
    1 - 1e-5
)  # of delta: ten times what cells and interpolation of noisy laws are estimated to leave out
_HAIR = 2e-4  # scales are found by search to this and rounded up


@dataclass(frozen=True)
class EdgeLevel:
    """What a mechanism may spend so that the promise asked for holds.

    Attributes
    ----------
    epsilon, delta
        What is to be promised.
    correlation
        What the attacker believes.
    contribution
        How many n-grams an edge, or a sender, carries at most.
    unit
        "edge" or "sender".
    replaced
        Whether also the replacement of a content by another one is to be hidden, which moves twice as many n-grams.
    """

    epsilon: float
    delta: float
    correlation: Correlation
    contribution: int
    unit: str
    replaced: bool

    @property
    def ngrams(self) -> int:
        """How many n-grams the protected change moves at most."""
        return self.contribution * (2 if self.replaced else 1)

    @property
    def ngram_epsilon(self) -> float:
        """The pure budget of each n-gram of an edge, eta: without any belief the count of one n-gram costs this."""
        return self.correlation.edge_epsilon(self.epsilon / self.ngrams) * (1 - 1e-12)

    @property
    def edge_epsilon(self) -> float:
        """The pure budget of the whole content of an edge, to be spent on all its n-grams together."""
        return self.contribution * self.ngram_epsilon

    @property
    def noise_delta(self) -> float:
        """What is left of delta for the mechanism; the coupling may fail for each n-gram the change moves."""
        return self.delta - self.ngrams * self.correlation.defect

    def check_graph(self, ends: ArrayLike) -> None:
        """Refuse a belief about fewer neighbours than the public graph has: its promise would leave some out.

        Parameters
        ----------
        ends
            One row per edge: the numbers of its two persons.
        """
        believed = getattr(self.correlation, "neighbours", None)
        if believed is not None and believed < (there := largest_neighbourhood(ends)):
            raise ArgumentError(
                "correlation",
                f"expected at least {there} neighbours, as many as an edge of this graph has; got {believed}; nothing "
                "was charged. Give the model the graph's own number, as in fit(public, neighbours="
                "corpus.largest_neighbourhood)",
            )

    def geometric_scale(self) -> float:
        """Return the scale of two-sided geometric noise on every count, 1 / eta or less where the model knows laws."""
        return self.correlation.laplace_scale(self.epsilon / self.ngrams) * (1 + 1e-12)

    def gaussian_scale(self) -> float:
        """Return the standard deviation of Gaussian noise on every count of edges (or senders).

        Every n-gram's count moves by at most `w_inf`, so that all together move by sqrt(n-grams) w_inf. Under the
        Binomial model exact accounting of all n-grams together mostly asks for less.
        """
        model = self.correlation
        if self.noise_delta <= 0:
            raise ArgumentError("delta", f"expected a delta above {self.delta:g} for Gaussian noise")
        coupled = gaussian_scale(self.epsilon, self.noise_delta, math.sqrt(self.ngrams) * model.w_inf())
        if not isinstance(model, Binomial) or model.w_inf() == 1 or self.noise_delta < LEAST_DELTA:
            return coupled
        return min(
            coupled,
            _binomial_gaussian_scale(model, self.epsilon, self.noise_delta, self.contribution, self.replaced),
        )

    def guarantee(
        self, event: NoiseEvent, *, rehearsal: bool, more: tuple[str, ...] = ()
    ) -> Guarantee | None:
        """Return the promise of a release with this noise, or None under a belief that only was measured.

        Parameters
        ----------
        event
            The noise, `repeats` numbers of which one content moves.
        rehearsal
            Whether it comes from a seed.
        more
            Further sentences it rests on.
        """
        model = self.correlation
        if not model.guaranteed:
            return None
        charged = self.charged(event)
        promise = partial(
            Guarantee,
            epsilon=self.epsilon,
            delta=self.delta,
            contribution=self.contribution,
            per_ngram=self._per_ngram(event),
        )
        sentences = (*((KNOWN_SEED,) if rehearsal else ()), GRAPH_PUBLIC, *more)
        if isinstance(model, Group):
            return promise(unit=Unit.GROUP, size=model.size, assumptions=sentences, level=charged)
        if not isinstance(model, Independent):
            exact_law = isinstance(model, Binomial) and event.mechanism == "gaussian"
            more = (*((POSITIVE,) if exact_law else ()), *((REPLACED,) if self.replaced else ()))
            sentences = (model.assumption, *more, *sentences)
            return promise(
                unit=Unit.CORRELATED_EDGE, kind=Kind.PUFFERFISH, assumptions=sentences, level=charged
            )
        sentences = (CORRELATED_EDGES, *sentences)
        if self.replaced:
            return promise(unit=_REPLACED[charged.unit], assumptions=sentences, level=charged)
        return promise(unit=charged.unit, assumptions=sentences)

    def charged(self, event: NoiseEvent) -> Guarantee:
        """Return what a ledger is charged: differential privacy of one content, no belief assumed."""
        unit = Unit.SENDER if self.unit == "sender" else Unit.EDGE_CONTENT
        if event.mechanism == "geometric":
            epsilon, delta = event.sensitivity * event.repeats / event.scale, event.delta
        else:
            delta = self.delta
            movement = event.sensitivity * math.sqrt(event.repeats) / event.scale
            epsilon = gaussian_epsilon(movement, delta - event.delta)
        return Guarantee(
            epsilon=max(epsilon, LEAST_EPSILON), delta=delta, unit=unit, contribution=self.contribution
        )

    def _per_ngram(self, event: NoiseEvent) -> float | None:
        """Return the epsilon of one n-gram alone, where more than one may move."""
        if self.ngrams == 1:
            return None
        if event.mechanism == "geometric":
            return self.epsilon / self.ngrams
        movement = self.correlation.w_inf() * event.sensitivity / event.scale
        delta = self.noise_delta - event.delta
        epsilon = gaussian_epsilon(movement, delta)
        if isinstance(self.correlation, Binomial) and delta >= LEAST_DELTA:
            two_laws = binomial_epsilon(self.correlation, "gaussian", event.scale, ngrams=1, delta=delta)
            epsilon = min(epsilon, two_laws)
        return max(epsilon, LEAST_EPSILON)


_REPLACED = {Unit.EDGE_CONTENT: Unit.REPLACED_CONTENT, Unit.SENDER: Unit.REPLACED_SENDER}


def edge_level(
    epsilon: float,
    correlation: Correlation,
    contribution: int,
    unit: str = "edge",
    delta: float = 0.0,
    *,
    replaced: bool = False,
) -> EdgeLevel:
    """Return what a mechanism may spend so that (epsilon, delta) holds for the whole content of an edge or sender.

    The n-grams of an edge are moved together, at most `contribution` of them, and are taken as independent of each
    other given the edge; so each gets an equal part of epsilon, which the model turns into an ordinary budget eta.

    Examples
    --------
    >>> level = edge_level(100.0, Binomial(p0=0.0277, p1=0.2739, neighbours=1883), contribution=1000)
    >>> round(1 / level.ngram_epsilon, 2), round(level.edge_epsilon, 4)
    (4646.29, 0.2152)
    >>> edge_level(100.0, Independent(), contribution=1000).ngram_epsilon.__round__(6)
    0.1
    """
    if not isinstance(correlation, Correlation):
        raise ArgumentError("correlation", f"expected a model of words; got {type(correlation).__name__}")
    _check.one_of("unit", unit, UNITS)
    if unit == "sender" and not isinstance(correlation, Independent):
        raise ArgumentError("correlation", "models speak of edges; senders take Independent()")
    if replaced and isinstance(correlation, Group):
        raise ArgumentError(
            "replaced", "a group is hidden as added or removed; take a group of twice the size"
        )
    level = EdgeLevel(
        epsilon=_check.epsilon("epsilon", epsilon),
        delta=_check.probability("delta", delta),
        correlation=correlation,
        contribution=_check.at_least("contribution", contribution, 1),
        unit=unit,
        replaced=replaced,
    )
    if level.noise_delta < 0:
        raise ArgumentError(
            "delta", f"expected at least {level.ngrams * correlation.defect:g}, what the coupling leaves over"
        )
    return level


# Two laws


def binomial_epsilon(
    model: Binomial, mechanism: str, scale: float, *, ngrams: int, delta: float, replaced: bool = False
) -> float:
    """Return the epsilon, at this delta, of the noisy counts of all n-grams of an edge under the Binomial model.

    The privacy losses of `ngrams` independent pairs of laws are composed, for the worst neighbourhood up to the
    model's largest. `replaced`: as many n-grams more are moved the other way.

    Examples
    --------
    >>> paper = Binomial(p0=0.0277, p1=0.2739, neighbours=1883)
    >>> round(binomial_epsilon(paper, "geometric", 5580, ngrams=1000, delta=1e-5), 1)
    13.8
    """
    blur = {"gaussian": gaussian_pair, "geometric": geometric_pair}[mechanism]
    return max(
        _pair_epsilon(blur, absent, present, scale, ngrams, delta, replaced)
        for absent, present in brackets(model.neighbours, model.p0, model.p1)
    )


def _pair_epsilon(
    blur: Callable[[LogPmf, LogPmf, float], Pair],
    absent: LogPmf,
    present: LogPmf,
    scale: float,
    ngrams: int,
    delta: float,
    replaced: bool,
) -> float:
    pair = blur(absent, present, scale)
    removing = _loss(pair.present, pair.absent).self_compose(ngrams)
    adding = _loss(pair.absent[::-1], pair.present[::-1]).self_compose(ngrams)
    if not replaced:
        return float(max(loss.get_epsilon_for_delta(delta * _EVALUATED) for loss in (adding, removing)))
    step = _loss_step(pair.present, pair.present - pair.absent)
    adding = _loss(pair.absent[::-1], pair.present[::-1], step).self_compose(ngrams)
    return float(removing.compose(adding).get_epsilon_for_delta(delta * _EVALUATED))


def _loss(upper: LogPmf, lower: LogPmf, step: float | None = None) -> Any:
    """Return the privacy loss of two laws whose ratio never falls, on a grid and never understated.

    Losses so large that only 1e-20 lies beyond count as infinite, losses as small as smallest.
    """
    ratio = np.maximum.accumulate(upper - lower)
    step = _loss_step(upper, ratio) if step is None else step
    tail = np.append(np.cumsum(np.exp(upper[::-1]))[::-1], 0.0)
    log_other = np.append(np.logaddexp.accumulate(lower[::-1])[::-1], -math.inf)
    least = ratio[max(np.searchsorted(-tail, 1e-20 - tail[0]) - 1, 0)]
    most = ratio[np.searchsorted(-tail, -1e-20) - 1]
    rounded = np.arange(math.floor(least / step), math.ceil(most / step) + 1)
    first = np.searchsorted(ratio, rounded * step, side="right")
    deltas = np.clip(tail[first] - np.exp(rounded * step + log_other[first]), 0.0, 1.0)
    return _dp_accounting().pld.pld_pmf.create_pmf_pessimistic_connect_dots(
        step, rounded, np.minimum.accumulate(deltas)
    )


def _loss_step(upper: LogPmf, ratio: LogPmf) -> float:
    """Return a fortieth of the deviation of a loss: the grid then adds less than a thousandth to its variance."""
    weights = np.exp(upper)
    mean = weights @ ratio / weights.sum()
    return float(math.sqrt(weights @ (ratio - mean) ** 2 / weights.sum())) / 40


@lru_cache(maxsize=64)
def _binomial_gaussian_scale(
    model: Binomial, epsilon: float, delta: float, contribution: int, replaced: bool
) -> float:
    """Return the least Gaussian scale that keeps epsilon for every neighbourhood.

    It is sought for the most telling pair of laws alone and then tried on all others.
    """
    pairs = list(brackets(model.neighbours, model.p0, model.p1))

    def cost(pair: tuple[LogPmf, LogPmf], scale: float) -> float:
        return _pair_epsilon(gaussian_pair, *pair, scale, contribution, delta, replaced)

    low = gaussian_scale(epsilon, delta, math.sqrt(contribution * (2 if replaced else 1)))  # one edge alone
    scale = low * (1 + model.neighbours * (model.p1 - model.p0))
    while True:
        costs = [cost(pair, scale) for pair in pairs]
        if low == scale and max(costs) <= epsilon:
            return scale
        worst = pairs[int(np.argmax(costs))]
        low = scale = _least_scale(partial(cost, worst), epsilon, delta, low, scale)


def _least_scale(
    cost: Callable[[float], float], epsilon: float, delta: float, low: float, scale: float
) -> float:
    """Return the least scale, rounded up, whose cost is epsilon at most; more noise never costs more.

    Composed losses are nearly normal, so that the next scale is found as if they were.
    """
    high = math.inf
    while high > low * (1 + _HAIR):
        here = cost(scale)
        low, high = (low, scale) if here <= epsilon else (scale, high)
        guess = scale * 2
        if 0 < here < math.inf:
            guess = scale * gaussian_mu(here, delta) / gaussian_mu(epsilon, delta)
        guess *= 1 + _HAIR / 4 if here > epsilon else 1 - _HAIR / 4
        scale = guess if low < guess < high else math.sqrt(low * min(high, 2 * low))
    return high


# Composition


def compose(entries: Iterable[Entry], *, delta: float) -> float:
    """Return the epsilon of all charges together at a delta, by exact composition of their noise.

    Entries whose noise is not known enter with the epsilon and delta they were charged. Where delta covers what was
    charged of it, the result is never more than the sum of the charges; where it covers too little, it is infinite.

    Parameters
    ----------
    entries
        The charges, from `Ledger.entries`.
    delta
        What may be spent of delta for all of them.

    Examples
    --------
    >>> from decimal import Decimal
    >>> noise = NoiseEvent("geometric", scale=100.0, repeats=100)
    >>> charge = Entry(1, "", Decimal(1), Decimal(0), "words histogram", False, noise)
    >>> round(compose([charge], delta=1e-6), 3), compose([charge], delta=0)
    (0.392, 1.0)
    """
    entries = tuple(entries)
    covered = exact(delta) >= sum(Fraction(entry.delta) for entry in entries)
    total = float(sum(entry.epsilon for entry in entries))
    paid = sum(entry.event.delta for entry in entries if entry.event is not None)
    if delta <= paid or not any(entry.event for entry in entries):
        return total if covered else math.inf
    step = _composition_step(entries, total)
    losses = [_entry_loss(entry, step) for entry in entries]
    together = losses[0]
    for loss in losses[1:]:
        together = together.compose(loss)
    epsilon = float(together.get_epsilon_for_delta(delta - paid))
    return min(total, epsilon) if covered else epsilon


def _composition_step(entries: Iterable[Entry], total: float) -> float:
    """Return a grid as fine as the smallest loss asks for and as coarse as memory does."""
    smallest = min(
        entry.event.sensitivity / entry.event.scale if entry.event else float(entry.epsilon)
        for entry in entries
    )
    return max(min(smallest / 4, 1e-3), total / 200_000)


def _entry_loss(entry: Entry, step: float) -> Any:
    """Return the privacy loss of a charge. Whatever is eta-DP is dominated by a coin that tells the bit with eta."""
    distribution = _dp_accounting().pld.privacy_loss_distribution
    event = entry.event
    if event is not None and event.mechanism == "gaussian":
        return distribution.from_gaussian_mechanism(
            event.scale,
            sensitivity=event.sensitivity * math.sqrt(event.repeats),
            value_discretization_interval=step,
        )
    if event is None and entry.delta:
        parameters = _dp_accounting().pld.common.DifferentialPrivacyParameters(
            float(entry.epsilon), float(entry.delta)
        )
        return distribution.from_privacy_parameters(parameters, value_discretization_interval=step)
    eta = float(entry.epsilon) if event is None else event.sensitivity / event.scale
    wrong, right = -math.log1p(math.exp(eta)), -math.log1p(math.exp(-eta))
    coin = _loss(np.array([wrong, right]), np.array([right, wrong]), step)
    return distribution.PrivacyLossDistribution(coin.self_compose(1 if event is None else event.repeats))


def _dp_accounting() -> Any:
    try:
        import dp_accounting
        from dp_accounting.pld import common, pld_pmf, privacy_loss_distribution  # noqa: F401
    except ImportError:
        raise MissingExtraError("words", "exact accounting") from None
    return dp_accounting
