"""Ties, silence, single owners, limits and large groups."""

from __future__ import annotations

import numpy as np
import pytest

from entrenous import access
from entrenous.access.settling.equilibrium import Equilibrium
from entrenous.access.settling.peers import Weights
from entrenous.errors import ArgumentError

LEVELS = access.CHOICES[1:]


def oc(*scores: int) -> dict[str, int]:
    return dict(zip(LEVELS, scores, strict=True))


def oo(*scores: int) -> dict[str, int]:
    return dict(zip(access.CHOICES, scores, strict=True))


def test_an_exact_tie_accepts() -> None:
    # (2 * 2 - 5) + 1/5 (2 * 5 - 5) = 0 exactly, though 0.2 is no float.
    decision = access.mediate({"a": oc(2, 2, 2), "b": oc(5, 5, 5)}, {"a": {"b": 0.2}})
    assert decision.choice == "public"
    assert decision.certificate.exact_ties


def test_the_smallest_difference_is_no_tie() -> None:
    decision = access.mediate({"a": oc(2, 2, 2), "b": oc(5, 5, 5)}, {"a": {"b": 0.1999999999999999}})
    assert decision.choice == "private"
    assert decision.certificate.exact_ties


def test_beyond_64_people_a_near_tie_is_a_tie() -> None:
    people = [f"p{k}" for k in range(70)]
    wishes = {who: oc(5, 5, 5) for who in people} | {"p0": oc(2, 2, 2)}
    decision = access.mediate(wishes, {"p0": {"p1": 0.1999999999999999}})
    assert decision.choice == "public"
    assert decision.certificate.solver == "lapack"
    assert not decision.certificate.exact_ties


def test_consensus_against_a_choice_goes_on_to_the_next_narrower_one() -> None:
    assert access.mediate({"a": oc(5, 0, 0), "b": oc(5, 0, 0)}, {}).choice == "friends"


def test_nothing_passes() -> None:
    decision = access.mediate({"a": oc(5, 5, 5), "b": oc(0, 0, 0)}, {})
    assert (decision.choice, decision.rule, decision.accepted_by) == ("private", "nothing wider passed", ())


def test_single_owner_decides_alone() -> None:
    decision = access.mediate({"a": oc(5, 4, 2)}, {})
    assert decision.choice == "friends-of-friends"
    assert decision.reasons["a"].startswith("You are the only owner")
    assert access.mediate({"a": oo(1, 4, 4, 0)}, {}, method="oo").choice == "friends"


def test_options_without_a_common_choice() -> None:
    decision = access.mediate({"a": oo(5, 0, 0, 0), "b": oo(0, 0, 0, 5)}, {}, method="oo")
    assert (decision.choice, decision.rule, decision.agreed) == ("private", "no agreement", False)


def test_collective_ties_side_by_side() -> None:
    everything = {who: oo(3, 3, 3, 3) for who in "abc"}
    assert access.mediate(everything, {}, method="oo").rule == "most restrictive"
    leaning = {"a": oo(3, 3, 0, 0), "b": oo(3, 3, 0, 0), "c": oo(0, 3, 0, 0)}
    decision = access.mediate(leaning, {}, method="oo", vote=access.StrongMajority(0.6))
    assert (decision.choice, decision.rule) == ("friends", "most supporters")


def test_abstention_leaves_the_choice_to_the_others() -> None:
    wishes = {"a": oo(0, 5, 0, 0), "b": oo(2, 2, 2, 2)}
    assert access.mediate(wishes, {"a": {"b": 0.9}}, method="oo").choice == "friends"


def test_no_answer_means_private() -> None:
    decision = access.mediate(
        {"a": oc(5, 5, 5), "b": None, "c": oc(5, 5, 5)}, {}, vote=access.StrongMajority(0.6)
    )
    assert (decision.choice, decision.rule) == ("private", "hard limit")
    assert decision.reasons["b"].startswith(
        "It is only us: the widest audience that works for enough of you."
    )
    assert "You yourself" not in decision.reasons["b"]
    assert "You yourself would have gone as far as everyone." in decision.reasons["a"]


def test_a_limit_that_does_not_bind_is_not_the_rule() -> None:
    decision = access.mediate({"a": oc(5, 0, 0), "b": oc(5, 5, 5)}, {}, limits={"b": "friends"})
    assert (decision.choice, decision.rule) == ("friends", "consensus")


def test_limits_side_by_side() -> None:
    wishes = {"a": oo(1, 2, 3, 5), "b": oo(1, 3, 2, 5)}
    decision = access.mediate(wishes, {}, method="oo", limits={"a": "friends"})
    assert (decision.choice, decision.rule) == ("friends", "hard limit")


def test_own_choices_of_another_scale() -> None:
    wishes = {"a": {"company": 5, "world": 1}, "b": {"company": 3, "world": 0}}
    assert access.mediate(wishes, {}, choices=["team", "company", "world"]).choice == "company"


def test_barely_stable_weights_are_settled_with_fractions() -> None:
    wishes = {"a": oc(4, 4, 4), "b": oc(1, 1, 1)}
    decision = access.mediate(wishes, {"a": {"b": 0.9999999}, "b": {"a": 1.0}}, mode="strict")
    assert decision.certificate.solver == "fractions"
    assert decision.certificate.error < 1e-15 * 5 * decision.certificate.bound
    assert decision.settled["b"]["friends"] == pytest.approx(5e7, rel=1e-6)


def test_the_certificate_bounds_the_true_error() -> None:
    rng = np.random.default_rng(5)
    given = rng.integers(0, 100, (12, 12)) / 100 * (1 - np.eye(12))
    weights = Weights(given, "cap")
    initial = rng.integers(0, 6, (12, 3)).astype(float)
    equilibrium = Equilibrium.find(weights, initial)
    assert equilibrium is not None
    off = equilibrium.settled + 1e-5 * rng.random((12, 3))
    residual = np.abs(initial - off + weights.used @ off).max()
    error = np.abs(off - equilibrium.settled).max()
    assert error <= equilibrium.bound * residual
    assert error > equilibrium.bound * residual / 100


@pytest.mark.parametrize(
    ("theta", "people", "needed"),
    [
        (0.51, 2, 2),
        (0.6, 5, 3),
        (0.7, 10, 7),
        (0.55, 100, 55),
        (2 / 3, 3, 2),
        (0.67, 3, 3),
        (0.75, 5, 4),
        (1, 7, 7),
    ],
)
def test_a_majority_is_the_share_rounded_up(theta: float, people: int, needed: int) -> None:
    vote = access.StrongMajority(theta)
    assert vote.needed(people) == needed
    for agreeing in (needed - 1, needed):
        wishes = {f"p{k}": oc(5, 5, 5) if k < agreeing else oc(0, 0, 0) for k in range(people)}
        decision = access.mediate(wishes, {}, vote=vote)
        assert decision.choice == ("public" if agreeing == needed else "private")


def test_too_many_people_are_sent_to_the_sparse_form() -> None:
    wishes = {f"p{k}": oc(3, 3, 3) for k in range(1501)}
    with pytest.raises(ArgumentError, match="mediate_sparse"):
        access.mediate(wishes, {})


def test_anchor_tells_whose_friends() -> None:
    wishes = {"ann": oc(5, 1, 0), "bob": oc(5, 1, 0)}
    near_ann = {"ann": 1.0, "bob": 3.0}
    seen = {
        anchor: access.may_see(access.mediate(wishes, {}, anchor=anchor, originator="bob"), near_ann)
        for anchor in ("each", "any", "originator")
    }
    assert seen == {"each": False, "any": True, "originator": False}
    private = access.mediate({"ann": oc(0, 0, 0), "bob": oc(0, 0, 0)}, {})
    assert access.may_see(private, {"ann": 0, "bob": 9})
    assert not access.may_see(private, {"ann": 1, "bob": 1})
    public = access.mediate({"ann": oc(5, 5, 5), "bob": oc(5, 5, 5)}, {})
    assert access.may_see(public, {})


def test_capped_peers_are_what_was_used() -> None:
    item = access.Item({"a": None, "b": None, "c": None}, {"a": {"b": 1.0, "c": 0.8}})
    assert access.capped_peers(item)["a"] == pytest.approx({"b": 0.5, "c": 0.4})
