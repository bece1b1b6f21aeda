"""Messages and their edges from settled mail, and counts in which a message counts once, against plain counting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entrenous.words import Corpus, PublicEdges
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table

Rows = Sequence[dict[str, Any]]
PEOPLE = st.sampled_from(["p@x.org", "q@x.org", "r@x.org", "s@x.org"])
MAIL = st.lists(
    st.fixed_dictionaries(
        {
            "from": PEOPLE,
            "to": st.lists(PEOPLE, max_size=4),
            "body": st.lists(st.sampled_from(["tea", "milk", "cake", "jam"]), min_size=1, max_size=2).map(
                " ".join
            ),
            "thread": st.integers(0, 3),
        }
    ),
    min_size=1,
    max_size=6,
)


def sent(number: int, sender: str, to: str, body: str, **more: Any) -> dict[str, Any]:
    """Return one message of people with names of one letter."""
    people = [f"{name}@x.org" for name in to]
    return {
        "id": f"{number}@x",
        "from": f"{sender}@x.org",
        "to": people,
        "body": body,
        "in_reply_to": None,
    } | more


HAND_MADE = [
    sent(1, "a", "bcd", "budget lunch"),
    sent(2, "a", "b", "news of the week"),
    sent(3, "a", "e", "news of the week"),
    sent(4, "b", "a", "thanks", in_reply_to="<1@x>"),
    sent(5, "c", "d", "lunch"),
]


def supports(table: Table) -> dict[str, int]:
    """Return on how many holders each n-gram stands, where it stands on any."""
    return {
        name: count for name, count in zip(table.names, table.support().tolist(), strict=True) if count > 0
    }


def by_words(table: MessageTable, numbers: np.ndarray[Any, Any]) -> dict[str, list[int]]:
    """Return numbers of messages by the words that each says, in their order."""
    names, found = list(table.names), dict[str, list[int]]()
    for message, number in enumerate(numbers.tolist()):
        grams = table.ngram[table.offsets[message] : table.offsets[message + 1]].tolist()
        found.setdefault(" ".join(sorted(names[gram] for gram in grams)), []).append(number)
    return found


def test_messages_lie_on_their_edges() -> None:
    table = Corpus.from_messages(HAND_MADE).messages(n=1)
    assert by_words(table, table.copies) == {
        "budget lunch": [3],
        "news of the week": [1, 1],
        "thanks": [1],
        "lunch": [1],
    }
    alike, thread = by_words(table, table.alike), by_words(table, table.thread)
    assert len(set(alike["news of the week"])) == 1
    assert len(set(table.alike.tolist())) == 4
    assert thread["budget lunch"] == thread["thanks"]
    assert len(set(table.thread.tolist())) == 4
    assert table.edge_ends.tolist() == [[0, 1], [0, 2], [0, 3], [0, 4], [2, 3]]
    assert by_words(table, table.senders)["thanks"] == [1]


def test_a_public_list_leaves_copies_on_other_edges_out() -> None:
    listed = PublicEdges.of([("b@x.org", "a@x.org"), ("c@x.org", "d@x.org"), ("a@x.org", "z@x.org")])
    table = Corpus.from_messages(HAND_MADE).on_edges(listed).messages(n=1)
    assert by_words(table, table.copies) == {
        "budget lunch": [1],
        "news of the week": [1, 0],
        "thanks": [1],
        "lunch": [1],
    }
    assert table.public_holders == 3
    assert np.bincount(table.edges, minlength=3).tolist() == [3, 0, 1]


def test_a_message_counts_once_for_each_holder() -> None:
    corpus = Corpus.from_messages(HAND_MADE)
    news = dict.fromkeys(["news", "of", "the", "week"], 1)
    once = {"budget": 1, "lunch": 2, "thanks": 1} | news
    assert supports(corpus.table(by="message", n=1)) == once
    assert supports(corpus.table(by="edge-and-message", n=1)) == once
    assert supports(corpus.table(by="thread", n=1)) == once
    assert supports(corpus.table(by="all", n=1)) == {"budget": 1, "lunch": 2} | news
    assert supports(corpus.table(by="edge-content", n=1))["budget"] == 3


def plain_counts(rows: Rows) -> dict[str, dict[str, int]]:
    """Count what each holder says, message by message."""
    kept = [
        (number, row["from"], row["body"], row["thread"])
        for number, row in enumerate(rows)
        if set(row["to"]) - {row["from"]}
    ]
    held: dict[str, dict[str, set[Any]]] = {"message": {}, "thread": {}, "all": {}}
    for place, (_, sender, body, thread) in enumerate(kept):
        new = all(other[1:3] != (sender, body) for other in kept[:place])
        first = new and all(other[3] != thread for other in kept[:place])
        for word in body.split():
            held["message"].setdefault(word, set()).add((sender, body))
            if new:
                held["thread"].setdefault(word, set()).add(thread)
            if first:
                held["all"].setdefault(word, set()).add(sender)
    return {
        by: {word: len(holders) for word, holders in counts.items() if holders} for by, counts in held.items()
    }


def chosen(corpus: Corpus) -> dict[str, str]:
    """Return on which pair of persons each message counts, by its words."""
    rows = corpus._engine.rows(
        """SELECT words, one.name, other.name FROM pair_passages JOIN texts USING (message) JOIN pairs USING (holder)
        JOIN persons AS one ON one.person = u JOIN persons AS other ON other.person = v"""
    )
    assert len({words for words, _, _ in rows}) == len(rows)
    return {words: f"{one} {other}" for words, one, other in rows}


@pytest.mark.long
@settings(max_examples=10)
@given(MAIL)
def test_holders_count_what_plain_counting_counts(rows: Rows) -> None:
    rows = [row | {"id": f"{number}@x", "subject": ""} for number, row in enumerate(rows)]
    rows.append({"id": "z@x", "from": "p@x.org", "to": ["q@x.org"], "body": "rum", "thread": 9})
    corpus = Corpus.from_messages(rows)
    for by, counts in plain_counts(rows).items():
        assert supports(corpus.table(by=by, n=1)) == counts, by
    mail = corpus.messages(n=1)
    kept = [len(set(row["to"]) - {row["from"]}) for row in rows if set(row["to"]) - {row["from"]}]
    assert mail.copies.tolist() == kept
    ends = {(min(row["from"], to), max(row["from"], to)) for row in rows for to in row["to"]}
    assert len(mail.edge_ends) == sum(u != v for u, v in ends)


def test_pairs_hold_each_message_on_one_of_its_edges() -> None:
    rows = [sent(number, "m", "nopqr", f"word{chr(97 + number)}") for number in range(20)]
    corpus = Corpus.from_messages(rows)
    pairs = chosen(corpus)
    assert len(pairs) == 20
    assert len(set(pairs.values())) > 2, "a hash of the words chooses"
    assert {pair.split()[0] for pair in pairs.values()} == {"m@x.org"}
    counted = corpus.table(by="edge-and-message", n=1)
    held = np.diff(counted.offsets)[np.diff(counted.offsets) > 0]
    assert sorted(held.tolist()) == sorted(list(pairs.values()).count(pair) for pair in set(pairs.values()))


def test_what_others_write_does_not_choose_the_pair_of_a_message() -> None:
    """A new edge gives the others new numbers, and persons too: no message may count elsewhere for that."""
    rows = [sent(number, "m", "nopqr", f"word{chr(97 + number)}") for number in range(20)]
    before = chosen(Corpus.from_messages(rows))
    after = chosen(Corpus.from_messages([*rows, sent(99, "a", "b", "unrelated")]))
    assert after == before | {"unrelated": "a@x.org b@x.org"}
