"""Who could change the outcome, checked against asking every answer anew."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from tests.access.strategies import items

from entrenous import access
from entrenous.access.insight.pivotality import smallest_flips
from entrenous.errors import ArgumentError


def test_smallest_changes_of_the_thesis_example() -> None:
    flips = smallest_flips(access.read_example("thesis-oc"))
    assert {who: flip.points for who, flip in flips.items()} == {"u1": 5, "u2": 1, "u3": 1, "u4": 2}
    assert flips["u4"].answer == (2, 1, 1)


def naive_points(item: access.Item, who: str) -> int | None:
    """Return the smallest change by mediating every possible answer from the start."""
    now = access.decide(item)
    own = item.wishes[who]
    assert own is not None
    best = None
    for scores in itertools.product(range(6), repeat=len(item.scored)):
        if item.method == "oc" and list(scores) != sorted(scores, reverse=True):
            continue
        answer = dict(zip(item.scored, scores, strict=True))
        points = sum(abs(answer[choice] - own[choice]) for choice in item.scored)
        if best is not None and points >= best:
            continue
        then = access.decide(item.revised({who: answer}))
        if (then.choice, then.agreed) != (now.choice, now.agreed):
            best = points
    return best


@settings(max_examples=12, deadline=None, derandomize=True)
@given(items(methods=("oc",), least=2, most=3, limits=True))
def test_smallest_change_against_complement_is_the_smallest(item: access.Item) -> None:
    flips = smallest_flips(item)
    assert flips[item.people[0]].points == naive_points(item, item.people[0])


@settings(max_examples=3, deadline=None, derandomize=True)
@given(items(methods=("oo",), least=2, most=3))
def test_smallest_change_side_by_side_is_the_smallest(item: access.Item) -> None:
    flips = smallest_flips(item)
    assert flips[item.people[0]].points == naive_points(item, item.people[0])


@settings(max_examples=20, deadline=None, derandomize=True)
@given(items(methods=("oc",), least=2, limits=True))
def test_the_named_answer_does_flip_the_outcome(item: access.Item) -> None:
    for who, flip in smallest_flips(item).items():
        if flip.answer is not None:
            answer = dict(zip(item.scored, flip.answer, strict=True))
            assert (
                access.decide(item.revised({who: answer})).choice
                == flip.outcome
                != access.decide(item).choice
            )


def test_ending_an_agreement_on_the_narrowest_is_a_change() -> None:
    wishes = {"ann": {"shut": 3, "open": 2}, "bob": {"shut": 5, "open": 0}}
    item = access.Item(wishes, {}, choices=["shut", "open"], method="oo")
    flip = smallest_flips(item)["ann"]
    assert (flip.points, flip.outcome) == (2, "shut")


def test_directions() -> None:
    item = access.read_example("thesis-oc")
    wider = smallest_flips(item, direction="wider")
    assert all(flip.points is None for flip in wider.values())
    with pytest.raises(ArgumentError, match="direction"):
        smallest_flips(item, direction="sideways")


def test_second_round_of_the_thesis() -> None:
    item = access.read_example("thesis-oc")
    objection = access.second_round(item, "u4")
    assert objection.alone.points == 2
    assert objection.helpers == ("u2", "u3", "u1")
    revised = item.revised({"u3": {"friends": 4, "friends-of-friends": 2, "public": 0}})
    assert revised == access.read_example("thesis-second-round")
    with pytest.raises(ArgumentError, match="objector"):
        access.second_round(item, "zoe")


def test_pivotality_of_a_limit() -> None:
    report = access.pivotality(access.read_example("limits"))
    assert {who: power.limit_binds for who, power in report.items()} == {
        "ann": False,
        "bob": False,
        "cleo": False,
        "dora": True,
    }
    assert report["dora"].without == "public"


def test_single_owner_and_silence() -> None:
    wishes = {"ann": {"friends": 4, "friends-of-friends": 2, "public": 0}}
    report = access.pivotality(access.Item(wishes, {}))
    assert report["ann"].flip.points == 1
    assert report["ann"].without is None
    silent = access.pivotality(access.Item({**wishes, "bob": None}, {}, limits={"bob": "friends"}))
    assert silent["bob"].flip.points is None
    assert not silent["bob"].limit_binds
    assert silent["bob"].without == "friends"


def test_without_an_equilibrium_there_is_no_pivot() -> None:
    for ask in (access.pivotality, access.key_players):
        with pytest.raises(ArgumentError, match="equilibrium"):
            ask(access.read_example("professor-strict"))


def test_too_many_answers_to_try() -> None:
    choices = [f"c{k}" for k in range(8)]
    item = access.Item({"ann": dict.fromkeys(choices, 3)}, {}, choices=choices, method="oo")
    with pytest.raises(ArgumentError, match="at most 6"):
        smallest_flips(item)
