from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from tests import naive

from entrenous.errors import ArgumentError, FormatError, MissingDataError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram

G0 = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)
trees = st.builds(Dendrogram.random, st.integers(1, 40), st.integers(0, 2**32))


def edge_sets(graph: Graph) -> set[frozenset[int]]:
    return {frozenset(edge) for edge in graph.edges().tolist()}


def random_graph(n: int, seed: int) -> Graph:
    rows, columns = np.triu_indices(n, 1)
    chosen = np.random.default_rng(seed).random(len(rows)) < 0.3
    return Graph.from_edges(np.column_stack([rows[chosen], columns[chosen]]), n=n)


def agglomerated(n: int, rng: np.random.Generator) -> Dendrogram:
    """Join two trees at random until one is left: a plausible start, but not a uniform one."""
    trees = list(range(n))
    while len(trees) > 1:
        pair = tuple(trees.pop(int(rng.random() * len(trees))) for _ in range(2))
        trees.append(pair)
    return Dendrogram.from_nested(trees[0])


@pytest.mark.parametrize("n", [4, 5])
@pytest.mark.parametrize(("sampler", "uniform"), [(Dendrogram.random, True), (agglomerated, False)])
def test_random_is_uniform_over_all_dendrograms(sampler, uniform: bool, n: int) -> None:
    rng = np.random.default_rng(n)
    draws = 10_000
    seen = Counter(sampler(n, rng) for _ in range(draws))
    possible = [Dendrogram.from_nested(tree) for tree in naive.all_dendrograms(tuple(range(n)))]
    assert set(seen) == set(possible)
    assert len(possible) == math.prod(range(2 * n - 3, 0, -2))
    expected = draws / len(possible)
    statistic = sum((seen[tree] - expected) ** 2 / expected for tree in possible)
    assert (statistic < chi2.ppf(0.999, len(possible) - 1)) == uniform


@given(tree=trees)
@settings(deadline=None)
def test_every_form_leads_back_to_the_same_tree(tree: Dendrogram) -> None:
    names = [f"it's node ({leaf})" for leaf in range(tree.n)]
    assert Dendrogram.from_nested(tree.nested()) == tree
    assert Dendrogram.from_newick(tree.newick()) == tree
    assert Dendrogram.from_newick(tree.newick(names=names), names=names) == tree
    assert Dendrogram.from_merges(tree.children, tree.n) == tree
    assert tree.canonical() == tree
    assert tree.canonical().nested() == naive.canonical(tree.nested())
    assert hash(tree.canonical()) == hash(tree)


@given(tree=trees, seed=st.integers(0, 1000))
@settings(deadline=None)
def test_counts_and_pairs_match_the_definition(tree: Dendrogram, seed: int) -> None:
    graph = random_graph(tree.n, seed)
    counts, pairs = tree.counts(graph), tree.pairs
    assert counts.sum() == graph.m
    assert pairs.sum() == math.comb(tree.n, 2)
    expected = sorted(
        (
            naive.edges_between(*node, edge_sets(graph)),
            len(naive.leaves_of(node[0])) * len(naive.leaves_of(node[1])),
        )
        for node in naive.inner_nodes(tree.nested())
    )
    assert sorted(zip(counts.tolist(), pairs.tolist(), strict=True)) == expected


@given(tree=trees)
@settings(deadline=None)
def test_the_leaves_below_a_node_are_an_interval_of_the_order(tree: Dendrogram) -> None:
    below: list[set[int]] = [{leaf} for leaf in range(tree.n)]
    for left, right in tree.children.tolist():
        below.append(below[left] | below[right])
    for node, leaves in enumerate(below):
        start = tree.starts[node]
        assert set(tree.order[start : start + tree.sizes[node]].tolist()) == leaves


def test_flipping_an_edge_changes_exactly_one_count_by_one() -> None:
    tree = Dendrogram.random(30, rng=7)
    graph = random_graph(30, 7)
    before = tree.counts(graph)
    present = edge_sets(graph)
    for pair in itertools.combinations(range(30), 2):
        flipped = present ^ {frozenset(pair)}
        after = tree.counts(Graph.from_edges([tuple(edge) for edge in flipped], n=30))
        assert np.abs(after - before).sum() == 1


def test_the_two_likelihoods_of_the_specification() -> None:
    worse = Dendrogram.from_nested(((0, 1), (2, (3, (4, 5)))))
    better = Dendrogram.from_nested((((0, 1), 2), (3, (4, 5))))
    assert math.exp(worse.log_likelihood(G0)) == pytest.approx(27 / 16384, rel=1e-12)
    assert math.exp(better.log_likelihood(G0)) == pytest.approx(2**24 / 9**9, rel=1e-12)


def test_the_945_dendrograms_of_the_test_graph() -> None:
    likelihoods = np.array(
        [Dendrogram.from_nested(tree).log_likelihood(G0) for tree in naive.all_dendrograms(tuple(range(6)))]
    )
    assert len(likelihoods) == 945
    assert (likelihoods > likelihoods.max() - 1e-9).sum() == 9
    assert len(np.unique(likelihoods.round(9))) == 31
    assert np.exp(likelihoods).sum() == pytest.approx(1.1248090843751755, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2])
def test_the_smallest_trees(n: int) -> None:
    tree = Dendrogram.random(n, rng=1)
    graph = Graph.from_edges(np.array([(0, 1)][: n - 1], dtype=np.int64).reshape(-1, 2), n=n)
    assert tree.pairs.tolist() == [1] * (n - 1)
    assert tree.counts(graph).tolist() == [1] * (n - 1)
    assert tree.log_likelihood(graph) == 0
    assert Dendrogram.from_newick(tree.newick()) == tree


def test_pair_counts_of_a_large_tree_do_not_overflow() -> None:
    n = 200_000
    tree = Dendrogram.from_nested((tuple(range(n // 2)), tuple(range(n // 2, n))))
    assert tree.pairs[-1] == n * n // 4
    assert tree.pairs.sum() == n * (n - 1) // 2


@pytest.mark.long
def test_a_caterpillar_is_as_deep_as_it_likes() -> None:
    n = 50_000
    merges = np.column_stack([np.r_[0, np.arange(n, 2 * n - 2)], np.arange(1, n)])
    tree = Dendrogram.from_merges(merges, n)
    assert Dendrogram.from_newick(tree.newick()) == tree
    assert tree.log_likelihood(Graph.from_edges([(0, n - 1)], n=n)) < 0


def test_forests_are_completed_at_the_top() -> None:
    tree = Dendrogram.from_merges([(3, 4), (5, 2)], n=5)
    assert tree == Dendrogram.from_nested((((3, 4), 2), 0, 1))
    assert Dendrogram.from_merges([], n=3).n == 3


def test_files_round_trip_and_say_what_is_wrong(tmp_path) -> None:
    names = ["Zoë", "O'Hara", "x y", "(b)"]
    tree = Dendrogram.from_nested(((0, 3), (1, 2)))
    tree.write(tmp_path / "tree.nwk", names=names)
    assert Dendrogram.read(tmp_path / "tree.nwk", names=names) == tree
    with pytest.raises(MissingDataError, match=r"absent\.nwk"):
        Dendrogram.read(tmp_path / "absent.nwk")
    (tmp_path / "latin.nwk").write_bytes("(Zo\xeb,b);".encode("latin-1"))
    with pytest.raises(FormatError, match="UTF-8"):
        Dendrogram.read(tmp_path / "latin.nwk")


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";",
        "(0,1)",
        "(0,1;",
        "0,1);",
        "(0,,1);",
        "(0,1));",
        "(0,0);",
        "(0,2);",
        "((),0);",
        "(0,1);(2,3);",
        "(0,'1);",
        "(0 1);",
        "(0,1)a b;",
        "(secret,0);",
        "(0,-1);",
        "(0,1)[;",
    ],
)
def test_broken_newick_is_refused_without_quoting_it(text: str) -> None:
    with pytest.raises(FormatError) as raised:
        Dendrogram.from_newick(text)
    assert "secret" not in str(raised.value)


def test_names_that_are_no_nodes_are_refused_without_quoting_them() -> None:
    with pytest.raises(FormatError, match=r"line 2.*column 1") as raised:
        Dendrogram.from_newick("(Ann,\nsecret);", names=["Ann", "Bob"])
    assert "secret" not in str(raised.value)
    with pytest.raises(FormatError, match="3 leaves"):
        Dendrogram.from_newick("(Ann,Bob);", names=["Ann", "Bob", "Cy"])


def test_comments_lengths_and_inner_labels_are_ignored() -> None:
    text = "((0:1.5,1[a comment]:2e-3)team:0.1,\n 2)all;\n"
    assert Dendrogram.from_newick(text).nested() == ((0, 1), 2)


@pytest.mark.parametrize("children", [[(0, 1), (0, 2)], [(0, 4), (1, 2)], [(0, 1), (2, 4)], [(0, 0)]])
def test_arrays_that_are_no_tree_are_refused(children: list[tuple[int, int]]) -> None:
    with pytest.raises(ArgumentError):
        Dendrogram(np.array(children))


def test_wrong_arguments_are_named() -> None:
    tree = Dendrogram.random(4, rng=1)
    with pytest.raises(ArgumentError, match="graph: expected 4 nodes"):
        tree.counts(G0)
    with pytest.raises(ArgumentError, match="names: expected 4"):
        tree.newick(names=["a"])
    with pytest.raises(ArgumentError, match="merges"):
        Dendrogram.from_merges([(0, 9)], n=3)
    with pytest.raises(ArgumentError, match="empty group"):
        Dendrogram.from_nested((0, ()))


def test_a_dendrogram_cannot_be_changed() -> None:
    tree = Dendrogram.random(5, rng=1)
    with pytest.raises(ValueError, match="read-only"):
        tree.children[0, 0] = 3
    with pytest.raises(ValueError, match="read-only"):
        tree.sizes[0] = 3
