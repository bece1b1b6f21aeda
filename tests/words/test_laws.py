"""The class of laws on each card is searched for one that breaks it, and holds what its sentence says."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.words.law_search import (
    Family,
    anything,
    chain,
    noise_of,
    numbers_of_neighbours,
    outputs,
    search,
    star,
    topic,
    two_topics,
    worst,
    worst_chain_whatever_came_earlier,
    worst_of_all_mechanisms,
)

from entrenous.errors import ArgumentError
from entrenous.words.beliefs import (
    BELIEFS,
    Belief,
    Binomial,
    Chain,
    Conditional,
    Global,
    Group,
    Independent,
    Latent,
)
from entrenous.words.beliefs.buckets import Bucket
from entrenous.words.beliefs.laws import Law, Laws, at_most, markov, nothing_more, steps, within
from entrenous.words.pufferfish.transfer import chain_edge_epsilon
from entrenous.words.pufferfish.wasserstein import Distribution

STATED = 1.0
SHARED = Global(Distribution((0, 1, 3), (6, 3, 1)), Distribution((0, 2, 3), (1, 4, 5)))
CASES: list[tuple[Belief, list[Family], float]] = [
    (Independent(), [star(4), topic(4), anything(3)], 0.999),
    (Binomial(0.1, 0.6, 3), [star(4), topic(4), anything(3)], 0.999),
    (Binomial(0.3, 0.9, 3), [star(4)], 0.999),
    (Latent(0.1, 0.6, 2), [topic(3), star(3), anything(3)], 0.995),
    (Latent(0.02, 0.9, 2), [topic(3)], 0.99),
    (Chain(0.1, 4), [chain(4, 1)], 0.95),
    (Chain(0.2, 3), [chain(3, 1), two_topics(3, 1)], 0.95),
    (Group(3), [anything(3), star(3)], 0.99),
    (Conditional((Bucket(0, 0, 0.5),), 4), [numbers_of_neighbours(5)], 0.9),
]


def counts_alone(belief: Belief) -> bool:
    """Whether the promise for any neighbours being the ones is met by counts."""
    return isinstance(belief, Global | Conditional)


@pytest.mark.long
@pytest.mark.parametrize(("belief", "families", "share"), CASES, ids=lambda case: repr(case)[:40])
def test_no_law_of_the_class_breaks_the_card_and_some_come_near(
    belief: Belief, families: list[Family], share: float
) -> None:
    eta, scale = noise_of(belief, STATED)
    found = []
    for family in families:
        bits = family.law(np.full(family.numbers, 0.5)).bits
        seen = outputs(bits, eta, scale, patterns=True)
        value, law = search(belief.laws, family, seen, starts=6, seed=3, sweeps=6)
        found.append(value)
        assert value <= STATED + 1e-9, family.name
        if law is not None and bits <= 4:
            assert worst_of_all_mechanisms(law, eta) <= STATED + 1e-6
    assert max(found) >= share * STATED


def test_every_belief_is_searched() -> None:
    assert {type(belief) for belief, _, _ in CASES} | {Global} == set(BELIEFS.values())


def test_one_pair_of_distributions_is_met_exactly_and_another_one_as_far_apart_breaks_it() -> None:
    """The card of Global speaks of one very pair, by its fingerprint: exact calibration holds for no other."""
    ones = np.add.reduce(np.indices((2, 2, 2)))

    def law(absent: list[float], present: list[float]) -> Law:
        sides = [np.array(side) / [1, 3, 3, 1] for side in (absent, present)]
        return Law(np.stack([side[ones] / 2 for side in sides]))

    allowed = law([0.6, 0.3, 0.0, 0.1], [0.1, 0.0, 0.4, 0.5])
    other = law([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0])
    assert allowed in SHARED.laws
    assert other not in SHARED.laws
    assert other in Laws((within(SHARED.w_inf() - 1),))
    scale = SHARED.laplace_scale(STATED)
    seen = outputs(4, 1 / scale, scale, patterns=False)
    assert worst(allowed, seen) == pytest.approx(STATED, abs=1e-9)
    assert worst(other, seen) > STATED + 0.01
    assert SHARED.fingerprint in SHARED.assumption
    assert SHARED.fingerprint != replace(SHARED, absent=SHARED.present).fingerprint


# The chain that once was promised too much


def old_class(flip: float, length: int) -> Laws:
    """The card of before: either bit next with `flip` or more, in either direction, whatever came earlier."""
    return Laws((at_most(length), steps(flip, whatever_came_earlier=True)))


def topic_on_each_side(flip: float, length: int) -> Law:
    """On each side of the secret a hidden topic, mostly equal to it; every bit of that side is mostly its topic."""
    family = two_topics(length, length // 2)
    return family.law(np.array([0.5, *[flip, 1 - flip, flip, 1 - flip] * 2]))


@pytest.mark.parametrize("flip", [0.1, 0.2, 0.3, 0.4])
def test_a_topic_on_each_side_is_in_the_class_of_the_old_card_and_not_in_that_of_the_new(flip: float) -> None:
    law = topic_on_each_side(flip, 7)
    assert law in old_class(flip, 7)
    assert law not in Chain(flip, 7).laws
    assert Laws((markov(),)).violation(law) > 1e-4


@pytest.mark.parametrize(("flip", "told"), [(0.1, 4.51), (0.2, 3.03), (0.3, 2.14), (0.4, 1.49)])
def test_what_it_would_have_told_of_201_edges(flip: float, told: float) -> None:
    """Exactly: both sides are independent given the secret, and all bits of a side given its topic."""
    eta = chain_edge_epsilon(STATED, 201, flip)
    raised = [100 * math.log1p(p * math.expm1(eta)) for p in (flip, 1 - flip)]
    side = np.logaddexp(math.log(1 - flip) + raised[1], math.log(flip) + raised[0])
    side -= np.logaddexp(math.log(flip) + raised[1], math.log(1 - flip) + raised[0])
    assert eta + 2 * side == pytest.approx(told, abs=0.006)
    assert eta + 2 * side > 1.4 * STATED


def test_the_exact_number_is_that_of_the_law() -> None:
    flip, length = 0.2, 11
    law, eta = topic_on_each_side(flip, length), chain_edge_epsilon(STATED, length, flip)
    assert worst(law, outputs(length, eta, 1 / eta, patterns=False)) == pytest.approx(
        1.2170077842728313, rel=1e-9
    )


def broken(laws: Laws, flip: float, length: int) -> bool:
    """Whether a card with this class is broken by the topic on each side: it is allowed, and tells too much."""
    law, eta = topic_on_each_side(flip, length), chain_edge_epsilon(STATED, length, flip)
    return law in laws and worst(law, outputs(length, eta, 1 / eta, patterns=False)) > 1.1 * STATED


@pytest.mark.parametrize("flip", [0.1, 0.2, 0.3])
def test_the_counterexample_breaks_the_old_card_and_not_the_new_one(flip: float) -> None:
    assert broken(old_class(flip, 11), flip, 11)
    assert not broken(Chain(flip, 11).laws, flip, 11)


def test_the_search_breaks_the_old_card_by_itself_and_not_the_new_one() -> None:
    flip, length, secret = 0.2, 7, 3
    eta = Chain(flip, length).edge_epsilon(STATED)
    seen = outputs(length, eta, 1 / eta, patterns=False)[[0, -1]]
    value, law = worst_chain_whatever_came_earlier(flip, length, secret, seen)
    assert worst(law, seen) == pytest.approx(value, abs=1e-6)
    assert Laws((steps(flip, whatever_came_earlier=True),)).violation(law) < 1e-7
    assert value > 1.05 * STATED
    assert Chain(flip, length).laws.violation(law) > 1e-3


def test_cards_say_the_markov_property_and_the_topic() -> None:
    assert "say nothing about those behind it" in Chain(0.1, 9).assumption
    assert "whatever came earlier" not in Chain(0.1, 9).assumption
    assert "hidden topic" in Latent(0.1, 0.3, 9).assumption


# Constraints


def test_constraints_tell_laws_apart() -> None:
    copied = Law([[0.5, 0.0], [0.0, 0.5]])
    alone = Law(np.full((2, 2), 0.25))
    for constraint, good, bad in (
        (nothing_more(), alone, copied),
        (at_most(1), Law([0.5, 0.5]), alone),
        (steps(0.2), alone, copied),
    ):
        assert constraint.violation(good) == 0
        assert constraint.violation(bad) > 0.1
    assert [side.tolist() for side in copied.numbers()] == [[1, 0], [0, 1]]


def test_topics_never_make_an_edge_say_less() -> None:
    family = topic(3)
    allowed = Latent(0.1, 0.6, 2).laws
    assert family.law(np.array([0.3, 0.1, 0.2, 0.3, 0.6, 0.5, 0.3])) in allowed
    assert family.law(np.array([0.3, 0.1, 0.2, 0.3, 0.6, 0.5, 0.2])) not in allowed
    assert family.law(np.array([0.3, 0.1, 0.2, 0.3, 0.7, 0.5, 0.3])) not in allowed


@pytest.mark.parametrize("table", [[0.5, 0.6], [-0.1, 1.1], [0.2, 0.3, 0.5]])
def test_what_is_no_law_is_refused(table: list[float]) -> None:
    with pytest.raises(ArgumentError, match="table"):
        Law(table)
