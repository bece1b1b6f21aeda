"""What several releases cost together, for one unit: the sum, and exactly.

The *sum* adds epsilons and deltas. *Exact* composition counts every release as normal noise that tells at least as
much: its mu, whose squares add up. Both hold if each order is chosen by looking at all earlier releases, for their
ceilings are fixed when the budget is (docs/guarantees.md, "The vault").
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from entrenous.errors import MissingExtraError
from entrenous.guarantee import exact
from entrenous.price import coins_mu, compose, gaussian_epsilon, gaussian_mu
from entrenous.unit import Unit
from entrenous.vault.budget import Budget
from entrenous.vault.chain.entry import Promise

__all__ = ["Charge", "Cost", "Total", "as_decimal", "in_advance"]

#: What is kept back of a slack, relatively, for floating point and for what `coins_mu` leaves out.
KEPT_BACK = 1e-9


@dataclass(frozen=True)
class Cost:
    """What a release costs one unit.

    Attributes
    ----------
    epsilon, delta
        What it adds to the sum.
    mu
        The mu of normal noise that tells at least as much, except with probability `side`.
    side
        What is paid of delta besides that noise, at thresholds for instance.
    """

    epsilon: Fraction
    delta: Fraction
    mu: float
    side: Fraction


NOTHING = Cost(Fraction(0), Fraction(0), 0.0, Fraction(0))


@dataclass(frozen=True)
class Charge:
    """A release as it counts: its promises, and the parts of the data it looked at.

    Attributes
    ----------
    promises
        What it promises, for one unit or several; each holds by itself.
    sees
        The parts of the data it was computed from.
    exactly
        The units for which only exact composition admitted it.
    condition
        What its promises hang on.
    entry
        Its number in the vault; 0 before it has one.
    """

    promises: tuple[Promise, ...]
    sees: tuple[str, ...]
    exactly: tuple[str, ...] = ()
    condition: str | None = None
    entry: int = 0

    def cost(self, unit: Unit) -> Cost | None:
        """Return what it costs a unit: nothing if it looked at no part that the unit changes; None if nobody knows."""
        restricted = [Unit.named(unit.parts[part]) for part in self.sees if part in unit.parts]
        if not restricted:
            return NOTHING  # proof: parts-of-a-data-set
        costs = [_cost(promise, unit, restricted) for promise in self.promises]
        known = [cost for cost in costs if cost is not None]
        return min(known, key=lambda cost: (cost.epsilon, cost.delta), default=None)


def _cost(promise: Promise, unit: Unit, restricted: Sequence[Unit]) -> Cost | None:
    """Return what a promise says of a unit whose change, in what was looked at, amounts to others."""
    if promise.unit == unit:
        times: int | None = 1
    else:
        factors = [promise.unit.factor(each) for each in restricted]
        times = None if None in factors else max(factor for factor in factors if factor is not None)
    if times is None:
        return None
    epsilon, delta = Fraction(promise.epsilon), Fraction(promise.delta)
    mu, side = _normal(promise)
    if times == 1:
        return Cost(epsilon, delta, mu, side)
    # Changes one after another: epsilons add up, and each later one weighs the delta of an earlier one by e^epsilon.
    grown = sum(math.exp(min(float(epsilon) * step, 700.0)) for step in range(times))
    return Cost(
        times * epsilon,
        delta * exact(grown * (1 + 1e-12)) if delta else Fraction(0),
        math.inf if side else times * mu,
        side,
    )


def _normal(promise: Promise) -> tuple[float, Fraction]:
    """Return the mu of a promise by its noise, else by the worst that has its epsilon, and what is paid besides."""
    event = promise.event
    if event is None:
        return coins_mu(float(promise.epsilon)), Fraction(promise.delta)
    return event.mu, exact(event.delta)


@dataclass(frozen=True)
class Total:
    """What all releases cost one unit together, both ways, and what its budget leaves.

    Attributes
    ----------
    budget
        The ceiling.
    epsilon, delta
        The sum.
    squares
        The sum of the squares of mu; infinite where a release has none.
    side
        What was paid of delta in the way each release was admitted.
    conditional
        The part of the summed epsilon whose promises hang on something nobody can check.
    """

    budget: Budget
    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    squares: float = 0.0
    side: Fraction = Fraction(0)
    conditional: Fraction = Fraction(0)

    @classmethod
    def of(cls, budget: Budget, charges: Iterable[Charge]) -> Total | None:
        """Return the total of charges; None if one of them says nothing about the budget's unit."""
        total: Total | None = cls(budget)
        for charge in charges:
            total = None if total is None else total.plus(charge)
        return total

    def plus(self, charge: Charge) -> Total | None:
        """Return the total with one more release; None if that says nothing about the budget's unit."""
        cost = charge.cost(self.budget.unit)
        if cost is None:
            return None
        exactly = str(self.budget.unit) in charge.exactly
        return Total(
            self.budget,
            self.epsilon + cost.epsilon,
            self.delta + cost.delta,
            self.squares + cost.mu**2,
            self.side + (cost.side if exactly else cost.delta),
            self.conditional + (cost.epsilon if charge.condition else 0),
        )

    @property
    def mu(self) -> float:
        """The mu of all noise together; infinite where a release has none."""
        return math.sqrt(self.squares)

    @property
    def by_sum(self) -> bool:
        """Whether the sum is within the budget."""
        return self.epsilon <= exact(self.budget.epsilon) and self.delta <= exact(self.budget.delta)

    @property
    def by_composition(self) -> bool:
        """Whether exact composition is within the budget."""
        return self.mu <= self.most_mu and self.side <= exact(self.budget.delta)

    @property
    def _noise_delta(self) -> float:
        """What normal noise may lose: the slack, but for what is kept back."""
        return (self.budget.slack or 0.0) * (1 - KEPT_BACK)

    @property
    def most_mu(self) -> float:
        """How much mu the budget allows; 0 without a slack."""
        return gaussian_mu(self.budget.epsilon, self._noise_delta) if self._noise_delta else 0.0

    @property
    def exact_epsilon(self) -> float | None:
        """The epsilon of all noise together at the slack; None without a slack, or where a release has no mu."""
        if not self._noise_delta or self.mu == math.inf:
            return None
        return gaussian_epsilon(self.mu, self._noise_delta) if self.mu else 0.0

    @property
    def promised(self) -> tuple[float, float]:
        """Epsilon and delta that hold for everything that is ever charged: the ceiling, which was fixed beforehand."""
        return self.budget.epsilon, self.budget.whole_delta

    @property
    def spent(self) -> tuple[float, float]:
        """Epsilon and delta that were counted so far, the smaller of both ways.

        It is no promise: how much is spent may depend on what came out. For orders fixed beforehand it would be one.
        """
        summed = float(self.epsilon), float(self.delta)
        composed = self.exact_epsilon
        if composed is None or composed >= summed[0]:
            return summed
        return composed, float(self.side) + (self.budget.slack or 0.0)

    @property
    def left_epsilon(self) -> Decimal:
        """What the sum leaves of epsilon; 0 once exact composition was needed."""
        return as_decimal(max(exact(self.budget.epsilon) - self.epsilon, Fraction(0)))

    @property
    def left_delta(self) -> Decimal:
        """What is left of delta."""
        return as_decimal(max(exact(self.budget.delta) - self.side, Fraction(0)))


def in_advance(budget: Budget, charges: Iterable[Charge]) -> float | None:
    """Return the epsilon of all releases at the slack if their orders had been fixed before the first was drawn.

    It is computed from privacy loss distributions, for those to see who did so; nothing is admitted by it. None without
    a slack, or where a release protects another unit than the budget's.
    """
    promises = [
        next((each for each in charge.promises if each.unit == budget.unit), None)
        for charge in charges
        if charge.cost(budget.unit) != NOTHING
    ]
    known = [promise for promise in promises if promise is not None]
    if not budget.slack or len(known) < len(promises) or not any(promise.event for promise in known):
        return None
    try:
        epsilon = compose(known, delta=budget.slack)
    except MissingExtraError:
        return None
    return epsilon if epsilon < math.inf else None


def as_decimal(value: Fraction) -> Decimal:
    """Return an amount as a decimal, exactly where it comes from decimals, whatever the caller's context."""
    with localcontext(Context(prec=400)):
        return Decimal(value.numerator) / Decimal(value.denominator)
