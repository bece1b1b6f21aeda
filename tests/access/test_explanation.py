"""A reason tells its reader nothing about any single other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.access.strategies import items

from entrenous import access
from entrenous.errors import ArgumentError


def test_parts_add_up_to_the_settled_score() -> None:
    item = access.read_example("thesis-oc")
    decision = access.decide(item)
    for reason in access.explain(item, "u4"):
        assert reason.others is not None
        mean = reason.share * reason.own + (1 - reason.share) * reason.others
        assert mean == pytest.approx(decision.weighed("u4", reason.choice))
        assert mean == pytest.approx(reason.weighed)


def test_one_source_gives_no_figure() -> None:
    for reason in access.explain(access.read_example("thesis-oc"), "u1"):
        assert reason.sources == 1
        assert reason.others is None
        assert reason.weighed is None


def test_a_dominant_source_gives_no_figure_either() -> None:
    wishes = {who: {"open": 3} for who in ("me", "x", "y")}
    for faint, telling in ((0.01, False), (0.3, True)):
        item = access.Item(wishes, {"me": {"x": 0.5, "y": faint}}, choices=["shut", "open"])
        (reason,) = access.explain(item, "me")
        assert reason.sources == 2
        assert (reason.others is not None) == telling


def test_nobody_listened_to() -> None:
    reason = access.explain(access.read_example("thesis-oc"), "u2")[0]
    assert (reason.sources, reason.share, reason.weighed) == (0, 1.0, 3.0)
    assert "you listen to nobody here" in access.decide(access.read_example("thesis-oc")).reasons["u2"]


def test_plain_words() -> None:
    reason = access.decide(access.read_example("thesis-oc")).reasons["u4"]
    assert reason.startswith(
        "The outcome is friends-of-friends: after weighing each other's views, all of you accept"
    )
    assert "On public you said 2 (slightly disagree)" in reason
    assert "from the others together is rather for it: just enough, you accept it." in reason


def test_two_co_owners_are_told_that_the_outcome_tells() -> None:
    wishes = {who: {"friends": 3, "friends-of-friends": 0, "public": 0} for who in ("ann", "bob")}
    reasons = access.mediate(wishes, {"ann": {"bob": 0.5}}).reasons
    assert all("outcome itself tells" in reason for reason in reasons.values())


def test_no_equilibrium_leaves_nothing_to_explain() -> None:
    assert access.explain(access.read_example("professor-strict"), "professor") == ()


def test_unknown_readers_are_refused() -> None:
    with pytest.raises(ArgumentError, match="person"):
        access.explain(access.read_example("thesis-oc"), "zoe")


@settings(max_examples=40, deadline=None, derandomize=True)
@given(items(least=3, limits=True))
def test_no_other_person_is_named(item: access.Item) -> None:
    reasons = access.decide(item).reasons
    assert set(reasons) == set(item.people)
    for reason in reasons.values():
        assert not any(who in reason for who in item.people)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.permutations([0, 2, 5]), st.sampled_from([0.1, 0.3]))
def test_a_reason_stays_the_same_when_the_others_swap_their_answers(scores: list[int], weight: float) -> None:
    """Everybody listens alike, so who of the others said what cannot be read from the reason."""
    people = ("me", "x", "y", "z")
    peers = {"me": dict.fromkeys(people[1:], weight)}
    wishes = {"me": {"open": 3}} | {who: {"open": s} for who, s in zip(people[1:], scores, strict=True)}
    reason = access.mediate(wishes, peers, choices=["shut", "open"]).reasons["me"]
    ordered = {"me": {"open": 3}, "x": {"open": 0}, "y": {"open": 2}, "z": {"open": 5}}
    assert reason == access.mediate(ordered, peers, choices=["shut", "open"]).reasons["me"]
