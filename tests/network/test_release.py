"""What a caller of `network.release` sees, whatever the method."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from entrenous import datasets
from entrenous.errors import ArgumentError, BudgetExceeded
from entrenous.graph import Graph
from entrenous.guarantee import KNOWN_SEED, NODES_LISTED, NODES_SEEN, PUBLIC_HIERARCHY, Guarantee
from entrenous.hrg import Dendrogram
from entrenous.network import MECHANISMS, release
from entrenous.network.mechanism import GraphDesk, Mechanism, Outcome, Request
from entrenous.network.statistics import Tree
from entrenous.release import Release
from entrenous.vault import Budget, Vault


def chain(method: str, steps: int) -> dict[str, Any]:
    """What makes a chain short enough for a test."""
    return {"steps": steps, "short_chain": True} if MECHANISMS[method].chain else {}


METHOD = pytest.mark.parametrize("method", MECHANISMS)
KARATE = datasets.karate_club()

SHAPES = {
    "edgeless": Graph.from_edges([], n=30),
    "two nodes": Graph.from_edges([(0, 1)], n=2),
    "two nodes apart": Graph.from_edges([], n=2),
    "three nodes": Graph.from_edges([(0, 1)], n=3),
    "complete": Graph.from_edges([(u, v) for v in range(20) for u in range(v)]),
    "star": Graph.from_edges([(0, v) for v in range(1, 40)]),
    "two cliques": Graph.from_edges([(u + s, v + s) for s in (0, 10) for v in range(10) for u in range(v)]),
    "one edge among many nodes": Graph.from_edges([(3, 4)], n=200),
    "seen without a tie": Graph.from_edges([], n=8, nodes_from="seen"),
}


def assert_simple_on_the_same_nodes(released: Graph, graph: Graph) -> None:
    assert released.n == graph.n
    assert released.names == graph.names
    assert released.nodes_from == graph.nodes_from
    assert not released.dropped
    edges = {tuple(edge) for edge in released.edges().tolist()}
    assert len(edges) == released.m
    assert all(u < v for u, v in edges)


@METHOD
@pytest.mark.parametrize("epsilon", [0.001, 0.1, 1.0, 40.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_any_graph_gives_a_simple_graph_on_the_same_nodes(shape: str, epsilon: float, method: str) -> None:
    released = release(SHAPES[shape], epsilon=epsilon, method=method, **chain(method, 200), rng=3)
    assert_simple_on_the_same_nodes(released.artifact, SHAPES[shape])
    assert released.guarantee is not None
    assert (released.guarantee.epsilon, released.guarantee.delta) == (epsilon, 0.0)
    assert np.isfinite(released.private["model"].cross_entropy(SHAPES[shape].edges()))


@METHOD
def test_real_noise_gives_a_release_that_differs_from_run_to_run(method: str) -> None:
    made = [release(KARATE, epsilon=1.0, method=method, **chain(method, 500)) for _ in range(2)]
    assert made[0].artifact != made[1].artifact
    assert not made[0].provenance.rehearsal


@METHOD
def test_names_and_isolated_nodes_are_kept(method: str) -> None:
    names = [f"person {i}" for i in range(40)]
    graph = Graph.from_edges([(i, i + 1) for i in range(20)], names=names)
    assert release(graph, epsilon=1.0, method=method, **chain(method, 200), rng=1).artifact.names == tuple(
        names
    )


@METHOD
def test_a_rehearsal_repeats_itself_and_says_so(method: str) -> None:
    made = [
        release(KARATE, epsilon=1.0, method=method, **chain(method, 500), rng=rng)
        for rng in (5, 5, np.random.default_rng(5), 6)
    ]
    assert made[0].artifact == made[1].artifact == made[2].artifact
    assert made[0].provenance == made[1].provenance
    assert made[0].artifact != made[3].artifact
    assert all(each.provenance.rehearsal for each in made)


@pytest.mark.long
@METHOD
def test_ten_thousand_nodes(method: str) -> None:
    rng = np.random.default_rng(1)
    popular = (10_000 * rng.random((50_000, 2)) ** 2).astype(int)
    graph = Graph.from_edges(popular, n=10_000, clean=True)
    released = release(graph, epsilon=1.0, method=method, **chain(method, 100_000), rng=1).artifact
    assert_simple_on_the_same_nodes(released, graph)
    assert released.m == pytest.approx(graph.m, rel=0.1)


@pytest.mark.parametrize("method", ["owner", "chung-lu"])
def test_much_budget_gives_nearly_the_true_degrees(method: str) -> None:
    released = release(KARATE, epsilon=200.0, method=method, rng=2).artifact
    assert np.abs(released.degrees - KARATE.degrees).mean() < 1.0
    assert released.m == pytest.approx(KARATE.m, abs=20)


def test_nodes_seen_have_a_tie_as_a_rule() -> None:
    """If every node is known to have a tie, the target degrees start at one; in a listed set many are alone."""
    pairs = [(2 * i, 2 * i + 1) for i in range(300)]
    seen, listed = (
        release(
            Graph.from_edges(pairs, n=n, nodes_from=source), epsilon=4.0, method="chung-lu", rng=1
        ).artifact  # type: ignore[arg-type]
        for n, source in ((600, "seen"), (1200, "list"))
    )
    assert (seen.degrees == 0).mean() < 0.1
    assert (listed.degrees == 0).mean() > 0.25


TREE = Dendrogram.random(34, 1)
HALVES = np.arange(34) % 2


@pytest.mark.parametrize(
    ("method", "hierarchy"),
    [("owner", HALVES), ("owner", ["a", "b"] * 17), ("owner", TREE), ("privhrg", TREE)],
    ids=["numbers", "names", "tree", "tree for privhrg"],
)
def test_a_public_hierarchy_is_used_and_assumed_public(method: str, hierarchy: Any) -> None:
    released = release(KARATE, epsilon=1.0, method=method, hierarchy=hierarchy, rng=1)
    assert_simple_on_the_same_nodes(released.artifact, KARATE)
    assert released.guarantee is not None
    assert released.guarantee.assumptions == (KNOWN_SEED, NODES_LISTED, PUBLIC_HIERARCHY)
    assert not {"epsilon for structure", "epsilon for slots"} & set(released.provenance.parameters)


def test_a_public_tree_leaves_all_of_epsilon_to_counts() -> None:
    made = [
        release(KARATE, epsilon=1.0, method="privhrg", hierarchy=TREE, shares=shares, rng=1)
        for shares in (None, (0.0, 1.0))
    ]
    assert made[0].artifact == made[1].artifact
    assert made[1].provenance.parameters["epsilon for counts"] == 1.0


def test_a_true_partition_helps() -> None:
    """Four cliques known to be departments: the release keeps almost all ties inside them."""
    department = np.repeat(np.arange(4), 25)
    inside = [(u, v) for v in range(100) for u in range(v) if department[u] == department[v]]
    graph = Graph.from_edges(inside, n=100)
    for hierarchy, least in ((department, 0.9), (department[::-1], 0.9), (None, 0.0)):
        released = release(graph, epsilon=1.0, hierarchy=hierarchy, rng=1).artifact
        u, v = released.edges().T
        assert (department[u] == department[v]).mean() > least
    blind = release(graph, epsilon=1.0, method="chung-lu", rng=1).artifact
    u, v = blind.edges().T
    assert (department[u] == department[v]).mean() < 0.5


def test_assumptions_are_said() -> None:
    seen = Graph.from_edges(KARATE.edges(), nodes_from="seen")
    for graph, method, expected in (
        (KARATE, "owner", (NODES_LISTED,)),
        (seen, "owner", (NODES_SEEN,)),
        (seen, "chung-lu", (NODES_SEEN,)),
        (KARATE, "privhrg", (NODES_LISTED,)),
    ):
        guarantee = release(graph, epsilon=1.0, method=method, **chain(method, 10), rng=1).guarantee
        assert guarantee is not None
        assert guarantee.assumptions == (KNOWN_SEED, *expected)
        assert (guarantee.conditional is not None) == (method == "privhrg")


WRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "no budget": ("epsilon", {"epsilon": 0}),
    "infinite budget": ("epsilon", {"epsilon": float("inf")}),
    "text budget": ("epsilon", {"epsilon": "1"}),
    "hardly any budget": ("epsilon", {"epsilon": 1e-9}),
    "unknown method": ("method", {"method": "magic"}),
    "unknown utility": ("utility", {"utility": "best", "method": "privhrg"}),
    "a chain that owner does not have": ("steps, utility", {"steps": 5}),
    "no steps": ("steps", {"steps": 0, "method": "privhrg"}),
    "a chain that hardly leaves its start": ("steps", {"steps": 3399, "method": "privhrg"}),
    "a short chain of owner": ("steps, utility", {"short_chain": True}),
    "half a step": ("steps", {"steps": 0.5, "method": "privhrg"}),
    "two shares of three": ("shares", {"shares": (0.5, 0.5)}),
    "shares above one": ("shares", {"shares": (0.5, 0.5, 0.5)}),
    "negative share": ("shares", {"shares": (-0.5, 0.5, 1.0)}),
    "no share for degrees": ("shares", {"shares": (0.9, 0.1, 0.0)}),
    "one number as shares": ("shares", {"shares": 0.5}),
    "no structure for privhrg": ("shares", {"method": "privhrg", "shares": (0.0, 1.0)}),
    "no counts for privhrg": ("shares", {"method": "privhrg", "shares": (1.0, 0.0)}),
    "structure for privhrg's public tree": (
        "shares",
        {"method": "privhrg", "hierarchy": Dendrogram.random(34, 1), "shares": (0.5, 0.5)},
    ),
    "shares for tmf": ("shares", {"method": "tmf", "shares": (1.0,)}),
    "hierarchy for dgg": ("hierarchy", {"method": "dgg", "hierarchy": HALVES}),
    "shares for chung-lu": ("shares", {"method": "chung-lu", "shares": (1.0,)}),
    "hierarchy for chung-lu": ("hierarchy", {"method": "chung-lu", "hierarchy": HALVES}),
    "partition for privhrg": ("hierarchy", {"method": "privhrg", "hierarchy": HALVES}),
    "short partition": ("hierarchy", {"hierarchy": [0, 1]}),
    "ragged partition": ("hierarchy", {"hierarchy": [[0], [1, 2]] * 17}),
    "partition with a hole": ("hierarchy", {"hierarchy": [None, *range(33)]}),
    "another tree": ("hierarchy", {"hierarchy": Dendrogram.random(33, 1)}),
    "negative seed": ("rng", {"rng": -1}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_arguments_are_refused_before_anything_is_charged(wrong: str, tmp_path: Path) -> None:
    argument, options = WRONG[wrong]
    vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=10.0))
    before = vault.entries()
    with pytest.raises(ArgumentError) as caught:
        release(KARATE, **{"epsilon": 1.0, "vault": vault, "rng": 1} | options)
    assert caught.value.argument == argument
    assert vault.entries() == before
    assert [entry.kind for entry in before] == ["opened", "budget"]
    assert not vault.shelf.folder.exists()


@pytest.mark.parametrize("n", [0, 1])
def test_less_than_two_nodes_hide_nothing(n: int) -> None:
    with pytest.raises(ArgumentError, match=f"at least two nodes; got {n}"):
        release(Graph.from_edges([], n=n), epsilon=1.0)


def test_epsilon_and_its_unit_are_asked_for_by_name() -> None:
    with pytest.raises(TypeError):
        release(KARATE)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        release(KARATE, 1.0)  # type: ignore[misc]


def test_a_chain_may_be_short_if_asked_for() -> None:
    """A hundred steps for each of 34 nodes are enough; fewer are refused with a remedy."""
    with pytest.raises(ArgumentError, match=r"3400 or more, 100 for each of 34 nodes; got 3399.*short_chain"):
        release(KARATE, epsilon=1.0, method="privhrg", steps=3399, rng=1)
    for steps, options in ((3400, {}), (3399, {"short_chain": True})):
        made = release(KARATE, epsilon=1.0, method="privhrg", steps=steps, rng=1, **options)
        assert made.provenance.parameters["steps"] == steps


def test_the_promise_of_a_chain_is_conditional_wherever_it_is_written(tmp_path: Path) -> None:
    made = release(KARATE, epsilon=1.0, method="privhrg", steps=3400)
    assert made.guarantee is not None
    condition = made.guarantee.conditional
    assert condition is not None
    assert "reached its distribution" in condition
    assert made.guarantee.sentence.startswith(f"Conditional on {condition}")
    assert Guarantee.from_json(made.guarantee.to_json()) == made.guarantee
    folder = made.save(tmp_path / "public")
    assert json.loads((folder / "guarantee.json").read_text())["guarantee"]["conditional"] == condition
    assert f"Conditional on {condition}" in (folder / "card.md").read_text()


@METHOD
def test_only_a_chain_that_was_run_makes_a_promise_conditional(method: str, tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=10.0))
    made = release(KARATE, epsilon=1.0, method=method, vault=vault, rng=1, **chain(method, 100))
    assert made.guarantee is not None
    assert (made.guarantee.conditional is not None) == MECHANISMS[method].chain
    public = {"hierarchy": TREE} if MECHANISMS[method].takes_tree else {}
    made = release(KARATE, epsilon=1.0, method=method, vault=vault, rng=1, **public or chain(method, 100))
    assert made.guarantee is not None
    assert (made.guarantee.conditional is not None) == (MECHANISMS[method].chain and not public)
    state = vault.state
    expected = [Tree.condition if MECHANISMS[method].chain else None, made.guarantee.conditional]
    assert [charge.condition for charge in state.charges] == expected, "known before the draw"
    assert [state.condition(entry) for entry in state.releases.values()] == expected
    assert [state.drawn[number].condition for number in state.releases] == expected, "and after it"
    assert vault.total().conditional == sum(each is not None for each in expected)


def parts_of(made: Release[Graph]) -> dict[str, float]:
    """What a card says about epsilon."""
    return {
        name.removeprefix("epsilon for "): float(value)
        for name, value in made.provenance.parameters.items()
        if name.startswith("epsilon ")
    }


@METHOD
@pytest.mark.parametrize("epsilon", [1e-4, 0.05, 1.0, 7.3, 300.0])
def test_the_parts_on_a_card_add_up_to_epsilon(method: str, epsilon: float, tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=1000.0))
    made = release(KARATE, epsilon=epsilon, method=method, vault=vault, rng=1, **chain(method, 100))
    parts = parts_of(made)
    assert sum(parts.values()) == pytest.approx(epsilon, rel=1e-5)
    assert "epsilon not spent" not in parts
    assert min(parts.values()) > 0
    (drawn,) = vault.state.drawn.values()
    assert drawn.body["asked"] == pytest.approx(parts, rel=1e-5)


def test_what_was_not_spent_is_said() -> None:
    """Neither cells nor triangles of so little are worth asking for, and nothing else may have the share of cells."""
    parts = parts_of(release(KARATE, epsilon=1e-3, shares=(0.0, 0.4, 0.6), rng=1))
    assert parts["epsilon not spent"] == pytest.approx(0.2e-3)
    assert sum(parts.values()) == pytest.approx(1e-3, rel=1e-5)


def test_what_a_mechanism_leaves_is_said_and_promised_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def modest(asked: GraphDesk, request: Request) -> Outcome:
        return MECHANISMS["chung-lu"].run(asked, replace(request, epsilon=request.epsilon / 4))

    monkeypatch.setitem(MECHANISMS, "modest", Mechanism("modest", "asks for a quarter", modest))
    made = release(KARATE, epsilon=2.0, method="modest", rng=1)
    assert parts_of(made) == {"degrees": 0.5, "epsilon not spent": 1.5}
    assert made.guarantee is not None
    assert made.guarantee.epsilon == 2.0


@METHOD
def test_the_vault_is_charged_before_anything_is_asked(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mechanism starts when the charge stands, and never where there is not enough left."""
    vault, real = Vault.create(tmp_path / "a.vault", Budget(epsilon=1.0)), MECHANISMS[method]
    before, charged = vault.entries(), []

    def watched(asked: GraphDesk, request: Request) -> Outcome:
        charged.append([entry.kind for entry in vault.entries()[len(before) :]])
        assert not asked.asked
        return real.run(asked, request)

    monkeypatch.setitem(MECHANISMS, method, replace(real, run=watched))
    with pytest.raises(BudgetExceeded):
        release(KARATE, epsilon=1.5, method=method, vault=vault, **chain(method, 10))
    assert charged == []
    assert vault.entries() == before
    release(KARATE, epsilon=1.0, method=method, vault=vault, **chain(method, 10))
    assert charged == [["data", "fact", "charge"]]
    assert [entry.kind for entry in vault.entries()[len(before) :]] == ["data", "fact", "charge", "drawn"]
    (entry,) = vault.state.releases.values()
    (promise,) = entry.promises
    said = (entry.purpose, float(promise.epsilon), str(promise.unit), entry.rehearsal)
    assert said == (f"network release, method {method}", 1.0, "edge", False)


def test_a_vault_is_charged_once_per_release(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=1.0))
    release(KARATE, epsilon=0.25, vault=vault, rng=1)
    release(KARATE, epsilon=0.5, method="chung-lu", vault=vault)
    entries = vault.state.releases.values()
    assert [(float(each.promises[0].epsilon), each.rehearsal) for each in entries] == [
        (0.25, True),
        (0.5, False),
    ]
    assert [len(each.promises) for each in entries] == [1, 1]
    assert vault.left_epsilon == Decimal("0.25")


@METHOD
def test_what_was_paid_for_is_kept_as_it_was_made(method: str, tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=1.0))
    made = release(KARATE, epsilon=1.0, method=method, vault=vault, **chain(method, 10))
    before = vault.entries()
    assert vault.resume() == made
    assert made.provenance.receipt is not None
    assert made.provenance.receipt.digest == before[made.provenance.receipt.number - 1].digest
    assert vault.entries() == before


def test_a_release_without_a_vault_has_no_receipt() -> None:
    assert release(KARATE, epsilon=1.0, rng=1).provenance.receipt is None
