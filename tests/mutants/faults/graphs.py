"""Faults of statistics of networks: answers that move further than they say, draws that lean on what they must not."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

GRAPHS = (
    Mutant(
        "triangles cost what their largest class does",
        "network/statistics/triangles.py",
        "        return Price(epsilon=math.fsum(self.parts))",
        "        return Price(epsilon=max(self.parts))",
        "tests/network/statistics/test_triangles.py::test_triangles_keep_their_promise_on_every_graph_of_five_nodes",
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
        "classes without triangles get no noise",
        "network/statistics/triangles.py",
        "            ladder(int(count), int(width), epsilon=part, noise=noise)  # proof: triangles\n",
        "            ladder(int(count), int(width), epsilon=part, noise=noise) if count else 0\n",
        "tests/network/statistics/test_triangles.py::test_triangles_keep_their_promise_on_every_graph_of_five_nodes",
    ),
    Mutant(
        "noise of a ladder goes one way",
        "network/statistics/triangles.py",
        "            up = _below(2, words)",
        "            up = 1",
        "tests/network/statistics/test_triangles.py::test_a_ladder_follows_its_distribution_and_no_other",
    ),
    Mutant(
        "both halves of a rung are one number",
        "network/statistics/triangles.py",
        "        drawn = (noise.geometric(zeros, sensitivity=1, epsilon=decay) for _ in range(2))  # proof: triangles\n",
        "        drawn = [noise.geometric(zeros, sensitivity=1, epsilon=decay)] * 2\n",
        "tests/network/statistics/test_triangles.py::test_a_ladder_follows_its_distribution_and_no_other",
    ),
    Mutant(
        "a ladder draws within its rung by the same word",
        "network/statistics/triangles.py",
        "    while True:\n        yield from noise.words(4).tolist()  # proof: triangles",
        "    yield from iter(noise.words(1).tolist() * 1000)",
        "tests/network/statistics/test_triangles.py::test_a_ladder_follows_its_distribution_and_no_other",
    ),
    Mutant(
        "the leverage is that of ties there are",
        "network/statistics/triangles.py",
        "    above, shares = neighbours_above(indptr, indices, least.min()), shares_for(len(indices))",
        "    above, shares = neighbours_above(indptr, indices, 10**6), shares_for(len(indices))",
        "tests/network/statistics/test_triangles.py::test_compiled_counts_and_leverage_agree_with_their_twins",
    ),
    Mutant(
        "a ladder's rungs do not grow",
        "network/statistics/triangles.py",
        "        if place < leverage + rung:\n            passed = rung * leverage + rung * (rung - 1) // 2",
        "        if place < leverage:\n            passed = rung * leverage",
        "tests/network/statistics/test_triangles.py::test_a_ladder_follows_its_distribution_and_no_other",
    ),
    Mutant(
        "the number of edges is exact",
        "network/statistics/size.py",
        "    def count(self, data: Graph) -> NDArray[np.int64]:\n",
        "    def draw(self, data, unit, noise):\n"
        "        return max(1, data.m)\n"
        "\n"
        "    def count(self, data: Graph) -> NDArray[np.int64]:\n",
        "tests/network/statistics/test_size.py::test_the_noisy_size_has_sensitivity_one_and_is_at_least_one",
    ),
    Mutant(
        "a graph without edges is told exactly",
        "network/statistics/size.py",
        '    def answer(self, noisy: NDArray[np.int64]) -> int:\n        """Return a number',
        "    def draw(self, data, unit, noise):\n"
        "        return super().draw(data, unit, noise) if data.m else 1\n"
        "\n"
        "    def answer(self, noisy: NDArray[np.int64]) -> int:\n"
        '        """Return a number',
        "tests/network/statistics/test_promise.py::test_a_statistic_keeps_its_promise_on_every_graph_of_five_nodes",
    ),
    Mutant(
        "degrees move by one",
        "network/statistics/degrees.py",
        "stability: ClassVar[Mapping[Unit, int]] = {Unit.EDGE: 2}  # proof: degrees",
        "stability: ClassVar[Mapping[Unit, int]] = {Unit.EDGE: 1}  # proof: degrees",
        "tests/network/statistics/test_promise.py::test_a_statistic_keeps_its_promise_on_every_graph_of_five_nodes",
    ),
    Mutant(
        "the largest degree is exact",
        "network/statistics/degrees.py",
        "        return np.array([data.degrees.max(initial=0)])\n",
        "        return np.array([data.degrees.max(initial=0)])\n"
        "\n"
        "    def draw(self, data, unit, noise):\n"
        "        return int(data.degrees.max(initial=0))\n",
        "tests/network/statistics/test_promise.py::test_what_is_paid_for_is_used",
    ),
    Mutant(
        "the largest degree is that of two nodes together",
        "network/statistics/degrees.py",
        "        return np.array([data.degrees.max(initial=0)])",
        "        return np.array([np.sort(data.degrees)[-2:].sum()])",
        "tests/network/statistics/test_degrees.py::test_the_largest_degree_is_that_of_the_graph",
    ),
    Mutant(
        "degrees come in their own order",
        "network/statistics/degrees.py",
        "        return data.degrees\n",
        "        return np.sort(data.degrees)[::-1] * (2 if data.m % 2 else 1)\n",
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
        "tails end at the largest degree",
        "network/statistics/tails.py",
        "np.clip(data.degrees, self.lowest, self.highest) - self.lowest\n"
        "        nodes = np.bincount(clipped, minlength=self.highest - self.lowest + 1)",
        "np.clip(data.degrees, self.lowest, self.highest) - self.lowest\n"
        "        nodes = np.bincount(clipped, minlength=2)",
        "tests/network/statistics/test_promise.py::test_a_statistic_keeps_its_promise_on_every_graph_of_five_nodes",
    ),
    Mutant(
        "tails are added up twice",
        "network/statistics/tails.py",
        "        return np.asarray(np.cumsum(nodes[::-1])[::-1][1:], dtype=np.int64)",
        "        return np.asarray(np.cumsum(np.cumsum(nodes[::-1]))[::-1][1:], dtype=np.int64)",
        "tests/network/statistics/test_tails.py::test_tails_count_the_nodes_of_each_degree_or_more",
    ),
    Mutant(
        "cells count an edge from both ends",
        "network/statistics/_kernels.py",
        "            if indices[k] > u:\n                c = min",
        "            if indices[k] != u:\n                c = min",
        "tests/network/statistics/test_promise.py::test_a_statistic_keeps_its_promise_on_every_graph_of_five_nodes",
    ),
    Mutant(
        "a draw of slots uses its words twice",
        "network/statistics/_kernels.py",
        "        slot[v] = c\n        placed[c] += volume[v]\n",
        "        slot[v] = c\n        used = 1\n        placed[c] += volume[v]\n",
        "tests/network/statistics/test_slots.py::test_compiled_slots_follow_the_exact_distribution_and_no_other",
    ),
    Mutant(
        "communities lean on where neighbours went",
        "network/statistics/_kernels.py",
        "            counts[community[indices[k]]] += 1.0",
        "            u = indices[k]\n            counts[adjusted[u] if u < v else community[u]] += 1.0",
        "tests/network/statistics/test_communities.py::test_compiled_adjustment_follows_the_exact_distribution_and_no_other",
    ),
    Mutant(
        "a draw of communities uses its words twice",
        "network/statistics/_kernels.py",
        "        adjusted[v] = c\n",
        "        adjusted[v] = c\n        used = 1\n",
        "tests/network/statistics/test_communities.py::test_adjustment_keeps_its_promise_on_every_graph_of_four_nodes",
    ),
    Mutant(
        "weights of slots are rounded off",
        "network/statistics/_kernels.py",
        "LOWEST = -14.0\nSCALE = 2.0**52",
        "LOWEST = -14.0\nSCALE = 2.0**20",
        "tests/network/statistics/test_slots.py::test_a_draw_keeps_its_promise_on_every_graph_of_four_nodes",
    ),
    Mutant(
        "the last slot takes what no word says",
        "network/statistics/_kernels.py",
        "    while used < len(words) and words[used] > top - surplus:\n        used += 1\n",
        "",
        "tests/network/statistics/test_slots.py::test_words_that_would_favour_a_slot_are_drawn_again",
    ),
    Mutant(
        "pairs that are tied have no leverage",
        "network/statistics/_kernels.py",
        "        for v in met[:count]:\n            for c in range(classes):\n                leverage[c]",
        "        for k in range(indptr[u], indptr[u + 1]):\n"
        "            closed[indices[k]] = 0\n"
        "        for v in met[:count]:\n"
        "            for c in range(classes):\n"
        "                leverage[c]",
        "tests/network/statistics/test_triangles.py::test_compiled_counts_and_leverage_agree_with_their_twins",
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
        "there are as many joint degrees as the largest degree",
        "network/statistics/joint_degrees.py",
        "        return np.asarray(counts[np.triu_indices(self.bound)], dtype=np.int64)",
        "        return np.asarray(counts[np.triu_indices(int(capped.max()) + 1)], dtype=np.int64)",
        "tests/network/statistics/test_joint_degrees.py::test_joint_degrees_change_by_as_much_as_is_said_and_no_more",
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
        "eigenvectors longer than 1 stay as long",
        "network/statistics/spectrum.py",
        "        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=0), 1) * (1 - 1e-9)\n",
        "",
        "tests/network/statistics/test_spectrum.py::test_a_vector_that_turns_round_uses_the_whole_sensitivity",
    ),
    Mutant(
        "what rounding adds to quadratic forms is not paid for",
        "network/statistics/spectrum.py",
        "        return int(math.ceil(change * _FORM_GRID) + 2 * self.vectors.shape[1])",
        "        return int(math.ceil(change * _FORM_GRID))",
        "tests/network/statistics/test_spectrum.py::test_rounding_of_forms_is_paid_for",
    ),
    Mutant(
        "quadratic forms move by the mean row",
        "network/statistics/spectrum.py",
        "        rows = np.sort(np.linalg.norm(self.vectors, axis=1))\n",
        "        rows = np.full(2, np.linalg.norm(self.vectors, axis=1).mean())\n",
        "tests/network/statistics/test_spectrum.py::test_quadratic_forms_change_by_no_more_than_is_said",
    ),
    Mutant(
        "eigenvectors are those of another number of nodes",
        "network/statistics/spectrum.py",
        "        if data.n != self.nodes:",
        "        if False:",
        "tests/network/statistics/test_draws.py::test_eigenvectors_of_another_number_of_nodes_are_refused",
    ),
    Mutant(
        "a solver that fails is heard of",
        "network/statistics/spectrum.py",
        "        return np.eye(graph.n, count)\n    return np.asarray(vectors",
        "        raise\n    return np.asarray(vectors",
        "tests/network/statistics/test_draws.py::test_a_solver_that_fails_says_nothing",
    ),
    Mutant(
        "what rounding adds to eigenvectors is not paid for",
        "network/statistics/spectrum.py",
        "math.ceil(self._grid * math.sqrt(self.nodes) + self.nodes / 2)",
        "math.ceil(self._grid * math.sqrt(self.nodes))",
        "tests/network/statistics/test_draws.py::test_rounding_of_eigenvectors_is_paid_for",
    ),
    Mutant(
        "slots lean on both ends of an edge",
        "network/statistics/slots.py",
        "            max(self.epsilon - ROUNDING, 0.0),  # proof: slots",
        "            max(2 * self.epsilon - ROUNDING, 0.0),  # proof: slots",
        "tests/network/statistics/test_slots.py::test_a_draw_keeps_its_promise_on_every_graph_of_four_nodes",
    ),
    Mutant(
        "slots are drawn in the order of true degrees",
        "network/statistics/slots.py",
        "            self.order,\n            data.indptr,",
        '            np.argsort(-data.degrees, kind="stable"),\n            data.indptr,',
        "tests/network/statistics/test_slots.py::test_a_draw_keeps_its_promise_on_every_graph_of_four_nodes",
    ),
    Mutant(
        "slots are pushed away by true degrees",
        "network/statistics/slots.py",
        "            self.expected,\n            max(",
        "            data.degrees.astype(np.float64) + 1e-9,\n            max(",
        "tests/network/statistics/test_slots.py::test_rounding_of_a_rare_slot_is_paid_for",
    ),
    Mutant(
        "words for slots are counted by edges",
        "network/statistics/slots.py",
        "noise.words(2 * data.n + 1024)",
        "noise.words(2 * data.m + 1024)",
        "tests/network/statistics/test_draws.py::test_as_many_words_are_drawn_whatever_the_edges",
    ),
    Mutant(
        "a node may draw twice",
        "network/statistics/slots.py",
        "        if not once or self.expected.shape",
        "        if self.expected.shape",
        "tests/network/statistics/test_draws.py::test_slots_are_drawn_once_for_each_node",
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
        "edges between communities are exact",
        "network/statistics/communities.py",
        "        outer = noise.geometric(\n"
        "            self.outer(data), sensitivity=self._OUTER, epsilon=self.epsilon\n"
        "        )  # proof: privgraph",
        "        outer = self.outer(data)",
        "tests/network/statistics/test_promise.py::test_an_answer_depends_on_nothing_but_the_noisy_numbers",
    ),
    Mutant(
        "an edge counts inside a community and between two",
        "network/statistics/communities.py",
        "counts[np.triu_indices(communities, 1)], dtype",
        "counts[np.triu_indices(communities, 0)], dtype",
        "tests/network/statistics/test_communities.py::test_an_edge_pays_for_an_inner_or_an_outer_count_never_for_both",
    ),
    Mutant(
        "communities that are given may have holes",
        "network/statistics/communities.py",
        "        check_labels(self.name, self.first, nodes=data.n, count=MOST_CHOICES)\n",
        "",
        "tests/network/statistics/test_draws.py::test_labels_that_do_not_fit_are_refused",
    ),
    Mutant(
        "words for communities are counted by edges",
        "network/statistics/communities.py",
        "            noise.words(2 * data.n + 1024),",
        "            noise.words(2 * data.m + 1024),",
        "tests/network/statistics/test_draws.py::test_as_many_words_are_drawn_whatever_the_edges",
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
        "non-edges pass at a third of their rate",
        "network/statistics/passing_pairs.py",
        "        everywhere = _passing(data.n * (data.n - 1) // 2, chosen.rate, noise)",
        "        everywhere = _passing(data.n * (data.n - 1) // 2, chosen.rate / 3, noise)",
        "tests/network/statistics/test_passing_pairs.py::test_the_draw_uses_the_filter_and_nothing_else",
    ),
    Mutant(
        "the filter is chosen by the true number of edges",
        "network/statistics/passing_pairs.py",
        "        chosen, edges = self.filter, data.edges()",
        "        chosen, edges = choose_filter(self.epsilon, self.pairs, data.m), data.edges()",
        "tests/network/statistics/test_passing_pairs.py::test_the_draw_uses_the_filter_and_nothing_else",
    ),
    Mutant(
        "edges that noise passed over may pass as non-edges",
        "network/statistics/passing_pairs.py",
        "np.union1d(numbers[passed], np.setdiff1d(everywhere, numbers, assume_unique=True))",
        "np.union1d(numbers[passed], everywhere)",
        "tests/network/statistics/test_passing_pairs.py::test_gaps_lead_from_one_passing_pair_to_the_next",
    ),
    Mutant(
        "probabilities of a filter may be rounded for free",
        "network/statistics/passing_pairs.py",
        "        spent = self.epsilon - min(ROUNDING, self.epsilon / 2)  # proof: passing-pairs",
        "        spent = self.epsilon + ROUNDING",
        "tests/network/statistics/test_passing_pairs.py::test_a_filter_costs_its_price",
    ),
    Mutant(
        "pairs that are edges come first",
        "network/statistics/passing_pairs.py",
        "np.union1d(numbers[passed], np.setdiff1d(everywhere, numbers, assume_unique=True))",
        "np.concatenate([numbers[passed], np.setdiff1d(everywhere, numbers, assume_unique=True)])",
        "tests/network/statistics/test_draws.py::test_pairs_that_pass_come_in_an_order_that_says_nothing",
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
        "a chain's promise is unconditional",
        "network/statistics/trees.py",
        "    condition: ClassVar[str | None] = (\n",
        "    condition: ClassVar[str | None] = None\n    _: ClassVar[str] = (\n",
        "tests/network/test_release.py::test_the_promise_of_a_chain_is_conditional_wherever_it_is_written",
    ),
    Mutant(
        "how a chain went is part of its answer",
        "network/statistics/trees.py",
        'return Noted(sampled.dendrogram, {"trace": sampled.trace, "acceptance": sampled.acceptance})',
        'return Noted(sampled, {"trace": sampled.trace, "acceptance": sampled.acceptance})',
        "tests/network/statistics/test_trees.py::test_a_tree_is_drawn_from_that_distribution_and_no_other",
    ),
    Mutant(
        "a chain makes as many steps as there are edges",
        "network/statistics/trees.py",
        "            steps=self.steps,\n",
        "            steps=self.steps + data.m,\n",
        "tests/network/statistics/test_draws.py::test_a_chain_makes_the_steps_it_is_told_to",
    ),
    Mutant(
        "a chain draws from the stream of what is published",
        "network/statistics/trees.py",
        "rng=noise.chain_generator",
        "rng=noise.generator",
        "tests/network/statistics/test_draws.py::test_a_chain_leaves_the_stream_of_published_draws_alone",
    ),
    Mutant(
        "a utility of one's own is taken",
        "network/statistics/trees.py",
        "        if type(self.utility) not in (Published, Clipped):",
        "        if False:",
        "tests/network/statistics/test_draws.py::test_a_utility_of_ones_own_is_refused",
    ),
    Mutant(
        "link classes that overlap cost what one does",
        "network/statistics/trees.py",
        "        return max(int((above + own).max(initial=0)), 1)  # proof: link-counts",
        "        return 1",
        "tests/network/statistics/test_draws.py::test_link_classes_that_overlap_cost_what_all_of_them_do",
    ),
    Mutant(
        "cells are exact",
        "network/statistics/cells.py",
        '    def answer(self, noisy: NDArray[np.int64]) -> NDArray[np.float64]:\n        """Return the table',
        "    def draw(self, data, unit, noise):\n"
        "        return self.answer(self.count(data))\n"
        "\n"
        "    def answer(self, noisy: NDArray[np.int64]) -> NDArray[np.float64]:\n"
        '        """Return the table',
        "tests/network/statistics/test_promise.py::test_what_is_paid_for_is_used",
    ),
    Mutant(
        "only cells with edges get noise",
        "network/statistics/cells.py",
        "    groups: int\n    epsilon: float\n",
        "    groups: int\n"
        "    epsilon: float\n"
        "\n"
        "    def draw(self, data, unit, noise):\n"
        "        counts = self.count(data)\n"
        "        noisy = noise.geometric(counts, sensitivity=self.sensitivity(unit), epsilon=self.epsilon)\n"
        "        return self.answer(np.where(counts > 0, noisy, 0))\n",
        "tests/network/statistics/test_promise.py::test_an_answer_depends_on_nothing_but_the_noisy_numbers",
    ),
    Mutant(
        "groups of cells may be any numbers",
        "network/statistics/cells.py",
        "        check_labels(self.name, self.group, nodes=data.n, count=self.groups)\n",
        "",
        "tests/network/statistics/test_draws.py::test_labels_that_do_not_fit_are_refused",
    ),
)
