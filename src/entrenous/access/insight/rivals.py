"""Other ways to decide, to compare with: each looks at the initial wishes only and knows neither peers nor limits.

`majority`: more than half. `veto`: the most restrictive wish wins. `uploader`: who put the item up decides,
as on most platforms today. `clarke`: the largest sum of values, with Clarke's pivotal tax. `average`: the
mean score decides.

References
----------
A. C. Squicciarini, M. Shehab and F. Paci, "Collective privacy management in social
networks", WWW 2009 (Clarke tax).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from entrenous.access.item import HIGHEST, NEUTRAL, Item
from entrenous.access.mediation import decide
from entrenous.access.settling.equilibrium import BoolArray
from entrenous.access.settling.peers import FloatArray

__all__ = ["RIVALS", "Comparison", "compare"]


@dataclass(frozen=True)
class Comparison:
    """What one rule gives, and at whose expense.

    `past_wish` counts co-owners for whom the outcome is wider than what they wished for by themselves,
    `past_limit` those whose hard limit it oversteps, `tax` what each pays under Clarke's rule, in points.
    """

    choice: str
    past_wish: int
    past_limit: int
    tax: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison ready for JSON."""
        entry: dict[str, Any] = {
            "choice": self.choice,
            "past_wish": self.past_wish,
            "past_limit": self.past_limit,
        }
        return entry | {"tax": dict(self.tax)} if self.tax else entry


def compare(item: Item) -> dict[str, Comparison]:
    """Return what mediation and each other rule make of the same wishes.

    >>> from entrenous.access import read_example
    >>> table = compare(read_example("limits"))
    >>> {rule: entry.choice for rule, entry in table.items() if entry.past_limit}
    {'majority': 'public', 'uploader': 'public', 'average': 'public'}
    """
    own = own_choices(item)
    names = list(item.choices)
    outcomes = {"mediation": names.index(decide(item).choice)}
    outcomes |= {rule: choose(item) for rule, choose in RIVALS.items()}
    return {
        rule: Comparison(
            choice=names[choice],
            past_wish=int((own < choice).sum()),
            past_limit=int((item.ceilings < choice).sum()),
            tax=clarke_taxes(item) if rule == "clarke" else {},
        )
        for rule, choice in outcomes.items()
    }


def own_choices(item: Item) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return for every co-owner the position of the audience they would choose alone; the narrowest of several.

    With choices against their complements that is the widest one agreed to.
    """
    if item.method == "oo":
        return np.asarray(item.scores.argmax(axis=1))
    widths = np.arange(1, item.scores.shape[1] + 1)
    return np.asarray((wanted(item) * widths).max(axis=1))


def wanted(item: Item) -> BoolArray:
    """Return who wants what by themselves: the best choices side by side, those agreed to against complements."""
    if item.method == "oo":
        return np.asarray(item.scores == item.scores.max(axis=1, keepdims=True))
    return np.asarray(item.scores > NEUTRAL)


def values(item: Item) -> FloatArray:
    """Return what each choice is worth to each co-owner; against complements, the narrowest is worth 0."""
    if item.method == "oo":
        return item.scores
    return np.hstack([np.zeros((len(item.people), 1)), 2 * item.scores - HIGHEST])


def choose_majority(item: Item) -> int:
    """Return the choice that more than half want, the widest such against complements; else the narrowest."""
    count = wanted(item).sum(axis=0)
    passing = np.flatnonzero(2 * count > len(item.people))
    if not len(passing):
        return 0
    if item.method == "oo":
        return int(passing[count[passing].argmax()])
    return int(passing[-1]) + 1


def choose_veto(item: Item) -> int:
    """Return the most restrictive of the co-owners' own choices."""
    return int(own_choices(item).min())


def choose_uploader(item: Item) -> int:
    """Return the originator's own choice."""
    return int(own_choices(item)[item.people.index(str(item.originator))])


def choose_clarke(item: Item) -> int:
    """Return the choice with the largest sum of values, the narrowest of several."""
    return int(values(item).sum(axis=0).argmax())


def choose_average(item: Item) -> int:
    """Return the choice with the best mean; against complements the widest whose mean is not below neutral."""
    mean = item.scores.mean(axis=0)
    if item.method == "oo":
        return int(mean.argmax())
    passing = np.flatnonzero(mean >= NEUTRAL)
    return int(passing[-1]) + 1 if len(passing) else 0


def clarke_taxes(item: Item) -> dict[str, float]:
    """Return what each co-owner pays: the loss their presence causes the others."""
    worth = values(item)
    chosen = choose_clarke(item)
    others = worth.sum(axis=0) - worth
    loss = others.max(axis=1) - others[:, chosen]
    return dict(zip(item.people, loss.tolist(), strict=True))


RIVALS: dict[str, Callable[[Item], int]] = {
    "majority": choose_majority,
    "veto": choose_veto,
    "uploader": choose_uploader,
    "clarke": choose_clarke,
    "average": choose_average,
}
"""The other ways to decide, by name."""
