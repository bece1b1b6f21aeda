"""Faults of words: contents that move more than they say, thresholds that are too low, requests that want too much."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

WORDS = (
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
        "tests/words/test_histogram.py::test_every_listed_ngram_gets_noise_of_the_promised_size",
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
        "        if not counts.any():\n            raise ValueError\n",
        "tests/words/test_bounds.py::test_a_list_that_nobody_says_gets_its_noise_all_the_same",
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
        "holders give a weight of norm two",
        "words/statistics/_kernels.py",
        "            factor = grid / math.sqrt(squares)",
        "            factor = 2 * grid / math.sqrt(squares)",
        "tests/words/test_weighting.py::test_uniform_and_fixed_weights_move_by_one_at_most",
    ),
    Mutant(
        "holders lift their n-grams by more than one",
        "words/statistics/_kernels.py",
        "            factor = min(1.0, 1.0 / math.sqrt(squares))",
        "            factor = min(1.0, 2.0 / math.sqrt(squares))",
        "tests/words/test_weighting.py::test_the_policy_moves_by_one_at_most",
    ),
    Mutant(
        "rounds together cost what one costs",
        "words/statistics/guided_rounds.py",
        "        return GRID * math.sqrt(self.count) / self.mu",
        "        return GRID / self.mu",
        "tests/words/test_promise_vocabulary.py::test_the_distribution_of_guided_rounds_is_the_one_that_is_drawn",
    ),
    Mutant(
        "the threshold forgets what a holder can give",
        "words/statistics/guided_weights.py",
        "        target = normal_excess(self.delta, self.group * self.most) + moved",
        "        target = normal_excess(self.delta, self.group * self.most)",
        "tests/words/test_promise_vocabulary.py::test_guided_rounds_keep_the_promise_for_one_edge",
    ),
    Mutant(
        "words are named whatever their weight",
        "words/statistics/guided_weights.py",
        "        high = standing.score > rounds.target  # proof: named-words",
        "        high = standing.score > 0  # proof: named-words",
        "tests/words/test_bounds.py::test_a_word_of_one_edge_is_hardly_ever_named",
    ),
    Mutant(
        "the threshold is for one n-gram",
        "words/statistics/threshold.py",
        "    return float(-ndtri(-math.expm1(math.log1p(-delta) / ngrams)))",
        "    return float(-ndtri(delta))",
        "tests/words/test_bounds.py::test_the_largest_of_many_draws_exceeds_the_threshold_with_delta",
    ),
    Mutant(
        "candidates that never occur get no noise",
        "words/statistics/candidates.py",
        "def strike(total: int, chance: float, noise: Noise) -> Numbers:\n",
        "def strike(total: int, chance: float, noise: Noise) -> Numbers:\n"
        "    return np.zeros(0, np.int64)\n\n\n"
        "def _strike(total: int, chance: float, noise: Noise) -> Numbers:\n",
        "tests/words/test_vocabulary.py::test_noise_strikes_candidates_with_its_chance",
    ),
    Mutant(
        "fixed counts pay for one n-gram",
        "words/statistics/fixed_counts.py",
        'return NoiseEvent("gaussian", scale=self.scale, repeats=self.contribution, delta=self.delta)',
        'return NoiseEvent("gaussian", scale=self.scale, repeats=1, delta=self.delta)',
        "tests/words/test_statistics.py::test_a_threshold_is_paid_for_where_only_what_occurs_gets_noise",
    ),
    Mutant(
        "longer n-grams are scored as often as asked",
        "words/statistics/fixed_counts.py",
        "            if candidates.shorter.shape[1] + 1 != next(lengths, None):",
        "            if False:",
        "tests/words/test_statistics.py::test_each_length_of_counts_is_looked_at_once",
    ),
    Mutant(
        "longer n-grams get the mu of all lengths each",
        "words/vocabulary/weightings.py",
        "        mu = self.mu * math.sqrt((1 - _WORD_SHARE) / max(self.n - 1, 1))",
        "        mu = self.mu * math.sqrt(1 - _WORD_SHARE)",
        "program: words",
    ),
    Mutant(
        "a vocabulary asks for twice its mu",
        "words/vocabulary/weightings.py",
        "        return GuidedWords(mu, self.delta, self.contribution, self.group)",
        "        return GuidedWords(2 * mu, self.delta, self.contribution, self.group)",
        "program: words",
    ),
    Mutant(
        "the noise of counts is calibrated to five times epsilon",
        "words/request.py",
        "        return self.correlation.laplace_scale(self.epsilon / self.ngrams) * (1 + 1e-12)",
        "        return self.correlation.laplace_scale(5 * self.epsilon / self.ngrams) * (1 + 1e-12)",
        "program: words",
    ),
    Mutant(
        "normal noise of counts forgets how many n-grams move",
        "words/request.py",
        "correlation.gaussian_scale(\n            self.epsilon, self.noise_delta, self.contribution,",
        "correlation.gaussian_scale(\n            self.epsilon, self.noise_delta, 1,",
        "program: words",
    ),
    Mutant(
        "a vocabulary is calibrated to three times its mu",
        "words/vocabulary/weightings.py",
        "        mu = gaussian_mu(request.epsilon, paid) / request.correlation.group",
        "        mu = 3 * gaussian_mu(request.epsilon, paid) / request.correlation.group",
        "program: words",
    ),
    Mutant(
        "counts of a vocabulary are calibrated to a single n-gram",
        "words/vocabulary/weightings.py",
        "        deviation = belief.gaussian_scale(request.epsilon, noise_delta, request.contribution)",
        "        deviation = belief.gaussian_scale(request.epsilon, noise_delta, 1)",
        "program: words",
    ),
)
