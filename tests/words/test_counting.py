"""The counting program against plain loops, and its promises: public ties, one order for every engine."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import ibis
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import naive
from tests.real_data import DATA

from entrenous import datasets
from entrenous.words import Corpus
from entrenous.words.counting.neighbourhood import neighbourhood_sizes
from entrenous.words.counting.neighbours import neighbour_counts
from entrenous.words.counting.program import PASSAGES, TEXTS, program, split
from entrenous.words.counting.table import Table

MESSAGES = list(datasets.organization(25, seed=5).messages(150))
TEST_GRAPH = ["12", "13", "23", "24", "34", "15", "56", "57", "58", "59", "67"]  # of the specification
WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=6).map(" ".join)
PEOPLE = st.sampled_from(["p", "q", "r", "s"])
MAIL = st.lists(
    st.fixed_dictionaries(
        {
            "from": PEOPLE,
            "to": st.lists(PEOPLE, max_size=3),
            "cc": st.just([]),
            "subject": WORDS,
            "body": WORDS,
        }
    ),
    max_size=6,
)


def as_counts(table: Table) -> list[dict[str, int]]:
    names = list(table.names)
    return [
        {names[gram]: int(k) for gram, k in zip(table.ngram[a:b], table.frequency[a:b], strict=True)}
        for a, b in pairwise(table.offsets)
    ]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_edges_carry_what_plain_loops_count(n: int) -> None:
    expected = naive.ngram_counts(MESSAGES, n)
    people = sorted({person for edge in expected for person in edge})
    table = Corpus.from_messages(MESSAGES).table(n=n)
    edges = [(people[u], people[v]) for u, v in table.ends]
    assert dict(zip(edges, as_counts(table), strict=True)) == expected
    assert table.parts.shape[1] == n


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_engine_splits_texts_as_the_portable_program_does(n: int) -> None:
    engine = Corpus.from_messages(MESSAGES)._engine

    def in_order(tokens: object) -> list[list[str]]:
        return sorted(
            [str(value) for value in row.values()] for row in engine.batches(tokens).read_all().to_pylist()
        )

    portable = in_order(split(ibis.table(TEXTS, name="texts"), n))
    assert len(portable) > 1000
    assert in_order(engine.tokens(n)) == portable


@pytest.mark.long
@pytest.mark.parametrize("contribution", [None, 7])
def test_slices_of_holders_make_up_the_same_table(contribution: int | None) -> None:
    whole = Corpus.from_messages(MESSAGES).table(contribution=contribution)
    corpus = Corpus.from_messages(MESSAGES)
    corpus._engine.slices = 1000  # occurrences: there are more than 10,000
    told: list[tuple[int, int]] = []
    corpus.progress = lambda done, total: told.append((done, total))
    sliced = corpus.table(contribution=contribution)
    assert told[-1][0] == told[-1][1] == len(told) > 10
    for name in ("offsets", "ngram", "frequency", "parts", "ends"):
        assert (getattr(sliced, name) == getattr(whole, name)).all(), name


@pytest.mark.long
@pytest.mark.parametrize("by", ["edge", "sender"])
@pytest.mark.parametrize("contribution", [None, 3])
def test_a_public_list_is_counted_alone_and_bounded_among_itself(by: str, contribution: int | None) -> None:
    listed = ["the", "to", "to the", "the to and", "meeting", "of a", "never said", "for"]
    table = Corpus.from_messages(MESSAGES).table(by=by, n=3, contribution=contribution, listed=listed)
    whole = as_counts(Corpus.from_messages(MESSAGES).table(by=by, n=3))
    expected = [{name: k for name, k in counts.items() if name in listed} for counts in whole]
    if contribution is None:
        assert as_counts(table) == expected
    again = Table.from_counts(expected, ends=[tuple(pair) for pair in table.ends.tolist()])
    bounded = again if contribution is None else again.bounded(contribution)
    assert as_counts(table) == as_counts(bounded)
    assert {"to the", "the to", "said"} <= set(table.names)  # also what is needed to name the listed ones


@pytest.mark.long
@settings(max_examples=12)
@given(MAIL)
def test_any_mail_is_counted(messages: list[dict[str, object]]) -> None:
    table = Corpus.from_messages(messages).table()
    expected = naive.ngram_counts(messages, 2)
    assert sorted(map(sorted, map(dict.items, as_counts(table)))) == sorted(
        map(sorted, map(dict.items, expected.values()))
    )


def test_rows_are_ordered_by_frequency_then_length_then_public_hash() -> None:
    table = Corpus.from_messages(MESSAGES).table()
    for a, b in pairwise(table.offsets):
        rows = list(zip(-table.frequency[a:b], table.ngram[a:b], strict=True))
        assert rows == sorted(rows)
    again = Table.from_counts(as_counts(table), ends=[tuple(pair) for pair in table.ends.tolist()])
    assert list(again.names) == list(table.names)
    assert (again.ngram == table.ngram).all()
    assert (again.parts == table.parts).all()


def test_what_an_edge_keeps_depends_on_its_own_words_alone() -> None:
    def kept(messages: list[dict[str, object]]) -> set[str]:
        table = Corpus.from_messages(messages).table(contribution=5)
        return set(as_counts(table)[0])

    own = {"from": "a", "to": ["b"], "subject": "", "body": "one two three four five six seven"}
    others = [{"from": "c", "to": ["d"], "subject": "", "body": f"seven {word} two one"} for word in "xyz"]
    assert kept([own]) == kept([own, *others])


@pytest.mark.long
@pytest.mark.parametrize("by", ["edge", "sender"])
def test_the_engine_bounds_as_a_prefix_of_the_whole_table(by: str) -> None:
    whole = Corpus.from_messages(MESSAGES).table(by=by)
    bounded = Corpus.from_messages(MESSAGES).table(by=by, contribution=7)
    expected = whole.bounded(7)
    assert np.diff(bounded.offsets).max() == 7
    assert (bounded.ngram == expected.ngram).all()
    assert (bounded.frequency == expected.frequency).all()
    assert (bounded.support() == expected.support()).all()


def test_a_sender_says_each_message_once() -> None:
    messages = [{"from": "a", "to": ["b", "c"], "cc": ["d"], "subject": "hi", "body": "you you"}]
    table = Corpus.from_messages(messages).table(by="sender")
    assert as_counts(table) == [{"you": 2, "hi": 1, "you you": 1}]
    assert table.ends.tolist() == [[0, 0]]


def test_names_are_found_again() -> None:
    table = Corpus.from_messages(MESSAGES).table(n=3)
    names = list(table.names)
    assert (table.names.look_up(names) == np.arange(table.ngrams)).all()
    assert table.names.look_up(["never heard", "", " ", "a b c d", names[0] + " zzz"]).tolist() == [-1] * 5
    assert table.names[-1] == names[-1]
    assert table.names[:3] == names[:3]


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("contribution", [None, 10])
def test_the_program_compiles_for_spark(n: int, contribution: int | None) -> None:
    def keep(name: str, expression: ibis.Table) -> ibis.Table:
        assert "SELECT" in ibis.to_sql(expression, dialect="pyspark")
        return ibis.table(expression.schema(), name=name)

    tokens = keep("tokens", split(ibis.table(TEXTS, name="texts"), n))
    assert "EXPLODE" in ibis.to_sql(split(ibis.table(TEXTS, name="texts"), n), dialect="pyspark")
    passages = ibis.table(PASSAGES, name="passages")
    counts = program(tokens, passages, n=n, contribution=contribution, keep=keep)
    sql = ibis.to_sql(counts.rows(), dialect="pyspark")
    assert ("ROW_NUMBER" in sql) == (contribution is not None)
    assert "RAND" not in sql.upper()
    assert len(counts.levels) == n


def test_neighbourhoods_of_the_test_graph() -> None:
    ends = np.array([[int(u), int(v)] for u, v in TEST_GRAPH], np.int32)
    sizes = dict(zip(TEST_GRAPH, neighbourhood_sizes(ends).tolist(), strict=True))
    assert sizes == dict(zip(TEST_GRAPH, [4, 4, 4, 3, 3, 6, 5, 5, 4, 4, 2], strict=True))


@given(
    st.lists(
        st.tuples(st.tuples(st.integers(0, 5), st.integers(6, 9)), st.sets(st.sampled_from("abcde"))),
        min_size=1,
        max_size=14,
    )
)
def test_neighbour_counts_are_those_of_all_pairs(edges: list[tuple[tuple[int, int], set[str]]]) -> None:
    # Parallel ones, too.
    ends = [(min(pair), max(pair) % 7) if pair[0] != pair[1] % 7 else pair for pair, _ in edges]
    ends = [(u, v) if u != v else (u, v + 1) for u, v in ends]
    carried = [words for _, words in edges]
    table = Table.from_counts([dict.fromkeys(words, 1) for words in carried], ends=ends)
    found = neighbour_counts(table)
    rows = zip(found.size, found.frequency_bucket, found.carried, found.neighbours, found.pairs, strict=True)
    assert {tuple(map(int, key)): int(pairs) for *key, pairs in rows} == naive.neighbour_pairs(carried, ends)


def test_frequency_buckets_are_powers_of_ten() -> None:
    ends = [(0, person) for person in range(1, 101)]
    holders = [
        {"all": 1} | ({"ten": 1} if i < 10 else {}) | ({"nine": 1} if i < 9 else {}) for i in range(100)
    ]
    found = neighbour_counts(Table.from_counts(holders, ends=ends))
    carried = found.carried == 1
    assert dict(zip(found.frequency_bucket[carried], found.pairs[carried], strict=True)) == {
        0: 9,
        1: 10,
        2: 100,
    }
    assert found.pairs.sum() == 3 * 100


@pytest.mark.data
def test_enron_core() -> None:
    corpus = Corpus.read(Path(DATA) / "mail" / "enron-core.jsonl.gz")
    kept = corpus.summary
    assert (kept.messages, kept.persons, kept.edges, kept.largest_neighbourhood) == (16572, 148, 1593, 113)
    assert kept.dropped == {}
    table = corpus.table()
    pairs = corpus.neighbour_counts().pairs.sum()
    assert pairs == corpus.edge_count * table.ngrams
    assert table.support().min() >= 1
