"""Our rule and its rivals on the same table, side by side: how much each names, and how much of that occurs.

Everything here is computed from confidential data with known noise: for the curator, never to be published.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

from entrenous import _check
from entrenous.desk import Desk
from entrenous.errors import ArgumentError
from entrenous.noise import Noise
from entrenous.words.counting.holder import EDGE, Holder, unit_of
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table
from entrenous.words.rivals.contenders import RIVALS, Ours
from entrenous.words.rivals.rival import Rival
from entrenous.words.statistics.candidates import occurs
from entrenous.words.vocabulary.vocabulary_request import VocabularyRequest
from entrenous.words.vocabulary.weightings import Weighting

if TYPE_CHECKING:
    from entrenous.words.corpus import Corpus

__all__ = ["Standing", "compare", "tables_for"]


@dataclass(frozen=True)
class Standing:
    """What one rule named, over several rehearsals.

    Attributes
    ----------
    rule, citation
        The rule, and where it was published.
    named
        The mean number of named n-grams that occur.
    least, most
        The fewest and the most of any rehearsal.
    precision
        The share of named n-grams that occur, of all rehearsals together; 1 if nothing was named.
    threshold
        The noisy weight that words must exceed.
    seconds
        The mean processor time of a rehearsal.
    """

    rule: str
    citation: str
    named: float
    least: int
    most: int
    precision: float
    threshold: float
    seconds: float


def compare(
    table: Table,
    *,
    epsilon: float,
    delta: float,
    contribution: int | None = None,
    moved: bool = False,
    seeds: int | Sequence[int] = 5,
    rules: Sequence[type[Rival]] | None = None,
    messages: MessageTable | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[Standing, ...]:
    """Return how many n-grams each rule names of a table: ours first, then its rivals. Confidential.

    Parameters
    ----------
    table
        Who says what, whoever the holders are; not bounded yet.
    epsilon, delta
        What every rule keeps for each holder.
    contribution
        How many n-grams of a holder take part in every rule. (default: what each rule usually takes)
    moved
        Whether they keep it for any part of a holder as well, such as one message of an edge.
    seeds
        How many rehearsals of each rule, or their seeds.
    rules
        The rules. (default: ours and all rivals)
    messages
        The messages that our own rule takes instead, where the unit hides messages.
    progress
        Called with rehearsals made and rehearsals in all.

    Examples
    --------
    >>> mail = Table.from_counts([{"budget": 2, "draft": 1}] * 400, ends=[(0, 1)] * 400)
    >>> rows = compare(mail, epsilon=3.0, delta=1e-5, seeds=1)
    >>> sorted({(row.named, row.precision) for row in rows}), rows[1].rule
    ([(2.0, 1.0)], 'DPNE')
    """
    drawn = range(_check.at_least("seeds", seeds, 1)) if isinstance(seeds, int) else tuple(seeds)
    chosen: tuple[type[Rival], ...] = (Ours, *RIVALS.values()) if rules is None else tuple(rules)
    rows = []
    # Whoever holds a row, a rival adds or removes it as it would an edge; `moved` is about parts of it.
    plain = replace(table, by=EDGE) if table.by.messages else table
    for place, kind in enumerate(chosen):
        data: Table = plain
        rule: Rival | Weighting = kind.within(
            epsilon, delta, contribution=contribution, n=table.n, moved=moved
        )
        if kind is Ours and messages is not None:
            data = messages
            rule = VocabularyRequest.checked(epsilon, delta, unit=unit_of(messages), n=table.n).rule
        else:
            _warm(rule)
        price = rule.price if isinstance(rule, Rival) else rule.event.price
        seen, never, seconds = [], 0, []
        for made, seed in enumerate(drawn):
            started = time.process_time()
            names = rule.ask(Desk(data, unit=data.by.unit, ceiling=price, noise=Noise(seed))).names
            seconds.append(time.process_time() - started)
            there = int(occurs(data, names).sum())
            seen.append(there)
            never += len(names) - there
            if progress is not None:
                progress(place * len(drawn) + made + 1, len(chosen) * len(drawn))
        named = sum(seen) + never
        rows.append(
            Standing(
                kind.name,
                kind.citation,
                fmean(seen),
                min(seen),
                max(seen),
                sum(seen) / named if named else 1.0,
                rule.threshold,
                fmean(seconds),
            )
        )
    return tuple(rows)


def tables_for(corpus: Corpus, unit: str, *, n: int = 2) -> tuple[Table, MessageTable | None, bool]:
    """Return what rivals are asked for a unit, what our own rule is asked, and whether parts of a holder are hidden.

    Where a message counts once, rivals take pairs (or messages, or threads), and our rule takes the messages.
    """
    by = Holder.named(unit, "unit")
    if by.changes > 2:
        raise ArgumentError("unit", f"no rival hides {unit}; expected another unit")
    messages = corpus.messages(by=by, n=n) if by.messages else None
    return corpus.table(by=by, n=n), messages, by.changes > 1


def _warm(rule: Rival | Weighting) -> None:
    """Run a rule on a few words of nobody, so that no rehearsal pays for compiling its inner loops."""
    few = Table.from_counts([{"some words": 1, "some": 1, "words": 1}], ends=[(0, 1)])
    price = rule.price if isinstance(rule, Rival) else rule.event.price
    rule.ask(Desk(few, unit=few.by.unit, ceiling=price, noise=Noise(0)))
