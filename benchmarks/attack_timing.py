"""What time, memory, random numbers and sizes tell: ``python -m benchmarks.attack_timing [--quick] [--json FILE]``.

One row for each kind of release and pair of inputs, at epsilon 1, with real noise. For each quantity the AUC that was
seen, what is certain of it (`_least`, 95 %; `_surely`, 99.9 %), and the epsilon that it proves (`_epsilon`, 95 %); at
last the AUC that the promise allows for what is published. The rows `ladder` are exact: how well the number of
candidates of one noisy number of triangles tells a leverage from one more. `--method NAME` makes the rows of one
method, `--quick` 20 runs of each input of two mechanisms and of histograms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from benchmarks import rows
from entrenous import attack
from entrenous.attack.side_channels.page import COLUMNS, told_by_release
from entrenous.attack.side_channels.telling_apart import compare
from entrenous.attack.side_channels.worlds_compared import WORDS, network_worlds, words_worlds
from entrenous.network import MECHANISMS
from entrenous.network.statistics.triangles import decay_for, least_leverage

QUICK, RUNS, VOCABULARY_RUNS = 20, 200, 50
LADDERS = ((1.0, 0), (0.1, 0), (0.02, 0), (0.02, 100), (0.02, 1000))

Row = dict[str, Any]


def main() -> None:
    """Compare both worlds of every release, print the rows and write them if asked to."""
    options = rows.arguments(__doc__, more=lambda parser: parser.add_argument("--method", action="append"))
    found: list[Row] = []
    methods = ("owner", "tmf", "histogram") if options.quick else (*MECHANISMS, *WORDS)
    for method in options.method or methods:
        runs = QUICK if options.quick else VOCABULARY_RUNS if method == "vocabulary" else RUNS
        for row in compared(method, runs):
            rows.show(row)
            found.append(row)
    for row in ladders():
        rows.show(row)
        found.append(row)
    rows.write(found, options.json)


def compared(method: str, runs: int) -> Iterator[Row]:
    """Return a row for each pair of inputs of a method."""
    for each in (words_worlds if method in WORDS else network_worlds)(method, epsilon=1.0):
        told = told_by_release(compare(each, runs=runs))[each.name]
        row: Row = {"release": each.name, "runs": runs}
        for column, quantity in COLUMNS.items():
            short, found = column.replace(" ", "_"), told[quantity]
            auc = found.details["auc"]
            row[short] = max(auc, 1 - auc)
            row[f"{short}_least"] = found.measured
            row[f"{short}_surely"] = found.details["surely"]
            row[f"{short}_epsilon"] = found.details["epsilon"]
            row[f"{short}_same"] = bool(found.details["constant"])
        time = told[COLUMNS["CPU time"]].details
        yield row | {"ms": time["plain"] / 1e6, "ms_canary": time["canary"] / 1e6, "allowed": time["allowed"]}


def ladders() -> Iterator[Row]:
    """Return the exact AUC of the number of candidates of a ladder, which is geometric."""
    for epsilon, more in LADDERS:
        leverage, fall = least_leverage(epsilon) + more, math.exp(-decay_for(epsilon))
        p, q = (1 - fall + fall / width for width in (leverage, leverage + 1))
        auc = (p - p * q / 2) / (p + q - p * q)
        yield {
            "ladder": epsilon, "leverage": leverage, "auc": auc, "allowed": attack.allowed_auc(epsilon),
        }  # fmt: skip


if __name__ == "__main__":
    main()
