"""Which items a transaction touched: noted for every statement that changes what lists depend on.

No step can forget it, since no step does it: the session notes the statements themselves. Just before the commit
`settle` hands the items to what `refresh_with` was given, in the same transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.orm import ORMExecuteState, Session
from sqlalchemy.sql import operators
from sqlalchemy.sql.elements import BindParameter, BooleanClauseList

from entrenous.web.store.schema import agreements, change_voices, changes, items, owners

__all__ = ["AT_ONCE", "Refresh", "refresh_with", "settle", "settle_all"]

AT_ONCE = 500
"""So many items are brought up to date together."""

Refresh = Callable[[Session, Sequence[str]], None]
_WATCHED = {items: "id", owners: "item", agreements: "item", changes: "item", change_voices: "item"}
_refresh: list[Refresh] = []


def refresh_with(refresh: Refresh) -> Refresh:
    """Say what brings lists up to date; the rules do, since only they know what an item asks of whom."""
    _refresh[:] = [refresh]
    return refresh


def settle(session: Session) -> None:
    """Bring the lists up to date about every item that this transaction touched."""
    ids: set[str] = session.info.pop("touched", set())
    if ids:
        _settle(session, sorted(ids))


def settle_all(session: Session) -> None:
    """Bring the lists up to date about every item there is, as after a change of the tables."""
    behind = ""
    while True:
        query = sa.select(items.c.id).where(items.c.id > behind).order_by(items.c.id).limit(AT_ONCE)
        ids = list(session.scalars(query))
        if not ids:
            return
        _settle(session, ids)
        behind = ids[-1]


def _settle(session: Session, ids: Sequence[str]) -> None:
    if not _refresh:
        raise RuntimeError(
            "items were changed, and nobody refreshes the lists: import entrenous.web.rules first"
        )
    for start in range(0, len(ids), AT_ONCE):
        _refresh[0](session, ids[start : start + AT_ONCE])


@event.listens_for(Session, "do_orm_execute")
def _note(state: ORMExecuteState) -> None:
    statement = state.statement
    if not isinstance(statement, sa.Insert | sa.Update | sa.Delete):
        return
    table = statement.table
    if not isinstance(table, sa.Table) or table not in _WATCHED:
        return
    name = _WATCHED[table]
    if isinstance(statement, sa.Insert):
        found = _inserted(state, statement, name)
    else:
        found = _named(statement, name) or _matched(state, statement, table.c[name])
    state.session.info.setdefault("touched", set()).update(found)


def _inserted(state: ORMExecuteState, statement: sa.Insert, name: str) -> set[str]:
    rows: Any = state.parameters
    if not rows:
        rows = statement.compile(dialect=state.session.get_bind().dialect).params
    return {row[name] for row in ([rows] if isinstance(rows, Mapping) else rows)}


def _named(statement: sa.Update | sa.Delete, name: str) -> set[str]:
    """Return the item that a condition names, which is the usual case and needs no question."""
    where = statement.whereclause
    parts = [where]
    if isinstance(where, BooleanClauseList) and where.operator is operators.and_:
        parts = list(where.clauses)
    return {
        part.right.value
        for part in parts
        if isinstance(part, sa.BinaryExpression)
        and part.operator is operators.eq
        and getattr(part.left, "name", None) == name
        and isinstance(part.right, BindParameter)
        and part.right.value is not None
    }


def _matched(state: ORMExecuteState, statement: sa.Update | sa.Delete, column: sa.Column[str]) -> set[str]:
    """Return the items that a condition fits, before the statement changes that."""
    query = sa.select(column).distinct()
    if statement.whereclause is not None:
        query = query.where(statement.whereclause)
    parameters: Any = state.parameters
    return set(state.session.scalars(query, parameters))
