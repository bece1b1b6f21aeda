"""`entrenous words read`, as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.words.mailboxes import NASTY, plain, write_mbox
from typer.testing import CliRunner, Result

from entrenous.cli.words import app
from entrenous.errors import ArgumentError
from entrenous.words import Corpus


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_read_says_what_was_found_and_dropped(tmp_path: Path) -> None:
    mail = write_mbox(tmp_path / "a.mbox", NASTY["encoded"], NASTY["list"], NASTY["nobody"])
    result = run("read", mail, "--out", tmp_path / "c.duckdb")
    assert result.exit_code == 0, result.output
    for text in ("largest neighbourhood", "dropped: messages without a sender", "inferred", "To be said"):
        assert text in result.stdout
    assert "do not publish" in result.stderr
    again = json.loads(run("read", mail, "--out", tmp_path / "c.duckdb", "--json").stdout)
    assert (again["messages"], again["persons"], again["edges"]) == (1, 3, 2)
    assert again["lists"] == {"inferred": 1}
    assert Corpus.open(tmp_path / "c.duckdb").summary.edges == 2


def test_columns_and_directory(tmp_path: Path) -> None:
    table, people = tmp_path / "t.csv", tmp_path / "people.csv"
    table.write_text("who,whom,what\na@x.org,b@x.org;c@x.org,hello\n")
    people.write_text("address,person\nb@x.org,bea\nc@x.org,bea\n")
    options = ("--columns", "from=who,to=whom,body=what", "--directory", people, "--json")
    found = json.loads(run("read", table, "--out", tmp_path / "c.duckdb", *options).stdout)
    assert (found["persons"], found["edges"]) == (2, 1)


def test_nothing_of_a_message_is_shown(tmp_path: Path) -> None:
    mail, store = tmp_path / "mail", tmp_path / "c.duckdb"
    write_mbox(mail / "a.mbox", plain(1, "canary@x.org", "b@x.org", "canary phrase"))
    (mail / "b.jsonl").write_text('{"canary": "canary phrase"}\n')
    failed = run("read", mail, "--out", store)
    assert failed.exit_code == 1
    (mail / "b.jsonl").unlink()
    done = run("read", mail, "--out", store)
    assert done.exit_code == 0
    for result in (failed, done):
        assert "canary" not in result.output + repr(result.exception)


def test_only_spark_has_a_master(tmp_path: Path) -> None:
    for asked in (["read", str(tmp_path), "--out", str(tmp_path / "c")], ["correlate", str(tmp_path)]):
        done = CliRunner().invoke(app, [*asked, "--master", "local[2]"])
        assert isinstance(done.exception, ArgumentError)
        assert str(done.exception) == "--master: expected --engine spark with it"
