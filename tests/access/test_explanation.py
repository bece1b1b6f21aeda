"""What moved one person, in words, for whoever may read all answers."""

from __future__ import annotations

import pytest

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


def test_the_verdict_does_not_tell_what_everybody_said() -> None:
    """Together 0.2 again: "for it" must not become "both said 5"."""
    for x, y in ((5, 5), (5, 4), (4, 4)):
        reason = heard({"x": 0.1, "y": 0.1}, {"x": x, "y": y}, own=2, vote=access.StrongMajority(0.6))
        assert (reason.others, reason.accepts) == ("for it", None)


def test_the_verdict_is_told_where_words_tell_it() -> None:
    assert heard({"x": 0.4, "y": 0.4}, {"x": 0, "y": 1}, own=1).accepts is False
    assert heard({"x": 0.2}, {"x": 0, "y": 0}, own=5).accepts is True


def test_a_weight_too_small_to_matter() -> None:
    reason = heard({"x": 1e-300}, {"x": 5}, own=2)
    assert (reason.weight, reason.accepts) == (0.0, False)


def test_nobody_listened_to() -> None:
    reason = access.explain(access.read_example("thesis-oc"), "u2")[0]
    assert (reason.weight, reason.others, reason.accepts) == (0.0, None, True)


def test_no_equilibrium_leaves_nothing_to_explain() -> None:
    assert access.explain(access.read_example("professor-strict"), "professor") == ()


def test_unknown_readers_are_refused() -> None:
    with pytest.raises(ArgumentError, match="person"):
        access.explain(access.read_example("thesis-oc"), "zoe")
