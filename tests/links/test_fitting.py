from __future__ import annotations

import math
from importlib import import_module

import numpy as np
import pytest
from tests import naive
from tests.links.shared import EDGES, G0, real_graph

from entrenous.datasets import karate_club
from entrenous.errors import ArgumentError
from entrenous.graph import Graph, compare
from entrenous.hrg import run
from entrenous.links import Obfuscation, consensus, ego_entropy, exposure, fit, fitting, frontier, obfuscate
from entrenous.links.fitting import Fit, merge_tree, soften, soften_to


def median_bits(graph: Graph, found: object) -> float:
    return float(np.median(ego_entropy(Obfuscation.of(graph, found.tree))))


def test_the_best_of_all_945_dendrograms_is_found() -> None:
    for seed in range(5):
        found = fit(G0, rng=seed)
        assert math.exp(found.log_likelihood) == pytest.approx(2**24 / 9**9)
        assert found.tree.log_likelihood(G0) == pytest.approx(found.log_likelihood)
    assert len(found.ends) == 2
    assert found.temperature is None


def test_a_fit_beats_its_start_and_a_seed_repeats_it() -> None:
    club = karate_club()
    found = fit(club, rng=1)
    assert found.log_likelihood > merge_tree(club).log_likelihood(club) + 5
    assert found.log_likelihood == pytest.approx(max(found.ends))
    assert fit(club, rng=1).tree == found.tree
    assert (np.diff(found.trace.steps) > 0).all()


def test_communities_that_never_merge_are_joined_at_the_top() -> None:
    apart = Graph.from_edges([(0, 1), (2, 3)], n=6)
    assert merge_tree(apart).n == 6
    assert merge_tree(Graph.from_edges([], n=3)).n == 3


def test_steps_are_reported_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    fit(karate_club(), steps=4000, chains=3, rng=1, progress=lambda *made: seen.append(made))
    assert seen[-1] == (12_000, 12_000)
    assert all(made <= total for made, total in seen)


def test_hotter_hierarchies_hide_more() -> None:
    club = karate_club()
    best = fit(club, rng=1)
    warm, hot = (soften(club, best, temperature=t, steps=20_000, rng=2) for t in (2.0, 50.0))
    assert best.log_likelihood > warm.log_likelihood > hot.log_likelihood
    retentions = [exposure(Obfuscation.of(club, found.tree)).retention for found in (best, warm, hot)]
    assert retentions == sorted(retentions, reverse=True)
    assert (warm.temperature, hot.temperature) == (2.0, 50.0)


def test_bits_are_reached_and_not_by_the_hottest() -> None:
    club = karate_club()
    best = fit(club, rng=1)
    few = median_bits(club, best)
    target = few + 4
    found = soften_to(club, best, bits=target, rng=1)
    assert median_bits(club, found) >= target
    assert found.log_likelihood < best.log_likelihood
    hottest = soften(club, best, temperature=1e4, rng=1)
    assert found.log_likelihood > hottest.log_likelihood
    assert soften_to(club, best, bits=few, rng=1) is best
    with pytest.raises(ArgumentError, match="at most"):
        soften_to(club, best, bits=10_000, rng=1)


def test_of_all_dendrograms_that_suffice_the_sharpest_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[Fit] = []

    def noted(*arguments: object, **options: object) -> Fit:
        met.append(soften(*arguments, **options))
        return met[-1]

    monkeypatch.setattr(fitting, "soften", noted)
    club = karate_club()
    best = fit(club, rng=1)
    for seed in range(3):
        met.clear()
        target = median_bits(club, best) + 4
        found = soften_to(club, best, bits=target, rng=seed)
        enough = [median_bits(club, one) >= target for one in met]
        likely = [one.log_likelihood for one, suffices in zip(met, enough, strict=True) if suffices]
        assert found.log_likelihood == max(likely)
        heated = enough.index(True)  # the first temperature that suffices; the rest lie below it
        assert len(met) > heated + 2
        assert all(one.temperature < met[heated].temperature for one in met[heated + 1 :])


def test_the_knob_is_on_the_card_and_what_it_led_to_is_not() -> None:
    hidden = obfuscate(karate_club(), bits=15.0, rng=1)
    assert dict(hidden.provenance.parameters) == {"chains": 2, "steps": 10200, "target median bits": 15.0}
    assert obfuscate(G0, temperature=3.0, rng=1).provenance.parameters["temperature"] == 3.0


@pytest.mark.long
def test_consensus_is_the_mean_over_the_law_of_dendrograms() -> None:
    edges = {frozenset(edge) for edge in EDGES}
    pairs = [(0, 1), (2, 3), (0, 4)]
    weights, chances = [], []
    for tree in naive.all_dendrograms(tuple(range(6))):
        weights.append(math.exp(naive.utility_of(tree, edges)))
        found = {}
        for left, right in naive.inner_nodes(tree):
            one, other = naive.leaves_of(left), naive.leaves_of(right)
            share = naive.edges_between(left, right, edges) / (len(one) * len(other))
            found |= {frozenset((u, v)): share for u in one for v in other}
        chances.append([found[frozenset(pair)] for pair in pairs])
    exact = np.average(chances, axis=0, weights=weights)
    drawn = consensus(G0, pairs, samples=1500, steps=60_000, rng=1)
    assert drawn == pytest.approx(exact, abs=0.025)
    softer = consensus(G0, pairs, samples=500, steps=15_000, temperature=20.0, rng=1)
    assert abs(softer - exact).max() > 0.05


def test_temperatures_are_checked_before_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(*_: object, **__: object) -> None:
        raise AssertionError

    for module in ("link_probabilities", "trade_off"):
        monkeypatch.setattr(import_module(f"entrenous.links.{module}"), "fit", searched)
    with pytest.raises(ArgumentError, match="temperature"):
        consensus(G0, [(0, 1)], temperature=0.5)
    with pytest.raises(ArgumentError, match="temperature"):
        frontier(G0, temperatures=[2.0, 0.5])


@pytest.mark.data
def test_guided_jumps_reach_the_goal_on_a_small_real_graph() -> None:
    blogs = real_graph("polblogs")
    found = fit(blogs, steps=40 * blogs.n, rng=1)
    assert found.log_likelihood / blogs.n > -42
    assert merge_tree(blogs).log_likelihood(blogs) / blogs.n == pytest.approx(-43.6, abs=0.05)


@pytest.mark.data
def test_what_was_seen_on_polblogs() -> None:
    blogs = real_graph("polblogs")
    local = run(blogs, beta=1.0, steps=1000 * blogs.n, moves="local", rng=2, best=True)
    found = exposure(Obfuscation.of(blogs, local.best))
    assert found.retention == pytest.approx(0.083, abs=0.015)
    assert found.certain_edges == pytest.approx(0.0067, abs=0.004)
    assert found.bits_per_edge == pytest.approx(5.56, abs=0.15)
    assert found.median_ego_entropy == pytest.approx(136, abs=8)
    assert 3 < found.minimum_ego_entropy < 20
    merged = obfuscate(blogs, hierarchy=merge_tree(blogs), rng=1)
    kept = compare(blogs, merged.artifact, only=["clustering", "communities"])
    assert kept["gcc_RE"] < 0.03
    assert kept["mod_RE"] < 0.065
