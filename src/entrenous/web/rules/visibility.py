"""Who sees what: the one access function of the service.

Lists, thumbnails, files, the API and exports all ask `visible_ids`; nothing else decides. It reads everything at the
moment of asking, so that a narrowed limit or an ended friendship counts from the next request on. Whatever cannot be
worked out is denied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy.orm import Session

from entrenous.access import CHOICES
from entrenous.access.item import ALLOW
from entrenous.web import store
from entrenous.web.rules import viewers
from entrenous.web.rules.states import CIRCLES, accepted, audience_in_force
from entrenous.web.store.database import now
from entrenous.web.store.items import OwnerRow
from entrenous.web.store.standings import Part, Standing

__all__ = ["knows_uploader", "visible_ids"]

PRIVATE, FRIENDS, FRIENDS_OF_FRIENDS, PUBLIC = CHOICES
NOBODY = 0
"""A number that no person has."""

_AT_ONCE = 500
"""So many ids go into one query."""


def visible_ids(session: Session, viewer: int | None, ids: Iterable[str]) -> set[str]:
    """Return which of some items a person may see now; None is somebody who is not signed in.

    A co-owner sees an item in every state but one: what was withdrawn is seen by who put it up alone, as long as that
    can be undone. Everybody else sees it if it is active and they are within the audience in force, measured from each
    co-owner, from any, or from who put it up, as the item's anchor says.
    """
    visible: set[str] = set()
    wanted = sorted(set(ids))
    for start in range(0, len(wanted), _AT_ONCE):
        visible |= _visible(session, viewer, wanted[start : start + _AT_ONCE])
    return visible


def knows_uploader(viewer: int | None, originator: int, owners: Iterable[OwnerRow]) -> bool:
    """Return whether a reader learns who put an item up.

    Co-owners do, and those who were asked by that person. For everybody else the name is there as long as who bears it
    shows it.
    """
    own = {owner.person: owner for owner in owners}
    if own[originator].tagged:
        return True
    place = None if viewer is None else own.get(viewer)
    return place is not None and place.state in ("accepted", "asked", "declined")


def _visible(session: Session, viewer: int | None, ids: Sequence[str]) -> set[str]:
    moment = now(session)
    visible, distant, circled = set(), [], []
    for item, owners in store.standings.standings(session, ids).values():
        group = accepted(owners)
        if any(owner.person == viewer for owner in group):
            if item.state != "withdrawn" or item.originator == viewer:
                visible.add(item.id)
            continue
        audience = audience_in_force(item, owners, moment)
        if audience == PUBLIC:
            visible.add(item.id)
        elif audience == CIRCLES:
            circled.append((item, owners))
        elif audience != PRIVATE:
            distant.append((item, audience, _anchors(item, group)))
    # Whoever is about to see nothing is asked about in full, also where nothing is there: it takes as long.
    nothing_yet = not visible
    if distant or nothing_yet:
        visible |= _within(session, viewer, distant)
    if circled or nothing_yet:
        visible |= _in_circles(session, viewer, circled)
    return visible


def _anchors(item: Standing, group: Collection[Part]) -> set[int]:
    """Return those from whom the distance of a viewer is measured."""
    if item.anchor == "originator":
        return {item.originator}
    return {owner.person for owner in group}


def _within(
    session: Session, viewer: int | None, distant: Sequence[tuple[Standing, str, set[int]]]
) -> set[str]:
    """Return the items whose audience the viewer belongs to as a friend, or as a friend of friends."""
    group = set().union(*(anchors for _, _, anchors in distant))
    friends, further = store.standings.near(session, viewer or NOBODY, group)
    visible = set()
    for item, audience, anchors in distant:
        reached = friends if audience == FRIENDS else friends | further
        if (anchors <= reached) if item.anchor != "any" else (anchors & reached):
            visible.add(item.id)
    return visible


def _in_circles(
    session: Session, viewer: int | None, circled: Sequence[tuple[Standing, Sequence[Part]]]
) -> set[str]:
    """Return the items whose co-owners, each by the circle that holds the viewer, allow this viewer."""
    group = {owner.person for _, rows in circled for owner in accepted(rows)}
    profile = store.standings.circle_profile(session, viewer or NOBODY, group)
    # The stored choice is about somebody in no circle; if that is to deny, limits, which only narrow, do not matter.
    asked = {
        item.id: accepted(rows)
        for item, rows in circled
        if item.choice == ALLOW or any(profile[owner.person] for owner in accepted(rows))
    }
    decided = store.items.last_decisions(session, list(asked))
    visible = set()
    for item, rows in asked.items():
        held = {owner.slot: profile[owner.person] for owner in rows}
        limits = {owner.slot: owner.limit for owner in rows if owner.limit is not None}
        if item in decided and viewers.allows_viewer(session, decided[item], held, limits):
            visible.add(item)
    return visible
