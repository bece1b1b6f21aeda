"""A published vocabulary: its n-grams with noisy scores, how it is written and read back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous._files import read_table, write_table
from entrenous.card import Card
from entrenous.errors import ArgumentError, FormatError
from entrenous.release import Artifact, declare
from entrenous.words.statistics.found import Found

__all__ = ["VOCABULARY", "Vocabulary"]

FILE = "vocabulary.csv"


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary:
    """Words and phrases that may be published.

    Attributes
    ----------
    names
        The n-grams, words joined by one blank, highest score first.
    score
        The noisy weight of each, in standard deviations of its noise.
    counts
        How many holders (edges, or senders) have each, with noise, where the rule of weights was "fixed"; else None.
    holders
        How many holders there are, where a public list says it; else None.
    """

    names: tuple[str, ...]
    score: NDArray[np.float64]
    counts: NDArray[np.float64] | None
    holders: int | None

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Vocabulary(ngrams={len(self)})"

    @classmethod
    def empty(cls) -> Vocabulary:
        """Return one without n-grams, to try out saving before anything is charged."""
        return cls((), np.zeros(0), None, None)

    @classmethod
    def of(cls, found: Found, holders: int | None, scale: float | None) -> Vocabulary:
        """Return what was found, by name; `scale` is how many holders one standard deviation stands for."""
        named, score = found.names, found.score.round(3)
        order = sorted(range(len(named)), key=lambda place: (-score[place], named[place]))
        score = score[order]
        counts = None if scale is None else np.maximum((score * scale).round(1), 0.0)
        return cls(tuple(named[place] for place in order), score, counts, holders)

    def first(self, count: int) -> Vocabulary:
        """Return the so many n-grams with the highest scores, as a list to count: they are published anyway."""
        most = _check.at_least("count", count, 1)
        counts = None if self.counts is None else self.counts[:most]
        return Vocabulary(self.names[:most], self.score[:most], counts, self.holders)

    def write(self, path: str | Path, *, comment: str | None = None) -> None:
        """Write a CSV table, one n-gram a line."""
        columns = ["ngram", "score"] + ([] if self.counts is None else ["count"])
        values = [self.names, self.score.tolist()] + ([] if self.counts is None else [self.counts.tolist()])
        write_table(Path(path), columns, zip(*values, strict=True), stamp=comment)


def _write(artifact: Vocabulary, folder: Path, file_format: str | None, stamp: str | None) -> dict[str, str]:
    if file_format not in {None, "csv"}:
        raise ArgumentError("format", f"expected csv for a vocabulary; got {file_format!r}")
    artifact.write(folder / FILE, comment=stamp)
    (folder / "vocabulary.txt").write_text(
        "".join(f"{line}\n" for line in ([f"# {stamp}"] if stamp else []) + sorted(artifact.names)),
        encoding="utf-8",
    )
    return {
        FILE: "the n-grams with noisy weights, in standard deviations of their noise, highest first",
        "vocabulary.txt": "the n-grams alone, one a line",
    }


def _read(folder: Path, card: Card) -> Vocabulary:
    parameters = card.provenance.parameters
    try:
        told = parameters.get("edges", parameters.get("senders"))
        rows = read_table(folder / FILE, stamped=card.provenance.rehearsal)
        counted = bool(rows) and "count" in rows[0]
        return Vocabulary(
            names=tuple(row["ngram"] for row in rows),
            score=np.array([float(row["score"]) for row in rows]),
            counts=np.array([float(row["count"]) for row in rows]) if counted else None,
            holders=None if told is None else int(told),
        )
    except (KeyError, TypeError, ValueError):
        raise FormatError("expected the columns ngram, score and perhaps count", file=FILE) from None


VOCABULARY = declare(
    Artifact(
        noun="vocabulary",
        of=Vocabulary,
        files={FILE: "the n-grams with noisy weights", "vocabulary.txt": "the n-grams alone"},
        write=_write,
        read=_read,
        page="entrenous.words.vocabulary.page",
    )
)
