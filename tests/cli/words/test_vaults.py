"""`--vault`, `--same-data`, `--void-promises` and `--edges` of the commands that publish words; `entrenous release`."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.words.small_mail import list_edges, store_mail
from typer.testing import CliRunner

from entrenous.card import NO_VAULT
from entrenous.cli import app
from entrenous.vault import Vault

PEOPLE = 16
HISTOGRAM = ("--epsilon", 3, "--contribution", 2)
VOCABULARY = ("--epsilon", 30, "--delta", 1e-3)


@pytest.fixture(scope="module")
def mail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a stored corpus, its next version with one more person, and public lists."""
    folder = tmp_path_factory.mktemp("mail")
    store_mail(folder, people=PEOPLE)
    (folder / "next").mkdir()
    store_mail(folder / "next", people=PEOPLE + 1)
    (folder / "list.txt").write_text("budget\nmeeting\nzeppelin\n")
    list_edges(folder, people=PEOPLE)
    return folder


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault with budgets for ties and for what passes on them, by the sum."""
    budgets = ("--budget", "edge=50,1e-2,0", "--budget", "edge-content=50,1e-2,0")
    made = run("budget", "create", tmp_path / "mail.vault", *budgets)
    assert made.exit_code == 0, made.output
    return tmp_path / "mail.vault"


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def publish(noun: str, mail: Path, out: Path, *arguments: object) -> Any:
    corpus = mail / "corpus.duckdb"
    if noun == "vocabulary":
        return run("words", "vocabulary", corpus, *VOCABULARY, "--out", out, *arguments)
    listed = ("--vocabulary", mail / "list.txt")
    return run("words", "histogram", corpus, *listed, *HISTOGRAM, "--out", out, *arguments)


def content(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def spent(vault: Path) -> dict[str, float]:
    shown = json.loads(run("budget", "show", vault, "--json").stdout)
    return {budget["unit"]: budget["spent_epsilon"] for budget in shown["budgets"]}


def refused(done: Any, vault: Path, before: bytes, out: Path) -> str:
    """See that one line says why, and that nothing was charged, kept or published; return the line."""
    assert done.exit_code == 1, done.output
    (line,) = done.stderr.strip().splitlines()
    assert vault.read_bytes() == before
    assert not out.exists()
    return str(line)


@pytest.mark.parametrize("noun", ["histogram", "vocabulary"])
def test_without_a_vault_the_card_and_the_streams_say_so(noun: str, mail: Path, tmp_path: Path) -> None:
    done = publish(noun, mail, tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert NO_VAULT in done.stderr
    assert NO_VAULT not in done.stdout
    assert NO_VAULT in (tmp_path / "out" / "card.md").read_text()
    assert json.loads((tmp_path / "out" / "guarantee.json").read_text())["receipt"] is None


@pytest.mark.parametrize("noun", ["histogram", "vocabulary"])
def test_with_a_vault_the_card_has_a_receipt(noun: str, mail: Path, vault: Path, tmp_path: Path) -> None:
    done = publish(noun, mail, tmp_path / "out", "--vault", vault)
    assert done.exit_code == 0, done.output
    ((number, entry),) = Vault(vault).state.releases.items()
    receipt = f"Receipt: entry {number} of its vault, sealed {entry.digest}."
    assert receipt in done.stderr
    card = (tmp_path / "out" / "card.md").read_text()
    assert receipt in card
    assert NO_VAULT not in done.output + card
    cost = 3 if noun == "histogram" else 30
    assert spent(vault) == {"edge": cost, "edge-content": cost}
    checked = run("budget", "verify", vault, tmp_path / "out", "--mail", mail / "corpus.duckdb")
    assert checked.exit_code == 0, checked.output
    assert "NOT OK" not in checked.stdout


@pytest.mark.long
def test_other_mail_is_refused_unless_it_is_a_new_version(mail: Path, vault: Path, tmp_path: Path) -> None:
    assert publish("vocabulary", mail, tmp_path / "v", "--vault", vault).exit_code == 0
    before, newer = vault.read_bytes(), mail / "next" / "corpus.duckdb"
    given = (*VOCABULARY[:1], 10, *VOCABULARY[2:], "--vault", vault, "--out", tmp_path / "next")
    line = refused(run("words", "vocabulary", newer, *given), vault, before, tmp_path / "next")
    assert "belongs to another mail" in line
    assert "--same-data" in line
    assert run("budget", "verify", vault, "--mail", newer).exit_code == 1
    done = run("words", "vocabulary", newer, *given, "--same-data")
    assert done.exit_code == 0, done.output
    assert spent(vault) == {"edge": 40, "edge-content": 40}
    assert "version 2 of the vault's own" in run("budget", "verify", vault, "--mail", newer).stdout


@pytest.mark.parametrize("option", ["--same-data", "--void-promises"])
@pytest.mark.parametrize("noun", ["histogram", "vocabulary"])
def test_what_speaks_of_a_vault_needs_one(noun: str, option: str, mail: Path, tmp_path: Path) -> None:
    done = publish(noun, mail, tmp_path / "out", option)
    assert (done.exit_code, "expected with --vault" in done.stderr) == (1, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_a_public_list_after_a_network_voids_its_promise_or_nothing(
    mail: Path, vault: Path, tmp_path: Path
) -> None:
    graph = tmp_path / "ties.edges"
    graph.write_text("".join(f"p{u} p{v}\n" for u, v in itertools.combinations(range(12), 2) if (u + v) % 3))
    network = ("network", "release", graph, "--epsilon", 0.5, "--vault", vault, "--out")
    done = run(*network, tmp_path / "n")
    assert done.exit_code == 0, done.output
    before, listed = vault.read_bytes(), ("--edges", mail / "edges.tsv", "--vault", vault)
    for noun in ("histogram", "vocabulary"):
        line = refused(publish(noun, mail, tmp_path / "x", *listed), vault, before, tmp_path / "x")
        assert f"words {noun}" in line
        assert "takes who is tied to whom for public" in line
        assert "(network release" in line
        assert "--void-promises" in line
    assert publish("histogram", mail, tmp_path / "h", "--vault", vault).exit_code == 0  # without a list
    assert spent(vault) == {"edge": 3.5, "edge-content": 3}
    done = publish("vocabulary", mail, tmp_path / "v", *listed, "--void-promises")
    assert done.exit_code == 0, done.output
    sentence = "promised to hide adding or removing any one tie. That promise was given up on"
    assert sentence in done.stderr
    assert sentence in (tmp_path / "v" / "card.md").read_text()
    assert sentence not in (tmp_path / "h" / "card.md").read_text()
    shown = run("budget", "show", vault).stdout
    assert "edge: no longer hidden, since entry" in shown
    assert sentence in shown
    later = publish("histogram", mail, tmp_path / "later", "--vault", vault)
    assert sentence in later.stderr
    before = vault.read_bytes()
    line = refused(run(*network, tmp_path / "m"), vault, before, tmp_path / "m")
    assert "was declared public by entry" in line


def test_a_public_list_declares_ties_and_charges_contents_alone(
    mail: Path, vault: Path, tmp_path: Path
) -> None:
    done = publish("histogram", mail, tmp_path / "h", "--edges", mail / "edges.tsv", "--vault", vault)
    assert done.exit_code == 0, done.output
    shown = json.loads(run("budget", "show", vault, "--json").stdout)
    assert (set(shown["facts"]), shown["gone"]) == ({"ties", "vocabulary"}, ["edge"])
    assert spent(vault)["edge-content"] == 3


@pytest.mark.parametrize("noun", ["histogram", "vocabulary"])
def test_a_release_is_given_back_byte_for_byte(noun: str, mail: Path, vault: Path, tmp_path: Path) -> None:
    assert publish(noun, mail, tmp_path / "out", "--vault", vault).exit_code == 0
    before, published = vault.read_bytes(), content(tmp_path / "out")
    (listed,) = json.loads(run("release", "list", vault, "--json").stdout)
    assert (listed["kept"], listed["release"].split(",")[0]) == (True, f"words {noun}")
    done = run("release", "resume", vault, "--out", tmp_path / "beside")
    assert done.exit_code == 0, done.output
    assert "without a new charge" in done.stdout
    shutil.rmtree(tmp_path / "out")
    assert run("release", "resume", vault, listed["entry"], "--out", tmp_path / "out").exit_code == 0
    assert content(tmp_path / "out") == content(tmp_path / "beside") == published
    assert len(published) >= 3
    assert vault.read_bytes() == before  # nothing was charged, or written at all
    again = run("release", "resume", vault, "--out", tmp_path / "out")
    assert (again.exit_code, content(tmp_path / "out")) == (
        1,
        published,
    )  # what is there is never overwritten


@pytest.mark.long
def test_each_of_several_releases_is_given_back_until_it_is_discarded(
    mail: Path, vault: Path, tmp_path: Path
) -> None:
    for number in range(3):
        given = ("--vault", vault, *(("--seed", 1) if number == 2 else ()))
        assert publish("histogram", mail, tmp_path / f"h{number}", *given).exit_code == 0
    entries = [row["entry"] for row in json.loads(run("release", "list", vault, "--json").stdout)]
    for number, entry in enumerate(entries):
        assert run("release", "resume", vault, entry, "--out", tmp_path / f"r{number}").exit_code == 0
        assert content(tmp_path / f"r{number}") == content(tmp_path / f"h{number}")
    assert len({content(tmp_path / f"r{number}")["card.md"] for number in range(3)}) == 3
    assert run("release", "discard", vault, entries[0]).exit_code == 0
    lost = run("release", "resume", vault, entries[0], "--out", tmp_path / "lost")
    assert (lost.exit_code, "discarded" in lost.stderr, (tmp_path / "lost").exists()) == (1, True, False)
    assert spent(vault)["edge-content"] == 9  # its charge stays


def test_a_refused_charge_leaves_nothing_to_resume(mail: Path, vault: Path, tmp_path: Path) -> None:
    before = vault.read_bytes()
    done = publish("vocabulary", mail, tmp_path / "v", "--vault", vault, "--epsilon", 60)
    assert "epsilon 50 left per edge" in refused(done, vault, before, tmp_path / "v")
    assert run("release", "resume", vault, "--out", tmp_path / "v").exit_code == 1
    assert not (tmp_path / "v").exists()
    kept = vault.with_name(f"{vault.name}.kept")
    assert not list(kept.glob("*"))
    assert not list(kept.glob(".*"))
