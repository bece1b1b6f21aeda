"""`entrenous words histogram`, `entrenous words compare` and their vault, from the outside."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.cli.words.small_mail import CANARY, list_edges, store_mail
from typer.testing import CliRunner

from entrenous.cli import app
from entrenous.guarantee import PUBLIC_VOCABULARY
from entrenous.words.histogram import PUBLISHED_VOCABULARY

LISTED = "budget\nmeeting\n# a note\n\nbudget  meeting\nzeppelin\n"
NUMBERS = ("--epsilon", 3, "--contribution", 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stored corpus of 190 edges that all say the same, one of which says more; and a public list."""
    folder = tmp_path_factory.mktemp("mail")
    store_mail(folder, people=20)
    (folder / "list.txt").write_text(LISTED)
    return folder


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def histogram(folder: Path, *arguments: object) -> Any:
    given = ("--vocabulary", folder / "list.txt", *NUMBERS)
    return run("words", "histogram", folder / "corpus.duckdb", *given, *arguments)


def test_a_histogram_is_saved_with_its_numbers_and_charged(folder: Path, tmp_path: Path) -> None:
    vault = tmp_path / "mail.vault"
    made = run("budget", "create", vault, "--epsilon", 9, "--delta", 1e-4, "--unit", "edge-content")
    assert made.exit_code == 0, made.output
    done = histogram(folder, "--out", tmp_path / "h", "--vault", vault, "--seed", 1, "--json")
    assert done.exit_code == 0, done.output
    card = json.loads(done.stdout)
    assert (card["ngrams"], card["contribution"]) == (4, 2)
    assert card["scale"] == pytest.approx(
        2 * 2 / 3 / (1 - 0.04 - 2 * 0.15)
    )  # a message turns one pair into another; shares for sizes, and what is left out
    rows = (tmp_path / "h" / "histogram.csv").read_text().splitlines()
    assert rows[0].startswith("# not private")
    assert {row.split(",")[0] for row in rows[2:]} == {"budget", "meeting", "budget meeting", "zeppelin"}
    everything = done.output + "".join(file.read_text() for file in (tmp_path / "h").iterdir())
    assert CANARY not in everything
    assert "person3" not in everything
    shown = json.loads(run("budget", "show", vault, "--json").stdout)
    assert [entry["kind"] for entry in shown["entries"]] == [
        *["opened", "budget", "data", "fact", "charge", "drawn"]
    ]
    assert list(shown["facts"]) == ["vocabulary"]  # not who writes to whom
    (charged,) = (entry for entry in shown["entries"] if entry["kind"] == "charge")
    assert (charged["purpose"], charged["rehearsal"]) == ("words histogram, geometric noise", True)
    assert charged["promises"][0]["event"]["mechanism"] == "geometric"
    (budget,) = shown["budgets"]
    assert float(budget["left_epsilon"]) == 6.0
    assert budget["exact_epsilon"] > 0
    assert budget["exact_epsilon"] > 0
    text = run("budget", "show", vault).stdout
    assert "edge-content: ███████░░░░░░░░░░░░░ epsilon 6 of 9 left, delta 0.0001 of 0.0001" in text
    assert "composed exactly at slack" in text


def test_beliefs_and_groups_are_printed_with_their_level(folder: Path, tmp_path: Path) -> None:
    believed = histogram(folder, "--p0", 0.1, "--p1", 0.3, "--out", tmp_path / "b", "--seed", 1)
    assert believed.exit_code == 0, believed.output
    assert "Pufferfish" in believed.stdout
    assert "Without any assumption the edge-content level is epsilon" in believed.stdout
    assert "REHEARSAL" in believed.stdout
    group = histogram(folder, "--group", 3, "--out", tmp_path / "g", "--seed", 1)
    assert "the content of any 3 edges" in group.stdout


def test_gaussian_noise_on_senders(folder: Path, tmp_path: Path) -> None:
    options = ("--unit", "sender", "--noise", "gaussian", "--delta", 1e-3, "--seed", 2, "--json")
    card = json.loads(histogram(folder, *options, "--out", tmp_path / "s").stdout)
    assert (card["guarantee"]["unit"], card["parameters"]["noise"]) == ("sender", "gaussian")


def test_a_prediction_is_private_and_free(folder: Path, tmp_path: Path) -> None:
    done = histogram(folder, "--out", tmp_path / "p", "--predict", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["private"]["above"] == pytest.approx(2.37, abs=0.2)
    assert "do not publish" in done.stderr
    assert "above the noise" in histogram(folder, "--out", tmp_path / "p", "--predict").stdout
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--p0", 0.1), "--p0, --p1"),
        (("--p0", 0.1, "--p1", 0.2, "--group", 3), "--group"),
        (("--neighbours", 3), "--neighbours"),
        (("--p0", 0.1, "--p1", 0.2, "--neighbours", 3), "at least 36"),
        (("--noise", "gaussian"), "delta"),
        (("--vocabulary", "missing.txt"), "missing.txt"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_one_line(
    folder: Path, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    done = histogram(folder, "--out", tmp_path / "x", *arguments)
    assert done.exit_code == 1
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "x").exists()


def test_useless_noise_is_refused_by_the_number_of_a_public_list(folder: Path, tmp_path: Path) -> None:
    useless = ("--group", 5000, "--seed", 1, "--out")
    done = histogram(folder, *useless, tmp_path / "x", "--edges", list_edges(tmp_path, people=20))
    assert (done.exit_code, "all 190 edges" in done.stderr) == (1, True)
    assert not (tmp_path / "x").exists()
    assert histogram(folder, *useless, tmp_path / "x").exit_code == 0  # nobody looks at how many there are


@pytest.mark.long
def test_a_published_vocabulary_may_be_the_list(folder: Path, tmp_path: Path) -> None:
    corpus, numbers = folder / "corpus.duckdb", ("--epsilon", 30, "--delta", 1e-2)
    drawn = run("words", "vocabulary", corpus, *numbers, "--out", tmp_path / "v")
    assert drawn.exit_code == 0, drawn.output
    for number, given in enumerate((tmp_path / "v", tmp_path / "v" / "vocabulary.txt")):
        done = histogram(folder, "--vocabulary", given, "--out", tmp_path / f"h{number}", "--json")
        assert done.exit_code == 0, done.output
        card = json.loads(done.stdout)
        assert card["ngrams"] == len((tmp_path / "v" / "vocabulary.txt").read_text().splitlines())
        assert PUBLISHED_VOCABULARY in card["guarantee"]["assumptions"]
        assert PUBLIC_VOCABULARY not in card["guarantee"]["assumptions"]


@pytest.mark.long
def test_a_rehearsed_vocabulary_is_no_public_list(folder: Path, tmp_path: Path) -> None:
    corpus, numbers = folder / "corpus.duckdb", ("--epsilon", 30, "--delta", 1e-2, "--seed", 1)
    assert run("words", "vocabulary", corpus, *numbers, "--out", tmp_path / "v").exit_code == 0
    copied = tmp_path / "copied.txt"
    copied.write_text((tmp_path / "v" / "vocabulary.txt").read_text())
    for given in (tmp_path / "v", tmp_path / "v" / "vocabulary.txt", copied):
        done = histogram(folder, "--vocabulary", given, "--out", tmp_path / "h")
        assert (done.exit_code, "rehearsal" in done.stderr) == (1, True)
        assert not (tmp_path / "h").exists()
        again = histogram(folder, "--vocabulary", given, "--out", tmp_path / f"{given.name}.h", "--seed", 1)
        assert again.exit_code == 0, again.output


@pytest.mark.parametrize("foreign", ["Budget", "e-mail", "don\u2019t", "10"])
def test_ngrams_that_can_never_be_said_are_refused(folder: Path, tmp_path: Path, foreign: str) -> None:
    (tmp_path / "list.txt").write_text(f"budget\n{foreign}\n", encoding="utf-8")
    done = histogram(folder, "--vocabulary", tmp_path / "list.txt", "--out", tmp_path / "h")
    assert done.exit_code == 1
    assert "the first at place 2" in done.stderr
    assert not (tmp_path / "h").exists()


def test_a_prediction_needs_no_folder_and_a_release_does(folder: Path) -> None:
    assert histogram(folder, "--predict").exit_code == 0
    done = histogram(folder)
    assert (done.exit_code, "--out" in done.stderr) == (2, True)


@pytest.mark.long
def test_a_belief_may_be_estimated_for_a_charge_of_its_own(folder: Path, tmp_path: Path) -> None:
    vault = tmp_path / "mail.vault"
    run("budget", "create", vault, "--epsilon", 60, "--delta", 1e-4, "--unit", "edge-content")
    done = histogram(
        folder,
        "--epsilon",
        50,
        "--estimate-epsilon",
        5,
        "--vault",
        vault,
        "--out",
        tmp_path / "h",
        "--json",
    )
    assert done.exit_code == 0, done.output
    card = json.loads(done.stdout)
    assert (card["guarantee"]["kind"], card["parameters"]["correlation"]) == (
        "pufferfish",
        "Binomial, private estimate",
    )
    entries = json.loads(run("budget", "show", vault, "--json").stdout)["entries"]
    charges = [entry for entry in entries if entry["kind"] == "charge"]
    assert [entry["purpose"].split(",")[0] for entry in charges] == ["words correlation", "words histogram"]
    assert [float(promise["epsilon"]) for promise in charges[0]["promises"]] == [5]
    rehearsed = histogram(
        folder, "--epsilon", 50, "--estimate-epsilon", 5, "--seed", 1, "--out", tmp_path / "r"
    )
    assert "not a privacy guarantee" in rehearsed.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("--group", 3),
        ("--p0", 0.1, "--p1", 0.2),
        ("--predict",),
        ("--unit", "sender"),
        ("--noise", "gaussian"),
        ("--out", "."),
    ],
    ids=str,
)
def test_nothing_is_estimated_for_a_release_that_cannot_be(
    folder: Path, tmp_path: Path, arguments: tuple[object, ...]
) -> None:
    vault = tmp_path / "mail.vault"
    run("budget", "create", vault, "--epsilon", 60, "--delta", 1e-4, "--unit", "edge-content")
    given = ("--estimate-epsilon", 5, "--vault", vault, "--out", tmp_path / "h", *arguments)
    assert histogram(folder, *given).exit_code == 1
    entries = json.loads(run("budget", "show", vault, "--json").stdout)["entries"]
    assert [entry["kind"] for entry in entries] == ["opened", "budget"]


@pytest.mark.long
def test_what_only_the_owner_may_see_is_written_for_the_owner(folder: Path, tmp_path: Path) -> None:
    done = histogram(folder, "--out", tmp_path / "h", "--seed", 1, "--curator", tmp_path / "private.html")
    assert done.exit_code == 0, done.output
    assert run("words", "correlate", folder / "corpus.duckdb", "--out", tmp_path / "private").exit_code == 0
    assert (
        run(
            "words", "correlate", folder / "corpus.duckdb", "--public", "--out", tmp_path / "public"
        ).exit_code
        == 0
    )
    private = [tmp_path / "private.html", tmp_path / "private", *(tmp_path / "private").iterdir()]
    assert len(private) > 4
    assert all(path.stat().st_mode & 0o077 == 0 for path in private)
    open_to_all = 0o666 & ~_umask()
    assert all(path.stat().st_mode & 0o777 == open_to_all for path in (tmp_path / "public").iterdir())


def _umask() -> int:
    before = os.umask(0)
    os.umask(before)
    return before


def test_a_list_must_be_text(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_bytes(b"\xff\xfe budget")
    done = histogram(folder, "--vocabulary", tmp_path / "list.txt", "--out", tmp_path / "i")
    assert "UTF-8" in done.stderr


@pytest.mark.long
def test_beliefs_are_compared(folder: Path) -> None:
    numbers = ("--epsilon", 40, "--delta", 1e-4, "--contribution", 4, "--n", 1)
    corpus = folder / "corpus.duckdb"
    done = run("words", "compare", corpus, *numbers, "--p0", 0.0, "--p1", 0.1, "--json")
    assert done.exit_code == 0, done.output
    rows = {row["belief"]: row for row in json.loads(done.stdout)["rows"]}
    assert list(rows) == ["edge", "sender", "Binomial", "Global", "Conditional", "group"]
    assert [rows[name]["guaranteed"] for name in ("Binomial", "Global")] == [True, False]
    assert rows["edge"]["rmse"] < rows["Binomial"]["rmse"] < rows["group"]["rmse"]
    assert CANARY not in done.output
    text = run("words", "compare", corpus, *numbers, "--public", corpus)
    assert "do not publish" in text.stderr
    assert "not a privacy guarantee" not in text.stdout
    assert "group" in text.stdout


def test_what_stands_out_is_told_at_no_charge(folder: Path, tmp_path: Path) -> None:
    given = ("--out", tmp_path / "h", "--seed", 1)
    assert histogram(folder, "--epsilon", 9, *given).exit_code == 0
    found = json.loads(run("words", "keyphrases", tmp_path / "h", "--json").stdout)["keyphrases"]
    assert {phrase["ngram"] for phrase in found} <= {"budget", "meeting", "budget meeting", "zeppelin"}
    assert run("words", "keyphrases", tmp_path / "h").exit_code == 0
    missing = run("words", "idf", tmp_path / "h")
    assert (missing.exit_code, "how many edges" in missing.stderr) == (1, True)
    told = json.loads(run("words", "idf", tmp_path / "h", "--holders", 190, "--json").stdout)["idf"]
    assert told["budget"]["idf"] < told["zeppelin"]["idf"]
    own = tmp_path / "own.txt"
    own.write_text("Zeppelin, zeppelin! The Budget")
    asked = ("words", "idf", tmp_path / "h", "--holders", 190, "--text", own)
    telling = json.loads(run(*asked, "--json").stdout)["tf_idf"]
    assert next(iter(telling)) == "zeppelin"
    assert telling["zeppelin"] == pytest.approx(2 * told["zeppelin"]["idf"])
    assert telling["budget"] == pytest.approx(told["budget"]["idf"])
    assert "zeppelin" in run(*asked).stdout
    assert run(*asked[:-1], tmp_path / "none.txt").exit_code == 1
