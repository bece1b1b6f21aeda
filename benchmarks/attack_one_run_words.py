"""What one release of mail with many canaries proves: `python -m benchmarks.attack_one_run_words [--quick] [--json FILE]`.

For each unit, for counts of a public list (geometric and Gaussian noise) and for vocabularies, at each epsilon: the bounds
of an attacker who sees all that is drawn and of one who sees what is published, with 95 % and with 99.9 %, and CPU
seconds. The mail is enron-internal; `--quick` takes enron-core, one epsilon and fewer canaries. Noise comes from fixed
seeds: exact draws take most of the time, and their law is the same.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import rows
from entrenous.attack import Finding, planted_letters
from entrenous.words import Corpus

UNITS = ("edge-content", "sender", "message", "thread", "edge-and-message", "all")
EPSILONS = (2.0, 4.0, 1.0)
DELTA = 1e-5
#: Of vocabularies: with a smaller epsilon coins are harder to guess.
CANARIES = {1.0: 32_000, 2.0: 24_000, 4.0: 16_000}
COUNTED = 32_000
BALLS = 12_000  # of pairs, threads and writers in a ball: each has seventeen words on the list
QUICK = 8000

Row = dict[str, Any]


def main() -> None:
    """Make all releases, print their rows and write them if asked to."""
    options = rows.arguments(__doc__)
    name = "enron-core" if options.quick else "enron-internal"
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = rows.data_folder() / "mail" / f"{name}.jsonl.gz"
        with_store = Corpus.read(path, store=Path(folder) / "corpus")
        for row in attacked(with_store, quick=options.quick):
            rows.show(row)
            found.append({"corpus": name, **row})
    rows.write(found, options.json)


def attacked(corpus: Corpus, *, quick: bool) -> Iterator[Row]:
    """Yield a row for every unit, kind of release and epsilon."""
    for epsilon in EPSILONS[:1] if quick else EPSILONS:
        for unit in UNITS:
            for what, delta in (("histogram", None), ("histogram", DELTA), ("vocabulary", DELTA)):
                canaries = _canaries(unit, what, delta, epsilon)
                started = time.process_time()
                found = planted_letters(
                    corpus, what=what, unit=unit, epsilon=epsilon, delta=delta,
                    canaries=min(canaries, QUICK) if quick else canaries, rng=1,
                )  # fmt: skip
                yield {
                    "release": what, "noise": "geometric" if delta is None else "Gaussian", "unit": unit,
                    "epsilon": epsilon, "canaries": int(found[0].details["canaries"]),
                    **measured("drawn", found[0]), **measured("published", found[1]),
                    "cpu_seconds": time.process_time() - started,
                }  # fmt: skip


def _canaries(unit: str, what: str, delta: float | None, epsilon: float) -> int:
    if what == "vocabulary":
        return CANARIES[epsilon]
    return BALLS if delta is not None and unit in ("thread", "edge-and-message", "all") else COUNTED


def measured(seen: str, found: Finding) -> Row:
    """Return what one attacker proves, as shares of what is stated."""
    assert found.stated is not None and found.beyond_doubt is not None
    return {
        f"{seen} 95 %": found.measured,
        f"{seen} 99.9 %": found.beyond_doubt,
        f"{seen} of stated": found.measured / found.stated,
        f"{seen} guesses": int(found.details["guesses"]),
    }


if __name__ == "__main__":
    main()
