"""Who knows a share of every link class: exact posteriors, compared with enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from entrenous import Graph, datasets, links
from entrenous.attack import known_links
from entrenous.attack.inference.known_links import SHARES, SURE, KnownLinks
from entrenous.errors import ArgumentError
from entrenous.hrg import Dendrogram
from entrenous.links import Obfuscation

TWO_TRIANGLES = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)
HIDDEN = Obfuscation.of(TWO_TRIANGLES, Dendrogram.from_nested((((0, 1), 2), (3, (4, 5)))))


def enumerated(pairs: list[int], edges: list[int], share: float) -> dict[str, float]:
    """The same numbers by listing, for every class and link, every set of edges and every set of known pairs."""
    posteriors = []
    for N, e in zip(pairs, edges, strict=True):
        known = round(share * (N - 1))
        worlds = list(itertools.combinations(range(N), e))
        for world in worlds:
            views = list(itertools.combinations(range(1, N), known))  # link 0 is asked about: all are alike
            for view in views:
                here = set(world) & set(view)
                agree = [set(other) & set(view) == here for other in worlds]
                tied = [0 in other for other, fits in zip(worlds, agree, strict=True) if fits]
                weight = N / len(worlds) / len(views)
                posteriors.append((sum(tied) / len(tied), 0 in world, weight))
    value, tied, weight = (np.array(column) for column in zip(*posteriors, strict=True))
    m = weight[tied].sum()
    return {
        "posterior": float((value * weight)[tied].sum() / m),
        "sure": float(weight[tied & (value >= SURE)].sum() / m),
        "certain": float(weight[tied & (value == 1)].sum() / m),
    }


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.9, 1.0])
def test_posteriors_are_those_of_all_worlds(share: float) -> None:
    expected = enumerated(HIDDEN.pairs.tolist(), HIDDEN.edges.tolist(), share)
    found = known_links(HIDDEN, share)
    assert {name: getattr(found, name) for name in expected} == pytest.approx(expected)


@pytest.fixture(scope="module")
def club() -> list[KnownLinks]:
    hidden = links.obfuscate(datasets.karate_club(), rng=1, steps=3000)
    return [known_links(hidden, share) for share in SHARES]


def test_who_knows_all_but_one_learns_the_last(club: list[KnownLinks]) -> None:
    last = club[-1]
    assert (last.share, last.certain, last.bits, last.roc.auc) == (1.0, 1.0, 0.0, 1.0)


def test_knowing_more_never_tells_less(club: list[KnownLinks]) -> None:
    for less, more in itertools.pairwise(club):
        assert less.posterior <= more.posterior + 1e-12
        assert less.certain <= more.certain + 1e-12
        assert less.roc.auc <= more.roc.auc + 1e-12
        assert less.bits >= more.bits - 1e-12


def test_with_the_hierarchy_alone_it_is_what_exposure_says(club: list[KnownLinks]) -> None:
    exposed = links.exposure(links.obfuscate(datasets.karate_club(), rng=1, steps=3000))
    assert club[0].certain == pytest.approx(exposed.certain_edges)
    assert club[0].posterior == pytest.approx(exposed.retention)
    assert club[0].prior == pytest.approx(78 / (34 * 33 / 2))


def test_large_classes_are_summed_to_many_digits() -> None:
    """One class of 88 million pairs: posteriors must average to the prior, whatever is known."""
    from entrenous.attack.inference.known_links import _class_posteriors

    N, e = 88_096_996, 198_050
    for known in (0, N // 2, N - 1 - 1000):
        posterior, tied, free = _class_posteriors(N, e, known)
        assert tied.sum() == pytest.approx(e)
        assert free.sum() == pytest.approx(N - e)
        assert (tied + free) @ posterior == pytest.approx(e, rel=1e-6)


def test_nothing_is_promised_and_wrong_calls_are_refused(club: list[KnownLinks]) -> None:
    finding = club[1].finding()
    assert finding.stated is None
    assert not finding.broken
    with pytest.raises(ArgumentError, match="from 0 to 1"):
        known_links(HIDDEN, 1.5)
    empty = Obfuscation.of(Graph.from_edges([], n=3), Dendrogram.from_nested(((0, 1), 2)))
    with pytest.raises(ArgumentError, match="some without"):
        known_links(empty, 0.5)
