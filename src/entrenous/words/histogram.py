"""Publish how many edges (or senders) carry each n-gram of a public vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous._files import read_table, write_table
from entrenous.card import Card, Provenance
from entrenous.desk import Desk, notes_of
from entrenous.errors import ArgumentError, FormatError, PrivacyError
from entrenous.guarantee import PUBLIC_VOCABULARY
from entrenous.noise import Noise
from entrenous.price import NOISES, NoiseEvent, Price
from entrenous.release import Artifact, Release, declare
from entrenous.vault import Vault, pay
from entrenous.words.beliefs import Independent
from entrenous.words.beliefs.belief import Belief
from entrenous.words.counting.holder import Holder
from entrenous.words.counting.table import Table
from entrenous.words.prediction import Noisy, Prediction
from entrenous.words.public_list import check_said, checked_vocabulary, longest
from entrenous.words.reading.text.language import language_told
from entrenous.words.request import Request, TableDesk
from entrenous.words.statistics.listed_counts import ListedCounts, true_counts

if TYPE_CHECKING:
    from entrenous.words.corpus import Corpus

__all__ = [
    "HISTOGRAM",
    "Histogram",
    "HistogramRequest",
    "histogram",
    "listed_ngrams",
    "predict",
]

PUBLISHED_VOCABULARY = (
    "The list of n-grams was published before under a promise of its own; where it came from the same mail, the levels "
    "of both that hold without any belief add up."
)
FILE = "histogram.csv"
ROOM = 100  # bytes that a row of it takes, roughly and rather more
CONFIDENCE = 0.95
COLUMNS = ("ngram", "count", "noisy", "low", "high")


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
    """

    names: tuple[str, ...]
    noisy: NDArray[np.int64]
    noise: Noisy

    def __post_init__(self) -> None:
        order = sorted(range(len(self.names)), key=lambda i: (-int(self.noisy[i]), self.names[i]))
        object.__setattr__(self, "names", tuple(self.names[i] for i in order))
        object.__setattr__(self, "noisy", np.asarray(self.noisy, dtype=np.int64)[order])

    @classmethod
    def empty(cls) -> Histogram:
        """Return one without n-grams, to try out saving before anything is charged."""
        return cls((), np.zeros(0, dtype=np.int64), Noisy("geometric", 1.0))

    def __repr__(self) -> str:
        return f"Histogram(ngrams={len(self.names)}, noise={self.noise})"

    def __len__(self) -> int:
        return len(self.names)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The counts with noise, 0 where they are negative."""
        return np.maximum(self.noisy, 0)

    def intervals(self, confidence: float = CONFIDENCE) -> NDArray[np.float64]:
        """Return for each n-gram the least and the largest true count that the noise makes likely.

        Each interval by itself covers its true count with this probability; cut off at 0.
        """
        width = self.noise.half_width(confidence)
        return np.maximum(np.column_stack([self.noisy - width, self.noisy + width]), 0.0)

    def above_noise(self) -> int:
        """Return how many counts are above the deviation of the noise."""
        return int((self.noisy > self.noise.deviation).sum())


@dataclass(frozen=True, kw_only=True)
class HistogramRequest(Request):
    """A histogram that is asked for, checked; its noise is decided from public numbers alone.

    Attributes
    ----------
    mechanism
        The noise on every count: "geometric" or "gaussian".

    Examples
    --------
    >>> HistogramRequest.checked(epsilon=100.0, contribution=1000).noise.scale.__round__(6)
    10.0
    >>> from entrenous.words import Binomial
    >>> paper = Binomial(p0=0.0277, p1=0.2739, neighbours=1883)
    >>> round(HistogramRequest.checked(epsilon=100.0, contribution=1000, correlation=paper).noise.scale, 2)
    4646.29
    """

    mechanism: str

    @classmethod
    def checked(
        cls,
        *,
        epsilon: float,
        contribution: int,
        correlation: Belief | None = None,
        unit: str = "edge",
        noise: str = "geometric",
        delta: float | None = None,
        replaced: bool = False,
    ) -> HistogramRequest:
        """Check every argument before anything is charged; the parameters are those of `histogram`."""
        made = cls(
            epsilon=epsilon,
            delta=delta or 0.0,
            contribution=contribution,
            correlation=Independent() if correlation is None else correlation,
            by=Holder.named(unit, "unit"),
            replaced=replaced,
            mechanism=_check.one_of("noise", noise, NOISES),
        )
        if made.mechanism == "geometric" and delta and not made.correlation.defect:
            raise ArgumentError("delta", "geometric noise is pure; leave delta out, or take Gaussian noise")
        _ = made.noise  # whatever it refuses is refused now
        return made

    @cached_property
    def noise(self) -> Noisy:
        """The noise on every count."""
        scale = self.gaussian_scale() if self.mechanism == "gaussian" else self.geometric_scale()
        return Noisy(self.mechanism, scale)

    def question(self, names: tuple[str, ...]) -> ListedCounts:
        """Return what is asked of a desk: the counts of a public list."""
        return ListedCounts(names, self.contribution, self.mechanism, self.noise.scale)

    @property
    def event(self) -> NoiseEvent:
        """The noise of all counts that one holder moves."""
        return self.question(()).event(self.by.unit)

    @property
    def ceiling(self) -> Price:
        """What the counts cost one holder."""
        return self.question(()).price(self.by.unit)

    def table(self, corpus: Corpus | Table, names: tuple[str, ...]) -> Table:
        """Return who carries which of the n-grams that are listed, bounded among them if they are counted here."""
        if isinstance(corpus, Table):
            self.check_holders(corpus)
            return corpus
        check_said(names)
        return corpus.table(by=self.by.name, n=longest(names), contribution=self.contribution, listed=names)

    def check(self, table: Table, *, useless: bool = True) -> None:
        """Refuse, from public numbers, a belief that the graph exceeds and noise above which no count can rise."""
        if not self.ties_public(table):
            return
        self.check_graph(table.ends)
        if not useless and self.noise.deviation >= table.holders:
            raise ArgumentError(
                "epsilon",
                f"nothing would be seen: the noise deviates by {self.noise.deviation:.4g}, and no n-gram can be "
                f"carried by more than all {table.holders} {self.by}s; nothing was charged. Raise epsilon, "
                "lower contribution, take Gaussian noise or a weaker belief, or ask with useless=True",
            )

    @property
    def parameters(self) -> dict[str, str | int | float]:
        """What a card says of the noise: numbers of the policy, none of the data."""
        belief = self.correlation
        return {
            "unit": self.by.name,
            "contribution": self.contribution,
            "correlation": f"{type(belief).__name__}, {belief.source}"
            if belief.guaranteed
            else belief.assumption,
            "noise": self.mechanism,
            "scale": self.noise.scale,
        }


def histogram(
    corpus: Corpus | Table,
    *,
    vocabulary: Iterable[str] | Release[Any],
    epsilon: float,
    contribution: int,
    correlation: Belief | None = None,
    unit: str = "edge",
    noise: str = "geometric",
    delta: float | None = None,
    replaced: bool = False,
    useless: bool = False,
    vault: Vault | None = None,
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Release[Histogram]:
    """Return how many edges, or senders, carry each n-gram of a public vocabulary, with noise on every count.

    Parameters
    ----------
    corpus
        The confidential mail, or its table.
    vocabulary
        The n-grams to count, words joined by one blank: a public list that owes nothing to the mail, or a release of
        `vocabulary`, which has a promise of its own. Noise goes to each of them, also to those nobody says.
    epsilon, delta
        What is promised for the whole content of an edge, or for everything a sender wrote; no default. Geometric
        noise has no delta, Gaussian noise needs one.
    contribution
        How many n-grams of the vocabulary each edge (or sender) contributes at most: those it says most often.
    correlation
        What an attacker may believe about neighbouring edges; by default that they say nothing about each other.
    unit
        "edge" or "sender".
    noise
        "geometric" or "gaussian".
    replaced
        Also hide that a content was replaced by another one, which moves twice as many n-grams.
    useless
        Draw even if the noise exceeds every possible count; refused otherwise, before anything is charged, where the
        number of edges is public.
    vault
        Charged before any noise is drawn, at the level that holds without any belief.
    rng
        None for real noise; a seed makes a rehearsal, stamped as not private.
    progress
        Called with steps made and steps in all.

    Privacy
    -------
    One content moves at most `contribution` counts by 1 each. Geometric noise of scale 1/eta makes each count eta-DP
    per edge; the model turns epsilon / contribution into eta (affiliated transfer, exact calibration, or coupling).
    Gaussian noise is calibrated to all counts together. See docs/guarantees.md.

    Examples
    --------
    >>> table = Table.from_counts([{"budget": 2}, {"budget": 1, "lunch": 1}] * 20, ends=[(i, i + 1) for i in range(40)])
    >>> made = histogram(table, vocabulary=["lunch", "budget", "gold"], epsilon=4.0, contribution=2, rng=1)
    >>> made.artifact.names, made.guarantee.per_ngram, made.provenance.rehearsal
    (('budget', 'lunch', 'gold'), 2.0, True)

    References
    ----------
    Shafieinejad, Inan, Hasegawa, Sim: On privacy and confidentiality of communications in organizational graphs (2021).
    """
    source = Noise(rng)
    names, origin = listed_ngrams(vocabulary, rehearsal=source.rehearsal)
    request = HistogramRequest.checked(
        epsilon=epsilon, contribution=contribution, correlation=correlation,
        unit=unit, noise=noise, delta=delta, replaced=replaced,
    )  # fmt: skip
    if vault is not None and isinstance(vocabulary, Release) and not vault.paid_for(vocabulary):
        raise PrivacyError(
            "vocabulary: expected one that this vault paid for; got another; nothing was charged. If it does "
            "not come from this mail, pass its n-grams as a public list"
        )
    tick = progress or (lambda _done, _total: None)
    tick(0, 2)
    table = request.table(corpus, names)
    request.check(table, useless=useless)
    desk: TableDesk = Desk(table, unit=request.by.unit, ceiling=request.ceiling, noise=source)
    tick(1, 2)
    promise = request.guarantee(desk, table, more=(origin, *getattr(corpus, "assumptions", ())))
    order = request.order(desk, promise, table, f"words histogram, {noise} noise")
    with pay(vault, order, data=corpus, room=ROOM * len(names)) as paid:
        artifact = counted(desk, request, names)
        tick(2, 2)
        counts = notes_of(desk)["counts"]
        made = Release(
            artifact=artifact,
            guarantee=promise,
            provenance=Provenance(
                "words: histogram",
                request.parameters | {"ngrams": len(names), "language": language_told(corpus)} | desk.costs,
                desk.rehearsal,
            ),
            private={
                "counts": dict(zip(names, counts.tolist(), strict=True)),
                "prediction": Prediction.of(counts, request.noise),
            },
        )
        return paid.complete(made, asked=desk.parts)


def counted(desk: TableDesk, request: HistogramRequest, names: tuple[str, ...]) -> Histogram:
    """Ask a desk for the counts of a public list."""
    return Histogram(names, desk(request.question(names)), request.noise)


def predict(
    corpus: Corpus | Table,
    *,
    vocabulary: Iterable[str] | Release[Any],
    epsilon: float,
    contribution: int,
    correlation: Belief | None = None,
    unit: str = "edge",
    noise: str = "geometric",
    delta: float | None = None,
    replaced: bool = False,
) -> Prediction:
    """Return what a histogram would be worth, without charging. Computed from the true counts: do not publish it."""
    names, _ = listed_ngrams(vocabulary, rehearsal=True)
    request = HistogramRequest.checked(
        epsilon=epsilon, contribution=contribution, correlation=correlation,
        unit=unit, noise=noise, delta=delta, replaced=replaced,
    )  # fmt: skip
    table = request.table(corpus, names)
    request.check(table)
    return Prediction.of(true_counts(table, names, contribution=request.contribution), request.noise)


def listed_ngrams(
    vocabulary: Iterable[str] | Release[Any], *, rehearsal: bool
) -> tuple[tuple[str, ...], str]:
    """Return the n-grams to count, and why they may be known: all of them are going to be published."""
    if not isinstance(vocabulary, Release):
        return checked_vocabulary(vocabulary), PUBLIC_VOCABULARY
    if not rehearsal and (vocabulary.guarantee is None or vocabulary.provenance.rehearsal):
        raise PrivacyError(
            "vocabulary: expected one that was published under a promise; got a rehearsal, or one that promises "
            "nothing; nothing was charged. Publish it with real noise and a belief that is not calibrated"
        )
    return checked_vocabulary(getattr(vocabulary.artifact, "names", ())), PUBLISHED_VOCABULARY


def _write(artifact: Histogram, folder: Path, file_format: str | None, stamp: str | None) -> dict[str, str]:
    if file_format not in {None, "csv"}:
        raise ArgumentError("format", f"expected csv for a histogram; got {file_format!r}")
    low, high = np.rint(artifact.intervals()).astype(np.int64).T.tolist()
    rows = zip(artifact.names, artifact.counts.tolist(), artifact.noisy.tolist(), low, high, strict=True)
    write_table(folder / FILE, COLUMNS, rows, stamp=stamp)
    return {
        FILE: f"each n-gram, its count, the count as drawn, and the interval that covers the truth "
        f"with probability {CONFIDENCE:g}"
    }


def _read(folder: Path, card: Card) -> Histogram:
    parameters = card.provenance.parameters
    try:
        rows = read_table(folder / FILE, stamped=card.provenance.rehearsal)
        names = tuple(row["ngram"] for row in rows)
        noisy = np.array([int(row["noisy"]) for row in rows], dtype=np.int64)
        noise = Noisy(str(parameters["noise"]), float(parameters["scale"]))
    except (KeyError, TypeError, ValueError):
        raise FormatError(f"expected the columns {', '.join(COLUMNS)} and whole numbers", file=FILE) from None
    return Histogram(names, noisy, noise)


HISTOGRAM = declare(
    Artifact(
        noun="histogram",
        of=Histogram,
        files={FILE: "each n-gram, its count, the count as drawn, and an interval"},
        write=_write,
        read=_read,
        page="entrenous.words.page",
    )
)
