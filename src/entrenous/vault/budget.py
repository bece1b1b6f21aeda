"""How much may ever be spent on one data set, for one unit of privacy."""

from __future__ import annotations

from dataclasses import dataclass

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.unit import Unit

__all__ = ["Budget"]

#: Units that no budget is for: groups of different sizes do not add up, and beliefs do not either. What such releases
#: promise for single edges is charged instead.
NOT_COUNTED = (Unit.GROUP, Unit.CORRELATED_EDGE)
LEAST_SLACK = 1e-15  # below, what floating point leaves over would show


@dataclass(frozen=True)
class Budget:
    """The most that may ever be spent on one data set, for one unit.

    Parameters
    ----------
    epsilon
        The ceiling of epsilon.
    delta
        The ceiling of what releases spend of delta.
    unit
        Whose protection is counted.
    slack
        A further delta, for composing normal and geometric noise exactly instead of adding epsilons up; by default as
        much as `delta`. What holds for all releases together is (epsilon, delta + slack).

    Examples
    --------
    >>> Budget(epsilon=2.0, unit="edge")
    Budget(epsilon=2.0, delta=0.0, unit=Unit(name='edge'), slack=0.0)
    >>> Budget.parse("edge-content=8,1e-5")
    Budget(epsilon=8.0, delta=1e-05, unit=Unit(name='edge-content'), slack=1e-05)
    """

    epsilon: float
    delta: float = 0.0
    unit: Unit = Unit.EDGE
    slack: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _check.epsilon("epsilon", self.epsilon))
        object.__setattr__(self, "delta", _check.probability("delta", self.delta))
        object.__setattr__(self, "unit", Unit.named(self.unit))
        if self.unit in NOT_COUNTED:
            raise ArgumentError(
                "unit",
                f"expected one that adds up; {self.unit} does not: take edge-content, which is charged for it",
            )
        slack = self.delta if self.slack is None else self.slack
        if 0 < _check.probability("slack", slack) < LEAST_SLACK:
            if self.slack is not None:
                raise ArgumentError("slack", f"expected 0, or {LEAST_SLACK:g} at least; got {slack:g}")
            slack = 0.0
        object.__setattr__(self, "slack", float(slack))

    @property
    def whole_delta(self) -> float:
        """What may be lost in all: what holds for everything together is epsilon with this."""
        return self.delta + (self.slack or 0.0)

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Return the budget that a text like "edge-content=8,1e-5" or "edge-content=8,1e-5,0" names."""
        unit, _, numbers = text.partition("=")
        try:
            epsilon, delta, slack = ([*map(float, numbers.split(",")), None, None])[:3]
        except ValueError:
            epsilon = None
        if epsilon is None or numbers.count(",") > 2:
            raise ArgumentError(
                "budget", "expected UNIT=EPSILON[,DELTA[,SLACK]], such as edge-content=8,1e-5"
            )
        return cls(epsilon=epsilon, delta=delta or 0.0, unit=Unit.named(unit), slack=slack)
