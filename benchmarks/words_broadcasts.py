"""Planted broadcasts: `python -m benchmarks.words_broadcasts [--quick] [--json FILE]`.

Eight messages, two each to 15, 30, 60 and 200 recipients, are planted in enron-core. Each says seven pairs of everyday
words that stand together in no other message: one of the two says pairs chosen at random, the other the likeliest ones,
those of the most frequent words. Everyday words are published, so noise alone may name any pair of them, said or not.
So each row also tells how many pairs of the same kind were published that nobody says at all, of as many. Epsilon 3,
delta 1e-5, a seed for each of 50 runs; `--quick` makes 3.
"""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Mapping, Sequence
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
    many = PHRASES * len(RECIPIENTS)
    likely, rest = pairs[: 4 * many], pairs[4 * many :]
    chosen = {"likeliest": likely[::2], "at random": np.random.default_rng(1).permutation(rest).tolist()}
    planted = {kind: chosen[kind][:many] for kind in chosen}
    corpus = Corpus.from_messages([*mail, *broadcasts(mail, planted)])
    said = set(corpus.table(n=2).names)  # two phrases side by side make a third
    never = {
        "likeliest": [pair for pair in likely[1::2] if pair not in said][:many],
        "at random": [pair for pair in chosen["at random"][many:] if pair not in said][:many],
    }
    found = []
    for unit in UNITS:
        named = [
            set(vocabulary(corpus, epsilon=EPSILON, delta=DELTA, unit=unit, rng=seed).artifact.names)
            for seed in range(runs)
        ]
        for kind, (number, recipients) in itertools.product(planted, enumerate(RECIPIENTS)):
            part = slice(number * PHRASES, (number + 1) * PHRASES)
            found.append(
                {
                    "unit": unit,
                    "named": fmean(map(len, named)),
                    "phrases": kind,
                    "recipients": recipients,
                    "of": runs * PHRASES,
                    "published": shown(named, planted[kind][part]),
                    "published that nobody says": shown(named, never[kind][part]),
                }
            )
            rows.show(found[-1])
    rows.write(found, options.json)


def shown(named: Sequence[set[str]], phrases: Sequence[str]) -> int:
    """Return how often any of these phrases was published in all runs together."""
    return sum(len(each.intersection(phrases)) for each in named)


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


def broadcasts(mail: Sequence[dict[str, Any]], phrases: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """Return messages to each number of recipients, each from somebody new to people of the mail and to more."""
    people = sorted({row["from"] for row in mail})
    people += [f"new{number}@example.org" for number in range(max(RECIPIENTS))]
    return [
        {
            "id": f"{place}-{number}@example.org",
            "from": f"planted{place}-{number}@example.org",
            "to": people[:recipients],
            "subject": "",
            "body": "; ".join(pairs[number * PHRASES : (number + 1) * PHRASES]),
        }
        for place, pairs in enumerate(phrases.values())
        for number, recipients in enumerate(RECIPIENTS)
    ]


if __name__ == "__main__":
    main()
