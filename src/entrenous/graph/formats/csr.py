"""Compressed sparse rows as they stand in memory: a file that is mapped, not read, for graphs of millions.

A working copy for one machine, not for exchange. Numbers are little-endian; the parts follow each other without gaps:

======================  ==============================================================================
64 bytes                `MAGIC`, version (uint32), flags (uint32; 1: nodes are those seen in the edges),
                        nodes n, edges m, bytes of the notes (int64 each), zeros
8 (n + 1) bytes         `Graph.indptr`, int64
8 m bytes               `Graph.indices`, int32
the rest                notes: a JSON object with "names" (a list of n texts, or null) and "comment"
======================  ==============================================================================

What is mapped goes to compiled loops that trust it, so nothing is trusted here: every file is looked through once.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entrenous.graph.formats.format import Format
from entrenous.graph.formats.listing import Source, refuse_absurd_size
from entrenous.graph.simplification import MAX_NODES, arcs, chunks
from entrenous.graph.structure import Graph

__all__ = ["CSR", "MAGIC", "opened", "pieces"]

MAGIC = b"entrenous.csr\r\n\x1a"  # line ends that a transfer as text would change
_VERSION = 1
_SEEN = 1
_HEADER = struct.Struct("<16sIIqqq16x")
_MIX = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class _Sizes(NamedTuple):
    flags: int
    n: int
    m: int
    notes: int

    @property
    def bytes(self) -> int:
        return _HEADER.size + 8 * (self.n + 1) + 8 * self.m + self.notes


def pieces(graph: Graph, comment: str | None = None) -> Iterator[bytes | memoryview]:
    """Yield what a file holds, part after part, without a copy of the graph."""
    notes = json.dumps({"names": graph.names, "comment": comment}).encode()
    flags = _SEEN if graph.nodes_from == "seen" else 0
    yield _HEADER.pack(MAGIC, _VERSION, flags, graph.n, graph.m, len(notes))
    yield np.ascontiguousarray(graph.indptr, "<i8").data.cast("B")
    yield np.ascontiguousarray(graph.indices, "<i4").data.cast("B") if graph.m else b""
    yield notes


def opened(source: Source) -> Graph:
    """Return the graph of a file, its arrays mapped into memory and looked through once.

    Raises
    ------
    FormatError
        If the file is no such file, was cut or changed, or does not hold the rows of a simple undirected graph.
    """
    path = source.content.path
    if source.content.packed or not path.is_file():
        raise source.error("expected a file that can be mapped into memory; got a gzip file, or a pipe")
    sizes = _sizes(source, path)
    indptr = _mapped(path, "<i8", _HEADER.size, sizes.n + 1)
    indices = _mapped(path, "<i4", _HEADER.size + 8 * (sizes.n + 1), 2 * sizes.m)
    _check_rows(source, indptr, indices)
    names = _names(source, path, sizes)
    return Graph(indptr, indices, names, "seen" if sizes.flags & _SEEN else "list")


def _sizes(source: Source, path: Path) -> _Sizes:
    with path.open("rb") as file:
        head = file.read(_HEADER.size)
    if len(head) < _HEADER.size or not head.startswith(MAGIC):
        raise source.error("expected a graph in compressed sparse rows; got another kind of file")
    _, version, *numbers = _HEADER.unpack(head)
    if version != _VERSION:
        raise source.error(f"expected version {_VERSION} of the format; got {version}; write the file anew")
    sizes = _Sizes(*numbers)
    sound = 0 <= sizes.n <= MAX_NODES and 0 <= sizes.m <= sizes.n * (sizes.n - 1) // 2 and sizes.notes >= 0
    if not sound or sizes.bytes != path.stat().st_size:
        raise source.error(
            "expected as many bytes as the header says; got a cut or changed file; write it anew"
        )
    refuse_absurd_size(source, sizes.n, sizes.m, None)
    return sizes


def _mapped(path: Path, dtype: str, offset: int, length: int) -> NDArray[Any]:
    if not length:
        return np.empty(0, dtype)
    return np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=(length,))


def _check_rows(source: Source, indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> None:
    """Insist on ascending rows of other nodes that exist, and on every edge in the rows of both its ends.

    The last is settled without looking anything up: a keyed function of the edges adds up to the same over the edges
    met at their lower and at their higher end; if these are not the same edges, that is as likely as guessing a number
    of 64 bits, as far as the function behaves like a random one.
    """
    n = len(indptr) - 1
    backwards = any(np.any(indptr[1:][part] < indptr[:-1][part]) for part in chunks(n))
    if indptr[0] or indptr[-1] != len(indices) or backwards:
        raise source.error("expected rows one after another; got a damaged file; write it anew")
    salts = np.random.default_rng().integers(2**64, size=2, dtype=np.uint64)  # new at every opening
    balance = 0
    for node, row in arcs(indptr, indices):
        rising = (row[1:] > row[:-1]) | (node[1:] != node[:-1])
        if len(row) and (row.min() < 0 or row.max() >= n or np.any(row == node) or not rising.all()):
            raise source.error(
                "expected rows of other nodes in ascending order; got a damaged file; write it anew"
            )
        mixed = _mixed(np.minimum(row, node), np.maximum(row, node), salts)
        balance += int(mixed[row > node].sum()) - int(mixed[row < node].sum())
    if balance % 2**64:
        raise source.error(
            "expected every edge in the rows of both its ends; got a damaged file; write it anew"
        )


def _mixed(low: NDArray[Any], high: NDArray[Any], salts: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a random-looking number for each edge (the finalizer of splitmix64: Steele, Lea, Flood, OOPSLA 2014)."""
    mixed: NDArray[np.uint64] = ((low.astype(np.uint64) << np.uint64(32)) | high.astype(np.uint64)) ^ salts[0]
    mixed = mixed * (salts[1] | np.uint64(1))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX[0]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX[1]
    return mixed ^ (mixed >> np.uint64(31))


def _names(source: Source, path: Path, sizes: _Sizes) -> tuple[str, ...] | None:
    """Return the names in the notes, checked: they may come from anywhere."""
    with path.open("rb") as file:
        file.seek(sizes.bytes - sizes.notes)
        entry = file.read(sizes.notes)
    try:
        names = json.loads(entry)["names"]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise source.error("expected notes at the end; got something else; write the file anew") from None
    if names is None:
        return None
    listed = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not listed or len(names) != sizes.n or len(set(names)) != sizes.n:
        raise source.error(f"expected {sizes.n} distinct names in the notes; got something else")
    return tuple(names)


CSR = Format(
    "csr", "the rows as they stand in memory", opened, pieces, magic=b"entrenous.csr", working_copy=True
)
