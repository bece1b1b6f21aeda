"""Answers become sealed boxes, decisions records of commitments, and the audit a chain of salted hashes.

Tables that hold something of the earlier kind are not converted in passing: `entrenous access seal` does that, once. It
passes its work as `sealing`.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context, op

from entrenous.errors import PrivacyError

revision = "sealed"
down_revision = "first"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
FORMER = ("answers", "decisions", "defaults", "audit")
"""Tables whose content cannot stay as it is."""


def upgrade() -> None:
    """Make the tables of this version."""
    sealing = context.config.attributes.get("sealing")
    if sealing is None and _filled(FORMER):
        raise PrivacyError(
            "this database keeps answers in the clear, as earlier versions did; expected sealed ones. "
            "Make a backup, and run: entrenous access seal"
        )
    if sealing is not None:
        sealing.read(op.get_bind())
    for table in (*FORMER, "steps", "replies"):  # a reply keeps a digest of what was sent
        op.execute(sa.delete(sa.table(table)))
    _drop_former()
    _add_columns()
    _create_sealed()
    _create_audit()
    if sealing is not None:
        sealing.write(op.get_bind())
    op.create_index("uq_owners_item_slot", "owners", ["item", "slot"], unique=True)


def downgrade() -> None:
    """Make the tables of the earlier version, unless something is sealed that they cannot hold."""
    if _filled(("answers", "decisions")):
        raise PrivacyError("what is sealed cannot be turned back; expected a database without decisions")
    op.drop_index("uq_owners_item_slot", "owners")
    for table in ("answers", "decisions", "standing_lines", "audit"):
        op.drop_table(table)
    for table, columns in _ADDED.items():
        for column in columns:
            op.drop_column(table, column.name)
    op.add_column("petitions", sa.Column("asks", sa.JSON(), nullable=False, server_default="[]"))
    _create_former()


_ADDED = {
    "items": (
        sa.Column("cap", sa.String(length=40), nullable=True),
        sa.Column("incomplete", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("open", sa.Boolean(), nullable=False, server_default=sa.false()),
    ),
    "owners": (
        sa.Column("slot", sa.String(length=24), nullable=False, server_default=""),
        sa.Column("answered_round", sa.Integer(), nullable=True),
    ),
    "friendships": (sa.Column("counts_line", sa.Boolean(), nullable=False, server_default=sa.false()),),
    "petitions": (sa.Column("audience", sa.String(length=40), nullable=True),),
    "audit_head": (sa.Column("start", sa.String(length=64), nullable=False, server_default="0" * 64),),
}


def _filled(tables: tuple[str, ...]) -> bool:
    """Return whether there is a row in one of some tables."""
    found = (
        op.get_bind().execute(sa.select(sa.literal(1)).select_from(sa.table(name)).limit(1))
        for name in tables
    )
    return any(row.first() is not None for row in found)


def _drop_former() -> None:
    for table in FORMER:
        op.drop_table(table)
    op.drop_column("petitions", "asks")


def _add_columns() -> None:
    for table, columns in _ADDED.items():
        for column in columns:
            op.add_column(table, column._copy())


def _create_sealed() -> None:
    op.create_table(
        "standing_lines",
        sa.Column("person", SERIAL, autoincrement=False, nullable=False),
        sa.Column("line", sa.String(length=40), nullable=False),
        sa.Column("confirmed", sa.Boolean(), nullable=False),
        sa.Column("possible", sa.Integer(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_standing_lines_person")),
        sa.PrimaryKeyConstraint("person", name=op.f("pk_standing_lines")),
    )
    op.create_table(
        "answers",
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.Column("round", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("slot", sa.String(length=24), nullable=False),
        sa.Column("box", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_answers_item")),
        sa.PrimaryKeyConstraint("item", "round", "slot", name=op.f("pk_answers")),
    )
    op.create_table(
        "decisions",
        sa.Column("item", sa.String(length=32), nullable=False),
        sa.Column("round", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("choice", sa.String(length=40), nullable=False),
        sa.Column("agreed", sa.Boolean(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("named", sa.JSON(), nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("decided", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_decisions_item")),
        sa.PrimaryKeyConstraint("item", "round", name=op.f("pk_decisions")),
    )


def _create_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("number", SERIAL, autoincrement=False, nullable=False),
        sa.Column("at", MOMENT, nullable=True),
        sa.Column("actor", SERIAL, nullable=True),
        sa.Column("subject", SERIAL, nullable=True),
        sa.Column("action", sa.String(length=40), nullable=True),
        sa.Column("item", sa.String(length=32), nullable=True),
        sa.Column("details", sa.Text(), nullable=True),
        sa.Column("salt", sa.String(length=64), nullable=True),
        sa.Column("content", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_audit")),
    )
    for column in ("actor", "subject", "item"):
        op.create_index(f"ix_audit_{column}_number", "audit", [column, "number"], unique=False)


def _create_former() -> None:
    op.create_table(
        "defaults",
        sa.Column("person", SERIAL, autoincrement=False, nullable=False),
        sa.Column("scores", sa.JSON(), nullable=True),
        sa.Column("limit", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_defaults_person")),
        sa.PrimaryKeyConstraint("person", name=op.f("pk_defaults")),
    )
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
    for column in ("actor", "item"):
        op.create_index(f"ix_audit_{column}_number", "audit", [column, "number"], unique=False)
