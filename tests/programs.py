"""Tests that keep waiting for other programs, and the files that can hold one: python -m tests.programs spark.

A process that runs these alone takes in these files alone: taking in all tests takes most of a minute.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

FIXTURES = ("browser", "postgres")
"""Fixtures that start another program; tests that use them are marked by the same name."""

_MAY_HOLD = {
    "browser": r"\bbrowser: |mark\.browser",
    "faults": r"mark\.faults",
    "postgres": r"\b(?:either|(?:\w+_)?postgres\w*): |mark\.postgres",
    "spark": r"mark\.spark",
    "wheel": r"mark\.wheel",
}
MARKS = tuple(_MAY_HOLD)
"""Marks of tests that wait for another program."""


def may_hold(file: Path, mark: str) -> bool:
    """Return whether a file can hold a test with this mark: it names the mark, or a fixture that brings it."""
    return re.search(_MAY_HOLD[mark], file.read_text(encoding="utf-8")) is not None


if __name__ == "__main__":
    files = sorted(Path("tests").rglob("test_*.py"))
    print(*(file for file in files if any(may_hold(file, mark) for mark in sys.argv[1:])))
