"""How often a second round widens an outcome, by whom it addresses: ``python -m benchmarks.second_round``.

There is no data on people here. Assumed: who is not addressed moves with 0.15, who is nudged in private with 0.30, one
of m people named with 0.15 + 0.25 / m; a mover goes to "slightly agree" with 0.6 and one point up otherwise. Answers
are drawn from the prior "real", and somebody who wanted more asks for the next wider audience.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import arguments, show, write
from entrenous.access import Consensus, StrongMajority
from entrenous.attack.inference.outcomes import ANSWERS, LINES, PRIORS, Deciding

UNADDRESSED, NUDGED, NAMED = 0.15, 0.30, 0.25
TO_AGREEING = 0.6
AGREEING, HIGHEST = 3, 5
GROUPS = (
    ("3 consensus", Deciding.alike(3, Consensus())),
    ("4 consensus", Deciding.alike(4, Consensus())),
    ("4 two thirds", Deciding.alike(4, StrongMajority(0.66))),
    ("4 consensus, all listen 20 %", Deciding.alike(4, Consensus(), listening=20)),
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Asked:
    """Groups in which somebody wanted more than came out, and asks for the next wider audience."""

    def __init__(self, group: Deciding, number: int, rng: np.random.Generator) -> None:
        drawn = rng.choice(len(ANSWERS), size=(number, group.people), p=PRIORS["real"])
        outcome = group.outcomes[tuple(drawn.T)].astype(np.int64)
        keep = (LINES[drawn] > outcome[:, None]).any(axis=1)
        self.group, self.drawn, self.outcome = group, drawn[keep], outcome[keep]
        self.scores = ANSWERS[self.drawn, self.outcome[:, None]]
        # One of those who wanted more asks, each as likely as the next.
        wanting = np.where(LINES[self.drawn] > self.outcome[:, None], rng.random(self.drawn.shape), -1.0)
        self.asker = wanting.argmax(axis=1)

    def helpers(self, *, widening: bool) -> Flags:
        """Return whose answer alone could change the outcome: to a wider one, or as petitions used to look for it."""
        able = np.zeros(self.drawn.shape, dtype=np.bool_)
        for person in range(self.group.people):
            low, high = self.drawn.copy(), self.drawn.copy()
            low[:, person], high[:, person] = 0, len(ANSWERS) - 1
            wider = self.group.outcomes[tuple(high.T)] > self.outcome
            narrower = self.group.outcomes[tuple(low.T)] < self.outcome
            able[:, person] = wider if widening else np.where(self.outcome > 0, narrower, wider)
        able[np.arange(len(able)), self.asker] = False
        return able

    def others(self) -> Flags:
        """Return everybody but the asker."""
        return np.arange(self.group.people)[None, :] != self.asker[:, None]

    def success(self, moving: Floats, rng: np.random.Generator) -> float:
        """Return how often the audience asked for passes, if each but the asker moves with these probabilities."""
        up = np.where(
            rng.random(moving.shape) < TO_AGREEING,
            np.maximum(self.scores, AGREEING),
            np.minimum(self.scores + 1, HIGHEST),
        )
        scores = np.where(self.others() & (rng.random(moving.shape) < moving), up, self.scores)
        return float(self.group.passing[tuple(scores.T)].mean())


def _same(asked: Asked, _: np.random.Generator) -> Floats:
    return np.full(asked.drawn.shape, UNADDRESSED)


def _nudge(asked: Asked, _: np.random.Generator) -> Floats:
    return np.where(asked.scores < AGREEING, NUDGED, UNADDRESSED)


def _named(asked: Asked, named: Flags) -> Floats:
    addressed = np.where(named.any(axis=1, keepdims=True), named, asked.others())
    number = addressed.sum(axis=1, keepdims=True)
    return np.where(addressed, UNADDRESSED + NAMED / np.maximum(number, 1), UNADDRESSED)


def _before(asked: Asked, _: np.random.Generator) -> Floats:
    return _named(asked, asked.helpers(widening=False))


def _open(asked: Asked, _: np.random.Generator) -> Floats:
    return _named(asked, asked.helpers(widening=True))


def _noisy(asked: Asked, rng: np.random.Generator) -> Floats:
    """Name one of the others by the exponential mechanism with epsilon 1."""
    score = np.where(asked.helpers(widening=True), 0.5, 0.0) + rng.gumbel(size=asked.drawn.shape)
    chosen = np.where(asked.others(), score, -np.inf).argmax(axis=1)
    return _named(asked, np.arange(asked.group.people)[None, :] == chosen[:, None])


WAYS: dict[str, Callable[[Asked, np.random.Generator], Floats]] = {
    "same sentence": _same,
    "nudge": _nudge,
    "names as before": _before,
    "open": _open,
    "one name, eps 1": _noisy,
}


def main() -> None:
    """Print a row per group: the share of second rounds that widen, by whom they address."""
    options = arguments(__doc__)
    rows = []
    for name, group in GROUPS:
        rng = np.random.default_rng(1)
        asked = Asked(group, 50_000 if options.quick else 200_000, rng)
        row: dict[str, Any] = {"group": name, "rounds": len(asked.drawn)}
        for way, moving in WAYS.items():
            row[way] = round(asked.success(moving(asked, rng), rng), 3)
        show(row)
        rows.append(row)
    write(rows, options.json)


if __name__ == "__main__":
    main()
