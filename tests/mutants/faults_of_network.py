"""Faults of networks: statistics that move further than they say, and mechanisms that want too much."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

NETWORK = (
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
        "    from entrenous.price import Price\n\n"
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
        "each class of triangles gets the whole share",
        "network/drawing/triangle_classes.py",
        "    return tuple(epsilon * share for share in _SHARES[classes - 1])",
        "    return tuple(epsilon for share in _SHARES[classes - 1])",
        "program: release",
    ),
    Mutant(
        "triangles cost what their largest class does",
        "network/statistics/triangles.py",
        "        return Price(epsilon=math.fsum(self.parts))",
        "        return Price(epsilon=max(self.parts))",
        "tests/network/statistics/test_triangles.py::test_triangles_keep_their_promise_on_every_graph_of_five_nodes",
    ),
    Mutant(
        "the share of cells is given away twice",
        "network/mechanisms/owner.py",
        "return replace(self, counts=0.0, triangles=self.triangles and self.triangles + self.counts)",
        "return replace(self, counts=0.0, triangles=self.triangles and self.triangles + 2 * self.counts)",
        "program: release",
    ),
    Mutant(
        "the number of edges is exact",
        "network/statistics/size.py",
        "    def count(self, data: Graph) -> NDArray[np.int64]:\n",
        "    def draw(self, data, unit, noise):\n        return max(1, data.m)\n\n"
        "    def count(self, data: Graph) -> NDArray[np.int64]:\n",
        "tests/network/statistics/test_size.py::test_the_noisy_size_has_sensitivity_one_and_is_at_least_one",
    ),
    Mutant(
        "degrees move by one",
        "network/statistics/degrees.py",
        "stability: ClassVar[Mapping[Unit, int]] = {Unit.EDGE: 2}  # proof: degrees",
        "stability: ClassVar[Mapping[Unit, int]] = {Unit.EDGE: 1}  # proof: degrees",
        "tests/network/statistics/test_promise.py::test_a_statistic_keeps_its_promise_on_every_graph_of_five_nodes",
    ),
    Mutant(
        "tails move by one",
        "network/statistics/tails.py",
        "stability: ClassVar[Mapping[Unit, int]] = {Unit.EDGE: 2}  # proof: tails",
        "stability: ClassVar[Mapping[Unit, int]] = {Unit.EDGE: 1}  # proof: tails",
        "tests/network/statistics/test_promise.py::test_a_statistic_keeps_its_promise_on_every_graph_of_five_nodes",
    ),
    Mutant(
        "cells count an edge from both ends",
        "network/statistics/_kernels.py",
        "            if indices[k] > u:\n                c = min",
        "            if indices[k] != u:\n                c = min",
        "tests/network/statistics/test_promise.py::test_a_statistic_keeps_its_promise_on_every_graph_of_five_nodes",
    ),
    Mutant(
        "joint degrees forget one end of an edge",
        "network/statistics/joint_degrees.py",
        "        return 4 * self.bound - 3  # proof: joint-degrees",
        "        return 2 * self.bound - 1  # proof: joint-degrees",
        "tests/network/statistics/test_joint_degrees.py::test_joint_degrees_change_by_as_much_as_is_said_and_no_more",
    ),
    Mutant(
        "joint degrees are not capped",
        "network/statistics/joint_degrees.py",
        "        capped = np.clip(data.degrees, 1, self.bound) - 1",
        "        capped = np.minimum((np.maximum(data.degrees, 1) - 1) * 2, self.bound - 1)",
        "tests/network/statistics/test_joint_degrees.py",
    ),
    Mutant(
        "eigenvectors are charged for one graph",
        "network/statistics/spectrum.py",
        "        return 2 * self.vectors * norm  # proof: eigenvectors",
        "        return self.vectors * norm  # proof: eigenvectors",
        "tests/network/statistics/test_spectrum.py::test_a_vector_that_turns_round_uses_the_whole_sensitivity",
    ),
    Mutant(
        "quadratic forms move half as far",
        "network/statistics/spectrum.py",
        "        change = 2 * float(rows[-1] * rows[-2])",
        "        change = float(rows[-1] * rows[-2])",
        "tests/network/statistics/test_spectrum.py::test_quadratic_forms_change_by_no_more_than_is_said",
    ),
    Mutant(
        "slots lean on both ends of an edge",
        "network/statistics/slots.py",
        "            max(self.epsilon - ROUNDING, 0.0),  # proof: slots",
        "            max(2 * self.epsilon - ROUNDING, 0.0),  # proof: slots",
        "tests/network/statistics/test_slots.py::test_a_draw_keeps_its_promise_on_every_graph_of_four_nodes",
    ),
    Mutant(
        "a draw of slots uses its words twice",
        "network/statistics/_kernels.py",
        "        slot[v] = c\n        placed[c] += volume[v]\n",
        "        slot[v] = c\n        used = 1\n        placed[c] += volume[v]\n",
        "tests/network/statistics/test_slots.py::test_compiled_slots_follow_the_exact_distribution_and_no_other",
    ),
    Mutant(
        "communities pay for one end of an edge",
        "network/statistics/communities.py",
        "            max(self.epsilon - ROUNDING, 0.0) / 2,  # proof: privgraph",
        "            max(self.epsilon - ROUNDING, 0.0),  # proof: privgraph",
        "tests/network/statistics/test_communities.py::test_adjustment_keeps_its_promise_on_every_graph_of_four_nodes",
    ),
    Mutant(
        "inner degrees move by one",
        "network/statistics/communities.py",
        "    _INNER: ClassVar[int] = 2  # an inner edge changes two inner degrees",
        "    _INNER: ClassVar[int] = 1  # an inner edge changes two inner degrees",
        "tests/network/statistics/test_promise.py::test_a_statistic_keeps_its_promise_on_every_graph_of_five_nodes",
    ),
    Mutant(
        "edges pass the filter too easily",
        "network/statistics/passing_pairs.py",
        "        words = noise.words(len(edges)).astype(np.uint64)  # proof: passing-pairs\n",
        "        words = noise.words(len(edges)).astype(np.uint64) // np.uint64(3)\n",
        "tests/network/statistics/test_passing_pairs.py::test_the_draw_uses_the_filter_and_nothing_else",
    ),
    Mutant(
        "as many random words are drawn as there are ties",
        "network/statistics/passing_pairs.py",
        "        noise.words(-len(edges) % _BLOCK)  # proof: passing-pairs\n",
        "",
        "tests/attack/side_channels/test_telling_apart.py::"
        "test_the_number_of_random_words_does_not_tell_the_number_of_ties",
    ),
    Mutant(
        "the leverage of a ladder does not grow",
        "network/statistics/triangles.py",
        "return max(1, math.ceil(1 / epsilon))",
        "return 0",
        "tests/network/statistics/test_triangles.py::test_every_ladder_is_at_least_as_wide_as_its_epsilon_asks",
    ),
    Mutant(
        "rungs of a ladder are paid, its width is not",
        "network/statistics/triangles.py",
        "        cost = middle + math.log1p(1 / (least_leverage(epsilon) + odds))",
        "        cost = middle",
        "tests/network/statistics/test_triangles.py::test_the_decay_spends_nearly_all_and_no_more",
    ),
    Mutant(
        "the chain is twice as cold",
        "network/statistics/trees.py",
        "            beta=beta_for(self.epsilon, data.n, self.utility),  # proof: trees",
        "            beta=2 * beta_for(self.epsilon, data.n, self.utility),  # proof: trees",
        "tests/network/statistics/test_trees.py",
    ),
    Mutant(
        "link counts get noise for twice their epsilon",
        "network/statistics/trees.py",
        "        return self.classes.count(data.edges())",
        "        return 2 * self.classes.count(data.edges())",
        "tests/network/statistics/test_trees.py::test_exactly_one_count_changes_when_an_edge_is_flipped",
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
        "a chain's promise is unconditional",
        "network/statistics/trees.py",
        "    condition: ClassVar[str | None] = (\n",
        "    condition: ClassVar[str | None] = None\n    _: ClassVar[str] = (\n",
        "tests/network/test_release.py::test_the_promise_of_a_chain_is_conditional_wherever_it_is_written",
    ),
)
