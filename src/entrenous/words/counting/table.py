"""What counting hands to the mechanisms: who carries which n-grams, and what the neighbours of an edge carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.words.counting.holder import EDGE, Holder

__all__ = ["Names", "NeighbourCounts", "Table"]

Ids = NDArray[np.int32]
MODULUS = 2_147_483_647  # the Mersenne prime 2^31 - 1
HASH_DIGITS = 7  # hexadecimal ones of a word's digest: below the modulus
MULTIPLIER = 1_103_515_245  # below the modulus, so that products of two residues fit 64 bits


class Names(Sequence[str]):
    """The n-grams of a table as text, put together when asked for.

    Parameters
    ----------
    words
        The unigrams in the order of their ids: an arrow array, or any sequence of texts.
    parts
        As in `Table`.
    """

    def __init__(self, words: Any, parts: Ids) -> None:
        self._words = words
        self._parts = parts

    @property
    def parts(self) -> Ids:
        """One row per n-gram: the unigrams that form it, padded with -1."""
        return self._parts

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        return " ".join(self._word(part) for part in self._parts[place] if part >= 0)

    def __iter__(self) -> Iterator[str]:
        words = [self._word(i) for i in range(len(self._words))]
        for row in self._parts.tolist():
            yield " ".join([words[part] for part in row if part >= 0])

    def look_up(self, names: Sequence[str]) -> Ids:
        """Return the id of each name, -1 where the table has no such n-gram.

        >>> Names(["b", "a"], np.array([[0, -1], [1, -1], [1, 0]], np.int32)).look_up(["a b", "b a", "b"]).tolist()
        [2, -1, 0]
        """
        if not len(self):  # nobody says anything: whoever asks must not learn that from an error
            return np.full(len(names), -1, np.int32)
        width = self._parts.shape[1]
        rows = np.full((len(names), width), -2, np.int64)  # -2 is no word at all: found nowhere
        for place, name in enumerate(names):
            found = [self._places.get(word, -2) for word in name.split(" ")]
            if len(found) <= width:
                rows[place] = found + [-1] * (width - len(found))
        known, ids = self._order
        code = np.zeros(len(names), np.int64)
        for column, keys in enumerate(known):
            key = code * (len(self._words) + 2) + rows[:, column] + 1
            code = np.searchsorted(keys, key)
            code = np.where((code < len(keys)) & (keys[np.minimum(code, len(keys) - 1)] == key), code, -1)
            rows[code < 0] = -2
            code[code < 0] = len(keys)  # beyond every prefix, so that the next column finds nothing either
        return np.append(ids, np.int32(-1))[code].astype(np.int32)

    def only(self, kept: NDArray[np.bool_]) -> Names:
        """Return the names of the n-grams that are kept; every word that forms one of them must be kept as well.

        >>> names = Names(["b", "a", "c"], np.array([[0, -1], [1, -1], [2, -1], [1, 0]], np.int32))
        >>> list(names.only(np.array([True, True, False, True])))
        ['b', 'a', 'a b']
        """
        number = np.append(np.cumsum(kept) - 1, -1)  # the last one is for what pads
        words = np.flatnonzero(kept[: len(self._words)])
        if isinstance(self._words, Sequence):
            return Names(
                [self._words[place] for place in words.tolist()], number[self._parts[kept]].astype(np.int32)
            )
        return Names(self._words.take(words), number[self._parts[kept]].astype(np.int32))

    def word_ids(self, words: Sequence[str]) -> Ids:
        """Return the id of each word, -1 where the table does not have it.

        >>> Names(["b", "a"], np.array([[0], [1]], np.int32)).word_ids(["a", "c", "b"]).tolist()
        [1, -1, 0]
        """
        if isinstance(self._words, Sequence):
            return np.array([self._places.get(word, -1) for word in words], np.int32)
        import pyarrow as pa
        import pyarrow.compute as pc

        found = pc.index_in(pa.array(words, self._words.type), value_set=self._words)
        return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), np.int32)

    def _word(self, place: int) -> str:
        word = self._words[int(place)]
        return word if isinstance(word, str) else str(word.as_py())

    @cached_property
    def _places(self) -> dict[str, int]:
        return {self._word(place): place for place in range(len(self._words))}

    @cached_property
    def _order(self) -> tuple[list[NDArray[np.int64]], Ids]:
        """Return the sorted keys of all prefixes, column by column, and the id at each place of the last ones."""
        code = np.zeros(len(self._parts), np.int64)
        known = []
        for column in range(self._parts.shape[1]):
            keys, code = np.unique(
                code * (len(self._words) + 2) + self._parts[:, column] + 1, return_inverse=True
            )
            known.append(keys)
        return known, np.argsort(code).astype(np.int32)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Which holder (an edge, or a sender) carries which n-grams, at most `contribution` each.

    Ids are no order to publish: they follow from the words that occur.

    Attributes
    ----------
    offsets
        The rows of holder i are `offsets[i]:offsets[i + 1]`, by falling frequency; ties go to the shorter n-gram,
        then by public hash.
    ngram, frequency
        The n-gram of each row, and how often the holder says it (1 or more).
    parts
        One row per n-gram: the unigrams that form it, padded with -1. Unigrams come first and are their own part.
    names
        The text of each n-gram, words joined by one blank.
    ends
        One row per holder: the two persons of an edge, or twice the sender.
    contribution
        How many rows a holder has at most; None if all are there.
    by
        Whose words were counted: an edge's or a sender's.
    listed
        Whether its holders are a public list, so that their number may be told.
    widest
        For each edge how many people got the widest message on it; None where that was not counted.
    assumptions
        What a card must say about how its holders were found.
    """

    offsets: NDArray[np.int64]
    ngram: Ids
    frequency: Ids
    parts: Ids
    names: Names
    ends: Ids
    contribution: int | None = None
    by: Holder = EDGE
    listed: bool = False
    widest: Ids | None = None
    assumptions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"Table(holders={self.holders}, ngrams={self.ngrams}, rows={len(self.ngram)}, "
            f"contribution={self.contribution})"
        )

    @property
    def holders(self) -> int:
        """How many edges, or senders, there are."""
        return len(self.offsets) - 1

    @property
    def public_holders(self) -> int | None:
        """How many holders there are, where that may be told; else None."""
        return self.holders if self.listed else None

    @property
    def ngrams(self) -> int:
        """How many different n-grams there are."""
        return len(self.parts)

    @property
    def n(self) -> int:
        """How many words the longest n-grams may have."""
        return int(self.parts.shape[1])

    @cached_property
    def length(self) -> NDArray[np.int64]:
        """The number of words of each n-gram."""
        lengths: NDArray[np.int64] = (self.parts >= 0).sum(axis=1)
        return lengths

    def support(self) -> NDArray[np.int64]:
        """Return how many holders carry each n-gram."""
        return np.bincount(self.ngram, minlength=self.ngrams).astype(np.int64)

    def bounded(self, contribution: int) -> Table:
        """Return the table with at most so many n-grams of each holder: its own most frequent ones.

        >>> table = Table.from_counts([{"a": 3, "b": 1}, {"b": 2}], ends=[(0, 1), (1, 2)])
        >>> table.bounded(1).support().tolist(), table.bounded(1).names[0] in ("a", "b")
        ([1, 1], True)
        """
        most = _check.at_least("contribution", contribution, 1)
        if self.contribution is not None and self.contribution < most:
            raise ArgumentError(
                "contribution", f"expected {self.contribution} at most, the table's own; got {most}"
            )
        sizes = np.diff(self.offsets)
        place = np.arange(len(self.ngram)) - np.repeat(self.offsets[:-1], sizes)
        kept = place < most
        offsets = np.concatenate([[0], np.cumsum(np.minimum(sizes, most))]).astype(np.int64)
        return replace(
            self,
            offsets=offsets,
            ngram=self.ngram[kept],
            frequency=self.frequency[kept],
            contribution=most,
        )

    def within(self, contribution: int) -> Table:
        """Return the table with at most so many n-grams of each holder, itself if it has no more anyway."""
        if self.contribution is not None and self.contribution <= contribution:
            return self
        return self.bounded(contribution)

    def on_list(self, places: NDArray[np.int64], ends: Ids) -> Table:
        """Return the table of the holders of a public list, whether they carry anything or not.

        Whoever is not listed is left out, and with them all n-grams that nobody else carries.

        Parameters
        ----------
        places
            For each holder its place in the list, -1 where it is not listed.
        ends
            The two persons of each holder of the list.

        Examples
        --------
        >>> table = Table.from_counts([{"a": 3}, {"b": 2}, {"a": 1, "c": 1}], ends=[(0, 1), (1, 2), (2, 3)])
        >>> listed = table.on_list(np.array([2, -1, 1]), np.array([(5, 6), (6, 7), (7, 8)], np.int32))
        >>> np.diff(listed.offsets).tolist(), sorted(listed.names), listed.public_holders
        ([0, 2, 1], ['a', 'c'], 3)
        """
        source = np.full(len(ends), -1, np.int64)
        source[places[places >= 0]] = np.flatnonzero(places >= 0)
        sizes = np.where(source >= 0, np.diff(self.offsets)[source], 0) if self.holders else 0 * source
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        moved = np.repeat(self.offsets[source] - offsets[:-1], sizes)
        rows = moved + np.arange(offsets[-1])
        kept = np.zeros(self.ngrams, np.bool_)
        kept[self.ngram[rows]] = True
        formed = self.parts[kept]
        kept[formed[formed >= 0]] = True
        number = np.cumsum(kept, dtype=np.int32) - 1
        names = self.names.only(kept)
        return replace(
            self,
            offsets=offsets,
            ngram=number[self.ngram[rows]].astype(np.int32),
            frequency=self.frequency[rows],
            parts=names.parts,
            names=names,
            ends=ends,
            listed=True,
            widest=None
            if self.widest is None
            else np.where(source >= 0, np.append(self.widest, 0)[source], 0),
        )

    @classmethod
    def from_counts(
        cls,
        holders: Sequence[Mapping[str, int]],
        *,
        ends: Sequence[tuple[int, int]],
        n: int | None = None,
        by: Holder | str = EDGE,
        listed: bool = False,
    ) -> Table:
        """Return the table of holders whose n-grams and frequencies are given, for examples and small corpora.

        Parameters
        ----------
        holders
            For each holder its n-grams, words joined by one blank, and how often it says each.
        ends
            The two persons of each holder.
        n
            The longest n-gram there may be; by default the longest there is.
        by
            Whose words they are: an edge's or a sender's.
        listed
            Whether these holders are a public list.
        """
        if len(holders) != len(ends):
            raise ArgumentError("ends", f"expected {len(holders)} pairs, one per holder; got {len(ends)}")
        ngrams = {tuple(name.split(" ")) for counts in holders for name in counts}
        words = sorted({word for ngram in ngrams for word in ngram}, key=word_digest)
        place = {word: i for i, word in enumerate(words)}
        longer = sorted(
            ([place[word] for word in ngram] for ngram in ngrams if len(ngram) > 1),
            key=lambda row: (len(row), ngram_hash([word_hash(words[i]) for i in row]), row),
        )
        width = max([n or 1, *map(len, longer)])
        rows = [[i] for i in range(len(words))] + longer
        parts = np.array([row + [-1] * (width - len(row)) for row in rows], np.int32).reshape(-1, width)
        names = Names(words, parts)
        ids = {" ".join(words[i] for i in row): number for number, row in enumerate(rows)}
        sorted_rows = [
            sorted(((-count, ids[name]) for name, count in counts.items() if count > 0)) for counts in holders
        ]
        flat = np.array([pair for pairs in sorted_rows for pair in pairs], np.int64).reshape(-1, 2)
        return cls(
            offsets=np.concatenate([[0], np.cumsum([len(pairs) for pairs in sorted_rows])]).astype(np.int64),
            ngram=flat[:, 1].astype(np.int32),
            frequency=(-flat[:, 0]).astype(np.int32),
            parts=parts,
            names=names,
            ends=np.array(ends, np.int32).reshape(-1, 2),
            by=Holder.named(by),
            listed=listed,
        )


@dataclass(frozen=True, eq=False, repr=False)
class NeighbourCounts:
    """How many neighbours of an edge carry an n-gram, over all edges and all n-grams, exactly.

    Rows are distinct in everything but `pairs`, zeros included.

    Attributes
    ----------
    size
        How many neighbours the edge has: deg u + deg v - 2; parallel edges add.
    frequency_bucket
        floor(log10(number of edges that carry the n-gram)).
    carried
        Whether the edge itself carries the n-gram, 0 or 1.
    neighbours
        How many of its neighbours carry it.
    pairs
        How many pairs of an edge and an n-gram are like that.
    """

    size: Ids
    frequency_bucket: NDArray[np.int8]
    carried: NDArray[np.int8]
    neighbours: Ids
    pairs: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"NeighbourCounts(rows={len(self.pairs)}, pairs={int(self.pairs.sum())})"


def word_digest(word: str) -> str:
    """Return the hexadecimal MD5 digest of a word: the public order of unigrams."""
    from hashlib import md5

    return md5(word.encode(), usedforsecurity=False).hexdigest()


def word_hash(word: str) -> int:
    """Return the public hash of a word: the first seven digits of its digest as a number."""
    return int(word_digest(word)[:HASH_DIGITS], 16)


def ngram_hash(hashes: Sequence[int]) -> int:
    """Return the public hash of an n-gram from those of its words.

    >>> ngram_hash([7]), ngram_hash([0, 7])
    (7, 7)
    """
    value = 0
    for number in hashes:
        value = (value * MULTIPLIER + number) % MODULUS
    return value
