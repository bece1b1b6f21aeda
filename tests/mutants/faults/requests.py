"""Faults of requests for words: what is calibrated, told, refused and charged."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

REQUESTS = (
    Mutant(
        "a public list of ties is not declared",
        "words/request.py",
        'facts=(FACTS["ties"],) if self.ties_public(table) else (),',
        "facts=(),",
        "tests/words/test_vaults.py::test_a_belief_whose_attacker_knows_the_graph_declares_ties",
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
        "counts of names come on top of their price",
        "words/vocabulary/vocabulary_request.py",
        "        kept = whole.mu * math.sqrt(1 - COUNTS_SHARE)  # proof: gaussian-composition",
        "        kept = whole.mu",
        "tests/words/test_name_counts.py::test_both_desks_together_cost_what_a_vault_is_told",
    ),
    Mutant(
        "a desk for counts opens as often as one likes",
        "words/vocabulary/desks.py",
        "        self._left = None\n",
        "",
        "tests/words/test_name_counts.py::test_a_desk_for_counts_opens_once",
    ),
    Mutant(
        "the curator is told that near-copies are several messages",
        "words/vocabulary/support.py",
        "different(mail.alike)",
        "different(np.arange(mail.holders))",
        "tests/words/test_support.py::test_supports_are_those_of_different_messages_and_senders",
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
