"""Running the counting program on a settled store: its rows become one table, slice by slice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entrenous.words.counting.holder import Holder
from entrenous.words.counting.program import PASSAGES, Counts, program
from entrenous.words.counting.table import Names, Table

if TYPE_CHECKING:
    from entrenous.words.counting.engines import Engine

__all__ = ["columns", "count", "holder_ends"]

ENDS = {"holder": "int32", "u": "int32", "v": "int32"}
CHARACTERS = 6  # of a word with its blank, roughly

Progress = Callable[[int, int], None]


def count(
    engine: Engine,
    *,
    by: Holder,
    n: int,
    contribution: int | None,
    listed: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Table:
    """Run the program on a settled store and return its table.

    Parameters
    ----------
    engine
        Where the store is.
    by, n, contribution, listed
        As in `entrenous.words.Corpus.table`.
    progress
        Called with slices of holders that are counted, and all slices.
    """
    import ibis

    public = None if listed is None else _listed_levels(engine, listed, n)
    counts = program(
        engine.tokens(n),
        ibis.table(PASSAGES, name=f"{by.settled}_passages"),
        n=n,
        contribution=contribution,
        keep=engine.keep,
        listed=None if public is None else public[0],
    )
    ends = holder_ends(engine, by)
    parts, names = _ngrams(engine, counts.levels) if public is None else public[1]
    slices = _slices(engine, by, n, len(ends))
    bundle = columns(engine, counts.members.order_by("holder").select("bundle"))[0]
    rows = _sliced(engine, counts, slices)
    offsets, ngram, frequency = _arranged(engine, rows, slices, bundle, len(parts), progress)
    kept = [f"{name}_{k}" for k in range(1, n + 1) for name in ("grams", "found", "listed")]
    engine.drop([*kept, "coded", "occurrences", "members"])
    return Table(offsets, ngram, frequency, parts, names, ends, contribution, by)


def holder_ends(engine: Engine, by: Holder) -> NDArray[np.int32]:
    """Return the two persons of each edge of a settled store, or twice each sender, in the order of holders."""
    import ibis

    ends = ibis.table(ENDS, name=f"{by.settled}s").order_by("holder").select("u", "v")
    return np.column_stack(columns(engine, ends))


def _slices(engine: Engine, by: Holder, n: int, holders: int) -> list[range]:
    """Return ranges of holders with about as many occurrences of n-grams as an engine counts at once."""
    if engine.slices is None or holders == 0:
        return [range(holders)]
    characters = engine.number(
        f"""SELECT coalesce(sum(characters), 0)::BIGINT FROM {by.settled}_passages JOIN (
            SELECT message, sum(strlen(words)) AS characters FROM texts GROUP BY message) USING (message)"""  # noqa: S608
    )
    wanted = 1 + n * characters // CHARACTERS // engine.slices
    width = -(-holders // min(wanted, holders))
    return [range(first, min(first + width, holders)) for first in range(0, holders, width)]


def _sliced(engine: Engine, counts: Counts, slices: list[range]) -> list[Any]:
    """Return the rows of each slice as a table, or None if it has none; occurrences are shared out once."""
    if len(slices) == 1:
        return [counts.rows()]
    occurrences = counts.occurrences()
    part = (occurrences.bundle // len(slices[0])).cast("int64")
    parts = engine.parted("occurrences", occurrences.mutate(part=part))
    return [counts.rows(parts[number]) if number in parts else None for number in range(len(slices))]


def _listed_levels(
    engine: Engine, listed: Sequence[str], n: int
) -> tuple[list[Any], tuple[NDArray[np.int32], Names]]:
    """Give numbers to the n-grams of a public list, and to what they begin with, in the same public order."""
    import ibis
    import pyarrow as pa

    wanted = {name for name in listed if name.count(" ") < n}
    begun = {name.rsplit(" ", cut)[0] for name in wanted for cut in range(name.count(" ") + 1)}
    words = {word for name in wanted for word in name.split(" ")}
    numbered = Table.from_counts([dict.fromkeys(begun | words, 1)], ends=[(0, 0)], n=n)
    ids = {name: gram for gram, name in enumerate(numbered.names)}
    levels = []
    for k in range(1, n + 1):
        names = [name for name in ids if name.count(" ") == k - 1]
        columns = {
            "gram": pa.array([ids[name] for name in names], pa.int32()),
            "hash": pa.array([0] * len(names), pa.int64()),  # numbers are there already
            "wanted": pa.array([name in wanted for name in names], pa.bool_()),
        }
        if k == 1:
            columns["word"] = pa.array(names, pa.string())
        else:
            pairs = [name.rsplit(" ", 1) for name in names]
            columns["prefix"], columns["last"] = (
                pa.array([ids[pair[place]] for pair in pairs], pa.int32()) for place in (0, 1)
            )
        engine.take(f"listed_{k}", pa.table(columns))
        levels.append(ibis.table(ibis.Schema.from_pyarrow(pa.table(columns).schema), name=f"listed_{k}"))
    return levels, (numbered.parts, numbered.names)


def columns(engine: Engine, expression: Any) -> list[NDArray[Any]]:
    """Return the columns of a result as arrays."""
    batches = [
        [column.to_numpy(zero_copy_only=False) for column in batch] for batch in engine.batches(expression)
    ]
    width = len(expression.columns)
    if not batches:
        return [np.zeros(0, np.int32)] * width
    return [np.concatenate([batch[place] for batch in batches]) for place in range(width)]


def _ngrams(engine: Engine, levels: tuple[Any, ...]) -> tuple[NDArray[np.int32], Names]:
    """Return the unigrams that each n-gram consists of, and the names."""
    import pyarrow as pa

    listed = [list(engine.batches(levels[0].order_by("gram").select("word")))]
    words = pa.chunked_array([batch.column(0) for batch in listed[0]], pa.string()).combine_chunks()
    longer = [columns(engine, level.order_by("gram").select("prefix", "last")) for level in levels[1:]]
    total = len(words) + sum(len(last) for _, last in longer)
    parts = np.full((total, len(levels)), -1, np.int32)
    parts[: len(words), 0] = np.arange(len(words))
    start = len(words)
    for k, (prefix, last) in enumerate(longer, start=1):
        here = slice(start, start + len(last))
        parts[here, :k] = parts[prefix, :k]
        parts[here, k] = last
        start += len(last)
    return parts, Names(words, parts)


def _arranged(
    engine: Engine,
    rows: list[Any],
    slices: list[range],
    bundle: NDArray[np.int32],
    ngrams: int,
    progress: Progress | None,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return offsets, n-grams and frequencies: rows by holder, then by falling frequency, then by n-gram.

    Frequency and n-gram are packed into one number, so that the rows of a bundle are sorted as plain numbers. Sorted
    slices are let go of as they are spread over the holders, so that rows are held little more than once.
    """
    from entrenous.words.counting._kernels import spread

    sizes = np.zeros(len(bundle), np.int64)
    sorted_keys = []
    for done, (part, found) in enumerate(zip(slices, rows, strict=True), start=1):
        pieces = [] if found is None else list(_packed(engine, found, ngrams))
        sorted_keys.append(_sorted_keys(pieces, part, sizes))
        if progress is not None:
            progress(done, len(slices))
    offsets = np.concatenate([[0], np.cumsum(sizes[bundle])])
    ngram, frequency = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int32)
    for part in reversed(slices):
        holders = np.flatnonzero((bundle >= part.start) & (bundle < part.stop))
        starts = np.concatenate([[0], np.cumsum(sizes[part.start : part.stop])])[bundle[holders] - part.start]
        spread(sorted_keys.pop(), starts, holders, offsets, ngrams, ngram, frequency)
    return offsets, ngram, frequency


def _sorted_keys(
    pieces: list[tuple[NDArray[np.int32], NDArray[np.int64]]], part: range, sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the keys of a slice of bundles, one bundle after the other, sorted within; note how many each has."""
    from entrenous.words.counting._kernels import scatter

    here = sizes[part.start : part.stop]
    for number, _ in pieces:
        here += np.bincount(number - part.start, minlength=len(part))
    starts = np.concatenate([[0], np.cumsum(here)])
    keys = np.empty(starts[-1], np.int64)
    place = starts[:-1].copy()
    while pieces:
        number, packed = pieces.pop()
        scatter(number - part.start, packed, place, keys)
    for first in np.flatnonzero(here).tolist():
        keys[starts[first] : starts[first + 1]].sort()
    return keys


def _packed(engine: Engine, rows: Any, ngrams: int) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """Yield bundles and keys that sort by falling frequency, then by n-gram: gram - frequency * ngrams."""
    for batch in engine.batches(rows.select("bundle", "gram", "frequency")):
        bundle, gram, frequency = (column.to_numpy(zero_copy_only=False) for column in batch.columns)
        yield bundle, gram - frequency.astype(np.int64) * ngrams
