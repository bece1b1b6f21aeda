"""The store: who may read it, how reading continues, and that a killed reader loses nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.words.mailboxes import plain, write_mbox

from entrenous import datasets
from entrenous.errors import ArgumentError, FormatError, InputError, MissingDataError
from entrenous.words import Corpus
from entrenous.words.reading import mail_store as store_module


def summary_of(path: Path, store: Path) -> dict[str, object]:
    corpus = Corpus.read(path, store=store)
    corpus.close()
    return corpus.summary.to_json()


def test_the_store_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        corpus = Corpus.read(
            write_mbox(tmp_path / "a.mbox", plain(1, "a@x", "b@x", "word")), store=tmp_path / "c.duckdb"
        )
        made = [file for file in tmp_path.iterdir() if file.name.startswith("c.duckdb")]
        assert {file.stat().st_mode & 0o777 for file in made} == {0o600}
        corpus.close()
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)


def test_reading_continues_and_never_doubles(tmp_path: Path) -> None:
    mail, store = tmp_path / "mail", tmp_path / "c.duckdb"
    write_mbox(mail / "a.mbox", plain(1, "a@x", "b@x", "one"))
    first = summary_of(mail, store)
    assert summary_of(mail, store) == first
    write_mbox(mail / "b.mbox", plain(2, "a@x", "c@x", "two"))
    second = summary_of(mail, store)
    assert (second["messages"], second["edges"]) == (2, 2)
    assert second == Corpus.read(mail).summary.to_json()


@pytest.mark.long
def test_a_store_that_took_more_without_settling_is_unfinished(tmp_path: Path) -> None:
    mail, store = tmp_path / "mail", tmp_path / "c.duckdb"
    write_mbox(
        mail / "a.mbox",
        plain(1, "a@x", "b@x", "one"),
        *(plain(9, "a@x", "b@x", "again") for _ in range(2100)),
    )
    summary_of(mail, store)
    write_mbox(mail / "a.mbox", *(plain(i, "a@x", "b@x", "more") for i in range(2100)))
    (mail / "b.jsonl").write_text("broken")
    with pytest.raises(FormatError, match="file 2"):
        Corpus.read(mail, store=store)
    with pytest.raises(FormatError, match="unfinished"):
        Corpus.open(store)
    (mail / "b.jsonl").unlink()
    assert summary_of(mail, store)["messages"] == 2100


def test_a_file_that_changed_is_taken_anew(tmp_path: Path) -> None:
    mail, store = tmp_path / "a.mbox", tmp_path / "c.duckdb"
    write_mbox(mail, plain(1, "a@x", "b@x", "one"), plain(2, "a@x", "b@x", "two"))
    assert summary_of(mail, store)["messages"] == 2
    write_mbox(
        mail, plain(2, "a@x", "b@x", "two"), plain(3, "a@x", "c@x", "three"), plain(4, "a@x", "d@x", "four")
    )
    assert summary_of(mail, store) == Corpus.read(mail).summary.to_json()


def test_a_message_that_was_seen_keeps_its_place_in_a_maildir(tmp_path: Path) -> None:
    box, store = tmp_path / "box", tmp_path / "c.duckdb"
    for folder in ("cur", "new", "tmp"):
        (box / folder).mkdir(parents=True)
    message = box / "new" / "1.host"
    message.write_bytes(b"From: a@x\nTo: b@x\n\nno date and no name\n")
    (box / "tmp" / "2.host").write_bytes(b"From: a@x\nTo: c@x\n\nhalf deliv")
    assert summary_of(box, store)["messages"] == 1
    message.rename(box / "cur" / "1.host:2,S")
    assert summary_of(box, store)["messages"] == 1


@pytest.mark.faults
def test_killed_in_the_middle_and_run_again(tmp_path: Path) -> None:
    mail, store = tmp_path / "mail", tmp_path / "c.duckdb"
    mail.mkdir()
    invented = list(datasets.organization(40, seed=2).messages(2_100))
    for part in range(4):
        lines = invented[part * 525 : (part + 1) * 525]
        raw = (plain(part * 525 + i, m["from"], m["to"][0], m["body"]) for i, m in enumerate(lines))
        write_mbox(mail / f"{part}.mbox", *raw)
    program = (
        "import sys; from entrenous.words import Corpus\n"
        "from entrenous.words.reading import mail_store\n"
        "mail_store.CHUNK, mail_store.TOGETHER = 128, 512\n"
        "def tick(done, total):\n    print(done, flush=True)\n"
        "Corpus.read(sys.argv[1], store=sys.argv[2], progress=tick)"
    )
    reader = subprocess.Popen([sys.executable, "-c", program, mail, store], stdout=subprocess.PIPE, text=True)
    assert reader.stdout is not None
    half = sum(file.stat().st_size for file in mail.iterdir()) / 2
    for line in reader.stdout:
        if int(line) > half:
            break
    reader.send_signal(signal.SIGKILL)
    assert reader.wait() == -signal.SIGKILL
    reader.stdout.close()
    with pytest.raises(FormatError, match="unfinished"):
        Corpus.open(store)
    ticks: list[int] = []
    resumed = Corpus.read(mail, store=store, progress=lambda done, _: ticks.append(done))
    assert min(ticks) > half / 2, "what was committed is not read again"
    assert resumed.summary == Corpus.read(mail).summary
    assert resumed.summary.messages == 2_100


@pytest.mark.long
@pytest.mark.parametrize("form", ["jsonl", "parquet", "mbox"])
def test_reading_resumes_within_a_large_file(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "AT_MOST", 2000)
    monkeypatch.setattr(store_module, "CHUNK", 500)
    company, mail, store = datasets.organization(40, seed=2), tmp_path / f"mail.{form}", tmp_path / "c.duckdb"
    if form == "parquet":
        parquet.write_table(pa.Table.from_pylist(list(company.messages(7000))), mail)
    else:
        company.write_mail(mail, 7000, format=form)
    calls = iter(range(100))

    def stop(_done: int, _total: int) -> None:
        if next(calls) == 10:  # in the third transaction
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Corpus.read(mail, store=store, progress=stop)
    with pytest.raises(FormatError, match="unfinished"):
        Corpus.open(store)
    taken: list[int] = []
    resumed = Corpus.read(mail, store=store, progress=lambda done, _: taken.append(done))
    assert len(taken) == 6, "3000 messages were left"
    assert resumed.summary == Corpus.read(mail).summary
    assert resumed._engine.rows("SELECT count(*), count(DISTINCT identity) FROM messages") == [(7000, 7000)]


def test_a_store_is_opened_by_several_and_counted(tmp_path: Path) -> None:
    store = tmp_path / "c.duckdb"
    summary_of(write_mbox(tmp_path / "a.mbox", plain(1, "a@x", "b@x", "one two")), store)
    first, second = Corpus.open(store), Corpus.open(store)
    assert first.table().ngrams == second.table().ngrams == 4
    assert repr(first) == "Corpus(messages=1, persons=2, edges=1)"
    with pytest.raises(InputError, match="close that corpus first"):
        Corpus.read(tmp_path / "a.mbox", store=store)
    first.close()
    second.close()


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError):
        Corpus.open(tmp_path / "nothing")
    other = tmp_path / "other"
    other.write_text("canary " * 1000)
    with pytest.raises(InputError) as problem:
        Corpus.open(other)
    assert "canary" not in str(problem.value)


def test_arguments_are_checked() -> None:
    corpus = Corpus.from_messages([{"from": "a", "to": ["b"], "body": "x"}])
    for wrong in ({"by": "node"}, {"n": 0}, {"contribution": 0}):
        with pytest.raises(ArgumentError):
            corpus.table(**wrong)


def test_an_empty_corpus_has_nothing() -> None:
    corpus = Corpus.from_messages([])
    assert (corpus.edge_count, corpus.largest_neighbourhood, corpus.table().ngrams) == (0, 0, 0)
    assert len(corpus.neighbour_counts().pairs) == 0
