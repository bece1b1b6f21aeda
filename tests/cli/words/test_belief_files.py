"""`--correlation FILE`: beliefs that `correlate` measured on a public corpus, used by the commands that publish."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.words.small_mail import store_mail
from typer.testing import CliRunner

from entrenous.cli import app
from entrenous.words.beliefs.belief import PUBLIC


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same mail, taken for retired once, and a public list."""
    folder = tmp_path_factory.mktemp("mail")
    store_mail(folder, people=9)
    (folder / "list.txt").write_text("budget\nmeeting\n")
    return folder


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def saved(folder: Path, into: Path, name: str, *more: object) -> Path:
    file = into / f"{name}.json"
    done = run(
        "words", "correlate", folder / "corpus.duckdb", "--public", "--belief", name, "--save", file, *more
    )
    assert done.exit_code == 0, done.output
    return file


@pytest.mark.parametrize("name", ["Global", "Conditional", "Binomial", "Group"])
def test_a_measured_belief_is_published_under(folder: Path, tmp_path: Path, name: str) -> None:
    file = saved(folder, tmp_path, name)
    values = json.loads(file.read_text())
    assert (values["format"], values["version"], values["kind"]) == ("entrenous belief", 1, name)
    assert values["source"] == ("stated" if name == "Group" else "public corpus")
    under = ("--correlation", file, "--seed", 1, "--json")
    counted = run(
        "words", "histogram", folder / "corpus.duckdb", "--vocabulary", folder / "list.txt", "--epsilon", 30,
        "--contribution", 2, "--out", tmp_path / "h", "--useless", *under,
    )  # fmt: skip
    assert counted.exit_code == 0, counted.output
    epsilon = 400 if name == "Binomial" else 900
    named = run(
        "words", "vocabulary", folder / "corpus.duckdb", "--epsilon", epsilon, "--delta", 1e-3, "--n", 1,
        "--contribution", 2, "--out", tmp_path / "v", *under,
    )  # fmt: skip
    assert named.exit_code == 0, named.output
    for made in (counted, named):
        card = json.loads(made.stdout)["guarantee"]
        assert card["unit"] == ("group" if name == "Group" else "correlated-edge")
        assert any(PUBLIC in sentence for sentence in card["assumptions"]) == (name != "Group")


def test_a_hidden_topic_is_stated_with_its_range_or_by_a_file(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "topic.json"
    told = run(
        "words", "correlate", "--b0", 0.1, "--b1", 0.4, "--neighbours", 14, "--epsilon", 1, "--save", file
    )
    assert told.exit_code == 0, told.output
    assert "hidden topic" in told.output
    scales = []
    for place, belief in enumerate([("--b0", 0.1, "--b1", 0.4), ("--correlation", file)]):
        made = run(
            "words", "histogram", folder / "corpus.duckdb", "--vocabulary", folder / "list.txt", "--epsilon", 20,
            "--contribution", 2, "--out", tmp_path / f"h{place}", "--seed", 1, "--json", *belief,
        )  # fmt: skip
        assert made.exit_code == 0, made.output
        scales.append(json.loads(made.stdout)["scale"])
        assert "hidden topic" in made.stdout
    assert scales[0] == scales[1]


def test_what_is_not_public_is_not_saved(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "belief.json"
    corpus = folder / "corpus.duckdb"
    for wrong in (("--belief", "Global"), ("--public",)):
        refused = run("words", "correlate", corpus, "--save", file, *wrong)
        assert refused.exit_code != 0
        assert not file.exists()
    kept = saved(folder, tmp_path, "Global").read_text()
    again = run(
        "words", "correlate", corpus, "--public", "--belief", "Binomial", "--save", tmp_path / "Global.json"
    )
    assert again.exit_code != 0
    assert (tmp_path / "Global.json").read_text() == kept


def test_one_belief_is_enough(folder: Path, tmp_path: Path) -> None:
    file = saved(folder, tmp_path, "Global")
    for other in (
        ("--p0", 0.1, "--p1", 0.2),
        ("--b0", 0.1, "--b1", 0.2),
        ("--group", 3),
        ("--neighbours", 20),
    ):
        refused = run(
            "words", "histogram", folder / "corpus.duckdb", "--vocabulary", folder / "list.txt", "--epsilon", 9,
            "--contribution", 2, "--out", tmp_path / "h", "--seed", 1, "--correlation", file, *other,
        )  # fmt: skip
        assert refused.exit_code != 0
    assert not (tmp_path / "h").exists()
