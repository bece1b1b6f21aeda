"""Passkeys to sign in with, and when a session last proved whose it is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "passkeys"
down_revision = "accounts"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add the table and the moment."""
    op.add_column("sessions", sa.Column("confirmed", MOMENT, nullable=True))
    op.create_table(
        "passkeys",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("person", SERIAL, nullable=False),
        sa.Column("credential", sa.String(length=1400), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("user_handle", sa.String(length=90), nullable=False),
        sa.Column("rp_id", sa.String(length=255), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("transports", sa.JSON(), nullable=False),
        sa.Column("backed_up", sa.Boolean(), nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("seen", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_passkeys_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passkeys")),
        sa.UniqueConstraint("credential", name=op.f("uq_passkeys_credential")),
    )
    op.create_index(op.f("ix_passkeys_person"), "passkeys", ["person"], unique=False)


def downgrade() -> None:
    """Remove both. Whoever has nothing but passkeys cannot sign in afterwards."""
    op.drop_table("passkeys")
    op.drop_column("sessions", "confirmed")
