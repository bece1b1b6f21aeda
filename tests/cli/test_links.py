"""The commands of `entrenous links`, as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from entrenous import Graph
from entrenous.card import NO_GUARANTEE
from entrenous.cli import app
from entrenous.hrg import Dendrogram
from entrenous.links.exposure import DESCRIPTION


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def public(club: Path, tmp_path: Path) -> Path:
    result = run("links", "obfuscate", club, "--out", tmp_path / "public", "--seed", 1, "--steps", 3000)
    assert result.exit_code == 0, result.output
    assert DESCRIPTION in result.stdout
    assert "REHEARSAL" in result.stdout
    return tmp_path / "public"


def test_the_hierarchy_stays_outside_the_folder(club: Path, public: Path) -> None:
    assert not any("hierarchy" in file.name for file in public.iterdir())
    kept = public.with_name("public.hierarchy.nwk")
    original = Graph.read(club)
    released = Graph.read(public / "graph.edges", nodes=public / "nodes.txt")
    tree = Dendrogram.read(kept, names=[original.name(node) for node in range(original.n)])
    assert (tree.counts(original) == tree.counts(released)).all()
    again = run("links", "obfuscate", club, "--out", public.with_name("other"), "--hierarchy", kept)
    assert again.exit_code == 1
    assert "already there" in again.stderr


@pytest.mark.parametrize("option", ["--hierarchy", "--curator"])
@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("new/private", "to be published"),
        ("public/private", "to be published"),
        ("nowhere/private", "cannot be written"),
    ],
)
def test_private_files_are_refused_before_the_search(
    club: Path, public: Path, tmp_path: Path, option: str, place: str, why: str
) -> None:
    out = tmp_path / "new"
    result = run("links", "obfuscate", club, "--out", out, option, tmp_path / place)
    assert result.exit_code == 1
    assert why in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.glob("new*"))
    assert not (tmp_path / place).exists()
    assert len(list(public.iterdir())) == 4


def test_the_hierarchy_is_found_from_inside_the_folder(
    club: Path, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(public)
    assert run("links", "entropy", club, ".").exit_code == 0


def test_entropy(club: Path, public: Path) -> None:
    assert "bits of the median node" in run("links", "entropy", club, public).stdout
    found = json.loads(run("links", "entropy", club, public, "--json").stdout)
    assert len(found["ego_entropy"]) == 34
    assert found["exposure"]["minimum_ego_entropy"] == pytest.approx(min(found["ego_entropy"].values()))
    assert 0 < found["exposure"]["kept_edges"] <= 1


def test_a_hierarchy_of_another_release_is_refused(club: Path, public: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.nwk"
    graph = Graph.read(club)
    names = [graph.name(node) for node in range(graph.n)]
    Dendrogram.random(34, rng=5).write(other, names=names)
    result = run("links", "entropy", club, public, "--hierarchy", other)
    assert result.exit_code == 1
    assert "link class" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.long
def test_generalize_saves_and_lists_what_was_merged(club: Path, public: Path, tmp_path: Path) -> None:
    out = tmp_path / "coarse"
    result = run("links", "generalize", club, public, "--bits", 12, "--out", out, "--seed", 1)
    assert result.exit_code == 0, result.output
    assert "merged" in result.stdout
    assert "REHEARSAL" in result.stdout
    assert f"{NO_GUARANTEE} {DESCRIPTION}" in result.stdout
    assert (out / "members.tsv").exists()
    assert run("report", out).exit_code == 0
    second = run(
        "links", "generalize", club, public, "--bits", 12, "--out", tmp_path / "b", "--seed", 1, "--json"
    )
    taken = run("links", "generalize", club, public, "--bits", 12, "--out", out)
    assert taken.exit_code == 1
    assert "already there" in taken.stderr
    merged = json.loads(second.stdout)["merged"]
    assert sum(len(members) > 1 for members in merged.values()) == len(merged) > 0


def test_compare(club: Path) -> None:
    options = ("--seed", 1, "--steps", 2000)
    table = run("links", "compare", club, "--methods", "lora,switch", *options).stdout
    assert "switch" in table
    assert "sparsify" not in table
    rows = json.loads(run("links", "compare", club, *options, "--json").stdout)
    assert [row["method"] for row in rows] == ["lora", "sparsify", "perturb", "switch"]
    assert run("links", "compare", club, "--sources", 0).exit_code == 2
    wrong = run("links", "compare", club, "--methods", "magic")
    assert wrong.exit_code == 2
    assert "expected one of lora" in wrong.stderr


@pytest.mark.long
def test_the_curators_page_says_what_is_hidden(club: Path, tmp_path: Path) -> None:
    page = tmp_path / "curator.html"
    out = tmp_path / "public"
    result = run(
        "links", "obfuscate", club, "--out", out, "--seed", 1, "--steps", 2000, "--curator", page, "--json"
    )
    assert result.exit_code == 0, result.output
    card = json.loads(result.stdout)
    assert card["guarantee"] is None
    assert "exposure" in card["private"]
    html = page.read_text(encoding="utf-8")
    assert "What is hidden" in html
    assert "This is a description, not a guarantee" in html
    for picture in ("entropies", "dendrogram", "frontier", "degrees", "distances", "influence"):
        assert f'id="{picture}-title"' in html
    inside = run("links", "obfuscate", club, "--out", tmp_path / "b", "--curator", out / "curator.html")
    assert inside.exit_code == 1


def test_the_published_page_says_that_nothing_is_promised(public: Path) -> None:
    assert run("report", public).exit_code == 0
    html = (public / "report.html").read_text(encoding="utf-8")
    assert "No formal guarantee" in html
    assert "What is hidden" not in html


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom entrenous.cli.links import app\n"
        "heavy = {'numpy', 'numba', 'scipy', 'entrenous.links'} & set(sys.modules)\nassert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
