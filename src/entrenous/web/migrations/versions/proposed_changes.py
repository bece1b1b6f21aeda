"""What co-owners propose to change in an item they agreed on, and who said yes to it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "changes"
down_revision = "sealed"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add the two tables.

    Whose name was off an item they put up was told that others do not see it, and saw it shown nevertheless. The rows
    stay as they are: from this version on the sentence is true.
    """
    op.create_table(
        "changes",
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("proposer", SERIAL, nullable=False),
        sa.Column("parts", sa.JSON(), nullable=False),
        sa.Column("title", sa.String(length=120), nullable=False),
        sa.Column("description", sa.String(length=1000), nullable=False),
        sa.Column("expires", MOMENT, nullable=True),
        sa.Column("opened", MOMENT, nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_changes_item")),
        sa.ForeignKeyConstraint(["proposer"], ["people.id"], name=op.f("fk_changes_proposer")),
        sa.PrimaryKeyConstraint("item", name=op.f("pk_changes")),
        sa.UniqueConstraint("id", name=op.f("uq_changes_id")),
    )
    op.create_index("ix_changes_until", "changes", ["until"], unique=False)
    op.create_index(op.f("ix_changes_proposer"), "changes", ["proposer"], unique=False)
    op.create_table(
        "change_voices",
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.Column("person", SERIAL, autoincrement=False, nullable=False),
        sa.Column("given", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_change_voices_item")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_change_voices_person")),
        sa.PrimaryKeyConstraint("item", "person", name=op.f("pk_change_voices")),
    )
    op.create_index(op.f("ix_change_voices_person"), "change_voices", ["person"], unique=False)


def downgrade() -> None:
    """Remove them; open proposals are lost, what was agreed stays."""
    op.drop_table("change_voices")
    op.drop_table("changes")
