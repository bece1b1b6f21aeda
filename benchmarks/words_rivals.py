"""Our rule beside its rivals: `python -m benchmarks.words_rivals [--quick] [--json FILE]`.

Named n-grams that occur, unigrams and bigrams, at epsilon 3 and 1 with delta 1e-5, on enron-core and enron-internal,
five seeds each; one row per rule, with the share of what it named that occurs. `--unit edge-and-message sender` takes
these units, one set of rows for each; no rival hides `all`. `--settings` takes DP-SIPS and MAD with other settings than
those of their papers instead of all rules: whether they stand where they do because of a constant. `--quick` takes
enron-core and one seed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks import rows
from entrenous.words.counting.table import Table
from entrenous.words.rivals import DPSIPS, MAD, Ours, Rival, compare, tables_for

DELTA = 1e-5
EPSILONS = (3.0, 1.0)
SEEDS = 5


def more(parser: argparse.ArgumentParser) -> None:
    """Add what only this benchmark is asked."""
    units = ["edge-and-message", "message", "thread", "all", "edge-content", "sender"]
    parser.add_argument("--unit", nargs="+", default=units, help="the units to hide")
    parser.add_argument("--settings", action="store_true", help="other settings of DP-SIPS and MAD")


def other_settings() -> Iterator[type[Rival]]:
    """Yield DP-SIPS and MAD as published, and with other settings."""
    yield DPSIPS
    for count in (2, 3, 4):
        for ratio in (0.1, 0.2, 0.5, 1.0):
            yield changed(DPSIPS, count=count, ratio=ratio)
    yield MAD
    for first in (0.2, 0.3, 0.5):
        for high in (1.0, 2.0, 3.0):
            yield changed(MAD, first=first, high=high)
    yield changed(MAD, degree=10)
    yield changed(MAD, degree=300)
    yield changed(MAD, above=0.0)
    yield changed(MAD, low=0.0)
    yield changed(MAD, least_bias=1.0, most_bias=1.0)
    yield changed(MAD, most_bias=4.0)


def changed(kind: type[DPSIPS | MAD], **settings: Any) -> type[Rival]:
    """Return a rival that asks its question with other settings."""
    published: Any = vars(kind)["question"]
    question = property(lambda self: replace(published.fget(self), **settings))
    name = kind.name + "".join(f", {key} {value:g}" for key, value in settings.items())
    return type(kind.__name__, (kind,), {"name": name, "question": question})


def main() -> None:
    """Run the benchmark, print its rows and write them if asked to."""
    from entrenous.words import Corpus

    options = rows.arguments(__doc__, more=more)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("enron-core",) if options.quick else ("enron-core", "enron-internal"):
            mail = rows.data_folder() / "mail" / f"{name}.jsonl.gz"
            corpus = Corpus.read(mail, store=Path(folder) / f"{name}.corpus")
            for unit in options.unit:
                table: Table
                rules: tuple[type[Rival], ...] | None = None
                if unit == "all":
                    table = messages = corpus.messages(by=unit)
                    moved, rules = True, (Ours,)
                else:
                    table, messages, moved = tables_for(corpus, unit)
                    if options.settings:
                        rules = tuple(other_settings())
                for epsilon in EPSILONS:
                    standings = compare(
                        table,
                        epsilon=epsilon,
                        delta=DELTA,
                        messages=messages,
                        moved=moved,
                        rules=rules,
                        seeds=1 if options.quick else SEEDS,
                    )
                    about = {"mail": name, "unit": unit, "epsilon": epsilon}
                    for standing in standings:
                        found.append(about | asdict(standing))
                        rows.show(found[-1])
    rows.write(found, options.json)


if __name__ == "__main__":
    main()
