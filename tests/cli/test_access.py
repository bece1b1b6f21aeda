"""The commands of `entrenous access`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from entrenous import access
from entrenous.access.item_files import examples
from entrenous.cli import app


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["access", *arguments])


def test_mediate_prints_the_tables() -> None:
    result = run("mediate", "thesis-oc")
    assert result.exit_code == 0
    assert result.stdout.startswith("friends-of-friends (consensus)\n")
    assert "2 → 4.46 : 4.40" in result.stdout


def test_mediate_json_is_the_decision() -> None:
    result = run("mediate", "thesis-oc", "--json")
    entry = json.loads(result.stdout)
    assert list(entry) == ["choice", "settled", "accepted_by", "rule", "certificate", "reasons"]
    assert entry == access.decide(access.read_example("thesis-oc")).to_dict()


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "photo.json"
    path.write_text(json.dumps(access.read_example("limits").to_dict()), encoding="utf-8")
    assert run("mediate", str(path)).stdout.startswith("friends (hard limit)")


def test_explain_shows_one_person_and_nobody_else() -> None:
    result = run("mediate", "thesis-oc", "--explain", "u4")
    assert result.stdout.startswith(
        "It is friends of friends: the widest audience that works for all of you."
    )
    assert not any(who in result.stdout for who in ("u1", "u2", "u3"))
    entry = json.loads(run("mediate", "thesis-oc", "--explain", "u4", "--json").stdout)
    assert set(entry) == {"person", "choice", "agreed", "reason"}


def test_pivotality() -> None:
    assert "u3: 1 point of change for friends; without this person: private" in run(
        "mediate", "thesis-oc", "--pivotality"
    ).stdout.replace("\n", " ")
    entry = json.loads(run("mediate", "thesis-oc", "--pivotality", "--json").stdout)
    assert entry["pivotality"]["u1"]["points"] == 5


def test_picture(tmp_path: Path) -> None:
    assert run("mediate", "thesis-oc", "--picture", str(tmp_path / "a.svg")).exit_code == 0
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")
    result = run("mediate", "thesis-oc", "--picture", str(tmp_path / "no" / "a.svg"))
    assert result.exit_code == 1


def test_strict_guidance() -> None:
    result = run("mediate", "professor-strict")
    assert result.exit_code == 0
    assert "private (no equilibrium)" in result.stdout
    assert "professor: " in result.stdout
    guidance = json.loads(run("mediate", "professor-strict", "--json").stdout)["certificate"]["guidance"]
    assert guidance[0] == {"person": "professor", "alone": 1.0, "together": pytest.approx(1.0)}


def test_another_vote() -> None:
    assert run("mediate", "thesis-oc", "--vote", "majority:0.75").stdout.startswith(
        "friends-of-friends (majority)\n"
    )
    assert "vote.theta: expected" in run("mediate", "thesis-oc", "--vote", "majority:0.5").stderr


def test_votes_are_listed() -> None:
    assert all(name in run("votes").stdout for name in access.votes.VOTES)
    listed = json.loads(run("votes", "--json").stdout)
    assert {entry["rule"]: entry["means"] for entry in listed} == {
        name: rule.description for name, rule in access.votes.VOTES.items()
    }


def test_compare() -> None:
    assert "uploader" in run("compare", "limits").stdout
    entry = json.loads(run("compare", "limits", "--json").stdout)
    assert entry["majority"] == {"choice": "public", "past_wish": 1, "past_limit": 1}


def test_examples() -> None:
    assert run("examples").stdout.split() == list(examples())
    assert json.loads(run("examples", "--json").stdout) == list(examples())


@pytest.mark.parametrize(
    "arguments",
    [
        ("mediate", "nowhere.toml"),
        ("compare", "nowhere.toml"),
        ("mediate", "thesis-oc", "--explain", "zoe"),
        ("mediate", "thesis-oc", "--vote", "veto"),
        ("mediate", "professor-strict", "--pivotality"),
    ],
)
def test_errors_are_one_line_with_exit_code_1(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("entrenous: ")
    assert len(result.stderr.strip().splitlines()) == 1


def test_usage_errors_have_exit_code_2() -> None:
    assert run("mediate").exit_code == 2
    assert run("mediate", "thesis-oc", "--loud").exit_code == 2


def test_names_are_printed_as_they_are(tmp_path: Path) -> None:
    wishes = {"[red]ann[/red]": {"friends": 3, "friends-of-friends": 3, "public": 3}, "\x1b[31mbob": None}
    path = tmp_path / "item.json"
    path.write_text(json.dumps({"wishes": wishes, "peers": {}}), encoding="utf-8")
    output = run("mediate", str(path), "--pivotality").stdout
    assert "[red]ann[/red]" in output
    assert "\x1b" not in output


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom entrenous.cli import app\n"
        "heavy = {'numpy', 'numba', 'scipy', 'entrenous.access'} & set(sys.modules)\nassert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_deciding_loads_neither_compiler_nor_solvers() -> None:
    code = (
        "import sys\nfrom entrenous import access\naccess.decide(access.read_example('thesis-oc'))\n"
        "heavy = {'numba', 'scipy', 'matplotlib', 'igraph'} & set(sys.modules)\nassert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_leak_says_what_outcomes_tell() -> None:
    result = run("leak", "--people", "3", "--vote", "majority")
    assert result.exit_code == 0
    assert "the outcome alone" in result.stdout
    assert "What is shown adds 0e+00 to what the outcome tells." in result.stdout
    assert "from four co-owners on" in result.stdout
    entry = json.loads(run("leak", "--people", "3", "--listening", "20", "--prior", "real", "--json").stdout)
    assert entry["added"] <= 1e-12
    assert (entry["offered"], entry["needed"]) == (True, 3)
    assert entry["told"]["names"]["certain"] > entry["told"]["shown"]["certain"] == 0
    assert run("leak", "--people", "5").exit_code == 2
