"""From what is promised to what a mechanism may spend, and back.

`edge_level` turns an epsilon for attackers with a belief into the budget of ordinary mechanisms: the scale of geometric
or Gaussian noise, and the promise that a release with this noise keeps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from numpy.typing import ArrayLike

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.guarantee import CORRELATED_EDGES, GRAPH_PUBLIC, KNOWN_SEED, Guarantee, Kind
from entrenous.price import NoiseEvent, gaussian_epsilon, gaussian_scale
from entrenous.unit import Unit
from entrenous.words.beliefs.correlation import Binomial, Correlation, Group, Independent
from entrenous.words.counting.neighbourhood import largest_neighbourhood
from entrenous.words.pufferfish.accounting import LEAST_DELTA, binomial_epsilon, binomial_gaussian_scale

__all__ = ["POSITIVE", "REPLACED", "UNITS", "EdgeLevel", "edge_level"]

UNITS = ("edge", "sender")
REPLACED = "It holds also against learning that the content of an edge was replaced by another one."
POSITIVE = "Also, the attacker believes that no neighbour carries an n-gram less often if the edge has it than if not."
LEAST_EPSILON = 1e-9  # where a delta alone hides everything, a promise still has an epsilon


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
        """Return the scale of two-sided geometric noise on every count: 1 / eta, or less by exact calibration."""
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
            binomial_gaussian_scale(model, self.epsilon, self.noise_delta, self.contribution, self.replaced),
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
            exact_distribution = isinstance(model, Binomial) and event.mechanism == "gaussian"
            more = (*((POSITIVE,) if exact_distribution else ()), *((REPLACED,) if self.replaced else ()))
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
            two_distributions = binomial_epsilon(
                self.correlation, "gaussian", event.scale, ngrams=1, delta=delta
            )
            epsilon = min(epsilon, two_distributions)
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
