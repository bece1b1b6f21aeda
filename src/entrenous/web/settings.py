"""How a service is set up: one frozen object, read from environment variables in production."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import urlsplit

from entrenous.errors import ArgumentError

__all__ = ["Settings"]

_PREFIX = "ENTRENOUS_"
_WORDS = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


@dataclass(frozen=True)
class Settings:
    """Everything that differs between two services.

    Parameters
    ----------
    database
        Where everything is kept: `sqlite:///file.db` or `postgresql://...`.
    keys
        Where the keys of sealed answers are kept, apart from the database and never in its dumps: `sqlite:///file.keys`
        or another PostgreSQL database. Beside a file of SQLite it need not be given.
    files
        Where photos and documents are kept: empty for the database, or `s3://bucket/prefix`.
    files_endpoint, files_region, files_key, files_secret
        How an object store is reached; what is empty comes from the variables AWS_... as usual there.
    address
        The address people type; with https cookies travel on encrypted connections alone.
    registration
        Whether anybody may register.
    demo
        Whether to fill an empty service with four people and their story.
    worker
        Whether this process also runs the worker (mail, webhooks, deadlines).
    upload_bytes, upload_pixels
        The largest upload.
    answer_days, objection_hours, undo_minutes, rounds
        How long a round collects views, an outcome may be objected to, and a step be taken back; how many rounds there
        are, but for those that somebody's joining brings on.
    smtp, mail_from
        The mail server, `smtp://host:port` or `smtps://user:password@host`, empty for none; and the sender.
    private_webhooks
        Whether webhooks may go to private addresses and plain http. Only for a service on a closed network.
    oidc_name, oidc_issuer, oidc_client, oidc_secret
        A provider to sign in with; empty for none.
    session_days
        How long a sign-in lasts.
    metrics_token
        What a collector of figures has to send as its bearer token; without one, `/metrics` answers this machine alone.

    Examples
    --------
    >>> Settings.from_environment({"ENTRENOUS_ROUNDS": "3", "ENTRENOUS_REGISTRATION": "no"}).rounds
    3
    """

    database: str = field(default="sqlite:///entrenous.db", repr=False)  # it may hold a password
    keys: str = field(default="", repr=False)
    files: str = ""
    files_endpoint: str = ""
    files_region: str = ""
    files_key: str = field(default="", repr=False)
    files_secret: str = field(default="", repr=False)
    address: str = "http://127.0.0.1:8000"
    registration: bool = True
    demo: bool = False
    worker: bool = True
    upload_bytes: int = 10 * 1024 * 1024
    upload_pixels: int = 40_000_000
    answer_days: int = 7
    objection_hours: int = 24
    undo_minutes: int = 10
    rounds: int = 2
    smtp: str = field(default="", repr=False)
    mail_from: str = "entrenous@localhost"
    private_webhooks: bool = False
    oidc_name: str = ""
    oidc_issuer: str = ""
    oidc_client: str = ""
    oidc_secret: str = field(default="", repr=False)
    session_days: int = 30
    metrics_token: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        address = urlsplit(self.address)
        if address.scheme not in ("http", "https") or not address.netloc:
            raise ArgumentError("address", "expected an address that begins with http:// or https://")
        for name in ("upload_bytes", "upload_pixels", "answer_days", "rounds", "session_days"):
            if getattr(self, name) < 1:
                raise ArgumentError(name, "expected a whole number, 1 or more")
        for name in ("objection_hours", "undo_minutes"):
            if getattr(self, name) < 0:
                raise ArgumentError(name, "expected a whole number, 0 or more")

    @property
    def secure(self) -> bool:
        """Whether the service is reached through https."""
        return self.address.startswith("https://")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Return the settings in environment variables such as ENTRENOUS_DATABASE; what is not set is the default."""
        variables = os.environ if environment is None else environment
        given = {
            one.name: _read(one.name, one.default, variables[_PREFIX + one.name.upper()])
            for one in fields(cls)
            if _PREFIX + one.name.upper() in variables
        }
        return cls(**given)

    def to_environment(self) -> dict[str, str]:
        """Return the variables from which another process reads the same settings."""
        return {_PREFIX + one.name.upper(): _write(getattr(self, one.name)) for one in fields(self)}


def _read(name: str, default: object, text: str) -> Any:
    if isinstance(default, bool):
        if text.lower() not in _WORDS:
            raise ArgumentError(_PREFIX + name.upper(), "expected yes or no")
        return _WORDS[text.lower()]
    if isinstance(default, int):
        if not text.isascii() or not text.isdigit():
            raise ArgumentError(_PREFIX + name.upper(), "expected a whole number")
        return int(text)
    return text


def _write(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
