"""A person's view of who may see an item: what it has to hold, and what stands in for one that is not given."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise

from sqlalchemy.orm import Session

from entrenous import access
from entrenous.access.item import HIGHEST, STRANGERS
from entrenous.errors import ArgumentError
from entrenous.web import store

__all__ = ["Limit", "checked_limit", "checked_scores", "line_as_scores", "scored_by"]

Limit = str | Collection[str] | None
"""The widest audience that somebody allows, or those of their circles, or None for no limit."""


def scored_by(session: Session, person: int, method: str) -> tuple[str, ...]:
    """Return what a person is asked to score: audiences, or their own circles and everybody else."""
    if method == "circles":
        return (*(circle.name for circle in store.friendships.circles_of(session, person)), STRANGERS)
    return _audiences(method)


def checked_scores(scores: Mapping[str, int], scored: Collection[str], method: str) -> dict[str, int]:
    """Return a whole number from 0 to 5 for everything asked; with "oc" a wider audience never scores higher."""
    if not isinstance(scores, Mapping) or set(scores) != set(scored):
        raise ArgumentError(
            "scores", f"expected a score for each of the {len(scored)} audiences, and no other"
        )
    for score in scores.values():
        if isinstance(score, bool) or not isinstance(score, int) or not 0 <= score <= HIGHEST:
            raise ArgumentError("scores", f"expected whole numbers from 0 to {HIGHEST}")
    view = {choice: scores[choice] for choice in scored}
    if method == "oc" and not _narrowing(view):
        raise ArgumentError("scores", "expected no higher score for a wider audience than for a narrower one")
    return view


def checked_limit(limit: Limit, scored: Collection[str], method: str) -> str | list[str] | None:
    """Return a limit as it is kept: an audience, or with circles some of those that were scored."""
    if limit is None:
        return None
    if method == "circles":
        if isinstance(limit, str) or not set(limit) <= set(scored):
            raise ArgumentError("limit", "expected some of your own circles")
        return sorted(set(limit))
    if not isinstance(limit, str) or limit not in access.CHOICES:
        raise ArgumentError("limit", f"expected one of {', '.join(access.CHOICES)}")
    return limit


def line_as_scores(line: str, method: str) -> dict[str, int]:
    """Return the answer a standing line counts as: yes as far as the line goes, no beyond it.

    >>> line_as_scores("friends", "oc")
    {'friends': 4, 'friends-of-friends': 1, 'public': 1}
    """
    reach = access.CHOICES.index(line)
    return {choice: 4 if access.CHOICES.index(choice) <= reach else 1 for choice in _audiences(method)}


def _audiences(method: str) -> tuple[str, ...]:
    """Return the audiences that are scored; with "oc" the narrowest needs no score, since nobody can object to it."""
    return access.CHOICES if method == "oo" else access.CHOICES[1:]


def _narrowing(scores: Mapping[str, int]) -> bool:
    """Return whether no audience scores higher than a narrower one that is part of it."""
    return all(wider <= narrower for narrower, wider in pairwise(scores.values()))
