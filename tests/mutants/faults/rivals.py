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
        "every round of a rival spends all of its budget",
        "words/rivals/statistics/shrinking_sets.py",
        "self.mu * math.sqrt(part / sum(parts)), self.delta",
        "self.mu * math.sqrt(len(parts)), self.delta",
        "tests/words/test_rivals.py::test_rivals_keep_the_promise_on_a_tiny_table",
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
)
