"""`entrenous words vocabulary` from the outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.words.small_mail import CANARY, list_edges, store_mail
from typer.testing import CliRunner

from entrenous.cli.words import app
from entrenous.guarantee import GRAPH_PUBLIC, TIES_NOT_TOLD
from entrenous.vault import Budget, Vault

NUMBERS = ("--epsilon", "3", "--delta", "1e-5")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a stored corpus of 435 edges that all say the same, and one that says more."""
    return store_mail(tmp_path_factory.mktemp("mail"), people=30)


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["vocabulary", *map(str, arguments)])


def test_a_vocabulary_is_saved_with_its_numbers(corpus: Path, tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "l", Budget(epsilon=9.0, delta=1e-4, unit="edge-content"))
    asked = (
        *NUMBERS,
        "--unit",
        "edge-content",
    )  # everybody wrote the same to all: near-copies, which count once
    done = run(corpus, *asked, "--out", tmp_path / "v", "--vault", vault.path, "--seed", 1, "--json")
    assert done.exit_code == 0, done.output
    card = json.loads(done.stdout)
    assert (card["epsilon"], card["delta"], card["unit"]) == (3.0, 1e-5, "edge-content")
    names = (tmp_path / "v" / "vocabulary.txt").read_text().splitlines()[1:]
    assert card["yield"] == len(names)
    assert {"budget", "meeting", "budget meeting"} <= set(names)
    assert card["threshold"] > 0
    assert float(vault.total().epsilon) == pytest.approx(3.0, abs=1e-6)
    everything = done.output + "".join(file.read_text() for file in (tmp_path / "v").iterdir())
    assert CANARY not in everything
    assert "person3" not in everything


@pytest.mark.long
def test_a_stated_range_is_said_on_the_card(corpus: Path, tmp_path: Path) -> None:
    done = run(
        corpus, "--epsilon", 50, "--delta", 1e-4, "--contribution", 10, "--p0", 0.1, "--p1", 0.15,
        "--out", tmp_path / "v", "--seed", 1,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "The attacker believes" in done.output
    assert "REHEARSAL" in done.output


def test_a_belief_may_be_estimated_for_a_charge_of_its_own(corpus: Path, tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "l", Budget(epsilon=99.0, delta=1e-3, unit="edge-content"))
    numbers = ("--epsilon", 90, "--delta", 1e-4, "--contribution", 2, "--estimate-epsilon", 8)
    done = run(corpus, *numbers, "--weighting", "guided", "--vault", vault.path, "--out", tmp_path / "v")
    assert (done.exit_code, vault.state.releases, vault.state.facts) == (1, {}, {})
    done = run(corpus, *numbers, "--vault", vault.path, "--out", tmp_path / "v")
    assert done.exit_code == 0, done.output
    assert "estimated from the data under differential privacy" in done.stdout
    assert [float(promise.epsilon) for promise in vault.state.charges[0].promises] == [8]
    assert [entry.purpose for entry in vault.state.releases.values()] == [
        "words correlation, private estimate",
        "words vocabulary, weighting fixed",
    ]


def test_a_prediction_writes_and_charges_nothing(corpus: Path, tmp_path: Path) -> None:
    unit = ("--unit", "edge-content")
    done = run(corpus, *NUMBERS, *unit, "--out", tmp_path / "v", "--predict", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["private"]["occurring"] >= 3
    assert not (tmp_path / "v").exists()
    assert "n-grams that occur" in run(corpus, *NUMBERS, "--predict").output
    assert run(corpus, *NUMBERS).exit_code == 2


@pytest.mark.parametrize(
    "wrong",
    [
        ("--p0", 0.1),
        ("--neighbours", 99),
        ("--p0", 0.1, "--p1", 0.2, "--neighbours", 1),
        ("--p0", 0.1, "--p1", 0.2, "--group", 3),
        ("--weighting", "policy"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    corpus: Path, tmp_path: Path, wrong: tuple[object, ...]
) -> None:
    done = run(corpus, *NUMBERS, "--out", tmp_path / "v", *wrong)
    assert done.exit_code != 0
    assert not (tmp_path / "v").exists()


def test_only_a_public_list_tells_how_many_edges_there_are(corpus: Path, tmp_path: Path) -> None:
    plain = run(corpus, *NUMBERS, "--seed", 1, "--out", tmp_path / "plain", "--json")
    assert plain.exit_code == 0, plain.output
    card = json.loads(plain.stdout)
    assert "edges" not in card["parameters"]
    assert TIES_NOT_TOLD in card["guarantee"]["assumptions"]
    edges = list_edges(tmp_path, people=29)  # one person of the mail is not on the list
    done = run(corpus, *NUMBERS, "--seed", 1, "--edges", edges, "--out", tmp_path / "v", "--json")
    assert done.exit_code == 0, done.output
    card = json.loads(done.stdout)
    assert card["parameters"]["edges"] == 406
    assert GRAPH_PUBLIC in card["guarantee"]["assumptions"]
    assert "29 edges of the mail" in done.stderr


def test_what_cannot_succeed_is_refused_by_the_number_of_a_public_list(corpus: Path, tmp_path: Path) -> None:
    edges = list_edges(tmp_path, people=30)
    done = run(corpus, *NUMBERS, "--group", 400, "--edges", edges, "--out", tmp_path / "v")
    assert (done.exit_code, (tmp_path / "v").exists()) == (1, False)


def test_a_broken_list_of_edges_is_one_line_that_quotes_nothing(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "edges.tsv").write_text("# note\nsecretname\n")
    done = run(corpus, *NUMBERS, "--edges", tmp_path / "edges.tsv", "--out", tmp_path / "v")
    assert done.exit_code == 1
    assert "secretname" not in done.output
