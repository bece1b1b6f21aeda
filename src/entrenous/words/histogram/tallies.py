"""Noisy numbers of holders for each n-gram of a list: what is published, how it is written and read back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from entrenous._files import read_table, write_table
from entrenous.card import Card
from entrenous.errors import ArgumentError, FormatError
from entrenous.release import Artifact, declare
from entrenous.words.key_phrases import distinctiveness
from entrenous.words.prediction import Noisy

__all__ = ["CONFIDENCE", "FILE", "HISTOGRAM", "Correction", "Histogram"]

FILE = "histogram.csv"
CONFIDENCE = 0.95
_BANDED = ("ngram", "count", "noisy", "band_low", "band_high", "distinctiveness")
_CORRECTED = ("ngram", "count", "noisy", "left_out", "spread", "low", "high", "distinctiveness")

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Correction:
    """What is known of the holders that bounding leaves out of noisy counts, measured with noise of its own.

    Attributes
    ----------
    left_out
        For each n-gram how many holders its count leaves out, by its class of frequency.
    spread
        By how much that widens the error of each count: its square is what the variance of the error has besides that
        of the noise, for what is really left out differs, and noise moves a count and what is added to it alike.
    most
        How many holders any count can leave out: those that were bounded, by what each may lose, and a deviation of the
        noise on how many they are.
    covered
        Whether intervals are given: noise, whose distribution is known, is the larger part of the error.
    """

    left_out: FloatArray
    spread: FloatArray
    most: float
    covered: bool

    def at(self, places: NDArray[np.int64] | list[int]) -> Correction:
        """Return the same for the n-grams at these places."""
        return Correction(self.left_out[places], self.spread[places], self.most, self.covered)


@dataclass(frozen=True, eq=False, repr=False)
class Histogram:
    """Noisy numbers of edges, or senders, that carry each n-gram: largest first, ties by name.

    Attributes
    ----------
    names
        The n-grams, all of the public vocabulary.
    noisy
        The counts with noise, as drawn; some are negative.
    noise
        The distribution of the noise.
    correction
        What bounding leaves out of them. None where that was not measured: then a count counts the holders that have
        the n-gram among their most frequent listed ones.
    """

    names: tuple[str, ...]
    noisy: NDArray[np.int64]
    noise: Noisy
    correction: Correction | None = None

    def __post_init__(self) -> None:
        noisy = np.asarray(self.noisy, dtype=np.int64)
        value = noisy if self.correction is None else noisy + self.correction.left_out
        order = sorted(range(len(self.names)), key=lambda i: (-float(value[i]), self.names[i]))
        object.__setattr__(self, "names", tuple(self.names[i] for i in order))
        object.__setattr__(self, "noisy", noisy[order])
        if self.correction is not None:
            object.__setattr__(self, "correction", self.correction.at(order))

    @classmethod
    def empty(cls) -> Histogram:
        """Return one without n-grams, to try out saving before anything is charged."""
        return cls((), np.zeros(0, dtype=np.int64), Noisy("geometric", 1.0))

    def __repr__(self) -> str:
        return f"Histogram(ngrams={len(self.names)}, noise={self.noise})"

    def __len__(self) -> int:
        return len(self.names)

    @property
    def estimates(self) -> FloatArray:
        """The noisy counts, and what they are expected to leave out: unbiased, so some are negative."""
        missing = 0.0 if self.correction is None else self.correction.left_out
        return np.asarray(self.noisy + missing, dtype=np.float64)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The estimates, rounded, 0 where they are negative."""
        return np.maximum(np.rint(self.estimates), 0).astype(np.int64)

    @property
    def deviations(self) -> FloatArray:
        """The standard deviation of each estimate's error, as far as it is known: noise, and what is left out."""
        spread = 0.0 if self.correction is None else self.correction.spread
        return np.asarray(np.hypot(np.full(len(self), self.noise.deviation), spread))

    @property
    def covered(self) -> bool:
        """Whether there are intervals for the true numbers of holders."""
        return self.correction is not None and self.correction.covered

    def intervals(self, confidence: float = CONFIDENCE) -> FloatArray:
        """Return for each n-gram the least and the largest number of holders that truly may carry it.

        Noise and what bounding leaves out are both part of it. Each by itself covers its true number with about this
        probability: docs/words.md has how often, by classes of frequency, on real mail. Cut off at 0.
        """
        if not self.covered:
            raise ArgumentError(
                "intervals",
                "this histogram has none: its counts leave out more than their noise, or what they leave out was not "
                "measured. Leave contribution out, so that it is chosen; noise_band() tells how far noise reaches",
            )
        width = self.noise.half_width(confidence) * self.deviations / max(self.noise.deviation, 1e-300)
        return np.maximum(np.column_stack([self.estimates - width, self.estimates + width]), 0.0)

    def noise_band(self, confidence: float = CONFIDENCE) -> FloatArray:
        """Return how far noise alone reaches, cut off at 0: no statement about how many holders carry an n-gram."""
        width = self.noise.half_width(confidence)
        return np.maximum(np.column_stack([self.estimates - width, self.estimates + width]), 0.0)

    def above_noise(self) -> int:
        """Return how many counts are above the deviation of the noise."""
        return int((self.noisy > self.noise.deviation).sum())

    def meaning(self, holders: str) -> str:
        """Say in words what a count counts; `holders` is "edges" or "senders"."""
        if self.correction is not None:
            return f"{holders} that carry it"
        return f"{holders} that have it among their most frequent listed n-grams"


def _write(artifact: Histogram, folder: Path, file_format: str | None, stamp: str | None) -> dict[str, str]:
    if file_format not in {None, "csv"}:
        raise ArgumentError("format", f"expected csv for a histogram; got {file_format!r}")
    distinct = distinctiveness(artifact).tolist()
    order = sorted(range(len(artifact)), key=lambda i: (-max(distinct[i], 0.0), i))  # key phrases first
    told = (
        np.rint(artifact.intervals() if artifact.covered else artifact.noise_band()).astype(np.int64).tolist()
    )
    rows = []
    for i in order:
        row: list[object] = [artifact.names[i], int(artifact.counts[i]), int(artifact.noisy[i])]
        if artifact.correction is None:
            row += told[i]
        else:
            kept = artifact.correction
            row += [f"{kept.left_out[i]:.2f}", f"{kept.spread[i]:.2f}"]
            row += told[i] if artifact.covered else ["", ""]
        rows.append([*row, f"{max(distinct[i], 0.0):.2f}"])
    write_table(folder / FILE, _BANDED if artifact.correction is None else _CORRECTED, rows, stamp=stamp)
    return {FILE: _description(artifact)}


def _description(artifact: Histogram) -> str:
    """Say what the columns of the table are."""
    meaning = artifact.meaning("holders (pairs, edges, senders, ...: see the card)")
    told = f"each n-gram; count: estimated number of {meaning}; noisy: as drawn"
    if artifact.correction is None:
        told += f"; band: how far noise alone reaches, with probability {CONFIDENCE:g}"
    else:
        told += "; left_out: holders that bounding is expected to leave out, in count; spread: how far that varies"
        told += (
            f"; low, high: interval for the true number, with probability {CONFIDENCE:g}"
            if artifact.covered
            else "; no intervals, for counts leave out more than their noise"
        )
    return told + "; distinctiveness: in deviations, 0 unless it is above 2; these key phrases come first"


def _read(folder: Path, card: Card) -> Histogram:
    parameters = card.provenance.parameters
    try:
        rows = read_table(folder / FILE, stamped=card.provenance.rehearsal)
        names = tuple(row["ngram"] for row in rows)
        noisy = np.array([int(row["noisy"]) for row in rows], dtype=np.int64)
        noise = Noisy(str(parameters["noise"]), float(parameters["scale"]))
        correction = None
        if "left out at most" in parameters:
            left_out, spread = (np.array([float(row[key]) for row in rows]) for key in ("left_out", "spread"))
            covered = parameters["intervals"] == "yes"
            correction = Correction(left_out, spread, float(parameters["left out at most"]), covered)
    except (KeyError, TypeError, ValueError):
        columns = ", ".join(_BANDED[:3])
        raise FormatError(f"expected the columns {columns} and whole numbers", file=FILE) from None
    if not all(math.isfinite(value) for value in (noise.scale,)):
        raise FormatError("expected a finite scale of noise", file=FILE)
    return Histogram(names, noisy, noise, correction)


HISTOGRAM = declare(
    Artifact(
        noun="histogram",
        of=Histogram,
        files={FILE: "each n-gram, its count, and how far that may be off"},
        write=_write,
        read=_read,
        page="entrenous.words.page",
    )
)
