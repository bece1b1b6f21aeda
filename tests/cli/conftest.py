"""What the tests of several commands start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from entrenous import datasets


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """The karate club as a file."""
    file = tmp_path / "club.edges"
    datasets.karate_club().write(file)
    return file
