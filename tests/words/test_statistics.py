"""Questions about words: what they cost, whom they refuse, and that answers hold names and noisy numbers alone."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest

from entrenous.desk import Desk
from entrenous.errors import ArgumentError, PrivacyError
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.unit import Unit
from entrenous.words import statistics
from entrenous.words.beliefs import BELIEFS, Belief, Binomial, Group, Independent
from entrenous.words.counting.holder import HOLDERS, Holder
from entrenous.words.counting.table import Table, word_digest
from entrenous.words.request import Request, TableDesk
from entrenous.words.statistics import (
    AdaptiveWeights,
    Agreement,
    FixedCounts,
    GuidedLonger,
    GuidedWords,
    HolderSizes,
    LeftOut,
    LeftOutSpread,
    ListedCounts,
    NamedWeights,
    PolicyWeights,
    WidestMessages,
)
from entrenous.words.statistics.candidates import Candidates, occurs
from entrenous.words.vocabulary import WEIGHTINGS
from entrenous.words.vocabulary.weightings import Fixed, Weighting

PHRASE = {"press": 2, "release": 2, "press release": 1}
EDGES = replace(
    Table.from_counts([PHRASE] * 300, ends=[(i, i + 1) for i in range(300)]), widest=np.ones(300, np.int32)
)
SENDERS = Table.from_counts([PHRASE] * 300, ends=[(i, i) for i in range(300)], by="sender")
PAIRS = np.array([[0, 1], [2, 3]])
WORDS = Candidates(np.array([[0], [1]], np.int32))
NAMING = [
    NamedWeights(0.5, 1e-6, 3),
    PolicyWeights(0.5, 1e-6, 3),
    AdaptiveWeights(0.5, 1e-6, 3),
    GuidedWords(0.5, 1e-6, 3),
    GuidedLonger(0.5, WORDS, ("press", "release")),
    FixedCounts(4.0, 1e-6, 3, n=2),
]
LISTED = [ListedCounts(("press",), 3, "geometric", 6.0), ListedCounts(("press",), 3, "gaussian", 6.0)]
CLASSES = np.zeros(1, np.int64)
LEFT_OUT = [
    HolderSizes(("press",), (1,), "gaussian", 6.0),
    LeftOut(("press",), 3, "most frequent", CLASSES, "geometric", 6.0),
    LeftOutSpread(("press",), 3, "ball", CLASSES, "gaussian", 6.0, np.zeros(1)),
]
ALL = [
    *NAMING,
    *LISTED,
    *LEFT_OUT,
    Agreement(1.0, 3, PAIRS),
    WidestMessages("gaussian", 2.0),
    WidestMessages("geometric", 2.0),
]


def desk(table: Table, ceiling: Price, unit: Unit = Unit.EDGE_CONTENT) -> TableDesk:
    return Desk(table, unit=unit, ceiling=ceiling, noise=Noise(1))


def test_every_statistic_of_words_is_tried_here() -> None:
    assert {type(each).__name__ for each in ALL} == set(statistics.__all__)


@pytest.mark.parametrize("question", ALL, ids=lambda each: type(each).__name__)
def test_a_desk_answers_at_the_price_and_refuses_below_it(question: statistics.NamedWeights) -> None:
    price = question.price(Unit.EDGE_CONTENT)
    asked = desk(EDGES, price)
    asked(question)
    assert asked.spent == price
    less = Price(price.epsilon * (1 - 1e-9), price.mu * (1 - 1e-9), price.delta)
    with pytest.raises(PrivacyError, match="not answered"):
        desk(EDGES, less)(question)
    with pytest.raises(PrivacyError, match="not answered"):
        asked(question)


@pytest.mark.parametrize("question", NAMING, ids=lambda each: type(each).__name__)
def test_a_threshold_is_paid_for_where_only_what_occurs_gets_noise(question: statistics.NamedWeights) -> None:
    price = question.price(Unit.EDGE_CONTENT)
    assert price.delta == (0.0 if isinstance(question, GuidedLonger) else 1e-6)
    assert price.mu == pytest.approx(math.sqrt(3) / 4 if isinstance(question, FixedCounts) else 0.5)


@pytest.mark.parametrize("question", ALL, ids=lambda each: type(each).__name__)
def test_a_table_counted_by_something_else_is_not_answered(question: statistics.NamedWeights) -> None:
    price = question.price(Unit.EDGE_CONTENT)
    with pytest.raises(PrivacyError, match="counted by sender"):
        desk(SENDERS, price)(question)
    for unit in (Unit.EDGE, Unit.GROUP, Unit.CORRELATED_EDGE):
        with pytest.raises(ArgumentError, match=f"no proof for the unit {unit}"):
            question.price(unit)


def test_a_replaced_content_costs_twice_as_many_counts() -> None:
    once, twice = (LISTED[0].price(unit).epsilon for unit in (Unit.SENDER, Unit.REPLACED_SENDER))
    assert (once, twice) == (pytest.approx(0.5), pytest.approx(1.0))
    once, twice = (LISTED[1].price(unit).mu for unit in (Unit.SENDER, Unit.REPLACED_SENDER))
    assert twice == pytest.approx(math.sqrt(2) * once)


@pytest.mark.long
@pytest.mark.parametrize("question", NAMING, ids=lambda each: type(each).__name__)
def test_a_content_that_is_not_bounded_moves_no_more_than_one_that_is(
    question: statistics.NamedWeights,
) -> None:
    """Bounding is the statistic's own: a table with all n-grams is answered as one that was bounded before."""
    many = [{f"w{chr(97 + i)}{chr(97 + j)}": 40 - i for i in range(20) for j in range(3)}] * 300
    whole = Table.from_counts(many, ends=[(i, i + 1) for i in range(300)], n=2)
    price = question.price(Unit.EDGE_CONTENT)
    if isinstance(question, GuidedLonger):
        return  # a norm of 1 is shared among as many candidates as there are
    found = [desk(table, price)(question) for table in (whole, whole.bounded(3))]
    first, second = (each.words if isinstance(question, FixedCounts) else each for each in found)
    assert first.names == second.names
    np.testing.assert_array_equal(first.score, second.score)


def test_each_length_of_counts_is_looked_at_once() -> None:
    question = FixedCounts(4.0, 1e-3, 3, n=2)
    counted = desk(EDGES, question.price(Unit.EDGE_CONTENT))(question)
    counted.longer(Candidates(counted.words.rows(1)))
    with pytest.raises(PrivacyError, match="each length is scored once"):
        counted.longer(Candidates(counted.words.rows(1)))
    with pytest.raises(PrivacyError, match="each length is scored once"):
        desk(EDGES, question.price(Unit.EDGE_CONTENT))(question).longer(Candidates(counted.words.rows(2)))


def test_an_edge_in_two_pairs_is_refused() -> None:
    with pytest.raises(PrivacyError, match="one pair at most"):
        desk(EDGES, Price(epsilon=1.0))(Agreement(1.0, 3, np.array([[0, 1], [1, 2]])))


@pytest.mark.parametrize("weighting", WEIGHTINGS.values(), ids=list(WEIGHTINGS))
@pytest.mark.parametrize("n", [1, 2, 3])
def test_what_a_rule_asks_costs_what_it_says(weighting: type[Weighting], n: int) -> None:
    table = Table.from_counts([PHRASE] * 300, ends=[(i, i + 1) for i in range(300)], n=n if n > 1 else 2)
    rule = weighting.within(Request(epsilon=6.0, delta=1e-4, contribution=3), n)
    asked = desk(table, rule.event.price)
    found = rule.ask(asked)
    assert {"press", "release"} <= set(found.names)
    assert asked.spent.mu == pytest.approx(rule.event.price.mu, rel=1e-12)
    assert asked.spent.delta == pytest.approx(rule.delta)
    assert occurs(table, found.names).sum() >= 2


def test_answers_hold_no_ids_of_the_table() -> None:
    """Two tables that differ in words nobody else hears of name the same n-grams by the same places."""
    question = NamedWeights(5.0, 1e-3, 4)
    rare = [{**PHRASE, f"rare{chr(97 + i % 26)}{chr(97 + i // 26)}": 1} for i in range(300)]
    other = Table.from_counts(rare, ends=[(i, i + 1) for i in range(300)])
    first, second = (desk(table, question.price(Unit.EDGE_CONTENT))(question) for table in (EDGES, other))
    assert first.words == second.words == tuple(sorted(first.words, key=word_digest))
    assert first.parts.max() < len(first.words)
    np.testing.assert_array_equal(first.parts, second.parts)
    assert {field.name for field in fields(first)} == {"words", "parts", "score", "first"}


@pytest.mark.parametrize("name", BELIEFS)
def test_every_belief_says_what_it_is(name: str) -> None:
    belief = BELIEFS[name]
    assert issubclass(belief, Belief)
    assert belief.__name__ == name
    assert belief.label


def test_no_option_states_two_beliefs() -> None:
    stated = [set(belief.options) for belief in BELIEFS.values() if belief.options]
    assert len(stated) > 1
    assert not any(one <= other for one in stated for other in stated if one is not other)
    assert Group.from_options(7, group=3) == Group(3)
    assert Binomial.from_options(7, p0=0.1, p1=0.2) == Binomial(0.1, 0.2, 7)
    with pytest.raises(ArgumentError, match="cannot be stated"):
        Independent.from_options(7)


def test_rules_and_holders_bear_the_names_of_their_registries() -> None:
    assert all(rule.name == name and rule.label for name, rule in WEIGHTINGS.items())
    assert all(Holder.named(name) is holder for name, holder in HOLDERS.items())
    units = [holder.unit for name, holder in HOLDERS.items() if name != "edge"]
    assert len(units) == len(set(units)) == len(HOLDERS) - 1
    assert [rule for rule in WEIGHTINGS.values() if rule.under_beliefs] == [Fixed]


@pytest.mark.parametrize("mechanism", ["gaussian", "geometric"])
def test_silent_edges_of_a_public_list_are_in_no_class_of_widest_messages(mechanism: str) -> None:
    """What passed on an edge moves one count when it is taken away, and not the count of silent edges as well."""
    from entrenous.attack.tools.recorder import Recorder

    noise = Recorder(1)
    for widest in ([5, 1, 1, 0], [0, 1, 1, 0]):
        table = Table.from_counts([PHRASE] * 4, ends=[(i, i + 1) for i in range(4)])
        seen = replace(table, widest=np.array(widest, np.int32))
        noise.answer(WidestMessages(mechanism, 2.0), seen, Unit.EDGE_CONTENT)
    (one,), (other,) = (said.draws for said in noise.said)
    moved = np.abs(one.true - other.true)
    assert np.count_nonzero(moved) == 1
    assert np.flatnonzero(moved).tolist() == [2]
