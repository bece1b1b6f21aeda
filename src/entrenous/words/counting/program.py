"""Counting n-grams: one program of ibis expressions, the same for every engine.

Words get whole numbers first, in the order of their MD5 digests; longer n-grams get theirs in the order of a hash of
their words. Both orders are public and the same on every engine, and so are ties broken by them: which n-grams an edge
keeps depends on its own words alone. Numbers, not texts, are then joined and counted. Edges on which exactly the same
messages passed (those to the many recipients of one message, say) carry the same, and are counted once.

Nothing here draws at random, depends on the order of rows or on how they are spread over machines: a part that is
counted again, because a machine was lost, is counted alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from entrenous.words.counting.table import HASH_DIGITS, MODULUS, MULTIPLIER

__all__ = ["PASSAGES", "TEXTS", "Counts", "program", "split"]

# The tables of a settled store that are counted, and the types of their columns.
TEXTS = {"text": "int64", "message": "int64", "words": "string"}
PASSAGES = {"message": "int64", "holder": "int32"}
BUCKETS = 256  # parts in which n-grams are numbered side by side

Keep = Callable[[str, Any], Any]  # has an expression worked out under a name, and returns it as a table


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


def _together(tables: list[Any]) -> Any:
    import ibis

    return ibis.union(*tables) if len(tables) > 1 else tables[0]


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
