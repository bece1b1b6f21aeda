"""Mail as it lies on disk: what is read of it, what is cut, and what is said when it cannot be read."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.words.mailboxes import NASTY, plain, write_mbox

from entrenous import datasets
from entrenous.errors import FormatError, InputError, MissingDataError
from entrenous.words import Corpus, Directory, vocabulary
from entrenous.words.reading import digest, mail_store, workers
from entrenous.words.reading.directory import addresses_in
from entrenous.words.reading.messages import parsed, split_mbox
from entrenous.words.reading.text import new_text, words_of

RECORD = {
    "id": "1@x.org",
    "date": "2024-01-01",
    "from": "a@x.org",
    "to": ["b@x.org"],
    "subject": "",
    "body": "hello you",
}


def test_charsets_and_encoded_words_are_decoded() -> None:
    message = parsed(NASTY["encoded"])
    assert message.sender == "joerg@x.org"
    assert message.recipients == ["eve@x.org", "ann@x.org"]
    assert message.subject.startswith("Übersicht")
    assert words_of(message.body) == "schöne grüße zuerst"


def test_html_is_read_where_nothing_is_plain_and_attachments_are_left_out() -> None:
    assert words_of(parsed(NASTY["html"]).body) == "visible words"


def test_broken_headers_and_parts_are_survived() -> None:
    message = parsed(NASTY["broken"])
    assert (message.sender, message.recipients) == ("bob@x.org", ["ann@x.org", "eve@x.org"])
    assert message.instant is None
    assert message.subject.startswith("caf")
    assert "plain anyway" in message.body


@pytest.mark.parametrize(
    "raw", [b"", b"\n\n", b"\xff\xfe\x00", b"From:" * 5000, b"To: " + b'"' * 9999, b": :\n:\n"]
)
def test_rubbish_is_a_message_too(raw: bytes) -> None:
    assert isinstance(parsed(raw).body, str)


def test_mbox_messages_are_split_after_empty_lines_alone() -> None:
    text = b"From a@b Mon 10:00\nA: 1\n\nFrom here on\n>From there\nFrom x 10:00\n\nFrom b Mon 11:00\nB: 2\n"
    first, second = split_mbox(text.splitlines(keepends=True))
    assert b"From here on" in first
    assert b"\nFrom there" in first
    assert second == b"B: 2\n"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Ann Smith/HOU/ECT@ECT", ["ann smith"]),
        ("'ann@x.org', <mailto:BOB@x.org>", ["ann@x.org", "bob@x.org"]),
        ("undisclosed-recipients:;", []),
        ('"a, b; c" <c@x.org>,,d@x.org', ["c@x.org", "d@x.org"]),
    ],
)
def test_addresses(header: str, expected: list[str]) -> None:
    assert addresses_in(header) == expected


@pytest.mark.parametrize(
    "read",
    [
        lambda: words_of("1," * 100_000 + "2"),
        lambda: words_of("1," * 100_000 + "2é"),
        lambda: words_of("1," * 100_000 + "2 3.5m é"),
        lambda: addresses_in("a" + " " * 100_000 + "b"),
        lambda: addresses_in("/" * 100_000 + " x"),
        lambda: parsed(b"List-Post: " + b"/o=" * 100_000 + b"\n\nx"),
    ],
)
def test_long_rows_of_signs_take_no_longer_than_they_are(read: Callable[[], object]) -> None:
    before = time.process_time()
    read()
    assert time.process_time() - before < 5, "half a minute and more, if every sign is tried to the end"


@pytest.mark.parametrize(
    "tail",
    [
        "-----Original Message-----\nFrom: Bob\nSent: today\nold",
        "---------------------- Forwarded by Ann/HOU/ECT on 01/02/2000 10:00 AM ------\nold",
        "Bob B@ENRON\n12/14/98 09:35 AM\nTo: Ann/HOU/ECT@ECT\ncc:\nSubject: x\nold",
        "On Mon, Jan 1, 2024 at 10:00, Bob <bob@x.org> wrote:\n> old",
        "Am 01.01.2024 um 10:00 schrieb Bob B:\n> old",
        "From: Bob\nSent: Monday\nTo: Ann\nSubject: x\n\nold",
        "> old\n> older",
        "-- \nAnn, old department",
        "Best regards,\n\nAnn\nold department",
        "Sent from my old phone",
    ],
)
def test_what_the_sender_did_not_write_is_cut(tail: str) -> None:
    assert words_of(new_text(f"This is new.\n\n{tail}")) == "this is new"


@pytest.mark.parametrize(
    "body",
    [
        "Thanks\nfor all of this.",
        "- one\n- two",
        "From: here to there.\nAll the best people\nwrote: a > b",
        "Thanks,\n"
        + "a long paragraph that goes on and on after an early word of thanks, as people do\n" * 3,
    ],
)
def test_what_only_looks_like_it_stays(body: str) -> None:
    assert words_of(new_text(body)) == words_of(body)


def test_words_are_letters_with_apostrophes_inside() -> None:
    assert words_of("''Tis O'Neil's 'rock 'n' roll''' x2y_z") == "tis o'neil's rock n roll x2y z"
    assert words_of("naïve l’été") == "naïve l'été"


@pytest.mark.long
@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "mbox", "maildir", "csv", "parquet", "tar.gz"])
def test_all_formats_hold_the_same_corpus(form: str, tmp_path: Path) -> None:
    invented = datasets.organization(20, seed=3)
    messages = list(invented.messages(60))
    path = tmp_path / f"mail.{form}"
    if form == "csv":
        with path.open("w", newline="") as file:
            rows = csv.DictWriter(file, [*messages[0]])
            rows.writeheader()
            rows.writerows(m | {"to": ", ".join(m["to"]), "cc": "; ".join(m["cc"])} for m in messages)
    elif form == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(messages), path)
    elif form == "tar.gz":
        invented.write_mail(tmp_path / "inner.mbox", 60, format="mbox")
        with tarfile.open(path, "w:gz") as archive:
            archive.add(tmp_path / "inner.mbox", "box/inner.mbox")
    else:
        invented.write_mail(path, 60, format=form.removesuffix(".gz"))
    table, expected = Corpus.read(path).table(), Corpus.from_messages(messages).table()
    assert list(table.names) == list(expected.names)
    assert (table.ngram == expected.ngram).all()
    assert (table.frequency == expected.frequency).all()
    assert (table.ends == expected.ends).all()


@pytest.mark.long
@pytest.mark.parametrize("form", ["jsonl", "mbox"])
def test_processes_side_by_side_read_the_same(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"mail.{form}"
    datasets.organization(20, seed=3).write_mail(path, 300, format=form)
    alone = Corpus.read(path)
    monkeypatch.setattr(workers, "ENOUGH", 0)
    monkeypatch.setattr(mail_store, "CHUNK", 64)
    together = Corpus.read(path)
    assert together.summary == alone.summary
    assert (together.table().ngram == alone.table().ngram).all()
    (tmp_path / "z.jsonl").write_text(json.dumps(RECORD) + '\n{"canary"\n')
    with pytest.raises(FormatError) as problem:
        Corpus.read(tmp_path)
    assert str(problem.value) == "file 2, line 2: expected a JSON object; got none"


def test_what_cannot_be_read_is_told_by_its_kind_alone_without_processes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: bytes) -> None:
        raise KeyError("canary")

    monkeypatch.setattr(digest, "parsed", failing)
    with pytest.raises(FormatError, match=r"^file 1: expected .*; got KeyError") as problem:
        Corpus.read(write_mbox(tmp_path / "a.mbox", NASTY["encoded"]))
    assert problem.value.__cause__ is None
    assert "canary" not in str(problem.value)


def test_a_process_tells_the_kind_of_a_failure_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: bytes) -> None:
        raise KeyError("canary")

    monkeypatch.setattr(digest, "parsed", failing)
    answer = io.BytesIO()
    workers._answer(answer, digest.Block("mbox", "file 1", 1, [b"canary"]), {})
    assert "KeyError" in answer.getvalue().decode()
    assert "canary" not in answer.getvalue().decode()


def test_columns_by_another_name(tmp_path: Path) -> None:
    file = tmp_path / "export.csv"
    file.write_text('sender,recipients,text\na@x.org,"b@x.org, c@x.org",hello\n')
    corpus = Corpus.read(file, columns={"from": "sender", "to": "recipients", "body": "text"})
    assert (corpus.summary.messages, corpus.edge_count) == (1, 2)
    with pytest.raises(InputError, match="columns"):
        Corpus.read(file, columns={"fron": "sender"})


def test_duplicates_across_folders_are_dropped_and_counted(tmp_path: Path) -> None:
    first = plain(1, "ann@x.org", "bob@x.org", "same words")
    write_mbox(tmp_path / "ann" / "sent.mbox", first, plain(2, "ann@x.org", "bob@x.org", "others"))
    write_mbox(tmp_path / "bob" / "inbox.mbox", first, first.replace(b"<1@", b"<copy@"))
    assert Corpus.read(tmp_path).summary.dropped == {"duplicates": 2}


def test_lists_are_inferred_and_said(tmp_path: Path) -> None:
    corpus = Corpus.read(write_mbox(tmp_path / "a.mbox", NASTY["list"], NASTY["encoded"], NASTY["nobody"]))
    assert corpus.summary.lists == {"inferred": 1}
    assert corpus.summary.dropped == {
        "messages without a sender": 1,
        "messages to lists without known members alone": 1,
    }
    assert len(corpus.assumptions) == 1
    assert corpus.table().assumptions == corpus.messages().assumptions == corpus.assumptions
    made = vocabulary(corpus.table(), epsilon=3.0, delta=1e-5, rng=1)
    assert made.guarantee is not None
    assert set(corpus.assumptions) <= set(made.guarantee.assumptions)
    assert Corpus.read(write_mbox(tmp_path / "b.mbox", NASTY["encoded"])).assumptions == ()


def test_a_silent_address_stands_for_many_if_copies_lie_in_many_mailboxes(tmp_path: Path) -> None:
    for owner in "pqrs":
        write_mbox(tmp_path / owner / "in.mbox", plain(7, "ann@x.org", "floor3@x.org", "fire drill"))
    write_mbox(tmp_path / "ann" / "sent.mbox", plain(8, "ann@x.org", "bob@x.org", "did you hear it"))
    assert Corpus.read(tmp_path).summary.lists == {"inferred": 1}


def test_a_directory_joins_addresses_and_expands_lists(tmp_path: Path) -> None:
    listing = tmp_path / "people.csv"
    listing.write_text(
        "address,person,member_of,kind\nann@x.org,ann,crowd@x.org,\na.smith@x.org,ann,,\n"
        "bob@x.org,,crowd@x.org inner@x.org,\neve@x.org,,inner@x.org,\ninner@x.org,,crowd@x.org,list\n"
        "gone@x.org,,,list\n"
    )
    assert set(Directory.read(listing).expanded("crowd@x.org")) == {"ann", "bob@x.org", "eve@x.org"}
    mail = write_mbox(
        tmp_path / "m.mbox",
        NASTY["list"],
        plain(1, "a.smith@x.org", "gone@x.org", "lost"),
        plain(2, "a.smith@x.org", "ann@x.org", "to myself"),
    )
    summary = Corpus.read(mail, directory=listing).summary
    assert (summary.persons, summary.edges, summary.messages) == (3, 2, 1)
    assert summary.lists == {"expanded by the directory": 2, "without members in the directory": 1}
    assert summary.dropped["messages to the sender alone"] == 1


def test_a_table_names_persons_and_no_list_is_inferred_from_names() -> None:
    messages = [RECORD | {"id": f"{i}@x", "from": f"{i}@x.org", "to": ["all.staff@x.org"]} for i in range(5)]
    assert Corpus.from_messages(messages).summary.lists == {}


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("b.jsonl", json.dumps(RECORD).encode() + b"\n{canary", "file 2, line 2"),
        ("b.jsonl", b'{"canary": 1}', "file 2: message 1"),
        ("b.jsonl", b"[1]", "file 2, line 1"),
        ("b.csv", b"canary,x\n1,2\n", "file 2: message 1"),
        ("b.parquet", b"PAR1canary", "file 2"),
        ("b.jsonl.gz", gzip.compress(b"canary" * 5000, mtime=0)[:40], "file 2"),
        ("b.tar.gz", b"canary", "archive"),
    ],
)
def test_errors_name_the_place_and_nothing_else(
    name: str, content: bytes, place: str, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(RECORD))
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError) as problem:
        Corpus.read(tmp_path)
    assert str(problem.value).startswith(place)
    assert "canary" not in str(problem.value)
    assert problem.value.__cause__ is None


def test_files_that_are_no_mail_are_counted(tmp_path: Path) -> None:
    write_mbox(tmp_path / "a.mbox", NASTY["encoded"])
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n")
    (tmp_path / ".hidden").write_text("x")
    assert Corpus.read(tmp_path).summary.dropped == {"files that are no mail": 1}
    with pytest.raises(MissingDataError):
        Corpus.read(tmp_path / "nothing")


def test_workers_read_without_loading_pandas() -> None:
    """It is installed here; each worker would spend a second on it."""
    steps = (
        "import sys",
        "from entrenous.words.reading.digest import digest",
        "from entrenous.words.reading.messages import Message",
        "from entrenous.words.reading.workers import forgo_pandas",
        "forgo_pandas()",
        "assert digest([Message(None, 1, 'a', ['b'], 'tea', 'one two')]).num_rows == 1",
        "assert 'pandas' not in sys.modules",
    )
    subprocess.run([sys.executable, "-c", "; ".join(steps)], check=True)
    assert "forgo_pandas()" in workers.PROGRAM
