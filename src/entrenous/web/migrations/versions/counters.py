"""Lists and counts are kept instead of worked out for every page.

The rows themselves are filled in by `Database.migrate` when all tables are there: what an item asks of whom is for the
rules to say, not for a migration.
"""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

from entrenous.web import rules

__all__ = ["rules"]  # with them comes what fills the lists, whoever migrates

revision = "counters"
down_revision = "passkeys"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
PLACE = sa.String(length=64).with_variant(sa.String(length=64, collation="C"), "postgresql")


def upgrade() -> None:
    """Add the tables, and the key that seals where a page ended."""
    _add_own_lists()
    _add_what_others_see()
    keys = op.create_table(
        "page_keys",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_page_keys")),
    )
    op.bulk_insert(keys, [{"id": 1, "key": secrets.token_bytes(32)}])
    unread = sa.text("read IS NULL")
    op.create_index(
        "ix_notifications_unread",
        "notifications",
        ["person"],
        sqlite_where=unread,
        postgresql_where=unread,
    )


def _add_own_lists() -> None:
    op.create_table(
        "waiting",
        *_person_and_item("waiting"),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.Column("need", sa.String(length=12), nullable=False),
        sa.Column("place", PLACE, nullable=False),
        sa.PrimaryKeyConstraint("person", "item", "since", name=op.f("pk_waiting")),
    )
    op.create_index(op.f("ix_waiting_item"), "waiting", ["item"])
    op.create_index("ix_waiting_person_until", "waiting", ["person", "until"])
    op.create_index("ix_waiting_person_place", "waiting", ["person", "place"])
    op.create_table(
        "shelves",
        *_person_and_item("shelves"),
        sa.Column("place", PLACE, nullable=False),
        sa.Column("seen", sa.Boolean(), nullable=False),
        sa.Column("named", sa.Boolean(), nullable=False),
        sa.Column("decided", sa.Boolean(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.Column("told", SERIAL, nullable=False),
        sa.PrimaryKeyConstraint("person", "item", name=op.f("pk_shelves")),
    )
    op.create_index(op.f("ix_shelves_item"), "shelves", ["item"])
    for flag in ("seen", "named", "decided"):
        op.create_index(f"ix_shelves_person_{flag}_place", "shelves", ["person", flag, "place"])
    op.create_index("ix_shelves_person_told", "shelves", ["person", "told"])


def _add_what_others_see() -> None:
    op.create_table(
        "crews",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("reach", sa.String(length=20), nullable=False),
        sa.Column("every", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crews")),
        sa.UniqueConstraint("key", name=op.f("uq_crews_key")),
    )
    op.create_table(
        "crew_members",
        sa.Column("crew", SERIAL, autoincrement=False, nullable=False),
        sa.Column("person", SERIAL, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["crew"], ["crews.id"], name=op.f("fk_crew_members_crew")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_crew_members_person")),
        sa.PrimaryKeyConstraint("crew", "person", name=op.f("pk_crew_members")),
    )
    op.create_index("ix_crew_members_person_crew", "crew_members", ["person", "crew"])
    op.create_table(
        "shown",
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.Column("place", PLACE, nullable=False),
        sa.Column("reach", sa.String(length=20), nullable=False),
        sa.Column("crew", SERIAL, nullable=True),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_shown_item")),
        sa.ForeignKeyConstraint(["crew"], ["crews.id"], name=op.f("fk_shown_crew")),
        sa.PrimaryKeyConstraint("item", name=op.f("pk_shown")),
    )
    op.create_index("ix_shown_reach_place", "shown", ["reach", "place"])
    op.create_index("ix_shown_crew_place", "shown", ["crew", "place"])


def _person_and_item(table: str) -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("person", SERIAL, autoincrement=False, nullable=False),
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f(f"fk_{table}_person")),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f(f"fk_{table}_item")),
    ]


def downgrade() -> None:
    """Remove them; nothing is lost that the other tables do not say."""
    op.drop_index("ix_notifications_unread", "notifications")
    for table in ("page_keys", "shown", "crew_members", "crews", "shelves", "waiting"):
        op.drop_table(table)
