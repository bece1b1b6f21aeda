from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from tests.links.shared import EDGES, G0, T2, random_graph

from entrenous.card import NO_GUARANTEE
from entrenous.datasets import karate_club
from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.links import Obfuscation, ego_entropy, exposure, obfuscate
from entrenous.release import Release


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 30), density=st.floats(0, 1), seed=st.integers(0, 10**6))
def test_every_class_keeps_its_edges_and_the_graph_is_simple(n: int, density: float, seed: int) -> None:
    graph = random_graph(n, density, seed)
    tree = Dendrogram.random(n, seed)
    drawn = Obfuscation.of(graph, tree).draw(rng=seed)
    assert (
        len(
            {frozenset(edge) for edge in drawn.tolist()}
            & set(map(frozenset, itertools.combinations(range(n), 2)))
        )
        == graph.m
    )
    released = obfuscate(graph, hierarchy=tree, rng=seed).artifact
    assert (tree.counts(released) == tree.counts(graph)).all()
    assert released.m == graph.m
    assert released.n == graph.n


def test_the_fit_keeps_its_classes_too() -> None:
    club = karate_club()
    hidden = obfuscate(club, rng=3, steps=2000)
    distribution = hidden.private["obfuscation"]
    assert (distribution.edges == distribution.tree.counts(club)).all()
    assert (distribution.edges == distribution.tree.counts(hidden.artifact)).all()
    assert hidden.artifact.names == club.names


@pytest.mark.long
def test_no_class_is_skipped_and_every_set_is_as_likely() -> None:
    tree = Dendrogram.from_nested(((0, 1, 2), (3, 4)))
    distribution = Obfuscation.of(Graph.from_edges([(0, 1), (0, 3), (2, 4)], n=5), tree)
    possible = [
        edges
        for edges in itertools.combinations(itertools.combinations(range(5), 2), 3)
        if (tree.counts(Graph.from_edges(list(edges), n=5)) == distribution.edges).all()
    ]
    rng = np.random.default_rng(1)
    draws = 20_000
    seen = Counter(tuple(sorted(map(tuple, distribution.draw(rng=rng).tolist()))) for _ in range(draws))
    assert set(seen) == set(possible)
    expected = draws / len(possible)
    statistic = sum((seen[edges] - expected) ** 2 / expected for edges in possible)
    assert statistic < chi2.ppf(0.999, len(possible) - 1)
    # A wrong distribution that the test must notice.
    favoured = [1.3 if (0, 3) in edges else 1.0 for edges in possible]
    wrong = [draws * weight / sum(favoured) for weight in favoured]
    statistic = sum((seen[edges] - e) ** 2 / e for edges, e in zip(possible, wrong, strict=True))
    assert statistic > chi2.ppf(0.999, len(possible) - 1)


def test_nothing_is_promised_and_nothing_private_is_saved(tmp_path: Path) -> None:
    hidden = obfuscate(karate_club(), rng=1, steps=500)
    assert hidden.guarantee is None
    folder = hidden.save(tmp_path / "public")
    assert sorted(file.name for file in folder.iterdir()) == [
        "card.md",
        "graph.edges",
        "guarantee.json",
        "nodes.txt",
    ]
    assert NO_GUARANTEE in (folder / "card.md").read_text(encoding="utf-8")
    assert hidden.provenance.rehearsal
    assert not obfuscate(karate_club(), hierarchy=Dendrogram.random(34, 1)).provenance.rehearsal


def test_exposure_of_two_triangles() -> None:
    found = exposure(Obfuscation.of(G0, T2))
    assert found.retention == pytest.approx((6 + 1 / 9) / 7)
    assert found.certain_edges == pytest.approx(6 / 7)
    assert found.likely_edges == pytest.approx(6 / 7)
    assert found.certain_non_edges == 0
    assert found.largest_posterior == 1
    assert found.minimum_ego_entropy == pytest.approx(1.4466166676282084)
    assert found.median_ego_entropy == pytest.approx(1.4466166676282084)
    assert found.bits_per_edge == pytest.approx(np.log2(9) / 7)


def test_even_odds_are_likely_and_the_median_is_no_mean() -> None:
    path = Graph.from_edges([(0, 1), (0, 2)], n=3)
    found = exposure(Obfuscation.of(path, Dendrogram.from_nested(((0, 1), 2))))
    assert (found.certain_edges, found.likely_edges) == (0.5, 1.0)
    distribution = Obfuscation.of(karate_club(), Dendrogram.random(34, rng=4))
    egos = np.sort(ego_entropy(distribution))
    assert exposure(distribution).median_ego_entropy == pytest.approx((egos[16] + egos[17]) / 2)
    assert exposure(distribution).minimum_ego_entropy == egos[0]
    assert abs(egos.mean() - np.median(egos)) > 0.1


def test_retention_is_the_expected_share_of_true_edges() -> None:
    club = karate_club()
    distribution = Obfuscation.of(club, Dendrogram.random(34, rng=4))
    rng = np.random.default_rng(5)
    true = {tuple(edge) for edge in club.edges().tolist()}
    kept = [len(true & set(map(tuple, distribution.draw(rng=rng).tolist()))) / club.m for _ in range(4000)]
    error = np.std(kept) / np.sqrt(len(kept))
    assert abs(np.mean(kept) - exposure(distribution).retention) < 4 * error
    assert error < 0.02 * exposure(distribution).retention  # so a retention 10 % off would be noticed


@pytest.mark.parametrize("m", [0, 15])
def test_graphs_where_nothing_is_open(m: int) -> None:
    graph = Graph.from_edges(list(itertools.combinations(range(6), 2))[:m], n=6)
    hidden = obfuscate(graph, rng=1)
    assert hidden.artifact == graph
    assert (ego_entropy(hidden) == 0).all()
    assert exposure(hidden).certain_edges == (1 if m else 0)
    assert exposure(hidden).certain_non_edges == (0 if m else 1)


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"temperature": 0.5}, "temperature"),
        ({"temperature": 2.0, "bits": 3.0}, "temperature, bits, hierarchy"),
        ({"bits": -1.0}, "bits"),
        ({"bits": 1e6}, "bits"),
        ({"steps": 0}, "steps"),
        ({"chains": 0}, "chains"),
        ({"hierarchy": Dendrogram.random(5, 1)}, "graph"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, object], argument: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        obfuscate(G0, rng=1, **options)
    assert raised.value.argument == argument


def test_bits_that_no_hierarchy_leaves_are_refused_before_the_search() -> None:
    seen: list[tuple[int, int]] = []
    with pytest.raises(ArgumentError, match="at most 5"):
        obfuscate(G0, bits=6.0, rng=1, progress=lambda *made: seen.append(made))
    assert not seen


def test_one_node_cannot_be_hidden() -> None:
    with pytest.raises(ArgumentError, match="two nodes"):
        obfuscate(Graph.from_edges([], n=1))


def test_a_release_without_its_private_half_has_no_entropy() -> None:
    hidden = obfuscate(G0, rng=1)
    published = Release(hidden.artifact, None, hidden.provenance)
    for wrong in (published, hidden.artifact):
        with pytest.raises(ArgumentError, match="private half"):
            ego_entropy(wrong)


def test_counts_that_do_not_fit_their_classes_are_refused() -> None:
    for wrong in ([1, 2, 1, 2, 10], [1, 2, 1, 2], [-1, 2, 1, 2, 1]):
        with pytest.raises(ArgumentError, match="edges"):
            Obfuscation(T2, np.array(wrong))


def test_two_triangles_have_seven_edges() -> None:
    assert Obfuscation.of(G0, T2).m == len(EDGES)
