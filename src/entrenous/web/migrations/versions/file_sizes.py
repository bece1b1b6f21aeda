"""Files in several sizes and in object stores: what is known of bytes without reading them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "file_sizes"
down_revision = "counters"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; bytes stay where they are, and the worker makes the sizes that are missing."""
    added: tuple[sa.Column[object], ...] = (
        sa.Column("place", sa.String(length=64), nullable=True),
        sa.Column("size", sa.Integer(), server_default="0", nullable=False),
        sa.Column("tag", sa.String(length=32), server_default="", nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("cleaned", sa.Integer(), server_default="0", nullable=False),
    )
    for column in added:  # one by one: a table made anew would copy all bytes
        op.add_column("contents", column)
    op.create_index("uq_contents_place", "contents", ["place"], unique=True)
    op.create_index(op.f("ix_contents_cleaned"), "contents", ["cleaned"], unique=False)
    sqlite = op.get_bind().dialect.name == "sqlite"
    tag = "lower(hex(randomblob(16)))" if sqlite else "replace(gen_random_uuid()::text, '-', '')"
    op.execute(f"UPDATE contents SET size = length(content), tag = {tag}")  # noqa: S608 - one of two texts above
    op.create_table(
        "object_owners",
        sa.Column("url", sa.String(length=255), nullable=False),
        sa.Column("mark", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("url", name=op.f("pk_object_owners")),
    )


def downgrade() -> None:
    """Remove the columns; refused while bytes are in an object store, for the rows would forget where."""
    placed = op.get_bind().scalar(sa.text("SELECT count(*) FROM contents WHERE place IS NOT NULL"))
    if placed:
        raise RuntimeError(
            "files are in an object store; run `entrenous access files move --to database` first"
        )
    op.execute("DELETE FROM contents WHERE variant IN ('screen', 'new-screen')")
    op.drop_table("object_owners")
    op.drop_index(op.f("ix_contents_cleaned"), table_name="contents")
    op.drop_index("uq_contents_place", table_name="contents")
    with op.batch_alter_table("contents") as table:
        for name in ("cleaned", "height", "width", "tag", "size", "place"):
            table.drop_column(name)
