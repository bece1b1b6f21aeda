"""What is shown tells no more than the outcome, over all answers; and what an outcome tells, in figures."""

from __future__ import annotations

from dataclasses import asdict
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from entrenous import access
from entrenous.access.votes import Vote, offered_votes
from entrenous.attack.inference.outcomes import (
    ANSWERS,
    LINES,
    PRIORS,
    Channel,
    Deciding,
    Told,
    asks,
    leak,
    measure,
    shown,
)
from entrenous.errors import ArgumentError

EVERYBODY, TWO_THIRDS = access.Consensus(), access.StrongMajority(0.66)
GROUPS = [(2, EVERYBODY), (3, EVERYBODY), (3, TWO_THIRDS)]
FOUR = [(4, EVERYBODY), (4, TWO_THIRDS)]
EXACT = 1e-12
SCALE = access.CHOICES
DOCUMENT = Path(__file__).parents[3] / "docs" / "access.md"


def same(one: Told, other: Told) -> bool:
    return all(abs(asdict(one)[name] - asdict(other)[name]) <= EXACT for name in asdict(one))


def cells(told: Told) -> str:
    """Write the measures as the design document does."""
    figures = (told.answer_bits, told.line_bits, told.certain, told.suspicion)
    return "/".join("0" if figure < EXACT else f"{figure:.2f}" for figure in figures)


def floor(group: Deciding, *, prior: str = "uniform", watching: tuple[int, ...] = (0,)) -> Told:
    return measure([Channel(group.outcomes, group.outcomes, watching)], PRIORS[prior], LINES)


def check_shown(group: Deciding, observer: int) -> None:
    """The renderer adds nothing to the outcome for this observer, and the canary is noticed."""
    prior = PRIORS["uniform"]
    bare = measure([Channel(group.outcomes, group.outcomes, (observer,))], prior, LINES)
    told = measure([Channel(shown(group, observer), group.outcomes, (observer,))], prior, LINES)
    named = measure([Channel(asks(group, observer), group.outcomes, (observer,))], prior, LINES)
    assert same(told, bare)
    if group.people > 2:
        assert named.answer_bits > bare.answer_bits + 0.01, "the measure notices names"


@pytest.mark.parametrize("listening", [0, 20, 40])
@pytest.mark.parametrize(("people", "vote"), GROUPS)
def test_what_is_shown_tells_no_more_than_the_outcome(people: int, vote: Vote, listening: int) -> None:
    for observer in range(people):
        check_shown(Deciding.alike(people, vote, listening=listening), observer)


@pytest.mark.long
@pytest.mark.parametrize("listening", [0, 20, 40])
@pytest.mark.parametrize(("people", "vote"), FOUR)
def test_nor_does_it_among_four(people: int, vote: Vote, listening: int) -> None:
    check_shown(Deciding.alike(people, vote, listening=listening), 0)


@pytest.mark.thorough
@pytest.mark.parametrize("observer", [1, 2, 3])
@pytest.mark.parametrize("listening", [0, 20, 40])
@pytest.mark.parametrize(("people", "vote"), FOUR)
def test_nor_for_any_of_four(people: int, vote: Vote, listening: int, observer: int) -> None:
    check_shown(Deciding.alike(people, vote, listening=listening), observer)


@pytest.mark.parametrize("needed", [2, 3])
def test_every_observer_of_a_lopsided_group(needed: int) -> None:
    """People who listen differently see differently; the sentence holds for each of them."""
    group = Deciding(np.array([[0, 0.7, 0], [0.2, 0, 0.4], [0, 0.4, 0]]), needed)
    bare = [
        measure([Channel(group.outcomes, group.outcomes, (one,))], PRIORS["real"], LINES) for one in range(3)
    ]
    told = [
        measure([Channel(shown(group, one), group.outcomes, (one,))], PRIORS["real"], LINES)
        for one in range(3)
    ]
    assert all(same(*pair) for pair in zip(told, bare, strict=True))
    assert len({cells(each) for each in bare}) == 3


@pytest.mark.parametrize(("people", "vote"), GROUPS + FOUR)
@pytest.mark.parametrize("listening", [0, 20, 70])
def test_the_enumeration_is_the_engine(people: int, vote: Vote, listening: int) -> None:
    """Outcomes and texts of the tables are those that `mediate` gives, for answers drawn at random."""
    group = Deciding.alike(people, vote, listening=listening)
    names = [f"p{k}" for k in range(people)]
    peers = {who: {other: listening / 100 for other in names if other != who} for who in names}
    texts: dict[int, str] = {}
    codes = shown(group, people - 1)
    for row in np.random.default_rng(3).integers(len(ANSWERS), size=(40, people)):
        wishes = {
            who: dict(zip(SCALE[1:], ANSWERS[k].tolist(), strict=True))
            for who, k in zip(names, row, strict=True)
        }
        decision = access.mediate(wishes, peers, vote=vote)
        assert SCALE[group.outcomes[tuple(row)]] == decision.choice
        assert (
            texts.setdefault(int(codes[tuple(row)]), decision.reasons[names[-1]])
            == decision.reasons[names[-1]]
        )
    assert len(set(texts.values())) == len(texts) > 3


# The design's table of floors: bits about the answer, about the line, certain, suspicion.
FLOORS = {
    (2, EVERYBODY, 0): ("1.32/1.04/1.00/1.00", "0.96/1.01/1.00/1.00"),
    (3, EVERYBODY, 0): ("0.97/0.66/0/0.59", "0.59/0.62/0/0.59"),
    (3, EVERYBODY, 20): ("1.32/0.61/0/0.68", "0.64/0.61/0/0.60"),
    (3, TWO_THIRDS, 0): ("1.06/0.85/1.00/1.00", "0.74/0.81/1.00/1.00"),
    (4, EVERYBODY, 0): ("0.75/0.40/0/0.45", "0.34/0.36/0/0.44"),
    (4, EVERYBODY, 20): ("1.29/0.44/0/0.63", "0.47/0.44/0/0.60"),
    (4, TWO_THIRDS, 0): ("0.86/0.66/0/0.74", "0.56/0.60/0/0.74"),
}


@pytest.mark.long
def test_floors_are_those_of_the_design_and_of_the_document() -> None:
    """The document's table is written by this enumeration: change both together."""
    rows = []
    for (people, vote, listening), expected in FLOORS.items():
        group = Deciding.alike(people, vote, listening=listening)
        found = tuple(cells(floor(group, prior=prior)) for prior in ("uniform", "real"))
        assert found == expected
        label = "everybody" if vote == EVERYBODY else "two thirds"
        heard = f"all listen {listening} %" if listening else "nobody listens"
        uniform, real = (" | ".join(told.split("/")) for told in found)
        rows.append(f"| {people}, {label}, {heard} | {uniform} | {real} |")
    document = DOCUMENT.read_text(encoding="utf-8")
    assert "\n".join(rows) in document
    # Three and four, consensus, uniform: how likely a given other's no is, in percent.
    likely = [round(100 * floor(Deciding.alike(people)).suspicion) for people in (3, 4)]
    assert f"a given one refused with {likely[0]} %, with four {likely[1]} %" in " ".join(document.split())


@pytest.mark.long
def test_a_helper_account_and_an_outsider() -> None:
    found = [cells(floor(Deciding.alike(4, vote), watching=(0, 1))) for vote in (EVERYBODY, TWO_THIRDS)]
    assert found == ["0.75/0.47/0/0.45", "0.86/0.67/0.26/0.74"]
    outside = {
        prior: [f"{floor(Deciding.alike(n), prior=prior, watching=()).line_bits:.2f}" for n in (2, 3, 4)]
        for prior in PRIORS
    }
    assert outside == {"uniform": ["0.98", "0.58", "0.31"], "real": ["0.95", "0.54", "0.26"]}


@pytest.mark.long
def test_weights_of_the_others_that_nobody_knows() -> None:
    """All 4^4 ways in which two others may listen, each as likely as the next."""
    channels = []
    for one, two, three, four in product((0, 0.2, 0.4, 0.7), repeat=4):
        group = Deciding(np.array([[0, 0.2, 0.2], [one, 0, two], [three, four, 0]]), 3)
        channels.append(Channel(group.outcomes, group.outcomes, share=4.0**-4))
    found = {prior: cells(measure(channels, PRIORS[prior], LINES)) for prior in PRIORS}
    assert found == {"uniform": "1.32/0.58/0/0.70", "real": "0.57/0.56/0/0.66"}


def numbered(outcomes: NDArray[np.int64], texts: NDArray[np.object_]) -> NDArray[np.int64]:
    """Return a number for every different pair of an outcome and a text."""
    numbers: dict[tuple[int, str], int] = {}
    pairs = zip(outcomes.ravel().tolist(), texts.ravel().tolist(), strict=True)
    return np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs]).reshape(texts.shape)


def widest_of(lines: list[int], needed: int) -> int:
    """Return the outcome where nobody listens: the widest audience that enough people's lines reach."""
    return sorted(lines, reverse=True)[needed - 1]


@pytest.mark.parametrize(("people", "needed"), [(2, 2), (3, 3), (3, 2)])
def test_limits_of_others_read_as_refusals(people: int, needed: int) -> None:
    """States are a line and a limit, 16 each; one in four sets a limit. A rule "hard limit" on a page is the canary."""
    states = list(product(range(4), range(4)))
    line_prior = np.bincount(LINES, PRIORS["uniform"])
    limit_prior = np.array([0.25 / 3] * 3 + [0.75])
    prior = np.outer(line_prior, limit_prior).ravel()
    shape = (len(states),) * people
    outcomes, texts, rules = np.zeros(shape, np.int64), np.empty(shape, object), np.zeros(shape, np.int64)
    for place in np.ndindex(*shape):
        held = [states[k] for k in place]
        free, bound = widest_of([line for line, _ in held], needed), min(limit for _, limit in held)
        outcomes[place], rules[place] = min(free, bound), bound < free
        own = SCALE[min(held[0])]
        texts[place] = access.sealed_reason(own, SCALE[outcomes[place]], people, needed)
    for secret in (0, 1):
        about = np.array([state[secret] for state in states])
        bare, told, ruled = (
            measure([Channel(seen, outcomes)], prior, about)
            for seen in (outcomes, numbered(outcomes, texts), outcomes * 2 + rules)
        )
        assert same(told, bare)
    assert ruled.answer_bits > bare.answer_bits + 0.001, "the measure notices the word"


@pytest.mark.parametrize(("people", "needed"), [(2, 2), (3, 3), (3, 2)])
def test_a_second_outcome(people: int, needed: int) -> None:
    """A state is a first line and a second one, or silence (4): only a round that all answered counts."""
    states = list(product(range(4), range(5)))
    prior = np.full(len(states), 1 / len(states))
    firsts, shape = np.array([first for first, _ in states]), (len(states),) * people
    outcomes, texts, answered = np.zeros(shape, np.int64), np.empty(shape, object), np.zeros(shape, np.int64)
    for place in np.ndindex(*shape):
        first, second = zip(*(states[k] for k in place), strict=True)
        before = widest_of(list(first), needed)
        whole = 4 not in second
        after = widest_of(list(second), needed) if whole else before
        outcomes[place], answered[place] = before * 4 + after, whole
        later = None if second[0] == 4 else SCALE[second[0]]
        texts[place] = access.sealed_reason(
            SCALE[first[0]], SCALE[before], people, needed
        ) + access.sealed_reason(later, SCALE[after], people, needed)
    bare, told, counted = (
        measure([Channel(seen, outcomes // 4)], prior, firsts)
        for seen in (outcomes, numbered(outcomes, texts), outcomes * 2 + answered)
    )
    assert same(told, bare)
    assert counted.answer_bits > bare.answer_bits + 0.01, (
        "whether all answered is not shown, and would be noticed"
    )


@pytest.mark.parametrize("people", [2, 3])
def test_nothing_is_learned_of_who_was_silent_in_a_second_round(people: int) -> None:
    """Given the first outcome, a round that somebody did not answer is the same for all others' answers."""
    for first in product(range(4), repeat=people):
        before = widest_of(list(first), people)
        results = {
            before if 4 in second else widest_of(list(second), people)
            for second in product(range(5), repeat=people)
            if second[-1] == 4
        }
        assert results == {before}


@pytest.mark.parametrize("silent", [False, True])
def test_somebody_joins(silent: bool) -> None:
    """Two decided, a third joins: the second outcome is of three, or narrowed by the joiner's line, or only us."""
    states = list(product(range(4), range(5)))
    prior = np.full(len(states), 1 / len(states))
    firsts, shape = np.array([first for first, _ in states]), (len(states),) * 3
    outcomes, texts = np.zeros(shape, np.int64), np.empty(shape, object)
    for place in np.ndindex(*shape):
        (one, _), (two, _), _ = held = [states[k] for k in place]
        before, second = min(one, two), [later for _, later in held]
        if silent:
            second[2] = 4
        joiner = 0 if second[2] == 4 else second[2]
        after = min(before, joiner) if 4 in second else min(second)
        outcomes[place] = before * 4 + after
        later = None if second[0] == 4 else SCALE[second[0]]
        texts[place] = access.sealed_reason(SCALE[one], SCALE[before], 2, 2) + access.sealed_reason(
            later, SCALE[after], 3, 3
        )
    for observer in ((0,), (0, 1)):
        bare, told = (
            measure([Channel(seen, outcomes // 4, observer)], prior, firsts)
            for seen in (outcomes, numbered(outcomes, texts))
        )
        assert same(told, bare)
    if silent:
        assert set((outcomes % 4).ravel().tolist()) == {0}


def test_how_sure_one_is_follows_from_the_votes_needed() -> None:
    """The document's sentence: at least n - m + 1 of the others said no; if that is all of them, one is sure."""
    for people, vote in GROUPS:
        refusals = people - vote.needed(people) + 1
        assert (floor(Deciding.alike(people, vote)).certain == pytest.approx(1)) == (refusals >= people - 1)


def test_votes_that_tell_for_sure_are_not_offered_among_three() -> None:
    for vote in offered_votes(3):
        assert floor(Deciding.alike(3, vote)).certain == 0
    assert floor(Deciding.alike(3, TWO_THIRDS)).certain == pytest.approx(1)


def test_progress_reaches_its_end() -> None:
    steps: list[tuple[int, int]] = []
    leak(2, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1] == (len(steps), len(steps)) == (3 * 56, 3 * 56)


def test_wrong_groups_are_refused() -> None:
    for call in (
        lambda: leak(5),
        lambda: leak(1),
        lambda: leak(3, listening=101),
        lambda: leak(3, prior="mine"),
        lambda: measure(
            [Channel(np.zeros((56, 56), int), np.zeros((56, 56), int), share=0.5)], PRIORS["real"], LINES
        ),
    ):
        with pytest.raises(ArgumentError):
            call()
