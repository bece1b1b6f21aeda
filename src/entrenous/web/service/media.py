"""What people put up: checked, cleaned, and handed out after the access check alone.

A photo is decoded, its pixels copied into a fresh image, and encoded again: metadata (EXIF with its GPS position, XMP,
comments), a second file hidden behind the first, and whatever made the decoder stumble stay behind. A document is plain
text, or a PDF without anything that acts by itself; it is never shown inside a page, only downloaded.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, BinaryIO

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.rules.actions import ANSWER_CHANGE, RETRACT, Place, may
from entrenous.web.rules.refusals import NotFound, UploadRefused
from entrenous.web.rules.visibility import knows_uploader, visible_ids
from entrenous.web.service import documents
from entrenous.web.settings import Settings
from entrenous.web.store.database import now
from entrenous.web.store.files import Stored
from entrenous.web.store.records import StoredFile

if TYPE_CHECKING:
    from PIL import Image

__all__ = [
    "CURRENT",
    "PHOTO_TYPES",
    "PROPOSED",
    "VARIANTS",
    "Upload",
    "check_upload",
    "keep_file",
    "read_file",
    "read_proposed",
]

PHOTO_TYPES = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
VARIANTS = ("original", "thumbnail")
CURRENT = {name: name for name in VARIANTS}
PROPOSED = {"original": "new", "thumbnail": "new-small"}
"""Under which names a file is kept: the one that was agreed, and one that is proposed in its place."""

THUMBNAIL = 480
"""The longer side of a thumbnail, in pixels."""

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
    """What was put up, cleaned; `thumbnail` is None for a document."""

    kind: str
    media_type: str
    content: bytes
    thumbnail: bytes | None
    name: str


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
    if not _room.acquire(timeout=PATIENCE):
        raise UploadRefused("busy", "too many uploads at this moment; try again in a minute")
    try:
        return _checked(content, name, settings.upload_pixels)
    finally:
        _room.release()


def _checked(content: bytes, name: str, most_pixels: int) -> Upload:
    photo = next((form for start, form in _SIGNATURES.items() if content.startswith(start)), None)
    if photo is not None:
        content, thumbnail = _clean_photo(content, photo, most_pixels)
        media_type = PHOTO_TYPES[photo]
        return Upload("photo", media_type, content, thumbnail, _clean_name(name, media_type))
    media_type = documents.check_document(content)
    return Upload("document", media_type, content, None, _clean_name(name, media_type))


def read_file(session: Session, viewer: int | None, item: str, variant: str = "original") -> StoredFile:
    """Return the bytes of an item for somebody who may see it; for everybody else they are not there."""
    if variant not in VARIANTS or item not in visible_ids(session, viewer, [item]):
        raise NotFound
    stored = store.files.fetch_content(session, item, variant)
    if stored is None:
        raise NotFound
    row, owners = store.items.get_item(session, item), store.items.owners_of(session, [item])[item]
    assert row is not None, "what is visible is there"
    # The name a file had may be that of who put it up.
    known = knows_uploader(viewer, row.originator, owners)
    return _handed_out(stored, stored.name if known else _clean_name(row.kind, stored.media_type))


def read_proposed(session: Session, person: int, item: str) -> StoredFile:
    """Return the file that is proposed in place of the present one, for co-owners alone."""
    if item not in visible_ids(session, person, [item]):
        raise NotFound
    row, owners = store.items.get_item(session, item), store.items.owners_of(session, [item])[item]
    assert row is not None, "what is visible is there"
    place, moment = Place(session, person, owners), now(session)
    if not (may(ANSWER_CHANGE, place, row, moment) or may(RETRACT, place, row, moment)):
        raise NotFound
    stored = store.files.fetch_content(session, item, PROPOSED["original"])
    if stored is None:
        raise NotFound
    return _handed_out(stored, stored.name)


def keep_file(session: Session, item: str, upload: Upload, names: Mapping[str, str]) -> None:
    """Keep the bytes of an upload, as the agreed file of an item or as the proposed one."""
    for variant, content, media_type in (
        ("original", upload.content, upload.media_type),
        ("thumbnail", upload.thumbnail, "image/jpeg"),
    ):
        if content is not None:
            store.files.add_content(session, item, names[variant], Stored(content, media_type, upload.name))


def _handed_out(stored: Stored, name: str) -> StoredFile:
    return StoredFile(stored.content, stored.media_type, name, stored.media_type.startswith("image/"))


def _read_at_most(stream: BinaryIO, most: int) -> bytes:
    """Return all of a stream, and stop reading as soon as it is too long."""
    parts, size = [], 0
    while part := stream.read(_CHUNK):
        size += len(part)
        if size > most:
            raise UploadRefused("too_large", f"the file is larger than {most // 1024 // 1024} MB")
        parts.append(part)
    return b"".join(parts)


def _clean_photo(content: bytes, form: str, most_pixels: int) -> tuple[bytes, bytes]:
    """Return a photo and its thumbnail with nothing in them but pixels."""
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(content), formats=[form]) as opened:
            if opened.width * opened.height > most_pixels:
                raise UploadRefused("too_many_pixels", f"the photo has more than {most_pixels} pixels")
            opened.load()
            ImageOps.exif_transpose(opened, in_place=True)
            fresh = _only_pixels(opened, form)
        cleaned = _encode(fresh, form)
        # In place: a second copy of a large photo would take much memory.
        fresh.thumbnail((THUMBNAIL, THUMBNAIL))
        return cleaned, _encode(_only_pixels(fresh, "JPEG"), "JPEG")
    except UploadRefused:
        raise
    except Exception as error:  # decoders of hostile bytes raise whatever they like
        raise UploadRefused(
            "unreadable", "the photo cannot be read; save it again as JPEG, PNG or WebP"
        ) from error


def _only_pixels(image: Image.Image, form: str) -> Image.Image:
    """Return a fresh image with the same pixels, and no metadata; a JPEG shows what is transparent as white."""
    from PIL import Image

    see_through = image.has_transparency_data
    if see_through:
        pixels = image.convert("RGBA")
        if form != "JPEG":
            fresh = Image.new("RGBA", pixels.size)
            fresh.paste(pixels)
            return fresh
        fresh = Image.new("RGB", pixels.size, "white")
        fresh.paste(pixels, mask=pixels.getchannel("A"))
        return fresh
    fresh = Image.new("RGB", image.size)
    fresh.paste(image if image.mode == "RGB" else image.convert("RGB"))
    return fresh


def _encode(image: Image.Image, form: str) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, quality=88)
    return buffer.getvalue()


def _clean_name(name: str, media_type: str) -> str:
    """Return a name to download the file under: letters, digits, and the ending its bytes deserve.

    >>> _clean_name("../../Grandma's 80th.exe", "image/jpeg")
    'Grandma-s-80th.jpg'
    """
    base = name.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    words = "".join(sign if sign.isascii() and sign.isalnum() else " " for sign in base).split()
    return f"{'-'.join(words)[:80] or 'file'}.{_ENDINGS[media_type]}"
