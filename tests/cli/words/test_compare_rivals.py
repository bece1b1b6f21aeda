"""`entrenous words compare --rivals`, from the outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.words.small_mail import CANARY, store_mail
from typer.testing import CliRunner

from entrenous.cli import app
from entrenous.words.rivals import RIVALS, Ours

NUMBERS = ("--epsilon", 3, "--delta", 1e-4)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stored corpus of 190 edges that all say the same, one of which says more."""
    folder = tmp_path_factory.mktemp("mail")
    store_mail(folder, people=20)
    return folder / "corpus.duckdb"


def compare(corpus: Path, *arguments: object) -> Any:
    given = ("words", "compare", corpus, *NUMBERS, *arguments)
    return CliRunner().invoke(app, [str(argument) for argument in given])


@pytest.mark.long
def test_rivals_are_compared(corpus: Path) -> None:
    done = compare(corpus, "--rivals", "--unit", "edge", "--seeds", 2, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert [row["rule"] for row in told["rows"]] == [Ours.name, *RIVALS]
    assert (told["unit"], told["contribution"]) == ("edge", None)
    assert all(row["named"] > 2 and 0 < row["precision"] <= 1 for row in told["rows"][:2])
    text = compare(corpus, "--rivals", "--seeds", 1, "--unit", "sender", "--contribution", 4)
    assert text.exit_code == 0, text.output
    assert "DPNE" in text.stdout
    assert "do not publish" in text.stderr
    assert CANARY not in done.output + text.output


def test_beliefs_need_a_contribution(corpus: Path) -> None:
    done = compare(corpus)
    assert done.exit_code != 0
    assert "contribution" in done.output
