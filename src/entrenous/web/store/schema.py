"""The tables of the service.

People are numbers, items opaque texts that cannot be guessed. A friendship is two rows, one each way, so that "who
are the friends of" is one look into an index. Everything about an item's bytes is in `contents`, and nothing else is;
the bytes themselves are there too, or in an object store under the name in `place`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy import false as sa_false

__all__ = ["Instant", "Serial", "metadata"]

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Serial = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts up by itself only in an INTEGER key


class Instant(TypeDecorator[datetime]):
    """A moment in UTC, also on SQLite, which forgets time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store in UTC, without a zone where the database keeps none."""
        if value is None:
            return None
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Return in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _key(name: str = "id") -> Column[int]:
    return Column(name, Serial, primary_key=True, autoincrement=True)


def _person(name: str = "person", **options: Any) -> Column[int]:
    return Column(name, Serial, ForeignKey("people.id"), **({"nullable": False} | options))


def _item(**options: Any) -> Column[str]:
    return Column("item", String(32), ForeignKey("items.id"), **({"nullable": False} | options))


def _moment(name: str, *, optional: bool = False) -> Column[datetime]:
    return Column(name, Instant(), nullable=optional)


people = Table(
    "people",
    metadata,
    _key(),
    Column("handle", String(40), nullable=False, unique=True),
    Column(
        "shape", String(40), unique=True, index=True
    ),  # what the handle looks like; none for people of before who look alike
    Column("name", String(80), nullable=False),
    Column("skeleton", Text, nullable=False, server_default=""),  # what the name looks like
    Column("email", String(254), unique=True),  # confirmed by its owner
    Column("claimed", String(254)),  # not yet: anybody may claim any address
    Column("password_hash", String(200)),
    Column("admin", Boolean, nullable=False),
    Column("mail", Boolean, nullable=False),
    _moment("created"),
    _moment("suspended", optional=True),
    _moment("deleted", optional=True),
)

# --- how people sign in -------------------------------------------------------------------------------------

identities = Table(
    "identities",
    metadata,
    Column("issuer", String(255), primary_key=True),
    Column("subject", String(255), primary_key=True),
    _person(index=True),
)

sessions = Table(
    "sessions",
    metadata,
    _key(),
    _person(index=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("agent", String(200), nullable=False),
    _moment("created"),
    _moment("seen"),
    _moment("expires"),
    _moment("confirmed", optional=True),
)

passkeys = Table(
    "passkeys",
    metadata,
    _key(),
    _person(index=True),
    Column("credential", String(1400), nullable=False, unique=True),
    Column("public_key", LargeBinary, nullable=False),
    Column("user_handle", String(90), nullable=False),
    Column("rp_id", String(255), nullable=False),
    Column("sign_count", BigInteger, nullable=False),
    Column("name", String(80), nullable=False),
    Column("transports", JSON, nullable=False),
    Column("backed_up", Boolean, nullable=False),
    _moment("created"),
    _moment("seen", optional=True),
)

logins = Table(
    "logins",
    metadata,
    Column("state_hash", String(64), primary_key=True),
    Column("details", JSON, nullable=False),
    _moment("expires"),
)

tokens = Table(
    "tokens",
    metadata,
    _key(),
    _person(index=True),
    Column("name", String(80), nullable=False),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("scopes", JSON, nullable=False),
    _moment("created"),
    _moment("seen", optional=True),
    _moment("expires", optional=True),
)

hits = Table(
    "hits",
    metadata,
    Column("key", String(120), primary_key=True),
    Column("window", BigInteger, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
    _moment("expires"),
)

replies = Table(
    "replies",
    metadata,
    _person(primary_key=True, autoincrement=False),
    Column("key", String(200), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("status", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("media_type", String(80), nullable=False),
    _moment("created"),
)

# --- whom people know ---------------------------------------------------------------------------------------

friendships = Table(
    "friendships",
    metadata,
    _person(primary_key=True, autoincrement=False),
    _person("friend", primary_key=True, autoincrement=False),
    Column("percent", Integer, nullable=False),
    Column("counts_line", Boolean, nullable=False, server_default=sa_false()),
    _moment("since"),
    Index("ix_friendships_friend_person", "friend", "person"),
)

friend_requests = Table(
    "friend_requests",
    metadata,
    _person("asker", primary_key=True, autoincrement=False),
    _person("asked", primary_key=True, autoincrement=False, index=True),
    _moment("created"),
)

circles = Table(
    "circles",
    metadata,
    _key(),
    _person("owner"),
    Column("name", String(60), nullable=False),
    UniqueConstraint("owner", "name"),
)

circle_members = Table(
    "circle_members",
    metadata,
    Column("circle", Serial, ForeignKey("circles.id"), primary_key=True, autoincrement=False),
    _person(primary_key=True, autoincrement=False, index=True),
)

standing_lines = Table(
    "standing_lines",
    metadata,
    _person(primary_key=True, autoincrement=False),
    Column("line", String(40), nullable=False),
    Column("confirmed", Boolean, nullable=False),
    Column("possible", Integer, nullable=False),
    Column("uses", Integer, nullable=False),
)

# --- what people share --------------------------------------------------------------------------------------

items = Table(
    "items",
    metadata,
    Column("id", String(32), primary_key=True),
    _person("originator", index=True),
    Column("title", String(120), nullable=False),
    Column("description", String(1000), nullable=False),
    Column("kind", String(12), nullable=False),
    Column("state", String(16), nullable=False),
    Column("round", Integer, nullable=False),
    Column("petitions", Integer, nullable=False),
    Column("method", String(8), nullable=False),
    Column("vote", JSON, nullable=False),
    Column("anchor", String(12), nullable=False),
    Column("choice", String(40)),
    Column("cap", String(40)),
    Column("incomplete", Boolean, nullable=False, server_default=sa_false()),
    Column("open", Boolean, nullable=False, server_default=sa_false()),
    _moment("created"),
    _moment("deadline", optional=True),
    _moment("objection_until", optional=True),
    _moment("expires", optional=True),
    Index("ix_items_state_deadline", "state", "deadline"),
    Index("ix_items_state_objection_until", "state", "objection_until"),
    Index("ix_items_state_expires", "state", "expires"),
)

contents = Table(
    "contents",
    metadata,
    _item(primary_key=True),
    Column("variant", String(12), primary_key=True),
    Column("media_type", String(40), nullable=False),
    Column("name", String(120), nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("place", String(64)),
    Column("size", Integer, nullable=False, server_default="0"),
    Column("tag", String(32), nullable=False, server_default=""),
    Column("width", Integer),
    Column("height", Integer),
    Column("cleaned", Integer, nullable=False, server_default="0", index=True),
    Index("uq_contents_place", "place", unique=True),
)

object_owners = Table(
    "object_owners",
    metadata,
    Column("url", String(255), primary_key=True),
    Column("mark", String(32), nullable=False),
)

owners = Table(
    "owners",
    metadata,
    _item(primary_key=True),
    _person(primary_key=True, autoincrement=False, index=True),
    Column("role", String(12), nullable=False),
    Column("state", String(12), nullable=False),
    Column("tagged", Boolean, nullable=False),
    Column("limit", JSON(none_as_null=True)),
    Column("slot", String(24), nullable=False, server_default=""),
    Column("answered_round", Integer),
    _moment("since"),
    Index("uq_owners_item_slot", "item", "slot", unique=True),
)

answers = Table(
    "answers",
    metadata,
    _item(primary_key=True),
    Column("round", Integer, primary_key=True, autoincrement=False),
    Column("slot", String(24), primary_key=True),
    Column("box", LargeBinary, nullable=False),
)

decisions = Table(
    "decisions",
    metadata,
    _item(primary_key=True),
    Column("round", Integer, primary_key=True, autoincrement=False),
    Column("choice", String(40), nullable=False),
    Column("agreed", Boolean, nullable=False),
    Column("record", Text, nullable=False),
    Column("named", JSON(none_as_null=True)),
    Column("digest", String(64), nullable=False),
    _moment("decided"),
)

agreements = Table(
    "agreements",
    metadata,
    _item(primary_key=True),
    Column("round", Integer, primary_key=True, autoincrement=False),
    _person(primary_key=True, autoincrement=False),
    _moment("given"),
)

petitions = Table(
    "petitions",
    metadata,
    _item(primary_key=True),
    Column("round", Integer, primary_key=True, autoincrement=False),
    _person(),
    Column("text", String(1000), nullable=False),
    Column("audience", String(40)),
    _moment("created"),
)

changes = Table(
    "changes",
    metadata,
    _item(primary_key=True),
    Column("id", String(32), nullable=False, unique=True),
    _person("proposer", index=True),
    Column("parts", JSON, nullable=False),
    Column("title", String(120), nullable=False),
    Column("description", String(1000), nullable=False),
    _moment("expires", optional=True),
    _moment("opened"),
    _moment("until"),
    Index("ix_changes_until", "until"),
)

change_voices = Table(
    "change_voices",
    metadata,
    _item(primary_key=True),
    _person(primary_key=True, autoincrement=False, index=True),
    _moment("given"),
)

steps = Table(
    "steps",
    metadata,
    _key(),
    _item(),
    _person(),
    Column("action", String(20), nullable=False),
    Column("before", JSON, nullable=False),
    _moment("made"),
    Index("ix_steps_item_person", "item", "person"),
)

# --- what people are told -----------------------------------------------------------------------------------

notifications = Table(
    "notifications",
    metadata,
    _key(),
    _person(),
    Column("kind", String(20), nullable=False),
    _item(nullable=True),
    _person("actor", nullable=True),
    _moment("created"),
    _moment("read", optional=True),
    Index("ix_notifications_person_id", "person", "id"),
    Index(
        "ix_notifications_unread",
        "person",
        sqlite_where=text("read IS NULL"),
        postgresql_where=text("read IS NULL"),
    ),
)

webhooks = Table(
    "webhooks",
    metadata,
    _key(),
    _person(index=True),
    Column("url", String(500), nullable=False),
    Column("secret", String(80), nullable=False),
    Column("events", JSON, nullable=False),
    Column("failures", Integer, nullable=False),
    _moment("created"),
)

outbox = Table(
    "outbox",
    metadata,
    _key(),
    Column("kind", String(12), nullable=False),
    Column("payload", JSON, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("error", String(80)),
    _moment("created"),
    _moment("due", optional=True),
    Index("ix_outbox_due", "due"),
)

audit = Table(
    "audit",
    metadata,
    Column("number", Serial, primary_key=True, autoincrement=False),
    _moment("at", optional=True),
    Column("actor", Serial),
    Column("subject", Serial),
    Column("action", String(40)),
    Column("item", String(32)),
    Column("details", Text),
    Column("salt", String(64)),
    Column("content", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
    Index("ix_audit_actor_number", "actor", "number"),
    Index("ix_audit_subject_number", "subject", "number"),
    Index("ix_audit_item_number", "item", "number"),
)

audit_head = Table(
    "audit_head",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("number", Serial, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("start", String(64), nullable=False, server_default="0" * 64),
)
