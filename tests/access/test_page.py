"""The code of the page and the example run."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

from entrenous import access
from entrenous.access import votes
from entrenous.access.decision import RULES

ROOT = Path(__file__).parents[2]


def test_the_code_of_the_page_runs() -> None:
    page = (ROOT / "docs" / "access.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/access.md", "exec"), names)
    (toml,) = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    assert access.decide(access.Item.from_dict(tomllib.loads(toml))).choice == "friends"


def test_what_decides_is_on_the_page() -> None:
    page = (ROOT / "docs" / "access.md").read_text(encoding="utf-8")
    assert all(f"`{rule}`" in page for rule in set(RULES) - votes.VOTES.keys())


def test_the_example_tells_the_story(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "access.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "First round: friends-of-friends (consensus)" in printed
    assert "Second round: friends (consensus)" in printed
    assert "with a hard limit of dora: friends (hard limit)" in printed
