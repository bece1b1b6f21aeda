"""Our rule beside its rivals: `python -m benchmarks.words_rivals [--quick] [--json FILE]`.

Named n-grams that occur, unigrams and bigrams, at epsilon 3 and 1 with delta 1e-5, on enron-core and enron-internal,
five seeds each; one row per rule, with the share of what it named that occurs. `--unit edge-and-message sender` takes
these units, one set of rows for each; no rival hides `all`. `--quick` takes enron-core and one seed.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks import rows

DELTA = 1e-5
EPSILONS = (3.0, 1.0)
SEEDS = 5


def more(parser: argparse.ArgumentParser) -> None:
    """Add what only this benchmark is asked."""
    units = ["edge-and-message", "message", "thread", "all", "edge-content", "sender"]
    parser.add_argument("--unit", nargs="+", default=units, help="the units to hide")


def main() -> None:
    """Run the benchmark, print its rows and write them if asked to."""
    from entrenous.words import Corpus
    from entrenous.words.rivals import Ours, compare, tables_for

    options = rows.arguments(__doc__, more=more)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("enron-core",) if options.quick else ("enron-core", "enron-internal"):
            mail = rows.data_folder() / "mail" / f"{name}.jsonl.gz"
            corpus = Corpus.read(mail, store=Path(folder) / f"{name}.corpus")
            for unit in options.unit:
                alone = unit == "all"
                messages = corpus.messages(by=unit) if alone else None
                table, messages, moved = (
                    (messages, messages, True) if messages is not None else tables_for(corpus, unit)
                )
                for epsilon in EPSILONS:
                    standings = compare(
                        table,
                        epsilon=epsilon,
                        delta=DELTA,
                        messages=messages,
                        moved=moved,
                        rules=(Ours,) if alone else None,
                        seeds=1 if options.quick else SEEDS,
                    )
                    about = {"mail": name, "unit": unit, "epsilon": epsilon}
                    for standing in standings:
                        found.append(about | asdict(standing))
                        rows.show(found[-1])
    rows.write(found, options.json)


if __name__ == "__main__":
    main()
