"""One release of the user's own mail with many canaries, and what it proves about its epsilon.

Thousands of canaries are planted, each one unit of what the release protects, each by a fair coin. The mail is
released once, by the real code and with real noise. One attacker sees everything that was drawn, another what is
published alone. From how many coins they guess follows how much epsilon there is at the least.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.attack.one_run.canary_letters import counted_letters, named_letters
from entrenous.attack.one_run.coin_bounds import (
    Guesses,
    best_count,
    delta_epsilon,
    gaussian_mu_bound,
    guess,
    most_telling,
    pure_epsilon,
)
from entrenous.attack.one_run.invented_letters import Letters, joined
from entrenous.attack.one_run.letter_scores import drawn_scores, log_ratios, true_values
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.lower_bound import BEYOND_DOUBT, CONFIDENCE
from entrenous.attack.tools.recorder import Recorder, Said
from entrenous.desk import Desk
from entrenous.errors import ArgumentError
from entrenous.price import gaussian_epsilon
from entrenous.words.counting.holder import Holder, unit_of
from entrenous.words.counting.table import Table
from entrenous.words.histogram import Histogram, HistogramRequest
from entrenous.words.histogram.release import drawn as draw_counts
from entrenous.words.public_list import checked_vocabulary
from entrenous.words.request import TableDesk
from entrenous.words.statistics.guided_weights import GuidedLonger
from entrenous.words.statistics.listed_counts import BALL, ListedCounts
from entrenous.words.statistics.nested import NestedLonger
from entrenous.words.statistics.weights import GRID
from entrenous.words.vocabulary.artifact import Vocabulary
from entrenous.words.vocabulary.desks import Desks
from entrenous.words.vocabulary.release import drawn as draw_names
from entrenous.words.vocabulary.vocabulary_request import VocabularyRequest
from entrenous.words.vocabulary.weightings import Guided, GuidedMessages

if TYPE_CHECKING:
    from entrenous.words.corpus import Corpus

__all__ = ["CANARIES", "DRAWN", "PUBLISHED", "Outcome", "planted_letters"]

CANARIES = 32_000
"""How many canaries are planted where nobody says how many: enough for an epsilon of 1."""
DRAWN, PUBLISHED = "all that was drawn", "what is published"
APART = "all that was drawn, each canary a trial of its own"
_LENGTH = 2  # of the longest n-grams of a vocabulary
_GUESSES = 1000  # where their number must be fixed before; a quarter of the canaries at most
_FEWEST = 20

FloatArray = NDArray[np.float64]
Coins = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What two attackers make of one release: a score for each canary, the higher the likelier it is there.

    Attributes
    ----------
    drawn
        Of the attacker who sees all noisy numbers: logarithms of likelihood ratios.
    published
        Of the attacker who sees what is published.
    coins
        Which canaries were there.
    """

    drawn: FloatArray
    published: FloatArray
    coins: Coins


def planted_letters(
    corpus: Corpus | Table,
    *,
    what: str = "vocabulary",
    unit: str | None = None,
    epsilon: float,
    delta: float | None = None,
    vocabulary: Iterable[str] = (),
    contribution: int = 1,
    canaries: int | None = None,
    canary: str | None = None,
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[Finding]:
    """Release mail once with many planted canaries, and return what two attackers prove about its epsilon.

    The first finding is that of an attacker who sees all noisy numbers, the second that of one who sees what is
    published. Both hold whatever the noise is. Where it is normal noise there is a third finding, far sharper than the
    first, which takes for granted that noise for one canary says nothing about noise for another: numbers are drawn
    one by one, and canaries share none. All tell about private mail; nothing released here is meant to be published.

    Parameters
    ----------
    corpus
        The private mail, or a table counted from it: of messages for a vocabulary whose unit hides messages.
    what
        "vocabulary", of words and pairs of neighbouring words, or "histogram".
    unit
        What is hidden, and what each canary is: see `entrenous.words.vocabulary`.
    epsilon, delta
        As for the release. A histogram without delta has geometric noise, with one Gaussian noise.
    vocabulary
        The public list of a histogram; the words of canaries are added to it.
    contribution
        Of a histogram: how many listed n-grams a holder counts for.
    canaries
        How many canaries get a coin. (default: 32,000)
    canary
        Of a vocabulary: which of the changes that the unit hides each canary is: "message" or "edge" under
        "edge-and-message" and "all", which no other unit leaves open. (default: the one that moves most)
    rng
        None for real noise; a seed makes a rehearsal, noise included.
    progress
        Called with steps made and steps in all.

    Examples
    --------
    >>> mail = Table.from_counts([{"budget": 1}], ends=[(0, 1)])
    >>> found = planted_letters(mail, what="histogram", epsilon=2.0, canaries=500, rng=1)
    >>> [each.attack for each in found]
    ['one release, 500 canaries, all that was drawn', 'one release, 500 canaries, what is published']
    >>> 0.5 < found[0].measured < 2, found[0].broken
    (True, False)

    References
    ----------
    Steinke, Nasr, Jagielski: Privacy auditing with one (1) training run. NeurIPS 2023.
    Mahloujifar, Melis, Chaudhuri: Auditing f-differential privacy in one run. ICML 2025.
    """
    _check.one_of("what", what, ("vocabulary", "histogram"))
    canaries = CANARIES if canaries is None else canaries
    if _check.at_least("canaries", canaries, 1) < _FEWEST:
        raise ArgumentError("canaries", f"expected {_FEWEST} or more; got {canaries}")
    tick = progress or (lambda _done, _total: None)
    tick(0, 3)
    seed = None if rng is None else np.random.default_rng(rng)
    unit = unit or unit_of(corpus)
    if what == "vocabulary":
        if delta is None:
            raise ArgumentError("delta", "expected a number: a vocabulary needs one")
        asked = VocabularyRequest.checked(epsilon, delta, None, None, unit, None, _LENGTH).asking_widest(
            corpus
        )
        outcome = _named(corpus, asked, canaries, canary, seed, tick)
    else:
        noise = "geometric" if delta is None else "gaussian"
        counts = HistogramRequest.checked(
            epsilon=epsilon, contribution=contribution, unit=unit, noise=noise, delta=delta, measured=None
        ).asking_widest(corpus)
        outcome = _counted(corpus, counts, tuple(vocabulary), canaries, seed, tick)
    request = asked if what == "vocabulary" else counts
    found = [
        _finding(what, request.by, scores, outcome.coins, epsilon, delta, seen)
        for scores, seen in ((outcome.drawn, DRAWN), (outcome.published, PUBLISHED))
    ]
    if delta is not None:
        found.append(_apart(what, request.by, outcome, epsilon, delta))
    tick(3, 3)
    return found


def _named(
    corpus: Corpus | Table,
    request: VocabularyRequest,
    canaries: int,
    canary: str | None,
    rng: np.random.Generator | None,
    tick: Callable[[int, int], object],
) -> Outcome:
    """Publish a vocabulary of mail with canaries."""
    rule, by = request.rule, request.by
    assert isinstance(rule, Guided | GuidedMessages)
    mu = math.sqrt(rule.mu**2 - rule.question.mu**2)
    letters = named_letters(by, canaries, mu=mu, canary=canary)
    coins, said = _toss(canaries, rng), letters.said(_LENGTH)

    def rows(there: Coins) -> Table:
        held = letters.messages if request.weighting.messages else letters.table
        return held(there, by, _LENGTH, said)

    both = joined(request.table(corpus), rows(coins))
    tick(1, 3)
    recorder = Recorder(rng)
    desks = Desks(both.table, by.unit, request.prices, recorder)
    made = draw_names(both.table, both.table, request, desks, None)
    tick(2, 3)
    owners = letters.owners(said)
    total = np.zeros(canaries)
    for each in recorder.said:
        if isinstance(each.statistic, GuidedLonger | NestedLonger):
            without, present = (rows(np.full(canaries, there)) for there in (False, True))
            total += drawn_scores(each, without, present, both.places, owners, canaries)
    return Outcome(total, _published_names(made.artifact, letters, said, owners), coins)


def _published_names(
    published: Vocabulary, letters: Letters, said: Table, owners: NDArray[np.int64]
) -> FloatArray:
    """Return the published scores of the n-grams of each canary, over those of all; what is not named stands lowest."""
    known = dict(zip(published.names, published.score.tolist(), strict=True))
    own = np.flatnonzero((owners >= 0) & (said.length == _LENGTH))
    score = np.array([known.get(said.names[place], math.nan) for place in own.tolist()], dtype=np.float64)
    score[np.isnan(score)] = np.nanmin(score) if np.isfinite(score).any() else 0.0
    total = np.bincount(owners[own], weights=score, minlength=letters.canaries)
    return np.asarray(total - np.median(total), dtype=np.float64)


def _counted(
    corpus: Corpus | Table,
    request: HistogramRequest,
    listed: tuple[str, ...],
    canaries: int,
    rng: np.random.Generator | None,
    tick: Callable[[int, int], object],
) -> Outcome:
    """Publish counts of mail with canaries."""
    by, ball = request.by, request.counting.bounding == BALL
    letters, own = counted_letters(by, canaries, contribution=request.contribution, ball=ball)
    names = checked_vocabulary((*listed, *own))
    real = request.table(corpus, names)
    coins, said = _toss(canaries, rng), letters.said(real.n)
    both = joined(real, letters.table(coins, by, real.n, said))
    tick(1, 3)
    recorder = Recorder(rng)
    desk: TableDesk = Desk(both.table, unit=by.unit, ceiling=request.ceiling, noise=recorder)
    made = draw_counts(desk, both.table, request, names, None, "not stated")
    tick(2, 3)
    place = said.names.look_up(names)
    owners = np.append(letters.owners(said), -1)[place]
    without, present = (letters.table(np.full(canaries, there), by, real.n, said) for there in (False, True))
    asked = next(each for each in recorder.said if isinstance(each.statistic, ListedCounts))
    drawn = drawn_scores(asked, without, present, both.places, owners, canaries)
    return Outcome(
        drawn,
        _published_counts(made.artifact, asked, (without, present), both.places, owners, canaries),
        coins,
    )


def _published_counts(
    published: Histogram,
    asked: Said,
    worlds: tuple[Table, Table],
    places: NDArray[np.int32],
    owners: NDArray[np.int64],
    canaries: int,
) -> FloatArray:
    """Return how much likelier published counts are with each canary than without."""
    statistic: Any = asked.statistic
    known = dict(zip(published.names, published.noisy.tolist(), strict=True))
    steps = GRID if statistic.bounding == BALL else 1
    noisy = np.array([known[name] * steps for name in statistic.names], dtype=np.int64)
    (draw, _, plain, _), (_, _, canary, _) = (true_values(asked, table, places)[0] for table in worlds)
    ratios = log_ratios(draw.kind, draw.scale, plain, canary, noisy)
    total = np.bincount(owners[owners >= 0], weights=ratios[owners >= 0], minlength=canaries)
    return total.astype(np.float64)


def _toss(canaries: int, rng: np.random.Generator | None) -> Coins:
    return (rng or np.random.default_rng()).random(canaries) < 0.5


def _finding(
    what: str, by: Holder, scores: FloatArray, coins: Coins, epsilon: float, delta: float | None, seen: str
) -> Finding:
    """Guess coins, then look at them, and return what that proves."""
    bounds: list[float] = []
    details: dict[str, float] = {"canaries": len(coins)}
    if delta is None:
        found = guess(scores, coins, most_telling(scores))
        bounds = [pure_epsilon(found, confidence=sure) for sure in (CONFIDENCE, BEYOND_DOUBT)]
    else:
        shares = (min(_GUESSES / len(coins), 0.25),)
        for sure in (CONFIDENCE, BEYOND_DOUBT):
            mu, found = best_count(scores, coins, _mu_bound, counts=shares, confidence=sure)
            bounds.append(gaussian_epsilon(mu, delta) if mu else 0.0)
            details.setdefault("mu", mu)
        details["epsilon of any noise"], _ = best_count(
            scores, coins, lambda each, sure: delta_epsilon(each, delta=delta, confidence=sure), counts=shares
        )
    return Finding(
        f"words: {what}",
        by.unit.name,
        f"one release, {len(coins):,} canaries, {seen}",
        stated=epsilon,
        measured=bounds[0],
        confidence=CONFIDENCE,
        trials=1,
        delta=delta or 0.0,
        beyond_doubt=bounds[1],
        details=details | {"guesses": found.made, "right": found.right},
    )


def _mu_bound(guesses: Guesses, confidence: float) -> float:
    return gaussian_mu_bound(guesses, confidence=confidence)


def _apart(what: str, by: Holder, outcome: Outcome, epsilon: float, delta: float) -> Finding:
    """Guess every coin by the sign of its score, and return what that proves if canaries are independent trials."""
    guessed, coins = outcome.drawn > 0, outcome.coins
    hits, alarms = int((guessed & coins).sum()), int((guessed & ~coins).sum())
    there = int(coins.sum())
    mus = [
        _mu_of_rates((hits, there), (alarms, len(coins) - there), sure) for sure in (CONFIDENCE, BEYOND_DOUBT)
    ]
    measured, beyond = (gaussian_epsilon(mu, delta) if mu > 0 else 0.0 for mu in mus)
    return Finding(
        f"words: {what}",
        by.unit.name,
        f"one release, {len(coins):,} canaries, {APART}",
        stated=epsilon,
        measured=measured,
        confidence=CONFIDENCE,
        trials=1,
        delta=delta,
        beyond_doubt=beyond,
        details={
            "canaries": len(coins),
            "guesses": len(coins),
            "right": int((guessed == coins).sum()),
            "mu": max(mus[0], 0.0),
        },
    )


def _mu_of_rates(hits: tuple[int, int], alarms: tuple[int, int], confidence: float) -> float:
    """Return the least mu of normal noise that leaves room for these rates of hits and of false alarms.

    >>> round(_mu_of_rates((691_462, 1_000_000), (308_538, 1_000_000), 0.95), 3)
    0.995
    """
    from scipy.special import betaincinv, ndtri

    (hit, there), (alarm, absent), risk = hits, alarms, (1 - confidence) / 2
    if not hit or alarm == absent:
        return 0.0
    return float(
        ndtri(betaincinv(hit, there - hit + 1, risk)) - ndtri(betaincinv(alarm + 1, absent - alarm, 1 - risk))
    )
