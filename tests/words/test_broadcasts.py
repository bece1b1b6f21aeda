"""Broadcasts with phrases that nobody else says: no unit that hides a message publishes them."""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.real_data import DATA

from entrenous.words import Corpus, vocabulary
from entrenous.words.vocabulary import predict

UNITS = ["message", "thread", "edge-and-message", "all"]
RECIPIENTS = (15, 30, 60, 200)
PERSONS = 250
HERE, THERE = (
    [f"{place}{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(40)] for place in ("here", "there")
)


def message(sender: int, recipients: list[int], subject: str, body: str, number: int) -> dict[str, Any]:
    to = [f"p{person}@x.org" for person in recipients]
    return {"id": f"{number}@x", "from": f"p{sender}@x.org", "to": to, "subject": subject, "body": body}


def planted(number: int) -> str:
    """Seven phrases of everyday words that stand together nowhere else."""
    pairs = [(HERE[(9 * number + i) % 40], THERE[(11 * number + i) % 40]) for i in range(7)]
    return " ".join(itertools.chain.from_iterable(pairs))


def apart(words: list[str], rare: Iterator[str]) -> str:
    """Return words with one between any two that nobody else says: no phrase of everyday words is common."""
    return " ".join(f"{word} {next(rare)}" for word in words)


def phrases(text: str) -> set[str]:
    return {" ".join(pair) for pair in itertools.pairwise(text.split())}


@cache
def company() -> Corpus:
    """Everybody writes to four others, in everyday words of either kind; and there is a broadcast of each size."""
    rng = np.random.default_rng(7)
    rare = map("".join, itertools.product("bcdfghjklm", repeat=5))
    rows = [
        message(
            sender,
            [(sender + step) % PERSONS],
            apart(rng.permutation(HERE)[:14].tolist(), rare),
            apart(rng.permutation(THERE)[:14].tolist(), rare),
            4 * sender + step,
        )
        for sender in range(PERSONS)
        for step in range(1, 5)
    ]
    for number, many in enumerate(RECIPIENTS):
        others = (1 + rng.permutation(PERSONS - 1)[:many] + 9 * number) % PERSONS
        kept = [person for person in others.tolist() if person != 9 * number]
        rows.append(message(9 * number, kept, "", planted(number), 10_000 + number))
    return Corpus.from_messages(rows)


SECRET = set[str]().union(*(phrases(planted(number)) for number in range(len(RECIPIENTS))))


def test_the_phrases_stand_in_one_message_each() -> None:
    table = company().messages(n=2)
    names = list(table.names)
    on = [names.index(phrase) for phrase in SECRET]
    assert np.bincount(table.ngram, minlength=table.ngrams)[on].tolist() == [1] * len(SECRET)
    assert len(SECRET) >= 4 * 7


@pytest.mark.long
@pytest.mark.parametrize("unit", UNITS)
def test_no_phrase_of_a_broadcast_is_published(unit: str) -> None:
    words: set[str] = set()
    for seed in range(50):
        made = vocabulary(company(), epsilon=4.0, delta=1e-5, unit=unit, rng=seed).artifact
        assert SECRET.isdisjoint(made.names)
        words |= set(made.names)
    assert len(words & {*HERE, *THERE}) >= 70, "its words are published, so its phrases could be"


def test_where_only_an_edge_is_hidden_broadcasts_are_published() -> None:
    for seed in range(3):
        made = vocabulary(company(), epsilon=3.0, delta=1e-5, unit="edge-content", rng=seed).artifact
        assert len(SECRET & set(made.names)) >= 10


@pytest.mark.data
@pytest.mark.parametrize("unit", UNITS)
def test_no_phrase_of_a_broadcast_is_published_from_real_mail(unit: str) -> None:
    corpus, secret = real_mail()
    for seed in range(2):
        made = vocabulary(corpus, epsilon=3.0, delta=1e-5, unit=unit, rng=seed).artifact
        assert secret.isdisjoint(made.names)


@cache
def real_mail() -> tuple[Corpus, set[str]]:
    """Real mail, and one more message to sixty people: seven pairs of its most frequent words that nobody says."""
    with gzip.open(DATA / "mail" / "enron-core.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    table = Corpus.from_messages(rows).table(n=2)
    support, names = table.support(), list(table.names)
    order = np.argsort(-support)
    common = [names[gram] for gram in order[:3000] if " " not in names[gram]][:120]
    said, free = set(names), []
    for first, second in zip(common[:60], reversed(common[60:]), strict=True):
        if f"{first} {second}" not in said and len(free) < 7:
            free.append((first, second))
    people = sorted({row["from"] for row in rows})[:61]
    body = " ".join(itertools.chain.from_iterable(free))
    new = {"id": "planted@x", "from": people[0], "to": people[1:], "cc": [], "subject": "", "body": body}
    return Corpus.from_messages([*rows, new]), {" ".join(pair) for pair in free}


#: Nine tenths of what one seed gave at epsilon 3 and delta 1e-5 when this was written.
#: So few people are too few for all units at once: nothing is named there.
YIELDS = {"message": 4570, "thread": 3800, "edge-and-message": 900}


@pytest.mark.data
@pytest.mark.parametrize("unit", YIELDS)
def test_real_mail_yields_what_it_did(unit: str) -> None:
    made = predict(real_mail()[0], epsilon=3.0, delta=1e-5, unit=unit, rng=1)
    assert made.occurring >= YIELDS[unit]
    assert made.occurring / (made.occurring + made.never_seen) >= 0.98
