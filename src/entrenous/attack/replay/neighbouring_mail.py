"""Mail that lacks one unit: a message, a thread, all on an edge, or all that one person wrote.

Neighbours keep the labels of what stays (docs/guarantees.md): how many copies a message has, and on which of its edges
it counts. So a unit is taken out of tables that were counted with it. The rows of the holders it touches are counted
anew from their messages, by other code than that which counted the table, and compared with what the table says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import PrivacyError
from entrenous.unit import Unit
from entrenous.words.corpus import Corpus
from entrenous.words.counting.holder import ALL, EDGE, EDGE_AND_MESSAGE, Holder
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table

__all__ = ["KINDS", "Gone", "MailWithout", "gone", "gone_by_unit", "grouped"]

Numbers = NDArray[np.int64]

#: What is taken away to test a promise for each unit.
KINDS = {
    Unit.EDGE_CONTENT: ("edge",),
    Unit.SENDER: ("sender",),
    Unit.MESSAGE: ("message",),
    Unit.THREAD: ("thread", "message"),
    Unit.EDGE_AND_MESSAGE: ("message", "edge"),
    Unit.ALL_OF_MAIL: ("message", "thread", "edge", "sender"),
}
_SAID = {
    "message": "one message less",
    "thread": "one thread less",
    "edge": "all that passed on one edge less",
    "sender": "all that one person wrote less",
}


@dataclass(frozen=True, eq=False)
class Gone:
    """What is taken away.

    Attributes
    ----------
    kind
        "message" (with its near-copies), "thread", "edge" or "sender".
    notes
        Messages that go as a whole.
    edge
        The edge whose passages go; -1 for none.
    """

    kind: str
    notes: Numbers
    edge: int = -1

    def __str__(self) -> str:
        return _SAID[self.kind]


def gone_by_unit(corpus: Corpus, unit: Unit, count: int, rng: np.random.Generator) -> Iterator[Gone]:
    """Yield units of mail to take away: by turns the largest of a kind, those with words of their own, and any."""
    mail, kinds = corpus.messages(n=1), KINDS[unit]
    drawn = {kind: iter(_places(kind, mail, count, rng)) for kind in kinds}
    for turn in range(count):
        kind = kinds[turn % len(kinds)]
        place = next(drawn[kind], None)
        if place is not None:
            yield gone(mail, kind, place)


def gone(mail: MessageTable, kind: str, place: int) -> Gone:
    """Return the unit of a kind that has this number; with an edge go the messages that lie on no other."""
    if kind == "edge":
        on = mail.notes[mail.edges == place]
        return Gone(kind, on[mail.copies[on] == 1].astype(np.int64), place)
    return Gone(kind, np.flatnonzero(grouped(mail, kind) == place))


def grouped(mail: MessageTable, kind: str) -> NDArray[np.integer]:
    """Return for each message the number of its unit of a kind, edges excepted."""
    groups: dict[str, NDArray[np.integer]] = {
        "message": mail.alike,
        "thread": mail.thread,
        "sender": mail.senders,
    }
    return groups[kind]


def _places(kind: str, mail: MessageTable, count: int, rng: np.random.Generator) -> list[int]:
    """Return numbers of units of a kind: by turns the largest, those with most words of their own, and any."""
    alone = np.bincount(mail.ngram, minlength=mail.ngrams) == 1  # said in one message
    message = np.repeat(np.arange(mail.holders), np.diff(mail.offsets))
    own = np.bincount(message, weights=alone[mail.ngram], minlength=mail.holders)
    if kind == "edge":  # what a message to many says is said on many edges
        own = np.where(mail.copies == 1, own, 0)
    size = np.diff(mail.offsets) + 1000 * mail.copies

    def added(weight: NDArray[Any]) -> NDArray[Any]:
        if kind == "edge":
            return np.bincount(mail.edges, weights=weight[mail.notes])
        return np.bincount(grouped(mail, kind), weights=weight)

    there = np.flatnonzero(added(np.ones(mail.holders)))
    ranked = [there[np.argsort(-added(weight)[there], kind="stable")][:count] for weight in (size, own)]
    mixed = np.column_stack([*ranked, rng.permutation(there)[:count]]).ravel()
    return [int(place) for place in dict.fromkeys(mixed.tolist())]


@dataclass(frozen=True, eq=False)
class MailWithout:
    """A corpus without one unit, as tables see it.

    Attributes
    ----------
    corpus
        The whole.
    gone
        What is taken away.
    ends_public
        Whether holders stay without content, because who writes to whom is public.
    """

    corpus: Corpus
    gone: Gone
    ends_public: bool = False

    @property
    def assumptions(self) -> tuple[str, ...]:
        """As of the whole."""
        return self.corpus.assumptions

    @property
    def language(self) -> str | None:
        """As of the whole."""
        return self.corpus.language

    def messages(self, *, by: Holder | str = EDGE_AND_MESSAGE, n: int = 2) -> MessageTable:
        """Return the table of messages without what is gone; numbers of copies stay as they were."""
        whole = self.corpus.messages(by=by, n=n)
        emptied = np.zeros(whole.holders, np.bool_)
        emptied[self.gone.notes] = True
        offsets, ngram, frequency = _without_rows(whole, emptied)
        passing = ~(emptied[whole.notes] | (whole.edges == self.gone.edge))
        values = {each.name: getattr(whole, each.name) for each in fields(MessageTable)}
        left = MessageTable(
            **values
            | {
                "offsets": offsets,
                "ngram": ngram,
                "frequency": frequency,
                "edges": whole.edges[passing],
                "notes": whole.notes[passing],
            }
        )
        vars(left)["copies"] = whole.copies  # a label: what is cached is not counted anew
        return left

    def table(
        self,
        *,
        by: Holder | str = EDGE,
        n: int = 2,
        contribution: int | None = None,
        listed: Sequence[str] | None = None,
    ) -> Table:
        """Return the table of holders without what is gone."""
        by = Holder.named(by)
        whole = self.corpus.table(by=by, n=n, contribution=contribution, listed=listed)
        notes, holders = self.corpus.passages(by)
        lost = np.isin(notes, self.gone.notes) | self._on_the_edge(by, whole, holders)
        touched = np.unique(holders[lost])
        here = np.isin(holders, touched)
        mail = self.corpus.messages(n=n)
        before = _counted(mail, whole, notes[here], holders[here], touched)
        _check_counted(whole, touched, before)
        kept = here & ~lost
        after = _counted(mail, whole, notes[kept], holders[kept], touched)
        said = np.isin(touched, holders[kept])
        return _replaced(
            _narrowed(whole, touched[~said]), touched, after, said | self.ends_public | whole.listed
        )

    @property
    def largest_neighbourhood(self) -> int:
        """As of the whole: known to everybody where ends are public."""
        return self.corpus.largest_neighbourhood

    def _on_the_edge(self, by: Holder, whole: Table, holders: Numbers) -> NDArray[np.bool_]:
        """Tell which passages lie on the edge that is gone: where a message counts on one of its edges, that one."""
        if self.gone.edge < 0 or by == ALL:
            return np.zeros(len(holders), np.bool_)
        ends = self.corpus.messages(n=1).edge_ends[self.gone.edge]
        return np.asarray((whole.ends[holders] == ends).all(axis=1))


Row = tuple[NDArray[np.int32], NDArray[np.int32]]


def _counted(
    mail: MessageTable, whole: Table, notes: Numbers, holders: Numbers, touched: Numbers
) -> list[Row]:
    """Count the rows of some holders from their messages, in the numbers of the table, most frequent n-grams first."""
    rows = []
    places = _places_in(whole, mail)
    for holder in touched.tolist():
        counts: dict[int, int] = {}
        for note in notes[holders == holder].tolist():
            here = slice(mail.offsets[note], mail.offsets[note + 1])
            for gram, times in zip(mail.ngram[here].tolist(), mail.frequency[here].tolist(), strict=True):
                counts[gram] = counts.get(gram, 0) + times
        ranked = sorted(
            (-times, places[gram])
            for gram, times in counts.items()
            if places[gram] >= 0 and _wanted(whole, places[gram])
        )
        pairs = np.array(ranked[: whole.contribution], np.int64).reshape(-1, 2)
        rows.append((pairs[:, 1].astype(np.int32), (-pairs[:, 0]).astype(np.int32)))
    return rows


def _places_in(whole: Table, mail: MessageTable) -> list[int]:
    """Return the numbers that n-grams of messages have in a table, by their names, -1 for none; looked up once."""
    kept: tuple[object, list[int]] | None = vars(whole.names).get("places")
    if kept is None or kept[0] is not mail.names:
        kept = vars(whole.names)["places"] = (mail.names, whole.names.look_up(list(mail.names)).tolist())
    return kept[1]


def _wanted(whole: Table, gram: int) -> bool:
    """Tell whether a table counts an n-gram; one of a list also names what listed ones begin with."""
    kept = vars(whole).get("said")
    if kept is None:
        kept = vars(whole)["said"] = np.bincount(whole.ngram, minlength=whole.ngrams) > 0
    return bool(kept[gram])


def _check_counted(whole: Table, touched: Numbers, counted: list[Row]) -> None:
    """Refuse a table that does not say what its messages say."""
    for holder, (ngram, frequency) in zip(touched.tolist(), counted, strict=True):
        here = slice(whole.offsets[holder], whole.offsets[holder + 1])
        if not (
            np.array_equal(whole.ngram[here], ngram) and np.array_equal(whole.frequency[here], frequency)
        ):
            raise PrivacyError(f"the table of {whole.by}s does not say what its messages say")


def _without_rows(
    table: Table, emptied: NDArray[np.bool_]
) -> tuple[Numbers, NDArray[np.int32], NDArray[np.int32]]:
    """Return the rows of a table, none of them of some holders."""
    sizes = np.diff(table.offsets)
    kept = np.repeat(~emptied, sizes)
    offsets = np.concatenate([[0], np.cumsum(np.where(emptied, 0, sizes))]).astype(np.int64)
    return offsets, table.ngram[kept], table.frequency[kept]


def _narrowed(whole: Table, silent: Numbers) -> Table:
    """Return a table in which no message is widest for holders that nothing is left of, where holders stay."""
    if whole.widest is None:
        return whole
    widest = whole.widest.copy()
    widest[silent] = 0
    return replace(whole, widest=widest)


def _replaced(whole: Table, touched: Numbers, rows: list[Row], stays: NDArray[np.bool_]) -> Table:
    """Return a table with other rows for some holders; those that nothing is left of are gone."""
    emptied = np.zeros(whole.holders, np.bool_)
    emptied[touched] = True
    offsets, ngram, frequency = _without_rows(whole, emptied)
    sizes = np.diff(offsets)
    places = np.repeat(offsets[touched], [len(gram) for gram, _ in rows])
    sizes[touched] = [len(gram) for gram, _ in rows]
    empty = np.zeros(0, np.int32)
    ngram = np.insert(ngram, places, np.concatenate([empty, *(gram for gram, _ in rows)]))
    frequency = np.insert(frequency, places, np.concatenate([empty, *(times for _, times in rows)]))
    left = np.ones(whole.holders, np.bool_)
    left[touched[~stays]] = False
    return replace(
        whole,
        offsets=np.concatenate([[0], np.cumsum(sizes[left])]).astype(np.int64),
        ngram=ngram,
        frequency=frequency,
        ends=whole.ends[left],
        widest=None if whole.widest is None else whole.widest[left],
    )
