"""An object store (S3 or what speaks like it) for the bytes of files, beside the database that says whose they are.

An object has a random name and never changes. It is written before the row that names it and removed after that row is
gone, so a process that dies in between leaves an object too many, never a row without one. Nobody else is let in: there
are no public addresses, and bytes leave through the service after the access check.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from entrenous.errors import ArgumentError
from entrenous.web.settings import Settings

__all__ = ["ObjectLost", "ObjectStore", "ObjectsAway"]

OWNER = "owner"
"""The object that says which database the others belong to."""

_NAME = re.compile(r"[0-9a-f]{48}")
_WAIT = timedelta(seconds=10)


class ObjectsAway(Exception):  # noqa: N818 - reads as what happened
    """The object store does not answer, or refuses; nothing about the request is wrong."""


class ObjectLost(Exception):  # noqa: N818 - reads as what happened
    """There is no object of this name, or none any more."""


class ObjectStore:
    """Where bytes are kept that are not in the database.

    Parameters
    ----------
    settings
        `files` is `s3://bucket/prefix`; endpoint, region, key and secret beside it.
    """

    def __init__(self, settings: Settings) -> None:
        from obstore.store import S3Store

        parts = urlsplit(settings.files)
        if parts.scheme != "s3" or not parts.netloc or parts.query or parts.fragment:
            raise ArgumentError("files", "expected s3://bucket/prefix, or nothing for the database")
        given: dict[str, Any] = {
            "endpoint": settings.files_endpoint,
            "region": settings.files_region,
            "access_key_id": settings.files_key,
            "secret_access_key": settings.files_secret,
        }
        self.url = settings.files.rstrip("/")
        self._store = S3Store(
            parts.netloc,
            prefix=parts.path.strip("/") or None,
            virtual_hosted_style_request=not settings.files_endpoint,
            client_options={
                "allow_http": settings.files_endpoint.startswith("http://"),
                "connect_timeout": timedelta(seconds=3),
                "timeout": timedelta(seconds=60),
            },
            retry_config={"max_retries": 2, "retry_timeout": _WAIT},
            **{name: value for name, value in given.items() if value},
        )

    def put(self, content: bytes) -> str:
        """Keep bytes and return the name they are kept under; they are safe when this returns."""
        import obstore

        name = secrets.token_hex(24)
        with _answering():
            obstore.put(self._store, name, content)
        return name

    def get(self, name: str, start: int, stop: int) -> bytes:
        """Return a part of the bytes; no more than that is fetched."""
        import obstore

        with _answering():
            return bytes(obstore.get_range(self._store, name, start=start, end=stop))

    def delete(self, name: str) -> None:
        """Remove an object; doing so again harms nothing."""
        import obstore

        with _answering():
            obstore.delete(self._store, name)

    def names(self, before: datetime) -> Iterator[list[str]]:
        """Yield the names of our objects that were written before a moment, many at a time."""
        import obstore

        with _answering():
            for batch in obstore.list(self._store, chunk_size=500):
                found = [one["path"] for one in batch if one["last_modified"] < before]
                yield [name for name in found if _NAME.fullmatch(name)]

    def owner(self, mark: str) -> str:
        """Return the mark of the database that the objects belong to; of nobody's yet, it becomes this one."""
        import obstore

        try:
            with _answering():
                return bytes(obstore.get(self._store, OWNER).bytes()).decode("ascii", "replace")
        except ObjectLost:
            with _answering():
                obstore.put(self._store, OWNER, mark.encode())
        return mark

    def check(self) -> None:
        """Ask for a list once, so that a wrong bucket or key is noticed when the service starts."""
        import obstore
        from obstore import exceptions

        try:
            next(iter(obstore.list(self._store, chunk_size=1)), None)
        except (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError, PermissionError):
            raise _wrong("refuses this key; check ENTRENOUS_FILES_KEY and ENTRENOUS_FILES_SECRET") from None
        except (exceptions.BaseError, OSError) as error:
            told = str(error)
            if any(
                code in told
                for code in ("InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "403 ")
            ):
                raise _wrong("refuses this key; check ENTRENOUS_FILES_KEY and _SECRET") from None
            if "NoSuchBucket" in told:
                raise _wrong("has no such bucket; make it first, or check ENTRENOUS_FILES") from None
            raise ObjectsAway from None


def _wrong(what: str) -> ArgumentError:
    return ArgumentError("files", f"the object store {what}")


@contextmanager
def _answering() -> Iterator[None]:
    """Turn whatever the client raises into one of two things; its messages hold addresses and are not passed on."""
    from obstore import exceptions

    try:
        yield
    except (FileNotFoundError, exceptions.NotFoundError):
        raise ObjectLost from None
    except (exceptions.BaseError, OSError):
        raise ObjectsAway from None
