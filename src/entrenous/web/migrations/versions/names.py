"""What names and handles look like, so that look-alikes are found and refused."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from entrenous.web.rules.naming.lookalikes import handle_shape, skeleton

revision = "names"
down_revision = "file_sizes"
branch_labels = None
depends_on = None

PEOPLE = sa.table(
    "people",
    sa.column("id", sa.BigInteger),
    sa.column("handle", sa.String),
    sa.column("shape", sa.String),
    sa.column("name", sa.String),
    sa.column("skeleton", sa.Text),
    sa.column("deleted", sa.DateTime),
)


def upgrade() -> None:
    """Add both looks and fill them in.

    Nobody loses a handle: of people whose handles look alike already, the one who came first has the shape, and nobody
    new gets one like it. Names stay, too; pages show what nobody would see in them.
    """
    op.add_column("people", sa.Column("shape", sa.String(length=40), nullable=True))
    op.add_column("people", sa.Column("skeleton", sa.Text(), nullable=False, server_default=""))
    op.create_index(op.f("ix_people_shape"), "people", ["shape"], unique=True)
    connection = op.get_bind()
    query = sa.select(PEOPLE.c.id, PEOPLE.c.handle, PEOPLE.c.name).where(PEOPLE.c.deleted.is_(None))
    shapes: set[str] = set()
    for person in connection.execute(query.order_by(PEOPLE.c.id)).all():
        shape = handle_shape(person.handle)
        looks = {"skeleton": skeleton(person.name), "shape": None if shape in shapes else shape}
        shapes.add(shape)
        connection.execute(sa.update(PEOPLE).where(PEOPLE.c.id == person.id).values(looks))


def downgrade() -> None:
    """Remove both looks."""
    op.drop_index(op.f("ix_people_shape"), "people")
    op.drop_column("people", "skeleton")
    op.drop_column("people", "shape")
