"""Liars in mediations: no lie passes a hard limit; without limits lies carry outcomes past what others wish."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.access.strategies import items

from entrenous import access
from entrenous.access.insight.rivals import own_choices
from entrenous.attack import Groups, manipulate, tempted
from entrenous.attack.inference.manipulation import VOTES, manipulate_rules
from entrenous.errors import ArgumentError


@settings(max_examples=40)
@given(items(limits=True, most=5, methods=("oc",)))
def test_no_lie_passes_a_hard_limit(item: access.Item) -> None:
    for lie in tempted(item):
        assert lie.past_limit == 0
        assert lie.gain >= 0


@pytest.mark.long
@settings(max_examples=1)
@given(items(limits=True, least=2, most=2, methods=("oo",)))
def test_no_lie_passes_a_hard_limit_with_choices_side_by_side(item: access.Item) -> None:
    assert not any(lie.past_limit for lie in tempted(item))


@settings(max_examples=20)
@given(items(least=2, most=4, limits=True, methods=("oc",)))
def test_the_best_lie_leads_where_it_says(item: access.Item) -> None:
    own = dict(zip(item.people, own_choices(item).tolist(), strict=True))
    honest = access.decide(item).choice
    for lie in tempted(item):
        lied = item
        if lie.gain:
            entry = item.to_dict()
            entry["wishes"][lie.person] = dict(zip(item.scored, lie.answer, strict=True))
            entry["limits"].pop(lie.person, None)
            if lie.heeds is not None:
                entry["peers"][lie.person] = {who: lie.heeds for who in item.people if who != lie.person}
            lied = access.Item.from_dict(entry)
        assert access.decide(lied).choice == lie.best
        assert lie.outcome == honest
        off = [abs(item.choices.index(choice) - own[lie.person]) for choice in (honest, lie.best)]
        assert lie.gain == off[0] - off[1]


@pytest.mark.long
def test_every_pair_of_people() -> None:
    """All answers of two people, all lies of one: 3,136 groups for each pair of weights."""
    groups = Groups.every_pair((0.0, 0.9))
    assert len(np.unique(groups.scores.reshape(len(groups), -1), axis=0)) == 56**2
    free, limited = (manipulate(groups, limits=limits) for limits in (False, True))
    assert limited.spreader_past == limited.selfish_past == limited.honest_past == 0.0
    assert limited.furthest == 0
    assert not limited.finding().broken
    assert free.spreader_past > 0.2
    assert free.furthest == 3
    assert free.pays > limited.pays > 0  # a liar may still narrow, or widen up to the others' limits


@pytest.mark.parametrize("vote", VOTES)
@pytest.mark.parametrize("people", [3, 5])
def test_random_groups(people: int, vote: str) -> None:
    groups = Groups.random(300, people, rng=people)
    free, limited = (manipulate(groups, vote=vote, limits=limits) for limits in (False, True))
    assert limited.spreader_past == 0.0
    assert limited.finding().stated == 0.0
    assert free.finding().stated is None
    assert free.spreader_past > free.honest_past > 0.3
    assert free.pays > 0.1


def test_one_group_is_what_a_mediation_gives() -> None:
    """The batch of all lies agrees with items mediated one by one."""
    groups = Groups.random(25, 3, rng=4)
    wider = 0
    for scores, weights in zip(groups.scores, groups.weights, strict=True):
        people = ("liar", "ann", "bob")
        wishes = {
            who: dict(zip(access.CHOICES[1:], row.tolist(), strict=True))
            for who, row in zip(people, scores, strict=True)
        }
        peers = {
            who: {other: float(w) for other, w in zip(people, row, strict=True) if other != who}
            for who, row in zip(people, weights, strict=True)
        }
        wider += tempted(access.Item(wishes, peers))[0].past_wish > 0
    assert manipulate(groups, limits=False).spreader_past == wider / 25


def test_rules_known_to_be_strategy_proof_are_found_so() -> None:
    """The attack tells rules apart: on a scale, veto and the uploader's choice reward no lie, the average does."""
    found = {each.rule: each for each in manipulate_rules(Groups.random(60, 3, rng=2))}
    assert found["veto"].pays == found["uploader"].pays == 0.0
    assert found["veto"].spreader_past == 0.0
    assert found["average"].pays > 0.1
    assert found["uploader"].spreader_past > 0.9


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(ArgumentError, match="circles"):
        tempted(access.Item({"ann": {"work": 3}}, {}, method="circles"))
    with pytest.raises(ArgumentError, match="vote"):
        manipulate(Groups.random(2, 2, rng=1), vote="none", limits=True)
