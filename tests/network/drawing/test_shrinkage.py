from __future__ import annotations

import numpy as np

from entrenous.network.drawing.shrinkage import settle_cells
from entrenous.noise import Noise


def test_settled_cells_are_positive_and_follow_clear_counts() -> None:
    slot, stratum = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    noisy = np.triu(np.array([[900, 400, -3, 5], [0, 500, 2, -8], [0, 0, 700, 300], [0, 0, 0, 800]], float))
    settled = settle_cells(noisy, np.triu(np.full((4, 4), 360.0)), slot, stratum, epsilon=1.0)
    upper = np.triu_indices(4)
    assert (settled[upper] > 0).all()
    assert (np.tril(settled, -1) == 0).all()
    clear = noisy[upper] > 100
    np.testing.assert_allclose(settled[upper][clear], noisy[upper][clear], rtol=0.05)
    assert settled[upper][~clear].max() < 20


def test_cells_drowned_in_noise_are_drawn_towards_what_degrees_say() -> None:
    expected = np.triu(np.full((4, 4), 3.0))
    groups = np.arange(4)
    noisy = np.triu(Noise(3).geometric(np.full((4, 4), 3), sensitivity=1, epsilon=0.01)).astype(float)
    settled = settle_cells(noisy, expected, groups, np.zeros(4, np.int64), epsilon=0.01)
    upper = np.triu_indices(4)
    assert np.abs(settled - expected)[upper].mean() < 0.5 * np.abs(noisy - expected)[upper].mean()
