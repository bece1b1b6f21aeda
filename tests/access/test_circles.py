"""Circles, one viewer at a time and all at once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.access.strategies import items

from entrenous import access
from entrenous.errors import ArgumentError

WISHES = {
    "ann": {"Family": 5, "Labmates": 1, "Strangers": 0},
    "bob": {"Family": 4, "Strangers": 3},
}
MEMBERS = {"ann": {"Family": ["mum", "lee"], "Labmates": ["lee"]}, "bob": {"Family": ["dad"]}}


def choices(**options: object) -> dict[str, str]:
    decisions = access.mediate_viewers(WISHES, {}, MEMBERS, ["mum", "lee", "dad"], **options)
    return {viewer: decision.choice for viewer, decision in decisions.items()}


def test_the_lowest_of_several_circles_counts() -> None:
    assert choices() == {"mum": "allow", "lee": "deny", "dad": "deny"}


def test_a_limit_names_the_circles_that_may_ever_see() -> None:
    half = access.StrongMajority(0.51)
    generous = {"ann": {"Family": 5, "Strangers": 5}, "bob": {"Family": 5, "Strangers": 5}}
    free = access.mediate(generous, {}, method="circles", vote=half)
    bound = access.mediate(generous, {}, method="circles", vote=half, limits={"ann": ["Family"]})
    kin = access.mediate(
        generous, {}, method="circles", vote=half, limits={"ann": ["Family"]}, circles={"ann": ["Family"]}
    )
    assert (free.choice, bound.choice, kin.choice) == ("allow", "deny", "allow")
    assert bound.rule == "hard limit"


def test_a_limit_holds_for_a_viewer_who_is_also_in_another_circle() -> None:
    wishes = {"ann": {"Family": 5, "Labmates": 5}}
    both = {"ann": ["Family", "Labmates"]}
    decision = access.mediate(wishes, {}, method="circles", circles=both, limits={"ann": ["Family"]})
    assert (decision.choice, decision.rule) == ("deny", "hard limit")


def test_a_viewer_in_no_scored_circle_is_refused() -> None:
    wishes = {"ann": {"Family": 5}, "bob": {"Family": 5}}
    assert access.mediate(wishes, {}, method="circles").choice == "deny"


def test_viewers_alike_share_a_decision() -> None:
    decisions = access.mediate_viewers(WISHES, {}, MEMBERS, ["x", "y"])
    assert decisions["x"] is decisions["y"]


@settings(max_examples=50, deadline=None, derandomize=True)
@given(items(methods=("oc",)))
def test_distances_are_circles(item: access.Item) -> None:
    names = ("Friends", "Their friends", "Strangers")
    wishes = {
        who: dict(zip(names, wish.values(), strict=True))  # type: ignore[union-attr]
        for who, wish in item.wishes.items()
    }
    level = access.CHOICES.index(access.decide(item).choice)
    for distance, circle in enumerate(names, start=1):
        decision = access.mediate(
            wishes,
            item.peers,
            method="circles",
            vote=item.vote,
            circles={who: [circle] for who in item.people},
        )
        assert (decision.choice == "allow") == (distance <= level)


def test_unknown_circles_and_people_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"circles.ann.Football"):
        access.mediate(WISHES, {}, method="circles", circles={"ann": ["Football"]})
    with pytest.raises(ArgumentError, match=r"limits.ann: expected a list of names"):
        access.mediate(WISHES, {}, method="circles", limits={"ann": "Family"})
    with pytest.raises(ArgumentError, match=r"members.zoe"):
        access.mediate_viewers(WISHES, {}, {"zoe": {}}, ["mum"])
    with pytest.raises(ArgumentError, match=r"viewers: expected a list of names"):
        access.mediate_viewers(WISHES, {}, MEMBERS, "mum")
    with pytest.raises(ArgumentError, match=r"wishes: expected a table"):
        access.mediate_viewers(None, {}, MEMBERS, ["mum"])  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"members.ann: expected a table"):
        access.mediate_viewers(WISHES, {}, {"ann": ["Family"]}, ["mum"])  # type: ignore[dict-item]
    with pytest.raises(ArgumentError, match=r"members.ann.Family: expected a list"):
        access.mediate_viewers(WISHES, {}, {"ann": {"Family": "mum"}}, ["mum"])
