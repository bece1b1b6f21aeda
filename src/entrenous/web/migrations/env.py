"""Alembic's entry: the connection and the tables come from `entrenous.web.store.database`."""

from __future__ import annotations

from alembic import context

if hasattr(
    context, "config"
):  # whoever merely imports this file, as tools do that read all files, migrates nothing
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=context.config.attributes["metadata"],
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()
