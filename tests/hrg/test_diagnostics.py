from __future__ import annotations

import numpy as np
import pytest

from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.hrg import diagnose, run
from entrenous.hrg.chain import Trace
from entrenous.hrg.diagnostics import effective_sample_size, r_hat, window_rule


def autoregressive(chains: int, length: int, memory: float, seed: int) -> np.ndarray:
    """Draws with autocorrelation memory^k, worth length (1 - memory) / (1 + memory) independent ones each."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(chains, length))
    rows = np.empty_like(noise)
    rows[:, 0] = noise[:, 0]
    for at in range(1, length):
        rows[:, at] = memory * rows[:, at - 1] + np.sqrt(1 - memory**2) * noise[:, at]
    return rows


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_effective_sample_size_of_a_known_process(memory: float) -> None:
    rows = autoregressive(4, 5000, memory, seed=2)
    assert effective_sample_size(rows) == pytest.approx(20_000 * (1 - memory) / (1 + memory), rel=0.15)


def test_effective_sample_size_of_chains_that_disagree_is_small() -> None:
    assert effective_sample_size(autoregressive(4, 1000, 0.0, seed=2) + np.array([[0], [0], [9], [9]])) < 10


def test_r_hat_sees_differences_and_drift() -> None:
    same = autoregressive(4, 1000, 0.0, seed=3)
    assert r_hat(same) < 1.01
    assert r_hat(same + np.array([[0], [0], [2], [2]])) > 1.3
    assert r_hat(same + np.linspace(0, 3, 1000)) > 1.1
    assert r_hat(np.ones((2, 10))) == 1.0
    assert r_hat(np.repeat([[0.0], [1.0]], 10, axis=1)) == np.inf


def test_too_short_traces_are_refused() -> None:
    with pytest.raises(ArgumentError, match="at least 4 entries"):
        r_hat(np.zeros((2, 3)))


def test_the_window_rule_fires_at_the_first_close_pair_of_windows() -> None:
    mean = np.array([-100.0, -90.0, -50.0, -48.0, -30.0, -29.8, -29.7, -29.6])
    trace = Trace(np.arange(1, 9) * 10, mean, mean)
    rule = window_rule(trace, n=40, window=20)
    assert rule.means.tolist() == [-95.0, -49.0, pytest.approx(-29.9), pytest.approx(-29.65)]
    assert rule.tolerance == 2.0
    assert rule.fired_at == 80
    assert window_rule(trace, n=1, window=20).fired_at is None
    with pytest.raises(ArgumentError, match="every 15 steps"):
        window_rule(trace, n=40, window=15)


def test_an_unfinished_window_does_not_count() -> None:
    trace = Trace(np.array([10, 20, 27]), np.zeros(3), np.zeros(3))
    assert len(window_rule(trace, n=10, window=10).means) == 2


def test_the_usual_trace_fits_the_published_window() -> None:
    graph = Graph.from_edges([(node, node + 1) for node in range(29)], n=30)
    rule = window_rule(run(graph, beta=0.1, steps=300_000, rng=1).trace, graph.n)
    assert len(rule.means) == 300_000 // 65_536


def cliques(count: int, size: int) -> Graph:
    inside = np.column_stack(np.triu_indices(size, 1))
    return Graph.from_edges(np.concatenate([inside + size * k for k in range(count)]), n=count * size)


@pytest.mark.long
def test_chains_from_below_and_above_meet_where_there_is_time_enough_only() -> None:
    graph = cliques(12, 8)
    reported: list[tuple[int, int]] = []
    arrived = diagnose(
        graph, beta=0.1, steps=1_000_000, rng=1, progress=lambda done, steps: reported.append((done, steps))
    )
    assert arrived.met
    assert arrived.level_below == pytest.approx(arrived.level_above, abs=0.1)
    assert len(arrived.below) == len(arrived.above) == len(arrived.windows) == 2
    assert reported[-1] == (6_000_000, 6_000_000)
    hurried = diagnose(graph, beta=0.1, steps=2000, rng=1, moves="local")
    assert not hurried.met
    assert hurried.level_below < hurried.level_above - 0.1


def test_an_interrupt_ends_all_chains() -> None:
    def interrupt(done: int, steps: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        diagnose(cliques(4, 5), beta=0.2, steps=10_000_000, rng=1, progress=interrupt)


@pytest.mark.parametrize("options", [{"chains": 3}, {"chains": 0}, {"colder": 0.5}, {"steps": 2}])
def test_wrong_arguments_are_named(options: dict[str, float]) -> None:
    with pytest.raises(ArgumentError) as raised:
        diagnose(cliques(2, 3), **{"beta": 1.0, "steps": 100, **options})
    assert raised.value.argument in options
