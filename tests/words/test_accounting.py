from __future__ import annotations

import math
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy.stats import binom

from entrenous.desk import Desk
from entrenous.errors import ArgumentError, PrivacyError
from entrenous.guarantee import GRAPH_PUBLIC, KNOWN_SEED, Guarantee, Kind
from entrenous.noise import Noise
from entrenous.price import NoiseEvent, compose, gaussian_epsilon, gaussian_mu, gaussian_scale
from entrenous.unit import Unit
from entrenous.vault.chain.entry import Promise
from entrenous.words.beliefs import Belief, Binomial, Chain, Group, Independent
from entrenous.words.beliefs.belief import POSITIVE, REPLACED
from entrenous.words.counting.holder import EDGE, SENDER, Holder
from entrenous.words.counting.table import Table
from entrenous.words.pufferfish.accounting import binomial_epsilon
from entrenous.words.pufferfish.noisy_distributions import brackets, gaussian_pair, geometric_pair
from entrenous.words.request import Request, TableDesk
from entrenous.words.vocabulary.vocabulary_request import VocabularyRequest

PAPER = Binomial(p0=0.0277, p1=0.2739, neighbours=1883)


# gaussian


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.1, 1e-9), (1.0, 1e-5), (3.0, 1e-5), (100.0, 1e-5), (1.0, 0.4)]
)
def test_normal_noise_agrees_with_the_library(epsilon: float, delta: float) -> None:
    assert gaussian_scale(epsilon, delta) == pytest.approx(
        dp_accounting.get_sigma_gaussian(epsilon, delta), rel=1e-6
    )
    assert gaussian_epsilon(gaussian_mu(epsilon, delta), delta) == pytest.approx(epsilon, rel=1e-9)


def test_a_movement_that_delta_hides_costs_nothing() -> None:
    assert gaussian_epsilon(1e-7, 1e-6) == 0.0
    assert gaussian_scale(1.0, 1e-5, 7.0) == pytest.approx(7 * gaussian_scale(1.0, 1e-5))


# requests


def asked(
    epsilon: float,
    correlation: Belief,
    contribution: int,
    unit: str = "edge",
    delta: float = 0.0,
    *,
    replaced: bool = False,
) -> Request:
    return Request(
        epsilon=epsilon,
        correlation=correlation,
        contribution=contribution,
        by=Holder.named(unit, "unit"),
        delta=delta,
        replaced=replaced,
    )


def test_the_scales_of_the_paper_with_the_edge_counted() -> None:
    request = asked(100.0, PAPER, 1000)
    assert 1 / request.ngram_epsilon == pytest.approx(4646.2944, rel=1e-7)
    assert request.edge_epsilon == pytest.approx(1000 / 4646.2944, rel=1e-7)
    assert 1 / asked(1.0, PAPER, 1).ngram_epsilon == pytest.approx(464.9429, rel=1e-6)
    assert 1 / asked(100.0, Independent(), 1000).ngram_epsilon == pytest.approx(10)
    assert 1 / asked(100.0, Group(1883), 1000).ngram_epsilon == pytest.approx(18830)


@pytest.mark.long
def test_replacement_moves_twice_as_many_ngrams() -> None:
    plain, replaced = (asked(1.0, Independent(), 5, delta=1e-6, replaced=value) for value in (False, True))
    assert replaced.ngram_epsilon == pytest.approx(plain.ngram_epsilon / 2)
    assert replaced.gaussian_scale() == pytest.approx(math.sqrt(2) * plain.gaussian_scale())
    twice = asked(1.0, Binomial(0.1, 0.5, 8), 5, delta=1e-6, replaced=True).gaussian_scale()
    once = asked(1.0, Binomial(0.1, 0.5, 8), 10, delta=1e-6).gaussian_scale()
    assert twice == pytest.approx(once, rel=0.05)  # ten n-grams either way; five of them the other way round


def test_the_defect_of_a_coupling_is_paid_for_every_ngram() -> None:
    request = asked(1.0, Binomial(0.1, 0.5, 8, defect=1e-8), 10, delta=1e-6)
    assert request.noise_delta == pytest.approx(9e-7)
    with pytest.raises(ArgumentError, match="coupling"):
        asked(1.0, Binomial(0.1, 0.5, 8, defect=1e-6), 10, delta=1e-6)


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0.0},
        {"contribution": 0},
        {"unit": "node"},
        {"delta": 1.0},
        {"correlation": 0.5},
        {"unit": "sender", "correlation": Group(3)},
        {"replaced": True, "correlation": Group(3)},
    ],
    ids=str,
)
def test_levels_without_meaning_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        asked(**{"epsilon": 1.0, "correlation": Independent(), "contribution": 1} | wrong)


def test_gaussian_noise_needs_a_delta() -> None:
    with pytest.raises(ArgumentError, match="delta"):
        asked(1.0, Independent(), 3).gaussian_scale()


# promises


@dataclass(frozen=True, kw_only=True)
class WithNoise(Request):
    """A request whose noise is given."""

    noise: NoiseEvent

    @property
    def event(self) -> NoiseEvent:
        return self.noise


def nobody(request: Request, *, listed: bool = False) -> Table:
    return Table.from_counts([], ends=[], by=request.by, listed=listed)


def desk_of(request: Request, rng: int | None = None) -> TableDesk:
    return Desk(nobody(request), unit=request.by.unit, ceiling=request.ceiling, noise=Noise(rng))


def promised(
    noise: NoiseEvent, request: Request, *, rng: int | None = None, more: tuple[str, ...] = ()
) -> tuple[Guarantee | None, Guarantee]:
    """The promise of a desk with this noise, and what is charged for it."""
    given = {field.name: getattr(request, field.name) for field in fields(Request)}
    noisy = WithNoise(**given, noise=noise)
    promise = noisy.guarantee(desk_of(noisy, rng), nobody(noisy), more=more)
    return promise, noisy.charged(desk_of(noisy, rng))


def test_each_belief_makes_its_own_promise() -> None:
    event = NoiseEvent("geometric", scale=4.0, repeats=2)
    edge, _ = promised(event, asked(0.5, Independent(), 2))
    assert edge is not None
    assert (edge.unit, edge.kind, edge.per_ngram, edge.level) == (Unit.EDGE_CONTENT, Kind.DP, 0.25, None)
    sender, _ = promised(event, asked(0.5, Independent(), 2, "sender"), rng=1)
    assert sender is not None
    assert sender.unit is Unit.SENDER
    assert KNOWN_SEED in sender.assumptions
    group, _ = promised(event, asked(1.5, Group(3), 2))
    assert group is not None
    assert (group.unit, group.size, group.kind) == (Unit.GROUP, 3, Kind.DP)
    assert group.charged.epsilon == 0.5
    model = Binomial(0.1, 0.5, 8)
    believed, _ = promised(event, asked(8.0, model, 2, replaced=True), more=("It rains.",))
    assert believed is not None
    assert (believed.unit, believed.kind) == (Unit.CORRELATED_EDGE, Kind.PUFFERFISH)
    assert believed.assumptions == (model.assumption, REPLACED, GRAPH_PUBLIC, EDGE.limits, "It rains.")
    assert believed.charged.unit is Unit.EDGE_CONTENT
    replaced, _ = promised(event, asked(1.0, Independent(), 2, replaced=True))
    assert replaced is not None
    assert (replaced.unit, replaced.charged.epsilon) == (Unit.REPLACED_CONTENT, 0.5)


@pytest.mark.parametrize(
    ("belief", "replaced"),
    [
        (Independent(), False),
        (Independent(), True),
        (Group(3), False),
        (Binomial(0.1, 0.5, 8), False),
        (Binomial(0.1, 0.5, 8), True),
        (Chain(0.3, 20), False),
    ],
)
@pytest.mark.parametrize("kind", ["geometric", "gaussian"])
def test_too_little_noise_for_the_promise_is_refused(belief: Belief, replaced: bool, kind: str) -> None:
    request = asked(2.0, belief, 2, replaced=replaced, delta=1e-5 if kind == "gaussian" else 0.0)
    least = request.gaussian_scale() if kind == "gaussian" else request.geometric_scale()
    promise, _ = promised(NoiseEvent(kind, scale=least, repeats=2), request)
    assert promise is not None
    with pytest.raises(PrivacyError, match="does not keep epsilon 2; nothing is promised"):
        promised(NoiseEvent(kind, scale=least / 1.001, repeats=2), request)


@pytest.mark.long
def test_the_last_digits_of_a_calibration_refuse_nothing() -> None:
    """The exact calibration of these, repeated with a billionth more delta, ends a few billionths higher."""
    for epsilon, delta, contribution, belief in (
        (
            1.7487209129695378,
            7.658287363682053e-08,
            625,
            Binomial(0.239963857816486, 0.6000005630018248, 640),
        ),
        (
            36.6818569446983,
            1.6210857341853579e-06,
            926,
            Binomial(0.14384632552825863, 0.9165631638821982, 1106),
        ),
    ):
        request = VocabularyRequest.checked(epsilon, delta, belief, contribution, weighting="fixed")
        assert request.kept(request.ceiling)


def test_what_was_only_calibrated_promises_nothing() -> None:
    request = asked(1.0, Binomial(0.1, 0.5, 8, source="calibrated"), 2)
    event = NoiseEvent("geometric", scale=1 / request.ngram_epsilon, repeats=2)
    promise, charged = promised(event, request)
    assert promise is None
    assert charged.epsilon == pytest.approx(request.edge_epsilon)


def test_a_desk_with_another_ceiling_or_unit_promises_nothing() -> None:
    request = WithNoise(epsilon=1.0, contribution=1, noise=NoiseEvent("geometric", scale=1.0))
    sharper = WithNoise(epsilon=2.0, contribution=1, noise=NoiseEvent("geometric", scale=0.5))
    senders = WithNoise(epsilon=1.0, contribution=1, by=SENDER, noise=NoiseEvent("geometric", scale=1.0))
    for other in (sharper, senders):
        with pytest.raises(PrivacyError, match="nothing is promised"):
            request.guarantee(desk_of(other), nobody(other))


def test_the_level_of_gaussian_noise_is_what_one_content_costs() -> None:
    request = asked(100.0, Chain(0.2, 9), 1000, delta=1e-5)
    event = NoiseEvent("gaussian", scale=request.gaussian_scale(), repeats=1000)
    promise, charged = promised(event, request)
    assert gaussian_scale(charged.epsilon, charged.delta, math.sqrt(1000)) == pytest.approx(event.scale)
    assert promise is not None
    assert promise.per_ngram is not None
    assert charged.epsilon < promise.epsilon
    assert promise.per_ngram < promise.epsilon


# two distributions


def test_what_the_threshold_costs_is_not_spent_on_one_ngram_too() -> None:
    for model in (Independent(), Binomial(0.1, 0.5, 8)):
        request = asked(2.0, model, 10, delta=1e-5)
        alone, beside = (
            promised(NoiseEvent("gaussian", scale=40.0, repeats=10, delta=paid), request)[0]
            for paid in (0.0, 9e-6)
        )
        assert alone is not None
        assert beside is not None
        assert alone.per_ngram is not None
        assert beside.per_ngram is not None
        assert alone.per_ngram < beside.per_ngram
        assert (POSITIVE in beside.assumptions) == isinstance(model, Binomial)


@pytest.mark.long
def test_exact_accounting_pays_for_the_defect_of_the_coupling_too() -> None:
    """A threshold rests on the coupling, whichever way the scale was found."""
    with_defect = asked(1.0, Binomial(0.1, 0.5, 8, defect=5e-8), 10, delta=1e-6)
    without = asked(1.0, Binomial(0.1, 0.5, 8), 10, delta=with_defect.noise_delta)
    assert with_defect.gaussian_scale() == pytest.approx(without.gaussian_scale(), rel=1e-3)
    assert with_defect.gaussian_scale() > asked(1.0, without.correlation, 10, delta=1e-6).gaussian_scale()


def test_noisy_distributions_are_distributions_whose_ratio_never_falls() -> None:
    for absent, present in brackets(40, 0.1, 0.4):
        for pair in (geometric_pair(absent, present, 3.0), gaussian_pair(absent, present, 3.0)):
            assert np.exp(pair.absent).sum() == pytest.approx(1)
            assert np.exp(pair.present).sum() == pytest.approx(1)
            assert np.diff(pair.present - pair.absent).min() > -1e-9


def test_brackets_cover_every_neighbourhood() -> None:
    """No single size is more telling, at any epsilon, than the worst of the brackets."""
    neighbours, p0, p1, scale = 60, 0.1, 0.3, 12.0
    pairs = [geometric_pair(*distributions, scale) for distributions in brackets(neighbours, p0, p1)]

    def telling(absent: np.ndarray, present: np.ndarray, epsilon: float) -> float:
        return float(np.maximum(np.exp(present) - np.exp(epsilon + absent), 0).sum())

    for epsilon in (0.0, 0.1, 0.3, 0.5):
        worst = max(telling(*pair, epsilon) for pair in pairs)
        back = max(telling(*pair[::-1], epsilon) for pair in pairs)
        for size in range(0, neighbours + 1, 5):
            distributions = [np.append(binom.logpmf(range(size + 1), size, p0), -np.inf)]
            distributions += [np.append(-np.inf, binom.logpmf(range(size + 1), size, p1))]
            pair = geometric_pair(distributions[0], distributions[1], scale)
            assert telling(*pair, epsilon) <= worst + 1e-12
            assert telling(*pair[::-1], epsilon) <= back + 1e-12


def test_exact_losses_agree_with_the_library() -> None:
    """For two mass functions dp-accounting has its own way, which overstates by its grid."""
    model, scale, ngrams, delta = Binomial(0.1, 0.5, 6), 20.0, 50, 1e-6
    ((absent, present),) = list(brackets(6, 0.1, 0.5))[-1:]
    pair = geometric_pair(absent, present, scale)
    theirs = privacy_loss_distribution.from_two_probability_mass_functions(
        dict(enumerate(pair.absent)), dict(enumerate(pair.present)), symmetric=False
    ).self_compose(ngrams)
    ours = binomial_epsilon(model, "geometric", scale, ngrams=ngrams, delta=delta)
    assert ours == pytest.approx(theirs.get_epsilon_for_delta(delta), abs=ngrams * 1e-4 + 1e-3)


def test_without_neighbours_the_losses_are_those_of_plain_noise() -> None:
    alone = Binomial(0.2, 0.4, 0)
    ours = binomial_epsilon(alone, "gaussian", 20.0, ngrams=100, delta=1e-6)
    assert ours == pytest.approx(gaussian_epsilon(10 / 20.0, 1e-6), rel=2e-3)
    coins = binomial_epsilon(alone, "geometric", 20.0, ngrams=100, delta=1e-6)
    assert coins == pytest.approx(coin_epsilon(1 / 20.0, 100, 1e-6), rel=2e-3)


@pytest.mark.long
def test_the_whole_histogram_of_the_paper() -> None:
    """Laplace(5580) costs 13.9 at 1e-5 and not 100; Gaussian noise of 1,400 is enough for (100, 1e-5)."""
    assert 13.7 < binomial_epsilon(PAPER, "geometric", 5580, ngrams=1000, delta=1e-5) < 13.95
    scale = asked(100.0, PAPER, 1000, delta=1e-5).gaussian_scale()
    assert 1385 < scale < 1400
    assert binomial_epsilon(PAPER, "gaussian", scale, ngrams=1000, delta=1e-5) <= 100
    assert gaussian_scale(100.0, 1e-5, math.sqrt(1000) * PAPER.w_inf()) > 1.9 * scale


def test_neighbours_that_tell_nothing_cost_nothing() -> None:
    same = asked(10.0, Binomial(0.2, 0.2, 500), 50, delta=1e-6).gaussian_scale()
    assert same == pytest.approx(asked(10.0, Independent(), 50, delta=1e-6).gaussian_scale())


# composition


def coin_epsilon(eta: float, times: int, delta: float) -> float:
    """The epsilon of so many coins that tell a bit with eta, by bisection on the sum over their outcomes."""
    right = np.arange(times + 1)
    log_likelihood = binom.logpmf(right, times, 1 / (1 + math.exp(-eta)))
    loss = (2 * right - times) * eta
    low, high = 0.0, times * eta
    for _ in range(60):
        middle = (low + high) / 2
        left = np.exp(log_likelihood) @ np.maximum(-np.expm1(middle - loss), 0)
        low, high = (low, middle) if left <= delta else (middle, high)
    return high


def entry(epsilon: float, delta: float = 0.0, event: NoiseEvent | None = None) -> Promise:
    return Promise(Unit.EDGE_CONTENT, Decimal(str(epsilon)), Decimal(str(delta)), event)


def test_geometric_noise_composes_as_coins() -> None:
    """The histogram of the paper: a thousand counts with scale 4646 are far less than their sum."""
    charge = entry(0.2152, event=NoiseEvent("geometric", scale=4646.29, repeats=1000))
    together = compose([charge], delta=1e-9)
    assert together == pytest.approx(coin_epsilon(1 / 4646.29, 1000, 1e-9), rel=5e-3)
    assert together < 0.05
    assert compose([charge, charge], delta=1e-9) == pytest.approx(
        coin_epsilon(1 / 4646.29, 2000, 1e-9), rel=5e-3
    )


def test_gaussian_noise_composes_as_gaussian_noise() -> None:
    first = entry(1.0, 1e-6, NoiseEvent("gaussian", scale=10.0, repeats=4))
    second = entry(1.0, 1e-6, NoiseEvent("gaussian", scale=20.0, sensitivity=2.0, repeats=9))
    mu = math.sqrt((2 / 10) ** 2 + (6 / 20) ** 2)
    assert compose([first, second], delta=1e-6) == pytest.approx(gaussian_epsilon(mu, 1e-6), rel=5e-3)


def test_charges_without_noise_enter_as_they_are() -> None:
    plain, noisy = entry(0.5, 1e-7), entry(1.0, 1e-7, NoiseEvent("gaussian", scale=10.0, delta=1e-8))
    assert compose([], delta=1e-6) == 0.0
    assert compose([plain, plain], delta=1e-6) == 1.0
    both = compose([plain, noisy], delta=1e-6)
    assert gaussian_epsilon(0.1, 1e-6) < both <= 0.5 + gaussian_epsilon(0.1, 5e-7)
    assert compose([plain, noisy], delta=0) == math.inf  # nothing is promised without a delta
    assert compose([plain], delta=1e-7) == 0.5
    assert compose([plain], delta=0.9e-7) == math.inf
