"""Names that look alike: what a name and a handle look like, so that equal looks are found.

References
----------
Unicode Technical Standard 39, section 4 (skeletons), with the table of `confusable_homoglyphs`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Protocol, TypeVar

import regex

__all__ = ["handle_shape", "look_alikes", "skeleton"]

_IGNORED = regex.compile(r"[^\p{L}\p{M}\p{N}]|\p{DI}")
_SEPARATORS = re.compile(r"[-_.]+")
_SAME_SHAPE = str.maketrans({"0": "o", "1": "l", "i": "l"})


class Named(Protocol):
    """Somebody with a number and a name."""

    @property
    def id(self) -> int:
        """Their number."""

    @property
    def name(self) -> str:
        """Their name."""


N = TypeVar("N", bound=Named)


@lru_cache(maxsize=4096)
def skeleton(name: str) -> str:
    """Return what a name looks like: names of one skeleton are taken for each other, in whatever script.

    Beyond the standard, capital and small letters, blanks, hyphens and apostrophes make no difference.

    >>> skeleton("Capa") == skeleton("Сара"), skeleton("Anna-Lena") == skeleton("anna lena"), skeleton("Ann") == "ann"
    (True, True, True)
    """
    return _alike(_alike(name).casefold())  # twice: a small letter may look like others than its capital


def _alike(text: str) -> str:
    """Return text with every character replaced by what stands for all that look like it."""
    table = _prototypes()
    signs = _IGNORED.sub("", unicodedata.normalize("NFD", text))
    alike = "".join(table.get(sign, sign) for sign in signs)
    return unicodedata.normalize("NFD", _IGNORED.sub("", alike))


def handle_shape(handle: str) -> str:
    """Return what a handle looks like; one service has every shape once.

    >>> handle_shape("b0b_l") == handle_shape("bob-1"), handle_shape("rnary") == handle_shape("mary")
    (True, True)
    """
    shape = _SEPARATORS.sub("-", handle).translate(_SAME_SHAPE)
    return shape.replace("rn", "m").replace("vv", "w").strip("-")


def look_alikes(people: Iterable[N]) -> list[tuple[N, ...]]:
    """Return those of some people whose names look alike, a group for each look, everybody once."""
    groups: dict[str, dict[int, N]] = {}
    for person in people:
        groups.setdefault(skeleton(person.name), {})[person.id] = person
    return [tuple(group.values()) for group in groups.values() if len(group) > 1]


@cache
def _prototypes() -> dict[str, str]:
    """Return for each character the text that stands for all that look like it.

    The library lists all that looks alike, both ways. Each class is a star around the standard's prototype; where a
    class is a pair, the longer one is taken, since only single characters are looked up.
    """
    from confusable_homoglyphs.confusables import confusables_data

    table = {}
    for sign, others in confusables_data.items():
        if len(sign) == 1:
            alike = [sign, *(other["c"] for other in others)]
            table[sign] = max(alike, key=lambda one: (len(confusables_data[one]), len(one), one))
    return table
