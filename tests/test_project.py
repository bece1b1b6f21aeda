"""What the files around the package say of it is so: its version, its papers, what it is tested with."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


def test_the_lock_pins_what_the_project_asks_for_and_names_no_index() -> None:
    pinned: dict[str, list[str]] = {}
    for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            found = re.fullmatch(r"([a-z0-9-]+)==([0-9a-z.]+)( ; .+)?", line)
            assert found, line
            pinned.setdefault(found[1], []).append(found[2])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [
        *project["dependencies"],
        *(one for extra in project["optional-dependencies"].values() for one in extra),
    ]
    for wanted in map(Requirement, asked):
        if wanted.name != "entrenous":
            versions = pinned.get(canonicalize_name(wanted.name), [])
            assert versions, f"{wanted.name} is not locked: run make lock"
            assert all(map(wanted.specifier.contains, versions)), (
                f"{wanted} is locked otherwise: run make lock"
            )
