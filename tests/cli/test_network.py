"""The commands that publish, compare and describe networks, as a user runs them."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from entrenous import Budget, Graph, Vault, datasets
from entrenous.card import NO_VAULT
from entrenous.cli import app
from entrenous.network import MECHANISMS

PROGRAM = Path(sys.executable).with_name("entrenous")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def friends(tmp_path: Path) -> Path:
    file = tmp_path / "friends.edges"
    datasets.organization(60, seed=1).graph.write(file)
    return file


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    assert run("budget", "create", tmp_path / "a.vault", "--epsilon", 2).exit_code == 0
    return tmp_path / "a.vault"


def assert_untouched(vault: Path) -> None:
    """See that nothing was charged, nothing drawn, and no room left taken."""
    assert [entry.kind for entry in Vault(vault).entries()] == ["opened", "budget"]
    assert not list(Vault(vault).shelf.folder.glob("*"))
    assert not list(Vault(vault).shelf.folder.glob(".*"))


def test_a_release_is_a_graph_on_the_same_nodes_with_its_card(
    friends: Path, vault: Path, tmp_path: Path
) -> None:
    out = tmp_path / "public"
    result = run("network", "release", friends, "--epsilon", 1, "--out", out, "--vault", vault)
    assert result.exit_code == 0, result.output
    assert "Edge differential privacy with epsilon 1" in result.stdout
    assert sorted(file.name for file in out.iterdir()) == [
        "card.md",
        "graph.edges",
        "guarantee.json",
        "nodes.txt",
    ]
    original, released = Graph.read(friends), Graph.read(out / "graph.edges", nodes=out / "nodes.txt")
    assert released.names == original.names
    card = json.loads((out / "guarantee.json").read_text(encoding="utf-8"))
    assert card["guarantee"]["epsilon"] == 1
    assert card["rehearsal"] is None
    assert str(Vault(vault).left_epsilon) == "1"
    (number,) = Vault(vault).state.releases
    digest = Vault(vault).entries()[number - 1].digest
    assert card["receipt"] == {"number": number, "digest": digest, "given_up": []}
    assert f"Receipt: entry {number} of its vault, sealed {digest}." in " ".join(result.stderr.split())
    assert run("budget", "verify", vault, out, "--graph", friends).exit_code == 0


def test_without_a_vault_it_is_said_that_nobody_counts(friends: Path, tmp_path: Path) -> None:
    result = run("network", "release", friends, "--epsilon", 1, "--out", tmp_path / "public")
    assert result.exit_code == 0
    assert NO_VAULT in " ".join(result.stderr.split())
    assert NO_VAULT in (tmp_path / "public" / "card.md").read_text(encoding="utf-8")
    refused = run("network", "release", friends, "--epsilon", 1, "--out", tmp_path / "b", "--same-data")
    assert refused.exit_code == 1
    assert "expected with --vault" in refused.stderr
    assert not (tmp_path / "b").exists()


def test_a_lost_folder_is_written_again_without_a_new_charge(
    friends: Path, vault: Path, tmp_path: Path
) -> None:
    lost, found = tmp_path / "lost", tmp_path / "found"
    assert run("network", "release", friends, "--epsilon", 1, "--out", lost, "--vault", vault).exit_code == 0
    files = {file.name: file.read_bytes() for file in lost.iterdir()}
    shutil.rmtree(lost)
    before = Vault(vault).entries()
    assert "without a new charge" in run("release", "resume", vault, "--out", found).stdout
    assert {file.name: file.read_bytes() for file in found.iterdir()} == files
    assert Vault(vault).entries() == before


def test_a_graph_is_read_once_and_mapped_afterwards(friends: Path, tmp_path: Path) -> None:
    mapped = tmp_path / "friends.csr"
    result = run("network", "read", friends, "--out", mapped)
    assert result.exit_code == 0, result.output
    assert "do not publish" in result.stderr
    assert mapped.stat().st_mode & 0o077 == 0
    outputs = [run("network", "compare", file, friends, "--json").stdout for file in (friends, mapped)]
    assert outputs[0] == outputs[1]
    again = run("network", "read", friends, "--out", mapped)
    assert again.exit_code == 1
    assert "already there" in again.stderr
    assert run("network", "read", friends, "--out", tmp_path / "friends.edges.gz").exit_code == 1
    published = (
        "network",
        "release",
        mapped,
        "--epsilon",
        1,
        "--out",
        tmp_path / "public",
        "--format",
        "csr",
    )
    refused = run(*published)
    assert refused.exit_code == 2, "a working copy is not among the formats of releases"
    assert "expected one of edges, csv" in refused.stderr
    assert not (tmp_path / "public").exists()


@pytest.mark.long
def test_sampled_values_say_so_unless_all_is_to_be_exact(
    friends: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("entrenous.graph.measures.clustering.EXACT_UP_TO", 5)
    monkeypatch.setattr("entrenous.graph.measures.summary.COMMUNITIES_UP_TO", 5)
    result = run("network", "compare", friends, friends)
    assert "±" in result.stdout
    assert "95 % interval" in result.stderr
    assert "communities were left out" in result.stderr
    found = json.loads(run("network", "compare", friends, friends, "--json").stdout)
    low, high = found["sampled"]["intervals"]["tri_orig"]
    exact = json.loads(run("network", "compare", friends, friends, "--exact", "--json").stdout)
    assert low <= exact["tri_orig"] <= high
    assert {"tri_orig", "tri_RE"} <= set(found["sampled"]["names"])
    assert "sampled" not in exact
    assert "cd_NMI" in exact


@pytest.mark.parametrize("method", MECHANISMS)
def test_every_method_and_json(method: str, friends: Path, tmp_path: Path) -> None:
    out = tmp_path / "public"
    options = ("--method", method, "--seed", 1, "--json", "--format", "graphml")
    result = run("network", "release", friends, "--epsilon", 2, "--out", out, *options)
    entry = json.loads(result.stdout)
    assert entry["method"] == f"network: {method}"
    assert entry["rehearsal"] == "not private: drawn from a known seed"
    assert (out / "graph.graphml").exists()


def test_a_rehearsal_says_so_everywhere(friends: Path, tmp_path: Path) -> None:
    out = tmp_path / "public"
    result = run("network", "release", friends, "--epsilon", 1, "--out", out, "--seed", 5)
    assert "not private: drawn from a known seed" in result.stdout
    for file in out.iterdir():
        assert "not private: drawn from a known seed" in file.read_text(encoding="utf-8"), file.name


def test_public_departments(tmp_path: Path) -> None:
    run("datasets", "organization", 50, "--out", tmp_path / "org")
    common = (
        "network",
        "release",
        tmp_path / "org/graph.edges",
        "--nodes",
        tmp_path / "org/nodes.txt",
        "--epsilon",
        1,
    )
    for name in ("departments.tsv", "hierarchy.nwk"):
        result = run(*common, "--hierarchy", tmp_path / "org" / name, "--out", tmp_path / name[:4])
        assert "The hierarchy handed in is public" in result.stdout, result.output


def test_the_budget_is_checked_before_anything_is_drawn(friends: Path, vault: Path, tmp_path: Path) -> None:
    result = run(
        "network", "release", friends, "--epsilon", 3, "--out", tmp_path / "public", "--vault", vault
    )
    assert result.exit_code == 1
    assert result.stderr.startswith("entrenous: the vault has epsilon 2 left per edge, but 3")
    assert not (tmp_path / "public").exists()
    assert_untouched(vault)


def test_what_is_wrong_is_found_before_the_charge(friends: Path, vault: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    common = ("network", "release", friends, "--epsilon", 1, "--vault", vault, "--out")
    for arguments in (
        (tmp_path / "there",),
        (tmp_path / "a", "--steps", 5),
        (tmp_path / "a", "--shares", "1,2"),
        (tmp_path / "a", "--shares", "a,b,c"),
        (tmp_path / "a", "--hierarchy", tmp_path / "none"),
        (tmp_path / "a", "--curator", tmp_path / "a" / "private.html"),
        (tmp_path / "a", "--curator", tmp_path / "nowhere" / "private.html"),
        (friends / "x",),
    ):
        result = run(*common, *arguments)
        assert result.exit_code == 1, arguments
        assert len(result.stderr.strip().splitlines()) == 1, arguments
    assert run(*common, tmp_path / "a", "--format", "docx").exit_code == 2
    assert_untouched(vault)


def test_without_epsilon_it_is_a_usage_error(friends: Path, tmp_path: Path) -> None:
    assert run("network", "release", friends, "--out", tmp_path / "a").exit_code == 2
    assert (
        run("network", "release", friends, "--epsilon", 1, "--out", tmp_path / "a", "--method", "b").exit_code
        == 2
    )


def test_bad_graphs_name_the_line_and_cleaning_counts(tmp_path: Path) -> None:
    file = tmp_path / "bad.edges"
    file.write_text("ann bob\nbob cleo\nann ann\ncleo bob\n", encoding="utf-8")
    result = run("network", "release", file, "--epsilon", 1, "--out", tmp_path / "a")
    assert result.exit_code == 1
    assert "line 3" in result.stderr
    assert "ann" not in result.stderr
    result = run("network", "release", file, "--epsilon", 1, "--out", tmp_path / "a", "--clean", "--seed", 1)
    assert result.exit_code == 0, result.output
    assert "dropped" in result.stderr


@pytest.mark.long
def test_compare_and_pages(friends: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "public", tmp_path / "curator.html"
    assert run("network", "release", friends, "--epsilon", 1, "--out", out, "--curator", page).exit_code == 0
    assert "for the curator only" in page.read_text(encoding="utf-8")
    assert "degree distribution (KS)" in run("network", "compare", friends, out).stdout
    values = json.loads(run("network", "compare", friends, out / "graph.edges", "--json").stdout)
    assert 0 <= values["deg_KS"] <= 1
    result = run("network", "compare", friends, out, "--curator", out / "inside.html")
    assert result.exit_code == 1
    assert not (out / "inside.html").exists()
    assert run("report", out).exit_code == 0
    assert "for the curator only" not in (out / "report.html").read_text(encoding="utf-8")
    assert run("report", tmp_path).exit_code == 1


def test_budget_show(vault: Path, tmp_path: Path, friends: Path) -> None:
    run(
        "network",
        "release",
        friends,
        "--epsilon",
        0.5,
        "--out",
        tmp_path / "a",
        "--vault",
        vault,
        "--seed",
        1,
    )
    shown = run("budget", "show", vault).stdout
    assert "epsilon 1.5 of 2 left" in shown
    assert "network release" in shown
    said = json.loads(run("budget", "show", vault, "--json").stdout)
    (budget,) = said["budgets"]
    assert (budget["unit"], budget["left_epsilon"], budget["spent_epsilon"]) == ("edge", 1.5, 0.5)
    (charge,) = [entry for entry in said["entries"] if entry["kind"] == "charge"]
    (promise,) = charge["promises"]
    assert (float(promise["epsilon"]), charge["rehearsal"]) == (0.5, True)
    assert not [entry for entry in said["entries"] if {"nonce", "fingerprint", "key"} & set(entry)]
    assert run("budget", "create", vault, "--epsilon", 9).exit_code == 1
    assert run("budget", "show", friends).exit_code == 1


def test_datasets(tmp_path: Path) -> None:
    assert run("datasets", "karate", "--out", tmp_path / "club.gml").exit_code == 0
    assert Graph.read(tmp_path / "club.gml").m == 78
    assert run("datasets", "organization", 30, "--out", tmp_path / "org", "--messages", 5).exit_code == 0
    assert len((tmp_path / "org/mail.jsonl").read_text(encoding="utf-8").splitlines()) == 5
    assert run("datasets", "organization", 30, "--out", tmp_path / "org").exit_code == 1


def test_version_and_help_need_no_compiler() -> None:
    assert run("--version").stdout.startswith("entrenous 0.")
    code = (
        "import sys; from typer.testing import CliRunner; from entrenous.cli import app; "
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0; "
        "assert not {'numba', 'scipy', 'igraph', 'opendp', 'matplotlib', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.long
def test_interrupting_a_long_release_leaves_nothing_but_its_charge(
    friends: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    out = tmp_path / "public"
    file = tmp_path_factory.mktemp("elsewhere") / "friends.vault"
    vault = Vault.create(file, Budget(epsilon=1.0))
    command = [
        "network",
        "release",
        friends,
        "--epsilon",
        "1",
        "--method",
        "privhrg",
        "--steps",
        str(10**12),
        "--vault",
        file,
        "--out",
        out,
    ]
    process = subprocess.Popen([PROGRAM, *command], stderr=subprocess.PIPE, text=True)
    while not vault.state.charges:  # charged before the chain starts
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert list(tmp_path.iterdir()) == [friends]
    assert len(vault.state.charges) == 1
    assert vault.state.drawn == {}
    assert list(vault.shelf.folder.iterdir()) == []


@pytest.mark.long
def test_a_benchmark_of_two_methods_goes_on_where_it_stopped(friends: Path, tmp_path: Path) -> None:
    out = tmp_path / "private"
    options = ("--methods", "chung-lu,tmf", "--epsilons", "1", "--seeds", 1, "--out", out)
    result = run("network", "benchmark", friends, *options)
    assert result.exit_code == 0, result.output
    assert "chung-lu" in result.stdout
    assert {file.name for file in out.iterdir()} == {"cells", "measures.parquet", "report.html"}
    assert "for the curator only" in (out / "report.html").read_text(encoding="utf-8")
    written = {file: file.stat().st_mtime_ns for file in (out / "cells").iterdir()}
    standings = json.loads(run("network", "benchmark", friends, *options, "--json").stdout)["standings"]
    assert {each["method"] for each in standings} == {"chung-lu", "tmf"}
    assert {file: file.stat().st_mtime_ns for file in (out / "cells").iterdir()} == written


@pytest.mark.long
def test_a_benchmark_is_not_written_where_it_would_be_published(friends: Path, tmp_path: Path) -> None:
    public = tmp_path / "public"
    assert run("network", "release", friends, "--epsilon", 1, "--out", public).exit_code == 0
    before = sorted(public.iterdir())
    for out in (public, public / "inside"):
        result = run("network", "benchmark", friends, "--methods", "tmf", "--out", out)
        assert result.exit_code == 1
        assert "to be published" in result.stderr
    assert sorted(public.iterdir()) == before


def test_wrong_benchmarks_are_refused(friends: Path, tmp_path: Path) -> None:
    assert (
        run("network", "benchmark", friends, "--out", tmp_path / "out", "--methods", "magic").exit_code == 2
    )
    for wrong in (("--epsilons", "a"), ("--epsilons", "0"), ("--epsilons", "1,1e9")):
        result = run("network", "benchmark", friends, "--out", tmp_path / "out", *wrong)
        assert result.exit_code == 1, wrong
        assert len(result.stderr.strip().splitlines()) == 1, wrong
