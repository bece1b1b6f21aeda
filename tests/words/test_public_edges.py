"""Public lists of who writes to whom: reading them, seeing a corpus on them, and what is told without one."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from entrenous.desk import Desk
from entrenous.errors import ArgumentError, FormatError, MissingDataError
from entrenous.guarantee import GRAPH_PUBLIC, TIES_NOT_TOLD
from entrenous.noise import Noise
from entrenous.release import Release
from entrenous.words import Binomial, Corpus, Group, PublicEdges, histogram, vocabulary
from entrenous.words.counting.holder import EDGE, SENDER
from entrenous.words.counting.table import Table
from entrenous.words.vocabulary import WEIGHTINGS, VocabularyRequest
from entrenous.words.vocabulary.release import named

PEOPLE = tuple(f"{name}@x.org" for name in ("ann", "bob", "cem", "dot", "eve"))
PAIRS = tuple(itertools.combinations(PEOPLE, 2))
SAID = ("budget meeting", "lunch", "budget draft lunch", "gold")


# reading


@pytest.mark.parametrize("separator", ["\t", ",", ";", " ", "   ", " ; ", ", "])
def test_names_may_be_separated_in_many_ways(separator: str, tmp_path: Path) -> None:
    file = tmp_path / "edges.txt"
    file.write_text(f"# who writes\n\n<Bob@x.org>{separator}ann@x.org\nann@x.org{separator}BOB@x.org\n")
    edges = PublicEdges.read(file)
    assert (edges.persons, edges.ends.tolist()) == (("ann@x.org", "bob@x.org"), [[0, 1]])
    assert (edges.ends.dtype, len(edges), repr(edges)) == (np.int32, 1, "PublicEdges(persons=2, edges=1)")


def test_names_are_folded_as_those_of_mail(tmp_path: Path) -> None:
    file = tmp_path / "edges.txt"
    file.write_text("Smith, Ann\tO'Hara; Bob\n", encoding="utf-8-sig")
    assert PublicEdges.read(file).persons[0] == "ann smith"


def test_edges_are_in_order_and_know_their_neighbours() -> None:
    edges = PublicEdges.of([("d", "b"), ("a", "b"), ("c", "b"), ("b", "a")])
    assert (edges.persons, edges.ends.tolist()) == (("a", "b", "c", "d"), [[0, 1], [1, 2], [1, 3]])
    assert edges.largest_neighbourhood == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("ann bob\nsecret\n", 2),
        ("# note\nann\tsecret\tbob\n", 2),
        ("ann,bob\n\n,secret\n", 3),
        ("ann;bob\nsecret;\n", 2),
        ("secret,<Secret>\n", 1),
    ],
)
def test_a_broken_line_is_named_and_not_quoted(text: str, line: int, tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text(text)
    with pytest.raises(FormatError) as problem:
        PublicEdges.read(tmp_path / "edges.txt")
    assert (problem.value.line, problem.value.file) == (line, "edges.txt")
    assert "secret" not in str(problem.value).lower()


def test_what_is_no_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError):
        PublicEdges.read(tmp_path / "nothing")
    for content in (b"", b"# only a note\n", b"ann bob\n\xff\xfe secret\n"):
        (tmp_path / "edges.txt").write_bytes(content)
        with pytest.raises(FormatError, match=r"edges\.txt: expected"):
            PublicEdges.read(tmp_path / "edges.txt")
    for pairs in ([], [("ann", "")], [("ann", "bob"), ("ann", "Ann")]):
        with pytest.raises(ArgumentError):
            PublicEdges.of(pairs)


# a corpus on listed edges


def messages() -> list[dict[str, Any]]:
    """Return mail between most pairs of people, in one direction or both, some of it to two recipients."""
    pairs = [pair for number, pair in enumerate([*PAIRS, *PAIRS[::-2]]) if number % 7 != 5]
    return [
        {
            "id": f"m{number}",
            "from": pair[number % 2],
            "to": [pair[1 - number % 2], *([PEOPLE[0]] if number % 5 == 0 else [])],
            "cc": [],
            "subject": "",
            "body": SAID[number % len(SAID)],
        }
        for number, pair in enumerate(pairs)
    ]


@pytest.fixture(scope="module")
def mail() -> Corpus:
    return Corpus.from_messages(messages())


def ngrams(text: str) -> Counter[str]:
    words = text.split()
    return Counter([*words, *map(" ".join, itertools.pairwise(words))])


def slowly(edges: list[tuple[str, str]], by: str) -> list[tuple[tuple[str, ...], dict[str, int]]]:
    """Return each listed holder and what it says, from dictionaries."""
    listed = sorted({(min(pair), max(pair)) for pair in edges})
    if by == "edge":
        holders: list[tuple[str, ...]] = list(listed)
    else:
        holders = [(name,) for name in sorted({name for pair in listed for name in pair})]
    said: dict[tuple[str, ...], Counter[str]] = {holder: Counter() for holder in holders}
    for message in messages():
        sender = message["from"]
        passed = {(min(sender, to), max(sender, to)) for to in message["to"] if to != sender}
        for holder in passed if by == "edge" else {(sender,)}:
            if holder in said:
                said[holder] += ngrams(message["body"])
    return [(holder, dict(said[holder])) for holder in holders]


def contents(table: Table) -> list[dict[str, int]]:
    return [
        {
            str(table.names[int(table.ngram[row])]): int(table.frequency[row])
            for row in range(table.offsets[holder], table.offsets[holder + 1])
        }
        for holder in range(table.holders)
    ]


@pytest.mark.long
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pairs=st.lists(
        st.sampled_from([*PAIRS, ("ann@x.org", "nobody@x.org"), ("zoe", "nobody@x.org")]), min_size=1
    ),
    by=st.sampled_from(["edge", "sender"]),
    contribution=st.sampled_from([None, 2]),
)
def test_tables_have_the_listed_holders_and_no_others(
    mail: Corpus, pairs: list[tuple[str, str]], by: str, contribution: int | None
) -> None:
    edges = PublicEdges.of(pairs)
    seen = mail.on_edges(edges)
    table = seen.table(by=by, n=2, contribution=contribution)
    expected = slowly(pairs, by)
    assert [tuple(dict.fromkeys(edges.persons[end] for end in row)) for row in table.ends] == [
        holder for holder, _ in expected
    ]
    if contribution is None:
        assert contents(table) == [said for _, said in expected]
    else:
        assert contents(table) == contents(seen.table(by=by, n=2).bounded(contribution))
    assert set(table.names) >= {name for said in contents(table) for name in said}
    assert table.listed
    assert (table.by, seen.edge_count) == ({"edge": EDGE, "sender": SENDER}[by], len(edges))
    assert seen.largest_neighbourhood == edges.largest_neighbourhood
    of_mail = {
        (min(m["from"], to), max(m["from"], to)) for m in messages() for to in m["to"] if to != m["from"]
    }
    assert seen.left_out == len(of_mail - set(pairs))


def test_tables_on_a_list_and_without_one_are_kept_apart(mail: Corpus, tmp_path: Path) -> None:
    whole = mail.table(n=2)
    (tmp_path / "edges.txt").write_text("ann@x.org bob@x.org\n")
    seen = mail.on_edges(tmp_path / "edges.txt")
    assert (seen.table(n=2).holders, mail.table(n=2) is whole, whole.listed) == (1, True, False)
    assert seen.table(n=2, contribution=1).listed  # bounded from the table before
    assert (mail.left_out, mail.edge_count) == (0, mail.summary.edges)
    assert seen.neighbour_counts(n=1).pairs.sum() == len(seen.table(n=1).names)
    counted = seen.table(n=1, listed=["budget", "gold"])
    assert (counted.holders, counted.listed) == (1, True)


@pytest.mark.long
def test_mail_that_is_not_listed_changes_nothing_at_all(mail: Corpus) -> None:
    kept = [("ann@x.org", "bob@x.org"), ("bob@x.org", "cem@x.org"), ("dot@x.org", "eve@x.org")]
    less = Corpus.from_messages(
        [m for m in messages() if any((min(m["from"], to), max(m["from"], to)) in kept for to in m["to"])]
    )
    asked: dict[str, Any] = {"epsilon": 60.0, "delta": 0.3, "weighting": "fixed", "contribution": 3, "rng": 1}
    one, other = (vocabulary(corpus.on_edges(PublicEdges.of(kept)), **asked) for corpus in (mail, less))
    assert len(one.artifact) > 0
    assert same(one, other)


def same(one: Release[Any], other: Release[Any]) -> bool:
    """Tell whether two releases have the same card and the same artifact."""
    numbers = "noisy" if hasattr(one.artifact, "noisy") else "score"
    return (
        one.card.to_json() == other.card.to_json()
        and one.artifact.names == other.artifact.names
        and np.array_equal(getattr(one.artifact, numbers), getattr(other.artifact, numbers))
    )


# what is told without a list


def with_empty_rows(by: str, *, extra: bool) -> Table:
    """Return holders with contents, and between them, if so asked, holders without any."""
    said = {"budget": 3, "meeting": 2, "budget meeting": 2, "draft": 1}
    filled = [said | ({"gold": 1} if i % 9 == 0 else {}) for i in range(400)]
    rows = [row for i, content in enumerate(filled) for row in ([{}] * (i % 3) if extra else []) + [content]]
    ends = [(i, i + 1) if by == "edge" else (i, i) for i in range(len(rows))]
    return Table.from_counts(rows, ends=ends, by=by)


def drawn(table: Table, weighting: str) -> list[tuple[str, float]]:
    """Return what a rule names, whether or not it would be published of this table."""
    request = VocabularyRequest.checked(4.0, 1e-3, None, 10, table.by.name, weighting, 2)
    desk = Desk(table, unit=table.by.unit, ceiling=request.ceiling, noise=Noise(5))
    found = named(desk, request, None)
    return list(zip(found.names, found.score.tolist(), strict=True))


@pytest.mark.parametrize("by", ["edge", "sender"])
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_an_empty_row_is_the_same_as_none_for_every_rule(weighting: str, by: str) -> None:
    more, less = (with_empty_rows(by, extra=extra) for extra in (True, False))
    assert more.holders > less.holders
    assert drawn(more, weighting) == drawn(less, weighting) != []
    if weighting != "policy":
        asked: dict[str, Any] = {"epsilon": 4.0, "delta": 1e-3, "weighting": weighting, "unit": by, "rng": 5}
        assert same(vocabulary(more, **asked), vocabulary(less, **asked))


@pytest.mark.parametrize("by", ["edge", "sender"])
@pytest.mark.parametrize("noise", [{"noise": "geometric"}, {"noise": "gaussian", "delta": 1e-5}])
def test_an_empty_row_is_the_same_as_none_for_counts(noise: dict[str, Any], by: str) -> None:
    asked: dict[str, Any] = {
        "vocabulary": ["gold", "oil"],
        "epsilon": 1.0,
        "contribution": 2,
        "unit": by,
        "rng": 5,
    }
    one, other = (histogram(with_empty_rows(by, extra=extra), **asked, **noise) for extra in (True, False))
    assert same(one, other)


PUBLISHED: dict[str, Callable[[Any], Release[Any]]] = {
    **{
        rule: lambda corpus, rule=rule: vocabulary(corpus, epsilon=9.0, delta=1e-2, weighting=rule, rng=1)
        for rule in WEIGHTINGS
        if rule != "policy"
    },
    "group": lambda corpus: vocabulary(corpus, epsilon=9.0, delta=1e-2, correlation=Group(2), rng=1),
    "sender": lambda corpus: vocabulary(corpus, epsilon=9.0, delta=1e-2, unit="sender", rng=1),
    "histogram": lambda corpus: histogram(corpus, vocabulary=["gold"], epsilon=0.01, contribution=1, rng=1),
}


@pytest.fixture(scope="module")
def without_a_pair(mail: Corpus) -> Corpus:
    """Return the corpus without all mail between two people, who then are no edge any more."""
    less = Corpus.from_messages(
        [m for m in messages() if {m["from"], *m["to"]} != {"cem@x.org", "eve@x.org"}]
    )
    assert less.edge_count == mail.edge_count - 1
    return less


@pytest.mark.parametrize("name", PUBLISHED)
def test_deleting_a_pairs_mail_changes_nothing_on_the_card(
    name: str, mail: Corpus, without_a_pair: Corpus
) -> None:
    one, other = (PUBLISHED[name](corpus) for corpus in (mail, without_a_pair))
    assert one.card.to_json() == other.card.to_json()
    assert one.guarantee is not None
    assert TIES_NOT_TOLD in one.guarantee.assumptions
    assert GRAPH_PUBLIC not in one.guarantee.assumptions
    assert not {"edges", "senders"} & one.provenance.parameters.keys()


@pytest.mark.parametrize(("unit", "count"), [("edge", 11), ("sender", 6)])
def test_with_a_list_the_card_tells_the_number_of_the_list(
    unit: str, count: int, mail: Corpus, without_a_pair: Corpus, tmp_path: Path
) -> None:
    edges = PublicEdges.of([*PAIRS, ("zoe@x.org", "ann@x.org")])
    asked: dict[str, Any] = {"epsilon": 60.0, "delta": 0.1, "unit": unit, "weighting": "policy", "rng": 1}
    one, other = (vocabulary(corpus.on_edges(edges), **asked) for corpus in (mail, without_a_pair))
    assert one.card.to_json() == other.card.to_json()
    assert (one.provenance.parameters[f"{unit}s"], one.artifact.holders) == (count, count)
    assert one.guarantee is not None
    assert GRAPH_PUBLIC in one.guarantee.assumptions


def test_beliefs_about_neighbours_take_the_graph_as_public() -> None:
    path = Table.from_counts([{"gold": 1}] * 300, ends=[(i, i + 1) for i in range(300)])
    asked: dict[str, Any] = {"vocabulary": ["gold"], "epsilon": 9.0, "contribution": 1, "rng": 1}
    made = histogram(path, **asked, correlation=Binomial(0.1, 0.2, 2))
    assert made.guarantee is not None
    assert GRAPH_PUBLIC in made.guarantee.assumptions
    with pytest.raises(ArgumentError, match="at least 2 neighbours"):
        histogram(path, **asked, correlation=Binomial(0.1, 0.2, 1))
    named_words = vocabulary(
        path, epsilon=40.0, delta=1e-2, n=1, contribution=1, correlation=Binomial(0.1, 0.2, 2), rng=1
    )
    assert named_words.artifact.holders is None  # public by assumption, but no list: not told


def test_no_refusal_looks_at_how_many_there_are() -> None:
    few = Table.from_counts([{"gold": 1}] * 2, ends=[(0, 1), (1, 2)])
    hopeless: dict[str, Any] = {"epsilon": 0.01, "delta": 1e-9, "n": 1, "rng": 1}
    drowned: dict[str, Any] = {"vocabulary": ["gold"], "epsilon": 0.01, "contribution": 1, "rng": 1}
    assert len(vocabulary(few, **hopeless).artifact) == 0
    assert len(histogram(few, **drowned).artifact) == 1
    with pytest.raises(ArgumentError, match="all 2 edges"):
        vocabulary(replace(few, listed=True), **hopeless)
    with pytest.raises(ArgumentError, match="all 2 edges"):
        histogram(replace(few, listed=True), **drowned)
    with pytest.raises(ArgumentError, match=r"--edges"):
        vocabulary(few, **hopeless, weighting="policy")


@pytest.mark.parametrize("unit", ["message", "thread", "edge-and-message", "all"])
def test_no_refusal_takes_the_number_of_listed_edges_for_that_of_messages(unit: str) -> None:
    """One edge gives a word little where edges are clipped; else as much as it has messages or threads."""
    said = [f"budget {one}{other}" for one, other in itertools.product("abcdefghij", "klmnopqrst")]
    letter = {"from": "ann@x.org", "to": ["bob@x.org"], "date": None}
    rows = [letter | {"id": f"{number}@x", "body": body} for number, body in enumerate(said)]
    seen = Corpus.from_messages(rows).on_edges(PublicEdges.of([("ann@x.org", "bob@x.org")]))
    asked: dict[str, Any] = {"epsilon": 8.0, "delta": 1e-5, "n": 1, "unit": unit, "rng": 1}
    if unit in ("message", "thread"):
        assert vocabulary(seen, **asked).artifact.names == ("budget",)
    else:
        with pytest.raises(ArgumentError, match="all 1 edges together"):
            vocabulary(seen, **asked)


@pytest.mark.parametrize("rule", [name for name in WEIGHTINGS if name != "policy"])
def test_that_nobody_says_anything_is_no_error_either(rule: str) -> None:
    for rows in ([], [{}]):
        nobody = Table.from_counts(rows, ends=[(0, 1)] * len(rows), n=3)
        assert len(vocabulary(nobody, epsilon=3.0, delta=1e-5, weighting=rule, n=3, rng=1).artifact) == 0
