"""Faults of counts of words: contents that move them further than they say."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

COUNTS = (
    Mutant(
        "contents are not bounded before they are counted",
        "words/statistics/listed_counts.py",
        "    support = holder_counts(Rows.listed(table, names, contribution), table.ngrams)",
        "    support = holder_counts(Rows.listed(table, names, len(names)), table.ngrams)",
        "tests/words/test_histogram.py::test_each_edge_counts_with_its_most_frequent_listed_ngrams",
    ),
    Mutant(
        "counts of a list get half their noise",
        "words/statistics/listed_counts.py",
        "noisy = noise.geometric(counts, sensitivity=1, epsilon=1 / self.scale)",
        "noisy = noise.geometric(counts, sensitivity=1, epsilon=2 / self.scale)",
        "tests/words/test_histogram.py::test_every_listed_ngram_gets_noise_of_the_promised_size",
    ),
    Mutant(
        "normal noise of a list is half as wide",
        "words/statistics/listed_counts.py",
        "drawn = noise.gaussian(counts * steps, scale=self.scale * steps)",
        "drawn = noise.gaussian(counts * steps, scale=self.scale * steps / 2)",
        "tests/words/test_draws.py::test_counts_of_the_most_frequent_get_the_noise_they_pay_for",
    ),
    Mutant(
        "a replaced content pays once",
        "words/statistics/listed_counts.py",
        "        Unit.REPLACED_CONTENT: 2,",
        "        Unit.REPLACED_CONTENT: 1,",
        "tests/words/test_bounds.py::test_a_replaced_content_costs_what_it_moves",
    ),
    Mutant(
        "only n-grams that somebody says are counted",
        "words/statistics/listed_counts.py",
        "        counts = true_counts(data, self.names, contribution=self.contribution)\n",
        "        counts = true_counts(data, self.names, contribution=self.contribution)\n"
        "        if not counts.any():\n"
        "            raise ValueError\n",
        "tests/words/test_bounds.py::test_a_list_that_nobody_says_gets_its_noise_all_the_same",
    ),
    Mutant(
        "weights in a ball are twice what they may be",
        "words/statistics/listed_counts.py",
        "    squares = contribution * GRID * GRID",
        "    squares = 4 * contribution * GRID * GRID",
        "tests/words/test_left_out.py::test_a_content_moves_counts_in_a_ball_by_its_radius_and_no_further",
    ),
    Mutant(
        "counts in a ball get half their noise",
        "words/statistics/listed_counts.py",
        "drawn = noise.gaussian(kept, scale=self.scale * GRID)",
        "drawn = noise.gaussian(kept, scale=self.scale * GRID / 2)",
        "tests/words/test_left_out.py::test_counts_in_a_ball_get_the_noise_they_pay_for",
    ),
    Mutant(
        "weights in a ball are rounded up",
        "words/statistics/listed_counts.py",
        "math.isqrt(squares // size) for size",
        "math.isqrt(squares // size) + 1 for size",
        "tests/words/test_left_out.py::test_a_content_moves_counts_in_a_ball_by_its_radius_and_no_further",
    ),
    Mutant(
        "what nobody says gets no noise",
        "words/statistics/listed_counts.py",
        "            noisy = noise.geometric(counts, sensitivity=1, epsilon=1 / self.scale)  # proof: listed-counts",
        "            noisy = noise.geometric(counts, sensitivity=1, epsilon=1 / self.scale) * (counts > 0)",
        "tests/words/test_bounds.py::test_a_list_that_nobody_says_gets_its_noise_all_the_same",
    ),
    Mutant(
        "a ball has a proof with geometric noise",
        "words/statistics/listed_counts.py",
        '        if self.bounding != FREQUENT and (self.bounding != BALL or self.mechanism != "gaussian"):',
        "        if self.bounding not in (FREQUENT, BALL):",
        "tests/words/test_left_out.py::test_what_has_no_proof_is_refused",
    ),
    Mutant(
        "true counts are the answer",
        "words/statistics/listed_counts.py",
        '        return Noted(noisy, {"counts": counts})',
        '        return Noted(counts, {"counts": counts})',
        "tests/words/test_bounds.py::test_a_list_that_nobody_says_gets_its_noise_all_the_same",
    ),
    Mutant(
        "an n-gram may be listed twice",
        "words/statistics/listed_counts.py",
        "        if len(set(self.names)) < len(self.names):  # one n-gram of a holder would move several counts",
        "        if False:",
        "tests/words/test_draws.py::test_an_ngram_is_listed_once",
    ),
    Mutant(
        "two holders that change move different counts",
        "words/statistics/listed_counts.py",
        "**contents, ALL.unit: ALL.squares}",
        "**contents}",
        "tests/words/test_draws.py::test_two_writers_that_change_alike_move_the_same_counts",
    ),
    Mutant(
        "what is left out is summed rather than averaged",
        "words/statistics/left_out.py",
        "steps * sum(members) // (GRID * len(members))",
        "steps * sum(members) // GRID",
        "tests/words/test_left_out.py::test_what_is_left_out_moves_each_class_by_one_at_most",
    ),
    Mutant(
        "classes of what is left out pay for one of them",
        "words/statistics/left_out.py",
        "return _price(self.mechanism, self.scale, self.count, self.moves[unit])",
        "return _price(self.mechanism, self.scale, 1, self.moves[unit])",
        "tests/words/test_left_out.py::test_what_is_left_out_moves_each_class_by_one_at_most",
    ),
    Mutant(
        "sizes of holders that are replaced pay once",
        "words/statistics/left_out.py",
        "return _price(self.mechanism, self.scale, moved[unit], 1)",
        "return _price(self.mechanism, self.scale, 1, 1)",
        "tests/words/test_left_out.py::test_a_content_moves_one_class_of_sizes",
    ),
    Mutant(
        "sizes of holders are told without noise of their price",
        "words/statistics/left_out.py",
        "noisy = noise.geometric(counts, sensitivity=1, epsilon=1 / self.scale)",
        "noisy = noise.geometric(counts, sensitivity=1, epsilon=2 / self.scale)",
        "tests/words/test_left_out.py::test_questions_on_what_is_left_out_get_the_noise_they_pay_for",
    ),
    Mutant(
        "how what is left out varies is told twice as far",
        "words/statistics/left_out.py",
        "        return np.abs(missing - np.rint(self.expected * GRID).astype(np.int64))",
        "        return 2 * np.abs(missing - np.rint(self.expected * GRID).astype(np.int64))",
        "tests/words/test_left_out.py::test_what_is_left_out_moves_each_class_by_one_at_most",
    ),
    Mutant(
        "squares are told of how what is left out varies",
        "words/statistics/left_out.py",
        "        return np.abs(missing - np.rint(self.expected * GRID).astype(np.int64))",
        "        return np.abs(missing - np.rint(self.expected * GRID).astype(np.int64)) ** 2 // GRID",
        "tests/words/test_left_out.py::test_what_is_left_out_is_counted_rightly",
    ),
    Mutant(
        "a class may be empty",
        "words/statistics/left_out.py",
        "        if not np.bincount(self.classes, minlength=1).all():",
        "        if False:",
        "tests/words/test_left_out.py::test_what_has_no_proof_is_refused",
    ),
    Mutant(
        "noise of what is left out is for one class",
        "words/statistics/left_out.py",
        "means, sensitivity=moved * steps, epsilon=moved / self.scale",
        "means, sensitivity=steps, epsilon=moved / self.scale",
        "tests/words/test_left_out.py::test_questions_on_what_is_left_out_get_the_noise_they_pay_for",
    ),
    Mutant(
        "normal noise of what is left out is half as wide",
        "words/statistics/left_out.py",
        "            noisy = noise.gaussian(means, scale=self.scale * steps)  # proof: left-out",
        "            noisy = noise.gaussian(means, scale=self.scale * steps / 2)",
        "tests/words/test_left_out.py::test_questions_on_what_is_left_out_get_the_noise_they_pay_for",
    ),
    Mutant(
        "normal noise of sizes is half as wide",
        "words/statistics/left_out.py",
        "        return noise.gaussian(counts * steps, scale=self.scale * steps) / steps  # proof: holder-sizes",
        "        return noise.gaussian(counts * steps, scale=self.scale * steps / 2) / steps",
        "tests/words/test_left_out.py::test_questions_on_what_is_left_out_get_the_noise_they_pay_for",
    ),
    Mutant(
        "a holder counts in every class up to its own",
        "words/statistics/left_out.py",
        '        if self.mechanism == "geometric":\n'
        "            noisy = noise.geometric(counts, sensitivity=1",
        "        counts = np.cumsum(counts[::-1])[::-1]\n"
        '        if self.mechanism == "geometric":\n'
        "            noisy = noise.geometric(counts, sensitivity=1",
        "tests/words/test_left_out.py::test_a_content_moves_one_class_of_sizes",
    ),
    Mutant(
        "classes of sizes end at the largest holder",
        "words/statistics/left_out.py",
        "        counts = np.bincount(place, minlength=len(self.bounds))[: len(self.bounds)].astype(np.int64)",
        "        counts = np.bincount(place).astype(np.int64)",
        "tests/words/test_left_out.py::test_a_content_moves_one_class_of_sizes",
    ),
    Mutant(
        "means are of those n-grams that leave something out",
        "words/statistics/left_out.py",
        "steps * sum(members) // (GRID * len(members))",
        "steps * sum(members) // (GRID * max(sum(each > 0 for each in members), 1))",
        "tests/words/test_left_out.py::test_what_is_left_out_is_counted_rightly",
    ),
    Mutant(
        "agreement pays for one of its counts",
        "words/statistics/agreement.py",
        "        return 2 * self.contribution  # proof: agreement",
        "        return self.contribution  # proof: agreement",
        "tests/words/test_bounds.py::test_agreement_moves_as_far_as_it_says_and_no_further",
    ),
    Mutant(
        "an edge may be in many pairs",
        "words/statistics/agreement.py",
        "        if len(self.pairs) and np.bincount(self.pairs.ravel()).max() > 1:",
        "        if False:",
        "tests/words/test_statistics.py::test_an_edge_in_two_pairs_is_refused",
    ),
    Mutant(
        "edges agree on all their n-grams",
        "words/statistics/agreement.py",
        "            rows = Rows.of(data, most=self.contribution)\n",
        "            rows = Rows.of(data)\n",
        "tests/words/test_bounds.py::test_agreement_moves_as_far_as_it_says_and_no_further",
    ),
    Mutant(
        "two counts of agreement are told as one",
        "words/statistics/agreement.py",
        "sensitivity=self.contribution, repeats=2)",
        "sensitivity=self.contribution, repeats=1)",
        "tests/words/test_draws.py::test_the_noise_of_agreement_costs_what_the_question_does",
    ),
    Mutant(
        "agreement has a price for every unit",
        "words/statistics/agreement.py",
        "        if unit != Unit.EDGE_CONTENT:\n            raise self.unproved(unit)\n",
        "",
        "tests/words/test_statistics.py::test_a_table_counted_by_something_else_is_not_answered",
    ),
    Mutant(
        "what two edges have in common is exact",
        "words/statistics/agreement.py",
        "    def answer(self, noisy: NDArray[np.int64]) -> tuple",
        "    def draw(self, data, unit, noise):\n"
        "        both, first, second = self.count(data).tolist()\n"
        "        noisy = noise.geometric(np.array([first, second]), sensitivity=self.sensitivity(unit), epsilon=self.epsilon)\n"
        "        return both, int(noisy[0]), int(noisy[1])\n"
        "\n"
        "    def answer(self, noisy: NDArray[np.int64]) -> tuple",
        "tests/words/test_draws.py::test_each_of_the_numbers_of_agreement_has_noise",
    ),
    Mutant(
        "the widest message is told exactly",
        "words/statistics/widest_messages.py",
        "        seen = np.flatnonzero(noisy > self.least)",
        "        seen = np.flatnonzero(counts > 0)",
        "tests/words/test_draws.py::test_the_widest_message_is_told_by_noisy_counts",
    ),
    Mutant(
        "an edge counts for every message on it",
        "words/statistics/widest_messages.py",
        '        if self.mechanism == "geometric":\n            noisy = (',
        "        counts = np.cumsum(counts[::-1])[::-1]\n"
        '        if self.mechanism == "geometric":\n'
        "            noisy = (",
        "tests/words/test_draws.py::test_one_edge_moves_one_class_of_widest_messages",
    ),
    Mutant(
        "counts of the widest messages get half their noise",
        "words/statistics/widest_messages.py",
        "                noise.geometric(counts, sensitivity=1, epsilon=1 / self.scale) * 1.0",
        "                noise.geometric(counts, sensitivity=1, epsilon=2 / self.scale) * 1.0",
        "tests/words/test_draws.py::test_one_edge_moves_one_class_of_widest_messages",
    ),
    Mutant(
        "normal noise of the widest messages is half as wide",
        "words/statistics/widest_messages.py",
        "            drawn = noise.gaussian(counts * steps, scale=self.scale * steps)  # proof: widest-messages",
        "            drawn = noise.gaussian(counts * steps, scale=self.scale * steps / 2)",
        "tests/words/test_draws.py::test_one_edge_moves_one_class_of_widest_messages",
    ),
    Mutant(
        "the widest message of a pair is told as well",
        "words/statistics/widest_messages.py",
        "        if unit != Unit.EDGE_CONTENT:\n            raise self.unproved(unit)\n",
        "",
        "tests/words/test_statistics.py::test_a_table_counted_by_something_else_is_not_answered",
    ),
)
