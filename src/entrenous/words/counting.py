"""Counting n-grams: one program of ibis expressions, the same for every engine.

Words get whole numbers first, in the order of their MD5 digests; longer n-grams get theirs in the order of a hash of
their words. Both orders are public and the same on every engine, and so are ties broken by them: which n-grams an edge
keeps depends on its own words alone. Numbers, not texts, are then joined and counted. Edges on which exactly the same
messages passed (those to the many recipients of one message, say) carry the same, and are counted once.

Nothing here draws at random, depends on the order of rows or on how they are spread over machines: a part that is
counted again, because a machine was lost, is counted alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entrenous.words.table import HASH_DIGITS, MODULUS, MULTIPLIER, Names, Table

if TYPE_CHECKING:
    from entrenous.words.engines import Engine

__all__ = ["PASSAGES", "TEXTS", "Counts", "count", "program", "split"]

# The tables of a settled store that are counted, and the types of their columns.
TEXTS = {"text": "int64", "message": "int64", "words": "string"}
PASSAGES = {"message": "int64", "holder": "int32"}
HOLDERS = {"holder": "int32", "u": "int32", "v": "int32"}
BUCKETS = 256  # parts in which n-grams are numbered side by side
CHARACTERS = 6  # of a word with its blank, roughly

Keep = Callable[[str, Any], Any]  # has an expression worked out under a name, and returns it as a table
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Counts:
    """What the program asks for: the n-grams of each length, and how often each holder says each.

    Attributes
    ----------
    levels
        For each length from 1 a table: `gram`, `hash`, and the word, or the numbers of prefix and last word.
    said
        A table of `message` and `gram`, a row for every time the message says the n-gram.
    carried
        A table of `message` and `bundle`.
    members
        A table of `holder` and `bundle`: holders of one bundle carry the same. It bears the least of their numbers.
    contribution
        How many n-grams of a bundle are kept; None keeps all.
    """

    levels: tuple[Any, ...]
    said: Any
    carried: Any
    members: Any
    contribution: int | None

    def occurrences(self) -> Any:
        """Return a table of `bundle` and `gram`, a row for every time a bundle says the n-gram."""
        return self.said.join(self.carried, "message").select("bundle", "gram")

    def rows(self, occurrences: Any = None) -> Any:
        """Return a table of `bundle`, `gram` and `frequency`, from all occurrences or from those of some bundles."""
        found = self.occurrences() if occurrences is None else occurrences
        rows = found.group_by("bundle", "gram").agg(frequency=lambda t: t.count())
        rows = rows.mutate(frequency=rows.frequency.cast("int32"))
        return rows if self.contribution is None else _bounded(rows, self.contribution)


def split(texts: Any, n: int) -> Any:
    """Return the words of texts (`message`, `words` with single blanks between), each with those that follow it.

    Columns are `message` and `word_1` to `word_n`; where a text ends sooner, nothing follows.
    """
    lists = texts.select("message", list=texts.words.split(" "))
    if n == 1:
        return lists.select("message", word_1=lists.list.unnest())
    side_by_side = lists.list.zip(*(lists.list[k:] for k in range(1, n)))
    rows = lists.select("message", each=side_by_side.unnest())
    return rows.select("message", **{f"word_{k}": rows.each[f"f{k}"] for k in range(1, n + 1)})


def program(
    tokens: Any,
    passages: Any,
    *,
    n: int,
    contribution: int | None,
    keep: Keep,
    listed: Sequence[Any] | None = None,
) -> Counts:
    """Return the expressions that count all n-grams of up to n words.

    Parameters
    ----------
    tokens
        A table of `message` and `word_1` to `word_n`, as `split` returns it; n-grams do not leave a text.
    passages
        A table of `message` and `holder`: who carries what the message says.
    n, contribution
        As in `entrenous.words.Corpus.table`.
    keep
        Works out what is used more than once.
    listed
        The levels of a public list, with a column `wanted`: nothing else is counted. Without it all n-grams get
        their numbers here.
    """
    words = keep("grams_1", _numbered_words(tokens, keep)) if listed is None else listed[0]
    coded = tokens.join(words, tokens.word_1 == words.word).drop("word_1", "word", "hash")
    for k in range(2, n + 1):
        last = words.select(**{f"word_{k}": words.word, f"last_{k}": words.gram})
        coded = coded.left_join(last, f"word_{k}").drop(f"word_{k}", f"word_{k}_right")
    if n > 1:
        coded = keep("coded", coded)
    levels, found = [words], [coded]
    current = coded
    for k in range(2, n + 1):
        current = current.filter(current[f"last_{k}"].notnull())
        current = current.rename(prefix="gram", last=f"last_{k}")
        if listed is None:
            level = keep(f"grams_{k}", _numbered_ngrams(current, levels, keep))
        else:
            current, level = current.drop("wanted"), listed[k - 1]
        current = current.join(level.drop("hash"), ["prefix", "last"]).drop("prefix", "last")
        levels.append(level)
        found.append(current)
    if listed is not None:
        found = [rows.filter(rows.wanted) for rows in found]
    said = _together([rows.select("message", "gram") for rows in found])
    members = keep("members", _bundled(passages))
    first = members.filter(members.holder == members.bundle)
    carried = passages.join(first, "holder").select("message", "bundle")
    return Counts(tuple(levels), said, carried, members, contribution)


def count(
    engine: Engine,
    *,
    by: str,
    n: int,
    contribution: int | None,
    listed: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Table:
    """Run the program on a settled store and return its table; `by` is "edge" or "sender".

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
        ibis.table(PASSAGES, name=f"{by}_passages"),
        n=n,
        contribution=contribution,
        keep=engine.keep,
        listed=None if public is None else public[0],
    )
    ends = _columns(engine, ibis.table(HOLDERS, name=f"{by}s").order_by("holder").select("u", "v"))
    parts, names = _ngrams(engine, counts.levels) if public is None else public[1]
    slices = _slices(engine, by, n, len(ends[0]))
    bundle = _columns(engine, counts.members.order_by("holder").select("bundle"))[0]
    rows = _sliced(engine, counts, slices)
    offsets, ngram, frequency = _arranged(engine, rows, slices, bundle, len(parts), progress)
    kept = [f"{name}_{k}" for k in range(1, n + 1) for name in ("grams", "found", "listed")]
    engine.drop([*kept, "coded", "occurrences", "members"])
    return Table(offsets, ngram, frequency, parts, names, np.column_stack(ends), contribution)


def _together(tables: list[Any]) -> Any:
    import ibis

    return ibis.union(*tables) if len(tables) > 1 else tables[0]


def _slices(engine: Engine, by: str, n: int, holders: int) -> list[range]:
    """Return ranges of holders with about as many occurrences of n-grams as an engine counts at once."""
    if engine.slices is None or holders == 0:
        return [range(holders)]
    characters = engine.number(
        f"""SELECT coalesce(sum(characters), 0)::BIGINT FROM {by}_passages JOIN (
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


def _bundled(passages: Any) -> Any:
    """Find the holders on which exactly the same messages passed."""
    sets = passages.group_by("holder").agg(messages=passages.message.collect().sort())
    bundles = sets.group_by("messages").agg(bundle=sets.holder.min())
    return sets.join(bundles, "messages").select("holder", "bundle")


def _numbered_words(tokens: Any, keep: Keep) -> Any:
    """Give numbers to the different words, in the order of their digests; a hash is made of the first digits."""
    import ibis

    words = tokens.select(word=tokens.word_1).distinct()
    words = words.mutate(digest=words.word.hexdigest("md5"))
    digits = ibis.literal("0123456789abcdef")
    value = sum(
        digits.find(words.digest.substr(place, 1)).cast("int64") * 16 ** (HASH_DIGITS - 1 - place)
        for place in range(HASH_DIGITS)
    )
    words = keep("found_1", words.mutate(hash=value))
    numbered = _numbered(words, 16**HASH_DIGITS, ["digest", "word"])
    return numbered.select("word", "hash", gram=numbered.number.cast("int32"))


def _numbered_ngrams(current: Any, levels: list[Any], keep: Keep) -> Any:
    """Give numbers to the different pairs of prefix and last word, after all shorter ones, in the order of a hash."""
    words, shorter = levels[0], levels[-1]
    pairs = current.select("prefix", "last").distinct()
    prefixes = shorter.select(prefix=shorter.gram, before=shorter.hash)
    lasts = words.select(last=words.gram, after=words.hash)
    pairs = pairs.join(prefixes, "prefix").join(lasts, "last")
    value = ((pairs.before * MULTIPLIER + pairs.after) % MODULUS).cast("int64")
    pairs = keep(f"found_{len(levels) + 1}", pairs.select("prefix", "last", hash=value))
    first = shorter.gram.max().as_scalar() + 1
    numbered = _numbered(pairs, MODULUS, ["hash", "prefix", "last"])
    return numbered.select("prefix", "last", "hash", gram=(numbered.number + first).cast("int32"))


def _numbered(rows: Any, below: int, order: list[str]) -> Any:
    """Give rows numbers from 0 in an order that begins with that of `hash`, a whole number below a bound.

    Rows are numbered within buckets of hashes, and from where the lower buckets end: no engine need bring all rows to
    one place to sort them.
    """
    import ibis

    bucket = (rows.hash // -(-below // BUCKETS)).cast("int64")
    within = ibis.row_number().over(group_by=bucket, order_by=[rows[name] for name in order])
    rows = rows.mutate(bucket=bucket, within=within)
    sizes = rows.group_by("bucket").agg(size=lambda t: t.count())
    until = sizes["size"].sum().over(ibis.cumulative_window(order_by=sizes.bucket))
    starts = sizes.select("bucket", start=until - sizes["size"])
    numbered = rows.join(starts, "bucket")
    return numbered.mutate(number=numbered.within + numbered.start).drop("bucket", "within", "start")


def _bounded(rows: Any, contribution: int) -> Any:
    """Keep the most frequent n-grams of each bundle; ties go to the lower number, which is the public order."""
    import ibis

    order = [rows.frequency.desc(), rows.gram]
    ranked = rows.mutate(rank=ibis.row_number().over(group_by=rows.bundle, order_by=order))
    return ranked.filter(ranked["rank"] < contribution).drop("rank")


def _columns(engine: Engine, expression: Any) -> list[NDArray[Any]]:
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
    longer = [_columns(engine, level.order_by("gram").select("prefix", "last")) for level in levels[1:]]
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
    from entrenous.words._kernels import spread

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
    from entrenous.words._kernels import scatter

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
