"""Single ties and released graphs: attackers who learn from own runs stay within what epsilon allows."""

from __future__ import annotations

import numpy as np
import pytest

from entrenous import Graph, datasets
from entrenous.attack import allowed_auc, infer_edge
from entrenous.attack.inference import edges
from entrenous.attack.inference.edges import EdgeInference, _judged, both_worlds, most_exposed
from entrenous.errors import ArgumentError

CLUB = datasets.karate_club()
FEWEST = 160  # runs in each world, half of them judged


@pytest.fixture(scope="module")
def weak() -> list[EdgeInference]:
    """Five releases at epsilon 4 each: far more than anybody should publish of one graph."""
    return infer_edge(CLUB, epsilon=4.0, method="chung-lu", trials=300, together=(1, 5), rng=1)


@pytest.mark.audit
@pytest.mark.thorough
@pytest.mark.parametrize("method", ["owner", "chung-lu", "tmf", "dgg"])
def test_alarms_stay_within_what_epsilon_allows(method: str) -> None:
    (found,) = infer_edge(
        CLUB, epsilon=1.0, method=method, trials=FEWEST if method == "owner" else 240, rng=1
    )
    assert found.lower_bound <= 1.0
    assert not found.finding().broken
    # An AUC of .731 from n runs in each world scatters by less than .45 / sqrt(n); three times that is no chance.
    assert found.roc.auc < allowed_auc(1.0) + 1.4 / np.sqrt(found.trials) < 1.0
    for false, true in zip(found.false, found.true, strict=True):
        assert true.low <= np.e * false.high


@pytest.mark.long
def test_the_attack_has_power(weak: list[EdgeInference]) -> None:
    one, five = weak
    assert one.roc.auc > 0.9
    assert one.lower_bound > 1.0
    assert five.roc.auc > one.roc.auc
    assert five.true[0].low > 0.8  # nearly always found, at one false alarm in a hundred
    assert (one.promised, five.promised) == (4.0, 20.0)
    assert one.allowed_posterior(0.1) == pytest.approx(0.1 * np.exp(4) / (0.1 * np.exp(4) + 0.9))
    assert 0.3 < one.posterior(0.1) < one.allowed_posterior(0.1)


@pytest.mark.long
def test_less_noise_than_stated_is_noticed(weak: list[EdgeInference]) -> None:
    """Alarms of releases at epsilon 4 prove that epsilon 1 would have been untrue."""
    assert weak[0].lower_bound > 1.0
    assert weak[0].true[1].low > np.e * weak[0].false[1].high


def test_a_tie_in_the_clear_would_be_noticed() -> None:
    """With as few runs as above, an attacker who always knows breaks the promise of 1 beyond doubt."""
    scatter = np.linspace(0, 1, FEWEST)
    found = _judged((scatter, scatter + 10), "owner", 1.0, 1)
    assert found.beyond_doubt > 1.0
    assert found.finding().broken


@pytest.mark.long
def test_without_a_seed_the_noise_is_real(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(
        edges, "traces", lambda made, _: seen.append(made.provenance.rehearsal) or np.zeros(6)
    )
    infer_edge(CLUB, epsilon=1.0, method="tmf", trials=40)
    assert not any(seen)
    assert len(seen) == 80


@pytest.mark.long
def test_the_same_seed_gives_the_same_finding() -> None:
    first, second = (infer_edge(CLUB, epsilon=1.0, method="tmf", trials=40, rng=3)[0] for _ in range(2))
    assert first.finding() == second.finding()


def test_both_worlds_differ_in_one_tie() -> None:
    for edge in ((0, 1), (0, 9)):  # one is there, one is not
        without, with_it = both_worlds(CLUB, edge)
        assert with_it.m == without.m + 1
        assert abs(CLUB.m - with_it.m) <= 1


def test_the_most_exposed_tie_is_nobodys_only_one_if_nodes_are_those_seen() -> None:
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (3, 4)]
    assert most_exposed(Graph.from_edges(edges, n=5)) == (3, 4)
    assert most_exposed(Graph.from_edges(edges, n=5, nodes_from="seen")) == (0, 1)
    with pytest.raises(ArgumentError, match="only one"):
        most_exposed(Graph.from_edges([(0, 1)], n=2, nodes_from="seen"))
    with pytest.raises(ArgumentError, match="only tie"):
        infer_edge(Graph.from_edges(edges, n=5, nodes_from="seen"), (4, 3), epsilon=1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trials": 10}, "trials"),
        ({"together": (30,)}, "together"),
        ({"edge": (3, 3)}, "edge"),
        ({"edge": (0, 99)}, "edge"),
    ],
    ids=["trials", "together", "loop", "nobody"],
)
def test_wrong_calls_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        infer_edge(CLUB, epsilon=1.0, method="tmf", **options)
