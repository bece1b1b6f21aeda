"""Confirmed addresses, known browsers, one-time links, and tries that are counted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "accounts"
down_revision = "changes"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add the tables; nobody has shown yet that an address is theirs, so every address is a claim from now on."""
    op.add_column("people", sa.Column("claimed", sa.String(length=254), nullable=True))
    op.execute("UPDATE people SET claimed = email, email = NULL")
    op.create_table(
        "devices",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("person", SERIAL, nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("seen", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_devices_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_devices")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_devices_secret_hash")),
    )
    op.create_index(op.f("ix_devices_person"), "devices", ["person"], unique=False)
    op.create_table(
        "one_time_links",
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("person", SERIAL, nullable=True),
        sa.Column("address", sa.String(length=254), nullable=True),
        sa.Column("expires", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_one_time_links_person")),
        sa.PrimaryKeyConstraint("secret_hash", name=op.f("pk_one_time_links")),
    )
    op.create_index(op.f("ix_one_time_links_person"), "one_time_links", ["person"], unique=False)
    op.create_table(
        "attempts",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("made", sa.Integer(), nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.Column("expires", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_attempts")),
    )


def downgrade() -> None:
    """Remove them; a claim that nobody else has made or confirmed becomes the address again."""
    op.drop_table("attempts")
    op.drop_table("one_time_links")
    op.drop_table("devices")
    op.execute(
        "UPDATE people SET email = claimed WHERE email IS NULL AND claimed IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM people AS other WHERE other.id <> people.id"
        " AND (other.email = people.claimed OR other.claimed = people.claimed))"
    )
    op.drop_column("people", "claimed")
