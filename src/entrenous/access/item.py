"""The item and everything its co-owners said about it: checked once, then immutable.

An `Item` is the whole input of a mediation. Its dictionary form (`Item.from_dict`, `Item.to_dict`) is the one
format of files and of services, and is all that has to be kept to recompute a decision bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.access.votes import DEFAULT, Vote, check_vote, read_vote
from entrenous.errors import ArgumentError

__all__ = [
    "ALLOW",
    "ANCHORS",
    "CHOICES",
    "DENY",
    "HIGHEST",
    "METHODS",
    "MODES",
    "Item",
    "check_names",
    "check_table",
]

CHOICES = ("private", "friends", "friends-of-friends", "public")
"""The audiences of the usual scale, from the narrowest to the widest."""

DENY, ALLOW = "deny", "allow"
HIGHEST = 5
"""The strongest agreement; scores are the whole numbers from 0 to 5."""

METHODS = ("circles", "oc", "oo")
MODES = ("cap", "strict")
ANCHORS = ("any", "each", "originator")
STRANGERS = "Strangers"
"""The circle of everybody whom none of a person's circles holds."""

NEUTRAL = HIGHEST / 2
_FIELDS = (
    "wishes",
    "peers",
    "choices",
    "method",
    "mode",
    "vote",
    "limits",
    "anchor",
    "originator",
    "monotone",
    "circles",
)

Wishes = Mapping[str, Mapping[str, int] | None]
Peers = Mapping[str, Mapping[str, float]]
Limits = Mapping[str, str | Collection[str]]


@dataclass(frozen=True)
class Item:
    """A shared thing: who owns it together, what each wishes and whom each listens to.

    Parameters
    ----------
    wishes
        For every co-owner a score from 0 (strongly disagree) to 5 (strongly agree) per choice, or None for
        somebody who has not answered: their limit is then the narrowest choice. With method "circles" the
        scores are for the person's own circles.
    peers
        How much each co-owner's own wish is moved by each other's, from 0 to 1; what is not named counts 0.
    choices
        The audiences from the narrowest, which means the co-owners alone, to the widest.
    method
        "oc" (each wider choice against its complement), "oo" (all choices side by side) or "circles".
    mode
        "cap" scales rows of `peers` above 0.9 down to 0.9; "strict" takes them as they are.
    limits
        The widest choice a person will ever accept, whatever the others report. With method "circles": the
        circles of that person that may ever see the item.
    anchor
        Whose friends "friends" are: those of "each" co-owner, of "any", or of the "originator".
    originator
        Who put the item up; the first person in `wishes` unless named.
    monotone
        With method "oc": insist that a wider choice is never scored higher than a narrower one.
    circles
        With method "circles": for each co-owner, which of their own circles the viewer belongs to.

    Examples
    --------
    >>> item = Item({"ann": {"friends": 4, "friends-of-friends": 3, "public": 0}}, {})
    >>> item.people, item.scored
    (('ann',), ('friends', 'friends-of-friends', 'public'))
    """

    wishes: Wishes
    peers: Peers
    choices: Sequence[str] = CHOICES
    method: str = "oc"
    mode: str = "cap"
    vote: Vote = DEFAULT
    limits: Limits = field(default_factory=dict)
    anchor: str = "each"
    originator: str | None = None
    monotone: bool = True
    circles: Mapping[str, Collection[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check.one_of("method", self.method, METHODS)
        _check.one_of("mode", self.mode, MODES)
        _check.one_of("anchor", self.anchor, ANCHORS)
        if not isinstance(self.monotone, bool):
            raise ArgumentError("monotone", "expected true or false")
        check_vote(self.vote)
        choices = (DENY, ALLOW) if self.method == "circles" else _choices(self.choices)
        wishes = check_table("wishes", self.wishes)
        if not wishes:
            raise ArgumentError("wishes", "expected at least one co-owner; got none")
        object.__setattr__(self, "choices", choices)
        object.__setattr__(
            self, "wishes", {who: self._checked_wish(who, wish) for who, wish in wishes.items()}
        )
        object.__setattr__(self, "peers", _checked_peers(self.peers, wishes))
        object.__setattr__(self, "circles", self._checked_circles())
        object.__setattr__(self, "limits", self._checked_limits())
        first = next(iter(wishes)) if self.originator is None else self.originator
        _person("originator", first, wishes)
        object.__setattr__(self, "originator", first)

    @property
    def people(self) -> tuple[str, ...]:
        """The co-owners, in the order of `wishes`."""
        return tuple(self.wishes)

    @property
    def scored(self) -> tuple[str, ...]:
        """The choices that are mediated: all with "oo", those wider than the narrowest otherwise."""
        return tuple(self.choices) if self.method == "oo" else tuple(self.choices[1:])

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """The initial scores, a row per co-owner and a column per scored choice; silence is neutral."""
        return np.array([self._row(who) for who in self.people], dtype=np.float64)

    @cached_property
    def ceilings(self) -> NDArray[np.int64]:
        """For every co-owner the position of the widest choice their limit, or their silence, leaves open."""
        return np.array([self._ceiling(who) for who in self.people], dtype=np.int64)

    def revised(self, wishes: Wishes) -> Item:
        """Return the item with the answers of some co-owners replaced, as in a second round."""
        for who in check_table("wishes", wishes):
            _person("wishes", who, self.wishes)
        return Item.from_dict({**self.to_dict(), "wishes": {**self.wishes, **wishes}})

    def without(self, person: str) -> Item:
        """Return the item as if `person` were no co-owner; at least one other must remain."""
        _person("person", person, self.wishes)
        entry = self.to_dict()
        for table in ("wishes", "peers", "limits", "circles"):
            entry[table] = {who: part for who, part in entry.get(table, {}).items() if who != person}
        entry["peers"] = {
            who: {friend: weight for friend, weight in row.items() if friend != person}
            for who, row in entry["peers"].items()
        }
        if entry["originator"] == person:
            del entry["originator"]
        return Item.from_dict(entry)

    @classmethod
    def from_dict(cls, entry: object) -> Item:
        """Return the item described by a dictionary in the common format; unknown fields are refused.

        >>> Item.from_dict({"wishes": {"ann": {"private": 1, "public": 4}}, "peers": {}, "method": "oo",
        ...                 "choices": ["private", "public"]}).scores
        array([[1., 4.]])
        """
        table = dict(check_table("item", entry))
        for name in table:
            if name not in _FIELDS:
                raise ArgumentError(name, f"no such field; expected some of {', '.join(_FIELDS)}")
        if "wishes" not in table:
            raise ArgumentError("wishes", "expected a table with a co-owner each; got none")
        table.setdefault("peers", {})
        if "vote" in table:
            table["vote"] = read_vote(table["vote"])
        return cls(**table)

    def to_dict(self) -> dict[str, Any]:
        """Return the item in the common format, ready for JSON; `from_dict` reads it back unchanged."""
        entry: dict[str, Any] = {
            "choices": list(self.choices),
            "method": self.method,
            "mode": self.mode,
            "vote": self.vote.to_dict(),
            "wishes": {who: None if wish is None else dict(wish) for who, wish in self.wishes.items()},
            "peers": {who: dict(row) for who, row in self.peers.items()},
            "limits": {
                who: limit if isinstance(limit, str) else list(limit) for who, limit in self.limits.items()
            },
            "anchor": self.anchor,
            "originator": self.originator,
            "monotone": self.monotone,
        }
        if self.method == "circles":
            del entry["choices"]
            entry["circles"] = {who: list(names) for who, names in self.circles.items()}
        return entry

    def _row(self, who: str) -> list[float]:
        wish = self.wishes[who]
        if wish is None:
            return [NEUTRAL] * len(self.scored)
        if self.method == "circles":
            return [min((wish[circle] for circle in self._holding(who)), default=0)]
        return [wish[choice] for choice in self.scored]

    def _holding(self, who: str) -> tuple[str, ...]:
        """Return the scored circles of `who` that hold the viewer; a viewer in none is a stranger."""
        circles = tuple(self.circles.get(who, ()))
        wish = self.wishes[who] or {}
        return circles or ((STRANGERS,) if STRANGERS in wish else ())

    def _ceiling(self, who: str) -> int:
        if self.wishes[who] is None:
            return 0
        limit = self.limits.get(who)
        if limit is None:
            return len(self.choices) - 1
        if self.method == "circles":
            holding = self._holding(who)
            return int(bool(holding) and all(circle in limit for circle in holding))
        return list(self.choices).index(str(limit))

    def _checked_wish(self, who: str, wish: object) -> dict[str, int] | None:
        if wish is None:
            return None
        place = f"wishes.{who}"
        table = {
            choice: _score(f"{place}.{choice}", score) for choice, score in check_table(place, wish).items()
        }
        if self.method == "circles":
            return table
        for choice in table:
            if choice not in self.choices:
                raise ArgumentError(
                    f"{place}.{choice}", f"no such choice; expected {', '.join(self.choices)}"
                )
        expected = self.choices if self.method == "oo" else self.choices[1:]
        for choice in expected:
            if choice not in table:
                raise ArgumentError(f"{place}.{choice}", "expected a score; got none")
        if self.method == "oc" and self.monotone:
            for narrower, wider in pairwise(expected):
                if table[wider] > table[narrower]:
                    raise ArgumentError(
                        f"{place}.{wider}",
                        f"expected no higher score than for {narrower}, which is narrower; "
                        "lower it, or set monotone to false",
                    )
        return table

    def _checked_circles(self) -> dict[str, tuple[str, ...]]:
        circles = check_table("circles", self.circles)
        if circles and self.method != "circles":
            raise ArgumentError("circles", 'expected only with method "circles"')
        for who in circles:
            _person("circles", who, self.wishes)
        return {who: self._own_circles(f"circles.{who}", who, names) for who, names in circles.items()}

    def _checked_limits(self) -> dict[str, str | tuple[str, ...]]:
        checked: dict[str, str | tuple[str, ...]] = {}
        for who, limit in check_table("limits", self.limits).items():
            _person("limits", who, self.wishes)
            place = f"limits.{who}"
            if self.method == "circles":
                checked[who] = self._own_circles(place, who, limit)
            elif isinstance(limit, str) and limit in self.choices:
                checked[who] = limit
            else:
                raise ArgumentError(place, f"expected one of {', '.join(self.choices)}")
        return checked

    def _own_circles(self, place: str, who: str, names: object) -> tuple[str, ...]:
        circles = check_names(place, names)
        wish = self.wishes[who]
        for circle in circles:
            if wish is not None and circle not in wish:
                raise ArgumentError(f"{place}.{circle}", "expected a circle this person scores")
        return circles


def check_table(place: str, value: object) -> Mapping[str, Any]:
    """Return a table whose keys are names."""
    if not isinstance(value, Mapping):
        raise ArgumentError(place, f"expected a table; got {_kind(value)}")
    for name in value:
        if not isinstance(name, str) or not name:
            raise ArgumentError(place, f"expected names as keys; got {_kind(name)}")
    return value


def _choices(value: object) -> tuple[str, ...]:
    """Return the audiences in their order; a set has none."""
    if not isinstance(value, Sequence):
        raise ArgumentError("choices", f"expected a list of names in their order; got {_kind(value)}")
    return check_names("choices", value, least=2)


def check_names(place: str, value: object, *, least: int = 0) -> tuple[str, ...]:
    """Return a list of names, each once."""
    if isinstance(value, str) or not isinstance(value, Collection):
        raise ArgumentError(place, f"expected a list of names; got {_kind(value)}")
    names = tuple(value)
    if any(not isinstance(name, str) or not name for name in names) or len(set(names)) != len(names):
        raise ArgumentError(place, "expected names, each once")
    if len(names) < least:
        raise ArgumentError(place, f"expected {least} or more names; got {len(names)}")
    return names


def _person(place: str, who: object, people: Collection[str]) -> None:
    if not isinstance(who, str) or who not in people:
        where = f"{place}.{who}" if isinstance(who, str) and place not in ("originator", "person") else place
        raise ArgumentError(where, f"expected one of the {len(people)} people in wishes; got somebody else")


def _score(place: str, value: object) -> int:
    number = _number(value)
    if number is None or not (0 <= number <= HIGHEST and number.is_integer()):
        raise ArgumentError(place, f"expected a whole number from 0 to {HIGHEST}; got {_kind(value)}")
    return int(number)


def _number(value: object) -> float | None:
    """Return a finite real number, None for anything else; true and false are no numbers here."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _checked_peers(peers: object, people: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    checked: dict[str, dict[str, float]] = {}
    for who, row in check_table("peers", peers).items():
        _person("peers", who, people)
        checked[who] = {}
        for friend, weight in check_table(f"peers.{who}", row).items():
            place = f"peers.{who}.{friend}"
            if friend not in people:
                raise ArgumentError(
                    place, f"expected one of the {len(people)} people in wishes; got somebody else"
                )
            if friend == who:
                raise ArgumentError(place, "expected no weight of a person on their own wish; leave it out")
            number = _number(weight)
            if number is None or not 0 <= number <= 1:
                raise ArgumentError(place, f"expected a number from 0 to 1; got {_kind(weight)}")
            checked[who][friend] = number
    return checked


def _kind(value: object) -> str:
    """Return what sort of value this is, never the value: a score is nobody else's business."""
    number = _number(value)
    if number is not None:
        return "a negative number" if number < 0 else "a number" if number.is_integer() else "a fraction"
    if isinstance(value, float):
        return "no finite number"
    kinds = {"NoneType": "nothing", "bool": "true or false", "str": "text", "list": "a list"}
    return kinds.get(type(value).__name__, "something else")
