"""A published vocabulary: its n-grams with noisy scores, how it is written and read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous._files import read_table, write_table
from entrenous.card import Card
from entrenous.errors import ArgumentError, FormatError
from entrenous.release import Artifact, declare
from entrenous.words.histogram import CONFIDENCE
from entrenous.words.statistics.found import Found
from entrenous.words.vocabulary.name_counts import NameCounts

__all__ = ["COUNTED", "VOCABULARY", "Vocabulary"]

FILE = "vocabulary.csv"
COUNTED = "holders that counts are of"
"""How many holders there are, on the card of counts, where a public list says it."""


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
        How many holders (edges, or senders) have each, with noise, where the rule of weights was "fixed" or counts were
        asked for; else None.
    holders
        How many holders there are, where a public list says it; else None.
    counted
        The same counts with their errors and what they count, where counts were asked for; else None.
    """

    names: tuple[str, ...]
    score: NDArray[np.float64]
    counts: NDArray[np.float64] | None
    holders: int | None
    counted: NameCounts | None = None

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
        counted = None if self.counted is None else self.counted.first(most)
        return Vocabulary(self.names[:most], self.score[:most], counts, self.holders, counted)

    def with_counts(self, counted: NameCounts, holders: int | None = None) -> Vocabulary:
        """Return the same names with their counts; `holders` is how many may be counted, if that is public."""
        known = self.holders if holders is None else holders
        return Vocabulary(self.names, self.score, counted.estimates, known, counted)

    @property
    def covered(self) -> bool:
        """Whether there are intervals for the true numbers of holders."""
        return self.counted is not None and self.counted.covered

    def intervals(self, confidence: float = CONFIDENCE) -> NDArray[np.float64]:
        """Return for each n-gram the least and the largest number of holders that truly may carry it."""
        if self.counted is None:
            raise ArgumentError("intervals", "this vocabulary has none; publish it with counts")
        return self.counted.intervals(confidence)

    def write(self, path: str | Path, *, comment: str | None = None) -> None:
        """Write a CSV table, one n-gram a line."""
        columns: dict[str, Sequence[object]] = {"ngram": self.names, "score": self.score.tolist()}
        if self.counts is not None:
            columns["count"] = self.counts.tolist()
        if self.counted is not None:
            columns["deviation"] = self.counted.deviations.tolist()
            reach = self.intervals().round(1).T.tolist() if self.covered else [[""] * len(self)] * 2
            columns["low"], columns["high"] = reach
        write_table(Path(path), tuple(columns), zip(*columns.values(), strict=True), stamp=comment)


def _write(artifact: Vocabulary, folder: Path, file_format: str | None, stamp: str | None) -> dict[str, str]:
    if file_format not in {None, "csv"}:
        raise ArgumentError("format", f"expected csv for a vocabulary; got {file_format!r}")
    artifact.write(folder / FILE, comment=stamp)
    (folder / "vocabulary.txt").write_text(
        "".join(f"{line}\n" for line in ([f"# {stamp}"] if stamp else []) + sorted(artifact.names)),
        encoding="utf-8",
    )
    return {
        FILE: _description(artifact),
        "vocabulary.txt": "the n-grams alone, one a line",
    }


def _description(artifact: Vocabulary) -> str:
    """Say what the columns of the table are."""
    told = "the n-grams with noisy weights, in standard deviations of their noise, highest first"
    if artifact.counted is None:
        return told
    told += f"; count: estimated number of {artifact.counted.meaning}; deviation: of its error"
    if not artifact.covered:
        return f"{told}; no intervals, for counts leave out more than their noise"
    return f"{told}; low, high: interval for the true number, with probability {CONFIDENCE:g}"


def _read(folder: Path, card: Card) -> Vocabulary:
    parameters = card.provenance.parameters
    try:
        told = parameters.get(COUNTED, parameters.get("edges", parameters.get("senders")))
        rows = read_table(folder / FILE, stamped=card.provenance.rehearsal)
        words = Vocabulary(
            names=tuple(row["ngram"] for row in rows),
            score=np.array([float(row["score"]) for row in rows]),
            counts=None,
            holders=None if told is None else int(told),
        )
        if "intervals" in parameters:
            count, deviation = (np.array([float(row[key]) for row in rows]) for key in ("count", "deviation"))
            meaning = str(parameters["what is counted"])
            return words.with_counts(NameCounts(count, deviation, parameters["intervals"] == "yes", meaning))
        if rows and "count" in rows[0]:
            return replace(words, counts=np.array([float(row["count"]) for row in rows]))
        return words
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
