"""What published n-grams rest on: one message, one sender, few. Confidential: for the curator alone.

A promise bounds what anybody can learn of one message or edge; it does not say that an n-gram comes from many people.
Whoever publishes a vocabulary should see, before that, which of its n-grams do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from entrenous.words.counting.message_table import MessageTable
from entrenous.words.statistics.weights import Rows

__all__ = ["FEW", "SHOWN", "Support"]

FEW = 5
"""Senders up to which an n-gram rests on few."""
SHOWN = 50
"""N-grams of each kind that a curator's page names."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Support:
    """How many messages and senders say each of some n-grams, exactly. Confidential.

    Attributes
    ----------
    names
        The n-grams, in the order in which they are published.
    messages
        How many messages say each; near-copies by one sender count as one.
    senders
        How many people wrote those.
    edges
        On how many edges all those messages lie together.

    Examples
    --------
    >>> mail = MessageTable.of(
    ...     [{"lunch": 1, "budget": 1}, {"budget": 2}], senders=[0, 1], recipients=[[1, 2, 3], [0]]
    ... )
    >>> found = Support.of(mail, ("budget", "lunch", "gold"))
    >>> found.messages.tolist(), found.senders.tolist(), found.edges.tolist(), found.resting
    ([2, 1, 0], [2, 1, 0], [4, 3, 0], {'one message': 1, 'one sender': 1, 'at most 5 senders': 2})
    """

    names: tuple[str, ...] = field(repr=False)
    messages: Numbers
    senders: Numbers
    edges: Numbers

    @classmethod
    def of(cls, mail: MessageTable, names: Sequence[str]) -> Support:
        """Count who says each n-gram, in messages that lie on some edge."""
        ids = mail.names.look_up(names)
        rows = Rows.listed(mail, names, max(len(names), 1))
        notes = np.repeat(np.arange(mail.holders, dtype=np.int64), np.diff(rows.offsets))
        lying = mail.copies[notes] > 0
        said, notes = rows.ngram[lying].astype(np.int64), notes[lying]
        edges = np.bincount(said, weights=mail.copies[notes].astype(np.float64), minlength=mail.ngrams)

        def different(group: Numbers) -> Numbers:
            """Count the groups whose messages say each n-gram."""
            width = int(group.max(initial=0)) + 1
            pairs = np.unique(said * width + group[notes])
            return _at(np.bincount(pairs // width, minlength=mail.ngrams).astype(np.int64), ids)

        senders = mail.senders.astype(np.int64)
        return cls(tuple(names), different(mail.alike), different(senders), _at(edges.astype(np.int64), ids))

    @property
    def resting(self) -> dict[str, int]:
        """How many n-grams rest on one message, on one sender, and on few senders: each includes those before."""
        said = self.messages > 0
        return {
            "one message": int((self.messages == 1).sum()),
            "one sender": int((said & (self.senders == 1)).sum()),
            f"at most {FEW} senders": int((said & (self.senders <= FEW)).sum()),
        }

    def of_one_message(self) -> list[tuple[str, int]]:
        """Return n-grams that stand in one message, and on how many edges it lies; the first `SHOWN`."""
        return self._shown(self.messages == 1, self.edges)

    def of_one_sender(self) -> list[tuple[str, int]]:
        """Return n-grams that one person wrote in several messages, and in how many; the first `SHOWN`."""
        return self._shown((self.senders == 1) & (self.messages > 1), self.messages)

    def of_few_senders(self) -> list[tuple[str, int]]:
        """Return n-grams that two people or few more wrote, and how many did; the first `SHOWN`."""
        return self._shown((self.senders > 1) & (self.senders <= FEW), self.senders)

    def _shown(self, wanted: NDArray[np.bool_], number: Numbers) -> list[tuple[str, int]]:
        return [(self.names[place], int(number[place])) for place in np.flatnonzero(wanted)[:SHOWN]]


def _at(values: Numbers, ids: NDArray[np.int32]) -> Numbers:
    """Return the value of each n-gram, 0 for one that the mail does not have."""
    return np.asarray(np.where(ids >= 0, np.append(values, 0)[ids], 0), dtype=np.int64)
