"""Faults of the desk: what is answered, counted and handed on."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

DESK = (
    Mutant(
        "a question is answered although the filter refused",
        "desk.py",
        "            handed.clear()\n",
        "            if handed:\n                return handed.pop()\n",
        "tests/test_desk.py::test_what_exceeds_the_ceiling_is_not_answered",
    ),
    Mutant(
        "questions cost half of what they say",
        "desk.py",
        "charge = opendp.answering(handed.append, price.epsilon, kind=self._kind, unit=self._unit)",
        "charge = opendp.answering(handed.append, price.epsilon / 2, kind=self._kind, unit=self._unit)",
        "tests/test_desk.py::test_what_exceeds_the_ceiling_is_not_answered",
    ),
    Mutant(
        "normal noise of earlier rounds is forgotten",
        "desk.py",
        "        mu = (self._accountant.mu**2 + price.mu**2) ** 0.5  # proof",
        "        mu = price.mu  # proof",
        "tests/test_desk.py::test_normal_noise_is_counted_by_squares_and_delta",
    ),
    Mutant(
        "deltas are not added up",
        "desk.py",
        "        self._delta = delta\n",
        "        self._delta = 0.0\n",
        "tests/test_desk.py::test_normal_noise_is_counted_by_squares_and_delta",
    ),
    Mutant(
        "a condition is left out of the promise",
        "desk.py",
        'conditional=" and on ".join(self.conditions) or None',
        "conditional=None",
        "tests/test_desk.py::test_conditions_of_questions_are_in_the_promise",
    ),
    Mutant(
        "mechanisms see notes",
        "desk.py",
        "            drawn = drawn.answer\n",
        "",
        "tests/test_desk.py::test_notes_go_to_the_curator_alone",
    ),
    Mutant(
        "the promise is what happened to be spent",
        "desk.py",
        "            epsilon=self._meter.promised,",
        "            epsilon=self.spent.epsilon,",
        "tests/test_desk.py::test_the_promise_is_the_filters_whatever_was_spent",
    ),
    Mutant(
        "a rehearsal promises as if its noise were real",
        "desk.py",
        "        seed = (KNOWN_SEED,) if self.rehearsal else ()",
        "        seed = ()",
        "tests/test_desk.py::test_the_promise_is_the_filters_whatever_was_spent",
    ),
    Mutant(
        "deltas beyond the ceiling are let through",
        "desk.py",
        "        if mu > self._ceiling.mu * (1 + ROUNDING) or delta > self._ceiling.delta * (1 + ROUNDING):",
        "        if mu > self._ceiling.mu * (1 + ROUNDING):",
        "tests/test_desk.py::test_normal_noise_is_counted_by_squares_and_delta",
    ),
    Mutant(
        "normal noise is asked for at a desk of pure epsilon",
        "desk.py",
        '        if price.mu or price.delta:\n            raise PrivacyError(f"{name}: normal noise',
        '        if False:\n            raise PrivacyError(f"{name}: normal noise',
        "tests/test_desk.py::test_the_two_kinds_of_noise_do_not_mix",
    ),
    Mutant(
        "a pure epsilon is asked for at a desk of normal noise",
        "desk.py",
        '        if price.epsilon:\n            raise PrivacyError(f"{name}: a pure',
        '        if False:\n            raise PrivacyError(f"{name}: a pure',
        "tests/test_desk.py::test_the_two_kinds_of_noise_do_not_mix",
    ),
    Mutant(
        "a refusal costs nothing and the filter stays open",
        "desk.py",
        "            handed.clear()\n            left, self._left = self._left, 0.0",
        "            handed.clear()\n"
        "            self._queryable = opendp.privacy_filter(self._epsilon, kind=self._kind, unit=self._unit)(None)\n"
        "            left, self._left = self._left, 0.0",
        "tests/test_desk.py::test_what_exceeds_the_ceiling_is_not_answered",
    ),
    Mutant(
        "what is noted is on the card",
        "desk.py",
        '        return {name: float(f"{cost:.6g}") for name, cost in costs.items()}',
        '        return {name: float(f"{cost:.6g}") for name, cost in costs.items()} | self._notes',
        "tests/network/test_release.py::test_the_promise_of_a_chain_is_conditional_wherever_it_is_written",
    ),
    Mutant(
        "a statistic may live anywhere",
        "statistic.py",
        'if "statistics" not in cls.__module__.split(".") and cls.__module__ != __name__:',
        "if False:",
        "tests/test_desk.py::test_only_statistics_are_answered",
    ),
    Mutant(
        "counts get noise for half their sensitivity",
        "statistic.py",
        "noisy = noise.geometric(counts, sensitivity=moved, epsilon=self.epsilon)",
        "noisy = noise.geometric(counts, sensitivity=(moved + 1) // 2, epsilon=self.epsilon)",
        "tests/network/statistics/test_degrees.py::test_noise_is_for_a_sensitivity_of_two",
    ),
    Mutant(
        "prices are taken for a sensitivity of one",
        "statistic.py",
        "return Price(epsilon=geometric_cost(self.sensitivity(unit), self.epsilon))",
        "return Price(epsilon=geometric_cost(1, self.epsilon / self.sensitivity(unit)))",
        "tests/test_desk.py::test_answers_are_counted_part_by_part",
    ),
    Mutant(
        "numbers that are zero get no noise",
        "statistic.py",
        "        return self.answer(noisy)\n",
        "        return self.answer(np.where(counts == 0, 0, noisy))\n",
        "tests/network/statistics/test_promise.py::test_an_answer_depends_on_nothing_but_the_noisy_numbers",
    ),
    Mutant(
        "nothing to count is told without noise",
        "statistic.py",
        "        moved = self.sensitivity(unit)\n        noisy",
        "        if not counts.any():\n"
        "            return self.answer(counts)\n"
        "        moved = self.sensitivity(unit)\n"
        "        noisy",
        "tests/network/statistics/test_promise.py::test_a_statistic_keeps_its_promise_on_every_graph_of_five_nodes",
    ),
    Mutant(
        "statistics are asked for units they know nothing of",
        "statistic.py",
        "        if str(unit) not in known and not parts:\n            raise self.unproved(unit)\n",
        "        if str(unit) not in known and not parts:\n            return 1\n",
        "tests/test_desk.py::test_the_price_is_that_of_the_noise",
    ),
    Mutant(
        "units made of others cost what one of those does",
        "statistic.py",
        "        parts = [times * known[name] for name, times in unit.made_of.items() if name in known]",
        "        parts = [known[name] for name, times in unit.made_of.items() if name in known]",
        "tests/test_desk.py::test_a_unit_made_of_others_needs_no_proof_of_its_own",
    ),
    Mutant(
        "code of a mechanism hides in an array",
        "statistic.py",
        "        return kind is np.ndarray and not value.dtype.hasobject",
        "        return True",
        "tests/network/test_rogue.py::test_a_rogue_whose_arrays_look_back_is_refused",
    ),
    Mutant(
        "a statistic is taken for what it calls itself",
        "statistic.py",
        "    if getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is not kind:",
        "    if False:",
        "tests/network/test_rogue.py::test_a_rogue_that_forges_a_statistic_is_refused",
    ),
    Mutant(
        "a statistic holds what it does not declare",
        "statistic.py",
        "        if not declared or not _is_plain(value):",
        "        if not _is_plain(value):",
        "tests/network/test_rogue.py::test_a_rogue_that_draws_in_its_own_way_is_refused",
    ),
    Mutant(
        "labels may be below zero",
        "statistic.py",
        "labels.min(initial=0) < 0 or labels.max",
        "labels.max",
        "tests/network/statistics/test_draws.py::test_labels_that_do_not_fit_are_refused",
    ),
    Mutant(
        "OpenDP is handed prices that hang on a condition",
        "opendp.py",
        "    if statistic.condition:\n",
        "    if False:\n",
        "tests/test_opendp.py::test_what_a_map_cannot_say_is_refused",
    ),
    Mutant(
        "many units cost what one does",
        "opendp.py",
        '        lambda units: _check.at_least("distance", units, 0) * epsilon,',
        "        lambda units: epsilon if units else 0.0,",
        "tests/test_opendp.py::test_the_map_is_the_price_for_every_number_of_units",
    ),
    Mutant(
        "notes are handed to OpenDP",
        "opendp.py",
        "        return drawn.answer if isinstance(drawn, Noted) else drawn  # notes are not paid for",
        "        return drawn",
        "tests/test_opendp.py::test_notes_for_the_curator_stay_behind",
    ),
)
