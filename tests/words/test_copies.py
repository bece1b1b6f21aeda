"""Which messages are one message, one thread, or near-copies; and that no edge's mail decides it for another edge."""

from __future__ import annotations

import random
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from tests.words.mailboxes import write_mbox

from entrenous.errors import FormatError
from entrenous.words import Corpus
from entrenous.words.reading.groups.near_copies import near_copy_keys
from entrenous.words.statistics.nested import NESTINGS

NEWS = (
    "please note that the kitchen on the second floor will be painted this week so take your cups home and use the "
    "other kitchen until the work there is done we are sorry for the noise and thank you for your patience"
)


def copy(identity: str | None, recipient: str, body: str, **more: Any) -> dict[str, Any]:
    """Return one copy of a message, as it lies in the mailbox of one recipient."""
    sent = {
        "id": identity,
        "from": "a@x.org",
        "to": [recipient],
        "date": "2024-01-01T10:00:00",
        "subject": "s",
    }
    return sent | {"body": body} | more


def said_on(corpus: Corpus, first: str, second: str) -> list[str]:
    """Return the texts that passed between two people."""
    rows = corpus._engine.rows(
        """SELECT words, u.name, v.name FROM texts JOIN edge_passages USING (message) JOIN edges USING (holder)
        JOIN persons AS u ON u.person = edges.u JOIN persons AS v ON v.person = edges.v"""
    )
    return sorted(words for words, u, v in rows if {u, v} == {first, second} and words != "s")


def written(corpus: Corpus) -> dict[str, tuple[int, int, int]]:
    """Return sender, thread and near-copies of each message, by its words."""
    rows = corpus._engine.rows(
        "SELECT words, sender, thread, alike FROM written JOIN texts USING (message) WHERE text % 2 = 1"
    )
    return {words: tuple(numbers) for words, *numbers in rows}


COPIES = {
    "the same words": [copy("1@x", "b@x.org", "tea"), copy("1@x", "c@x.org", "tea")],
    "a footer on one way": [copy("1@x", "b@x.org", "tea sent to all"), copy("1@x", "c@x.org", "tea")],
    "both ways in one copy": [
        copy("1@x", "b@x.org", "coffee"),
        copy("1@x", "b@x.org", "tea", cc=["c@x.org"]),
        copy("1@x", "c@x.org", "tea again"),
    ],
    "another sender": [copy("1@x", "b@x.org", "tea", **{"from": "d@x.org"}), copy("1@x", "c@x.org", "tea")],
    "two names of one message": [
        copy("1@x", "b@x.org", "tea"),
        copy("2@x", "b@x.org", "tea"),
        copy("1@x", "c@x.org", "tea"),
        copy("2@x", "c@x.org", "tea"),
    ],
    "no name and no date": [copy(None, "b@x.org", "tea", date=None), copy(None, "c@x.org", "tea", date=None)],
}


@pytest.mark.parametrize("name", COPIES)
def test_what_is_read_for_an_edge_does_not_depend_on_copies_on_another(name: str) -> None:
    rows = COPIES[name]
    without_b = [
        row | {"to": [to for to in row["to"] if to != "b@x.org"]}
        for row in rows
        if row.get("cc") or row["to"] != ["b@x.org"]
    ]
    assert len(without_b) < len(rows) or without_b != rows
    before = said_on(Corpus.from_messages(rows), "a@x.org", "c@x.org")
    assert before == said_on(Corpus.from_messages(without_b), "a@x.org", "c@x.org") != []


def test_no_order_and_no_subset_of_copies_moves_what_another_edge_says() -> None:
    """Any copies on a-b at all are taken away: files, names, words and recipients drawn at random."""
    rng = random.Random(5)
    for _ in range(25):
        rows = [
            copy(
                rng.choice(["1@x", "2@x", None]),
                rng.choice(["b@x.org", "c@x.org"]),
                rng.choice(["tea", "tea for two"]),
                date=rng.choice(["2024-01-01T10:00:00", None]),
            )
            for _ in range(6)
        ]
        kept = [row for row in rows if row["to"] != ["b@x.org"]]
        if kept:
            assert said_on(Corpus.from_messages(rows), "a@x.org", "c@x.org") == said_on(
                Corpus.from_messages(kept), "a@x.org", "c@x.org"
            )


def test_copies_are_one_message_to_all_their_recipients() -> None:
    corpus = Corpus.from_messages(COPIES["the same words"])
    assert corpus._engine.rows("SELECT message, count(*) FROM edge_passages GROUP BY message") == [(0, 2)]
    assert (corpus.summary.messages, corpus.summary.edges, corpus.summary.dropped) == (
        1,
        2,
        {"duplicates": 1},
    )


def test_a_message_whose_words_were_changed_on_the_way_counts_once_on_each_way() -> None:
    rows = [copy("1@x", "b@x.org", "tea"), copy("1@x", "b@x.org", "tea sent to all")]
    corpus = Corpus.from_messages(rows)
    assert said_on(corpus, "a@x.org", "b@x.org") == ["tea"]
    assert corpus.summary.dropped == {"copies of a message with other words": 1}


def test_copies_in_two_mailboxes_count_once_and_edges_lose_nothing(tmp_path: Path) -> None:
    raw = (
        "From: a@x.org\nTo: {}\nMessage-ID: <1@x>\nDate: Mon, 1 Jan 2024 10:00:00 +0000\nSubject: s\n\ntea\n"
    )
    write_mbox(tmp_path / "b" / "in.mbox", raw.format("b@x.org").encode())
    write_mbox(tmp_path / "c" / "in.mbox", raw.format("c@x.org").encode())
    corpus = Corpus.read(tmp_path)
    assert (said_on(corpus, "a@x.org", "b@x.org"), said_on(corpus, "a@x.org", "c@x.org")) == (
        ["tea"],
        ["tea"],
    )


@pytest.mark.long
@pytest.mark.parametrize("order", [range(5), reversed(range(5)), [3, 1, 4, 0, 2]])
def test_files_that_come_one_by_one_are_read_as_if_they_came_at_once(
    order: Iterable[int], tmp_path: Path
) -> None:
    """Copies, too: each brings its recipients, whichever comes first."""
    raw = (
        "From: a@x.org\nTo: {}\nMessage-ID: <{}@x>\nDate: Mon, 1 Jan 2024 10:00:00 +0000\nSubject: s\n\ntea\n"
    )
    to = [
        ("b@x.org, d@x.org", 0),
        ("c@x.org, d@x.org", 1),
        ("b@x.org, d@x.org", 2),
        ("c@x.org", 0),
        ("b@x.org", 1),
    ]
    (tmp_path / "mail").mkdir()
    found = []
    for place in order:
        (tmp_path / "mail" / f"{place}.eml").write_text(raw.format(*to[place]))
        with closing(Corpus.read(tmp_path / "mail", store=tmp_path / "corpus")) as corpus:
            found = [said_on(corpus, "a@x.org", f"{name}@x.org") for name in "bcd"]
    assert found == [["tea"] * 2] * 3, "message 2 is a duplicate of 0"


def mail(**headers: str) -> bytes:
    lines = {
        "From": "a@x.org",
        "To": "b@x.org",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    body = lines.pop("body")
    return "\n".join([*(f"{name}: {value}" for name, value in lines.items()), "", body, ""]).encode()


def test_a_thread_begins_where_its_headers_say(tmp_path: Path) -> None:
    box = write_mbox(
        tmp_path / "m.mbox",
        mail(Message_ID="<1@x>", Subject="tea", body="one"),
        mail(Message_ID="<2@x>", Subject="Re: tea", References="<1@x>", In_Reply_To="<1@x>", body="two"),
        mail(Message_ID="<3@x>", Subject="coffee", References="<1@x> <2@x>", To="c@x.org", body="three"),
        mail(Message_ID="<4@x>", Subject="tea", body="four"),
        mail(Message_ID="<5@x>", Subject="Re: tea", In_Reply_To="<4@x>", body="five"),
    )
    thread = {words: numbers[1] for words, numbers in written(Corpus.read(box)).items()}
    assert thread["one"] == thread["two"] == thread["three"] != thread["four"] == thread["five"]


def test_a_thread_without_headers_is_a_subject_among_the_same_people() -> None:
    plain = {"from": "a@x.org", "to": ["b@x.org"]}
    rows = [
        plain | {"subject": "Tea", "body": "one"},
        {"from": "b@x.org", "to": ["a@x.org"], "subject": "RE: tea", "body": "two"},
        plain | {"subject": "tea", "to": ["c@x.org"], "body": "three"},
        plain | {"subject": "", "body": "four"},
        plain | {"subject": "", "body": "five"},
    ]
    thread = {words: numbers[1] for words, numbers in written(Corpus.from_messages(rows)).items()}
    assert thread["one"] == thread["two"]
    assert len(set(thread.values())) == 4


def test_tables_name_threads(tmp_path: Path) -> None:
    rows = [
        {"from": "a@x.org", "to": ["b@x.org"], "body": "one", "id": "1", "in_reply_to": None, "subject": "x"},
        {"from": "b@x.org", "to": ["a@x.org"], "body": "two", "id": "2", "in_reply_to": "1", "subject": "y"},
        {"from": "b@x.org", "to": ["a@x.org"], "body": "three", "id": "3", "references": ["<1>", "<2>"]},
        {"from": "b@x.org", "to": ["a@x.org"], "body": "four", "id": "4", "thread": 1},
        {
            "from": "b@x.org",
            "to": ["a@x.org"],
            "body": "five",
            "id": "5",
            "thread": {"odd": 1},
            "subject": "z",
        },
    ]
    thread = {words: numbers[1] for words, numbers in written(Corpus.from_messages(rows)).items()}
    assert thread["one"] == thread["two"] == thread["three"] == thread["four"] != thread["five"]
    (tmp_path / "m.csv").write_text("from,to,body,talk\na@x.org,b@x.org,one,7\nb@x.org,c@x.org,two,7\n")
    read = written(Corpus.read(tmp_path / "m.csv", columns={"thread": "talk"}))
    assert read["one"][1] == read["two"][1]


def test_near_copies_of_one_sender_are_alike() -> None:
    names = ["ann", "bob smith", "eve"]
    rows = [
        copy(f"{i}@x", f"{i}@x.org", f"Dear {name}, {NEWS} Monday {i} May", date=None, subject=f"news {i}")
        for i, name in enumerate(names)
    ]
    rows.append(
        copy("8@x", "b@x.org", "something else that is long enough and shares nothing with the others at all")
    )
    rows.append(copy("9@x", "b@x.org", NEWS, **{"from": "d@x.org"}))
    found = [numbers[2] for numbers in written(Corpus.from_messages(rows)).values()]
    assert len(found) == 5
    assert sorted(found.count(number) for number in set(found)) == [1, 1, 3]


def test_copies_of_one_message_with_other_words_are_near_copies() -> None:
    """However they were changed on the way: to take the message away is to take all of them away."""
    rows = [
        copy("1@x", f"{name}@x.org", f"tea {name}", date=None, thread=number)
        for number, name in enumerate("bcdefgh")
    ]
    rows += [copy("2@x", "b@x.org", "tea b", date=None), copy("1@x", "b@x.org", "tea", **{"from": "d@x.org"})]
    corpus = Corpus.from_messages(rows)
    numbers = written(corpus)
    assert len({numbers[f"tea {name}"][2] for name in "bcdefgh"}) == 1
    assert numbers["tea"][2] not in {numbers[f"tea {name}"][2] for name in "bcdefgh"}, "another sender"
    for unit in ("message", "thread", "edge-and-message", "all"):
        table = corpus.messages(by=unit, n=1)
        mine = table.alike == table.alike[0]
        assert mine.sum() == 8
        assert (NESTINGS[table.by.unit.name].shares(table) * table.copies)[mine].sum() <= 1 + 1e-12
        assert corpus.table(by=unit, n=1).support().max() <= 2, "one of a, and one of d"


@pytest.mark.parametrize("unit", ["edge-and-message", "message", "thread", "sender", "all"])
def test_one_text_sent_one_by_one_counts_once(unit: str) -> None:
    """It begins a thread with everybody who got it; a promise for a thread covers a message with its near-copies."""
    news = [copy(f"{i}@x", f"{i}@x.org", f"Dear {i}, {NEWS}", date=None) for i in range(9)]
    corpus = Corpus.from_messages(news)
    assert len(corpus._engine.rows("SELECT DISTINCT thread FROM written")) == 9
    assert set(corpus.table(by=unit).support()) == {1}
    # Each thread goes on: its other messages do not make the text count there.
    answers = [
        copy(f"{i}@y", "a@x.org", f"answer{i}", thread=f"t{i}", **{"from": f"{i}@x.org"}) for i in range(9)
    ]
    table = Corpus.from_messages([row | {"thread": f"t{i}"} for i, row in enumerate(news)] + answers).table(
        by=unit
    )
    counts = dict(zip(table.names, table.support().tolist(), strict=True))
    assert counts["kitchen"] == 1


def test_short_texts_are_alike_only_if_they_are_equal() -> None:
    bodies = ["see you at the usual place", "see you at the usual time", "see you at the usual place"]
    rows = [copy(f"{i}@x", f"{i}@x.org", body, date=None) for i, body in enumerate(bodies)]
    alike = Corpus.from_messages(rows)._engine.rows("SELECT alike FROM written ORDER BY message")
    assert alike[0] == alike[2] != alike[1]


def test_few_words_changed_keep_the_key_and_other_texts_share_none() -> None:
    """The share of runs of four words that two texts have in common is the chance of a common key."""
    rng = random.Random(3)
    words = [f"w{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(600)]
    texts = [rng.choices(words, k=120) for _ in range(800)]
    changed = [list(text) for text in texts]
    for text in changed:
        text[rng.randrange(8, 120)] = "changed"
    keys, near = (near_copy_keys([" ".join(text) for text in many], range(800)) for many in (texts, changed))
    assert 0.88 < np.mean(keys == near) < 0.97, "4 of 113 runs are lost, 4 are new"
    assert len(set(keys.tolist())) == 800


def test_keys_do_not_depend_on_what_else_is_in_the_batch() -> None:
    texts = [NEWS, "short", "", NEWS + " again and again", "one two three four five six seven eight"]
    together = near_copy_keys(texts, [5, 6, 7, 8, 9])
    alone = [int(near_copy_keys([text], [i])[0]) for i, text in enumerate(texts, start=5)]
    assert together.tolist() == alone
    assert near_copy_keys([], []).tolist() == []


def test_a_store_of_an_earlier_version_is_refused(tmp_path: Path) -> None:
    mbox = write_mbox(tmp_path / "m.mbox", mail(Message_ID="<1@x>", Subject="tea", body="one"))
    Corpus.read(mbox, store=tmp_path / "c").close()
    with duckdb.connect(str(tmp_path / "c")) as store:
        store.execute("DROP TABLE written")
        store.execute("ALTER TABLE messages DROP COLUMN alike")
    with pytest.raises(FormatError, match="read the mail again"):
        Corpus.open(tmp_path / "c")
    with pytest.raises(FormatError, match="read the mail again"):
        Corpus.read(mbox, store=tmp_path / "c")
