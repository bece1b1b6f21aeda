from __future__ import annotations

import contextlib
import gzip
import itertools
import json
import mailbox
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import numpy as np
import pytest

from entrenous.datasets import organization
from entrenous.datasets.organization import Organization
from entrenous.datasets.vocabulary import EVERYDAY, invented_words
from entrenous.errors import ArgumentError, OutputExistsError


@pytest.fixture(scope="module")
def company() -> Organization:
    return organization(300, seed=5)


def test_fewer_messages_are_the_beginning_of_more(company: Organization) -> None:
    more = list(company.messages(5000))
    assert len(more) == 5000
    assert list(company.messages(2100)) == more[:2100]
    assert list(organization(300, seed=6).messages(10)) != more[:10]


def test_mail_is_drawn_as_it_is_asked_for(company: Organization) -> None:
    first = list(itertools.islice(company.messages(10**15), 3))
    assert first == list(company.messages(3))


def test_mail_passes_along_ties_only(company: Organization) -> None:
    number = {name: place for place, name in enumerate(company.graph.names or ())}
    for message in company.messages(500):
        recipients = message["to"] + message["cc"]
        assert message["to"]
        assert len(set(recipients)) == len(recipients)
        assert all(company.graph.has_edge(number[message["from"]], number[person]) for person in recipients)


def test_dates_ascend_within_office_hours(company: Organization) -> None:
    dates = [datetime.fromisoformat(message["date"]) for message in company.messages(5000)]
    assert dates == sorted(dates)
    assert dates[-1] > dates[0]
    assert all(date.weekday() < 5 and 8 <= date.hour < 18 for date in dates)


@pytest.mark.long
def test_neighbouring_edges_talk_of_the_same_things(company: Organization) -> None:
    """Ties that share a person have more words in common, even where no message went over both."""
    words: dict[frozenset[str], set[str]] = {}
    for message in company.messages(20_000):
        edge = frozenset((message["from"], message["to"][0]))
        words.setdefault(edge, set()).update(set(message["body"].split()) - set(EVERYDAY))
    edges = list(words)
    rng = np.random.default_rng(0)
    overlaps: dict[bool, list[float]] = {True: [], False: []}
    for first, second in rng.integers(len(edges), size=(30_000, 2)):
        if first != second:
            a, b = words[edges[first]], words[edges[second]]
            overlaps[bool(edges[first] & edges[second])].append(len(a & b) / len(a | b))
    assert len(overlaps[True]) > 200
    assert np.mean(overlaps[True]) > 1.5 * np.mean(overlaps[False])


@pytest.mark.parametrize("name", ["mail.jsonl", "mail.jsonl.gz"])
def test_json_lines_hold_the_messages(company: Organization, tmp_path: Path, name: str) -> None:
    company.write_mail(tmp_path / name, 50, format="jsonl")
    content = (tmp_path / name).read_bytes()
    lines = (gzip.decompress(content) if name.endswith("gz") else content).splitlines()
    assert [json.loads(line) for line in lines] == list(company.messages(50))


@pytest.mark.parametrize("form", ["mbox", "maildir"])
def test_mail_programs_read_the_messages_back(company: Organization, tmp_path: Path, form: str) -> None:
    path = tmp_path / "mail"
    company.write_mail(path, 50, format=form)
    box: mailbox.Mailbox = mailbox.mbox(path) if form == "mbox" else mailbox.Maildir(path, create=False)
    with contextlib.closing(box):
        read = [
            {
                "id": mail["Message-ID"].strip("<>"),
                "date": parsedate_to_datetime(mail["Date"]).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "from": mail["From"],
                "to": mail["To"].split(", "),
                "cc": mail["Cc"].split(", ") if mail["Cc"] else [],
                "subject": mail["Subject"],
                "body": mail.get_payload().rstrip("\n"),
            }
            for mail in box
        ]
    assert sorted(read, key=lambda m: int(m["id"].split("@")[0])) == list(company.messages(50))


def test_nothing_is_overwritten(company: Organization, tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("mine")
    with pytest.raises(OutputExistsError):
        company.write_mail(tmp_path / "mail", 5, format="mbox")
    assert (tmp_path / "mail").read_text() == "mine"


def test_an_unknown_format_is_refused(company: Organization, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="jsonl, maildir, mbox"):
        company.write_mail(tmp_path / "mail", 5, format="pst")


def test_invented_words_are_distinct_and_not_everyday() -> None:
    words = invented_words(100_000)
    assert len(set(words)) == len(words)
    assert not set(words) & set(EVERYDAY)
    assert len(set(EVERYDAY)) == len(EVERYDAY)
    with pytest.raises(ArgumentError, match="count"):
        invented_words(10**6)


def test_the_style_of_enron_is_uneven(company: Organization) -> None:
    mail = list(itertools.islice(company.messages(10**9, style="enron"), 8000))
    lengths = np.array([len(message["body"].split()) for message in mail])
    recipients = np.array([len(message["to"]) + len(message["cc"]) for message in mail])
    assert lengths.mean() == pytest.approx(57.5, rel=0.1)  # as measured on the mail of Enron
    assert np.median(lengths) == pytest.approx(26, abs=3)
    assert np.percentile(recipients, 90) >= 5
    assert recipients.mean() == pytest.approx(3, abs=0.5)
    with pytest.raises(ArgumentError, match="style"):
        company.messages(1, style="letters")
