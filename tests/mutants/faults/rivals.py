"""Faults of rivals of our rules: what is published of others must be private as well."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

RIVALS = (
    Mutant(
        "a rival reroutes all of the excess",
        "words/rivals/statistics/adaptive_degree.py",
        "    return (math.sqrt(most + right) - math.sqrt(most)) * (1 - 1e-12)  # proof: adaptive-degree",
        "    return 1.0  # proof: adaptive-degree",
        "tests/words/test_rivals.py::test_rerouting_all_of_the_excess_would_be_noticed",
    ),
    Mutant(
        "a rival reroutes what is needed",
        "words/rivals/statistics/adaptive_degree.py",
        "    if not needed >= 1:",
        "    if False:",
        "tests/words/test_rivals.py::test_weights_refuse_what_is_not_proven",
    ),
    Mutant(
        "weights of a rival are rounded up",
        "words/rivals/statistics/adaptive_degree.py",
        "    return np.floor(total * (_SLACK * GRID)).astype(np.int64)",
        "    return np.ceil(total * GRID + 1).astype(np.int64)",
        "tests/words/test_rivals.py::test_adaptive_weights_move_by_one_at_most",
    ),
    Mutant(
        "biases of a rival have no least",
        "words/rivals/statistics/adaptive_degree.py",
        "np.where(bias < 1, np.maximum(bias, least_bias), 1.0)",
        "np.where(bias < 1, bias, 1.0)",
        "tests/words/test_draws.py::test_biases_below_the_least_count_as_the_least",
    ),
    Mutant(
        "both rounds of a rival have the whole delta",
        "words/rivals/statistics/adaptive_degree.py",
        "        shares = ((self.first, 1.0), (1 - self.first, 0.5))",
        "        shares = ((self.first, 1.0), (1 - self.first, 1.0))",
        "tests/words/test_draws.py::test_rounds_of_rivals_share_delta",
    ),
    Mutant(
        "a rival's second round has what showed nothing in the first",
        "words/rivals/statistics/adaptive_degree.py",
        "        kept[left[hopeful]] = True",
        "        kept[:] = True\n        kept[named] = False",
        "tests/words/test_draws.py::test_what_takes_part_in_a_second_round_follows_from_noisy_weights",
    ),
    Mutant(
        "every round of a rival spends all of its budget",
        "words/rivals/statistics/shrinking_sets.py",
        "self.mu * math.sqrt(part / sum(parts)), self.delta",
        "self.mu * math.sqrt(len(parts)), self.delta",
        "tests/words/test_rivals.py::test_rivals_keep_the_promise_on_a_tiny_table",
    ),
    Mutant(
        "every round of a rival has the whole delta",
        "words/rivals/statistics/shrinking_sets.py",
        "self.delta * part / sum(parts), self.contribution",
        "self.delta, self.contribution",
        "tests/words/test_rivals.py::test_rivals_keep_the_promise_on_a_tiny_table",
    ),
    Mutant(
        "rounds of a rival name what they like",
        "words/rivals/statistics/shrinking_sets.py",
        "            high = score * one.scale > one.threshold  # proof: named-words",
        "            high = score > 0",
        "tests/words/test_draws.py::test_whether_a_word_is_named_depends_on_noise",
    ),
    Mutant(
        "a rival gives all lengths the noise of one",
        "words/rivals/contenders.py",
        "        return self.scale * math.sqrt(math.fsum(parts)) * self.growth ** (length - 1)",
        "        return self.scale * self.growth ** (length - 1)",
        "tests/words/test_rivals.py::test_dpne_divides_its_budget_over_lengths",
    ),
    Mutant(
        "a rival that hides parts of a holder does not pay for them",
        "words/rivals/rival.py",
        "            mu, at_threshold = mu / cls.replaced, at_threshold / 2  # proof: replaced-sets",
        "            mu, at_threshold = mu, at_threshold / 2  # proof: replaced-sets",
        "tests/words/test_rivals.py::test_the_price_keeps_what_is_asked_for",
    ),
    Mutant(
        "holders of many n-grams reroute as well",
        "words/rivals/statistics/_kernels.py",
        "        if 0 < end - start <= most:",
        "        if 0 < end - start:",
        "tests/words/test_rivals.py::test_adaptive_weights_move_by_one_at_most",
    ),
    Mutant(
        "what is rerouted is given twice",
        "words/rivals/statistics/_kernels.py",
        "                total[ngram[row]] += given - given * given + discount * back / most",
        "                total[ngram[row]] += given + discount * back / most",
        "tests/words/test_rivals.py::test_adaptive_weights_move_by_one_at_most",
    ),
    Mutant(
        "a rival's valid n-grams cost half",
        "words/rivals/statistics/valid_ngrams.py",
        "        return NamedWeights(self.mu, 0.0, self.contribution).event(unit)",
        "        return NamedWeights(self.mu / 2, 0.0, self.contribution).event(unit)",
        "tests/words/test_rivals.py::test_a_rule_spends_all_of_its_price_and_no_more",
    ),
    Mutant(
        "a rival's words need no threshold",
        "words/rivals/statistics/valid_ngrams.py",
        "        high = score * self.scale > self.threshold  # proof: named-words",
        "        high = score > 0",
        "tests/words/test_draws.py::test_whether_a_word_is_named_depends_on_noise",
    ),
    Mutant(
        "a rival scores valid n-grams only if they occur",
        "words/rivals/statistics/valid_ngrams.py",
        "        found = scored(self.candidates, numbers, score, noise, grid=self.scale * GRID)  # proof: longer-ngrams",
        "        found = Scored(numbers, score, np.exp(-(score**2) / 2))",
        "tests/words/test_draws.py::test_candidates_that_never_occur_are_scored",
    ),
    Mutant(
        "a rival's valid n-grams get half their noise",
        "words/rivals/statistics/valid_ngrams.py",
        "        score = noisy_scores(weights, ids, self.scale, noise)\n",
        "        score = noisy_scores(weights, ids, self.scale / 2, noise) / 2\n",
        "tests/words/test_draws.py::test_all_noise_on_weights_costs_what_is_paid",
    ),
)
