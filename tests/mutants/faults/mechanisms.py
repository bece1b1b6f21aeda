"""Faults of network releases: mechanisms that want too much, and promises that say too little."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

MECHANISMS = (
    Mutant(
        "a rogue asks for a thousandfold",
        "network/mechanisms/chung_lu.py",
        "degrees = ask_degrees(asked, request, epsilon=request.epsilon)",
        "degrees = ask_degrees(asked, request, epsilon=1000 * request.epsilon)",
        "program: release",
    ),
    Mutant(
        "a rogue returns the graph itself",
        "network/mechanisms/chung_lu.py",
        "    return Outcome(drawn, {}, model)",
        "    from entrenous.price import Price\n"
        "\n"
        '    drawn = asked._meter.charge(Price(epsilon=1e-12), "nothing").edges()\n'
        "    return Outcome(drawn, {}, model)",
        "tests/test_architecture.py::test_imports_go_down_and_heavy_packages_enter_by_their_door",
    ),
    Mutant(
        "the plan overspends twofold",
        "network/mechanisms/owner.py",
        "    return plan(request.spendable, request.n, size)",
        "    return plan(2 * request.spendable, request.n, size)",
        "program: release",
    ),
    Mutant(
        "the share of cells is given away twice",
        "network/mechanisms/owner.py",
        "return replace(self, counts=0.0, triangles=self.triangles and self.triangles + self.counts)",
        "return replace(self, counts=0.0, triangles=self.triangles and self.triangles + 2 * self.counts)",
        "program: release",
    ),
    Mutant(
        "each class of triangles gets the whole share",
        "network/drawing/triangle_classes.py",
        "    return tuple(epsilon * share for share in _SHARES[classes - 1])",
        "    return tuple(epsilon for share in _SHARES[classes - 1])",
        "program: release",
    ),
    Mutant(
        "the vault is charged half",
        "network/release.py",
        "    ceiling = Guarantee(\n        epsilon=request.epsilon,\n",
        "    ceiling = Guarantee(\n        epsilon=request.epsilon / 2,\n",
        "tests/network/test_release.py::test_a_vault_is_charged_once_per_release",
    ),
    Mutant(
        "the desk gets twice what was asked for",
        "network/release.py",
        "ceiling=Price(epsilon=request.epsilon)",
        "ceiling=Price(epsilon=2 * request.epsilon)",
        "tests/network/test_release.py::test_the_parts_on_a_card_add_up_to_epsilon",
    ),
    Mutant(
        "the vault is charged after the draw",
        "network/release.py",
        "    noise = Noise(rng)\n",
        "    noise = Noise(rng)\n"
        "    asked = Desk(graph, unit=Unit.EDGE, ceiling=Price(epsilon=request.epsilon), noise=noise)\n"
        "    mechanism.run(asked, request)\n",
        "tests/network/test_release.py::test_the_vault_is_charged_before_anything_is_asked",
    ),
    Mutant(
        "what was paid for is not kept",
        "network/release.py",
        "        return paid.complete(made, asked=asked.parts, condition=asked.guarantee().conditional)",
        "        return made",
        "tests/network/test_release.py::test_what_was_paid_for_is_kept_as_it_was_made",
    ),
    Mutant(
        "a release that is refused is charged",
        "network/release.py",
        "    request = check_request(\n        graph,\n        mechanism,\n        epsilon=epsilon,",
        "    if vault is not None and isinstance(graph, Graph):\n"
        "        vault.charge(_order(graph, mechanism, Request(epsilon=epsilon, n=graph.n), rehearsal=False))\n"
        "    request = check_request(\n"
        "        graph,\n"
        "        mechanism,\n"
        "        epsilon=epsilon,",
        "tests/network/test_release.py::test_wrong_arguments_are_refused_before_anything_is_charged",
    ),
    Mutant(
        "a promise does not say that a hierarchy is public",
        "network/release.py",
        "    return (nodes, PUBLIC_HIERARCHY) if request.hierarchy is not None else (nodes,)",
        "    return (nodes,)",
        "tests/network/test_release.py::test_a_public_hierarchy_is_used_and_assumed_public",
    ),
    Mutant(
        "nodes that are seen have no assumption",
        "network/release.py",
        '    nodes = NODES_SEEN if graph.nodes_from == "seen" else NODES_LISTED',
        "    nodes = NODES_LISTED",
        "tests/network/test_release.py::test_assumptions_are_said",
    ),
    Mutant(
        "a public hierarchy is paid for and drawn as well",
        "network/release.py",
        '    if public_structure and share["structure"] > 0:',
        "    if False:",
        "tests/network/test_release.py::test_wrong_arguments_are_refused_before_anything_is_charged",
    ),
    Mutant(
        "notes of the curator are on the card",
        "network/release.py",
        "{**asked.costs, **outcome.parameters}",
        '{**asked.costs, **outcome.parameters, "edges": graph.m}',
        "tests/network/test_promise.py::test_a_release_that_asked_nothing_says_the_same_of_all_graphs",
    ),
    Mutant(
        "the spectral release spends its forms twice",
        "network/mechanisms/spectral.py",
        "    epsilon = request.spendable - size - forms",
        "    epsilon = request.spendable - size",
        "program: release",
    ),
    Mutant(
        "the filter takes all of epsilon beside its size",
        "network/mechanisms/tmf.py",
        "epsilon=request.spendable - size)",
        "epsilon=request.spendable)",
        "program: release",
    ),
    Mutant(
        "joint degrees take all of epsilon beside their bound",
        "network/mechanisms/dk2.py",
        "epsilon=request.spendable - size - cap)",
        "epsilon=request.spendable - size)",
        "program: release",
    ),
    Mutant(
        "each of three steps takes half of epsilon",
        "network/mechanisms/privgraph.py",
        "    epsilon = request.spendable / 3",
        "    epsilon = request.spendable / 2",
        "program: release",
    ),
    Mutant(
        "degrees of dense blocks cost more than epsilon",
        "network/mechanisms/dgg.py",
        "statistics.Degrees(epsilon=request.epsilon)",
        "statistics.Degrees(epsilon=request.epsilon * 1.001)",
        "program: release",
    ),
    Mutant(
        "a chain's counts take its structure's share too",
        "network/mechanisms/privhrg.py",
        "    noisy = asked(statistics.LinkCounts(classes, epsilon=counts))",
        "    noisy = asked(statistics.LinkCounts(classes, epsilon=counts + structure))",
        "program: release",
    ),
)
