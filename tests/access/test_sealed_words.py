"""A co-owner reads the own answer and the outcome in words, and nothing else."""

from __future__ import annotations

import inspect
from itertools import product

import pytest
from hypothesis import given, settings
from tests.access.strategies import items

from entrenous import access
from entrenous.access.insight import sealed_words
from entrenous.access.insight.pivotality import all_answers
from entrenous.access.insight.sealed_words import sealed_options, sealed_viewer
from entrenous.access.votes import is_offered, offered_votes
from entrenous.errors import ArgumentError

SCORED = access.CHOICES[1:]


def test_all_sentences() -> None:
    said = "It is friends: the widest audience that works for all of you."
    assert access.sealed_reason(None, "friends", 4, 4) == said
    assert (
        access.sealed_reason("friends", "friends", 4, 4) == f"{said} That is as far as you would go yourself."
    )
    assert (
        access.sealed_reason("public", "friends", 4, 4)
        == f"{said} You yourself would have gone as far as everyone."
    )
    assert access.sealed_reason("private", "friends", 4, 4) == (
        f"{said} On your own you would have stopped at only us. "
        "If this is too far for you, set a limit: it holds at once."
    )
    assert "works for enough of you" in access.sealed_reason(None, "friends", 4, 3)
    assert access.sealed_reason("public", "public", 1, 1).startswith("You are the only owner")


@pytest.mark.parametrize(
    ("people", "needed", "few"), [(2, 2, True), (3, 2, True), (3, 3, False), (4, 3, False)]
)
def test_few_are_told_that_the_outcome_tells(people: int, needed: int, few: bool) -> None:
    for line, choice in product((None, *access.CHOICES), access.CHOICES):
        told = access.sealed_reason(line, choice, people, needed)
        assert told.endswith("With so few of you the outcome itself tells.") == few


def test_the_own_line_is_the_widest_audience_the_own_score_accepts() -> None:
    """All 56 answers and all 5 limits, against the engine deciding for this person alone."""
    everybody = all_answers(access.Item({"me": None}, {}))
    for row, limit in product(everybody.tolist(), (None, *access.CHOICES)):
        scores = dict(zip(SCORED, row, strict=True))
        limits = {} if limit is None else {"me": limit}
        alone = access.mediate({"me": scores}, {}, limits=limits).choice
        assert access.own_line(scores, limit) == alone


def test_a_scale_of_ones_own() -> None:
    choices = ("board", "staff", "world")
    assert access.own_line({"staff": 3, "world": 2}, choices=choices) == "staff"
    told = access.sealed_reason("staff", "board", 3, 3, choices=choices)
    assert told.startswith("It is board:")
    assert told.endswith("You yourself would have gone as far as staff.")


def test_circles_and_options() -> None:
    assert sealed_viewer("deny", "allow", 4, 3).startswith(
        "Shown to this viewer: that works for enough of you."
    )
    assert sealed_viewer(None, "deny", 4, 4) == "Not shown to this viewer: that does not work for all of you."
    assert sealed_viewer("deny", "deny", 4, 4).endswith("That is what you would do yourself.")
    assert sealed_viewer("allow", "allow", 1, 1).endswith("holds: shown to this viewer.")
    assert sealed_options("private", 3, 3, agreed=False) == "It is only us: nothing suits all of you best."


def test_wrong_arguments_are_refused() -> None:
    for call in (
        lambda: access.own_line({"friends": 5}, "nobody"),
        lambda: access.sealed_reason("nobody", "friends", 3, 3),
        lambda: access.sealed_reason(None, "nobody", 3, 3),
        lambda: access.sealed_reason(None, "friends", 3, 4),
        lambda: sealed_viewer(None, "friends", 3, 3),
    ):
        with pytest.raises(ArgumentError):
            call()


def test_no_function_receives_an_item_or_a_decision() -> None:
    """The types are the proof; the enumeration in tests/attack measures it."""
    for name in sealed_words.__all__:
        if inspect.isfunction(function := getattr(sealed_words, name)):
            written = {str(each.annotation) for each in inspect.signature(function).parameters.values()}
            assert written <= {"str", "str | None", "int", "bool", "Mapping[str, int]", "Sequence[str]"}, name


@settings(max_examples=60, deadline=None, derandomize=True)
@given(items(least=2, limits=True))
def test_reasons_are_made_of_the_own_answer_and_the_outcome(item: access.Item) -> None:
    decision = access.decide(item)
    assert set(decision.reasons) == set(item.people)
    if item.method != "oc":
        return
    needed = item.vote.needed(len(item.people))
    for who, reason in decision.reasons.items():
        wish = item.wishes[who]
        line = None if wish is None else access.own_line(wish, item.limits.get(who), choices=item.choices)  # type: ignore[arg-type]
        assert reason == access.sealed_reason(
            line, decision.choice, len(item.people), needed, choices=item.choices
        )


def test_a_refusal_and_a_limit_read_the_same() -> None:
    wide = dict.fromkeys(SCORED, 5)
    refused = access.mediate(
        {"me": wide, "x": wide, "y": {"friends": 5, "friends-of-friends": 1, "public": 0}}, {}
    )
    limited = access.mediate({"me": wide, "x": wide, "y": wide}, {}, limits={"y": "friends"})
    assert refused.rule != limited.rule
    assert refused.reasons["me"] == limited.reasons["me"]


def test_a_majority_is_offered_from_four_on() -> None:
    names = {people: [vote.name for vote in offered_votes(people)] for people in (1, 2, 3, 4, 9)}
    assert names[3] == ["consensus"]
    assert names[4] == names[9] == ["consensus", "majority"]
    assert all(is_offered(vote, people) for people in names for vote in offered_votes(people))
    assert not is_offered(access.StrongMajority(0.51), 3)
