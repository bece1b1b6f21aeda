"""Circles: every co-owner sorts people into circles of their own and scores those instead of distances.

For one viewer a co-owner's score is that of the circle that holds the viewer, the lowest if several do;
whoever is in none is a stranger. `mediate(..., method="circles")` decides for one viewer; here all viewers
are decided at once. Distances are the special case of circles that hold the friends, the friends' friends
and the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from entrenous.access.decision import Decision
from entrenous.access.item import Item, check_names, check_table
from entrenous.access.mediation import decide
from entrenous.errors import ArgumentError

__all__ = ["mediate_viewers"]

Members = Mapping[str, Mapping[str, Collection[str]]]


def mediate_viewers(
    wishes: Mapping[str, Mapping[str, int] | None],
    peers: Mapping[str, Mapping[str, float]],
    members: Members,
    viewers: Iterable[str],
    **options: Any,
) -> dict[str, Decision]:
    """Decide for every viewer whether they may see the item.

    Viewers whom the co-owners' circles do not tell apart share one decision, so the work grows with the
    number of different combinations of circles, not with the number of viewers.

    Parameters
    ----------
    wishes
        For every co-owner a score per own circle; "Strangers" is the circle of everybody else.
    peers
        As in `mediate`.
    members
        For every co-owner who is in which circle.
    viewers
        Whom to decide for.
    options
        Anything else `Item` takes: mode, vote, limits, originator.

    Examples
    --------
    >>> wishes = {"ann": {"Family": 5, "Strangers": 0}, "bob": {"Labmates": 4, "Strangers": 3}}
    >>> members = {"ann": {"Family": ["mum"]}, "bob": {"Labmates": ["lee"]}}
    >>> decisions = mediate_viewers(wishes, {}, members, ["mum", "lee"])
    >>> {viewer: decision.choice for viewer, decision in decisions.items()}
    {'mum': 'allow', 'lee': 'deny'}
    """
    check_table("wishes", wishes)
    if isinstance(viewers, str):
        raise ArgumentError("viewers", "expected a list of names; got text")
    holding = _holding(wishes, members)
    decided: dict[tuple[tuple[str, ...], ...], Decision] = {}
    answer = {}
    for viewer in viewers:
        profile = tuple(tuple(holding[who].get(viewer, ())) for who in wishes)
        if profile not in decided:
            circles = dict(zip(wishes, profile, strict=True))
            decided[profile] = decide(Item(wishes, peers, method="circles", circles=circles, **options))
        answer[viewer] = decided[profile]
    return answer


def _holding(wishes: Mapping[str, object], members: Members) -> dict[str, dict[str, list[str]]]:
    """Return for every co-owner and viewer the co-owner's circles that hold the viewer."""
    holding: dict[str, dict[str, list[str]]] = {who: {} for who in wishes}
    for who, circles in check_table("members", members).items():
        if who not in holding:
            raise ArgumentError(f"members.{who}", f"expected one of the {len(wishes)} people in wishes")
        for circle, people in check_table(f"members.{who}", circles).items():
            for viewer in check_names(f"members.{who}.{circle}", people):
                holding[who].setdefault(viewer, []).append(circle)
    return holding
