"""Planted broadcasts: `python -m benchmarks.words_broadcasts [--quick] [--json FILE]`.

Four messages, to 15, 30, 60 and 200 recipients, are planted in enron-core. Each says seven pairs of everyday words that
stand together in no other message. Everyday words are published, so noise alone may name any pair of them, said or not.
So each row also tells how many pairs of the same words were published that nobody says at all, planted or not: as many
as were planted. Epsilon 3, delta 1e-5, a seed for each of 50 runs; `--quick` makes 3.
"""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks import rows
from entrenous.words.counting.table import Table

EPSILON, DELTA, RUNS = 3.0, 1e-5, 50
RECIPIENTS = (15, 30, 60, 200)
PHRASES = 7  # in each broadcast
COMMON = 120  # everyday words: the most frequent ones
UNITS = ("edge-content", "edge-and-message", "message", "thread", "sender", "all")


def main() -> None:
    """Run the benchmark, print its rows and write them if asked to."""
    from entrenous.words import Corpus, vocabulary

    options = rows.arguments(__doc__)
    runs = 3 if options.quick else RUNS
    with gzip.open(rows.data_folder() / "mail" / "enron-core.jsonl.gz", "rt", encoding="utf-8") as lines:
        mail = [json.loads(line) for line in lines]
    pairs = everyday_pairs(Corpus.from_messages(mail).table(n=2))
    planted, others = pairs[::2][: PHRASES * len(RECIPIENTS)], pairs[1::2]
    corpus = Corpus.from_messages([*mail, *broadcasts(mail, planted)])
    said = set(corpus.table(n=2).names)  # two phrases side by side make a third
    never = [pair for pair in others if pair not in said][: len(planted)]
    found = []
    for unit in UNITS:
        named = [
            set(vocabulary(corpus, epsilon=EPSILON, delta=DELTA, unit=unit, rng=seed).artifact.names)
            for seed in range(runs)
        ]
        for number, many in enumerate(RECIPIENTS):
            part = slice(number * PHRASES, (number + 1) * PHRASES)
            found.append(
                {
                    "unit": unit,
                    "recipients": many,
                    "runs": runs,
                    "phrases": PHRASES,
                    "named": fmean(map(len, named)),
                    "published": sum(len(each.intersection(planted[part])) for each in named),
                    "published that nobody says": sum(len(each.intersection(never[part])) for each in named),
                }
            )
            rows.show(found[-1])
    rows.write(found, options.json)


def everyday_pairs(table: Table) -> list[str]:
    """Return pairs of everyday words that nobody says, those of the most frequent words first."""
    names = list(table.names)
    order = np.argsort(-table.support(), kind="stable")
    common = list(itertools.islice((names[gram] for gram in order if " " not in names[gram]), COMMON))
    said = set(names)
    pairs = itertools.combinations(common, 2)
    return [
        " ".join(pair)
        for pair in sorted(pairs, key=lambda pair: sum(map(common.index, pair)))
        if " ".join(pair) not in said
    ]


def broadcasts(mail: Sequence[dict[str, Any]], phrases: Sequence[str]) -> list[dict[str, Any]]:
    """Return a message to each number of recipients, from somebody new to people of the mail and to more."""
    people = sorted({row["from"] for row in mail})
    people += [f"new{number}@example.org" for number in range(max(RECIPIENTS))]
    return [
        {
            "id": f"planted-{number}@example.org",
            "from": f"planted{number}@example.org",
            "to": people[:many],
            "subject": "",
            "body": "; ".join(phrases[number * PHRASES : (number + 1) * PHRASES]),
        }
        for number, many in enumerate(RECIPIENTS)
    ]


if __name__ == "__main__":
    main()
