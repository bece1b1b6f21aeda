"""Messages and their edges from settled mail, and counts in which a message counts once, against plain counting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.words.letters import weights

from entrenous.unit import Unit
from entrenous.words import Corpus, PublicEdges, vocabulary
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table
from entrenous.words.statistics.nested import NESTINGS

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


def test_an_edge_knows_its_widest_message() -> None:
    """One to three people and one to two of them, which share an edge with the first."""
    mail = [sent(1, "a", "bcd", "all of you"), sent(2, "a", "bc", "both of you"), sent(3, "e", "b", "you")]
    table = Corpus.from_messages(mail).table(by="edge", n=1)
    assert table.widest is not None
    assert table.widest.tolist() == [3, 3, 3, 1]


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


def test_a_message_with_its_near_copies_is_in_one_thread_of_counts() -> None:
    """A budget for messages takes what hides threads, and a message is hidden together with its near-copies."""
    assert Unit.THREAD.factor(Unit.MESSAGE) == 1
    rows = [sent(number, "a", to, "news of the week") for number, to in enumerate("bcdefg")]
    corpus = Corpus.from_messages([*rows, sent(9, "b", "a", "lunch")])
    assert len(set(corpus.messages(n=1).thread.tolist())) == 7
    assert supports(corpus.table(by="thread", n=1))["news"] == 1


@pytest.mark.parametrize("unit", ["message", "thread", "edge-and-message", "all"])
def test_a_card_says_what_neighbours_are_taken_to_share(unit: str) -> None:
    promise = vocabulary(Corpus.from_messages(HAND_MADE), epsilon=1.0, delta=1e-5, unit=unit, rng=1).guarantee
    assert promise is not None
    told = " ".join(promise.assumptions)
    assert "Near-copies by one sender are taken for copies of one message." in told
    assert ("is taken as known" in told) == (unit != "message"), (
        "a message vanishes with all that looks at it"
    )
    assert ("The same goes for the messages of a thread." in told) == (unit in ("thread", "all"))


def any_copy(rng: np.random.Generator, number: int) -> dict[str, Any]:
    """Return one copy of a message: some share a name and not their words, some are near-copies, some are apart."""
    sender, others = rng.choice(["p", "p", "q"]), rng.permutation(list("rstu"))[: rng.integers(1, 4)].tolist()
    words = rng.permutation(["tea", "milk", "cake", "jam", "rum"])[: rng.integers(1, 4)].tolist()
    near = f"dear {rng.choice(['ann', 'bob'])} the kitchen on the second floor will be painted this week as you know"
    name = number if rng.random() < 0.6 else 100
    return sent(name, sender, "".join(others), near if rng.random() < 0.4 else " ".join(words), subject="")


def by_name(table: MessageTable, worth: dict[str, float], *, words: bool) -> dict[str, float]:
    """Return the weight of each n-gram, by name."""
    value = np.array([worth.setdefault(name, 0.5) for name in table.names])
    found = weights(table, NESTINGS[table.by.unit.name], value, words=words)
    return dict(zip(table.names, found.tolist(), strict=True))


@pytest.mark.long
@pytest.mark.parametrize("unit", ["message", "edge-and-message"])
def test_no_message_moves_the_weights_of_raw_mail_by_more_than_one(unit: str) -> None:
    """With its copies, whatever they say, and its near-copies; all that is read is read anew without them."""
    rng, most = np.random.default_rng(2), 0.0
    for _ in range(20):
        rows = [any_copy(rng, number) for number in range(rng.integers(2, 9))]
        corpus = Corpus.from_messages(rows)
        groups = dict(corpus._engine.rows("SELECT message, alike FROM written"))
        names = {(rows[number]["id"], rows[number]["from"]): group for number, group in groups.items()}
        gone = rng.choice(sorted(set(groups.values())))
        rest = Corpus.from_messages([row for row in rows if names.get((row["id"], row["from"])) != gone])
        tables = [each.messages(by=unit, n=2) for each in (corpus, rest)]
        worth = {name: float(10.0 ** -rng.integers(0, 3)) for name in sorted({*tables[0].names})}
        for words in (True, False):
            before, after = (by_name(table, worth, words=words) for table in tables)
            moved = [before.get(name, 0.0) - after.get(name, 0.0) for name in {*before, *after}]
            most = max(most, float(np.linalg.norm(moved)))
    assert 0.5 < most <= 1


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
