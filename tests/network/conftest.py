"""What tests of the network mechanisms share."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from entrenous.noise import Noise


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Replace geometric noise by numbers that ignore the data, and write down what was asked for."""
    asked = SimpleNamespace(counts=[], sensitivity=[], epsilon=[], public=[])

    def geometric(noise: Noise, counts: np.ndarray, *, sensitivity: int, epsilon: float) -> np.ndarray:
        asked.counts.append(np.array(counts))
        asked.sensitivity.append(sensitivity)
        asked.epsilon.append(epsilon)
        return np.arange(counts.size).reshape(counts.shape) % 7 + 20

    monkeypatch.setattr(Noise, "geometric", geometric)
    return asked
