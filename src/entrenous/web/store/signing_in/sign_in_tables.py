"""The tables of known browsers, one-time links and counted tries. Of every secret only a hash is kept."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, String, Table, UniqueConstraint

from entrenous.web.store.schema import Instant, Serial, metadata

__all__ = ["attempts", "devices", "one_time_links"]

devices = Table(
    "devices",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("person", Serial, ForeignKey("people.id"), nullable=False, index=True),
    Column("secret_hash", String(64), nullable=False),
    Column("agent", String(200), nullable=False),
    Column("created", Instant(), nullable=False),
    Column("seen", Instant(), nullable=False),
    UniqueConstraint("secret_hash"),
)

one_time_links = Table(
    "one_time_links",
    metadata,
    Column("secret_hash", String(64), primary_key=True),
    Column("kind", String(12), nullable=False),
    Column("person", Serial, ForeignKey("people.id"), index=True),
    Column("address", String(254)),
    Column("expires", Instant(), nullable=False),
)

attempts = Table(
    "attempts",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("made", Integer, nullable=False),
    Column("until", Instant(), nullable=False),
    Column("expires", Instant(), nullable=False),
)
