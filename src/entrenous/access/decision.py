"""What a mediation answers: the audience, and everything needed to trust it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from entrenous.access.item import HIGHEST
from entrenous.access.votes import VOTES
from entrenous.errors import ArgumentError

__all__ = ["DISTANCES", "RULES", "Certificate", "Decision", "Guidance", "may_see"]

DISTANCES: Mapping[str, float] = {"private": 0, "friends": 1, "friends-of-friends": 2, "public": math.inf}
"""How far a viewer may be from a co-owner: 0 is the co-owner, 1 a friend, 2 a friend's friend."""

NO_AGREEMENT = "no agreement"
NO_EQUILIBRIUM = "no equilibrium"
NOTHING_PASSED = "nothing wider passed"
HARD_LIMIT = "hard limit"
MOST_SUPPORTERS = "most supporters"
MOST_RESTRICTIVE = "most restrictive"
RULES = (
    *VOTES,
    HARD_LIMIT,
    MOST_SUPPORTERS,
    MOST_RESTRICTIVE,
    NOTHING_PASSED,
    NO_AGREEMENT,
    NO_EQUILIBRIUM,
)
"""Everything `Decision.rule` can say."""


@dataclass(frozen=True)
class Guidance:
    """What one person can do about a missing equilibrium; meant for that person alone.

    `alone` is the factor below which scaling the own weights restores an equilibrium in the person's loop,
    or None if nobody can do it alone; `together` is the factor below which everybody in the loop may scale
    instead. Both are exact and for the engine's keeper; as text, for the person, they are rounded down.
    """

    person: str
    alone: float | None
    together: float

    def __str__(self) -> str:
        if self.alone is not None and self.alone > 0.9999:
            return (
                "Your mutual consideration only just fails to settle. You alone can end this: "
                "lower all your weights a little, by the same factor."
            )
        if self.alone is not None:
            return (
                "Your mutual consideration keeps growing and never settles. You alone can end this: "
                f"lower all your weights to less than {_down(self.alone)} times what they are."
            )
        return (
            "Your mutual consideration keeps growing and never settles, and nobody can end this alone: "
            f"everybody in the loop, you included, lowers all weights to less than {_down(self.together)} times "
            "what they are."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the guidance ready for JSON."""
        return {"person": self.person, "alone": self.alone, "together": self.together}


def _down(factor: float) -> str:
    """Return a factor rounded down to two digits: whoever stays below it stays below the exact one.

    More digits would let the reader solve for what single others listen to.
    """
    unit = 10.0 ** (math.floor(math.log10(factor)) - 1)
    return f"{math.floor(factor / unit) * unit:.2g}"


@dataclass(frozen=True)
class Certificate:
    """Proof that the settled scores exist, and how far they can be off.

    `totals` is h, the solution of (I - W) h = 1. If h is positive and `defect`, the largest |1 - (I - W)
    h|, is below 1, the spectral radius of W is below 1 and the equilibrium exists and is unique. Then every
    settled score is within `error` = `bound` * `residual` of the truth, with `bound` = max h / (1 -
    defect).
    """

    exists: bool
    totals: Mapping[str, float]
    defect: float
    bound: float
    residual: float
    solver: str
    exact_ties: bool = False
    guidance: tuple[Guidance, ...] = ()

    @property
    def error(self) -> float:
        """The largest possible error of any settled score."""
        return self.bound * self.residual

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate ready for JSON."""
        entry: dict[str, Any] = {"exists": self.exists, "solver": self.solver}
        if self.exists:
            entry |= {
                "totals": dict(self.totals),
                "defect": self.defect,
                "bound": self.bound,
                "residual": self.residual,
                "error": self.error,
                "exact_ties": self.exact_ties,
            }
        else:
            entry["guidance"] = [advice.to_dict() for advice in self.guidance]
        return entry


@dataclass(frozen=True)
class Decision:
    """The audience, where the wishes settled and why.

    `choice` is always the audience to enforce: if nothing was agreed, or there is no equilibrium in mode
    "strict", it is the narrowest one, and `agreed` is false. `accepted_by` names who accepts `choice` after
    weighing; it is empty where nobody had to. `rule` is what decided. `reasons` holds a paragraph per
    person, made of the person's own answer and the outcome alone; with `choice` and `agreed` it is all that
    a co-owner may read. Everything else tells of the others: it is for whoever may read all answers.
    """

    choice: str
    settled: Mapping[str, Mapping[str, float]]
    accepted_by: tuple[str, ...]
    rule: str
    certificate: Certificate
    reasons: Mapping[str, str]
    anchor: str = "each"
    originator: str = field(default="", repr=False)

    @property
    def agreed(self) -> bool:
        """Whether the co-owners came to a decision."""
        return self.rule not in (NO_AGREEMENT, NO_EQUILIBRIUM)

    def against(self, person: str, choice: str) -> float:
        """Return the settled score of the complement: what speaks against `choice` for `person`.

        All that reaches a person, for and against, is 5 h: the complement's score needs no second solve.
        """
        return HIGHEST * self.certificate.totals[person] - self.settled[person][choice]

    def weighed(self, person: str, choice: str) -> float:
        """Return the settled score on the scale from 0 to 5: a weighted mean of all initial scores."""
        return self.settled[person][choice] / self.certificate.totals[person]

    def to_dict(self) -> dict[str, Any]:
        """Return the decision ready for JSON."""
        return {
            "choice": self.choice,
            "settled": {who: dict(row) for who, row in self.settled.items()},
            "accepted_by": list(self.accepted_by),
            "rule": self.rule,
            "certificate": self.certificate.to_dict(),
            "reasons": dict(self.reasons),
        }


def may_see(
    decision: Decision, distances: Mapping[str, float], *, reach: Mapping[str, float] = DISTANCES
) -> bool:
    """Return whether a viewer may see the item: the viewer's distance to the co-owners against the decision.

    Parameters
    ----------
    decision
        The decision in force.
    distances
        The viewer's distance to every co-owner; a co-owner has distance 0 to themselves and always sees the
        item. Somebody not named is infinitely far.
    reach
        How far each choice reaches.

    Examples
    --------
    >>> from entrenous.access import mediate
    >>> wishes = {who: {"friends": 5, "friends-of-friends": 1, "public": 0} for who in ("ann", "bob")}
    >>> decision = mediate(wishes, {})
    >>> may_see(decision, {"ann": 1, "bob": 1}), may_see(decision, {"ann": 1, "bob": 2})
    (True, False)
    """
    if decision.choice not in reach:
        raise ArgumentError("reach", "expected a distance for the decided choice; got none")
    people = tuple(decision.reasons)
    if any(distances.get(who) == 0 for who in people):
        return True
    within = [distances.get(who, math.inf) <= reach[decision.choice] for who in people]
    if decision.anchor == "originator":
        return within[people.index(decision.originator)]
    return all(within) if decision.anchor == "each" else any(within)
