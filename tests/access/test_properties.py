"""What must hold for every group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.access.strategies import VOTES, answers, items

from entrenous import access
from entrenous.access.decision import HARD_LIMIT, NO_EQUILIBRIUM
from entrenous.access.insight.influence import removal_effect
from entrenous.access.settling.equilibrium import Equilibrium
from entrenous.access.settling.peers import Weights

quick = settings(max_examples=50, deadline=None, derandomize=True)


def settle(item: access.Item) -> Equilibrium:
    equilibrium = Equilibrium.find(Weights.of(item), item.scores)
    assert equilibrium is not None
    return equilibrium


def change(item: access.Item, **fields: object) -> access.Item:
    return access.Item.from_dict({**item.to_dict(), **fields})


@quick
@given(items())
def test_cap_is_always_solvable_and_certified(item: access.Item) -> None:
    decision = access.decide(item)
    assert decision.rule != NO_EQUILIBRIUM
    assert decision.certificate.exists
    assert 1 <= max(decision.certificate.totals.values()) <= 10 * (1 + 1e-12)
    assert decision.certificate.error < 1e-12


@quick
@given(items())
def test_every_effect_is_at_least_the_own_wish(item: access.Item) -> None:
    inverse = settle(item).inverse
    assert (inverse >= np.eye(len(inverse)) - 1e-12).all()


@quick
@given(items(), st.data())
def test_settled_scores_rise_with_initial_scores(item: access.Item, data: st.DataObject) -> None:
    raised = item.scores + data.draw(st.integers(0, 3))
    who = data.draw(st.integers(0, len(item.people) - 1))
    raised[:who] = item.scores[:who]
    higher = Equilibrium.find(Weights.of(item), raised)
    assert higher is not None
    assert (higher.settled >= settle(item).settled - 1e-12).all()


@quick
@given(items(methods=("oo",)), st.data())
def test_adding_a_constant_to_one_row_changes_nobodys_favourites(
    item: access.Item, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(item.people) - 1))
    shift = data.draw(st.integers(-5, 5))
    moved = settle(item).moved(place, item.scores[place] + shift)
    assert (moved.favourites(4)[0] == settle(item).favourites(4)[0]).all()


@quick
@given(items(limits=True), st.randoms(use_true_random=False))
def test_the_order_of_people_does_not_matter(item: access.Item, random: object) -> None:
    people = list(item.people)
    random.shuffle(people)  # type: ignore[attr-defined]
    entry = item.to_dict()
    shuffled = change(item, wishes={who: entry["wishes"][who] for who in people}, originator=item.originator)
    one, other = access.decide(item), access.decide(shuffled)
    assert (one.choice, one.rule, set(one.accepted_by)) == (other.choice, other.rule, set(other.accepted_by))
    for who in people:
        assert np.allclose(list(one.settled[who].values()), list(other.settled[who].values()), atol=1e-12)


@quick
@given(items())
def test_without_peers_initial_scores_stand(item: access.Item) -> None:
    alone = access.decide(change(item, peers={}))
    assert [list(row.values()) for row in alone.settled.values()] == item.scores.tolist()
    own = item.scores == item.scores.max(axis=1, keepdims=True) if item.method == "oo" else item.scores >= 3
    passing = np.flatnonzero(own.sum(axis=0) >= item.vote.needed(len(item.people)))
    if item.method == "oo":
        place = max(passing, key=lambda column: (own[:, column].sum(), -column), default=0)
    else:
        place = passing[-1] + 1 if len(passing) else 0
    assert alone.choice == access.CHOICES[place]


@quick
@given(items(), st.data())
def test_an_isolated_co_owner_moves_nobodys_scores(item: access.Item, data: st.DataObject) -> None:
    joined = change(item, wishes={**item.to_dict()["wishes"], "new": data.draw(answers(item.method))})
    one, other = access.decide(item), access.decide(joined)
    for who in item.people:
        assert one.settled[who] == other.settled[who]


@pytest.mark.long
@quick
@given(items(methods=("oc",)))
def test_monotone_answers_give_nested_acceptances(item: access.Item) -> None:
    accepts = settle(item).balance()[0] >= 0
    assert (accepts[:, :-1] >= accepts[:, 1:]).all()


@pytest.mark.long
@quick
@given(items(), VOTES)
def test_whatever_passes_by_consensus_passes_by_majority(item: access.Item, vote: object) -> None:
    unanimous = access.decide(replace(item, vote=access.Consensus()))
    assume(unanimous.agreed)
    majority = access.decide(replace(item, vote=vote))
    assert majority.agreed
    if item.method == "oc":
        assert access.CHOICES.index(majority.choice) >= access.CHOICES.index(unanimous.choice)


@quick
@given(items(limits=True))
def test_hard_limits_are_never_exceeded(item: access.Item) -> None:
    decision = access.decide(item)
    place = access.CHOICES.index(decision.choice)
    assert all(place <= access.CHOICES.index(limit) for limit in item.limits.values())
    if decision.rule == HARD_LIMIT:
        assert item.limits


@pytest.mark.long
@settings(max_examples=40, deadline=None, derandomize=True)
@given(items(least=2, limits=True), st.sampled_from(access.CHOICES), st.data())
def test_no_lie_of_others_widens_the_audience_beyond_my_limit(
    item: access.Item, limit: str, data: st.DataObject
) -> None:
    me, others = item.people[0], item.people[1:]
    limited = change(item, limits={**item.to_dict()["limits"], me: limit})
    for _ in range(5):
        lies = {who: data.draw(answers(item.method)) for who in others}
        weights = {
            who: {
                friend: data.draw(st.sampled_from([0.0, 0.5, 1.0])) for friend in item.people if friend != who
            }
            for who in others
        }
        dropped = {who: bound for who, bound in limited.to_dict()["limits"].items() if who == me}
        lied = change(
            limited.revised(lies),
            peers={**weights, me: limited.to_dict()["peers"].get(me, {})},
            limits=dropped,
            vote=data.draw(VOTES).to_dict(),
        )
        assert access.CHOICES.index(access.decide(lied).choice) <= access.CHOICES.index(limit)


@quick
@given(items(methods=("oc",)))
def test_signed_solve_is_the_difference_of_the_two_thesis_solves(item: access.Item) -> None:
    weights = Weights.of(item)
    equilibrium, complement = settle(item), Equilibrium.find(weights, 5 - item.scores)
    signed = np.linalg.solve(np.eye(len(item.people)) - weights.used, 2 * item.scores - 5)
    assert complement is not None
    assert np.allclose(equilibrium.settled - complement.settled, signed, atol=1e-10)
    assert np.allclose(equilibrium.balance()[0], signed, atol=1e-8)


@quick
@given(items())
def test_fractions_and_floats_agree(item: access.Item) -> None:
    weights = Weights.of(item)
    equilibrium = settle(item)
    exact = weights.exact_inverse
    assert exact is not None
    truth = np.array(
        [[exact.settled(i, column) for column in item.scores.T] for i in range(len(item.people))]
    )
    assert np.abs(truth.astype(float) - equilibrium.settled).max() < 1e-12
    if item.method == "oc":
        margin = np.array(
            [2 * row - 5 * sum(exact.adjugate[i]) / exact.determinant for i, row in enumerate(truth)]
        )
        clear = np.abs(margin.astype(float)) > 1e-9
        assert ((equilibrium.balance()[0] >= 0) == (margin >= 0))[clear].all()
    else:
        assert (equilibrium.favourites(4)[0] == (truth == truth.max(axis=1, keepdims=True))).all()


@quick
@given(items(least=2))
def test_removal_formula_is_recomputation_without_the_person(item: access.Item) -> None:
    # Capped rows would be scaled anew without the person, so the weights after capping are what is compared.
    used = Weights.of(item).used
    equilibrium = settle(item)
    drop = removal_effect(equilibrium.inverse, item.scores)
    for place in range(len(item.people)):
        rest = [k for k in range(len(item.people)) if k != place]
        without = np.linalg.solve(np.eye(len(rest)) - used[np.ix_(rest, rest)], item.scores[rest])
        assert np.allclose(equilibrium.settled.sum(axis=0) - without.sum(axis=0), drop[place])


@pytest.mark.long
@quick
@given(items(limits=True))
def test_a_snapshot_recomputes_bit_for_bit(item: access.Item) -> None:
    import json

    stored = json.loads(json.dumps(item.to_dict()))
    again = access.decide(access.Item.from_dict(stored))
    assert again == access.decide(item)
    assert json.dumps(again.to_dict()) == json.dumps(access.decide(item).to_dict())


@quick
@given(items(methods=("oc",), limits=True))
def test_settled_scores_are_means_on_the_scale_they_started_from(item: access.Item) -> None:
    decision = access.decide(item)
    for who in item.people:
        for choice in item.scored:
            assert -1e-12 <= decision.weighed(who, choice) <= 5 + 1e-12
            assert decision.against(who, choice) >= -1e-12
