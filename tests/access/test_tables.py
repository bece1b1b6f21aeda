"""Every table of the thesis, with fractions and with floats."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from entrenous import access
from entrenous.access.insight.influence import removal_effect, thesis_intercentrality
from entrenous.access.settling.equilibrium import Equilibrium
from entrenous.access.settling.peers import Weights


def exact_scores(item: access.Item) -> list[list[Fraction]]:
    inverse = Weights.of(item).exact_inverse
    assert inverse is not None
    return [[inverse.settled(i, column) for column in item.scores.T] for i in range(len(item.people))]


def exact_totals(item: access.Item) -> list[Fraction]:
    inverse = Weights.of(item).exact_inverse
    assert inverse is not None
    return [inverse.settled(i, np.ones(len(item.people))) for i in range(len(item.people))]


SIDE_BY_SIDE = [
    [Fraction(4), Fraction(3), Fraction(3), Fraction(4)],
    [Fraction(5), Fraction(0), Fraction(0), Fraction(0)],
    [Fraction(7), Fraction(48, 7), Fraction(20, 7), Fraction(20, 7)],
    [Fraction(8), Fraction(40, 7), Fraction(12, 7), Fraction(12, 7)],
]


def test_options_side_by_side() -> None:
    item = access.read_example("thesis-oo")
    assert exact_scores(item) == SIDE_BY_SIDE
    decision = access.decide(item)
    settled = [[decision.settled[who][choice] for choice in access.CHOICES] for who in item.people]
    assert settled == pytest.approx(np.array(SIDE_BY_SIDE, dtype=float))
    assert (decision.choice, decision.rule) == ("private", "consensus")
    assert decision.accepted_by == ("u1", "u2", "u3", "u4")


def test_u1_ties_private_and_public_exactly() -> None:
    item = access.read_example("thesis-oo")
    equilibrium = Equilibrium.find(Weights.of(item), item.scores)
    assert equilibrium is not None
    favourites, exact = equilibrium.favourites(4)
    assert favourites[0].tolist() == [True, False, False, True]
    assert exact


AGAINST_COMPLEMENT = {
    ("thesis-oc", "public"): [(4, 3), (0, 5), (1.14, 9.29), (2.29, 6.57)],
    ("thesis-oc", "friends-of-friends"): [(6.2, 0.8), (3, 2), (6.83, 3.6), (4.46, 4.4)],
    ("thesis-second-round", "friends-of-friends"): [(6.2, 0.8), (3, 2), (4.54, 5.88), (3.89, 4.97)],
    ("thesis-second-round", "friends"): [(6.2, 0.8), (3, 2), (6.83, 3.6), (4.46, 4.4)],
}


@pytest.mark.parametrize(("example", "choice"), AGAINST_COMPLEMENT)
def test_choice_against_complement(example: str, choice: str) -> None:
    item = access.read_example(example)
    decision = access.decide(item)
    printed = AGAINST_COMPLEMENT[example, choice]
    assert [decision.settled[who][choice] for who in item.people] == pytest.approx(
        [a for a, _ in printed], abs=0.01
    )
    assert [decision.against(who, choice) for who in item.people] == pytest.approx(
        [b for _, b in printed], abs=0.01
    )
    column = item.scored.index(choice)
    exact = exact_scores(item)
    for (yes, no), row, total in zip(printed, exact, exact_totals(item), strict=True):
        assert abs(row[column] - Fraction(str(yes))) <= Fraction(1, 100)
        assert abs(5 * total - row[column] - Fraction(str(no))) <= Fraction(1, 100)


EXACTLY = {
    ("thesis-oc", "public"): ["4 3", "0 5", "8/7 65/7", "16/7 46/7"],
    ("thesis-oc", "friends-of-friends"): ["31/5 4/5", "3 2", "239/35 18/5", "156/35 22/5"],
    ("thesis-second-round", "friends-of-friends"): ["31/5 4/5", "3 2", "159/35 206/35", "136/35 174/35"],
    ("thesis-second-round", "friends"): ["31/5 4/5", "3 2", "239/35 18/5", "156/35 22/5"],
}


@pytest.mark.parametrize(("example", "choice"), AGAINST_COMPLEMENT)
def test_choice_against_complement_in_fractions(example: str, choice: str) -> None:
    item = access.read_example(example)
    column = item.scored.index(choice)
    pairs = [
        f"{row[column]} {5 * total - row[column]}"
        for row, total in zip(exact_scores(item), exact_totals(item), strict=True)
    ]
    assert pairs == EXACTLY[example, choice]


def test_outcomes_of_both_rounds() -> None:
    first = access.decide(access.read_example("thesis-oc"))
    second = access.decide(access.read_example("thesis-second-round"))
    assert (first.choice, second.choice) == ("friends-of-friends", "friends")
    assert first.rule == second.rule == "consensus"


def test_intercentrality() -> None:
    inverse = Weights.of(access.read_example("thesis-oc")).exact_inverse
    assert inverse is not None
    matrix = np.array([[Fraction(a, inverse.determinant) for a in row] for row in inverse.adjugate])
    assert thesis_intercentrality(matrix).tolist() == [
        Fraction(49, 25),
        Fraction(1),
        Fraction(5329, 1400),
        Fraction(961, 350),
    ]
    players = access.key_players(access.read_example("thesis-oc"))
    assert [p.thesis_intercentrality for p in players.values()] == pytest.approx(
        [1.96, 1, 3.81, 2.75], abs=0.01
    )
    assert [p.removal_effect for p in players.values()] == pytest.approx([1.4, 74 / 35, 73 / 28, 93 / 35])


def test_removal_effect_per_choice() -> None:
    inverse = np.linalg.inv([[1, -0.4], [0, 1]])
    drop = removal_effect(inverse, np.array([[1.0, 2.0], [3.0, 0.0]]))
    assert drop[1].tolist() == pytest.approx([3 * 1.4, 0])


def test_professor_at_the_edge_has_no_equilibrium() -> None:
    item = access.read_example("professor-strict")
    assert Weights.of(item).exact_inverse is None
    decision = access.decide(item)
    assert not decision.certificate.exists
    assert (decision.choice, decision.rule, decision.agreed) == ("private", "no equilibrium", False)
    assert [advice.alone for advice in decision.certificate.guidance] == [1.0] * 5


def test_professor_who_listens_less() -> None:
    item = access.read_example("professor")
    assert exact_scores(item) == [[12, 32, 12, 12]] + [[15, 35, 15, 15]] * 4
    decision = access.decide(item)
    assert list(decision.settled["professor"].values()) == pytest.approx([12, 32, 12, 12])
    assert list(decision.settled["student-3"].values()) == pytest.approx([15, 35, 15, 15])
    assert (decision.choice, decision.rule) == ("friends", "consensus")


def test_capping_leaves_the_thesis_tables_untouched() -> None:
    for name in ("thesis-oo", "thesis-oc", "thesis-second-round"):
        item = access.read_example(name)
        weights = Weights.of(item)
        assert (weights.used == weights.given).all()
