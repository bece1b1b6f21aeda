"""Canary edges: a mechanism that joins the registry is attacked as it is, and graphs differ in one edge."""

from __future__ import annotations

import numpy as np
import pytest

from entrenous.attack.canaries import canary_edges
from entrenous.attack.canaries.canary_edges import all_answers, noisy_statistics, worlds
from entrenous.attack.tools.lower_bound import BEYOND_DOUBT, epsilon_lower_bound
from entrenous.attack.tools.setting import Setting
from entrenous.errors import PrivacyError
from entrenous.network import MECHANISMS, statistics
from entrenous.network.drawing.model import fit
from entrenous.network.mechanism import GraphDesk, Mechanism, Outcome, Request


def registered(monkeypatch: pytest.MonkeyPatch, epsilon: float, shown: list[int]) -> dict[str, Setting]:
    """The settings once a mechanism has joined that counts edges, and publishes as many at random places."""

    def run(asked: GraphDesk, request: Request) -> Outcome:
        shown.append(asked(statistics.Size(epsilon=epsilon)))
        nobody = np.zeros(request.n, dtype=np.int64)
        return Outcome(np.zeros((0, 2), np.int32), {}, fit(nobody, np.ones(request.n)))

    monkeypatch.setitem(MECHANISMS, "new", Mechanism("new", "edges alone", run))
    return {setting.name: setting for setting in canary_edges.settings()}


def test_a_new_mechanism_is_attacked_without_a_line_about_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = registered(monkeypatch, 1.0, [])
    assert {"network: new, all steps", "network: new, released graph"} <= found.keys()
    rng, setting = np.random.default_rng(1), found["network: new, all steps"]
    scores = [[setting.play(canary, rng) for _ in range(setting.short)] for canary in (True, False)]
    assert np.allclose(np.abs(scores), 1.0)  # of a single count there are two likelihood ratios, e and 1/e
    assert epsilon_lower_bound(*scores, confidence=BEYOND_DOUBT).epsilon <= 1.0


def test_a_new_mechanism_that_asks_for_more_is_refused_wherever_it_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[int] = []
    found = registered(monkeypatch, 1.01, shown)
    for what in ("all steps", "released graph"):
        with pytest.raises(PrivacyError, match="size"):
            found[f"network: new, {what}"].play(True, np.random.default_rng(1))
    assert not shown


def test_worlds_differ_in_one_edge() -> None:
    for _, statistic, graphs in noisy_statistics():
        plain, canary = ({tuple(edge) for edge in graph.edges().tolist()} for graph in graphs)
        assert len(canary - plain) == 1, statistic.name
        assert plain < canary


def test_what_is_asked_otherwise_with_the_canary_is_noticed() -> None:
    first, second = (lambda desk, e=e: desk(statistics.Size(epsilon=e)) for e in (0.5, 0.6))
    play = all_answers((first, second), worlds(2), epsilon=1.0)
    assert play(True, np.random.default_rng(1)) == np.inf
    assert play(False, np.random.default_rng(1)) == -np.inf
