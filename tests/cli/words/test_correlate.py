"""`entrenous words correlate`, as a user runs it: with a stated range, with a public corpus, with a private one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

from entrenous.cli import words
from entrenous.errors import ArgumentError, OutputExistsError
from entrenous.words.beliefs.belief import CALIBRATED
from entrenous.words.corpus import Corpus
from entrenous.words.counting.table import NeighbourCounts

PUBLISHED = ("--p0", 0.0277, "--p1", 0.2739, "--neighbours", 1883)


def run(*arguments: object) -> Result:
    app = typer.Typer()
    app.add_typer(words.app, name="words")
    return CliRunner().invoke(app, ["words", "correlate", *map(str, arguments)])


class Counted:
    """A corpus whose edges agree with half of their eight neighbours if they carry an n-gram, and with one if not."""

    largest_neighbourhood = 8

    def neighbour_counts(self, *, n: int = 2) -> NeighbourCounts:
        assert n == 2
        return NeighbourCounts(
            size=np.array([8, 8, 8], np.int32),
            frequency_bucket=np.array([1, 1, 1], np.int8),
            carried=np.array([0, 0, 1], np.int8),
            neighbours=np.array([0, 1, 4], np.int32),
            pairs=np.array([100, 100, 50], np.int64),
        )


@pytest.fixture
def corpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(Corpus, "open", lambda _: Counted())
    return tmp_path / "corpus.duckdb"


def test_a_stated_range_needs_no_corpus() -> None:
    answer = json.loads(run(*PUBLISHED, "--epsilon", 1, "--json").stdout)
    assert (answer["w_inf"], answer["w_inf_closed"]) == (887, 888)
    assert answer["laplace_scale"] == pytest.approx(464.9429, abs=1e-4)
    assert answer["edge_epsilon"] == pytest.approx(1 / 464.9429, rel=1e-6)
    assert answer["source"] == "stated"
    assert json.loads(run(*PUBLISHED, "--defect", 1e-9, "--json").stdout)["w_inf"] == 533


def test_a_stated_range_for_people() -> None:
    result = run(*PUBLISHED, "--epsilon", 1)
    assert result.exit_code == 0
    for text in ("888", "464.9429", "between 0.0277 and 0.2739"):
        assert text in result.stdout
    assert "464" not in run(*PUBLISHED).stdout


@pytest.mark.parametrize(
    "arguments", [(), ("--p0", 0.1, "--p1", 0.2), (*PUBLISHED, "--out", "pictures"), ("mail", "--p0", 0.1)]
)
def test_half_a_question_is_refused(arguments: tuple[object, ...]) -> None:
    assert isinstance(run(*arguments).exception, ArgumentError)


def test_a_corpus_is_private_unless_it_is_said_to_be_public(corpus: Path) -> None:
    result = run(corpus)
    assert result.stdout.startswith("CALIBRATED")
    assert CALIBRATED in result.stdout
    public = run(corpus, "--public")
    assert public.stdout.startswith("PUBLIC CORPUS")
    assert CALIBRATED not in public.stdout
    for text in ("Independent", "Binomial", "Global", "Conditional", "Group", "1 to 9", "10 to 99"):
        assert text in public.stdout


def test_answers_of_all_models_for_programs(corpus: Path) -> None:
    result = run(corpus, "--epsilon", 1, "--json")
    answer = json.loads(result.stdout)
    assert CALIBRATED in result.stderr
    assert answer["public"] is False
    models = answer["models"]
    assert {name: model["w_inf_closed"] for name, model in models.items() if name != "Binomial"} == {
        "Independent": 1, "Global": 5, "Conditional": 5, "Group": 9,
    }  # fmt: skip
    assert (models["Binomial"]["p0"], models["Binomial"]["p1"]) == (0.0625, 0.5)
    assert {models[name]["assumption"] for name in ("Binomial", "Global", "Conditional")} == {CALIBRATED}
    row = {"size_bucket": 0, "frequency_bucket": 1, "w_inf_share": 0.5, "w_inf": 4.0}
    assert answer["buckets"] == [row]
    answer = json.loads(run(corpus, "--public", "--neighbours", 100, "--json").stdout)
    assert answer["models"]["Group"]["w_inf_closed"] == 101
    assert answer["models"]["Binomial"]["neighbours"] == 100
    assert answer["models"]["Binomial"]["guaranteed"]


def test_pictures_go_into_a_new_folder(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    result = run(corpus, "--out", folder)
    assert result.exit_code == 0
    assert "do not publish" in result.stderr
    names = sorted(file.name for file in folder.iterdir())
    assert names == [
        "all-distance.svg",
        "all-distributions.svg",
        "buckets.svg",
        "widest-distance.svg",
        "widest-distributions.svg",
    ]
    assert isinstance(run(corpus, "--out", folder).exception, OutputExistsError)
