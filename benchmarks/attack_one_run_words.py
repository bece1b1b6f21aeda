"""One release of mail with many canaries: `python -m benchmarks.attack_one_run_words [--quick] [--json FILE]`.

For each unit, for vocabularies and for counts of a public list (geometric and Gaussian noise), at each epsilon: the
bounds of an attacker who sees all that is drawn and of one who sees what is published, with 95 % and with 99.9 %, and
CPU seconds; with normal noise also the bound if canaries are taken for trials of their own ("apart"). The mail is
enron-internal; `--quick` takes enron-core, one epsilon and fewer canaries. Noise comes from fixed seeds: exact draws
take most of the time, and their law is the same.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks import rows
from entrenous.attack import Finding, planted_letters
from entrenous.words import Corpus
from entrenous.words.counting.holder import HOLDERS

UNITS = ("message", "edge-and-message", "thread", "sender", "edge-content", "all")
EPSILONS = (2.0, 4.0, 1.0)
KINDS = (("vocabulary", "Gaussian"), ("histogram", "geometric"), ("histogram", "Gaussian"))
DELTA = 1e-5
#: Of vocabularies: with a smaller epsilon coins are harder to guess.
CANARIES = {1.0: 32_000, 2.0: 24_000, 4.0: 16_000}
COUNTED = {"geometric": 32_000, "Gaussian": 100_000}
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
    for epsilon, kind, unit in product(EPSILONS[:1] if quick else EPSILONS, KINDS, UNITS):
        what, noise = kind
        delta = DELTA if noise == "Gaussian" else None
        canaries = QUICK if quick else _canaries(unit, what, noise, epsilon)
        started = time.process_time()
        found = planted_letters(
            corpus, what=what, unit=unit, epsilon=epsilon, delta=delta, canaries=canaries, rng=2
        )
        yield {
            "release": what, "noise": noise, "unit": unit, "epsilon": epsilon, "canaries": canaries,
            **measured("drawn", found[0]), **measured("published", found[1]),
            **(measured("apart", found[2]) if found[2:] else {}),
            "cpu_seconds": time.process_time() - started,
        }  # fmt: skip


def _canaries(unit: str, what: str, noise: str, epsilon: float) -> int:
    if what == "vocabulary":
        return CANARIES[epsilon]
    return BALLS if noise == "Gaussian" and HOLDERS[unit].changes > 1 else COUNTED[noise]


def measured(seen: str, found: Finding) -> Row:
    """Return what one attacker proves, as shares of what is stated."""
    assert found.stated is not None
    assert found.beyond_doubt is not None
    return {
        f"{seen} 95 %": found.measured,
        f"{seen} 99.9 %": found.beyond_doubt,
        f"{seen} of stated": found.measured / found.stated,
        f"{seen} guesses": int(found.details["guesses"]),
    }


if __name__ == "__main__":
    main()
