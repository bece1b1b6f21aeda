"""What tests need: marks for other programs, a stream nobody closes, and the real data, or else some are left out."""

from __future__ import annotations

import functools
import sys

import absl.logging
import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from tests import programs
from tests.real_data import DATA

# The first example may compile a kernel, so none has a deadline; the same examples every time, so that a landing does
# not depend on luck. `make thorough` searches for new ones.
settings.register_profile("entrenous", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, derandomize=False, max_examples=2_000, print_blob=True)
settings.load_profile("entrenous")

# absl, which dp-accounting brings, keeps the stream for errors that it saw first and closes it when logging is set up
# anew, as uvicorn does. That stream would be the file in which pytest keeps what all later tests print.
absl.logging.get_absl_handler().python_handler.setStream(sys.__stderr__)


def pytest_configure(config: pytest.Config) -> None:
    """Keep to the same examples: Hypothesis tries the constants of all modules that tests before happened to load."""
    if config.getoption("--hypothesis-profile") != "search":
        assert hasattr(providers, "_get_local_constants")
        providers._get_local_constants = providers.Constants


def pytest_report_header() -> str:
    state = "found" if DATA.is_dir() else "not found: tests marked `data` are left out (set ENTRENOUS_DATA)"
    return f"real data: {state}"


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for program in programs.FIXTURES:
            if program in getattr(item, "fixturenames", ()):
                item.add_marker(program)
    lost = {item.path for item in items for mark in programs.MARKS if _is_lost(item, mark)}
    if lost:
        raise pytest.UsageError(
            f"tests/programs.py does not see the tests of other programs in {sorted(lost)}"
        )
    if not DATA.is_dir():
        left_out = [item for item in items if item.get_closest_marker("data")]
        items[:] = [item for item in items if not item.get_closest_marker("data")]
        config.hook.pytest_deselected(items=left_out)


def _is_lost(item: pytest.Item, mark: str) -> bool:
    """Return whether a test waits for another program in a file that would not be taken in for it."""
    return item.get_closest_marker(mark) is not None and not _may_hold(item.path, mark)


_may_hold = functools.cache(programs.may_hold)
