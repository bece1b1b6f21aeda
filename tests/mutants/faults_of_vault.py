"""Faults of vaults: what is charged, what is refused, what is kept and what is sealed."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

VAULT = (
    Mutant(
        "a vault lets the last charge exceed its budget",
        "vault/rules.py",
        "before, total = state.totals[name], state.total(name, charge)",
        "before, total = state.totals[name], state.total(name)",
        "tests/vault/test_vault.py::test_ten_tenths_are_one",
    ),
    Mutant(
        "rehearsals are free",
        "vault/state.py",
        "        for name in self.budgets:\n            self._count(name, charge)\n",
        "        for name in () if entry.rehearsal else self.budgets:\n            self._count(name, charge)\n",
        "tests/vault/test_vault.py::test_a_rehearsal_is_charged_as_well",
    ),
    Mutant(
        "exact composition forgets thresholds",
        "vault/composition.py",
        "        return self.mu <= self.most_mu and self.side <= exact(self.budget.delta)\n",
        "        return self.mu <= self.most_mu\n",
        "tests/vault/test_composition.py::test_delta_spent_before_does_not_come_back",
    ),
    Mutant(
        "pure answers count as normal noise of their epsilon",
        "price.py",
        "    mu = float(np.max(ndtri(hits) - ndtri(alarms)))\n",
        "    mu = epsilon * math.sqrt(repeats) + 0 * float(np.max(ndtri(hits) - ndtri(alarms)))\n",
        "tests/vault/test_composition.py::test_coins_tell_no_more_than_the_normal_noise_they_count_as",
    ),
    Mutant(
        "the slack is taken twice",
        "vault/composition.py",
        "return gaussian_mu(self.budget.epsilon, self._noise_delta)",
        "return gaussian_mu(2 * self.budget.epsilon, self._noise_delta)",
        "tests/vault/test_composition.py::test_exact_composition_admits_what_the_sum_refuses",
    ),
    Mutant(
        "words say nothing about ties",
        "unit.py",
        'parts={"ties": "edge", "contents": "edge-content"},',
        'parts={"ties": "edge"},',
        "tests/vault/test_rules.py::test_a_tie_goes_with_what_passes_on_it",
    ),
    Mutant(
        "to replace costs as much as to remove",
        "vault/composition.py",
        "        times * epsilon,\n",
        "        epsilon,\n",
        "tests/vault/test_composition.py::test_changes_that_are_made_of_others_cost_more",
    ),
    Mutant(
        "a promise is made for what is known",
        "vault/rules.py",
        "    _check_promises(order, state)\n",
        "",
        "tests/vault/test_rules.py::test_a_refusal_names_both_sides",
    ),
    Mutant(
        "what promises nothing is let through",
        "vault/order.py",
        "        return tuple(part for part in PARTS if part in {*declared, *self.exposes})\n",
        "        return tuple(part for part in PARTS if part in {*declared})\n",
        "tests/vault/test_rules.py::test_a_refusal_names_both_sides",
    ),
    Mutant(
        "a public list of ties is not declared",
        "words/request.py",
        'facts=(FACTS["ties"],) if self.ties_public(table) else (),',
        "facts=(),",
        "tests/words/test_vaults.py::test_a_belief_whose_attacker_knows_the_graph_declares_ties",
    ),
    Mutant(
        "other data are taken for the same",
        "vault/vault.py",
        "    if known and not same_data:\n",
        "    if False:\n",
        "tests/vault/test_verification.py::test_another_graph_is_refused_before_anything_is_charged",
    ),
    Mutant(
        "seals do not cover what was said before",
        "vault/chain/entry.py",
        '"\\n".join((before, str(number), time, kind, text))',
        '"\\n".join((str(number), time, kind, text))',
        "tests/vault/test_verification.py::test_a_card_vouches_for_all_entries_before_its_own",
    ),
    Mutant(
        "a release is noted as drawn before it is kept",
        "vault/payment.py",
        "        try:\n            self.vault.shelf.keep(",
        "        self.vault.settle(self.entry.number, asked or {}, condition=condition)\n"
        "        try:\n            self.vault.shelf.keep(",
        "tests/test_release.py::test_kill_9_before_each_file_operation_leaves_a_complete_folder_or_none",
    ),
    Mutant(
        "a receipt has another entry's seal",
        "vault/payment.py",
        "Receipt(self.entry.number, self.entry.digest, self.given_up)",
        "Receipt(self.entry.number, self.vault.entries()[0].digest, self.given_up)",
        "tests/test_release.py::test_the_card_of_a_release_that_was_charged_has_a_receipt_and_promises_given_up",
    ),
    Mutant(
        "no room is taken before the charge",
        "vault/keeping.py",
        "            _take(room, max(size, LEAST_ROOM))\n",
        "            pass\n",
        "tests/vault/test_keeping.py::test_a_disk_without_room_refuses_before_the_charge",
    ),
)
