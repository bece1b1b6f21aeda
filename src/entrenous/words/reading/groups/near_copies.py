"""Near-copies: one text sent again with another salutation, date or number gets the same key, another text does not.

The key of a text is the least hash of its runs of four words (a min-hash: A. Broder, "On the resemblance and
containment of documents", 1997), together with its length to powers of two. Two texts get the same one with a
probability that is the share of runs they have in common. Left out beforehand is what changes between near-copies: the
first words, where people are addressed, the names of days and months, and words with digits in them.

One least hash, and no union of texts that resemble a third: a union would join two texts only while the third is there,
and so let what one edge carries move the groups of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

__all__ = ["near_copy_keys"]

RUN = 4  # words of a run
SHORT = 8  # texts of fewer words are alike only if they are equal
ADDRESSED, LONG = 4, 16  # how many words are left out at the beginning of a text of so many words at least
BLANK = ord(" ")
REMEMBERED = 1 << 19  # words whose hashes are kept
DATES = """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec am pm th st nd rd
    montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember
    lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril juin juillet août septembre octobre
    novembre décembre lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio
    agosto septiembre octubre noviembre diciembre"""
_DATES = frozenset(DATES.split())
_FACTORS = [
    np.uint64(factor)
    for factor in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)
]

Keys = NDArray[np.int64]


class _Codes(dict[str, int]):
    """64 bits for a word and the sign after it, the same in every process; 0 for what changes between near-copies."""

    def __missing__(self, ended: str) -> int:
        if len(self) > REMEMBERED:
            self.clear()
        code, word = 0, ended[:-1]
        if word and word not in _DATES and (word.isalpha() or not any(map(str.isdigit, word))):
            data = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            code = int.from_bytes(data, "big") | 1
        self[ended] = code
        return code


_CODES = _Codes()


def near_copy_keys(bodies: Sequence[str], otherwise: Sequence[int]) -> Keys:
    """Return a key for each text: equal for near-copies.

    Parameters
    ----------
    bodies
        Words with single blanks between.
    otherwise
        The keys of texts that are too short to resemble another.

    Examples
    --------
    >>> news = "this week the kitchen on the second floor will be painted please take your cups home before"
    >>> first, second, other = near_copy_keys(
    ...     [f"dear ann {news} friday", f"dear bob {news} monday", "thanks"], [1, 2, 3]
    ... )
    >>> bool(first == second), int(other)
    (True, 3)
    """
    codes, owner = _coded(bodies)
    told = np.flatnonzero(codes)
    codes, owner = codes[told], owner[told]
    counts = np.bincount(owner, minlength=len(bodies))
    keys = np.array(otherwise, np.int64)
    if len(codes) < RUN:
        return keys
    place = np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]
    begins = np.flatnonzero(owner[: 1 - RUN] == owner[RUN - 1 :])
    of = owner[begins]
    fits = (counts[of] >= SHORT) & ((place[begins] >= ADDRESSED) | (counts[of] < LONG))
    begins, of = begins[fits], of[fits]
    if not len(begins):
        return keys
    runs = np.zeros(len(begins), np.uint64)
    for k in range(RUN):
        runs += codes[begins + k] * _FACTORS[k]
    runs = _mixed(runs)
    firsts = np.flatnonzero(np.r_[True, of[1:] != of[:-1]])
    texts = of[firsts]
    size = np.log2(counts[texts]).astype(np.uint64)
    keys[texts] = _mixed(np.minimum.reduceat(runs, firsts) + size * _FACTORS[0]).view(np.int64)
    return keys


def _coded(bodies: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the codes of all words of all texts, and the text that each is of.

    Arrow finds equal words, so that Python sees each word once and not each time it is said. It is handed all texts in
    one piece, with a line for each, and where words end there: a word takes the blank or line break after it along.
    """
    import pyarrow as pa

    lines = "\n".join((*bodies, "")).encode()
    signs = np.frombuffer(lines, np.uint8)
    ends = np.flatnonzero(signs <= BLANK)
    buffers = [None, pa.py_buffer(np.r_[0, ends + 1]), pa.py_buffer(lines)]
    words = pa.Array.from_buffers(pa.large_string(), len(ends), buffers).dictionary_encode()
    distinct = words.dictionary.to_pylist()
    codes = np.fromiter(map(_CODES.__getitem__, distinct), np.uint64, len(distinct))
    last = signs[ends] != BLANK
    return codes[words.indices.to_numpy()], np.cumsum(last) - last


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return values whose every bit depends on all bits (the finalizer of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
