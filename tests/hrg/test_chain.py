from __future__ import annotations

import math

import numpy as np
import pytest
from tests import naive
from tests.real_data import DATA

from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.hrg import Clipped, Dendrogram, Published, chain, run
from entrenous.hrg.compiled._kernels import advance
from entrenous.hrg.compiled._state_kernels import ROOT, Run, count_between, node_value, prepare
from entrenous.hrg.utility import beta_for

G0 = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)


def random_graph(n: int, mean_degree: float, seed: int) -> Graph:
    rows, columns = np.triu_indices(n, 1)
    chosen = np.random.default_rng(seed).random(len(rows)) < mean_degree / (n - 1)
    return Graph.from_edges(np.column_stack([rows[chosen], columns[chosen]]), n=n)


def engine_of(
    graph: Graph, *, beta: float = 0.3, moves: str = "mixture", seed: int = 1
) -> tuple[Run, np.ndarray]:
    rng = np.random.default_rng(seed)
    start = Dendrogram.random(graph.n, rng)
    options = (beta, Published(), chain.MOVES[moves], True)
    engine = chain._engine(graph, start, start.counts(graph), options, rng)
    return engine, np.full(2, prepare(engine.state, engine.target))


@pytest.mark.parametrize("moves", ["local", "slide", "regraft", "jump", "mixture"])
@pytest.mark.parametrize("n", [3, 4, 7, 40])
def test_every_record_stays_true_to_the_tree(moves: str, n: int) -> None:
    graph = random_graph(n, 3, seed=n)
    engine, value = engine_of(graph, moves=moves)
    tally = np.zeros((4, 2), np.int64)
    for _ in range(60):
        advance(engine, value, tally, 5)
        state, nodes = engine.state, engine.state.nodes
        leaves, leaf = [], state.links[n]["after"]
        while leaf != n:
            leaves.append(int(leaf))
            leaf = state.links[leaf]["after"]
        assert sorted(leaves) == list(range(n))
        assert (np.diff(state.labels[leaves]) > 0).all()
        tree = chain._tree(nodes[n:], int(state.marks[ROOT]))
        assert tree.order.tolist() == leaves
        by_set = {}
        for node in range(n, 2 * n - 1):
            first, last = leaves.index(nodes[node]["first"]), leaves.index(nodes[node]["last"])
            assert last - first + 1 == nodes[node]["size"]
            by_set[frozenset(leaves[first : last + 1])] = nodes[node]
            for child in (nodes[node]["left"], nodes[node]["right"]):
                assert nodes[child]["parent"] == node
        counts = tree.counts(graph)
        for k in range(n - 1):
            start = tree.starts[n + k]
            record = by_set[frozenset(tree.order[start : start + tree.sizes[n + k]].tolist())]
            assert record["edges"] == counts[k]
            assert record["volume"] == graph.degrees[tree.order[start : start + tree.sizes[n + k]]].sum()
        assert value[0] == pytest.approx(tree.log_likelihood(graph), rel=1e-12, abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("moves", ["local", "mixture"])
def test_the_utility_does_not_drift(moves: str) -> None:
    graph = random_graph(300, 8, seed=1)
    seen = run(graph, beta=0.5, steps=200_000, rng=1, moves=moves, trace_every=200_000)
    assert seen.trace.utility[-1] == pytest.approx(seen.dendrogram.log_likelihood(graph), rel=1e-12)
    assert seen.utility == pytest.approx(seen.dendrogram.log_likelihood(graph), rel=1e-12)
    # The mean over all steps is added up from gains: it must agree with values noted at every step.
    fine = run(graph, beta=0.5, steps=2000, rng=1, moves=moves, trace_every=1)
    coarse = run(graph, beta=0.5, steps=2000, rng=1, moves=moves, trace_every=2000)
    assert coarse.trace.mean[-1] == pytest.approx(fine.trace.utility.mean(), rel=1e-12)


def test_the_kernels_count_and_value_like_their_twins() -> None:
    graph = random_graph(40, 6, seed=3)
    edges = {frozenset(edge) for edge in graph.edges().tolist()}
    engine, _ = engine_of(graph)
    state = engine.state
    tree = chain._tree(state.nodes[graph.n :], int(state.marks[ROOT]))
    below = [{leaf} for leaf in range(graph.n)]
    for left, right in tree.children.tolist():
        below.append(below[left] | below[right])
    for left, right in tree.children.tolist():
        expected = sum(frozenset((u, v)) in edges for u in below[left] for v in below[right])
        assert count_between(state, left, right) == count_between(state, right, left) == expected
    for utility in (Published(), Clipped(0.1, 0.6)):
        options = (1.0, utility, chain.MOVES["local"], False)
        target = chain._engine(graph, tree, tree.counts(graph), options, np.random.default_rng(1)).target
        for e in range(13):
            assert node_value(e, 12, target) == pytest.approx(
                naive.profile(e, 12, *utility.bounds), abs=1e-12
            )


@pytest.mark.long
def test_the_naive_step_and_the_compiled_one_agree_in_the_long_run() -> None:
    edges = {frozenset(edge) for edge in G0.edges().tolist()}
    rng = np.random.default_rng(3)
    tree, utilities = Dendrogram.random(6, rng).nested(), []
    for _ in range(20_000):
        tree = naive.local_step(tree, edges, 0.4, rng)
        utilities.append(naive.utility_of(tree, edges))
    slow = np.array(utilities).reshape(40, -1).mean(axis=1)
    fast = run(G0, beta=0.4, steps=400_000, rng=4, moves="local", trace_every=10_000).trace.mean
    error = math.sqrt(slow.var(ddof=1) / len(slow) + fast.var(ddof=1) / len(fast))
    assert abs(slow.mean() - fast.mean()) < 4 * error
    assert 4 * error < 0.33  # by that much the mean differs at beta = 0.5


@pytest.mark.long
@pytest.mark.parametrize("moves", ["local", "mixture"])
def test_the_best_state_is_kept(moves: str) -> None:
    fit = run(G0, beta=1.0, steps=20_000, rng=1, best=True, moves=moves)
    assert fit.best is not None
    assert fit.best_utility == fit.best.log_likelihood(G0) == pytest.approx(math.log(2**24 / 9**9))
    graph = random_graph(200, 8, seed=2)
    fit = run(graph, beta=1.0, steps=2000, rng=1, best=True, moves=moves, trace_every=1)
    assert fit.best is not None
    assert fit.best.log_likelihood(graph) == pytest.approx(fit.trace.utility.max(), rel=1e-12)


def test_labels_run_out_and_are_spread_anew() -> None:
    # Labels as dense as they can be: every leaf that moves needs new ones.
    graph = random_graph(60, 4, seed=1)
    engine, value = engine_of(graph, beta=0.0)
    leaf = engine.state.links[graph.n]["after"]
    for rank in range(graph.n):
        engine.state.labels[leaf] = rank + 1
        leaf = engine.state.links[leaf]["after"]
    advance(engine, value, np.zeros((4, 2), np.int64), 1000)
    tree = chain._tree(engine.state.nodes[graph.n :], int(engine.state.marks[ROOT]))
    assert value[0] == pytest.approx(tree.log_likelihood(graph), rel=1e-12)
    assert (np.diff(engine.state.labels[tree.order]) > 0).all()


@pytest.mark.parametrize("n", [1, 2])
def test_graphs_with_one_dendrogram(n: int) -> None:
    graph = Graph.from_edges(np.empty((0, 2), np.int64), n=n)
    finished = run(graph, beta=1.0, steps=1000, rng=1, best=True)
    assert finished.dendrogram.n == n
    assert finished.utility == 0.0


def test_the_same_seed_gives_the_same_chain_and_no_seed_another() -> None:
    graph = random_graph(100, 5, seed=1)
    one, two, other = (run(graph, beta=0.1, steps=2000, rng=seed) for seed in (7, 7, 8))
    assert one.dendrogram == two.dendrogram != other.dendrogram
    assert run(graph, beta=0.1, steps=2000).dendrogram != run(graph, beta=0.1, steps=2000).dendrogram


def test_a_start_is_where_the_chain_starts() -> None:
    start = Dendrogram.random(6, rng=1)
    assert run(G0, beta=1.0, steps=0, start=start).dendrogram == start
    with pytest.raises(ArgumentError, match="nodes"):
        run(G0, beta=1.0, steps=10, start=Dendrogram.random(5))


def test_progress_is_told_and_an_interrupt_leaves_nothing_behind() -> None:
    graph = random_graph(100, 5, seed=1)
    reported: list[tuple[int, int]] = []
    run(graph, beta=0.1, steps=300_000, rng=1, progress=lambda done, steps: reported.append((done, steps)))
    assert reported[-1] == (300_000, 300_000)
    assert len(reported) > 2

    def interrupt(done: int, steps: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(graph, beta=0.1, steps=300_000, rng=1, progress=interrupt)


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"beta": -1.0}, "beta"),
        ({"beta": math.nan}, "beta"),
        ({"steps": -1}, "steps"),
        ({"moves": "hop"}, "moves"),
        ({"trace_every": 0}, "trace_every"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, object], argument: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        run(G0, **{"beta": 1.0, "steps": 10, **options})
    assert raised.value.argument == argument


@pytest.mark.data
@pytest.mark.parametrize("utility", [Published(), Clipped(1e-3, 0.5)])
def test_polblogs_reaches_its_equilibrium(utility: Published | Clipped) -> None:
    graph = Graph.read(DATA / "graphs" / "polblogs.edges.gz")
    seen = run(graph, beta=beta_for(0.5, graph.n, utility), steps=2_000_000, rng=1, utility=utility)
    late = seen.trace.mean[len(seen.trace.mean) // 2 :].mean() / graph.n
    if isinstance(utility, Published):
        assert late == pytest.approx(-57.9, abs=0.4)
    else:
        # The clipped utility spends the same budget better: it ends above the published one's -57.9.
        assert seen.dendrogram.log_likelihood(graph) / graph.n > -57.0
