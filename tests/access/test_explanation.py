"""A reason tells its reader nothing about any single other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.access.strategies import items

from entrenous import access
from entrenous.access.insight.explanation import Reason
from entrenous.access.settling.equilibrium import Equilibrium
from entrenous.access.settling.peers import Weights
from entrenous.errors import ArgumentError


def heard(weights: dict[str, float], others: dict[str, int], *, own: int, **options: object) -> Reason:
    """Return what "me", who listens to the others, is told about the one choice wider than private."""
    wishes = {"me": {"open": own}} | {who: {"open": score} for who, score in others.items()}
    item = access.Item(wishes, {"me": weights}, choices=["shut", "open"], **options)  # type: ignore[arg-type]
    (reason,) = access.explain(item, "me")
    return reason


def test_the_rest_of_the_settled_score_is_put_into_words() -> None:
    item = access.read_example("thesis-oc")
    equilibrium = Equilibrium.find(Weights.of(item), item.scores)
    assert equilibrium is not None
    own_effect, total = equilibrium.inverse[3, 3], equilibrium.totals[3]
    words = {"friends": "rather for it", "friends-of-friends": "rather for it", "public": "against it"}
    for column, reason in enumerate(access.explain(item, "u4")):
        rest = (equilibrium.settled[3, column] - own_effect * reason.own) / (total - own_effect)
        assert reason.others == words[reason.choice]
        assert (rest <= 1.5) if reason.choice == "public" else (2.75 < rest <= 3.5)
        assert reason.weight == 0.5


@pytest.mark.parametrize(
    ("score", "word"),
    [(0, "against it"), (1, "against it"), (2, "rather against it"), (3, "rather for it"), (4, "for it")],
)
def test_leanings(score: int, word: str) -> None:
    assert heard({"x": 0.3, "y": 0.3}, {"x": score, "y": score}, own=3).others == word


def test_one_source_tells_nothing() -> None:
    for reason in access.explain(access.read_example("thesis-oc"), "u1"):
        assert reason.others is None


def test_a_dominant_source_tells_nothing_either() -> None:
    for faint, telling in ((0.01, False), (0.3, True)):
        reason = heard({"x": 0.5, "y": faint}, {"x": 3, "y": 3}, own=3)
        assert (reason.others is not None) == telling


@pytest.mark.parametrize("theirs", range(6))
def test_the_verdict_does_not_tell_what_one_person_said(theirs: int) -> None:
    """With a weight of 0.2, a 2 is turned into acceptance by a 5 and by nothing else."""
    wishes = {"me": {"open": 2}, "x": {"open": theirs}, "y": {"open": 5}}
    item = access.Item(wishes, {"me": {"x": 0.2}}, choices=["shut", "open"], vote=access.StrongMajority(0.6))
    assert access.explain(item, "me")[0].accepts is None
    reason = access.decide(item).reasons["me"]
    assert "left open" in reason
    assert ": you accept it" not in reason
    assert ": you do not accept it" not in reason


def test_the_verdict_does_not_tell_what_everybody_said() -> None:
    """Together 0.2 again: "for it" must not become "both said 5"."""
    for x, y in ((5, 5), (5, 4), (4, 4)):
        reason = heard({"x": 0.1, "y": 0.1}, {"x": x, "y": y}, own=2, vote=access.StrongMajority(0.6))
        assert (reason.others, reason.accepts) == ("for it", None)


def test_the_verdict_is_told_where_words_or_outcome_tell_it() -> None:
    assert heard({"x": 0.4, "y": 0.4}, {"x": 0, "y": 1}, own=1).accepts is False
    assert heard({"x": 0.2}, {"x": 0, "y": 0}, own=5).accepts is True
    reasons = access.mediate(
        {who: {"open": score} for who, score in (("me", 2), ("x", 5), ("y", 5))},
        {"me": {"x": 0.2}},
        choices=["shut", "open"],
    ).reasons
    assert "all of you accept it" in reasons["me"]
    assert reasons["me"].endswith(": you accept it.")


@pytest.mark.parametrize("theirs", [0.0, 0.3, 0.9])
def test_a_reason_does_not_tell_whom_others_listen_to(theirs: float) -> None:
    """I listen to x alone: what x makes of y must not show."""
    wishes = {who: {"open": 1} for who in ("me", "x", "y")}
    peers = {"me": {"x": 0.9}, "x": {"y": theirs}, "y": {"me": theirs}}
    plain = access.mediate(wishes, {"me": {"x": 0.9}}, choices=["shut", "open"]).reasons["me"]
    assert access.mediate(wishes, peers, choices=["shut", "open"]).reasons["me"] == plain


def test_a_weight_too_small_to_matter() -> None:
    reason = heard({"x": 1e-300}, {"x": 5}, own=2)
    assert (reason.weight, reason.accepts) == (0.0, False)


def test_nobody_listened_to() -> None:
    reason = access.explain(access.read_example("thesis-oc"), "u2")[0]
    assert (reason.weight, reason.others, reason.accepts) == (0.0, None, True)
    assert "you listen to nobody here" in access.decide(access.read_example("thesis-oc")).reasons["u2"]


def test_plain_words() -> None:
    reason = access.decide(access.read_example("thesis-oc")).reasons["u4"]
    assert reason.startswith(
        "The outcome is friends-of-friends: after weighing each other's views, all of you accept"
    )
    assert "On public you said 2 (slightly disagree); to your own view's 100% you add 50%" in reason
    assert "from the others together is rather for it: you accept it." in reason


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
