"""Who notices which planted fault: `python -m benchmarks.attack_faults [--quick] [--json FILE]`.

The five faults that once stayed unnoticed, planted together, by every setting of the audit about the default mechanism:
here each alone, and none as a control. Rows: the program's own refusal (an ordinary release of every mechanism), one
replay of `owner`, one release of `owner` with many canaries, and settings of the small audit about `owner` and about
the statistics that the faults are in, with their *power*: of how many repetitions, each with real noise, they accuse
beyond doubt, or cannot go on because the program refuses. `--quick` tries three settings once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.mutants import MUTANTS
from tests.mutants.mutant import PROJECT, copy_package, planted
from tests.mutants.test_mutants import FIVE
from tests.mutants.trials import TRIALS

from benchmarks import rows

REPETITIONS = 10
SETTINGS = (
    "network: owner, size and degrees",
    "network: owner, all steps",
    "network: owner, released graph",
    "network: statistics, size",
    "network: statistics, degrees",
    "network: statistics, the degree distribution",
)
#: Killers besides the program and the audit, as they are named in `tests/mutants/trials.py`.
OTHERS: tuple[str, ...] = ("replay: owner 20",)
QUICK = (
    "network: owner, all steps",
    "network: statistics, size",
    "network: statistics, the degree distribution",
)

Row = dict[str, Any]


def main() -> None:
    """Plant the faults, let everybody look, print the rows and write them if asked to."""
    options = rows.arguments(__doc__, more=lambda parser: parser.add_argument("--inside", metavar="FAULT"))
    if options.inside is not None:  # in a process that imports the copy
        for row in _looks(options.inside, options.quick):
            print(json.dumps(row), flush=True)
        return
    found = []
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_package(Path(folder))
        for fault in (*FIVE, "none"):
            for row in _planted(copy, fault, quick=options.quick):
                rows.show(row)
                found.append(row)
    rows.write(found, options.json)


def _planted(copy: Path, fault: str, *, quick: bool) -> Iterator[Row]:
    """Yield what is noticed of one fault, in a process that imports the copy it is planted in."""
    inside = [sys.executable, "-m", "benchmarks.attack_faults", "--inside", fault]
    with planted(copy, tuple(mutant for mutant in MUTANTS if mutant.name == fault)):
        done = subprocess.run(
            inside + ["--quick"] * quick,
            cwd=PROJECT,
            env=os.environ | {"PYTHONPATH": f"{copy}{os.pathsep}{PROJECT}", "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    # What a trial prints besides is for its reader.
    yield from (json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"fault"'))


def _looks(fault: str, quick: bool) -> Iterator[Row]:
    """Let everybody look."""
    from entrenous import attack, datasets

    for killer in ("program: release", *OTHERS):
        kind, _, what = killer.partition(": ")
        yield _row(fault, killer, 1, lambda _, look=TRIALS[kind], what=what: look(what))  # type: ignore[misc]
    repetitions = 1 if quick else REPETITIONS
    graph = datasets.organization(1300, seed=1).graph
    yield _row(
        fault,
        "release: owner 20",
        repetitions,
        lambda _: attack.planted_ties(graph, epsilon=20.0, method="owner", published=False)[0].broken,
    )
    for name in QUICK if quick else SETTINGS:

        def accused(_: int, name: str = name) -> bool:
            return attack.audit_settings([name])[0].broken

        yield _row(fault, f"audit: {name}", repetitions, accused)


def _row(fault: str, killer: str, repetitions: int, looks: Callable[[int], bool]) -> Row:
    """Let one killer look so many times; a refusal of the program ends a look."""
    from entrenous.errors import PrivacyError

    started, accused, refused = time.process_time(), 0, 0
    for repetition in range(1, repetitions + 1):
        try:
            accused += looks(repetition)
        except PrivacyError:
            refused += 1
    return {
        "fault": fault, "looks": killer, "repetitions": repetitions, "accused": accused, "refused": refused,
        "power": (accused + refused) / repetitions, "cpu_seconds": time.process_time() - started,
    }  # fmt: skip


if __name__ == "__main__":
    main()
