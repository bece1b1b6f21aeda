"""What published words tell about one edge: exact odds, edge-level, correlated-edge and group releases side by side."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests.real_data import DATA

from entrenous import datasets, words
from entrenous.attack import attackers, disclose_mail, disclosures
from entrenous.attack.inference.disclosure import RELEASES, Disclosure, disclose, odds_change
from entrenous.errors import ArgumentError
from entrenous.words import Binomial, Chain, Distribution, Global, Group
from entrenous.words.prediction import Noisy
from entrenous.words.pufferfish.noisy_distributions import Pair

PAPER = Binomial(p0=0.0277, p1=0.2739, neighbours=1883)


def test_the_point_of_the_paper() -> None:
    """Edge-level privacy lets odds move far beyond e; a correlated-edge release does not; a group is not needed."""
    edge, correlated, group = disclosures(PAPER, epsilon=1.0).values()
    assert edge.log_odds > 639  # a factor of 10^277
    assert edge.typical > 200  # not in the worst case alone
    assert edge.roc.auc > 1 - 1e-9
    assert correlated.log_odds == pytest.approx(1.0, abs=1e-9)  # no more, and no noise wasted
    assert correlated.roc.auc < 0.731
    assert group.log_odds < 0.25
    assert edge.error == pytest.approx(1.36, abs=0.01)
    assert correlated.error == pytest.approx(657.5, abs=0.1)
    assert group.error == pytest.approx(2664.4, abs=0.1)
    assert group.error > 4 * correlated.error


@pytest.mark.parametrize("neighbours", [1, 10, 50, 200, 1883])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_it_holds_for_neighbourhoods_of_all_sizes(neighbours: int, epsilon: float) -> None:
    edge, correlated, group = disclosures(Binomial(0.0277, 0.2739, neighbours), epsilon=epsilon).values()
    assert edge.log_odds > epsilon * (1 + 0.1 * neighbours)
    assert group.log_odds < correlated.log_odds <= epsilon * (1 + 1e-9)
    assert edge.error < correlated.error < group.error


def test_the_odds_are_those_of_all_configurations() -> None:
    """Bayes' rule over every content of four neighbours, written out, for every output."""
    model, scale = Binomial(0.1, 0.6, 4), 2.5
    likelihood = np.zeros((2, 12))
    outputs = np.arange(-3, 9)  # further out the odds stay as they are
    for bits in itertools.product((0, 1), repeat=5):
        chance = (model.p0, model.p1)[bits[0]]
        belief = math.prod(chance if bit else 1 - chance for bit in bits[1:])
        likelihood[bits[0]] += belief * np.exp(-np.abs(outputs - sum(bits)) / scale)
    odds = np.log(likelihood[1] / likelihood[0])
    found = disclose(model, Noisy("geometric", scale), epsilon=1.0)
    assert found.log_odds == pytest.approx(np.abs(odds).max(), rel=1e-12)
    assert found.typical in [pytest.approx(value) for value in odds]


@pytest.mark.parametrize(
    "belief",
    [
        PAPER,
        Binomial(0.1, 0.6, 30),
        Global(absent=Distribution((0, 1), (9, 1)), present=Distribution((2, 40), (1, 1))),
    ],
    ids=["paper", "team", "measured"],
)
def test_what_is_promised_holds_and_what_is_not_does_not(belief: Binomial | Global) -> None:
    table = attackers(belief, epsilon=1.0)
    assert len(table) == 9
    for found in table:
        assert (found.log_odds <= 1 + 1e-9) == found.promised, (found.release, found.attacker)
        assert not found.finding().broken


def test_a_tenth_less_noise_is_noticed() -> None:
    """The finding has power: the same promise on less noise is broken."""
    noise = disclosures(PAPER, epsilon=1.0)["correlated edge"].noise
    less = Noisy(noise.mechanism, 0.9 * noise.scale)
    assert disclose(PAPER, less, epsilon=1.0).finding().broken
    assert not disclose(PAPER, noise, epsilon=1.0).finding().broken


def test_gaussian_noise_but_for_delta() -> None:
    model = Binomial(0.1, 0.6, 30)
    edge, correlated, group = disclosures(model, epsilon=1.0, noise="gaussian", delta=1e-5).values()
    assert edge.log_odds > 3
    assert correlated.log_odds <= 1.0
    assert correlated.log_odds > 0.98
    assert group.log_odds < correlated.log_odds


def test_leaving_out_a_probability() -> None:
    pair = Pair(np.log([0.5, 0.4999, 0.0001]), np.log([0.4999, 0.4, 0.1001]))
    assert odds_change(pair) == pytest.approx(math.log(1001))
    assert odds_change(pair, delta=0.1) < 0.25


def test_posteriors_start_from_the_prior() -> None:
    edge, correlated, _ = disclosures(PAPER, epsilon=1.0).values()
    assert edge.posterior(0.001) > 0.999
    most = 0.1 * math.e / (0.1 * math.e + 0.9)
    assert 0.1 < correlated.posterior(0.1) <= most


def test_chains_have_no_law_of_a_count() -> None:
    with pytest.raises(ArgumentError, match="Chain"):
        Chain(flip=0.1, length=5).count_distributions()
    assert [len(side) for side in Group(4).count_distributions()] == [5, 5]


def on_mail(corpus: words.Corpus, n: int = 1) -> tuple[list[float], dict[str, Disclosure]]:
    """How well true counts, and each release, tell edges of a corpus apart."""
    belief = Binomial.fit(corpus, n=n)
    counts = corpus.neighbour_counts(n=n)
    made = disclosures(belief, epsilon=1.0)
    noises = [None, *(made[name].noise for name in RELEASES)]
    return [disclose_mail(counts, belief, noise).auc for noise in noises], made


@pytest.mark.long
def test_on_the_mail_of_an_invented_organization() -> None:
    corpus = words.Corpus.from_messages(datasets.organization(80, seed=1).messages(2000))
    (true, edge, correlated, group), made = on_mail(corpus)
    assert true > edge > 0.85
    assert 0.5 < group < correlated < 0.731
    assert made["edge level"].log_odds > 10


@pytest.mark.data
def test_on_enron() -> None:
    corpus = words.Corpus.read(DATA / "mail" / "enron-core.jsonl.gz")
    (true, edge, correlated, group), made = on_mail(corpus)
    assert true > 0.8
    assert edge > 0.8
    assert 0.5 <= group < correlated < 0.731
    assert made["edge level"].log_odds > 30
    assert made["correlated edge"].log_odds == pytest.approx(1.0, abs=1e-9)
