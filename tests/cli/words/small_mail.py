"""A small stored corpus for the commands about words."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from entrenous.words.corpus import Corpus

CANARY = "xylophone"


def list_edges(folder: Path, people: int) -> Path:
    """Write a public list: everybody may write to everybody."""
    pairs = itertools.combinations(_persons(people), 2)
    (folder / "edges.tsv").write_text("".join(f"{first}\t{second}\n" for first, second in pairs))
    return folder / "edges.tsv"


def _persons(people: int) -> list[str]:
    return [f"person{i}@example.org" for i in range(people)]


def store_mail(folder: Path, people: int) -> Path:
    """Store a corpus in which everybody wrote the same to everybody, and one edge says more: the canary."""
    persons = _persons(people)
    messages = [
        {
            "id": f"m{number}",
            "date": "2001-05-01T10:00:00",
            "from": first,
            "to": [second],
            "cc": [],
            "subject": "budget meeting",
            "body": f"the budget meeting is moved {CANARY if number == 3 else ''}",
        }
        for number, (first, second) in enumerate(itertools.combinations(persons, 2))
    ]
    (folder / "mail.jsonl").write_text("".join(json.dumps(message) + "\n" for message in messages))
    Corpus.read(folder / "mail.jsonl", store=folder / "corpus.duckdb").close()
    return folder / "corpus.duckdb"
