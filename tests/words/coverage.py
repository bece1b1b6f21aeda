"""How often intervals of a histogram cover the true numbers of holders, by class of frequency: a table on any mail."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from entrenous.desk import Desk
from entrenous.noise import Noise
from entrenous.words import Corpus
from entrenous.words.counting.table import Table
from entrenous.words.histogram import HistogramRequest, counted
from entrenous.words.statistics.listed_counts import true_counts

CLASSES = (0, 10, 30, 100, 300, 1000, 3000, 10_000)
"""Where classes of true numbers of holders begin."""
DELTA = 1e-5
TOO_FEW = 10
"""Of classes with fewer n-grams nothing is told: they share errors, and one release is as one draw."""


def most_common(table: Table, most: int) -> tuple[str, ...]:
    """Return the n-grams that most holders carry, and every tenth of ten times as many: a list with rare ones too."""
    order = np.argsort(-table.support(), kind="stable")
    places = np.unique(np.concatenate([order[:most], order[: 10 * most : 10]]))
    return tuple(str(table.names[int(place)]) for place in places)


def coverage(
    table: Table,
    names: tuple[str, ...],
    *,
    noise: str,
    epsilon: float,
    contribution: int | None,
    seeds: Iterable[int],
    unit: str = "edge-content",
) -> tuple[NDArray[np.float64], float, float]:
    """Return the share of true numbers that intervals cover by class, how often there are some, and the error.

    Parameters
    ----------
    table
        The mail, by the holders of the unit.
    names
        The n-grams.
    noise, epsilon, contribution, unit
        As in `histogram`.
    seeds
        One release each.
    """
    request = HistogramRequest.checked(
        epsilon=epsilon, noise=noise, delta=DELTA if noise == "gaussian" else None,
        contribution=contribution, unit=unit, measured=None,
    )  # fmt: skip
    truth = dict(zip(names, true_counts(table, names, contribution=len(names)).tolist(), strict=True))
    inside, all_of_them = np.zeros(len(CLASSES)), np.zeros(len(CLASSES))
    given, squares = [], []
    for seed in seeds:
        desk: Desk[Table] = Desk(table, unit=request.by.unit, ceiling=request.ceiling, noise=Noise(seed))
        made, _ = counted(desk, request.counting, names)
        true = np.array([truth[name] for name in made.names])
        squares.append(np.mean((made.estimates - true) ** 2))
        given.append(made.covered)
        if not made.covered:
            continue
        low, high = made.intervals().T
        place = np.digitize(true, CLASSES) - 1
        inside += np.bincount(place, weights=(low <= true) & (true <= high), minlength=len(CLASSES))
        all_of_them += np.bincount(place, minlength=len(CLASSES))
    enough = all_of_them >= max(TOO_FEW * sum(given), 1)
    shares = np.where(enough, inside / np.maximum(all_of_them, 1), np.nan)
    return shares, float(np.mean(given)), float(np.sqrt(np.mean(squares)))


def main() -> None:
    """Print the table for a corpus."""
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--unit", default="edge-and-message")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--names", type=int, default=1000)
    given = parser.parse_args()
    corpus = Corpus.open(given.corpus)
    names = most_common(corpus.table(by=given.unit, n=2), given.names)
    table = corpus.table(by=given.unit, n=2, listed=names)
    for noise in ("gaussian", "geometric"):
        for epsilon in (1.0, 3.0):
            for contribution in (None, 5, 400) if epsilon == 1.0 else (None,):
                shares, some, error = coverage(
                    table,
                    names,
                    noise=noise,
                    epsilon=epsilon,
                    contribution=contribution,
                    seeds=range(1000, 1000 + given.seeds),  # not those of the tests
                    unit=given.unit,
                )
                cells = " ".join("   - " if np.isnan(share) else f"{100 * share:5.1f}" for share in shares)
                print(
                    f"{noise:9} {epsilon:4g} {contribution!s:>5} {cells}  given {some:.2f} error {error:.1f}"
                )
                sys.stdout.flush()


if __name__ == "__main__":
    main()
