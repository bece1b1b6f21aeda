"""Both engines give the same tables, exactly, also where machines are lost; and a lost driver leaves a true vault."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.words.lost_machines import ARRAYS
from typer.testing import CliRunner

from entrenous import Vault, datasets
from entrenous.cli import app
from entrenous.errors import FormatError, InputError, MissingDataError, OutputExistsError
from entrenous.words import Corpus, PublicEdges
from entrenous.words.counting.table import Table

pytestmark = pytest.mark.spark
LOST = Path(__file__).with_name("lost_machines.py")
COMPANY = datasets.organization(30, seed=3)
MESSAGES = list(COMPANY.messages(400, style="enron"))
ODD = [
    {"id": "1@example.org", "from": "p01@example.org", "to": ["p02@example.org"], "body": "an id that was taken"},
    {"id": "", "from": "Zoë <ZOE@x.org>", "to": "ann@x.org; \"Day, Eve\" <eve@x.org>", "body": "naïve café o'clock"},
    {"id": None, "from": "zoe@x.org", "to": "all@x.org, zoe@x.org", "subject": "Re: list", "body": "> quoted\nnew"},
    {"from": "", "to": ["ann@x.org"], "body": "nobody wrote this"},
    {"from": "ann@x.org", "to": ["ann@x.org"], "body": "to herself"},
    {"from": "ann@x.org", "to": None, "cc": ["eve@x.org"], "bcc": ["bob@x.org"], "body": ""},
    {"id": 7, "from": "eve@x.org", "to": [], "date": "2024-02-30", "body": "to nobody on no day"},
]  # fmt: skip


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A session, made as users get it, whose parts are so small that files are cut into several."""
    from pyspark.sql import SparkSession

    from entrenous.words.counting.engines.spark import Spark

    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.fail("tests marked `spark` need Java 17 or later; there is none")
    settings = tmp_path_factory.mktemp("settings")
    (settings / "spark-defaults.conf").write_text(
        "spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1\n"  # so little work is not worth optimising
        "spark.sql.codegen.wholeStage false\n"
        "spark.sql.files.maxPartitionBytes 50000\n"
        "spark.sql.files.openCostInBytes 10000\n"
        "spark.sql.shuffle.partitions 3\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(settings))
        Spark("local[2]")
    yield
    running = SparkSession.getActiveSession()
    assert running is not None
    running.stop()


@pytest.fixture(scope="module")
def mail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Mail in all forms, some of it twice: as JSON lines with blank ones between, compressed, and as Parquet."""
    folder = tmp_path_factory.mktemp("mail")
    lines = [json.dumps(message, ensure_ascii=False) for message in [*MESSAGES[:250], *ODD]]
    (folder / "b.jsonl").write_text("\n\n".join(lines), encoding="utf-8")
    COMPANY.write_mail(folder / "a.jsonl.gz", 40)
    (folder / "more mail").mkdir()
    parquet.write_table(
        pa.Table.from_pylist(MESSAGES[200:]), folder / "more mail" / "c%20.parquet", row_group_size=50
    )
    return folder


@pytest.fixture(scope="module")
def corpora(spark: None, mail: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Corpus, Corpus]:
    directory = tmp_path_factory.mktemp("public") / "directory.csv"
    directory.write_text("address,person,member_of\nann@x.org,,all@x.org\neve@x.org,zoe@x.org,all@x.org\n")
    return Corpus.read(mail, directory=directory), Corpus.read(mail, directory=directory, engine="spark")


def assert_same(left: Table, right: Table) -> None:
    assert list(left.names) == list(right.names)
    for name in ARRAYS:
        assert np.array_equal(getattr(left, name), getattr(right, name)), name


def test_both_engines_read_the_same(corpora: tuple[Corpus, Corpus]) -> None:
    embedded, cluster = (corpus.summary for corpus in corpora)
    assert embedded == cluster
    assert cluster.dropped["duplicates"] == 50
    assert cluster.dropped["copies of a message with other words"] > 20
    assert {"messages without a sender", "messages to the sender alone"} < set(cluster.dropped)


def test_a_vault_recognises_mail_whichever_engine_read_it(
    corpora: tuple[Corpus, Corpus], tmp_path: Path
) -> None:
    embedded, cluster = (corpus.fingerprint(b"k" * 32) for corpus in corpora)
    assert embedded == cluster
    long = {"from": "ann@x.org", "to": ["eve@x.org"], "body": "naïve words " * 8000}
    (tmp_path / "mail.jsonl").write_text(json.dumps(long))
    engines = (Corpus.read(tmp_path / "mail.jsonl", engine=engine) for engine in ("duckdb", "spark"))
    embedded, cluster = (corpus.fingerprint(b"k" * 32) for corpus in engines)
    assert embedded == cluster


def groups(corpus: Corpus) -> list[tuple[str, int, int, int]]:
    """Return sender, thread and near-copies of all messages by their words; groups are numbered as they come."""
    rows = sorted(
        corpus._engine.rows(
            """SELECT written.sender, written.thread, written.alike, identity, coalesce(subject, ''), coalesce(body, '')
            FROM written JOIN messages USING (message)"""
        ),
        key=lambda row: (row[0], str(row[3]), row[4:]),
    )
    threads = {thread: place for place, thread in enumerate(dict.fromkeys(row[1] for row in rows))}
    alike = {group: place for place, group in enumerate(dict.fromkeys(row[2] for row in rows))}
    return [(f"{row[4]} {row[5]}", row[0], threads[row[1]], alike[row[2]]) for row in rows]


def test_both_engines_find_the_same_threads_and_near_copies(corpora: tuple[Corpus, Corpus]) -> None:
    embedded, cluster = map(groups, corpora)
    assert embedded == cluster
    assert {type(row[1]) for row in embedded} == {int}


def test_a_copy_on_another_edge_changes_nothing(spark: None, tmp_path: Path) -> None:
    """As in `test_copies`, on Spark: copies of one message, with the same words and with others."""
    sent = {"id": "1@x.org", "from": "a@x.org", "subject": "s", "date": "2024-01-01T10:00:00", "thread": "t"}
    copies = [
        sent | {"to": ["b@x.org"], "body": "tea sent to all"},
        sent | {"to": ["b@x.org"], "body": "tea"},
        sent | {"to": ["c@x.org"], "body": "tea"},
        sent | {"to": ["c@x.org"], "body": "tea", "id": "2@x.org"},
    ]
    tables = []
    for name, rows in {"all": copies, "without": copies[2:]}.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        corpus = Corpus.read(tmp_path / f"{name}.jsonl", engine="spark")
        tables.append(corpus.on_edges(PublicEdges.of([("a@x.org", "c@x.org")])).table(n=1))
        if name == "all":
            assert (corpus.edge_count, corpus.summary.messages) == (2, 3)
            asked = "SELECT count(*), count(DISTINCT thread), count(DISTINCT alike) FROM written"
            assert corpus._engine.rows(asked) == [(3, 1, 2)]
    assert tables[0].ngrams > 1
    assert sorted(tables[1].names) == ["s", "tea"]
    counted = [
        dict(zip((table.names[i] for i in table.ngram), table.frequency, strict=True)) for table in tables
    ]
    assert counted[0] == counted[1]


@pytest.mark.parametrize(
    ("by", "n", "contribution"),
    [pytest.param("edge", 2, None, marks=pytest.mark.thorough), ("edge", 3, 7), ("sender", 1, 5)],
)
def test_both_engines_give_the_same_table(
    by: str, n: int, contribution: int | None, corpora: tuple[Corpus, Corpus]
) -> None:
    embedded, cluster = (corpus.table(by=by, n=n, contribution=contribution) for corpus in corpora)
    assert embedded.ngrams > 200
    assert_same(embedded, cluster)


def test_both_engines_count_a_public_list(corpora: tuple[Corpus, Corpus]) -> None:
    listed = ["the", "to the", "naïve", "o'clock", "never said"]
    embedded, cluster = (corpus.table(contribution=2, listed=listed) for corpus in corpora)
    assert embedded.support().sum() > 100
    assert_same(embedded, cluster)


def test_both_engines_count_a_message_once(corpora: tuple[Corpus, Corpus]) -> None:
    embedded, cluster = (corpus.messages(n=2) for corpus in corpora)
    assert embedded.copies.max() > 1
    assert_same(embedded, cluster)
    for name in ("edges", "notes", "edge_ends", "thread", "alike"):
        assert np.array_equal(getattr(embedded, name), getattr(cluster, name)), name
    for by in ("edge-and-message", "message", "thread", "all"):
        assert_same(*(corpus.table(by=by, n=1) for corpus in corpora))


def test_both_engines_see_the_edges_of_a_public_list(corpora: tuple[Corpus, Corpus]) -> None:
    listed = PublicEdges.of([("zoe@x.org", "ann@x.org"), ("ann@x.org", "nobody@x.org")])
    embedded, cluster = (corpus.on_edges(listed) for corpus in corpora)
    assert embedded.left_out == cluster.left_out == corpora[0].edge_count - 1
    assert_same(embedded.table(n=1), cluster.table(n=1))


def test_commands_publish_the_same_on_both_engines(spark: None, mail: Path, tmp_path: Path) -> None:
    """A seed makes the noise the same: then counts that are published tell of the tables."""

    def run(*arguments: object) -> str:
        done = CliRunner().invoke(app, ["words", *map(str, arguments)])
        assert done.exit_code == 0, done.output
        return done.stdout

    (tmp_path / "list.txt").write_text("the\nto\nto the\nof\n")
    asked = (
        "--vocabulary",
        tmp_path / "list.txt",
        "--epsilon",
        2,
        "--contribution",
        2,
        "--seed",
        1,
        "--json",
    )
    for engine in ("duckdb", "spark"):
        run("read", mail / "b.jsonl", "--out", tmp_path / engine, "--engine", engine)
        run(
            "histogram", tmp_path / engine, *asked, "--out", tmp_path / f"{engine}-counts", "--engine", engine
        )
    counted = [
        (tmp_path / f"{engine}-counts" / "histogram.csv").read_text() for engine in ("duckdb", "spark")
    ]
    assert counted[0] == counted[1]
    private = list((tmp_path / "spark").rglob("*"))
    assert len(private) > 10
    assert not any(file.stat().st_mode & 0o077 for file in private), "a corpus is for its owner alone"
    assert not list((tmp_path / "spark").glob("_aside*")), "nothing is left behind"
    with pytest.raises(OutputExistsError):
        Corpus.read(mail / "b.jsonl", store=tmp_path / "spark", engine="spark")
    told = json.loads(run("correlate", mail / "b.jsonl", "--n", 1, "--engine", "spark", "--json"))
    assert told["models"] == json.loads(run("correlate", tmp_path / "duckdb", "--n", 1, "--json"))["models"]


def test_what_cannot_be_read_is_told_without_its_content(spark: None, tmp_path: Path) -> None:
    (tmp_path / "both").mkdir()
    (tmp_path / "a.json").write_text('{"from": "a", "to": ["b"], "body": "fine"}\n{"from": "canary"\n')
    with pytest.raises(FormatError, match="file 1, line 2: expected a JSON object") as problem:
        Corpus.read(tmp_path / "a.json", engine="spark")
    assert "canary" not in str(problem.value)
    parquet.write_table(pa.table({"writer": ["canary"], "body": ["x"]}), tmp_path / "b.parquet")
    with pytest.raises(FormatError, match="expected at least the columns from and body"):
        Corpus.read(tmp_path / "b.parquet", engine="spark")
    parquet.write_table(pa.table({"from": ["a"], "body": ["x"]}), tmp_path / "both" / "a.parquet")
    parquet.write_table(pa.table({"body": ["x"]}), tmp_path / "both" / "b.parquet")
    for engine in ("duckdb", "spark"):
        with pytest.raises(FormatError, match="file 2: expected at least the columns from and body; got 1"):
            Corpus.read(tmp_path / "both", engine=engine)
    with pytest.raises(FormatError, match="1 messages without a recipient; name the columns"):
        Corpus.read(tmp_path / "b.parquet", columns={"from": "writer"}, engine="spark")
    (tmp_path / "c.parquet").write_text("no Parquet, canary")
    with pytest.raises(InputError) as broken:
        Corpus.read(tmp_path / "c.parquet", engine="spark")
    assert "canary" not in str(broken.value)
    for read in (Corpus.read, Corpus.open):
        with pytest.raises(MissingDataError):
            read(tmp_path / "nowhere", engine="spark")


def test_nothing_is_passed_over_in_silence(spark: None, tmp_path: Path) -> None:
    (tmp_path / "A.JSON").write_text('{"from": "a", "to": ["b"], "body": "fine"}')
    assert Corpus.read(tmp_path, engine="spark").summary == Corpus.read(tmp_path).summary
    for name in ("canary.mbox", "canary", "_canary.json", ".old/canary.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("mail, perhaps")
        with pytest.raises(
            InputError, match="got 1 others, which only the embedded engine looks into"
        ) as problem:
            Corpus.read(tmp_path, engine="spark")
        assert "canary" not in str(problem.value)
        (tmp_path / name).unlink()


def test_a_store_is_a_new_folder_or_an_unfinished_corpus(spark: None, mail: Path, tmp_path: Path) -> None:
    (tmp_path / "edges").mkdir()
    (tmp_path / "edges" / "mine").touch()
    with pytest.raises(OutputExistsError):
        Corpus.read(mail / "b.jsonl", store=tmp_path, engine="spark")
    assert (tmp_path / "edges" / "mine").exists()
    (tmp_path / "broken.json").write_text("{")
    for _ in range(2):
        with pytest.raises(FormatError):
            Corpus.read(tmp_path / "broken.json", store=tmp_path / "new", engine="spark")
        with pytest.raises(MissingDataError):
            Corpus.open(tmp_path / "new", engine="spark")


def lose(what: str, mail: Path, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, LOST, what, mail, folder], capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == -signal.SIGKILL, done.stderr[-3000:]


@pytest.mark.thorough
def test_counts_are_exact_though_executors_are_killed(mail: Path, tmp_path: Path) -> None:
    lose("executors", mail, tmp_path)
    found = np.load(tmp_path / "table.npz")
    expected = Corpus.read(mail).table(contribution=9)
    for name in ARRAYS:
        assert np.array_equal(found[name], getattr(expected, name)), name
    kinds = [entry.kind for entry in Vault(tmp_path / "counting.vault").entries()]
    assert kinds == ["opened", "budget"], "the driver was killed before anything was charged"


@pytest.mark.thorough
def test_the_vault_knows_of_a_driver_that_was_killed_while_it_drew(mail: Path, tmp_path: Path) -> None:
    lose("driver", mail / "a.jsonl.gz", tmp_path)
    vault = Vault(tmp_path / "drawing.vault")
    (release,) = vault.state.releases.values()
    assert (release.kind, release.purpose) == ("charge", "words histogram, geometric noise")
    assert (vault.state.drawn, vault.shelf.numbers(), vault.left_epsilon) == ({}, [], 1)
