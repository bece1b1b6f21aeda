"""Which tests run where: what they need, who runs beside whom, and what is left out where the real data is missing."""

from __future__ import annotations

import pytest
from hypothesis import settings
from tests.real_data import DATA

# The first example may compile a kernel, so none has a deadline; the same examples every time, so that a landing does
# not depend on luck.
settings.register_profile("entrenous", deadline=None, derandomize=True)
settings.load_profile("entrenous")

NEEDS = {"browser": "browser", "postgres": "postgres"}
"""Fixtures that start another program, and the mark of tests that use them."""

GROUPS = {
    "spark": "spark",
    "browser": "programs",
    "faults": "programs",
    "postgres": "programs",
    "wheel": "wheel",
}
"""Marks of tests that mostly wait for other programs, and the group that runs one after the other on one worker:
one JVM, one PostgreSQL, one browser. Groups are handed out first, so that the other workers compute meanwhile."""

COPYING = ("mutants", "planted")
"""Marks of tests that work on a copy of the package, with all that was compiled before."""

SPLIT = ("audit", "documents", *COPYING)
"""Marks of long tests with little in common, each handed out by itself; all others stay with their module, whose
fixtures they share."""


def pytest_report_header() -> str:
    state = "found" if DATA.is_dir() else "not found: tests marked `data` are left out (set ENTRENOUS_DATA)"
    return f"real data: {state}"


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in NEEDS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(NEEDS[fixture])
        if group := _group(item):
            item.add_marker(pytest.mark.xdist_group(group))
    if hasattr(config, "workerinput"):
        items.sort(key=_turn)
    if not DATA.is_dir():
        left_out = [item for item in items if item.get_closest_marker("data")]
        items[:] = [item for item in items if not item.get_closest_marker("data")]
        config.hook.pytest_deselected(items=left_out)


def _group(item: pytest.Item) -> str | None:
    """The tests that one goes with, on one worker; None for those that go alone."""
    marks = {mark.name for mark in item.iter_markers()}
    for mark, group in GROUPS.items():
        if mark in marks:
            return group
    return None if marks & set(SPLIT) else item.nodeid.split("::")[0]


def _turn(item: pytest.Item) -> int:
    """Waiting groups first, then what takes longest; the rest as it was found, and copies once all is compiled."""
    order = list(dict.fromkeys(GROUPS.values()))
    if (group := _group(item)) in order:
        return order.index(group)
    last = any(item.get_closest_marker(mark) for mark in COPYING)
    return len(order) + (2 if last else 0 if group is None else 1)
