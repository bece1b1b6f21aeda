"""Counting n-grams: one program of ibis expressions, the same for every engine.

Words get whole numbers first, in the order of their MD5 digests; longer n-grams get theirs in the order of a hash of
their words. Both orders are public and the same on every engine, and so are ties broken by them: which n-grams an edge
keeps depends on its own words alone. Numbers, not texts, are then joined and counted. Edges on which exactly the same
messages passed (those to the many recipients of one message, say) carry the same, and are counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entrenous.words.table import HASH_DIGITS, MODULUS, MULTIPLIER, Names, Table

if TYPE_CHECKING:
    from entrenous.words.engines import Engine

__all__ = ["PASSAGES", "TEXTS", "TOKENS", "Counts", "count", "program", "split"]

# The tables of a settled store that are counted, and the types of their columns.
TEXTS = {"text": "int64", "message": "int64", "words": "string"}
TOKENS = {"text": "int64", "message": "int64", "place": "int64", "word": "string"}
PASSAGES = {"message": "int64", "holder": "int32"}
HOLDERS = {"holder": "int32", "u": "int32", "v": "int32"}

Keep = Callable[[str, Any], Any]  # has an expression worked out under a name, and returns it as a table


@dataclass(frozen=True)
class Counts:
    """What the program asks for: the n-grams of each length, and how often each holder says each.

    Attributes
    ----------
    levels
        For each length from 1 a table: `gram`, `hash`, and the word, or the numbers of prefix and last word.
    rows
        A table of `bundle`, `gram` and `frequency`.
    members
        A table of `holder` and `bundle`: holders of one bundle carry the same. It bears the least of their numbers.
    """

    levels: tuple[Any, ...]
    rows: Any
    members: Any


def split(texts: Any) -> Any:
    """Return the words of texts (`text`, `message`, `words` with single blanks between) and their places."""
    lists = texts.select("text", "message", word=texts.words.split(" "))
    return lists.unnest("word", offset="place")


def program(tokens: Any, passages: Any, *, n: int, contribution: int | None, keep: Keep) -> Counts:
    """Return the expressions that count all n-grams of up to n words.

    Parameters
    ----------
    tokens
        A table of `text`, `message`, `place` and `word`; n-grams do not leave a text.
    passages
        A table of `message` and `holder`: who carries what the message says.
    n, contribution
        As in `entrenous.words.Corpus.table`.
    keep
        Works out what is used more than once.
    """
    import ibis

    words = keep("grams_1", _numbered_words(tokens))
    coded = tokens.join(words, "word").select("text", "message", "place", "gram")
    if n > 1:
        following = ibis.window(group_by="text", order_by="place")
        leads = {f"word_{k}": coded.gram.lead(k - 1).over(following) for k in range(2, n + 1)}
        coded = keep("coded", coded.select("message", "gram", **leads))
    levels, found = [words], [coded.select("message", "gram")]
    current = coded
    for k in range(2, n + 1):
        last = f"word_{k}"
        current = current.filter(current[last].notnull())
        level = keep(f"grams_{k}", _numbered_ngrams(current, last, levels))
        further = [f"word_{j}" for j in range(k + 1, n + 1)]
        renamed = current.rename(prefix="gram", last=last)
        current = renamed.join(level, ["prefix", "last"]).select("message", "gram", *further)
        levels.append(level)
        found.append(current.select("message", "gram"))
    said = ibis.union(*found) if len(found) > 1 else found[0]
    members = keep("members", _bundled(passages))
    carried = passages.join(members.filter(members.holder == members.bundle), "holder").select(
        "message", "bundle"
    )
    rows = said.join(carried, "message").group_by("bundle", "gram").agg(frequency=lambda t: t.count())
    rows = rows.mutate(frequency=rows.frequency.cast("int32"))
    if contribution is not None:
        rows = _bounded(rows, contribution)
    return Counts(tuple(levels), rows, members)


def count(engine: Engine, *, by: str, n: int, contribution: int | None) -> Table:
    """Run the program on a settled store and return its table; `by` is "edge" or "sender"."""
    import ibis

    counts = program(
        engine.tokens(),
        ibis.table(PASSAGES, name=f"{by}_passages"),
        n=n,
        contribution=contribution,
        keep=engine.keep,
    )
    ends = _columns(engine, ibis.table(HOLDERS, name=f"{by}s").order_by("holder").select("u", "v"))
    parts, names = _ngrams(engine, counts.levels)
    bundle = _columns(engine, counts.members.order_by("holder").select("bundle"))[0]
    offsets, ngram, frequency = _arranged(engine, counts.rows, bundle, len(parts))
    engine.drop([f"grams_{k}" for k in range(1, n + 1)] + ["tokens", "coded", "members"])
    return Table(offsets, ngram, frequency, parts, names, np.column_stack(ends), contribution)


def _bundled(passages: Any) -> Any:
    """Find the holders on which exactly the same messages passed."""
    sets = passages.group_by("holder").agg(messages=passages.message.collect().sort())
    bundles = sets.group_by("messages").agg(bundle=sets.holder.min())
    return sets.join(bundles, "messages").select("holder", "bundle")


def _numbered_words(tokens: Any) -> Any:
    """Give numbers to the different words, in the order of their digests; a hash is made of the first digits."""
    import ibis

    words = tokens.select("word").distinct()
    words = words.mutate(digest=words.word.hexdigest("md5"))
    digits = ibis.literal("0123456789abcdef")
    value = sum(
        digits.find(words.digest.substr(place, 1)).cast("int64") * 16 ** (HASH_DIGITS - 1 - place)
        for place in range(HASH_DIGITS)
    )
    number = ibis.row_number().over(order_by=words.digest)
    return words.select("word", gram=number.cast("int32"), hash=value)


def _numbered_ngrams(current: Any, last: str, levels: list[Any]) -> Any:
    """Give numbers to the different pairs of prefix and last word, after all shorter ones, in the order of a hash."""
    import ibis

    words, shorter = levels[0], levels[-1]
    pairs = current.select(prefix=current.gram, last=current[last]).distinct()
    prefixes = shorter.select(prefix=shorter.gram, before=shorter.hash)
    lasts = words.select(last=words.gram, after=words.hash)
    pairs = pairs.join(prefixes, "prefix").join(lasts, "last")
    pairs = pairs.select(
        "prefix", "last", hash=((pairs.before * MULTIPLIER + pairs.after) % MODULUS).cast("int64")
    )
    number = ibis.row_number().over(order_by=[pairs.hash, pairs.prefix, pairs.last])
    first = shorter.gram.max().as_scalar() + 1
    return pairs.mutate(gram=(number + first).cast("int32"))


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
    engine: Engine, rows: Any, bundle: NDArray[np.int32], ngrams: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return offsets, n-grams and frequencies: rows by holder, then by falling frequency, then by n-gram.

    Frequency and n-gram are packed into one number, so that the rows of a bundle are sorted as plain numbers.
    """
    from entrenous.words._kernels import scatter, spread

    pieces = list(_packed(engine, rows, ngrams))
    sizes = np.zeros(len(bundle), np.int64)
    for number, _ in pieces:
        sizes += np.bincount(number, minlength=len(bundle))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    keys = np.empty(starts[-1], np.int64)
    place = starts[:-1].copy()
    while pieces:
        scatter(*pieces.pop(), place, keys)
    for first in np.flatnonzero(sizes).tolist():
        keys[starts[first] : starts[first + 1]].sort()
    offsets = np.concatenate([[0], np.cumsum(sizes[bundle])])
    ngram, frequency = spread(keys, starts, bundle, offsets, ngrams)
    return offsets, ngram, frequency


def _packed(engine: Engine, rows: Any, ngrams: int) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """Yield bundles and keys that sort by falling frequency, then by n-gram: gram - frequency * ngrams."""
    for batch in engine.batches(rows.select("bundle", "gram", "frequency")):
        bundle, gram, frequency = (column.to_numpy(zero_copy_only=False) for column in batch.columns)
        yield bundle, gram - frequency.astype(np.int64) * ngrams
