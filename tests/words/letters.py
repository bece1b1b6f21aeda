"""Small mail in which a message may lie on many edges, and what vanishes from it with one unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table
from entrenous.words.statistics.nested.nesting import Layout, Nesting, nested_weights
from entrenous.words.statistics.weights import GRID, Rows

NGRAMS = 8
#: In the order of a table.
NAMES = list(Table.from_counts([{f"w{ngram}": 1 for ngram in range(NGRAMS)}], ends=[(0, 1)]).names)
Gone = NDArray[np.bool_]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Letters:
    """Messages: what each says, who wrote it, who got it, its thread and its near-copies, which have one sender."""

    said: list[set[str]]
    senders: list[int]
    recipients: list[list[int]]
    threads: list[int]
    alike: list[int]

    @property
    def table(self) -> MessageTable:
        """The table; words that nobody says are said by one more message, which nobody got."""
        silent = [dict.fromkeys(NAMES, 1)]
        return MessageTable.of(
            [dict.fromkeys(each, 1) for each in self.said] + silent,
            senders=[*self.senders, 0],
            recipients=[*self.recipients, []],
            threads=[*self.threads, 1 + max(self.threads, default=0)],
            alike=[*self.alike, 1 + max(self.alike, default=0)],
        )


@st.composite
def letters(draw: st.DrawFn, persons: int = 5, most: int = 10) -> Letters:
    """Messages by hypothesis; near-copies have one sender, as they have in mail that was read."""
    count = draw(st.integers(1, most))
    senders = draw(st.lists(st.integers(0, persons - 1), min_size=count, max_size=count))
    some = st.lists(st.integers(0, persons - 1), unique=True, max_size=persons)
    near = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    return Letters(
        draw(st.lists(st.sets(st.sampled_from(NAMES)), min_size=count, max_size=count)),
        senders,
        draw(st.lists(some, min_size=count, max_size=count)),
        draw(st.lists(st.integers(0, 4), min_size=count, max_size=count)),
        [4 * sender + number for sender, number in zip(senders, near, strict=True)],
    )


def random_letters(rng: np.random.Generator, persons: int = 5) -> Letters:
    """Random messages, many of them to many, in few threads, with near-copies; often one edge has nearly all."""
    count = int(rng.integers(1, 14))
    senders = rng.integers(0, rng.integers(1, persons + 1), count).tolist()
    sizes = rng.integers(1, rng.choice([2, NGRAMS + 1]), count)
    return Letters(
        [set(rng.choice(NAMES, size, replace=False).tolist()) for size in sizes],
        senders,
        [rng.permutation(persons)[: rng.integers(1, persons + 1)].tolist() for _ in range(count)],
        rng.integers(0, rng.choice([1, 4, 20]), count).tolist(),
        [20 * sender + int(rng.integers(0, rng.choice([1, 3, 20]))) for sender in senders],
    )


def random_value(rng: np.random.Generator) -> FloatArray:
    """What weight may be worth after any rounds: equal, spread over many sizes, partly nothing."""
    kind = rng.integers(4)
    value = np.ones(NGRAMS) if kind == 0 else rng.random(NGRAMS)
    value = 10.0 ** (-60 * rng.random(NGRAMS) ** 3) if kind == 2 else value
    return np.where(rng.random(NGRAMS) < 0.3, 0.0, value) if kind == 3 else value


def gone_with(table: MessageTable, unit: str, rng: np.random.Generator) -> Iterator[Gone]:
    """Yield which copies vanish with each unit of a kind; of a thread, with some of its messages."""
    notes = table.notes
    if unit == "message":
        yield from (table.alike[notes] == group for group in np.unique(table.alike[notes]))
    elif unit == "thread":
        for thread in np.unique(table.thread[notes]):
            some = rng.random(table.holders) < rng.choice([0.5, 1.0])
            yield (table.thread[notes] == thread) & some[notes]
    elif unit == "edge":
        yield from (table.edges == edge for edge in np.unique(table.edges))
    else:
        yield from (table.senders[notes] == sender for sender in np.unique(table.senders[notes]))


def weights(
    table: MessageTable,
    nesting: Nesting,
    value: FloatArray,
    *,
    words: bool,
    labels: MessageTable | None = None,
    share: FloatArray | None = None,
) -> FloatArray:
    """Return the weights of a table whose messages carry the labels, or the shares, of another."""
    layout = Layout.of(table, nesting)
    if labels is not None or share is not None:
        share = nesting.shares(labels or table) if share is None else share
        layout = replace(layout, share=share if nesting.edge else share * table.copies)
    return nested_weights(Rows.of(table), layout, nesting, value, words=words) / GRID


def movement(
    table: MessageTable, gone: Gone, nesting: Nesting, value: FloatArray, *, words: bool, labelled: bool = True
) -> float:
    """Return by how much the weights move in L2 when copies vanish, and the others keep their labels."""
    rest = table.without_passages(gone)
    less = weights(rest, nesting, value, words=words, labels=table if labelled else None)
    return float(np.linalg.norm(weights(table, nesting, value, words=words) - less))
