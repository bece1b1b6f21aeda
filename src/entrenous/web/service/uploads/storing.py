"""Where bytes are: a look when the service starts, the way from one place to another, and the sweep.

The database says which objects are there for something. One that no row names, because a process died between object
and row or because removing it was given up, is swept after a day.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from sqlalchemy.orm import Session

from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.store.blobs.objects import ObjectLost, ObjectsAway, ObjectStore
from entrenous.web.store.database import Database, utc_now
from entrenous.web.store.files import Kept

__all__ = ["Moved", "check_place", "move", "sweep"]

KEPT_FOR = timedelta(days=1)
"""So long an object may wait for its row: far longer than any request takes."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Moved:
    """How many files were moved, and of how many the bytes are lost."""

    moved: int
    lost: int


def check_place(database: Database) -> None:
    """Refuse to start with a wrong key, a wrong bucket or somebody else's objects; one that is away may come back."""
    if database.objects is None:
        with database.reading() as session:
            if store.files.any_placed(session):
                raise ArgumentError(
                    "files", "expected the object store that files are in already; set ENTRENOUS_FILES"
                )
        return
    try:
        database.objects.check()
        _check_owner(database, database.objects)
    except ObjectsAway:
        log.warning("the object store does not answer; files are missing until it does")


def _check_owner(database: Database, objects: ObjectStore) -> None:
    """Refuse objects of another database: to this one none of them would be worth keeping."""
    mark = database.write(lambda session: store.files.mark_of(session, objects.url), idempotent=True)
    if objects.owner(mark) != mark:
        raise ArgumentError(
            "files", "these objects belong to another database; take another prefix, or remove `owner`"
        )


def sweep(database: Database, *, kept_for: timedelta = KEPT_FOR) -> int:
    """Remove objects that no row names and that are older than a day, and return how many."""
    objects, removed = database.objects, 0
    if objects is None:
        return 0
    _check_owner(database, objects)
    for names in objects.names(utc_now() - kept_for):
        with database.reading() as session:
            wanted = store.files.named_objects(session, names)
        for name in names:
            if name not in wanted:
                objects.delete(name)
                removed += 1
    return removed


def move(database: Database, *, to_objects: bool) -> Moved:
    """Move all bytes into the object store, or back; whoever is stopped half-way begins again where it was."""
    objects = database.objects
    if objects is None:
        raise ArgumentError(
            "files", "expected an object store in ENTRENOUS_FILES, also to move files out of it"
        )
    _check_owner(database, objects)
    moved, lost, after = 0, 0, ("", "")
    while True:
        with database.reading() as session:
            kept = store.files.next_elsewhere(session, in_objects=not to_objects, after=after)
        if kept is None:
            return Moved(moved, lost)
        after = (kept.item, kept.variant)
        try:
            moved += _move(database, objects, kept, to_objects=to_objects)
        except ObjectLost:
            lost += 1


def _move(database: Database, objects: ObjectStore, kept: Kept, *, to_objects: bool) -> bool:
    with database.reading() as session:
        content = store.files.fetch_unchecked(session, kept)
    if len(content) != kept.size:
        return False  # removed in between
    place = objects.put(content) if to_objects else None
    done = database.write(
        partial(_set_place, kept=kept, place=place, content=b"" if to_objects else content), idempotent=True
    )
    if place is not None and not done:
        objects.delete(place)
    return done


def _set_place(session: Session, kept: Kept, place: str | None, content: bytes) -> bool:
    return store.files.set_place(session, kept, place, content)
