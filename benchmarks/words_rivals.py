"""Our rule beside its rivals: `python -m benchmarks.words_rivals [--quick] [--json FILE]`.

Named n-grams that occur, unigrams and bigrams, at epsilon 3 and 1 with delta 1e-5, on enron-core and enron-internal,
five seeds each; one row per rule, with the share of what it named that occurs. `--unit edge sender` takes the holders
that tables are counted by, one set of rows for each; with `--moved` every rule also hides a part of a holder, such as
one message of an edge. `--quick` takes enron-core and one seed.
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
    parser.add_argument("--unit", nargs="+", default=["edge", "sender"], help="the holders of the tables")
    parser.add_argument("--moved", action="store_true", help="hide a part of a holder as well")


def main() -> None:
    """Run the benchmark, print its rows and write them if asked to."""
    from entrenous.words import Corpus
    from entrenous.words.rivals import compare

    options = rows.arguments(__doc__, more=more)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("enron-core",) if options.quick else ("enron-core", "enron-internal"):
            mail = rows.data_folder() / "mail" / f"{name}.jsonl.gz"
            corpus = Corpus.read(mail, store=Path(folder) / f"{name}.corpus")
            for unit in options.unit:
                table = corpus.table(by=unit, n=2)
                for epsilon in EPSILONS:
                    standings = compare(
                        table,
                        epsilon=epsilon,
                        delta=DELTA,
                        moved=options.moved,
                        seeds=1 if options.quick else SEEDS,
                    )
                    about = {"mail": name, "unit": unit, "moved": options.moved, "epsilon": epsilon}
                    for standing in standings:
                        found.append(about | asdict(standing))
                        rows.show(found[-1])
    rows.write(found, options.json)


if __name__ == "__main__":
    main()
