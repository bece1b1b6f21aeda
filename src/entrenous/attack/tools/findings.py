"""What an attack found: what was promised, what was tried, and how far the attacker got."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """One attack on one promise, and what it measured.

    Attributes
    ----------
    mechanism
        What was attacked, with its setting: "network: owner, slots".
    unit
        What the promise hides (`entrenous.unit.Unit`), or what a hard limit protects.
    attack
        What was tried, in a few words.
    quantity
        What `stated` and `measured` are: "epsilon" unless something else is compared.
    stated
        What the promise allows; None where nothing is promised.
    measured
        What the attacker certainly gained: a lower bound of `confidence`.
    confidence
        The probability that a statement like this one holds; 1 for exact computation.
    trials
        How often the mechanism was run; 0 for exact computation.
    delta
        The slack of the promise.
    details
        Further numbers for tables and pictures.
    beyond_doubt
        A lower bound of so high a confidence that many of them together give no false alarm; where there is one, the
        verdict rests on it.

    Examples
    --------
    >>> found = Finding("network: tmf", "edge", "released graph", stated=1.0, measured=0.93, trials=4000)
    >>> found.broken
    False
    >>> print(found)
    network: tmf (edge), released graph: epsilon at least 0.930 (95 %, 4000 runs), stated 1: holds
    """

    mechanism: str
    unit: str
    attack: str
    stated: float | None
    measured: float
    quantity: str = "epsilon"
    confidence: float = 0.95
    trials: int = 0
    delta: float = 0.0
    details: Mapping[str, float] = field(default_factory=dict)
    beyond_doubt: float | None = None

    @property
    def broken(self) -> bool:
        """Whether the attacker certainly gained more than the promise allows."""
        gained = self.measured if self.beyond_doubt is None else self.beyond_doubt
        return self.stated is not None and gained > self.stated

    @property
    def verdict(self) -> str:
        """What this says about the promise, in a word or two.

        "in doubt" stands where the bound exceeds what is stated, but not beyond doubt: more runs will tell.
        """
        if self.stated is None:
            return "nothing promised"
        return "BROKEN" if self.broken else "in doubt" if self.measured > self.stated else "holds"

    def __str__(self) -> str:
        how = f"{self.confidence:.0%}, {self.trials} runs".replace("%", " %") if self.trials else "exact"
        stated = "" if self.stated is None else f"stated {self.stated:g}: "
        return (
            f"{self.mechanism} ({self.unit}), {self.attack}: "
            f"{self.quantity} at least {self.measured:.3f} ({how}), {stated}{self.verdict}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the finding as plain JSON values, the verdict included; `measured` is null where nothing limits it."""
        return {
            "mechanism": self.mechanism,
            "unit": self.unit,
            "attack": self.attack,
            "quantity": self.quantity,
            "stated": self.stated,
            "measured": self.measured if math.isfinite(self.measured) else None,  # JSON knows no infinity
            "confidence": self.confidence,
            "trials": self.trials,
            "delta": self.delta,
            "broken": self.broken,
            "verdict": self.verdict,
            "beyond_doubt": self.beyond_doubt,
            "details": dict(self.details),
        }
