"""Nothing of a message reaches a stream, a log, an error, an artifact, a card or a page.

A phrase, a person and an address that stand on one edge alone are planted in a corpus; then every command is run, with
good and with bad inputs, and everything it says or writes is searched for them.
"""

from __future__ import annotations

import itertools
import json
import logging
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.vault.orders import ties, words
from typer.testing import CliRunner

from entrenous.cli import app
from entrenous.release import Release
from entrenous.unit import Unit
from entrenous.vault import Budget, Vault
from entrenous.words import Corpus, histogram, vocabulary
from entrenous.words.counting.table import Table

WORDS = ("quetzalcoatlus", "zyzzyva")  # next to each other in one message
NAME = ("Featherstonehaugh", "Xanthippe")
ADDRESS = "obscurantia"
CANARIES = tuple(canary.lower() for canary in (*WORDS, *NAME, ADDRESS))
SENDER = f'"{NAME[0]}, {NAME[1]}" <{NAME[1]}@{ADDRESS}.example>'
PEOPLE = 26


def found_in(text: str | bytes) -> list[str]:
    """Return which canaries stand in a text, in whatever case, also where only their beginning was quoted."""
    searched = text if isinstance(text, bytes) else text.encode()
    return [canary for canary in CANARIES if canary[:8].encode() in searched.lower()]


def message(number: int, sender: str, recipient: str, **more: object) -> dict[str, object]:
    plain = {"id": f"m{number}", "date": "2001-05-01T10:00:00", "from": sender, "to": [recipient], "cc": []}
    return plain | {"subject": "budget meeting", "body": "the budget meeting is moved again"} | more


def people() -> list[str]:
    return [f"person{i}@example.org" for i in range(PEOPLE)]


def messages() -> list[dict[str, object]]:
    """Return mail on all edges between some people, and the canaries' on one edge more."""
    plain = [message(i, *pair) for i, pair in enumerate(itertools.combinations(people(), 2))]
    secret = message(
        len(plain),
        SENDER,
        people()[3],
        subject=f"Re: {WORDS[0]}",
        body=f"The {' '.join(WORDS)} of {' '.join(NAME)}",
    )
    return [*plain, secret]


def json_lines(records: list[dict[str, object]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def prepared(folder: Path) -> Path:
    """Put the mail, the corpus read from it, a public list of words and some vaults into a folder."""
    (folder / "mail.jsonl").write_text(json_lines(messages()))
    Corpus.read(folder / "mail.jsonl", store=folder / "corpus").close()
    (folder / "list.txt").write_text("budget\nbudget meeting\nlunch\n")
    edges = [f"{first}\t{second}\n" for first, second in itertools.combinations(people(), 2)]
    (folder / "edges.tsv").write_text("".join(edges))
    Vault.create(folder / "vault", Budget(epsilon=500.0, delta=0.5, unit=Unit.EDGE_CONTENT))
    Vault.create(folder / "empty-vault", Budget(epsilon=1e-6, delta=1e-9, unit=Unit.EDGE_CONTENT))
    other = Vault.create(folder / "other-vault", Budget(epsilon=500.0, delta=0.5, unit=Unit.EDGE_CONTENT))
    other.charge(words(), data=Corpus.from_messages(messages()[:-1]))
    tied = Vault.create(
        folder / "tied-vault", Budget(epsilon=9.0), Budget(epsilon=500.0, delta=0.5, unit=Unit.EDGE_CONTENT)
    )
    tied.charge(ties())
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared(tmp_path_factory.mktemp("confidential"))


@dataclass(frozen=True)
class Said:
    """How a command ended, and all that anybody could see of it."""

    code: int
    text: str


@pytest.fixture
def run(
    place: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[str], Said]:
    monkeypatch.chdir(place)
    caplog.set_level(logging.DEBUG)

    def ran(line: str) -> Said:
        done = CliRunner().invoke(app, line.split())
        streams = capfd.readouterr()  # what libraries write past Python's own streams
        raised = "" if done.exception is None else "".join(traceback.format_exception(done.exception))
        return Said(
            done.exit_code, done.output + done.stderr + streams.out + streams.err + caplog.text + raised
        )

    return ran


GOOD = {
    "read": "words read mail.jsonl --out new-corpus",
    "read again": "words read mail.jsonl --out corpus",
    "read for programs": "words read mail.jsonl --out another-corpus --json",
    "correlate": "words correlate corpus --epsilon 1 --out pictures",
    "correlate for programs": "words correlate corpus --public --epsilon 1 --json",
    "vocabulary": "words vocabulary corpus --epsilon 6 --delta 1e-5 --unit edge-content --vault vault --out v "
    "--curator v.html",
    "vocabulary for programs": "words vocabulary corpus --epsilon 6 --delta 1e-5 --n 3 --seed 1 --out v1 --json",
    "vocabulary of senders": "words vocabulary corpus --epsilon 40 --delta 1e-3 --unit sender --seed 1 --out v2",
    "vocabulary of groups": "words vocabulary corpus --epsilon 20 --delta 1e-3 --group 2 --seed 1 --out v3",
    "vocabulary under a belief": "words vocabulary corpus --epsilon 90 --delta 1e-3 --contribution 9 --p0 .1 --p1 .12 "
    "--seed 1 --out v4 --curator v4.html",
    "vocabulary, policy": "words vocabulary corpus --epsilon 9 --delta 1e-3 --weighting policy --seed 1 "
    "--edges edges.tsv --out v5",
    "vocabulary, adaptive": "words vocabulary corpus --epsilon 9 --delta 1e-3 --weighting adaptive --seed 1 --out v6",
    "vocabulary, uniform": "words vocabulary corpus --epsilon 9 --delta 1e-3 --weighting uniform --seed 1 --out v7",
    "vocabulary, predicted": "words vocabulary corpus --epsilon 6 --delta 1e-5 --out v8 --predict --json",
    "histogram": "words histogram corpus --vocabulary list.txt --epsilon 6 --contribution 2 --vault vault --out h "
    "--curator h.html",
    "histogram of what was published": "words histogram corpus --vocabulary v --epsilon 6 --contribution 2 --out h3",
    "histogram for programs": "words histogram corpus --vocabulary list.txt --epsilon 6 --contribution 2 --delta 1e-5 "
    "--noise gaussian --out h1 --json",
    "histogram, predicted": "words histogram corpus --vocabulary list.txt --epsilon 6 --contribution 2 --out h2 "
    "--predict",
    "compare": "words compare corpus --epsilon 50 --contribution 5 --delta 1e-3",
    "compare for programs": "words compare corpus --epsilon 90 --contribution 9 --delta 1e-3 --p0 .1 --p1 .12 --json",
    "report of a vocabulary": "report v",
    "report of a histogram": "report h",
    "vault": "budget show vault --out vault.html",
    "vault for programs": "budget show vault --json",
    "vault and its data": "budget verify vault v h --mail corpus",
    "what is kept": "release list vault",
    "a release again": "release resume vault --out again",
}


PROGRAM = """
import json, logging, sys, traceback
from entrenous.cli import app
from entrenous.unit import Unit
logging.basicConfig(level=logging.DEBUG)
codes = {}
for name, line in json.load(sys.stdin).items():
    print("===", name, flush=True)
    print("===", name, file=sys.stderr, flush=True)
    try:
        app(line.split())
    except SystemExit as end:
        codes[name] = end.code or 0
    except BaseException:
        codes[name] = -1
        traceback.print_exc()
open("codes.json", "w").write(json.dumps(codes))
"""


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a folder in which all commands have run in one process, and all its streams say, logs included."""
    folder = prepared(tmp_path_factory.mktemp("everything"))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(GOOD),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return folder, done.stdout + done.stderr


@pytest.mark.long
def test_all_commands_run_and_say_nothing_of_it(everything: tuple[Path, str]) -> None:
    folder, said = everything
    assert json.loads((folder / "codes.json").read_text()) == dict.fromkeys(GOOD, 0), said
    assert "n-grams" in said
    assert not found_in(said)


@pytest.mark.long
def test_no_file_but_the_corpus_holds_it(everything: tuple[Path, str]) -> None:
    files = [file for file in everything[0].rglob("*") if file.is_file()]
    holding = {file.name for file in files if found_in(file.read_bytes())}
    assert {"card.md", "guarantee.json", "vocabulary.csv", "histogram.csv", "report.html"} <= {
        f.name for f in files
    }
    assert {"v.html", "h.html", "v4.html", "vault", "vault.html", "all-distributions.svg"} <= {
        file.name for file in files
    }
    assert holding <= {"mail.jsonl", "corpus", "new-corpus", "another-corpus"}
    assert "mail.jsonl" in holding  # the search finds what is there


@pytest.mark.long
def test_released_vocabularies_hold_only_what_many_say(everything: tuple[Path, str]) -> None:
    named = [set(file.read_text().splitlines()) for file in everything[0].rglob("vocabulary.txt")]
    drawn = [line for line in GOOD.values() if " vocabulary " in line and "--predict" not in line]
    kept = [line for line in drawn if "--vault" in line]  # beside their vault
    assert len(named) == len(drawn) + len(kept) > len(drawn)
    assert sum("budget meeting" in names for names in named) >= len(named) / 2
    assert not any(found_in("\n".join(names)) for names in named)


def test_a_corpus_does_hold_it_and_only_its_owner_may_read_it(place: Path) -> None:
    corpus = Corpus.open(place / "corpus")
    assert (corpus.table(n=2).names.look_up([*WORDS, " ".join(WORDS)]) >= 0).all()
    assert not found_in(f"{corpus!r} {corpus.summary!r} {corpus.table(n=2)!r} {corpus.table(n=2).names!r}")
    corpus.close()
    assert (place / "corpus").stat().st_mode & 0o077 == 0


BROKEN = {
    "a broken line": ("mail.jsonl", json_lines(messages()) + f'{{"from": "{WORDS[0]}", {WORDS[1]}\n'),
    "no object": ("mail.jsonl", json_lines(messages()[-1:]) + f'["{WORDS[0]}"]\n'),
    "columns by other names": ("mail.jsonl", json_lines([{WORDS[0]: NAME[0], "text": WORDS[1]}])),
    "strange values": (
        "mail.jsonl",
        json_lines([message(1, SENDER, "a@b.example", body={WORDS[0]: 1}, to=7)]),
    ),
    "a table of other columns": ("mail.csv", f"{WORDS[0]},{NAME[0]}\n{WORDS[1]},{ADDRESS}\n"),
    "half a row": ("mail.csv", f'from,to,body\n"{SENDER}",\n"{NAME[0]} {WORDS[0]}'),
    "a damaged table": ("mail.parquet", f"PAR1{WORDS[0]}PAR1"),
    "a broken mailbox": (
        "mail.mbox",
        f"From x\nFrom: {NAME[0]}\n{WORDS[0]}: \udcff\n\n{WORDS[1]}\nFrom y\n\n",
    ),
    "no mail at all": ("mail.jsonl", ""),
    "an archive that is none": ("mail.tar.gz", WORDS[0]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_mail_is_not_quoted(name: str, run: Callable[[str], Said], tmp_path: Path) -> None:
    file, content = BROKEN[name]
    (tmp_path / file).write_bytes(content.encode(errors="surrogateescape"))
    said = run(f"words read {tmp_path / file} --out {tmp_path / 'corpus'}")
    assert not found_in(said.text)
    assert "Traceback" not in said.text or "SystemExit" in said.text
    assert not [
        other
        for other in tmp_path.iterdir()
        if other.name not in (file, "corpus") and found_in(other.read_bytes())
    ]


DIRECTORIES = {
    "no addresses": f"{WORDS[0]},person\n{ADDRESS},{NAME[0]}\n",
    "an empty address": f"address,person\n,{NAME[0]}\n",
    "two persons": f"address,person\n{ADDRESS}@x.example,{NAME[0]}\n{ADDRESS}@x.example,{NAME[1]}\n",
}


@pytest.mark.parametrize("name", DIRECTORIES)
def test_broken_directories_are_not_quoted(name: str, run: Callable[[str], Said], tmp_path: Path) -> None:
    (tmp_path / "directory.csv").write_text(DIRECTORIES[name])
    said = run(f"words read mail.jsonl --out {tmp_path / 'c'} --directory {tmp_path / 'directory.csv'}")
    assert said.code == 1
    assert not found_in(said.text)


LISTS = {
    "twice the same": f"{WORDS[0]}\nbudget\n{WORDS[0]}\n".encode(),
    "no text": WORDS[0].encode() + b"\xff\xfe",
    "nothing but notes": f"# {WORDS[0]}\n".encode(),
}


@pytest.mark.parametrize("name", LISTS)
def test_broken_lists_are_not_quoted(name: str, run: Callable[[str], Said], tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_bytes(LISTS[name])
    said = run(
        f"words histogram corpus --vocabulary {tmp_path / 'list.txt'} --epsilon 6 --contribution 2 --out x"
    )
    assert said.code == 1
    assert not found_in(said.text)


REFUSED = (
    "words read mail.jsonl --out new --columns zyzzyva",
    "words read mail.jsonl --out new --columns zyzzyva=from",
    "words correlate mail.jsonl",
    "words correlate corpus --p0 .1 --p1 .2",
    "words vocabulary mail.jsonl --epsilon 6 --delta 1e-5 --out x",
    "words vocabulary corpus --epsilon 6 --delta 1e-5 --vault empty-vault --out x",
    "words vocabulary corpus --epsilon 6 --delta 1e-5 --vault mail.jsonl --out x",
    "words vocabulary corpus --epsilon 6 --delta 1e-5 --vault other-vault --out x",
    "words vocabulary corpus --epsilon 6 --delta 1e-5 --edges edges.tsv --vault tied-vault --out x",
    "words vocabulary corpus --epsilon 6 --delta 1e-5 --same-data --out x",
    "words vocabulary corpus --epsilon .001 --delta 1e-5 --edges edges.tsv --out x",
    "words vocabulary corpus --epsilon 6 --delta 1e-5 --edges list.txt --out x",
    "words vocabulary corpus --epsilon 6 --delta 1e-5 --weighting policy --out x",
    "words vocabulary corpus --epsilon 6 --delta 1e-5 --out x --curator x/page.html",
    "words vocabulary corpus --epsilon 6 --delta 1e-5 --out list.txt",
    "words histogram corpus --vocabulary list.txt --epsilon 6 --contribution 2 --vault empty-vault --out x",
    "words histogram corpus --vocabulary list.txt --epsilon .001 --contribution 2 --out x --edges edges.tsv",
    "words histogram corpus --vocabulary corpus --epsilon 6 --contribution 2 --out x",
    "words histogram corpus --vocabulary nowhere --epsilon 6 --contribution 2 --out x",
    "words compare mail.jsonl --epsilon 6 --contribution 2 --delta 1e-5",
    "words compare corpus --epsilon 6 --contribution 2 --delta 1e-5 --public mail.jsonl",
    "report corpus",
    "budget verify other-vault --mail corpus",
    "release resume empty-vault --out x",
)


@pytest.mark.parametrize("line", REFUSED)
def test_refusals_quote_nothing(line: str, run: Callable[[str], Said], place: Path) -> None:
    said = run(line)
    assert said.code in (1, 2), said.text
    assert not found_in(said.text)
    assert not (place / "x").exists()


def test_releases_and_tables_keep_it_out_of_their_texts() -> None:
    contents = [{"budget": 1} for _ in range(300)]
    contents[7] = {"budget": 1, WORDS[0]: 2}
    table = Table.from_counts(contents, ends=[(i, i + 1) for i in range(300)])
    made: tuple[Release[Any], ...] = (
        vocabulary(table, epsilon=6.0, delta=1e-5, n=1, rng=1),
        histogram(table, vocabulary=["budget", "lunch"], epsilon=6.0, contribution=2, rng=1),
    )
    for release in made:
        assert not found_in(
            f"{release!r} {release} {release.artifact!r} {release.private} {release.card.to_json()}"
        )
    assert not found_in(repr(table))
