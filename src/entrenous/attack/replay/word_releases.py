"""Replay a release of words on mail that lacks one message, one thread, one edge, or what one person wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from entrenous import _check
from entrenous.attack.replay.neighbouring_mail import Gone, MailWithout, gone_by_unit
from entrenous.attack.replay.replayed import Compared, Replay
from entrenous.attack.replay.replayer import compare, record_release
from entrenous.attack.replay.searching_mail import near_gone
from entrenous.desk import Desk
from entrenous.errors import ArgumentError
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.release import Release
from entrenous.unit import Unit
from entrenous.words.beliefs import Belief
from entrenous.words.beliefs.estimation import asked_of, drawn_range
from entrenous.words.corpus import Corpus
from entrenous.words.histogram import HistogramRequest
from entrenous.words.histogram.release import drawn as drawn_histogram
from entrenous.words.histogram.release import listed_ngrams
from entrenous.words.reading.text.language import language_told
from entrenous.words.vocabulary.desks import Desks
from entrenous.words.vocabulary.release import drawn as drawn_vocabulary
from entrenous.words.vocabulary.vocabulary_request import VocabularyRequest

__all__ = ["replay_correlation", "replay_histogram", "replay_vocabulary"]

Mail = Corpus | MailWithout
Draw = Callable[[Mail, Noise], object]
Tick = Callable[[int, int], object]
_SEARCHED = 0.25  # of the neighbours: near the worst one so far


def replay_vocabulary(
    corpus: Corpus,
    *,
    epsilon: float,
    delta: float,
    unit: str | None = None,
    weighting: str | None = None,
    contribution: int | None = None,
    correlation: Belief | None = None,
    n: int = 2,
    counts: bool = False,
    neighbours: int = 20,
    published: int = 5,
    rng: np.random.Generator | int | None = None,
    progress: Tick | None = None,
) -> Replay:
    """Record a real vocabulary, and give its answers to vocabularies of mail that lacks one unit.

    What is checked is as for `entrenous.attack.replay`. Noise is normal here: it may move by the stated mu and no
    further. A word that only the unit says may be named with a probability of delta.

    Parameters
    ----------
    corpus
        The private mail.
    epsilon, delta, unit, weighting, contribution, correlation, n, counts
        As in `entrenous.words.vocabulary`. Under a belief, replays look at what the desk is paid: one edge.
    neighbours, published, rng, progress
        As in `entrenous.attack.replay`.

    Examples
    --------
    >>> from entrenous import datasets
    >>> mail = Corpus.from_messages(datasets.organization(30, seed=1).messages(200))
    >>> found = replay_vocabulary(mail, epsilon=8.0, delta=1e-6, n=1, neighbours=4, rng=1)
    >>> found.broken, found.unit.name
    (False, 'edge-and-message')
    """
    request = VocabularyRequest.checked(
        epsilon, delta, correlation, contribution, unit, weighting, n, counts=counts
    ).asking_widest(corpus)

    def draw(mail: Mail, noise: Noise) -> Release[Any]:
        table = request.table(mail)
        desks = Desks(table, request.by.unit, request.prices, noise)
        promise = request.guarantee(desks, table, more=mail.assumptions)
        return drawn_vocabulary(mail, table, request, desks, promise)

    name = f"words: vocabulary, {request.weighting.name}, n = {n}" + (", counts" if counts else "")
    return _replayed(
        name, corpus, draw, request.by.unit, request.ceiling, (neighbours, published), rng, progress
    )


def replay_histogram(
    corpus: Corpus,
    *,
    vocabulary: Sequence[str] | Release[Any],
    epsilon: float,
    unit: str | None = None,
    contribution: int | None = None,
    correlation: Belief | None = None,
    noise: str = "geometric",
    delta: float | None = None,
    neighbours: int = 20,
    published: int = 5,
    rng: np.random.Generator | int | None = None,
    progress: Tick | None = None,
) -> Replay:
    """Record real counts of a public list, and give the answers to counts of mail that lacks one unit.

    Parameters
    ----------
    corpus
        The private mail.
    vocabulary, epsilon, unit, contribution, correlation, noise, delta
        As in `entrenous.words.histogram`. Under a belief, replays look at what the desk is paid: one edge.
    neighbours, published, rng, progress
        As in `entrenous.attack.replay`.
    """
    names, origin = listed_ngrams(vocabulary, rehearsal=rng is not None)
    request = HistogramRequest.checked(
        epsilon=epsilon, contribution=contribution, correlation=correlation, unit=unit, noise=noise, delta=delta,
        replaced=False, measured=None,
    ).asking_widest(corpus)  # fmt: skip

    def draw(mail: Mail, source: Noise) -> Release[Any]:
        table = request.table(mail, names)  # type: ignore[arg-type]
        desk: Desk[Any] = Desk(table, unit=request.by.unit, ceiling=request.ceiling, noise=source)
        promise = request.guarantee(desk, table, more=(origin, *mail.assumptions))
        return drawn_histogram(desk, table, request, names, promise, language_told(mail))

    return _replayed(
        f"words: histogram, {noise}", corpus, draw, request.by.unit, request.ceiling, (neighbours, published), rng,
        progress,
    )  # fmt: skip


def replay_correlation(
    corpus: Corpus,
    *,
    epsilon: float,
    contribution: int,
    vocabulary: Sequence[str] | None = None,
    n: int = 2,
    neighbours: int = 20,
    rng: np.random.Generator | int | None = None,
    progress: Tick | None = None,
) -> Replay:
    """Record a private estimate of correlation, and give its answer to estimates from mail without one edge's content.

    Parameters
    ----------
    corpus
        The private mail; who writes to whom is public here.
    epsilon, contribution, vocabulary, n
        As in `entrenous.words.beliefs.estimation.estimate_range`.
    neighbours, rng, progress
        As in `entrenous.attack.replay`.
    """
    asked = {"epsilon": epsilon, "contribution": contribution, "vocabulary": vocabulary, "n": n}

    def draw(mail: Mail, noise: Noise) -> object:
        table, question = asked_of(mail, **asked)  # type: ignore[arg-type]
        desk = Desk(table, unit=Unit.EDGE_CONTENT, ceiling=Price(epsilon=question.epsilon), noise=noise)
        return drawn_range(desk, question, 0.99)

    name, counts = "words: private estimate of correlation", (neighbours, neighbours)
    return _replayed(
        name, corpus, draw, Unit.EDGE_CONTENT, Price(epsilon=epsilon), counts, rng, progress, ends_public=True
    )


def _replayed(
    mechanism: str,
    corpus: Corpus,
    draw: Draw,
    unit: Unit,
    stated: Price,
    counts: tuple[int, int],
    rng: np.random.Generator | int | None,
    progress: Tick | None,
    *,
    ends_public: bool = False,
) -> Replay:
    """Record on the whole corpus, and compare with what lacks one unit."""
    if not isinstance(corpus, Corpus):
        raise ArgumentError("corpus", f"expected a Corpus; got {type(corpus).__name__}")
    neighbours, published = _check.at_least("neighbours", counts[0], 1), counts[1]
    tick = progress or (lambda _done, _total: None)
    tick(0, neighbours)
    seen = record_release(lambda noise: draw(corpus, noise), rng)
    found: list[tuple[Gone, Compared]] = []

    def take_away(gone: Gone) -> None:
        other = MailWithout(corpus, gone, ends_public)
        to_the_end = len(found) < published
        told = compare(str(gone), lambda noise: draw(other, noise), seen, stated, to_the_end=to_the_end)
        found.append((gone, told))
        tick(len(found), neighbours)

    if seen.published:
        search = np.random.default_rng(seen.public)
        for gone in gone_by_unit(corpus, unit, max(1, round(neighbours * (1 - _SEARCHED))), search):
            take_away(gone)
        if not found:
            raise ArgumentError("corpus", f"expected mail of which {unit} can be taken away; got none")
        while len(found) < neighbours:
            worst = max(found, key=lambda each: each[1].share)[0]
            take_away(near_gone(corpus, unit, worst, search))
    return Replay(
        mechanism,
        unit,
        stated,
        tuple(told for _, told in found),
        seen.problems,
        questions=tuple(said.statistic.name for said in seen.said),
    )
