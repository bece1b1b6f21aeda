"""What a task of a cluster makes of its share of the messages, without a cluster."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from entrenous.words.reading.cluster_tasks import FILE, LINE, MOST_PLACES, PLACE, digested
from entrenous.words.reading.tables import checked_columns

FILES = {"/mail/a": 0, "/mail/b": 1}


def made(rows: list[dict[str, Any]], form: str, size: int = 2) -> list[dict[str, Any]]:
    batches = [pa.RecordBatch.from_pylist(rows[i : i + size]) for i in range(0, len(rows), size)]
    found = digested(batches, form=form, files=FILES, columns=checked_columns(None))
    return [row for batch in found for row in batch.to_pylist()]


def line(file: str, share: int, message: object) -> dict[str, Any]:
    content = message if isinstance(message, str) else json.dumps(message)
    return {FILE: f"file:/mail/{file}", PLACE: share, LINE: content.encode()}


def test_lines_are_numbered_by_file_share_and_order_however_they_come() -> None:
    rows = [
        line("a", share, {"from": "x", "to": "y", "body": str(i)}) for share in (0, 500) for i in range(3)
    ]
    rows.insert(1, line("a", 0, ""))
    rows += [line("b", 0, {"from": "x", "to": "y", "body": "b"})]
    expected = [0, 2, 3, 500, 501, 502, MOST_PLACES]
    for size in (1, 2, 7):
        assert [row["message"] for row in made(rows, "jsonl", size)] == expected
    assert [row["source"] for row in made(rows, "jsonl")] == [0] * 6 + [1]


def test_rows_of_tables_keep_their_place() -> None:
    rows = [
        {
            FILE: "file:///mail/b",
            PLACE: place,
            "from": "Ann <ANN@x.org>",
            "to": ["b@x.org"],
            "body": "Tea? > no",
        }
        for place in (7, 3)
    ]
    found = made(rows, "parquet")
    assert [row["message"] for row in found] == [MOST_PLACES + 7, MOST_PLACES + 3]
    assert {(row["sender"], row["body"], row["failed"]) for row in found} == {("ann@x.org", "tea no", None)}


def test_what_is_wrong_is_told_by_its_place_and_not_raised() -> None:
    fine = {"from": "x", "to": "y", "body": "z"}
    told = [row["failed"] for row in made([line("a", 0, fine), line("a", 0, "canary")], "jsonl", 1)]
    assert told == [None, "file 1, line 2: expected a JSON object; got none"]
    assert made([line("a", 90, "[]")], "jsonl")[0]["failed"].startswith(
        "file 1, from byte 90 on, line 1: expected"
    )
    assert "columns from and body" in made([line("b", 0, {"canary": 1})], "jsonl")[0]["failed"]
