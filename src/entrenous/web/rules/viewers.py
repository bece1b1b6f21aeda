"""Items that circles decide: each viewer is decided for at the moment of asking.

So their answers are opened as long as the item is shown, and only the access check opens them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from entrenous import access
from entrenous.access.item import ALLOW, STRANGERS
from entrenous.access.receipts import Opening, to_item
from entrenous.web import store
from entrenous.web.rules import sealing
from entrenous.web.rules.sealing import Lost
from entrenous.web.store.items import Decided

__all__ = ["ACCEPTED", "accepts_all", "allows_viewer"]

ACCEPTED = 3
"""The lowest score that says yes: slightly agree."""


def allows_viewer(
    session: Session,
    decided: Decided,
    profile: Mapping[str, Sequence[str]],
    limits: Mapping[str, Sequence[str]],
) -> bool:
    """Return whether a viewer whom these circles of the co-owners hold may see an item decided by circles.

    Circles and limits are those of the moment, by slot; what was answered is what was decided on. Whom a co-owner holds
    in a circle they were not asked about, a new or a renamed one, is not allowed: it may be there to keep them out.
    """
    held = tuple(sorted((slot, tuple(names)) for slot, names in profile.items() if names))
    bounds = tuple(sorted((slot, tuple(names)) for slot, names in limits.items()))
    question = (decided.digest, held, bounds)
    if question not in _known:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[question] = _asked(session, decided, profile, limits)
    return _known[question]


MOST_KNOWN = 4096
_known: dict[tuple[object, ...], bool] = {}
"""Answers about viewers: asked with every request, and what was decided on does not change."""


def _asked(
    session: Session,
    decided: Decided,
    profile: Mapping[str, Sequence[str]],
    limits: Mapping[str, Sequence[str]],
) -> bool:
    record = json.loads(decided.record)
    try:
        for round_, slot in record["joined"]:
            opening = sealing.open_round(session, decided.item, round_)[slot]
            now = replace(opening, limit=limits.get(slot))
            if not accepts_all(now, profile.get(slot, ())):
                return False
        base = record["stands"] or decided.round
        openings = sealing.open_round(session, decided.item, base)
    except (Lost, KeyError):
        return False
    weighed = decided if base == decided.round else store.items.decision_of(session, decided.item, base)
    assert weighed is not None, "what stands was decided"
    return _allows(openings, json.loads(weighed.record), profile, limits)


def accepts_all(opening: Opening, names: Sequence[str]) -> bool:
    """Return whether somebody accepts a viewer in each of their circles that holds this viewer."""
    scores = opening.scores
    if scores is None:
        return False
    held = names or (STRANGERS,)
    inside = opening.limit is None or all(name in opening.limit for name in held)
    return inside and all(scores.get(name, 0) >= ACCEPTED for name in held)


def _allows(
    openings: Mapping[str, Opening],
    record: Mapping[str, Any],
    profile: Mapping[str, Sequence[str]],
    limits: Mapping[str, Sequence[str]],
) -> bool:
    held: dict[str, list[str]] = {}
    bounded = dict(openings)
    for slot in record["slots"]:
        scores = openings[slot].scores
        names = profile.get(slot, ())
        if scores is not None and any(name not in scores for name in names):
            return False
        if names and scores is not None:
            held[slot] = list(names)
        bounded[slot] = replace(openings[slot], limit=limits.get(slot))
    question = to_item(bounded, record)
    entry = question.to_dict() | {"circles": held}
    return access.decide(access.Item.from_dict(entry)).choice == ALLOW
