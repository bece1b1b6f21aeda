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
        "a promise is made for what is known",
        "vault/rules.py",
        "    _check_promises(order, state)\n",
        "",
        "tests/vault/test_rules.py::test_a_refusal_names_both_sides",
    ),
    Mutant(
        "a release of an unknown unit is charged to no budget",
        "vault/rules.py",
        "    if not any(covered):",
        "    if False:",
        "tests/vault/test_rules.py::test_what_is_allowed_after_what",
    ),
    Mutant(
        "earlier promises are given up unasked",
        "vault/rules.py",
        "    if not void:\n",
        "    if False:\n",
        "tests/vault/test_rules.py::test_what_is_allowed_after_what",
    ),
    Mutant(
        "a budget of which a release says nothing is let be",
        "vault/rules.py",
        "        if before is None or total is None:\n            raise VaultError(",
        "        if before is None or total is None:\n            continue\n            raise VaultError(",
        "tests/vault/test_vault.py::test_a_release_that_says_nothing_of_a_budget_is_refused",
    ),
    Mutant(
        "rehearsals are free",
        "vault/state.py",
        "        for name in self.budgets:\n            self._count(name, charge)\n",
        "        for name in () if entry.rehearsal else self.budgets:\n"
        "            self._count(name, charge)\n",
        "tests/vault/test_vault.py::test_a_rehearsal_is_charged_as_well",
    ),
    Mutant(
        "a fact that is declared reveals nothing",
        "vault/state.py",
        "        for part in fact.reveals:\n            self.revealed.setdefault(part, entry)\n",
        "",
        "tests/vault/test_rules.py::test_what_is_allowed_after_what",
    ),
    Mutant(
        "what an exposure lays open is hidden still",
        "vault/state.py",
        '        for part in entry.body["exposes"]:\n            self.revealed.setdefault(part, entry)\n',
        "",
        "tests/vault/test_rules.py::test_what_is_allowed_after_what",
    ),
    Mutant(
        "a new budget forgets earlier releases",
        "vault/state.py",
        "        for charge in self.charges:\n            self._count(str(made.unit), charge)\n",
        "",
        "tests/vault/test_vault.py::test_a_new_budget_counts_what_was_released_before",
    ),
    Mutant(
        "exact composition forgets thresholds",
        "vault/composition.py",
        "        return self.mu <= self.most_mu and self.side <= exact(self.budget.delta)\n",
        "        return self.mu <= self.most_mu\n",
        "tests/vault/test_composition.py::test_delta_spent_before_does_not_come_back",
    ),
    Mutant(
        "the slack is taken twice",
        "vault/composition.py",
        "return gaussian_mu(self.budget.epsilon, self._noise_delta)",
        "return gaussian_mu(2 * self.budget.epsilon, self._noise_delta)",
        "tests/vault/test_composition.py::test_exact_composition_admits_what_the_sum_refuses",
    ),
    Mutant(
        "to replace costs as much as to remove",
        "vault/composition.py",
        "        times * epsilon,\n",
        "        epsilon,\n",
        "tests/vault/test_composition.py::test_changes_that_are_made_of_others_cost_more",
    ),
    Mutant(
        "the vault composes by the largest mu",
        "vault/composition.py",
        "            self.squares + cost.mu**2,",
        "            max(self.squares, cost.mu**2),",
        "tests/vault/test_composition.py::test_what_is_counted_is_never_below_the_truth",
    ),
    Mutant(
        "thresholds admitted by the sum are forgotten",
        "vault/composition.py",
        "            self.side + (cost.side if exactly else cost.delta),",
        "            self.side + cost.side,",
        "tests/vault/test_composition.py::test_delta_spent_before_does_not_come_back",
    ),
    Mutant(
        "a later change does not weigh an earlier delta",
        "vault/composition.py",
        "        delta * exact(grown * (1 + 1e-12)) if delta else Fraction(0),",
        "        delta,",
        "tests/vault/test_composition.py::test_changes_that_are_made_of_others_cost_more",
    ),
    Mutant(
        "a promise without noise counts as none",
        "vault/composition.py",
        "        return coins_mu(float(promise.epsilon)), Fraction(promise.delta)",
        "        return float(promise.epsilon) / 2, Fraction(promise.delta)",
        "tests/vault/test_composition.py::test_what_is_counted_is_never_below_the_truth",
    ),
    Mutant(
        "a part that was looked at costs nothing",
        "vault/composition.py",
        "[Unit.named(unit.parts[part]) for part in self.sees if part in unit.parts]",
        "[Unit.named(unit.parts[part]) for part in self.sees[:1] if part in unit.parts]",
        "tests/vault/test_composition.py::test_a_release_costs_what_all_that_it_looked_at_does",
    ),
    Mutant(
        "the best of a change's parts counts",
        "vault/composition.py",
        "times = None if None in factors else max(factor for factor in factors if factor is not None)",
        "times = min((factor for factor in factors if factor is not None), default=None)",
        "tests/vault/test_composition.py::test_a_release_costs_what_all_that_it_looked_at_does",
    ),
    Mutant(
        "nothing of a slack is kept back",
        "vault/composition.py",
        "        return (self.budget.slack or 0.0) * (1 - KEPT_BACK)",
        "        return self.budget.slack or 0.0",
        "tests/vault/test_composition.py::test_a_little_of_a_slack_is_kept_back_for_floating_point",
    ),
    Mutant(
        "the sum forgets its deltas",
        "vault/composition.py",
        "        return self.epsilon <= exact(self.budget.epsilon) and self.delta <= exact(self.budget.delta)",
        "        return self.epsilon <= exact(self.budget.epsilon)",
        "tests/vault/test_vault.py::test_delta_has_its_own_ceiling",
    ),
    Mutant(
        "what promises nothing is let through",
        "vault/order.py",
        "        return tuple(part for part in PARTS if part in {*declared, *self.exposes})\n",
        "        return tuple(part for part in PARTS if part in {*declared})\n",
        "tests/vault/test_rules.py::test_a_refusal_names_both_sides",
    ),
    Mutant(
        "a promise under a belief is charged as it is",
        "vault/order.py",
        "each is not None and each.kind is Kind.DP and each.unit not in NOT_COUNTED",
        "each is not None and each.unit not in NOT_COUNTED",
        "tests/vault/test_vault.py::test_a_promise_that_rests_on_beliefs_is_charged_at_its_level",
    ),
    Mutant(
        "other data are taken for the same",
        "vault/vault.py",
        "    if known and not same_data:\n",
        "    if False:\n",
        "tests/vault/test_verification.py::test_another_graph_is_refused_before_anything_is_charged",
    ),
    Mutant(
        "a budget may be changed",
        "vault/vault.py",
        "            if name in state.budgets:\n",
        "            if False:\n",
        "tests/vault/test_vault.py::test_a_budget_is_added_and_never_changed",
    ),
    Mutant(
        "a new budget is too small for what was charged",
        "vault/vault.py",
        "            if not total.by_sum:\n",
        "            if False:\n",
        "tests/vault/test_vault.py::test_a_budget_is_added_and_never_changed",
    ),
    Mutant(
        "promises that were given up are not on later cards",
        "vault/vault.py",
        '        if entry.kind == "void"\n',
        '        if entry.kind == "never"\n',
        "tests/vault/test_rules.py::test_giving_promises_up_lifts_contradictions_with_them_and_no_others",
    ),
    Mutant(
        "a budget is made for what is known",
        "vault/vault.py",
        "            if gone is not None:\n"
        "                raise VaultError(\n"
        '                    f"{name} can',
        '            if False:\n                raise VaultError(\n                    f"{name} can',
        "tests/vault/test_vault.py::test_a_budget_for_what_is_known_cannot_be_added",
    ),
    Mutant(
        "a receipt of another vault is taken",
        "vault/vault.py",
        "            and entries[receipt.number - 1].digest == receipt.digest\n",
        "",
        "tests/vault/test_verification.py::test_a_receipt_of_another_vault_pays_for_nothing",
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
        "        try:\n"
        "            self.vault.shelf.keep(",
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
        "a release whose order is refused is charged",
        "vault/payment.py",
        "    vault.check(order, data=known)\n"
        "    taken = vault.shelf.reserve(room)\n"
        "    try:\n"
        "        entry, given_up = vault.charge_and_look(order, data=known)\n"
        "        return Payment(vault, entry, taken, given_up)",
        "    taken = vault.shelf.reserve(room)\n"
        "    try:\n"
        "        vault.check(order, data=known)\n"
        "        return Payment(vault, vault.entries()[-1], taken, ())",
        "tests/test_release.py::test_kill_9_before_each_file_operation_leaves_a_complete_folder_or_none",
    ),
    Mutant(
        "no room is taken before the charge",
        "vault/keeping.py",
        "            _take(room, max(size, LEAST_ROOM))\n",
        "            pass\n",
        "tests/vault/test_keeping.py::test_a_disk_without_room_refuses_before_the_charge",
    ),
    Mutant(
        "public ties say nothing of nodes",
        "vault/facts.py",
        'Fact("ties", "who is tied to whom", (GRAPH_PUBLIC,), ("nodes", "ties")),',
        'Fact("ties", "who is tied to whom", (GRAPH_PUBLIC,), ("nodes",)),',
        "tests/vault/test_rules.py::test_what_is_allowed_after_what",
    ),
    Mutant(
        "graphs with as many ties are taken for the same",
        "vault/fingerprint.py",
        'f"{graph.m} {total.tolist()}".encode()',
        'f"{graph.m}".encode()',
        "tests/vault/test_verification.py::test_a_fingerprint_knows_ties_by_the_names_of_their_ends",
    ),
    Mutant(
        "a fingerprint has no key",
        "vault/fingerprint.py",
        "    if isinstance(data, Graph):\n        return",
        '    if isinstance(data, Graph):\n        key = b""\n        return',
        "tests/vault/test_verification.py::test_a_fingerprint_knows_ties_by_the_names_of_their_ends",
    ),
)
