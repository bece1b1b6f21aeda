"""What neighbouring edges have in common, read off the exact neighbour counts of a corpus.

Pairs of an edge and an n-gram are sorted by the size of the edge's neighbourhood and by the frequency of the n-gram,
both to powers of ten. Nothing here is private by itself: whoever measures on confidential data holds the result back.

References
----------
Shafieinejad, Inan, Hasegawa, Sim: On privacy and confidentiality of communications in organizational graphs (2021).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import InputError
from entrenous.words.beliefs.belief import NeighbourSource
from entrenous.words.counting.table import NeighbourCounts
from entrenous.words.pufferfish.wasserstein import Distribution, w_infinity

__all__ = [
    "Bucket",
    "bucket_distributions",
    "buckets",
    "measured_counts",
    "neighbour_distributions",
    "neighbour_probabilities",
]


@dataclass(frozen=True)
class Bucket:
    """One row of the table of buckets.

    Parameters
    ----------
    size_bucket
        floor(log10) of the number of neighbours.
    frequency_bucket
        floor(log10) of the number of edges that carry the n-gram.
    fraction
        The W of the two distributions of the *share* of neighbours that carry the n-gram, one for each bit of the
        centre.
    """

    size_bucket: int
    frequency_bucket: int
    fraction: float

    def neighbours(self, largest: int) -> int:
        """Return how many neighbours an edge of this bucket may have."""
        return min(largest, int(10 ** (self.size_bucket + 1)))

    def w(self, largest: int) -> float:
        """Return the W of this bucket in neighbours, where no edge has more than `largest`.

        >>> Bucket(size_bucket=2, frequency_bucket=3, fraction=0.5).w(largest=300)
        150.0
        """
        return self.fraction * self.neighbours(largest)


def neighbour_probabilities(counts: NeighbourCounts) -> tuple[float, float]:
    """Return p0 and p1: the share of neighbours that carry an n-gram, if the edge does not, and if it does."""
    shares = []
    for bit in (0, 1):
        rows = counts.carried == bit
        pairs = counts.pairs[rows].tolist()  # Python's numbers: products of large counts are exact
        carrying = sum(map(int.__mul__, pairs, counts.neighbours[rows].tolist()))
        neighbours = sum(map(int.__mul__, pairs, counts.size[rows].tolist()))
        if not neighbours:
            raise InputError(_TOO_LITTLE)
        shares.append(carrying / neighbours)
    return shares[0], shares[1]


def neighbour_distributions(counts: NeighbourCounts) -> tuple[Distribution, Distribution]:
    """Return the distribution of how many neighbours carry an n-gram, if the edge does not, and if it does."""
    distributions = _distributions(counts, counts.neighbours, np.ones(len(counts.pairs), dtype=bool))
    if distributions is None:
        raise InputError(_TOO_LITTLE)
    return distributions


def bucket_distributions(counts: NeighbourCounts) -> dict[tuple[int, int], tuple[Distribution, Distribution]]:
    """Return for each bucket the two distributions of the share of neighbours that carry an n-gram.

    A bucket in which no edge, or every edge, carries its n-grams has no two distributions and is left out. Equal shares
    are equal as floats and different ones differ, as neighbourhoods are far smaller than 10^7.
    """
    some = counts.size > 0
    size_bucket = np.floor(np.log10(np.maximum(counts.size, 1)) + 1e-12).astype(np.int64)
    shares = counts.neighbours / np.maximum(counts.size, 1)
    found = {}
    keys = set(zip(size_bucket[some].tolist(), counts.frequency_bucket[some].tolist(), strict=True))
    for key in sorted(keys):
        rows = some & (size_bucket == key[0]) & (counts.frequency_bucket == key[1])
        distributions = _distributions(counts, shares, rows)
        if distributions is not None:
            found[key] = distributions
    return found


def buckets(counts: NeighbourCounts) -> tuple[Bucket, ...]:
    """Return the table of buckets: how far apart the two distributions are in each."""
    return tuple(
        Bucket(size, frequency, float(w_infinity(*distributions)))
        for (size, frequency), distributions in bucket_distributions(counts).items()
    )


def measured_counts(corpus: NeighbourSource, n: int, frequency_bucket: int | None = None) -> NeighbourCounts:
    """Return the neighbour counts of a corpus, of one class of frequency if asked."""
    counts = corpus.neighbour_counts(n=n)
    if frequency_bucket is None:
        return counts
    rows = counts.frequency_bucket == frequency_bucket
    return NeighbourCounts(
        size=counts.size[rows],
        frequency_bucket=counts.frequency_bucket[rows],
        carried=counts.carried[rows],
        neighbours=counts.neighbours[rows],
        pairs=counts.pairs[rows],
    )


_TOO_LITTLE = (
    "the corpus says nothing about correlation: expected edges with neighbours, some that carry an n-gram and some "
    "that do not. Take a larger corpus, or state the ranges yourself"
)


def _distributions(
    counts: NeighbourCounts, values: NDArray[np.int32] | NDArray[np.float64], rows: NDArray[np.bool_]
) -> tuple[Distribution, Distribution] | None:
    both = [rows & (counts.carried == bit) & (counts.pairs > 0) for bit in (0, 1)]
    if not all(chosen.any() for chosen in both):
        return None
    absent, present = (Distribution.from_counts(values[chosen], counts.pairs[chosen]) for chosen in both)
    return absent, present
