"""How much each holder of an n-gram adds to its weight, so that one holder moves all weights by 1 at most.

A holder (an edge, or a sender) has a set of n-grams and may give them weights, an L2 vector of norm 1 at most. Noise
for a movement of 1 then hides a whole holder. The rules differ in what holders know when they divide:

- `uniform_weights`: nothing; everything gets the same.
- `holder_counts`: nothing, and what an n-gram gets does not depend on the others of its holder, so that also single
  n-grams may be secret ("fixed" weights; a count is a weight in units of 1/sqrt(contribution)).
- `policy_weights`: what earlier holders gave; whatever reached a cutoff needs no more.
- `guided_weights`: noisy weights of earlier rounds, which are paid for; n-grams about to cross the threshold get most.

Weights are whole numbers of steps, `GRID` of them in 1, rounded down: exact integer noise can be added to them.

References
----------
Gopi, Gulhane, Kulkarni, Shen, Shokouhi, Yekhanin: Differentially private set union. ICML 2020 (uniform, policy).
Swanberg, Desfontaines, Haney: DP-SIPS, a simpler, more scalable mechanism for differentially private partition
selection. PoPETs 2023 (rounds).
Chen, Cohen-Addad, Epasto, Zadimoghaddam: Scalable private partition selection via adaptive weighting. ICML 2025.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError, PrivacyError
from entrenous.unit import Unit
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table

__all__ = [
    "GRID",
    "MOST_POLICY_ROWS",
    "Rows",
    "check_holders",
    "guided_weights",
    "holder_counts",
    "policy_weights",
    "uniform_weights",
]

GRID = 2**32
"""Steps in a weight of 1; sums over a billion holders still are whole numbers of 64 bits."""
_SLACK = 1 - 2.0**-30  # what rounding in sums of up to ten million squares could add is taken off beforehand
MOST_POLICY_ROWS = 2**32
"""N-grams of all holders together for which a policy's rounding stays within what is taken off for it."""
_POLICY_SLACK = 1 - 2.0**-14  # what rounding the sums of all holders to the grid could add


class Rows(NamedTuple):
    """Which n-grams each holder has: `ngram[offsets[i]:offsets[i + 1]]`."""

    offsets: NDArray[np.int64]
    ngram: NDArray[np.int32]

    @classmethod
    def of(cls, table: Table, kept: NDArray[np.bool_] | None = None, most: int | None = None) -> Rows:
        """Return the rows of a table: of kept n-grams only, and at most so many of each holder, if so asked.

        >>> table = Table.from_counts([{"a": 3, "b": 1}, {"b": 2}], ends=[(0, 1), (1, 2)])
        >>> Rows.of(table, most=1).offsets.tolist()
        [0, 1, 2]
        """
        from entrenous.words.statistics._kernels import restrict

        if kept is None and most is None:
            return cls(table.offsets, table.ngram)
        kept = np.ones(table.ngrams, np.bool_) if kept is None else kept
        return cls(*restrict(table.offsets, table.ngram, kept, len(table.ngram) if most is None else most))

    @classmethod
    def listed(cls, table: Table, names: Sequence[str], most: int) -> Rows:
        """Return at most so many rows of each holder: its most frequent n-grams among those of a public list.

        What is not listed is left out first, so that it takes no place among the n-grams kept.

        >>> table = Table.from_counts([{"a": 3, "b": 2, "c": 1}], ends=[(0, 1)])
        >>> [str(table.names[i]) for i in Rows.listed(table, ["b", "c"], most=1).ngram]
        ['b']
        """
        ids = table.names.look_up(names)
        kept = np.zeros(table.ngrams, np.bool_)
        kept[ids[ids >= 0]] = True
        return cls.of(table, kept, most)

    @property
    def holders(self) -> int:
        """How many holders there are."""
        return len(self.offsets) - 1


def check_holders(table: Table, unit: Unit, *, messages: bool = False) -> None:
    """Refuse a table of edges where senders are to be hidden, and the other way round.

    A table of messages is refused too unless it is expected: an edge that is taken away takes many of its rows along.
    """
    if isinstance(table, MessageTable) and not messages:
        raise PrivacyError(f"expected a table of what {unit} hides; got one of messages")
    if unit not in (table.by.unit, table.by.replaced):
        raise PrivacyError(f"expected a table of what {unit} hides; got one counted by {table.by}")


def guided_weights(
    rows: Rows, value: NDArray[np.float64], *, most: float = 1.0, largest: float = 1.0
) -> NDArray[np.int64]:
    """Return the weights if every holder divides in proportion to the value of its n-grams.

    Maximizing the sum of value times weight within an L2 norm of 1 means just that proportion.

    Parameters
    ----------
    rows
        Who has what.
    value
        What weight for each n-gram is worth, from nothing but noisy weights of earlier rounds: 0 or more.
    most
        The largest norm of what a holder gives.
    largest
        The largest weight that a holder may give to one n-gram.

    Examples
    --------
    >>> rows = Rows(np.array([0, 2]), np.array([0, 1], np.int32))
    >>> (guided_weights(rows, np.array([3.0, 4.0, 0.0])) / GRID).round(6).tolist()
    [0.6, 0.8, 0.0]
    """
    from entrenous.words.statistics._kernels import spread

    total = np.zeros(len(value), np.int64)
    spread(rows.offsets, rows.ngram, value, most * _SLACK * GRID, largest * GRID, total)
    return total


def uniform_weights(rows: Rows, ngrams: int) -> NDArray[np.int64]:
    """Return the weights if every holder gives all its n-grams the same: 1 / sqrt(how many it has)."""
    return guided_weights(rows, np.ones(ngrams))


def holder_counts(rows: Rows, ngrams: int) -> NDArray[np.int64]:
    """Return how many holders have each n-gram: whole numbers without any grid."""
    return np.bincount(rows.ngram, minlength=ngrams).astype(np.int64)


def policy_weights(rows: Rows, ngrams: int, *, cutoff: float) -> NDArray[np.int64]:
    """Return the weights if holders, in their public order, each move their n-grams straight towards the cutoff.

    One move takes the gaps u = cutoff - weight to u - P(u), P being the projection onto the unit ball. What a
    projection onto a convex set leaves over is nonexpansive, so a difference of norm 1, once there, never grows. To
    share equally among the n-grams below the cutoff instead is *not* sound, though it was published as code.
    """
    from entrenous.words.statistics._kernels import descend

    if len(rows.ngram) > MOST_POLICY_ROWS:
        raise ArgumentError("contribution", "expected fewer n-grams in all: rounding them would show")
    total = np.zeros(ngrams, np.float64)
    descend(rows.offsets, rows.ngram, cutoff, total)
    return np.floor(total * (_POLICY_SLACK * GRID)).astype(np.int64)
