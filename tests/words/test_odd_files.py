"""A folder of two hundred odd files: each gives exactly its messages, or a refusal that says why."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tarfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from tests.words.odd_files import (
    ANSWER,
    LETTER,
    SLACK,
    SLACK_READ,
    Found,
    Passed,
    Refused,
    cases,
    json_of,
    mbox,
    zipped,
)
from tests.words.outlook_files import msg
from typer.testing import CliRunner

from entrenous.cli import app
from entrenous.errors import FormatError, MissingExtraError
from entrenous.words import Corpus
from entrenous.words.reading.digest import Block, digest, messages_in
from entrenous.words.reading.formats import KINDS, archives
from entrenous.words.reading.lists import WRITERS
from entrenous.words.reading.settling import FILES_OF_WRITERS
from entrenous.words.reading.sources import sources_below, units_of
from entrenous.words.reading.tables import checked_columns

CASES = cases()


def put(name: str, content: bytes | Mapping[str, bytes], folder: Path) -> None:
    files = (
        {name: content} if isinstance(content, bytes) else {f"{path}": each for path, each in content.items()}
    )
    for path, each in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(each)


def found_in(path: Path) -> tuple[Found, list[str]]:
    """Return the messages below a path, and why other files are passed over."""
    found, passed, columns = [], [], checked_columns(None)
    for number, source in enumerate(sources_below(path)[1], start=1):
        reading = units_of(source, columns, f"file {number}")
        if isinstance(reading, str):
            passed.append(reading)
            continue
        batch = digest(messages_in(Block(reading.form, f"file {number}", 1, list(reading.units)), columns))
        for row in batch.to_pylist():
            found.append((row["sender"], row["recipients"], f"{row['subject']} {row['body']}".strip()))
    return found, passed


def test_there_are_some_two_hundred() -> None:
    assert len(CASES) > 200
    outcomes = Counter(
        "messages" if isinstance(case[2], list) else type(case[2]).__name__ for case in CASES.values()
    )
    assert min(outcomes.values()) > 15
    assert len(KINDS) == 5


@pytest.mark.parametrize("case", CASES)
def test_each_gives_exactly_its_messages_or_says_why_not(case: str, tmp_path: Path) -> None:
    name, content, expected = CASES[case]
    put(name, content, tmp_path)
    if isinstance(expected, Refused):
        with pytest.raises(FormatError) as problem:
            found_in(tmp_path)
        assert expected.part in str(problem.value)
        assert problem.value.__cause__ is None
    elif isinstance(expected, Passed):
        assert found_in(tmp_path) == ([], [expected.reason])
    else:
        assert sorted(found_in(tmp_path)[0]) == sorted(expected)


@pytest.mark.long
def test_a_folder_of_all_that_can_be_read(tmp_path: Path) -> None:
    """Every case in a folder of its own, read at once: nothing is lost, and what is passed over is counted."""
    messages, reasons = 0, Counter[str]()
    for number, (name, content, expected) in enumerate(CASES.values()):
        if not isinstance(expected, Refused) and "slack at" not in name:
            put(name, content, tmp_path / f"{number:03}")
            messages += len(expected) if isinstance(expected, list) else 0
            reasons += Counter([expected.reason] if isinstance(expected, Passed) else [])
    corpus = Corpus.read(tmp_path)
    assert corpus._engine.number("SELECT count(*) FROM messages") == messages
    dropped = corpus.summary.dropped
    assert {reason: dropped[reason] for reason in reasons if "people" not in reason} == {
        reason: count + (reason == "files that are no mail") * 2
        for reason, count in reasons.items()
        if "people" not in reason
    }


def test_a_small_file_that_unpacks_to_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "LEAST", 1 << 20)
    much = mbox(LETTER) * 40_000
    for name, content in {
        "a.zip": zipped({"a.mbox": much}),
        "a.mbox.gz": gzip.compress(much),
        "b.zip": zipped({"c.zip": zipped({"a.mbox": much})}),
    }.items():
        assert len(content) * archives.MOST_TIMES < len(much)
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FormatError, match="made to fill a disk"):
            found_in(tmp_path / name)
    (tmp_path / "fine.zip").write_bytes(zipped({"a.mbox": mbox(LETTER) * 20}))
    assert len(found_in(tmp_path / "fine.zip")[0]) == 20


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ({}, "nothing is left: no message at all; hand in maildirs, mbox"),
        ({"a.png": b"\x89PNG"}, "1 files that are no mail; hand in"),
        ({"a.mbox": b"", "b.txt": b"note"}, "1 empty files, 1 files that are no mail"),
        ({"a.eml": b"Subject: x\n\nwords\n"}, "1 messages without a sender; name the columns"),
        (
            {"a.jsonl": b'{"from": "a@x.org", "body": "x", "recipients": "b@x.org"}'},
            "without a recipient; name the col",
        ),
        ({"a.eml": b"From: a@x.org\nTo: a@x.org\n\nwords\n"}, "1 messages to the sender alone"),
        ({"a.csv": b"from,to,body\n"}, "no message at all"),
    ],
)
def test_a_run_that_read_nothing_fails_and_says_what_was_there(
    files: dict[str, bytes], part: str, tmp_path: Path
) -> None:
    (tmp_path / "mail").mkdir()
    for name, content in files.items():
        (tmp_path / "mail" / name).write_bytes(content)
    done = CliRunner().invoke(
        app, ["words", "read", str(tmp_path / "mail"), "--out", str(tmp_path / "corpus")]
    )
    assert done.exit_code == 1
    assert part in " ".join(done.stderr.split())
    with pytest.raises(FormatError, match="unfinished"):
        Corpus.open(tmp_path / "corpus")


def doubled(write: Callable[[io.BytesIO], None]) -> bytes:
    made = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of zipfile, about the name
        write(made)
    return made.getvalue()


def zip_of_two(file: io.BytesIO) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.eml", LETTER)
        archive.writestr("a.eml", ANSWER)


def tar_of_two(file: io.BytesIO) -> None:
    with tarfile.open(fileobj=file, mode="w", encoding="latin-1", format=tarfile.GNU_FORMAT) as archive:
        for content in (LETTER, ANSWER):
            member = tarfile.TarInfo("Entw\xfcrfe/a.eml")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


@pytest.mark.parametrize(
    "files",
    [
        {"a.zip": doubled(zip_of_two)},
        {"a.tar": doubled(tar_of_two)},
        {"b.zip": zipped({"a.zip": doubled(zip_of_two)})},
        {"a.eml": LETTER, "new/a.eml": ANSWER},
        {"a!2,S": LETTER, "a!2,R": ANSWER},
    ],
)
def test_files_whose_names_are_alike_are_all_read_and_known_again(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    put("", files, tmp_path / "mail")
    for _ in range(3):
        with closing(Corpus.read(tmp_path / "mail", store=tmp_path / "corpus")) as corpus:
            assert corpus.summary.messages == 2
            assert corpus._engine.number("SELECT count(*) FROM messages") == 2


def test_an_export_of_slack_says_once_who_its_people_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for every day: a long export would seem to unpack to any size."""
    days = {f"general/2023-01-{day:02}.json": b"[]" for day in range(1, 32)}
    people = json_of([*json.loads(SLACK["users.json"]), {"id": "U9", "name": "x" * 100_000}])
    (tmp_path / "a.zip").write_bytes(zipped(SLACK | days | {"users.json": people}))
    monkeypatch.setattr(archives, "LEAST", 1 << 20)
    monkeypatch.setattr(archives, "MOST_TIMES", 1)
    assert sorted(found_in(tmp_path)[0]) == sorted(SLACK_READ)


@pytest.mark.parametrize(
    ("case", "without_members"),
    [
        ("slack.zip", 2),
        ("slack below.zip", 2),
        ("teams.json", 0),
        ("channel.json", 1),
        ("takeout.zip", 0),
        ("letter.eml", 0),
    ],
)
def test_members_who_were_inferred_are_said(case: str, without_members: int, tmp_path: Path) -> None:
    """One message fewer may then change to whom others went: no guarantee covers that, and cards say so."""
    name, content, _ = CASES.get(case) or CASES[f"plain, {case}"]
    put(name, content, tmp_path)
    corpus = Corpus.read(tmp_path)
    assert corpus.summary.lists.get(FILES_OF_WRITERS, 0) == without_members
    assert (WRITERS in corpus.assumptions) == (without_members > 0)
    assert corpus.table().assumptions == corpus.assumptions


def test_an_error_tells_archives_apart(tmp_path: Path) -> None:
    put("", {"a.zip": zipped({"a.eml": LETTER}), "b.tar": zipped({}), "c.zip": b"x"}, tmp_path)
    assert refuses(lambda: found_in(tmp_path)).startswith("archive 2: ")


def test_what_is_passed_over_is_shown(tmp_path: Path) -> None:
    for name, content in {"a.mbox": mbox(LETTER), "b.png": b"\x89PNG", "c.7z": b"7z\xbc\xaf\x27\x1c"}.items():
        (tmp_path / name).write_bytes(content)
    done = CliRunner().invoke(app, ["words", "read", str(tmp_path), "--out", str(tmp_path / "corpus")])
    assert done.exit_code == 0
    assert "dropped: files that are no mail" in done.stdout
    assert "dropped: archives of a kind that is not read" in done.stdout


@pytest.mark.parametrize(("library", "name"), [("oxmsg", "a.msg"), ("pypff", "a.pst")])
def test_a_missing_library_is_named_by_its_extra(
    library: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    (tmp_path / name).write_bytes(msg("ann@x.org", ["bob@x.org"], "tea", "come"))
    with pytest.raises(MissingExtraError, match=r"entrenous\[outlook\]"):
        found_in(tmp_path)


def test_threads_of_exports(tmp_path: Path) -> None:
    for case in ("slack.zip", "takeout.zip", "mail of graph.jsonl"):
        name, content, _ = CASES[case]
        put(name, content, tmp_path)
    threads: Counter[int] = Counter()
    columns = checked_columns(None)
    for source in sources_below(tmp_path)[1]:
        reading = units_of(source, columns, "file")
        if not isinstance(reading, str):
            threads += Counter(
                digest(messages_in(Block(reading.form, "", 1, list(reading.units)), columns))[
                    "thread"
                ].to_pylist()
            )
    assert sorted(count for thread, count in threads.items() if thread is not None and count > 1) == [2, 2, 2]


def refuses(read: Callable[[], object]) -> str:
    with pytest.raises(FormatError) as problem:
        read()
    return str(problem.value)


def test_refusals_quote_nothing_of_a_file(tmp_path: Path) -> None:
    for number, (name, content, expected) in enumerate(CASES.values()):
        if isinstance(expected, Refused):
            put(name, content, tmp_path / str(number))
            said = refuses(lambda place=tmp_path / str(number): found_in(place))
            assert not any(word in said for word in ("ann@x.org", "come at", "Dear diary", "garbled"))
