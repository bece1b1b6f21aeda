"""Read back what was saved of words: histograms and vocabularies, with their cards."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from entrenous.errors import FormatError, MissingDataError
from entrenous.release import Card, Release
from entrenous.words.histogram import FILE as HISTOGRAM
from entrenous.words.histogram import Histogram, read_histogram
from entrenous.words.vocabulary import Vocabulary

__all__ = ["VOCABULARY", "holds_words", "read_vocabulary", "read_words"]

VOCABULARY = "vocabulary.csv"


def holds_words(folder: str | Path) -> bool:
    """Tell whether a folder is a saved histogram or vocabulary."""
    return any((Path(folder) / name).is_file() for name in (HISTOGRAM, VOCABULARY))


def read_words(folder: str | Path) -> Release[Histogram] | Release[Vocabulary]:
    """Read back what `Release.save` wrote of a histogram or a vocabulary: the publishable half."""
    return read_histogram(folder) if (Path(folder) / HISTOGRAM).is_file() else read_vocabulary(folder)


def read_vocabulary(folder: str | Path) -> Release[Vocabulary]:
    """Read back what `Release.save` wrote of a vocabulary: the publishable half."""
    folder = Path(folder)
    card = Card.read(folder)
    file = folder / VOCABULARY
    if not file.is_file():
        raise MissingDataError(f"{folder.name} holds no {VOCABULARY}: it is not a saved vocabulary")
    parameters = card.provenance.parameters
    try:
        with file.open(newline="", encoding="utf-8") as lines:
            if card.provenance.rehearsal:
                lines.readline()  # the stamp
            rows = list(csv.DictReader(lines))
        counted = bool(rows) and "count" in rows[0]
        read = Vocabulary(
            names=tuple(row["ngram"] for row in rows),
            score=np.array([float(row["score"]) for row in rows]),
            counts=np.array([float(row["count"]) for row in rows]) if counted else None,
            holders=int(parameters.get("edges", parameters.get("senders", 0))),
        )
    except (KeyError, TypeError, ValueError):
        raise FormatError("expected the columns ngram, score and perhaps count", file=VOCABULARY) from None
    return Release(read, card.guarantee, card.provenance)
