"""Sizes that are missing: photos of an earlier version get those that uploads have from the start."""

from __future__ import annotations

from functools import partial

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.rules.refusals import UploadRefused
from entrenous.web.service.media import CURRENT, PROPOSED, room
from entrenous.web.service.uploads.photos import PHOTO_TYPES, Picture, clean_photo
from entrenous.web.store.blobs.objects import ObjectLost, ObjectsAway
from entrenous.web.store.database import Database
from entrenous.web.store.files import Kept, Stored

__all__ = ["make_missing"]

AT_ONCE = 4
_FORMS = {media_type: form for form, media_type in PHOTO_TYPES.items()}


def make_missing(database: Database, limit: int = AT_ONCE) -> int:
    """Make the sizes of a few photos that lack them, and return of how many; the photos stay as they are."""
    with database.reading() as session:
        found = store.files.not_yet_sized(session, (CURRENT["original"], PROPOSED["original"]), limit)
    try:
        return sum(_make(database, kept) for kept in found)
    except ObjectsAway:
        return 0


def _make(database: Database, kept: Kept) -> bool:
    sizes: dict[str, Picture] = {}
    try:
        with database.reading() as session, room():
            content = store.files.fetch_unchecked(session, kept)
            # It was small enough when it was put up, whatever the limit is by now.
            sizes = clean_photo(content, _FORMS[kept.media_type], 2**40)
    except (UploadRefused, ObjectLost) as error:
        if getattr(error, "code", "") == "busy":
            return False  # uploads of people come first
    places = {}
    if database.objects is not None:
        places = {name: database.objects.put(sizes[name].content) for name in sizes if name != "original"}
    database.write(partial(_keep, kept=kept, sizes=sizes, places=places), idempotent=True)
    return True


def _keep(session: Session, kept: Kept, sizes: dict[str, Picture], places: dict[str, str]) -> None:
    own = sizes.get("original")
    measures = (own.width, own.height) if own else (None, None)
    if not store.files.set_measures(session, kept, *measures):
        return  # another file took its place
    names = CURRENT if kept.variant == CURRENT["original"] else PROPOSED
    for name in ("screen", "thumbnail"):
        if name in sizes:
            one = sizes[name]
            stored = Stored(one.content, one.media_type, kept.name, one.width, one.height, places.get(name))
            store.files.remove_content(session, kept.item, names[name])
            store.files.add_content(session, kept.item, names[name], stored)
