"""What published n-grams rest on, for the curator: one message, one sender, few; and it is told nowhere else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from entrenous.cli import app
from entrenous.page import Report
from entrenous.words import Corpus, vocabulary
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.vocabulary import Support, predict

PEOPLE = [f"p{number:02}@x.org" for number in range(90)]
BROADCAST = "zebrawood quagga"


def record(number: int, sender: str, to: list[str], body: str) -> dict[str, Any]:
    return {
        "id": f"m{number}@x.org", "date": "2024-01-01T10:00:00", "from": sender, "to": to, "cc": [], "subject": "",
        "body": body,
    }  # fmt: skip


def letters(number: int) -> str:
    return f"x{chr(97 + number % 26)}{chr(97 + number // 26)}"


@pytest.fixture(scope="module")
def mail() -> list[dict[str, Any]]:
    """Return mail of 90 people that says "budget" each time, and one message to all of them."""
    sent = [
        record(number, one, [PEOPLE[(number + step) % 90]], f"budget {letters(number)} {letters(step)}")
        for number, one in enumerate(PEOPLE)
        for step in (1, 2, 3)
    ]
    for number, each in enumerate(sent):
        each["id"] = f"m{number}@x.org"
    return [*sent, record(999, PEOPLE[0], PEOPLE[1:], BROADCAST)]


def test_supports_are_those_of_different_messages_and_senders() -> None:
    table = MessageTable.of(
        [{"a": 1, "b": 1}, {"a": 2, "b": 3}, {"a": 1, "c": 1}, {"c": 1, "d": 1}, {"c": 5}, {"e": 1}],
        senders=[0, 0, 1, 1, 1, 5],
        recipients=[[1, 2], [2], [0], [2, 3, 4], [0], []],
        alike=[0, 1, 2, 3, 3, 5],
    )
    found = Support.of(table, ("a", "b", "c", "d", "e", "f", "a b"))
    assert found.messages.tolist() == [
        3,
        2,
        2,
        1,
        0,
        0,
        0,
    ]  # a near-copy is none of its own, nor is what nobody got
    assert found.senders.tolist() == [2, 1, 1, 1, 0, 0, 0]
    assert found.resting == {"one message": 1, "one sender": 3, "at most 5 senders": 4}
    assert found.of_one_message() == [("d", 3)]
    assert found.of_one_sender() == [("b", 2), ("c", 2)]
    assert found.of_few_senders() == [("a", 2)]
    assert Support.of(table, ()).resting == {"one message": 0, "one sender": 0, "at most 5 senders": 0}


def test_at_most_fifty_of_each_are_named() -> None:
    said = [{f"w{number}": 1 for number in range(80)}]
    found = Support.of(MessageTable.of(said, senders=[0], recipients=[[1]]), [f"w{n}" for n in range(80)])
    assert found.resting["one message"] == 80
    assert [name for name, _ in found.of_one_message()] == [f"w{number}" for number in range(50)]


def test_a_broadcast_is_seen_by_the_curator_and_by_nobody_else(
    mail: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Where a message counts on each of its edges, what one message said is published, and the curator is told."""
    corpus = Corpus.from_messages(mail)
    numbers: dict[str, Any] = {"epsilon": 60.0, "delta": 1e-3, "n": 2, "unit": "edge-content"}
    ahead = predict(corpus, **numbers, rng=1)
    assert ahead.support is not None
    assert ahead.support.resting["one message"] >= 2
    made = vocabulary(corpus, **numbers, rng=1)
    assert {"budget", *BROADCAST.split()} <= {*made.artifact.names}
    page = Report.comparison(corpus, made)
    assert page.private
    assert "What rests on few" in page.html
    assert "<li>zebrawood <span>89</span></li>" in page.html
    assert "<li>budget <span>" not in page.html
    folder = made.save(tmp_path / "public")
    for file in folder.iterdir():
        assert "rests on few" not in file.read_text()
        assert "resting" not in file.read_text()
    assert "rest" not in {*made.private}
    table = Report.comparison(corpus.table(n=2), made)  # who wrote what is not in it
    assert "What rests on few" not in table.html


def test_the_default_unit_publishes_no_broadcast(mail: list[dict[str, Any]]) -> None:
    ahead = predict(Corpus.from_messages(mail), epsilon=20.0, delta=1e-3, n=2, rng=1)
    assert ahead.support is not None
    assert ahead.support.names[0] == "budget"
    assert not {*BROADCAST.split()} & {*ahead.support.names}


def test_the_command_line_predicts_how_many_and_not_which(mail: list[dict[str, Any]], tmp_path: Path) -> None:
    file, store = tmp_path / "mail.jsonl", tmp_path / "corpus"
    file.write_text("".join(json.dumps(each) + "\n" for each in mail))
    run = CliRunner().invoke
    Corpus.read(file, store=store).close()
    asked = [
        "words",
        "vocabulary",
        str(store),
        "--epsilon",
        "60",
        "--delta",
        "1e-3",
        "--unit",
        "edge-content",
    ]
    told = run(app, [*asked, "--predict"])
    assert told.exit_code == 0, told.output
    assert "on one message" in told.stdout
    assert "zebrawood" not in told.output
    made = run(app, [*asked, "--predict", "--json", "--counts"])
    assert made.exit_code == 0, made.output
    private = json.loads(made.stdout)["private"]
    assert private["resting on"]["one message"] >= 2
    assert "zebrawood" not in made.output
