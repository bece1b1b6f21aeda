"""Publish how many edges (or senders) carry each n-gram of a public vocabulary."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from entrenous.card import Provenance
from entrenous.desk import Desk
from entrenous.errors import PrivacyError
from entrenous.guarantee import PUBLIC_VOCABULARY, Guarantee
from entrenous.noise import Noise
from entrenous.release import Release
from entrenous.vault import Vault, pay
from entrenous.words.beliefs.belief import Belief
from entrenous.words.counting.holder import unit_of
from entrenous.words.counting.table import Table
from entrenous.words.histogram.estimating import counted
from entrenous.words.histogram.tallies import Histogram
from entrenous.words.histogram.wanted import HistogramRequest
from entrenous.words.prediction import Prediction
from entrenous.words.public_list import checked_vocabulary
from entrenous.words.reading.text.language import language_told
from entrenous.words.request import TableDesk
from entrenous.words.statistics.left_out import left_out
from entrenous.words.statistics.listed_counts import FREQUENT, true_counts
from entrenous.words.statistics.weights import GRID
from entrenous.words.statistics.widest_messages import WIDEST

if TYPE_CHECKING:
    from entrenous.words.corpus import Corpus

__all__ = ["PUBLISHED_VOCABULARY", "drawn", "histogram", "listed_ngrams", "predict"]

PUBLISHED_VOCABULARY = (
    "The list of n-grams was published before under a promise of its own. If it came from the same mail, the epsilons "
    "of both add up (under a belief about neighbours, those that hold without it)."
)
ROOM = 100  # bytes that a row of it takes, roughly and rather more
_REHEARSALS = 5  # for a prediction


def histogram(
    corpus: Corpus | Table,
    *,
    vocabulary: Iterable[str] | Release[Any],
    epsilon: float,
    contribution: int | None = None,
    correlation: Belief | None = None,
    unit: str | None = None,
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
        How many n-grams of the vocabulary each edge (or sender) counts fully for. By default it is chosen, at a
        small share of the budget, so that noise and what bounding leaves out are least together.
    correlation
        What an attacker may believe about neighbouring edges; by default that they say nothing about each other.
    unit
        What is hidden, and what is counted: "edge-and-message" counts pairs of people, and what one of them wrote to
        many for one of its pairs; "message", "thread", "sender", "all", or "edge-content". (default:
        "edge-and-message"; "edge-content" for a table of edges, under a belief, or against replacement)
    noise
        "geometric": an edge counts for its most frequent n-grams; or "gaussian": for all of them, with less weight
        if there are many.
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
    One content moves at most `contribution` counts by 1 each, or more counts by no more in L2. Geometric noise of scale
    1/eta makes each count eta-DP per edge; the model turns epsilon / contribution into eta (affiliated transfer, exact
    calibration, or coupling). Gaussian noise is calibrated to all counts together. Without a belief about single
    n-grams, shares of the budget pay for the sizes of holders, and for what bounding leaves out; that enters the counts
    and their intervals. See docs/guarantees.md.

    Examples
    --------
    >>> table = Table.from_counts([{"budget": 2}, {"budget": 1, "lunch": 1}] * 20, ends=[(i, i + 1) for i in range(40)])
    >>> made = histogram(table, vocabulary=["lunch", "budget", "gold"], epsilon=4.0, contribution=3, rng=1)
    >>> made.artifact.names, made.artifact.covered, made.provenance.rehearsal
    (('budget', 'lunch', 'gold'), True, True)

    References
    ----------
    Shafieinejad, Inan, Hasegawa, Sim: On privacy and confidentiality of communications in organizational graphs (2021).
    """
    source = Noise(rng)
    names, origin = listed_ngrams(vocabulary, rehearsal=source.rehearsal)
    request = HistogramRequest.checked(
        epsilon=epsilon, contribution=contribution, correlation=correlation,
        unit=unit or unit_of(corpus), noise=noise, delta=delta, replaced=replaced, measured=None,
    )  # fmt: skip
    if vault is not None and isinstance(vocabulary, Release) and not vault.paid_for(vocabulary):
        raise PrivacyError(
            "vocabulary: expected one that this vault paid for; got another; nothing was charged. If it does "
            "not come from this mail, pass its n-grams as a public list"
        )
    tick = progress or (lambda _done, _total: None)
    tick(0, 2)
    request = request.asking_widest(corpus)
    table = request.table(corpus, names)
    request.check(table, ngrams=len(names), useless=useless)
    desk: TableDesk = Desk(table, unit=request.by.unit, ceiling=request.ceiling, noise=source)
    tick(1, 2)
    promise = request.guarantee(desk, table, more=(origin, *getattr(corpus, "assumptions", ())))
    order = request.order(desk, promise, table, f"words histogram, {noise} noise")
    with pay(vault, order, data=corpus, room=ROOM * len(names)) as paid:
        made = drawn(desk, table, request, names, promise, language_told(corpus))
        tick(2, 2)
        return paid.complete(made, asked=desk.parts)


def drawn(
    desk: TableDesk,
    table: Table,
    request: HistogramRequest,
    names: tuple[str, ...],
    promise: Guarantee | None,
    language: str,
) -> Release[Histogram]:
    """Draw a release that was paid for, of the counts of a public list."""
    artifact, request = asked(desk, request, names)
    breadth = {} if request.breadth is None else {WIDEST: desk(request.breadth)}
    told = _parameters(artifact, request, names) | {"language": language} | breadth | desk.costs
    counts = true_counts(table, names, contribution=len(names))
    return Release(
        artifact=artifact,
        guarantee=promise,
        provenance=Provenance("words: histogram", told, desk.rehearsal),
        private={"counts": dict(zip(names, counts.tolist(), strict=True))},
    )


def asked(
    desk: TableDesk, request: HistogramRequest, names: tuple[str, ...]
) -> tuple[Histogram, HistogramRequest]:
    """Ask a desk for the counts of a public list; return also the request with the contribution that was chosen."""
    if not request.measured:
        return Histogram(names, desk(request.question(names)), request.noise), request
    made, contribution = counted(desk, request.counting, names)
    return made, request.with_contribution(contribution)


def _parameters(
    artifact: Histogram, request: HistogramRequest, names: tuple[str, ...]
) -> dict[str, str | int | float]:
    """Return what a card says: numbers of the policy, and what was published."""
    told = request.parameters | {"scale": artifact.noise.scale, "ngrams": len(names)}
    told["a count counts"] = artifact.meaning(f"{request.by}s")
    told["what is counted"] = request.by.counts
    if artifact.correction is not None:
        told["bounding"] = request.counting.bounding
        told["contribution chosen"] = "privately" if request.chosen else "by the publisher"
        told["left out at most"] = float(f"{artifact.correction.most:.6g}")
        told["intervals"] = "yes" if artifact.covered else "no"
    return told


def predict(
    corpus: Corpus | Table,
    *,
    vocabulary: Iterable[str] | Release[Any],
    epsilon: float,
    contribution: int | None = None,
    correlation: Belief | None = None,
    unit: str | None = None,
    noise: str = "geometric",
    delta: float | None = None,
    replaced: bool = False,
) -> Prediction:
    """Return what a histogram would be worth, without charging. Computed from the true counts: do not publish it.

    The parameters are those of `histogram`.
    """
    names, _ = listed_ngrams(vocabulary, rehearsal=True)
    request = HistogramRequest.checked(
        epsilon=epsilon, contribution=contribution, correlation=correlation,
        unit=unit or unit_of(corpus), noise=noise, delta=delta, replaced=replaced, measured=None,
    ).asking_widest(corpus)  # fmt: skip
    table = request.table(corpus, names)
    request.check(table)
    true = true_counts(table, names, contribution=len(names))
    if request.measured:
        return _rehearsed(table, request, dict(zip(names, true.tolist(), strict=True)))
    missing = left_out(table, names, contribution=request.contribution, bounding=FREQUENT) / GRID
    return Prediction.of(true, request.noise, missing)


def _rehearsed(table: Table, request: HistogramRequest, truth: dict[str, int]) -> Prediction:
    """Return what counts were worth in rehearsals: what is added to them has noise of its own, which they share.

    How much the noise on the counts themselves is worth is known exactly, and put in place of what was drawn.
    """
    counting, told = request.counting, []
    for seed in range(_REHEARSALS):
        desk: TableDesk = Desk(table, unit=request.by.unit, ceiling=request.ceiling, noise=Noise(seed))
        made, contribution = counted(desk, counting, tuple(truth))
        true = np.array([truth[name] for name in made.names], dtype=np.float64)
        lost = left_out(table, made.names, contribution=contribution, bounding=counting.bounding) / GRID
        kept, noise = true - lost, made.noise
        squares = (made.estimates - true) ** 2 - (made.noisy - kept) ** 2
        clipped = (np.maximum(made.estimates, 0.0) - true) ** 2 - (np.maximum(made.noisy, 0) - kept) ** 2
        told.append(
            (
                noise.deviation**2 + squares.mean(),
                (noise.clipped_error(kept) + clipped).mean(),
                noise.exceeds(0.0, np.rint(kept)).sum(),
                noise.exceeds(noise.deviation, np.rint(kept)).sum(),
                (lost**2).mean(),
            )
        )
    error, positive_error, positive, above, bias = np.mean(told, axis=0).tolist()
    return Prediction(
        math.sqrt(max(error, 0.0)), math.sqrt(max(positive_error, 0.0)), positive, above, math.sqrt(bias)
    )


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
