"""What people put up: checked, cleaned, kept, and handed out after the access check alone.

A photo is kept in three sizes: its own, one for screens, and a thumbnail. A document is never shown inside a page, only
downloaded. What was found for a reader is not read yet: only what is really sent, all of it or a part, is fetched.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import BoundedSemaphore, Lock
from typing import BinaryIO

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.rules.actions import ANSWER_CHANGE, RETRACT, Place, may
from entrenous.web.rules.refusals import NotFound, UploadRefused
from entrenous.web.rules.visibility import knows_uploader, visible_ids
from entrenous.web.service.uploads.documents import clean_document
from entrenous.web.service.uploads.photos import PHOTO_TYPES, THUMBNAIL, Picture, clean_photo
from entrenous.web.settings import Settings
from entrenous.web.store.blobs.objects import ObjectLost
from entrenous.web.store.database import Database, now
from entrenous.web.store.files import Kept, Stored
from entrenous.web.store.records import StoredFile

__all__ = [
    "CURRENT",
    "PHOTO_TYPES",
    "PROPOSED",
    "THUMBNAIL",
    "VARIANTS",
    "Upload",
    "check_upload",
    "keep_file",
    "read_file",
    "read_proposed",
    "room",
    "take_in",
]

VARIANTS = ("original", "screen", "thumbnail")
CURRENT = {name: name for name in VARIANTS}
PROPOSED = {"original": "new", "screen": "new-screen", "thumbnail": "new-small"}
"""Under which names a file is kept: the one that was agreed, and one that is proposed in its place."""

PATIENCE = 5.0
"""So many seconds an upload waits for its turn: while it waits, it keeps a thread from answering others."""

_room = BoundedSemaphore(2)
"""A large photo takes some hundred megabytes for a moment; a crowd of uploads must not fill the memory."""

_lock = Lock()
_uploading: set[int] = set()
"""Whose uploads are being looked at."""

_SIGNATURES = {b"\xff\xd8\xff": "JPEG", b"\x89PNG\r\n\x1a\n": "PNG", b"RIFF": "WEBP"}
_CHUNK = 64 * 1024
_ENDINGS = {
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/webp": "webp",
    "text/plain": "txt",
    "application/pdf": "pdf",
}


@dataclass(frozen=True)
class Upload:
    """What was put up, cleaned; `thumbnail` is None for a document.

    `screen` is None for a document too. `measures` are width and height of each size, and `places` the names of objects
    that hold the bytes already.
    """

    kind: str
    media_type: str
    content: bytes
    thumbnail: bytes | None
    name: str
    screen: Picture | None = None
    measures: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)

    def sizes(self) -> dict[str, tuple[bytes, str]]:
        """Return all sizes there are, by variant: bytes and media type."""
        found = {"original": (self.content, self.media_type)}
        if self.screen is not None:
            found["screen"] = (self.screen.content, self.screen.media_type)
        if self.thumbnail is not None:
            found["thumbnail"] = (self.thumbnail, "image/jpeg")
        return found


def take_in(database: Database, stream: BinaryIO | bytes, name: str, *, person: int | None = None) -> Upload:
    """Check an upload, and put its bytes into the object store, if there is one, before anything is written.

    Bytes on their way to an object store would keep a transaction open, and on SQLite all other writers waiting. If
    nothing comes of the transaction, the sweep removes them.
    """
    upload = check_upload(stream, name, database.settings, person=person)
    if database.objects is None:
        return upload
    places = {variant: database.objects.put(content) for variant, (content, _) in upload.sizes().items()}
    return replace(upload, places=places)


def check_upload(
    stream: BinaryIO | bytes, name: str, settings: Settings, *, person: int | None = None
) -> Upload:
    """Return an upload that is safe to keep, or raise `UploadRefused`.

    What it is, is read from its bytes; the name only names it. Of one person, if told, one upload at a time is looked
    at: somebody who sends many does not keep others waiting.
    """
    with _one_at_a_time(person):
        return _taken_in(stream, name, settings)


@contextmanager
def _one_at_a_time(person: int | None) -> Iterator[None]:
    if person is None:
        yield
        return
    with _lock:
        if person in _uploading:
            raise UploadRefused("busy", "another upload of yours is being looked at; wait for it")
        _uploading.add(person)
    try:
        yield
    finally:
        with _lock:
            _uploading.discard(person)


def _taken_in(stream: BinaryIO | bytes, name: str, settings: Settings) -> Upload:
    content = _read_at_most(
        io.BytesIO(stream) if isinstance(stream, bytes) else stream, settings.upload_bytes
    )
    if not content:
        raise UploadRefused("empty", "the file is empty; choose another one")
    with room():
        return _checked(content, name, settings.upload_pixels)


@contextmanager
def room() -> Iterator[None]:
    """Wait for one of the places in which something large is looked at."""
    if not _room.acquire(timeout=PATIENCE):
        raise UploadRefused("busy", "too many uploads at this moment; try again in a minute")
    try:
        yield
    finally:
        _room.release()


def _checked(content: bytes, name: str, most_pixels: int) -> Upload:
    photo = next((form for start, form in _SIGNATURES.items() if content.startswith(start)), None)
    if photo is None:
        media_type, content = clean_document(content)
        return Upload("document", media_type, content, None, _clean_name(name, media_type))
    sizes = clean_photo(content, photo, most_pixels)
    media_type = PHOTO_TYPES[photo]
    return Upload(
        "photo",
        media_type,
        sizes["original"].content,
        sizes["thumbnail"].content,
        _clean_name(name, media_type),
        screen=sizes["screen"],
        measures={variant: (size.width, size.height) for variant, size in sizes.items()},
    )


def read_file(session: Session, viewer: int | None, item: str, variant: str = "original") -> StoredFile:
    """Return a file of an item for somebody who may see it; for everybody else it is not there.

    Its bytes are read when they are asked for, within the same session.
    """
    if variant not in VARIANTS or item not in visible_ids(session, viewer, [item]):
        raise NotFound
    kept = _found(session, item, variant, CURRENT)
    row, owners = store.items.get_item(session, item), store.items.owners_of(session, [item])[item]
    assert row is not None, "what is visible is there"
    # The name a file had may be that of who put it up.
    known = knows_uploader(viewer, row.originator, owners)
    name = kept.name if known else _clean_name(row.kind, kept.media_type)
    fetched = _whole_or_lost(lambda start, stop: store.files.fetch_content(session, kept, start, stop))
    # A browser may keep the name with the bytes, so a name that is hidden from now on makes another file.
    return _handed_out(kept, name, kept.tag if known else f"{kept.tag}-{row.kind}", fetched)


def read_proposed(session: Session, person: int, item: str, variant: str = "original") -> StoredFile:
    """Return the file that is proposed in place of the present one, for co-owners alone."""
    if variant not in VARIANTS or item not in visible_ids(session, person, [item]):
        raise NotFound
    row, owners = store.items.get_item(session, item), store.items.owners_of(session, [item])[item]
    assert row is not None, "what is visible is there"
    place, moment = Place(session, person, owners), now(session)
    if not (may(ANSWER_CHANGE, place, row, moment) or may(RETRACT, place, row, moment)):
        raise NotFound
    kept = _found(session, item, variant, PROPOSED)
    fetched = _whole_or_lost(lambda start, stop: store.files.fetch_content(session, kept, start, stop))
    return _handed_out(kept, kept.name, kept.tag, fetched)


def _found(session: Session, item: str, variant: str, names: Mapping[str, str]) -> Kept:
    """Return what is kept; for the screen the photo in its own size, as long as none was made for it."""
    kept = store.files.find_content(session, item, names[variant])
    if kept is None and variant == "screen":
        kept = store.files.find_content(session, item, names["original"])
    if kept is None:
        raise NotFound
    return kept


def _whole_or_lost(fetch: Callable[[int, int], bytes]) -> Callable[[int, int], bytes]:
    """Return what fetches bytes, and finds nothing where somebody else removed them in between."""

    def fetched(start: int, stop: int) -> bytes:
        try:
            part = fetch(start, stop)
        except ObjectLost:
            raise NotFound from None
        if len(part) != stop - start:
            raise NotFound
        return part

    return fetched


def _handed_out(kept: Kept, name: str, tag: str, fetch: Callable[[int, int], bytes]) -> StoredFile:
    return StoredFile(
        kept.media_type, name, kept.media_type.startswith("image/"), size=kept.size, tag=tag, fetch=fetch
    )


def keep_file(session: Session, item: str, upload: Upload, names: Mapping[str, str]) -> None:
    """Keep the bytes of an upload, as the agreed file of an item or as the proposed one."""
    for variant, (content, media_type) in upload.sizes().items():
        width, height = upload.measures.get(variant, (None, None))
        place = upload.places.get(variant)
        stored = Stored(content, media_type, upload.name, width, height, place)
        store.files.add_content(session, item, names[variant], stored)


def _read_at_most(stream: BinaryIO, most: int) -> bytes:
    """Return all of a stream, and stop reading as soon as it is too long."""
    parts, size = [], 0
    while part := stream.read(_CHUNK):
        size += len(part)
        if size > most:
            raise UploadRefused("too_large", f"the file is larger than {most // 1024 // 1024} MB")
        parts.append(part)
    return b"".join(parts)


def _clean_name(name: str, media_type: str) -> str:
    """Return a name to download the file under: letters, digits, and the ending its bytes deserve.

    >>> _clean_name("../../Grandma's 80th.exe", "image/jpeg")
    'Grandma-s-80th.jpg'
    """
    base = name.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    words = "".join(sign if sign.isascii() and sign.isalnum() else " " for sign in base).split()
    return f"{'-'.join(words)[:80] or 'file'}.{_ENDINGS[media_type]}"
