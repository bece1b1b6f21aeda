"""Planted letters: rows below a table are what the same letters are in the mail itself."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from entrenous import datasets
from entrenous.attack.one_run.canary_letters import SHAPES, counted_letters, named_letters
from entrenous.attack.one_run.invented_letters import Letters, joined
from entrenous.errors import ArgumentError
from entrenous.words import Corpus
from entrenous.words.counting.holder import ALL, EDGE_AND_MESSAGE, HOLDERS, MESSAGE, THREAD, Holder
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table

MAIL = list(datasets.organization(12, seed=1).messages(60))
UNITS = [holder for name, holder in HOLDERS.items() if name != "edge"]
COINS = np.array([True, False, True])


def said(table: Table) -> list[tuple[tuple[str, int], ...]]:
    """Return what each holder says, and how often."""
    names = list(table.names)
    return [
        tuple(
            sorted(
                (names[ngram], count)
                for ngram, count in zip(
                    table.ngram[start:end].tolist(), table.frequency[start:end].tolist(), strict=True
                )
            )
        )
        for start, end in zip(table.offsets[:-1], table.offsets[1:], strict=True)
    ]


def holders(table: Table) -> Counter[Any]:
    """Return what holders say, whoever they are, with the widest message of each."""
    widest = [0] * table.holders if table.widest is None else table.widest.tolist()
    return Counter((each, wide) for each, wide in zip(said(table), widest, strict=True) if each)


def structure(table: MessageTable) -> tuple[Counter[Any], ...]:
    """Return messages by what they say, and what lies together on edges, in threads, at senders, as near-copies."""
    texts = said(table)
    groups = [
        zip(table.edges.tolist(), table.notes.tolist(), strict=True),
        *(
            zip(group.tolist(), range(table.holders), strict=True)
            for group in (table.thread, table.alike, table.senders)
        ),
    ]
    together = []
    for group in groups:
        found: dict[int, list[Any]] = {}
        for key, note in group:
            found.setdefault(key, []).append(texts[note])
        together.append(Counter(tuple(sorted(each)) for each in found.values()))
    return (Counter(zip(texts, table.copies.tolist(), strict=True)), *together)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_messages(MAIL)


def planted(by: Holder, canary: str | None = None) -> Letters:
    return named_letters(by, 3, mu=8.0, canary=canary)


@pytest.mark.parametrize(
    ("by", "canary"), [(by, canary) for by, kinds in SHAPES.items() if by.messages for canary in kinds]
)
def test_messages_below_a_table_are_messages_in_the_mail(corpus: Corpus, by: Holder, canary: str) -> None:
    letters = planted(by, canary)
    mail = Corpus.from_messages([*MAIL, *letters.mail(COINS)]).messages(by=by, n=2)
    below = joined(corpus.messages(by=by, n=2), letters.messages(COINS, by, 2)).table
    assert isinstance(below, MessageTable)
    assert structure(below) == structure(mail)
    less = joined(corpus.messages(by=by, n=2), letters.messages(~COINS, by, 2)).table
    assert isinstance(less, MessageTable)
    assert structure(less) != structure(mail)


@cache
def mail_with(by: Holder) -> Corpus:
    """Return the mail with the letters themselves: some units have the same ones."""
    if by != ALL and by != (like := THREAD if by.changes > 1 else MESSAGE):
        return mail_with(like)
    letters, _ = counted_letters(by, 3, contribution=2, ball=False)
    return Corpus.from_messages([*MAIL, *letters.mail(COINS)])


@pytest.mark.parametrize("by", UNITS, ids=str)
def test_counted_letters_below_a_table_are_letters_in_the_mail(corpus: Corpus, by: Holder) -> None:
    letters, names = counted_letters(by, 3, contribution=2, ball=False)
    mail = mail_with(by).table(by=by, n=2)
    below = joined(corpus.table(by=by, n=2), letters.table(COINS, by, 2)).table
    assert holders(below) == holders(mail)
    assert holders(joined(corpus.table(by=by, n=2), letters.table(~COINS, by, 2)).table) != holders(mail)
    assert set(names) == set(letters.words)


def test_a_public_list_that_names_planted_words_is_met(corpus: Corpus) -> None:
    letters, names = counted_letters(MESSAGE, 3, contribution=1, ball=False)
    real = corpus.table(by=MESSAGE, n=1, listed=names)
    both = joined(real, letters.table(COINS, MESSAGE, 1))
    support = both.table.support()[both.places]
    assert dict(zip(letters.said(1).names, support.tolist(), strict=True)) == dict(
        zip(names, COINS.astype(int).tolist(), strict=True)
    )


def test_every_canary_is_one_unit_more(corpus: Corpus) -> None:
    """It touches no other letter's people, and its n-grams are said by its own chorus alone."""
    for by, kinds in SHAPES.items():
        for canary in kinds:
            letters = planted(by, canary)
            table = letters.said(2)
            owners = letters.owners(table)
            assert set(owners[table.length == 2].tolist()) == {0, 1, 2}
            own = letters.canary >= 0
            people = [
                {int(letters.sender[place]), *letters.recipients[place].tolist()} - {-1}
                for place in range(len(own))
            ]
            for canary_number in range(3):
                mine = set().union(
                    *(people[place] for place in np.flatnonzero(letters.canary == canary_number))
                )
                others = set().union(
                    *(people[place] for place in np.flatnonzero(letters.canary != canary_number))
                )
                assert not mine & others


def test_what_cannot_be_put_below_is_refused(corpus: Corpus) -> None:
    table = corpus.table(n=1)
    word = next(iter(table.names))
    loud = Letters.of((word,), (0,), [(0, 0, (1,), 0, 0)])
    with pytest.raises(ArgumentError, match="nobody says"):
        joined(table, loud.table(np.array([True]), table.by, 1))
    quiet = Letters.of(("zqa",), (0,), [(0, 0, (1, 2), 0, 0)])
    with pytest.raises(ArgumentError, match="all n-grams"):
        joined(table.bounded(1), quiet.table(np.array([True]), table.by, 1))
    with pytest.raises(ArgumentError, match="same holders"):
        joined(table, quiet.table(np.array([True]), table.by, 2))
    with pytest.raises(ArgumentError, match="on which pair"):
        quiet.table(np.array([True]), EDGE_AND_MESSAGE, 1)
