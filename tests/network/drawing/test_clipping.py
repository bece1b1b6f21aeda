from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous.network.drawing.clipping import clip_to_total, clip_without_bias
from entrenous.noise import Noise


@given(st.lists(st.tuples(st.integers(-200, 200), st.integers(1, 300)), min_size=1, max_size=30))
def test_clipping_keeps_the_sum_and_the_bounds(classes: list[tuple[int, int]]) -> None:
    noisy, pairs = (np.array(column) for column in zip(*classes, strict=True))
    clipped = clip_without_bias(noisy, pairs)
    assert ((clipped >= 0) & (clipped <= pairs)).all()
    assert clipped.sum() == pytest.approx(min(max(noisy.sum(), 0), pairs.sum()), abs=1e-6)
    # One threshold for all: whatever is strictly inside its bounds was lowered by the same amount.
    lowered = (noisy - clipped)[(clipped > 1e-6) & (clipped < pairs - 1e-6)]
    assert lowered.size == 0 or np.ptp(lowered) < 1e-6


def test_clipping_adds_no_phantom_edges() -> None:
    pairs = np.full(4000, 50)
    noisy = Noise(1).geometric(np.zeros(4000, np.int64), sensitivity=1, epsilon=0.5)
    assert np.clip(noisy, 0, pairs).sum() > 2000
    assert clip_without_bias(noisy, pairs).sum() == pytest.approx(max(noisy.sum(), 0), abs=1e-6)


def test_clipped_cells_add_up() -> None:
    rng = np.random.default_rng(1)
    for total in (0, 1, 17, 5000):
        cells = clip_to_total(rng.integers(-50, 50, size=300), total)
        assert cells.sum() == total
        assert cells.min() >= 0
