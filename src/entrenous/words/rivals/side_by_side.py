"""Our rule and its rivals on the same table, side by side: how much each names, and how much of that occurs.

Everything here is computed from confidential data with known noise: for the curator, never to be published.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from entrenous import _check
from entrenous.desk import Desk
from entrenous.noise import Noise
from entrenous.words.counting.table import Table
from entrenous.words.rivals.contenders import RIVALS, Ours
from entrenous.words.rivals.rival import Rival
from entrenous.words.statistics.candidates import occurs

__all__ = ["Standing", "compare"]


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
    for place, kind in enumerate(chosen):
        rule = kind.within(epsilon, delta, contribution=contribution, n=table.n, moved=moved)
        _warm(rule)
        seen, never, seconds = [], 0, []
        for made, seed in enumerate(drawn):
            started = time.process_time()
            desk = Desk(table, unit=table.by.unit, ceiling=rule.price, noise=Noise(seed))
            names = rule.ask(desk).names
            seconds.append(time.process_time() - started)
            there = int(occurs(table, names).sum())
            seen.append(there)
            never += len(names) - there
            if progress is not None:
                progress(place * len(drawn) + made + 1, len(chosen) * len(drawn))
        named = sum(seen) + never
        rows.append(
            Standing(
                rule.name,
                rule.citation,
                fmean(seen),
                min(seen),
                max(seen),
                sum(seen) / named if named else 1.0,
                rule.threshold,
                fmean(seconds),
            )
        )
    return tuple(rows)


def _warm(rule: Rival) -> None:
    """Run a rule on a few words of nobody, so that no rehearsal pays for compiling its inner loops."""
    few = Table.from_counts([{"some words": 1, "some": 1, "words": 1}], ends=[(0, 1)])
    rule.ask(Desk(few, unit=few.by.unit, ceiling=rule.price, noise=Noise(0)))
