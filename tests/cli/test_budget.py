"""`entrenous budget` and `entrenous release`, as somebody would type them."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from entrenous.cli import app
from entrenous.datasets import organization
from entrenous.vault import Vault

BUDGETS = ("--budget", "edge=8,1e-5", "--budget", "edge-content=8,1e-5")


class Company:
    """An invented company with one vault, and a shell to work in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.vault = folder / "company.vault"
        people = organization(30, seed=1)
        people.graph.write(folder / "graph.edges")
        people.write_mail(folder / "mail.jsonl", 300)
        ties = people.graph.edges().tolist()
        (folder / "ties.tsv").write_text(
            "".join(f"{people.graph.name(u)}\t{people.graph.name(v)}\n" for u, v in ties)
        )
        self.run("words", "read", folder / "mail.jsonl", "--out", folder / "mail.corpus")
        self.run("budget", "create", self.vault, *BUDGETS)

    def run(self, *words: object, code: int = 0) -> str:
        """Type a command, and return all it said."""
        done = CliRunner(env={"COLUMNS": "250"}).invoke(app, [str(word) for word in words])
        assert done.exit_code == code, done.output
        return " ".join(done.output.split())

    def network(self, out: str, *more: object, code: int = 0) -> str:
        return self.run(
            "network", "release", self.folder / "graph.edges", "--epsilon", 1, "--vault", self.vault,
            "--out", self.folder / out, *more, code=code,
        )  # fmt: skip

    def links(self, out: str, *more: object, code: int = 0) -> str:
        return self.run(
            "links", "obfuscate", self.folder / "graph.edges", "--steps", 500, "--chains", 1, "--vault", self.vault,
            "--out", self.folder / out, *more, code=code,
        )  # fmt: skip

    def words(self, out: str, *more: object, code: int = 0) -> str:
        return self.run(
            "words", "vocabulary", self.folder / "mail.corpus", "--epsilon", 4, "--delta", 1e-6, "--n", 1,
            "--vault", self.vault, "--out", self.folder / out, *more, code=code,
        )  # fmt: skip

    def shown(self) -> dict[str, Any]:
        done = CliRunner().invoke(app, ["budget", "show", str(self.vault), "--json"])
        found: dict[str, Any] = json.loads(done.output)
        return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Company(tmp_path_factory.mktemp("company")).folder


@pytest.fixture
def company(whole: Path, tmp_path: Path) -> Company:
    """A copy of the company, with an empty vault."""
    folder = tmp_path / "company"
    shutil.copytree(whole, folder)
    copy = Company.__new__(Company)
    copy.folder, copy.vault = folder, folder / "company.vault"
    return copy


def test_a_vault_is_created_shown_and_extended(tmp_path: Path) -> None:
    company = Company.__new__(Company)
    company.vault = tmp_path / "a.vault"
    assert "epsilon 2, per edge" in company.run("budget", "create", company.vault, "--epsilon", 2)
    said = company.run("budget", "add", company.vault, "edge-content=4,1e-5")
    assert "edge-content: ░░░░░░░░░░░░░░░░░░░░ epsilon 4 of 4 left, delta 1e-05 of 1e-05" in said
    shown = company.shown()
    assert [each["unit"] for each in shown["budgets"]] == ["edge", "edge-content"]
    assert shown["budgets"][1]["slack"] == 1e-5
    assert [each["allowed"] for each in shown["outlook"]].count(True) >= 3
    assert "never overwritten" in company.run("budget", "create", company.vault, "--epsilon", 9, code=1)


@pytest.mark.parametrize("wrong", [(), ("--epsilon", 1, "--budget", "edge=1"), ("--budget", "edge")])
def test_a_budget_is_said_in_one_way(tmp_path: Path, wrong: tuple[object, ...]) -> None:
    company = Company.__new__(Company)
    said = company.run("budget", "create", tmp_path / "a.vault", *wrong, code=1)
    assert "expected" in said
    assert not (tmp_path / "a.vault").exists()


@pytest.mark.long
def test_three_releases_of_one_company_no_longer_contradict_each_other(company: Company) -> None:
    """A network and words of one vault add up; blurred ties and a public list of them are refused, and say why."""
    company.network("public")
    company.words("words")
    spent = {each["unit"]: each["spent_epsilon"] for each in company.shown()["budgets"]}
    assert {unit: round(epsilon, 6) for unit, epsilon in spent.items()} == {"edge": 5.0, "edge-content": 4.0}
    assert "edges" not in json.loads((company.folder / "words" / "guarantee.json").read_text())["parameters"]
    before = Vault(company.vault).entries()
    said = company.links("blurred", code=1)
    assert "links obfuscate promises nothing: from then on who is tied to whom may be known" in said
    assert "(network release, method owner) promises to hide adding or removing any one tie" in said
    said = company.words("listed", "--edges", company.folder / "ties.tsv", code=1)
    assert "takes who is tied to whom for public, but entry" in said
    assert Vault(company.vault).entries() == before
    assert sorted(file.name for file in company.folder.iterdir() if file.is_dir()) == [
        "company.vault.kept",
        "public",
        "words",
    ]


@pytest.mark.long
def test_a_network_is_refused_once_ties_were_declared_public(company: Company) -> None:
    said = company.words("listed", "--edges", company.folder / "ties.tsv")
    assert "Receipt: entry" in said
    card = json.loads((company.folder / "listed" / "guarantee.json").read_text())
    assert card["parameters"]["edges"] == len((company.folder / "ties.tsv").read_text().splitlines())
    said = company.network("public", code=1)
    assert "who is tied to whom was declared public by entry" in said
    assert "nothing was charged" in said
    shown = company.run("budget", "show", company.vault)
    assert "edge: no longer hidden, since entry" in shown
    assert "a network release at epsilon 1: no, network release would promise to hide" in shown
    assert "a vocabulary at epsilon 1 for edges: yes" in shown


@pytest.mark.long
def test_promises_that_are_given_up_are_named_on_every_later_card(company: Company) -> None:
    company.network("public")
    company.links("blurred", "--void-promises")
    sentence = "promised to hide adding or removing any one tie. That promise was given up on"
    assert sentence in (company.folder / "blurred" / "card.md").read_text()
    company.words("words")
    assert sentence in (company.folder / "words" / "card.md").read_text()
    company.run("report", company.folder / "words")
    assert sentence in (company.folder / "words" / "report.html").read_text()
    assert sentence in company.run("budget", "show", company.vault)
    assert "may be known since entry" in company.network("again", code=1)


def test_a_fact_is_declared_by_hand(company: Company) -> None:
    assert "declared by hand: who is tied to whom" in company.run(
        "budget", "declare", company.vault, "--fact", "ties"
    )
    assert "declared public by entry" in company.network("public", code=1)


@pytest.mark.long
def test_verify_notices_what_was_done_to_a_vault(company: Company) -> None:
    company.network("public")
    company.words("words")
    look = ("budget", "verify", company.vault, company.folder / "public", company.folder / "words")
    data = ("--graph", company.folder / "graph.edges", "--mail", company.folder / "mail.corpus")
    said = company.run(*look, *data)
    assert said.count("ok:") == 5
    assert "What cannot be noticed" in said
    (company.folder / "graph.edges").write_text("a b\n")
    assert "NOT OK: this graph is not the one" in company.run(*look, *data, code=1)
    connection = sqlite3.connect(company.vault, isolation_level=None)
    connection.execute("DELETE FROM entry WHERE number > 6")
    connection.close()
    assert "NOT OK: words: its receipt is of entry" in company.run(*look, code=1)
    connection = sqlite3.connect(company.vault, isolation_level=None)
    connection.execute("DELETE FROM entry WHERE number = 3")
    connection.close()
    assert "NOT OK: the vault is damaged" in company.run(*look, code=1)


@pytest.mark.long
def test_another_graph_is_refused_unless_it_is_said_to_be_the_same(company: Company) -> None:
    company.network("public")
    lines = (company.folder / "graph.edges").read_text().splitlines(keepends=True)
    (company.folder / "graph.edges").write_text("".join(lines[1:]))
    assert "belongs to another graph" in company.network("updated", code=1)
    company.network("updated", "--same-data")
    assert "version 2 of the graph" in company.run("budget", "show", company.vault)


@pytest.mark.long
def test_a_release_comes_back_without_a_new_charge(company: Company) -> None:
    company.network("public")
    company.words("words")
    before = Vault(company.vault).entries()
    numbers = list(Vault(company.vault).state.releases)
    listed = company.run("release", "list", company.vault)
    assert listed.count("yes") == 2
    for number, name in zip(numbers, ("public", "words"), strict=True):
        files = {file.name: file.read_bytes() for file in (company.folder / name).iterdir()}
        shutil.rmtree(company.folder / name)
        said = company.run("release", "resume", company.vault, number, "--out", company.folder / name)
        assert "without a new charge" in said
        assert {file.name: file.read_bytes() for file in (company.folder / name).iterdir()} == files
    company.run(
        "release", "resume", company.vault, numbers[0], "--out", company.folder / "x", "--format", "csv"
    )
    assert (company.folder / "x" / "graph.csv").is_file()
    assert Vault(company.vault).entries() == before
    company.run("release", "discard", company.vault, numbers[0])
    assert "is kept" in company.run("release", "resume", company.vault, numbers[0], "--out", "y", code=1)
    assert json.loads(CliRunner().invoke(app, ["release", "list", str(company.vault), "--json"]).output) == [
        {**row, "kept": kept, "drawn": True}
        for row, kept in zip(
            [
                {"entry": entry.number, "day": entry.time[:10], "release": entry.purpose}
                for entry in Vault(company.vault).state.releases.values()
            ],
            (False, True),
            strict=True,
        )
    ]


@pytest.mark.long
def test_the_owner_gets_a_page_with_a_picture(company: Company) -> None:
    company.network("public")
    company.run("budget", "show", company.vault, "--out", company.folder / "budget.html")
    page = (company.folder / "budget.html").read_text()
    assert page.count("<svg") == 1
    assert "for the curator only" in page
    assert "What would still be allowed" in page
    assert "inside a folder to be published" in company.run(
        "budget", "show", company.vault, "--out", company.folder / "public" / "budget.html", code=1
    )


def test_options_about_a_vault_need_one(company: Company) -> None:
    said = company.run(
        "network", "release", company.folder / "graph.edges", "--epsilon", 1, "--same-data",
        "--out", company.folder / "public", code=1,
    )  # fmt: skip
    assert "expected with --vault" in said
