"""Exact distributions of one word under nested weights, for each unit: what is drawn, and what neighbours give away.

The distribution is worked out round by round, with weights of the slow twin: a chance that nothing is named, and a
density over noisy weights above the threshold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from tests import naive
from tests.words.test_promise_vocabulary import Distribution, loss

from entrenous.noise import Noise
from entrenous.words.beliefs import Independent
from entrenous.words.counting.holder import HOLDERS
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.statistics.nested import NestedWords
from entrenous.words.vocabulary import VocabularyRequest

FloatArray = NDArray[np.float64]
#: The clips and the rounds of each unit, as docs/guarantees.md has them.
EDGE = {"message": False, "thread": False, "edge-and-message": True, "all": True}
ROUNDS = 20
CELLS = np.linspace(-10.0, 60.0, 1401)


@dataclass(frozen=True)
class Mail:
    """Who sends one word to whom: each message with its sender, recipients, thread and near-copies."""

    messages: Sequence[tuple[int, Sequence[int], int, int]]

    def weights(self, unit: str, values: FloatArray) -> FloatArray:
        """Return what the word gets in rounds in which it is worth so much: only senders' clips look at that."""
        pairs: dict[tuple[int, int], int] = {}
        passages = [
            (pairs.setdefault((min(sender, other), max(sender, other)), len(pairs)), number)
            for number, (sender, others, _, _) in enumerate(self.messages)
            for other in others
        ]
        threads, alike = [each[2] for each in self.messages], [each[3] for each in self.messages]
        share = naive.message_shares(passages, alike, threads, of_thread=unit in ("thread", "all"))
        said, senders = [{"w"}] * len(self.messages), [each[0] for each in self.messages]

        def weight(value: float) -> float:
            flags = {"edge": EDGE[unit], "sender": unit == "all", "words": True}
            return naive.nested_weights(said, senders, passages, share, {"w": value}, **flags)["w"]

        if unit != "all":
            return np.where(values > 0, weight(1.0), 0.0)
        points = np.linspace(1e-9, 1, 21)
        return np.where(values > 0, np.interp(values, points, [weight(point) for point in points]), 0.0)

    def repeated(self, unit: str, times: int) -> MessageTable:
        """Return a table in which so many words each have this mail, among people of their own."""
        persons = 1 + max(person for sender, others, _, _ in self.messages for person in (sender, *others))
        rows = [
            (f"w{word}", persons * word, word * len(self.messages), each)
            for word in range(times)
            for each in self.messages
        ]
        return MessageTable.of(
            [{word: 1} for word, _, _, _ in rows],
            senders=[first + each[0] for _, first, _, each in rows],
            recipients=[[first + other for other in each[1]] for _, first, _, each in rows],
            threads=[base + each[2] for _, _, base, each in rows],
            alike=[base + each[3] for _, _, base, each in rows],
            by=HOLDERS[unit],
        )


def law(mail: Mail, unit: str, question: NestedWords) -> Distribution:
    """Return the distribution of the sum of all rounds, in deviations of one round's noise, where it is named."""
    from scipy.special import ndtr, ndtri

    if not mail.messages:
        return Distribution(1.0, np.zeros(len(CELLS) - 1))
    rounds, mu = ROUNDS, question.mu
    target = -ndtri(-math.expm1(math.log1p(-question.delta) / 2**31)) + mu / 2
    middle = (CELLS[1:] + CELLS[:-1]) / 2
    steps = mu / math.sqrt(rounds)
    distribution = np.diff(ndtr(CELLS - steps * mail.weights(unit, np.ones(1))))
    for made in range(1, rounds):
        worth = target - middle * math.sqrt(rounds) / made
        value = np.exp(-((worth / (1.5 * math.sqrt((rounds - made) / made))) ** 2) / 2)
        value[value < 1e-60] = 0.0
        moved = steps * mail.weights(unit, value)
        kept = np.where(middle > (-1.5 + 0.04 * (made - 1)) * math.sqrt(made), distribution, 0.0)
        distribution = kept @ np.diff(ndtr(CELLS[None, :] - middle[:, None] - moved[:, None]), axis=1)
    named = np.where(middle > target * math.sqrt(rounds), distribution, 0.0)
    return Distribution(1 - float(named.sum()), named)


def apart(senders: int, each: int) -> Mail:
    """So many people, each of whom sends the word to so many in messages of their own."""
    return Mail(
        [
            (sender * (each + 1), [sender * (each + 1) + other], sender * each + other, sender * each + other)
            for sender in range(senders)
            for other in range(1, each + 1)
        ]
    )


# One broadcast to three, a thread of two, two near-copies, and messages apart.
MIXED = [(0, [1, 2, 3], 0, 0), (4, [5], 1, 1), (5, [4], 1, 2), (6, [7], 3, 3), (6, [8], 4, 3)]


def mixed(others: int, first: int = 9) -> Mail:
    rest = [(first + 2 * other, [first + 1 + 2 * other], 5 + other, 5 + other) for other in range(others)]
    return Mail([*MIXED, *rest])


DRAWN = {
    "message": (mixed(0), 4.0),
    "thread": (mixed(1), 4.0),
    "edge-and-message": (mixed(8), 4.0),
    "all": (apart(9, 4), 8.0),
}


@pytest.mark.parametrize("unit", DRAWN)
def test_the_exact_distribution_is_the_one_that_is_drawn(unit: str) -> None:
    mail, mu = DRAWN[unit]
    question, words, runs = NestedWords(mu, 0.2), 500, 40
    exact = law(mail, unit, question)
    table = mail.repeated(unit, words)
    scores = np.concatenate([question.draw(table, table.by.unit, Noise(seed)).score for seed in range(runs)])
    middle = (CELLS[1:] + CELLS[:-1]) / 2
    for above in (0.0, 0.3, 0.8):
        least = (question.target + above) * math.sqrt(ROUNDS)
        line = CELLS[np.searchsorted(CELLS, least)]
        share = float((scores * math.sqrt(ROUNDS) > line).mean()) * len(scores) / (words * runs)
        true = float(exact.named[middle > line].sum())
        deviation = math.sqrt(true * (1 - true) / (words * runs))
        assert 0.02 < true < 0.98
        assert abs(share - true) < 4.5 * deviation + 0.003


def question_of(unit: str, epsilon: float, delta: float) -> NestedWords:
    rule = VocabularyRequest.checked(epsilon, delta, Independent(), None, unit, n=1).rule
    question = rule.question  # type: ignore[attr-defined]
    assert isinstance(question, NestedWords)
    return question


def without(mail: Mail, *gone: int) -> Mail:
    return Mail([each for number, each in enumerate(mail.messages) if number not in gone])


NEIGHBOURS = [
    pytest.param(unit, mail, gone, id=f"{unit}-{name}")
    for unit, name, mail, gone in [
        ("message", "alone", Mail([(0, [1, 2, 3], 0, 0)]), [0]),
        ("message", "near-copies of many", mixed(30), [3, 4]),
        ("message", "a broadcast of many", mixed(30), [0]),
        ("thread", "alone", Mail([(0, [1], 0, 0), (1, [0], 0, 1)]), [0, 1]),
        ("thread", "of many", mixed(30), [1, 2]),
        ("edge-and-message", "alone", Mail([(0, [1, 2, 3, 4, 5, 6, 7], 0, 0)]), [0]),
        ("edge-and-message", "an edge of many", mixed(120), [1, 2]),
        ("edge-and-message", "a broadcast of many", mixed(120), [0]),
        ("all", "a sender alone", apart(1, 9), list(range(9))),
        ("all", "a sender of many", apart(60, 7), list(range(7))),
    ]
]


@pytest.mark.parametrize(("unit", "mail", "gone"), NEIGHBOURS)
def test_neighbours_are_hidden(unit: str, mail: Mail, gone: list[int]) -> None:
    epsilon, delta = 3.0, 1e-4
    question = question_of(unit, epsilon, delta)
    more, less = law(mail, unit, question), law(without(mail, *gone), unit, question)
    assert max(loss(more, less, epsilon), loss(less, more, epsilon)) <= delta
    if len(gone) == len(mail.messages):
        assert 0 < 1 - more.nothing <= question.delta
    else:
        assert 1 - more.nothing > 10 * delta, "there is something to notice"


def test_the_ratio_notices_what_is_not_hidden() -> None:
    """Twenty messages are more than one."""
    epsilon, delta = 3.0, 1e-4
    question = question_of("message", epsilon, delta)
    many = apart(40, 1)
    fewer = without(many, *range(20))
    assert loss(law(many, "message", question), law(fewer, "message", question), epsilon) > 10 * delta
