from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.links.shared import G0, T2, random_graph

from entrenous.card import NO_GUARANTEE
from entrenous.datasets import karate_club
from entrenous.errors import ArgumentError, FormatError, MissingDataError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.links import ego_entropy, generalize, generalized_entropy, obfuscate
from entrenous.links.entropy import class_entropy
from entrenous.links.generalization import _small_groups, set_aside
from entrenous.release import Release, read_release


def hidden_club(seed: int = 1) -> Release[Graph]:
    return obfuscate(karate_club(), rng=seed)


@settings(max_examples=25, deadline=None)
@given(n=st.integers(4, 40), seed=st.integers(0, 10**6), share=st.floats(0.05, 0.95))
def test_every_node_has_the_bits(n: int, seed: int, share: float) -> None:
    graph = random_graph(n, 0.3, seed)
    most = float(class_entropy(n * (n - 1) // 2, graph.m, n - 1))  # all nodes being one
    assume(most > 0)
    hidden = obfuscate(graph, hierarchy=Dendrogram.random(n, seed), rng=seed)
    bits = share * most
    coarse = generalize(hidden, bits=bits, rng=seed)
    assert generalized_entropy(coarse).min() >= bits
    found = coarse.artifact
    assert found.sizes.sum() == n
    assert found.inner.sum() + found.between.sum() == graph.m
    assert (found.inner_density <= 1).all()
    assert (found.density <= 1).all()
    assert sum(map(len, found.merged.values())) == found.sizes[found.sizes > 1].sum()


def test_a_rehearsal_stays_one() -> None:
    assert generalize(hidden_club(), bits=3).provenance.rehearsal
    graph = karate_club()
    real = obfuscate(graph, hierarchy=Dendrogram.random(34, 1))
    assert not generalize(real, bits=3).provenance.rehearsal
    assert generalize(real, bits=3, rng=1).provenance.rehearsal


def test_no_subtree_of_half_the_graph_is_merged() -> None:
    tree = Dendrogram.random(40, rng=1)
    for size, merges in ((10, True), (11, False)):
        enough = np.where(tree.sizes >= size, 9.0, 0.0)
        groups = _small_groups(tree, enough, 5.0)
        assert (tree.sizes[groups[groups >= 0]] == 10).all()
        assert (groups >= 0).any() == merges


def test_nobody_is_merged_without_need() -> None:
    hidden = hidden_club()
    least = float(ego_entropy(hidden).min())
    coarse = generalize(hidden, bits=least, rng=1)
    assert coarse.artifact.graph.n == 34
    assert not coarse.artifact.merged
    assert generalized_entropy(coarse) == pytest.approx(ego_entropy(hidden))
    more = generalize(hidden, bits=least + 3, rng=1)
    assert 1 < more.artifact.graph.n < 34


def test_the_order_of_super_nodes_is_that_of_their_members_and_not_of_the_tree() -> None:
    found = generalize(hidden_club(), bits=12.0, rng=2).artifact
    groups, first = np.unique(found.member_of, return_index=True)
    assert groups.tolist() == list(range(found.graph.n))
    assert (np.diff(first) > 0).all()
    for name, members in found.merged.items():
        assert {found.graph.name(found.member_of[found.names.index(one)]) for one in members} == {name}
    for node in np.flatnonzero(found.sizes[found.member_of] == 1):
        assert found.graph.name(found.member_of[node]) == found.names[node]


def test_ego_entropy_inside_a_super_node_by_hand() -> None:
    hidden = obfuscate(G0, hierarchy=T2, rng=1)
    # All six as one: 7 of 15 pairs are ties, and everybody has five links.
    coarse = generalize(hidden, bits=4.5, rng=1)
    assert coarse.artifact.graph.n == 1
    assert coarse.artifact.inner.tolist() == [7]
    assert generalized_entropy(coarse) == pytest.approx([4.95] * 6, abs=0.05)
    with pytest.raises(ArgumentError, match="at most"):
        generalize(hidden, bits=5.1, rng=1)


def test_leaves_set_aside_leave_the_rest_as_it_was() -> None:
    tree = Dendrogram.from_nested((((0, 1), 2), ((3, 4), 5)))
    assert set_aside(tree, {0}).nested() == (0, ((1, 2), ((3, 4), 5)))
    assert set_aside(tree, {0, 1, 2}).nested() == (((0, 1), 2), ((3, 4), 5))
    assert set_aside(tree, range(6)).n == 6


def test_super_nodes_are_saved_with_sizes_and_densities(tmp_path: Path) -> None:
    names = ["group-1", "tab\tname", *(f"node{i}" for i in range(4))]
    graph = Graph.from_edges(G0.edges(), names=names)
    coarse = generalize(obfuscate(graph, hierarchy=T2, rng=1), bits=4.5, rng=1)
    assert coarse.guarantee is None
    folder = coarse.save(tmp_path / "coarse")
    assert NO_GUARANTEE in (folder / "card.md").read_text(encoding="utf-8")
    lines = (folder / "super-nodes.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# not private: drawn from a known seed"
    assert lines[2].split("\t")[:3] == ["group-2", "6", "7"]
    members = (folder / "members.tsv").read_text(encoding="utf-8")
    assert '"tab\tname"\tgroup-2' in members
    assert coarse.artifact.merged == {"group-2": tuple(names)}


@pytest.mark.parametrize("rng", [None, 2])
def test_super_nodes_are_read_back(tmp_path: Path, rng: int | None) -> None:
    hidden = obfuscate(karate_club(), hierarchy=Dendrogram.random(34, 1), rng=rng)
    saved = generalize(hidden, bits=12.0, rng=rng)
    folder = saved.save(tmp_path / "public")
    back = read_release(folder)
    assert back.card == saved.card
    wanted, found = saved.artifact, back.artifact
    assert found.graph.names == wanted.graph.names
    assert found.names == wanted.names
    assert found.merged == wanted.merged
    for kept in ("member_of", "inner", "between", "density", "inner_density"):
        np.testing.assert_array_equal(getattr(found, kept), getattr(wanted, kept))
    members = folder / "members.tsv"
    members.write_text(members.read_text() + "ann\tnobody\n")
    with pytest.raises(FormatError, match="agree"):
        read_release(folder)
    members.unlink()
    with pytest.raises(MissingDataError, match=r"members\.tsv"):
        read_release(folder)


def test_densities_between_super_nodes(tmp_path: Path) -> None:
    found = generalize(hidden_club(), bits=12.0, rng=2).artifact
    edges = found.graph.edges()
    ends = np.sort(found.sizes[edges], axis=1)
    assert found.density == pytest.approx(found.between / ends.prod(axis=1))


def test_the_private_half_is_needed() -> None:
    hidden = hidden_club()
    with pytest.raises(ArgumentError, match="original graph"):
        generalize(
            Release(hidden.artifact, None, hidden.provenance, {"obfuscation": hidden.private["obfuscation"]}),
            bits=3,
        )
    coarse = generalize(hidden, bits=1, rng=1)
    with pytest.raises(ArgumentError, match="private half"):
        generalized_entropy(Release(coarse.artifact, None, coarse.provenance))
