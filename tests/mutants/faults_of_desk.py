"""Faults of what counts and draws: the desk, prices, noise, vaults and guarantees."""

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
        "squares of mu are not added, the largest is taken",
        "price.py",
        "mu=math.sqrt(math.fsum(price.mu**2 for price in prices)),",
        "mu=max((price.mu for price in prices), default=0.0),",
        "tests/test_price.py::test_the_accountant_agrees_with_the_sum_of_squares",
    ),
    Mutant(
        "one noise vector is reused for every chunk",
        "noise.py",
        "    parts = map_in_threads(drawn, range(0, flat.size, chunk))\n",
        "    first, starts = drawn(0) - flat[:chunk], range(0, flat.size, chunk)\n"
        "    parts = [flat[i : i + chunk] + first[: len(flat[i : i + chunk])] for i in starts]\n",
        "tests/test_noise.py::test_every_part_of_a_long_array_has_noise_of_its_own",
    ),
    Mutant(
        "real geometric noise is half as wide",
        "noise.py",
        "        return _in_chunks(_opendp_geometric(sensitivity, epsilon), counts)",
        "        return _in_chunks(_opendp_geometric(sensitivity, 2 * epsilon), counts)",
        "tests/test_noise.py::test_noise_has_the_promised_scale_and_no_other",
    ),
    Mutant(
        "real normal noise is half as wide",
        "noise.py",
        "        return _in_chunks(_opendp_gaussian(scale), values)",
        "        return _in_chunks(_opendp_gaussian(scale / 2), values)",
        "tests/test_noise.py::test_gaussian_noise_has_the_promised_scale_and_no_other",
    ),
    Mutant(
        "noise without a seed is not the operating system's",
        "noise.py",
        "        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)",
        "        return np.random.default_rng(1).integers(0, 2**64, size=count, dtype=np.uint64)",
        "tests/test_noise.py::test_real_noise_ignores_every_seed",
    ),
    Mutant(
        "composition takes the larger epsilon",
        "guarantee.py",
        "epsilon, delta = exact(self.epsilon) + exact(other.epsilon), exact(self.delta) + exact(other.delta)",
        "epsilon, delta = max(exact(self.epsilon), exact(other.epsilon)), exact(self.delta) + exact(other.delta)",
        "tests/test_guarantee.py::test_composition_adds_decimals_exactly",
    ),
)
