"""Low bits: whether the last digits of a released number tell which input it comes from.

Laplace noise drawn as the logarithm of a random float can take only some of all floats. Added to 0 and to 1 it takes
different ones, so a single released number often excludes an input altogether, whatever epsilon is. Released numbers
that lie on one public grid (whole numbers, thousandths) whatever the input have no such digits.

References
----------
Mironov: On significance of the least significant bits for differential privacy. CCS 2012.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from entrenous import _check
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.lower_bound import CONFIDENCE, clopper_pearson
from entrenous.unit import Unit
from entrenous.words import histogram, vocabulary
from entrenous.words.counting.table import Table
from entrenous.words.vocabulary import WEIGHTINGS

__all__ = ["low_bits", "naive_laplace", "off_grid", "possible"]

_BITS = 53  # of a random float below 1
_CONTROL = "naive Laplace noise (control)"
Rng = np.random.Generator | None


def naive_laplace(value: float, scale: float, rng: np.random.Generator) -> float:
    """Return a number with Laplace noise as textbooks have it: the positive control, never used for a release."""
    sign = 1.0 if rng.random() < 0.5 else -1.0
    return value + sign * scale * -math.log(1.0 - rng.random())


def possible(released: float, value: float, scale: float) -> bool:
    """Tell whether `naive_laplace` can have made a number from this value at all.

    Random floats are multiples of 2^-53: those around the one that would be needed are tried.

    >>> rng = np.random.default_rng(1)
    >>> drawn = [naive_laplace(0.0, 1.0, rng) for _ in range(100)]
    >>> all(possible(y, 0.0, 1.0) for y in drawn), sum(possible(y, 1.0, 1.0) for y in drawn) < 50
    (True, True)
    """
    sign = 1.0 if released >= value else -1.0
    needed = round(math.exp(-abs(released - value) / scale) * 2**_BITS)
    # A float next to `released` is this many multiples away at most, and then some for rounding.
    reach = 4 + math.ceil(needed * math.ulp(max(abs(released), abs(value), 1e-300)) / scale)
    tried = range(max(needed - reach, 1), min(needed + reach, 2**_BITS) + 1)
    return any(value + sign * scale * -math.log(k * 2.0**-_BITS) == released for k in tried)


def off_grid(numbers: Iterable[float], digits: int) -> int:
    """Return how many numbers are not the floats of whole multiples of 10^-digits.

    >>> off_grid([3.0, -0.125, 0.1 + 0.2], digits=3)
    1
    """
    return sum(round(number, digits) != number for number in numbers)


def low_bits(*, trials: int = 200, rng: np.random.Generator | int | None = None) -> list[Finding]:
    """Return how often an attacker tells inputs apart by low bits: naive Laplace noise first, then releases of words.

    The control is judged twice: by whether the other input is possible, and as releases are, by whether its numbers
    are off a public grid, whatever the input; both inputs are tried in turn. Released graphs hold no numbers.

    >>> naive, naive_grid, *ours = low_bits(trials=20, rng=1)
    >>> naive.measured > 0.2, naive_grid.measured > 0.8, max(found.measured for found in ours)
    (True, True, 0.0)
    """
    trials = _check.at_least("trials", trials, 2)
    source = None if rng is None else np.random.default_rng(rng)
    public = np.random.default_rng() if source is None else source
    excluded = sum(not possible(naive_laplace(0.0, 1.0, public), 1.0, 1.0) for _ in range(trials))
    rough = off_grid([naive_laplace(trial % 2, 1.0, public) for trial in range(trials)], digits=3)
    found = [
        _finding(_CONTROL, "the other input is impossible", excluded, trials, stated=None),
        _finding(_CONTROL, "off the grid of 3 digits", rough, trials, stated=None),
    ]
    for name, digits, release in _releases():
        numbers = [number for trial in range(trials) for number in release(trial % 2 == 1, source)]
        attack = f"off the grid of {digits} digits"
        found.append(_finding(name, attack, off_grid(numbers, digits), max(len(numbers), 1), stated=0.0))
    return found


def _finding(mechanism: str, attack: str, apart: int, trials: int, *, stated: float | None) -> Finding:
    certain, _ = clopper_pearson(apart, trials, confidence=CONFIDENCE)
    return Finding(
        mechanism=mechanism,
        unit=str(Unit.EDGE_CONTENT),
        attack=f"low bits: {attack}",
        stated=stated,
        measured=certain,
        quantity="share told apart",
        confidence=CONFIDENCE,
        trials=trials,
        details={"share": apart / trials},
    )


def _releases() -> list[tuple[str, int, Callable[[bool, Rng], list[float]]]]:
    """Return every kind of released number: its name, the digits of its grid, and one release of an input."""
    rest = [{"press": 2, "release": 1, "press release": 1}] * 40
    tables = [
        Table.from_counts([mine, *rest], ends=[(0, 1 + i) for i in range(41)], n=2, listed=True)
        for mine in ({}, {"press": 1})
    ]

    def counts(noise: str, delta: float | None) -> Callable[[bool, Rng], list[float]]:
        def release(canary: bool, rng: Rng) -> list[float]:
            made = histogram(
                tables[canary], vocabulary=["press", "press release"], epsilon=0.7, contribution=2, noise=noise,
                delta=delta, rng=rng,
            ).artifact  # fmt: skip
            return [*made.noisy.tolist(), *made.counts.tolist()]

        return release

    def scores(weighting: str) -> Callable[[bool, Rng], list[float]]:
        def release(canary: bool, rng: Rng) -> list[float]:
            made = vocabulary(
                tables[canary], epsilon=8.0, delta=0.01, contribution=3, weighting=weighting, n=2, rng=rng
            ).artifact
            return [*made.score.tolist(), *([] if made.counts is None else made.counts.tolist())]

        return release

    return [
        ("words: histogram, geometric", 0, counts("geometric", None)),
        ("words: histogram, Gaussian", 0, counts("gaussian", 0.01)),
        *((f"words: vocabulary, {rule}", 3, scores(rule)) for rule in WEIGHTINGS),
    ]
