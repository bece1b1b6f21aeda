"""How messages share out their weight, and what it is clipped to, so that one noise hides several units at once.

A message gives its n-grams a vector of norm 1 at most, and each of its edges a share of it; the shares of a message,
with those of its near-copies, add up to 1 at most. What an edge gets is clipped to its ball, and so is what a sender
gets from all edges. To clip is to project onto a convex set, which brings no two points further apart: so a message
moves the sum of all by 1 at most, and so does an edge, and so does a sender. See docs/guarantees.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError, PrivacyError
from entrenous.unit import Unit
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.statistics.weights import GRID, Rows

__all__ = ["LARGEST", "NESTINGS", "Layout", "Nesting", "nested_weights", "nesting_of"]

LARGEST = 0.5
"""The largest weight that a message, an edge or a sender gives one n-gram, for words; chosen on enron-core."""
_MOST_SUMMED = 2**35  # n-grams and messages on all edges for which rounding stays within what is taken off
_SLACK = 1 - 2.0**-12  # what rounding could add, taken off beforehand: see docs/guarantees.md
_INNER_WORD, _INNER_STEEP = 0.15, 0.3  # of an edge: the largest word, and the largest entry over its value
_OUTER_WORD_STEEP, _OUTER_STEEP = 0.25, 0.4  # of a sender, for words and for longer n-grams

Ids = NDArray[np.int32]
Numbers = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Nesting:
    """What is clipped, and whether a thread shares one weight.

    Attributes
    ----------
    edge, sender
        Whether what an edge gets is clipped, and what a sender gives on all edges.
    thread
        Whether all messages of a thread share a weight of 1, instead of a message with its near-copies alone.

    Examples
    --------
    >>> NESTINGS[Unit.EDGE_AND_MESSAGE.name].radius, NESTINGS[Unit.ALL_OF_MAIL.name].radius
    (1.0, 0.5)
    """

    edge: bool = False
    sender: bool = False
    thread: bool = False

    @property
    def radius(self) -> float:
        """The norm to which an edge is clipped: half where each of its two senders has an edge of their own."""
        return 0.5 if self.sender else 1.0

    def shares(self, table: MessageTable) -> FloatArray:
        """Return the share that a message gives each edge it lies on, from its copies and near-copies alone."""
        lying = _together(table.alike, table.copies)
        if self.thread:
            lying = np.maximum(lying, _together(table.thread, table.copies))
        return 1.0 / np.maximum(lying, 1)


#: By the name of the unit that is hidden.
NESTINGS: Mapping[str, Nesting] = {
    Unit.MESSAGE.name: Nesting(),
    Unit.THREAD.name: Nesting(thread=True),
    Unit.EDGE_AND_MESSAGE.name: Nesting(edge=True),
    Unit.ALL_OF_MAIL.name: Nesting(edge=True, sender=True, thread=True),
}


def nesting_of(unit: Unit) -> Nesting:
    """Return how weights are clipped for a unit."""
    if unit.name not in NESTINGS:
        raise ArgumentError("unit", f"nested weights have no proof for the unit {unit}")
    return NESTINGS[unit.name]


def _together(group: Numbers, copies: Numbers) -> Numbers:
    """Return for each message how many copies the messages of its group have together."""
    return np.bincount(group, weights=copies.astype(np.float64)).astype(np.int64)[group]


@dataclass(frozen=True, eq=False)
class Layout:
    """Which messages are summed before a clip, holder by holder.

    Attributes
    ----------
    share
        The share that a message gives each of its holders.
    starts, messages
        The messages of each holder.
    times
        How many holders of just the same messages each stands for.
    outer
        The sender of each holder, ascending, where senders are clipped; else -1.
    """

    share: FloatArray
    starts: Numbers
    messages: Ids
    times: Numbers
    outer: Ids

    @classmethod
    def of(cls, table: MessageTable, nesting: Nesting) -> Layout:
        """Return the layout of a table; edges with the same messages of the same sender are bundled."""
        if _summed(table) > _MOST_SUMMED:
            raise PrivacyError("expected fewer n-grams in all copies of messages: rounding them would show")
        share = nesting.shares(table)
        if not nesting.edge:
            return cls(
                share * table.copies,
                np.arange(table.holders + 1),
                np.arange(table.holders, dtype=np.int32),
                np.ones(table.holders, np.int64),
                np.full(table.holders, -1, np.int32),
            )
        senders = table.senders[table.notes] if nesting.sender else np.full(len(table.notes), -1, np.int32)
        order = np.lexsort((table.notes, table.edges, senders))
        notes, edges, senders = table.notes[order], table.edges[order], senders[order]
        first = np.flatnonzero(np.diff(senders, prepend=-2) | np.diff(edges, prepend=-1))
        if nesting.sender and len(first) and np.bincount(edges[first]).max() > 2:
            raise PrivacyError("expected two senders at most on each edge; it was not answered")
        kept, times = _bundles(table.message_keys[notes], first, senders[first])
        sizes = np.diff(np.append(first, len(notes)))[kept]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        rows = np.repeat(first[kept] - starts[:-1], sizes) + np.arange(starts[-1])
        return cls(share, starts, notes[rows], times, senders[first][kept].astype(np.int32))


def _summed(table: MessageTable) -> int:
    """Return how many n-grams and messages all edges have together: no more additions are made of any kind."""
    return int(np.diff(table.offsets)[table.notes].sum()) + len(table.ngram) + len(table.notes)


def _bundles(keys: NDArray[np.uint64], first: Numbers, senders: Ids) -> tuple[Numbers, Numbers]:
    """Return one holder of each set of messages, by two sums of the messages' keys, and how many have that set."""
    if not len(first):
        return first, first
    one = np.add.reduceat(keys, first)
    other = np.add.reduceat(keys ^ (keys >> np.uint64(17)) * np.uint64(0x2545F4914F6CDD1D), first)
    _, kept, times = np.unique(
        np.column_stack([senders.astype(np.uint64), one, other]),
        axis=0,
        return_index=True,
        return_counts=True,
    )
    order = np.lexsort((kept, senders[kept]))
    return kept[order], times[order].astype(np.int64)


def nested_weights(
    rows: Rows, layout: Layout, nesting: Nesting, value: FloatArray, *, words: bool
) -> Numbers:
    """Return the weights of all n-grams, in steps of the grid, if every message divides by their value. Confidential.

    Parameters
    ----------
    rows
        Which n-grams each message says.
    layout, nesting
        What is summed before a clip.
    value
        What weight for each n-gram is worth, from nothing but noisy weights of earlier rounds: 0 to 1.
    words
        Whether they are words, whose weights stay below `LARGEST`.
    """
    from entrenous.words.statistics.nested._kernels import FINE, nested, normalizers

    factor, total, fine = (
        np.zeros(rows.holders),
        np.zeros(len(value), np.int64),
        np.zeros(len(value), np.int64),
    )
    normalizers(rows.offsets, rows.ngram, value, factor)
    inner = (_INNER_WORD * nesting.radius, np.inf) if words else (np.inf, _INNER_STEEP)
    outer = (LARGEST, _OUTER_WORD_STEEP) if words else (np.inf, _OUTER_STEEP)
    nested(
        rows.offsets, rows.ngram, value, factor, layout.share, layout.starts, layout.messages, layout.times,
        layout.outer, LARGEST if words else 1.0,
        (*(inner if nesting.edge else (np.inf, np.inf)), nesting.radius), (*outer, 1.0), GRID * _SLACK, total, fine,
    )  # fmt: skip
    return total + fine // int(FINE)
