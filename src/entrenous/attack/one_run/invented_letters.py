"""Letters that invented people write to each other: canaries, and what is always there, as rows of a table or as mail.

A canary is one unit of what a release protects, there or not by the toss of a coin. What is planted uses words that
nobody else uses, and its people write to nobody else. So it can be counted by itself, and its rows put beside those of
the real mail: the result is the table of mail with more messages in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError
from entrenous.words.counting.holder import ALL, EDGE, EDGE_AND_MESSAGE, MESSAGE, NOTE, SENDER, THREAD, Holder
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Names, Table

__all__ = ["Joined", "Letters", "joined"]

Ids = NDArray[np.int32]
Numbers = NDArray[np.int64]
Coins = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Letters:
    """Letters of invented people, each with one of some phrases for its text.

    Attributes
    ----------
    phrases
        The texts: words joined by blanks.
    about
        The canary that each phrase tells about.
    phrase, sender, thread
        Of each letter: its text, who wrote it, and what it belongs to.
    recipients
        Who got each letter, one row each, padded with -1.
    canary
        The canary that each letter is a part of; -1 for one that is always there.

    Examples
    --------
    >>> told = Letters.of(("zqa zqb",), (0,), [(0, 0, (1, 2), 0, -1), (0, 3, (4,), 1, 0)])
    >>> told.messages(np.array([True]), MESSAGE, n=2).copies.tolist(), told.canaries
    ([2, 1], 1)
    """

    phrases: tuple[str, ...]
    about: Ids
    phrase: Ids
    sender: Ids
    recipients: Ids
    thread: Ids
    canary: Ids

    @classmethod
    def of(
        cls,
        phrases: tuple[str, ...],
        about: tuple[int, ...],
        letters: list[tuple[int, int, tuple[int, ...], int, int]],
    ) -> Letters:
        """Return letters given one by one: the phrase, the sender, the recipients, the thread, and the canary."""
        widest = max(len(letter[2]) for letter in letters)
        padded = [[*letter[2], *[-1] * (widest - len(letter[2]))] for letter in letters]
        phrase, sender, thread, canary = (
            np.array([letter[column] for letter in letters], np.int32) for column in (0, 1, 3, 4)
        )
        return cls(
            phrases, np.array(about, np.int32), phrase, sender, np.array(padded, np.int32), thread, canary
        )

    @property
    def canaries(self) -> int:
        """How many canaries there are."""
        return int(self.about.max(initial=-1)) + 1

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words of all phrases."""
        return tuple(dict.fromkeys(word for phrase in self.phrases for word in phrase.split(" ")))

    def said(self, n: int) -> Table:
        """Return the n-grams of each phrase."""
        counts = [dict(_ngrams(phrase.split(" "), n)) for phrase in self.phrases]
        return Table.from_counts(counts, ends=[(0, 0)] * len(counts), n=n, by=NOTE)

    def owners(self, said: Table) -> Numbers:
        """Return the canary that each n-gram tells about, -1 if it tells about several."""
        about = np.repeat(self.about, np.diff(said.offsets)).astype(np.int64)
        least, most = np.full(said.ngrams, self.canaries), np.full(said.ngrams, -1)
        np.minimum.at(least, said.ngram, about)
        np.maximum.at(most, said.ngram, about)
        return np.where(least == most, most, -1)

    def there(self, coins: Coins) -> NDArray[np.bool_]:
        """Tell which letters were written, given which canaries are there."""
        return np.append(coins, True)[self.canary]

    def messages(self, coins: Coins, by: Holder, n: int, said: Table | None = None) -> MessageTable:
        """Return the table of the letters that were written."""
        said, letter = said or self.said(n), np.flatnonzero(self.there(coins))
        offsets, rows = _gathered(said, self.phrase[letter])
        note, place = np.nonzero(self.recipients[letter] >= 0)
        one, other = self.sender[letter][note], self.recipients[letter][note, place]
        key, edges = np.unique(_pair_keys(one, other), return_inverse=True)
        ends = _pairs_of(key)
        order = np.lexsort((note, edges))
        kept = {each.name: getattr(said, each.name) for each in fields(Table)}
        return MessageTable(
            **kept
            | {
                "offsets": offsets,
                "ngram": said.ngram[rows],
                "frequency": said.frequency[rows],
                "ends": np.column_stack([self.sender[letter]] * 2),
                "by": by,
            },
            edges=edges[order].astype(np.int32),
            notes=note[order].astype(np.int32),
            edge_ends=ends.astype(np.int32),
            thread=self.thread[letter].astype(np.int64),
            alike=np.arange(len(letter)),
        )

    def table(self, coins: Coins, by: Holder, n: int, said: Table | None = None) -> Table:
        """Return who carries what: edges, pairs, letters, threads, senders or writers."""
        said, letter = said or self.said(n), np.flatnonzero(self.there(coins))
        letter, group, widest = self._held(letter, by)
        held, first, holder = np.unique(group, return_index=True, return_inverse=True)
        paired = by in (EDGE, EDGE_AND_MESSAGE)
        ends = _pairs_of(held) if paired else np.column_stack([self.sender[letter[first]]] * 2)
        offsets, rows = _gathered(said, self.phrase[letter])
        key = np.repeat(holder, np.diff(offsets)) * np.int64(said.ngrams) + said.ngram[rows]
        key, place = np.unique(key, return_inverse=True)
        frequency = np.bincount(place.reshape(-1), weights=said.frequency[rows]).astype(np.int64)
        holders, ngram = key // said.ngrams, key % said.ngrams
        order = np.lexsort((ngram, -frequency, holders))
        width = np.zeros(len(held), np.int64)
        np.maximum.at(width, holder, widest)
        return replace(
            said,
            offsets=np.searchsorted(holders, np.arange(len(held) + 1)).astype(np.int64),
            ngram=ngram[order].astype(np.int32),
            frequency=frequency[order].astype(np.int32),
            ends=ends.astype(np.int32),
            by=by,
            widest=width.astype(np.int32) if by == EDGE else None,
        )

    def _held(self, letter: Numbers, by: Holder) -> tuple[Numbers, Numbers, Numbers]:
        """Return letters, each with a number of what holds it, and how many people got each."""
        wide = (self.recipients >= 0).sum(axis=1)
        if by == EDGE_AND_MESSAGE and (wide > 1).any():
            raise ArgumentError(
                "recipients", "expected one of each letter: on which pair it counts is a matter of hashes"
            )
        if by in (EDGE, EDGE_AND_MESSAGE):
            row, place = np.nonzero(self.recipients[letter] >= 0)
            letter, other = letter[row], self.recipients[letter][row, place]
            return letter, _pair_keys(self.sender[letter], other), wide[letter]
        if by == ALL:  # whether a letter opens its thread stays, whatever else vanishes
            letter = letter[np.isin(letter, np.unique(self.thread, return_index=True)[1])]
        groups: dict[Holder, NDArray[Any]] = {
            SENDER: self.sender,
            ALL: self.sender,
            THREAD: self.thread,
            MESSAGE: np.arange(len(self.sender)),
        }
        return letter, groups[by][letter].astype(np.int64), wide[letter]

    def mail(self, coins: Coins) -> Iterator[dict[str, Any]]:
        """Return the same as mail: what `Corpus.from_messages` takes."""
        for letter in np.flatnonzero(self.there(coins)).tolist():
            yield {
                "id": f"planted-{letter}",
                "date": "2001-01-01T00:00:00",
                "from": _address(int(self.sender[letter])),
                "to": [_address(person) for person in self.recipients[letter].tolist() if person >= 0],
                "subject": "",
                "thread": f"planted-{self.thread[letter]}",
                "body": self.phrases[self.phrase[letter]],
            }


@dataclass(frozen=True, eq=False)
class Joined:
    """A table of real mail with planted rows below its own.

    Attributes
    ----------
    table
        Both.
    places
        For each n-gram of what was planted its number in `table`.
    """

    table: Table
    places: Ids


def joined(real: Table, planted: Table) -> Joined:
    """Put planted rows below those of a table that was counted for the same holders; nobody may say planted words.

    >>> from entrenous.words.counting.table import Table
    >>> mail = Table.from_counts([{"budget": 2, "lunch": 1, "budget lunch": 1}], ends=[(0, 1)])
    >>> more = Table.from_counts([{"zqa": 1, "zqb": 1, "zqa zqb": 1}], ends=[(0, 1)])
    >>> both = joined(mail, more)
    >>> [both.table.names[i] for i in both.places], both.table.ends.tolist()
    (['zqa', 'zqb', 'zqa zqb'], [[0, 1], [2, 3]])
    """
    if real.by != planted.by or real.n != planted.n:
        raise ArgumentError("planted", "expected rows of the same holders, and n-grams of the same length")
    if real.contribution is not None:
        raise ArgumentError(
            "real", "expected a table of all n-grams of each holder; got one that was bounded"
        )
    # A table of a public list also names what nobody says.
    known = real.names.look_up(list(planted.names)).astype(np.int64)
    if real.support()[known[known >= 0]].any():
        raise ArgumentError("planted", "expected words that nobody says; some of them occur in the mail")
    old, fresh = int((real.length == 1).sum()), np.flatnonzero(known < 0)
    words = fresh[planted.length[fresh] == 1]
    moved = np.arange(real.ngrams) + np.where(np.arange(real.ngrams) < old, 0, len(words))
    places = np.where(known >= 0, moved[known], 0)
    places[words] = old + np.arange(len(words))
    longer = fresh[len(words) :]
    places[longer] = real.ngrams + len(words) + np.arange(len(longer))
    parts = np.concatenate([real.parts[:old], np.zeros((len(words), real.n), np.int32), real.parts[old:]])
    parts = np.concatenate([parts, np.zeros((len(longer), real.n), np.int32)]).astype(np.int32)
    parts[places[fresh]] = np.where(planted.parts[fresh] >= 0, places[planted.parts[fresh]], -1)
    names = Names(
        [*(real.names[place] for place in range(old)), *(planted.names[place] for place in words.tolist())],
        parts,
    )
    people = int(max(_people(real)))
    changed: dict[str, Any] = {
        "offsets": np.concatenate([real.offsets, planted.offsets[1:] + real.offsets[-1]]),
        "ngram": np.concatenate([moved[real.ngram], places[planted.ngram]]).astype(np.int32),
        "frequency": np.concatenate([real.frequency, planted.frequency]),
        "parts": parts,
        "names": names,
        "ends": np.concatenate([real.ends, planted.ends + people]).astype(np.int32),
    }
    if real.widest is not None and planted.widest is not None:
        changed["widest"] = np.concatenate([real.widest, planted.widest])
    if isinstance(real, MessageTable) and isinstance(planted, MessageTable):
        changed |= {
            "edges": np.concatenate([real.edges, planted.edges + np.int32(len(real.edge_ends))]),
            "notes": np.concatenate([real.notes, planted.notes + np.int32(real.holders)]),
            "edge_ends": np.concatenate([real.edge_ends, planted.edge_ends + np.int32(people)]),
            "thread": np.concatenate([real.thread, planted.thread + real.thread.max(initial=-1) + 1]),
            "alike": np.concatenate([real.alike, planted.alike + real.alike.max(initial=-1) + 1]),
        }
    values = {each.name: getattr(real, each.name) for each in fields(real)}
    return Joined(type(real)(**values | changed), places.astype(np.int32))


def _people(table: Table) -> Iterator[int]:
    """Return numbers above those of all people."""
    yield int(table.ends.max(initial=-1)) + 1
    if isinstance(table, MessageTable):
        yield int(table.edge_ends.max(initial=-1)) + 1


def _ngrams(words: list[str], n: int) -> Counter[str]:
    """Return how often a text says each n-gram."""
    return Counter(
        " ".join(words[start : start + length])
        for length in range(1, n + 1)
        for start in range(len(words) - length + 1)
    )


def _gathered(table: Table, holders: Ids) -> tuple[Numbers, Numbers]:
    """Return the rows of some holders of a table, one after another, and where those of each begin."""
    sizes = np.diff(table.offsets)[holders]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = np.repeat(table.offsets[:-1][holders] - offsets[:-1], sizes) + np.arange(offsets[-1])
    return offsets, rows


def _pair_keys(one: Ids, other: Ids) -> Numbers:
    """Return a number for each pair of people, whoever of them wrote."""
    return np.minimum(one, other).astype(np.int64) << 32 | np.maximum(one, other)


def _pairs_of(key: Numbers) -> Numbers:
    return np.column_stack([key >> 32, key & 0xFFFFFFFF])


def _address(person: int) -> str:
    return f"planted-{person}@planted.example"
