"""What canaries say: phrases of their own, of words that all share."""

from __future__ import annotations

from itertools import pairwise

import pytest

from entrenous.attack.one_run.canary_letters import counted_letters, invented_words, named_letters
from entrenous.attack.one_run.invented_letters import Letters
from entrenous.errors import ArgumentError
from entrenous.words.counting.holder import ALL, EDGE_AND_MESSAGE, MESSAGE, THREAD
from entrenous.words.reading.text import words_of


def phrases_of(letters: Letters) -> list[set[str]]:
    return [set(map(" ".join, pairwise(words))) for words in map(str.split, letters.phrases)]


@pytest.mark.parametrize("canaries", [1, 7, 50])
def test_no_two_canaries_share_a_phrase_and_all_share_words(canaries: int) -> None:
    letters = named_letters(ALL, canaries, mu=1.0)
    own = phrases_of(letters)
    assert all(len(each) == 9 for each in own)
    assert len(set().union(*own)) == 9 * canaries
    assert (len(letters.words) - 1) ** 2 < 9 * canaries


def test_words_are_words_and_differ() -> None:
    words = invented_words(1000)
    assert len(set(words)) == 1000
    assert all(words_of(word) == word for word in words[::50])


def test_the_less_is_told_the_larger_the_chorus() -> None:
    sizes = [len(named_letters(MESSAGE, 5, mu=mu).phrase) for mu in (0.1, 0.2, 0.4)]
    assert sizes[0] > 1.8 * sizes[1] > 3 * sizes[2]


def test_a_canary_is_what_its_unit_hides() -> None:
    edge = named_letters(EDGE_AND_MESSAGE, 4, mu=1.0, canary="edge")
    mine = edge.canary == 2
    assert mine.sum() == 2
    assert len(set(edge.thread[mine])) == 2  # it goes both ways on one edge
    assert set(edge.sender[mine]) == set(edge.recipients[mine][:, 0])
    thread = named_letters(THREAD, 4, mu=1.0)
    assert len(set(thread.thread[thread.canary == 2])) == 1
    with pytest.raises(ArgumentError, match="canary"):
        named_letters(MESSAGE, 4, mu=1.0, canary="edge")


def test_a_ball_gets_many_words_where_contents_are_turned_into_others() -> None:
    few, many = (len(counted_letters(THREAD, 2, contribution=1, ball=ball)[1]) for ball in (False, True))
    assert (few, many) == (4, 34)
    assert len(counted_letters(MESSAGE, 2, contribution=3, ball=True)[1]) == 6
