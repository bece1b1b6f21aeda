"""The tables of the first version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "first"
down_revision = None
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
TABLES = (
    "people",
    "identities",
    "sessions",
    "logins",
    "tokens",
    "hits",
    "replies",
    "friendships",
    "friend_requests",
    "circles",
    "circle_members",
    "defaults",
    "items",
    "contents",
    "owners",
    "answers",
    "decisions",
    "agreements",
    "petitions",
    "steps",
    "notifications",
    "webhooks",
    "outbox",
    "audit",
    "audit_head",
)
"""In the order in which they refer to each other."""


def upgrade() -> None:
    """Create the tables, and the head of the audit's chain."""
    _create_accounts()
    _create_acquaintance()
    _create_items()
    _create_rounds()
    _create_news()
    head = sa.table("audit_head", sa.column("id"), sa.column("number"), sa.column("digest"))
    op.bulk_insert(head, [{"id": 1, "number": 0, "digest": "0" * 64}])


def downgrade() -> None:
    """Remove the tables, and with them everything."""
    for table in reversed(TABLES):
        op.drop_table(table)


def _create_accounts() -> None:
    op.create_table(
        "people",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("handle", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("password_hash", sa.String(length=200), nullable=True),
        sa.Column("admin", sa.Boolean(), nullable=False),
        sa.Column("mail", sa.Boolean(), nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("suspended", MOMENT, nullable=True),
        sa.Column("deleted", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("email", name=op.f("uq_people_email")),
        sa.UniqueConstraint("handle", name=op.f("uq_people_handle")),
    )
    op.create_table(
        "identities",
        sa.Column("issuer", sa.String(length=255), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("person", SERIAL, nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_identities_person")),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_identities")),
    )
    op.create_index("ix_identities_person", "identities", ["person"], unique=False)
    op.create_table(
        "sessions",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("person", SERIAL, nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("seen", MOMENT, nullable=False),
        sa.Column("expires", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_sessions_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sessions_token_hash")),
    )
    op.create_index("ix_sessions_person", "sessions", ["person"], unique=False)
    op.create_table(
        "logins",
        sa.Column("state_hash", sa.String(length=64), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("expires", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("state_hash", name=op.f("pk_logins")),
    )
    op.create_table(
        "tokens",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("person", SERIAL, nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("seen", MOMENT, nullable=True),
        sa.Column("expires", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_tokens_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_tokens_token_hash")),
    )
    op.create_index("ix_tokens_person", "tokens", ["person"], unique=False)
    op.create_table(
        "hits",
        sa.Column("key", sa.String(length=120), nullable=False),
        sa.Column("window", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("expires", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("key", "window", name=op.f("pk_hits")),
    )
    op.create_table(
        "replies",
        sa.Column("person", SERIAL, autoincrement=False, nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("media_type", sa.String(length=80), nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_replies_person")),
        sa.PrimaryKeyConstraint("person", "key", name=op.f("pk_replies")),
    )


def _create_acquaintance() -> None:
    op.create_table(
        "friendships",
        sa.Column("person", SERIAL, autoincrement=False, nullable=False),
        sa.Column("friend", SERIAL, autoincrement=False, nullable=False),
        sa.Column("percent", sa.Integer(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["friend"], ["people.id"], name=op.f("fk_friendships_friend")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_friendships_person")),
        sa.PrimaryKeyConstraint("person", "friend", name=op.f("pk_friendships")),
    )
    op.create_index("ix_friendships_friend_person", "friendships", ["friend", "person"], unique=False)
    op.create_table(
        "friend_requests",
        sa.Column("asker", SERIAL, autoincrement=False, nullable=False),
        sa.Column("asked", SERIAL, autoincrement=False, nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["asked"], ["people.id"], name=op.f("fk_friend_requests_asked")),
        sa.ForeignKeyConstraint(["asker"], ["people.id"], name=op.f("fk_friend_requests_asker")),
        sa.PrimaryKeyConstraint("asker", "asked", name=op.f("pk_friend_requests")),
    )
    op.create_index("ix_friend_requests_asked", "friend_requests", ["asked"], unique=False)
    op.create_table(
        "circles",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("owner", SERIAL, nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["people.id"], name=op.f("fk_circles_owner")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_circles")),
        sa.UniqueConstraint("owner", "name", name=op.f("uq_circles_owner_name")),
    )
    op.create_table(
        "circle_members",
        sa.Column("circle", SERIAL, autoincrement=False, nullable=False),
        sa.Column("person", SERIAL, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["circle"], ["circles.id"], name=op.f("fk_circle_members_circle")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_circle_members_person")),
        sa.PrimaryKeyConstraint("circle", "person", name=op.f("pk_circle_members")),
    )
    op.create_index("ix_circle_members_person", "circle_members", ["person"], unique=False)
    op.create_table(
        "defaults",
        sa.Column("person", SERIAL, autoincrement=False, nullable=False),
        sa.Column("scores", sa.JSON(), nullable=True),
        sa.Column("limit", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_defaults_person")),
        sa.PrimaryKeyConstraint("person", name=op.f("pk_defaults")),
    )


def _create_items() -> None:
    op.create_table(
        "items",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("originator", SERIAL, nullable=False),
        sa.Column("title", sa.String(length=120), nullable=False),
        sa.Column("description", sa.String(length=1000), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("petitions", sa.Integer(), nullable=False),
        sa.Column("method", sa.String(length=8), nullable=False),
        sa.Column("vote", sa.JSON(), nullable=False),
        sa.Column("anchor", sa.String(length=12), nullable=False),
        sa.Column("choice", sa.String(length=40), nullable=True),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("deadline", MOMENT, nullable=True),
        sa.Column("objection_until", MOMENT, nullable=True),
        sa.Column("expires", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["originator"], ["people.id"], name=op.f("fk_items_originator")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_items")),
    )
    op.create_index("ix_items_originator", "items", ["originator"], unique=False)
    op.create_index("ix_items_state_deadline", "items", ["state", "deadline"], unique=False)
    op.create_index("ix_items_state_expires", "items", ["state", "expires"], unique=False)
    op.create_index("ix_items_state_objection_until", "items", ["state", "objection_until"], unique=False)
    op.create_table(
        "contents",
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.Column("variant", sa.String(length=12), nullable=False),
        sa.Column("media_type", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_contents_item")),
        sa.PrimaryKeyConstraint("item", "variant", name=op.f("pk_contents")),
    )
    op.create_table(
        "owners",
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.Column("person", SERIAL, autoincrement=False, nullable=False),
        sa.Column("role", sa.String(length=12), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("tagged", sa.Boolean(), nullable=False),
        sa.Column("limit", sa.JSON(), nullable=True),
        sa.Column("since", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_owners_item")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_owners_person")),
        sa.PrimaryKeyConstraint("item", "person", name=op.f("pk_owners")),
    )
    op.create_index("ix_owners_person", "owners", ["person"], unique=False)


def _create_rounds() -> None:
    op.create_table(
        "answers",
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.Column("round", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person", SERIAL, autoincrement=False, nullable=False),
        sa.Column("scores", sa.JSON(), nullable=False),
        sa.Column("given", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_answers_item")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_answers_person")),
        sa.PrimaryKeyConstraint("item", "round", "person", name=op.f("pk_answers")),
    )
    op.create_table(
        "decisions",
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.Column("round", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("choice", sa.String(length=40), nullable=False),
        sa.Column("rule", sa.String(length=40), nullable=False),
        sa.Column("agreed", sa.Boolean(), nullable=False),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("decided", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_decisions_item")),
        sa.PrimaryKeyConstraint("item", "round", name=op.f("pk_decisions")),
    )
    op.create_table(
        "agreements",
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.Column("round", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person", SERIAL, autoincrement=False, nullable=False),
        sa.Column("given", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_agreements_item")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_agreements_person")),
        sa.PrimaryKeyConstraint("item", "round", "person", name=op.f("pk_agreements")),
    )
    op.create_table(
        "petitions",
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.Column("round", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person", SERIAL, nullable=False),
        sa.Column("text", sa.String(length=1000), nullable=False),
        sa.Column("asks", sa.JSON(), nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_petitions_item")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_petitions_person")),
        sa.PrimaryKeyConstraint("item", "round", name=op.f("pk_petitions")),
    )
    op.create_table(
        "steps",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.Column("person", SERIAL, nullable=False),
        sa.Column("action", sa.String(length=20), nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("made", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_steps_item")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_steps_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_steps")),
    )
    op.create_index("ix_steps_item_person", "steps", ["item", "person"], unique=False)


def _create_news() -> None:
    op.create_table(
        "notifications",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("person", SERIAL, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("item", sa.String(length=32), nullable=True),
        sa.Column("actor", SERIAL, nullable=True),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("read", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["actor"], ["people.id"], name=op.f("fk_notifications_actor")),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_notifications_item")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_notifications_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notifications")),
    )
    op.create_index("ix_notifications_person_id", "notifications", ["person", "id"], unique=False)
    op.create_table(
        "webhooks",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("person", SERIAL, nullable=False),
        sa.Column("url", sa.String(length=500), nullable=False),
        sa.Column("secret", sa.String(length=80), nullable=False),
        sa.Column("events", sa.JSON(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_webhooks_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
    )
    op.create_index("ix_webhooks_person", "webhooks", ["person"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.String(length=80), nullable=True),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("due", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_index("ix_outbox_due", "outbox", ["due"], unique=False)
    op.create_table(
        "audit",
        sa.Column("number", SERIAL, autoincrement=False, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("actor", SERIAL, nullable=True),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("item", sa.String(length=32), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_audit")),
    )
    op.create_index("ix_audit_actor_number", "audit", ["actor", "number"], unique=False)
    op.create_index("ix_audit_item_number", "audit", ["item", "number"], unique=False)
    op.create_table(
        "audit_head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", SERIAL, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_head")),
    )
