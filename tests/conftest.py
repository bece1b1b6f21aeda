"""What tests need: marks for other programs, an order for copies, and the real data, or else some are left out."""

from __future__ import annotations

import pytest
from hypothesis import settings
from tests.real_data import DATA

# The first example may compile a kernel, so none has a deadline; the same examples every time, so that a landing does
# not depend on luck.
settings.register_profile("entrenous", deadline=None, derandomize=True)
settings.load_profile("entrenous")

PROGRAMS = ("browser", "postgres")
"""Fixtures that start another program; tests that use them are marked by the same name."""


def pytest_report_header() -> str:
    state = "found" if DATA.is_dir() else "not found: tests marked `data` are left out (set ENTRENOUS_DATA)"
    return f"real data: {state}"


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for program in PROGRAMS:
            if program in getattr(item, "fixturenames", ()):
                item.add_marker(program)
    if not DATA.is_dir():
        left_out = [item for item in items if item.get_closest_marker("data")]
        items[:] = [item for item in items if not item.get_closest_marker("data")]
        config.hook.pytest_deselected(items=left_out)
