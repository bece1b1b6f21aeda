"""Canaries for words of mail: for each unit the letters by which one unit changes a release as far as it may.

Counts of a public list: each canary has listed words of its own. Vocabularies: each canary has phrases of its own, of
words that all planted letters share, so that these are published. A chorus of letters that are always there says its
phrases as well, so that they stay in the race of rounds and stand about where they are named.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count, islice, product
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.attack.one_run.invented_letters import Letters
from entrenous.words.counting.holder import ALL, EDGE, EDGE_AND_MESSAGE, MESSAGE, SENDER, THREAD, Holder

__all__ = ["BALL_WORDS", "SHAPES", "Shape", "counted_letters", "invented_words", "named_letters"]

#: Words of its own that a canary adds for each word that it pushes out of a ball: the more, the farther it moves.
BALL_WORDS = 16

Ids = NDArray[np.int32]


@dataclass(frozen=True)
class Shape:
    """What a canary of a vocabulary looks like.

    Attributes
    ----------
    phrases
        How many n-grams it has to itself, in one text. Where senders are clipped, one alone gets too little weight.
    recipients
        How many people get each of its letters. Where messages are hidden there are several, for whoever counts them
        on each of their edges; where edges are clipped, many, for each gets a small share.
    answered
        Whether it is answered in the same words: in its thread, or in another one on the same edge.
    same_thread
        Whether an answer belongs to the thread.
    height
        Where the chorus lifts its n-grams to, in standard deviations of all noise. Where the weight of an n-gram is
        clipped to a multiple of its value, that is about where n-grams are named, else well above.
    voice
        The weight that a letter of the chorus gives each n-gram, about.
    readers
        How many people get a letter of the chorus.
    """

    phrases: int = 1
    recipients: int = 1
    answered: bool = False
    same_thread: bool = True
    height: float = 6.0
    voice: float = 1.0
    readers: int = 1


#: By what a unit hides: what each canary is, the one that moves most first.
SHAPES: dict[Holder, dict[str, Shape]] = {
    EDGE: {"edge": Shape(height=9.0)},
    SENDER: {"sender": Shape(height=9.0)},
    MESSAGE: {"message": Shape(recipients=2)},
    THREAD: {"thread": Shape(answered=True)},
    EDGE_AND_MESSAGE: {
        "message": Shape(phrases=2, recipients=16, height=3.5, voice=0.5, readers=4),
        "edge": Shape(phrases=9, answered=True, same_thread=False, height=3.5, voice=0.25),
    },
    ALL: {
        "edge": Shape(phrases=9, answered=True, same_thread=False, height=3.5, voice=0.3, readers=2),
        "message": Shape(phrases=9, recipients=2, height=3.5, voice=0.3, readers=2),
    },
}


def invented_words(number: int) -> tuple[str, ...]:
    """Return words of letters alone that nobody uses.

    >>> invented_words(3)
    ('zqaaaa', 'zqaaab', 'zqaaac')
    """
    spelled = ("".join(signs) for length in count(4) for signs in product(ascii_lowercase, repeat=length))
    return tuple(f"zq{sign}" for sign in islice(spelled, number))


def named_letters(by: Holder, canaries: int, *, mu: float, canary: str | None = None) -> Letters:
    """Return canaries for a vocabulary of words and of pairs of them, with their chorus.

    Parameters
    ----------
    by
        Whose words are hidden.
    canaries
        How many canaries.
    mu
        By how many standard deviations one unit may move all rounds of longer n-grams together.
    canary
        Which of the changes that are hidden each of them is, by its name in `SHAPES`. (default: the first)

    Examples
    --------
    >>> planted = named_letters(MESSAGE, 4, mu=1.0)
    >>> len(planted.phrases), len(planted.phrase), planted.phrases[1]
    (4, 28, 'zqaaaa zqaaab')
    """
    shape = SHAPES[by][_check.one_of("canary", canary or next(iter(SHAPES[by])), SHAPES[by])]
    words = math.isqrt(canaries * shape.phrases - 1) + 1
    spelled, walk = invented_words(words), _walk(words)
    texts = tuple(
        " ".join(spelled[word] for word in walk[start : start + shape.phrases + 1])
        for start in range(0, canaries * shape.phrases, shape.phrases)
    )
    chorus = math.ceil(shape.height / (shape.voice * mu))
    voices, own = canaries * chorus, np.arange(canaries)
    phrase = np.concatenate([np.repeat(own, chorus), own])
    widest = max(shape.recipients, shape.readers)
    people = np.arange(len(phrase))[:, None] * (widest + 1) + np.arange(widest + 1)
    sender, recipients, thread = people[:, 0], people[:, 1:], np.arange(len(phrase))
    canary_of = np.concatenate([np.full(voices, -1), own])
    recipients[:voices, shape.readers :] = -1
    recipients[voices:, shape.recipients :] = -1
    if shape.answered:
        answers = np.full((canaries, widest), -1)
        answers[:, 0] = sender[voices:]
        sender = np.concatenate([sender, recipients[voices:, 0]])
        recipients = np.concatenate([recipients, answers])
        thread = np.concatenate([thread, thread[voices:] + canaries * (not shape.same_thread)])
        phrase, canary_of = np.concatenate([phrase, own]), np.concatenate([canary_of, own])
    return Letters(
        phrases=texts,
        about=own.astype(np.int32),
        phrase=phrase.astype(np.int32),
        sender=sender.astype(np.int32),
        recipients=recipients.astype(np.int32),
        thread=thread.astype(np.int32),
        canary=canary_of.astype(np.int32),
    )


def _walk(words: int) -> list[int]:
    """Return a closed walk through all ordered pairs of words that visits each once: a de Bruijn sequence.

    >>> _walk(3)
    [0, 0, 1, 0, 2, 1, 1, 2, 2, 0]
    """
    pairs = (part for one in range(words) for part in [one, *_with_all_above(one, words)])
    return [*pairs, 0]


def _with_all_above(one: int, words: int) -> list[int]:
    return [word for other in range(one + 1, words) for word in (one, other)]


def counted_letters(
    by: Holder, canaries: int, *, contribution: int, ball: bool
) -> tuple[Letters, tuple[str, ...]]:
    """Return canaries for counts of a public list, and the list.

    Where a unit adds a whole holder, that says as many words as it counts for. Where it turns a holder into another
    one, that says some words anyway, and with the canary others more often; where it turns two, both do the same.

    Parameters
    ----------
    by
        Whose words are hidden.
    canaries
        How many canaries.
    contribution
        How many listed n-grams a holder counts for.
    ball
        Whether holders with more count for all of them, with less weight.

    Examples
    --------
    >>> planted, names = counted_letters(THREAD, 2, contribution=1, ball=False)
    >>> planted.phrases, names == planted.words
    (('zqaaaa', 'zqaaab zqaaab', 'zqaaac', 'zqaaad zqaaad'), True)
    """
    turned = by.changes > 1
    more = contribution * BALL_WORDS if ball and turned else contribution
    each = more + contribution * turned
    words = invented_words(canaries * each)
    phrases: list[str] = []
    letters: list[tuple[int, int, tuple[int, ...], int, int]] = []
    for canary in range(canaries):
        own = words[canary * each : (canary + 1) * each]
        before, after = own[: each - more], own[each - more :]
        text, person, thread = len(phrases), 4 * canary, 4 * canary
        if turned:
            phrases.append(" ".join(before))
        phrases.append(" ".join([*after, *after][: len(after) * (1 + turned)]))
        gained = len(phrases) - 1
        if by == ALL:  # all that passes on an edge: each of its two people writes other things elsewhere
            letters.append((text, person, (person + 2,), thread, -1))
            letters.append((text, person + 1, (person + 3,), thread + 1, -1))
            letters.append((gained, person, (person + 1,), thread + 2, canary))
            letters.append((gained, person + 1, (person,), thread + 3, canary))
            continue
        if turned:
            letters.append((text, person, (person + 1,), thread, -1))
        letters.append((gained, person, (person + 1,), thread, canary))
    about = tuple(place // (1 + turned) for place in range(len(phrases)))
    return Letters.of(tuple(phrases), about, letters), words
