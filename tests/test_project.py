"""What the files around the package say of it is so: its version, its papers."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

import entrenous

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = re.findall(
    r"^## (\S+) \((.+)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
)
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_changelog_begins_with_this_version() -> None:
    (version, date), *older = SECTIONS
    assert entrenous.__version__ == (f"{version}.dev0" if date == "unreleased" else version)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", day) for _, day in older)


def test_the_citation_names_the_last_version_and_the_five_papers() -> None:
    released = [version for version, date in SECTIONS if date != "unreleased"]
    assert CITATION["version"] == released[0]
    papers = {(paper["authors"][0]["family-names"], paper["year"]) for paper in CITATION["references"]}
    assert papers == {("Xiao", 2011), ("Xiao", 2012), ("Xiao", 2014), ("Shafieinejad", 2021)}
    assert len(CITATION["references"]) == 5
