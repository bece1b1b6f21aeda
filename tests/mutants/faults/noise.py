"""Faults of noise and prices: how much is drawn, from what, and what it is said to cost."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

NOISE = (
    Mutant(
        "squares of mu are not added, the largest is taken",
        "price.py",
        "mu=math.sqrt(math.fsum(price.mu**2 for price in prices)),",
        "mu=max((price.mu for price in prices), default=0.0),",
        "tests/test_price.py::test_the_accountant_agrees_with_the_sum_of_squares",
    ),
    Mutant(
        "pure answers count as normal noise of their epsilon",
        "price.py",
        "    mu = float(np.max(ndtri(hits) - ndtri(alarms)))\n",
        "    mu = epsilon * math.sqrt(repeats) + 0 * float(np.max(ndtri(hits) - ndtri(alarms)))\n",
        "tests/vault/test_composition.py::test_coins_tell_no_more_than_the_normal_noise_they_count_as",
    ),
    Mutant(
        "numbers that move together cost what one costs",
        "price.py",
        "        return Price(mu=self.sensitivity * math.sqrt(self.repeats) / self.scale, delta=self.delta)",
        "        return Price(mu=self.sensitivity / self.scale, delta=self.delta)",
        "tests/test_price.py::test_an_event_has_its_price",
    ),
    Mutant(
        "a threshold's delta is not in its price",
        "price.py",
        "        return Price(mu=self.sensitivity * math.sqrt(self.repeats) / self.scale, delta=self.delta)",
        "        return Price(mu=self.sensitivity * math.sqrt(self.repeats) / self.scale)",
        "tests/test_price.py::test_an_event_has_its_price",
    ),
    Mutant(
        "pure prices add up to the largest",
        "price.py",
        "            epsilon=math.fsum(price.epsilon for price in prices),",
        "            epsilon=max((price.epsilon for price in prices), default=0.0),",
        "tests/test_price.py::test_pure_prices_and_deltas_are_added_up",
    ),
    Mutant(
        "deltas add up to the largest",
        "price.py",
        "            delta=math.fsum(price.delta for price in prices),",
        "            delta=max((price.delta for price in prices), default=0.0),",
        "tests/test_price.py::test_pure_prices_and_deltas_are_added_up",
    ),
    Mutant(
        "a mu is rounded up to what exceeds delta",
        "price.py",
        "        low, high = (middle, high) if gaussian_delta(middle, epsilon) <= delta else (low, middle)\n"
        "    return low",
        "        low, high = (middle, high) if gaussian_delta(middle, epsilon) <= 2 * delta else (low, middle)\n"
        "    return low",
        "tests/test_price.py::test_the_largest_mu_within_a_promise_keeps_it_and_a_larger_one_does_not",
    ),
    Mutant(
        "coins are compared with normal noise at their best corner",
        "price.py",
        "    mu = float(np.max(ndtri(hits) - ndtri(alarms)))",
        "    mu = float(np.min(ndtri(hits) - ndtri(alarms)))",
        "tests/vault/test_composition.py::test_coins_tell_no_more_than_the_normal_noise_they_count_as",
    ),
    Mutant(
        "losses on a grid are understated between its points",
        "price.py",
        "    rounded = np.arange(math.floor(least / step), math.ceil(most / step) + 1)\n"
        '    first = np.searchsorted(ratio, rounded * step, side="right")',
        "    rounded = np.arange(math.floor(least / step), math.ceil(most / step) + 1)\n"
        '    first = np.searchsorted(ratio, (rounded + 3) * step, side="right")',
        "tests/words/test_accounting.py::test_exact_losses_agree_with_the_library",
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
        "noise is for a sensitivity of one",
        "noise.py",
        "        return _in_chunks(_opendp_geometric(sensitivity, epsilon), counts)",
        "        return _in_chunks(_opendp_geometric(1, epsilon), counts)",
        "tests/test_noise.py::test_noise_has_the_promised_scale_and_no_other",
    ),
    Mutant(
        "half of the bits of words are random",
        "noise.py",
        "        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)",
        "        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64) >> np.uint64(32)",
        "tests/test_noise.py::test_words_are_uniform",
    ),
    Mutant(
        "noise of a scale is drawn once and kept",
        "noise.py",
        "    parts = map_in_threads(drawn, range(0, flat.size, chunk))\n    return",
        "    if flat.size == 1:\n"
        "        key = id(measurement)\n"
        "        _kept.setdefault(key, int(drawn(0)[0] - flat[0]))\n"
        "        return np.asarray([flat[0] + _kept[key]]).reshape(values.shape)\n"
        "    parts = map_in_threads(drawn, range(0, flat.size, chunk))\n"
        "    return",
        "tests/test_noise.py::test_the_shape_is_kept_and_numbers_are_whole",
    ),
    Mutant(
        "OpenDP's map is not asked",
        "noise.py",
        "        if float(measurement.map(sensitivity)) <= epsilon:\n            return measurement",
        "        return measurement",
        "tests/test_noise.py::test_the_scale_is_confirmed_by_the_library",
    ),
    Mutant(
        "noise beyond whole numbers is drawn",
        "noise.py",
        "        if scale > _MOST_SCALE:",
        "        if False:",
        "tests/test_noise.py::test_gaussian_noise_without_meaning_is_refused",
    ),
    Mutant(
        "a fine grid has a thousand steps",
        "noise.py",
        "FINE = 2**20",
        "FINE = 2**10",
        "tests/test_noise.py::test_whole_numbers_of_a_fine_scale_are_as_good_as_normal",
    ),
    Mutant(
        "chains share the stream of what is published",
        "noise.py",
        "        self.chain_generator = self.generator.spawn(1)[0] if seeded else np.random.default_rng()",
        "        self.chain_generator = self.generator",
        "tests/network/statistics/test_draws.py::test_a_chain_leaves_the_stream_of_published_draws_alone",
    ),
    Mutant(
        "words are kept for the next draw",
        "noise.py",
        "        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)",
        '        if getattr(self, "_kept", np.zeros(0)).size < count:\n'
        "            self._kept = np.frombuffer(os.urandom(8 * count), dtype=np.uint64)\n"
        "        return self._kept[:count]",
        "tests/test_noise.py::test_no_word_is_drawn_twice",
    ),
    Mutant(
        "a price is what was asked for, not what OpenDP says",
        "noise.py",
        '    return float(_opendp_geometric(sensitivity, _check.epsilon("epsilon", epsilon)).map(sensitivity))',
        "    return epsilon / 2",
        "tests/test_desk.py::test_the_price_is_that_of_the_noise",
    ),
)
