"""The commands of `entrenous attack`, as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from entrenous import datasets
from entrenous.attack import settings
from entrenous.attack.audit import broken_settings
from entrenous.cli import app
from entrenous.hrg import Dendrogram

PAPER = ("--p0", 0.0277, "--p1", 0.2739, "--neighbours", 1883)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_words_by_a_stated_belief(tmp_path: Path) -> None:
    page = tmp_path / "words.html"
    result = run("attack", "words", *PAPER, "--epsilon", 1, "--out", page)
    assert result.exit_code == 0, result.output
    assert "278" in result.stdout
    assert "Talking alike gives secrets away" in page.read_text(encoding="utf-8")
    found = json.loads(run("attack", "words", *PAPER, "--epsilon", 1, "--json").stdout)["findings"]
    by_pair = {(each["release"], each["attacker"]): each for each in found}
    assert by_pair["edge level", "neighbours talk alike"]["measured"] > 600
    assert by_pair["correlated edge", "neighbours talk alike"]["measured"] == pytest.approx(1.0)
    assert not any(each["broken"] for each in found)


@pytest.mark.long
def test_words_on_a_corpus(tmp_path: Path) -> None:
    mail, corpus = tmp_path / "mail.jsonl", tmp_path / "mail.corpus"
    messages = datasets.organization(30, seed=1).messages(300)
    mail.write_text("\n".join(json.dumps(each, default=str) for each in messages), encoding="utf-8")
    assert run("words", "read", mail, "--out", corpus).exit_code == 0
    page = tmp_path / "page.html"
    result = run("attack", "words", corpus, "--epsilon", 1, "--out", page, "--json")
    assert result.exit_code == 0, result.output
    assert "private" in result.stderr
    found = json.loads(result.stdout)["auc_on_corpus"]
    assert found["true counts"] > found["correlated edge"] > found["group"]
    assert "contains private information" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--p0", 0.1, "--epsilon", 1), "all three"),
        (("--epsilon", 1), "or a corpus"),
        ((*PAPER, "--epsilon", 0), "epsilon"),
        ((*PAPER, "--epsilon", 1, "--out", "nowhere/page.html"), "cannot be written"),
    ],
    ids=["incomplete", "nothing", "epsilon", "page"],
)
def test_wrong_calls_are_one_line(options: tuple[object, ...], problem: str) -> None:
    result = run("attack", "words", *options)
    assert result.exit_code == 1
    assert problem in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_there_is_no_default_epsilon(club: Path) -> None:
    assert run("attack", "words", *PAPER).exit_code == 2
    assert run("attack", "network", club).exit_code == 2


@pytest.mark.long
def test_network(club: Path, tmp_path: Path) -> None:
    page = tmp_path / "network.html"
    options = (
        "--epsilon",
        1,
        "--method",
        "tmf",
        "--trials",
        80,
        "--together",
        1,
        "--together",
        2,
        "--seed",
        1,
    )
    result = run("attack", "network", club, *options, "--out", page)
    assert result.exit_code == 0, result.output
    assert "guessed right by readers" in result.stdout
    assert "do not publish" in result.stderr
    assert 'id="alarms-title"' in page.read_text(encoding="utf-8")
    one, two = json.loads(run("attack", "network", club, *options, "--json").stdout)
    assert (one["stated"], two["stated"]) == (1.0, 2.0)
    assert not one["broken"]
    assert 0 <= one["guess"]["precision"] <= 1


def test_links(club: Path, tmp_path: Path) -> None:
    club_graph = datasets.karate_club()
    kept, page = tmp_path / "kept.nwk", tmp_path / "links.html"
    Dendrogram.random(34, rng=5).write(kept, names=[club_graph.name(node) for node in range(34)])
    result = run("attack", "links", club, "--hierarchy", kept, "--out", page)
    assert result.exit_code == 0, result.output
    assert "all but one" in result.stdout
    assert "No formal guarantee" in result.stdout
    found = json.loads(run("attack", "links", club, "--hierarchy", kept, "--share", 0.5, "--json").stdout)
    assert [each["share"] for each in found] == [0.5]
    assert found[0]["stated"] is None
    assert run("attack", "links", club, "--share", 1.5).exit_code == 2


def test_access(tmp_path: Path) -> None:
    page = tmp_path / "access.html"
    result = run("attack", "access", "limits", "--groups", 40, "--seed", 1, "--out", page)
    assert result.exit_code == 0, result.output
    assert "mediation, consensus" in result.stdout
    assert "dora" in result.stdout
    assert "do not publish" in result.stderr
    found = json.loads(run("attack", "access", "--groups", 20, "--seed", 1, "--json").stdout)
    assert [each["spreader_past"] for each in found["mediation"] if each["limits"]] == [0.0] * 2
    assert {each["rule"] for each in found["rules"]} == {"majority", "veto", "uploader", "average"}
    assert "item" not in found


@pytest.mark.long
def test_audit_holds_and_catches(tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    name = "words: histogram, geometric"
    assert name in settings()
    result = run("attack", "audit", "--setting", name, "--effort", 0.2, "--seed", 1, "--out", page)
    assert result.exit_code == 0, result.output
    assert "holds" in result.stdout
    assert name in page.read_text(encoding="utf-8")
    wrong = next(iter(broken_settings()))
    caught = run("attack", "audit", "--broken", "--setting", wrong, "--seed", 1, "--json")
    assert caught.exit_code == 0, caught.output
    assert json.loads(caught.stdout)[0]["broken"]


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom entrenous.cli.attack import app\n"
        "heavy = {'numpy', 'numba', 'scipy', 'entrenous.attack'} & set(sys.modules)\nassert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_one_release_with_planted_ties(club: Path, tmp_path: Path) -> None:
    page = tmp_path / "planted.html"
    options = ("--method", "chung-lu", "--epsilon", 2, "--added", 800, "--seed", 1)
    result = run("attack", "release", club, *options, "--out", page)
    assert result.exit_code == 0, result.output
    assert "A rehearsal" in result.stdout
    assert "longer by 800" in result.stderr
    assert "contains private information" in page.read_text(encoding="utf-8")
    found = json.loads(run("attack", "release", club, *options, "--json").stdout)
    assert [each["stated"] for each in found] == [2.0, 2.0]
    assert 0.5 < found[0]["measured"] < 2.5
    assert found[0]["details"]["added nodes"] == 800


def test_one_release_needs_a_graph_with_room(club: Path, tmp_path: Path) -> None:
    result = run("attack", "release", club, "--epsilon", 2, "--canaries", 400)
    assert result.exit_code == 1
    assert "half of the 483 pairs that are not tied" in result.stderr


@pytest.mark.long
def test_one_release_with_planted_letters(tmp_path: Path) -> None:
    mail, corpus, listed = (tmp_path / name for name in ("mail.jsonl", "mail.corpus", "public.txt"))
    messages = datasets.organization(12, seed=1).messages(40)
    mail.write_text("".join(f"{json.dumps(each, default=str)}\n" for each in messages), encoding="utf-8")
    assert run("words", "read", mail, "--out", corpus).exit_code == 0
    listed.write_text("# public\nthe\nmeeting\n", encoding="utf-8")
    page = tmp_path / "planted.html"
    options = ("--epsilon", 4, "--delta", 1e-5, "--canaries", 100, "--seed", 1)
    result = run("attack", "release", corpus, *options, "--out", page)
    assert result.exit_code == 0, result.output
    assert "A rehearsal" in result.stdout
    assert "edge-and-message" in page.read_text(encoding="utf-8")
    counted = ("--what", "histogram", "--unit", "sender", "--words", listed)
    found = json.loads(run("attack", "release", corpus, *counted, *options, "--json").stdout)
    assert [each["unit"] for each in found] == ["sender"] * 3
    assert all(each["beyond_doubt"] < 4 for each in found)
    pure = json.loads(
        run(
            "attack", "release", corpus, *counted, "--epsilon", 2, "--seed", 1, "--canaries", 600, "--json"
        ).stdout
    )
    assert 0.8 < pure[0]["measured"] < 2
    assert pure[0]["details"]["canaries"] == 600
    refused = run("attack", "release", corpus, "--epsilon", 2)
    assert refused.exit_code == 1
    assert "delta" in refused.stderr
