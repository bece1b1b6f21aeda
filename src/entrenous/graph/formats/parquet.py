"""Parquet: two columns of whole numbers or texts; the node list travels in the metadata of the schema."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError, MissingExtraError
from entrenous.graph.formats.format import Format
from entrenous.graph.formats.listing import Listing, Source, number_names, rank_numbers, refuse_absurd_size
from entrenous.graph.structure import Graph

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PARQUET", "parse", "render"]

_NODES = b"entrenous.nodes"  # a count, or the list of names


def parse(source: Source) -> Listing:
    """Return the edges of a table: its columns source and target, else the first two."""
    table = _table(source)
    names = table.column_names
    if len(names) < 2:
        raise source.error(f"expected two columns; got {len(names)}")
    places = [
        names.index(word) if names.count(word) == 1 else place
        for place, word in enumerate(("source", "target"))
    ]
    columns = [_column(source, table.column(place), place + 1) for place in places]
    if isinstance(columns[0], list) != isinstance(columns[1], list):
        raise source.error("expected two columns of the same type; got numbers and texts")
    listed = _listed(source, (table.schema.metadata or {}).get(_NODES), table.num_rows)
    if listed is not None:
        return _placed(source, columns, listed)
    if isinstance(columns[0], list):
        numbers, distinct = number_names([token for pair in zip(*columns, strict=True) for token in pair])
        return Listing(numbers.reshape(-1, 2), len(distinct), distinct, False, None)
    ranks, n, labels = rank_numbers(np.column_stack(columns).ravel())
    return Listing(ranks.reshape(-1, 2), n, labels, False, None)


def render(graph: Graph, comment: str | None = None) -> list[bytes]:
    """Return a table with the columns source and target; a comment goes into the metadata of its schema."""
    pa, parquet = _arrow()
    edges = graph.edges()
    if graph.names is None:
        columns = [pa.array(edges[:, side]) for side in (0, 1)]
    else:
        try:
            columns = [
                pa.array([graph.names[node] for node in edges[:, side]], pa.string()) for side in (0, 1)
            ]
        except UnicodeEncodeError:
            raise ArgumentError(
                "format", "expected names that are Unicode text; got lone surrogates"
            ) from None
    nodes = json.dumps(graph.n if graph.names is None else graph.names)
    notes = {_NODES: nodes.encode()} | ({} if comment is None else {b"comment": comment.encode()})
    schema = pa.schema([("source", columns[0].type), ("target", columns[1].type)], notes)
    content = io.BytesIO()
    parquet.write_table(pa.Table.from_arrays(columns, schema=schema), content)
    return [content.getvalue()]


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("parquet", "reading and writing Parquet files") from None
    return pa, parquet


def _table(source: Source) -> pa.Table:
    pa, parquet = _arrow()
    try:
        table = parquet.read_table(pa.BufferReader(source.data), use_threads=False)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError):
        raise source.error("expected a Parquet file; got a damaged one, or something else") from None
    return table


def _column(source: Source, column: pa.ChunkedArray, place: int) -> NDArray[np.int64] | list[str]:
    """Return a column as numbers, if it holds whole numbers from 0, or else as texts."""
    pa, _ = _arrow()
    if column.null_count:
        row = next(row for row, value in enumerate(column, start=1) if not value.is_valid)
        raise source.error(f"row {row}, column {place}: expected a node; got an empty field")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        values = column.to_numpy()
        if len(values) and (int(values.min()) < 0 or int(values.max()) >= 10**18):
            raise source.error(f"column {place}: expected whole numbers from 0 to 18 digits; got others")
        return np.asarray(values, dtype=np.int64)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return [str(value) for value in column.to_pylist()]
    raise source.error(f"column {place}: expected whole numbers or texts; got another type")


def _listed(source: Source, entry: bytes | None, rows: int) -> int | list[str] | None:
    """Return the node list in the metadata, checked: it may come from anywhere."""
    if entry is None:
        return None
    try:
        nodes = json.loads(entry)
    except (ValueError, RecursionError):
        raise source.error("expected a node list in the metadata; got something else") from None
    if isinstance(nodes, int) and not isinstance(nodes, bool) and nodes >= 0:
        refuse_absurd_size(source, nodes, rows, None)
        return nodes
    if (
        isinstance(nodes, list)
        and all(isinstance(name, str) for name in nodes)
        and len(set(nodes)) == len(nodes)
    ):
        return nodes
    raise source.error("expected distinct names or a count in the metadata; got something else")


def _placed(source: Source, columns: list[Any], nodes: int | list[str]) -> Listing:
    """Return the edges between the nodes that the metadata lists."""
    message = "expected nodes of the list in the metadata; got others"
    if isinstance(nodes, int):
        if isinstance(columns[0], list) or any(column.max(initial=-1) >= nodes for column in columns):
            raise source.error(message)
        return Listing(np.column_stack(columns), nodes, None, True, None)
    place = {name: number for number, name in enumerate(nodes)}
    tokens = [str(token) for pair in zip(*columns, strict=True) for token in pair]
    if not all(token in place for token in tokens):
        raise source.error(message)
    numbers = np.fromiter((place[token] for token in tokens), np.int64, len(tokens))
    return Listing(numbers.reshape(-1, 2), len(nodes), nodes, True, None)


PARQUET = Format("parquet", "a table of two columns", parse, render, endings=(".pq",), magic=b"PAR1")
