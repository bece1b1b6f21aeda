"""A public list of n-grams: what may stand on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from entrenous.errors import ArgumentError
from entrenous.words.reading.text import words_of

__all__ = ["check_said", "checked_vocabulary", "longest"]


def check_said(names: Iterable[str]) -> None:
    """Refuse a list with n-grams that no mail can hold."""
    foreign = [place for place, name in enumerate(names, start=1) if words_of(name) != name]
    if foreign:
        raise ArgumentError(
            "vocabulary",
            f"expected words as mail is counted, of lower-case letters with straight apostrophes, joined by one "
            f"blank; got {len(foreign)} n-grams that can never be said, the first at place {foreign[0]}",
        )


def checked_vocabulary(vocabulary: Iterable[str]) -> tuple[str, ...]:
    """Return a public list of n-grams, or say why it is none."""
    names = () if isinstance(vocabulary, str) else tuple(vocabulary)
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise ArgumentError("vocabulary", "expected a list of n-grams, at least one and none of them empty")
    if len(set(names)) < len(names):
        raise ArgumentError(
            "vocabulary", f"expected each n-gram once; got {len(names) - len(set(names))} twice"
        )
    return names


def longest(names: Sequence[str]) -> int:
    """Return how many words the longest n-gram of a list has.

    >>> longest(["budget", "press release"])
    2
    """
    return max(name.count(" ") + 1 for name in names)
