"""Keyed fingerprints: a vault recognises its data, and nobody without its key can test a guess about them."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph

__all__ = ["GRAPH", "MAIL", "Fingerprint", "Recognised", "fingerprint"]

GRAPH, MAIL = "graph", "mail"
CHUNK = 1 << 20  # edges that are looked at together
MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # of SplitMix64


@runtime_checkable
class Recognised(Protocol):
    """Data that can tell who they are: a corpus of mail."""

    def fingerprint(self, key: bytes) -> str:
        """Return what stays the same however the data are read, and differs for other data."""


class Fingerprint(NamedTuple):
    """By what a vault recognises data."""

    kind: str
    value: str


def fingerprint(data: Any, key: bytes) -> Fingerprint | None:
    """Return by what data are recognised; None for what cannot be, such as a table.

    >>> ties = Graph.from_edges([(0, 1), (1, 2)], names=["ann", "bob", "eve"])
    >>> same = Graph.from_edges([(2, 1), (2, 3)], names=["zoe", "eve", "bob", "ann"])
    >>> fingerprint(ties, b"k") == fingerprint(same, b"k"), fingerprint(ties, b"k") == fingerprint(ties, b"q")
    (True, False)
    """
    if isinstance(data, Fingerprint):
        return data
    if isinstance(data, Graph):
        return Fingerprint(GRAPH, _of_graph(data, key))
    if isinstance(data, Recognised):
        return Fingerprint(MAIL, data.fingerprint(key))
    return None


def _of_graph(graph: Graph, key: bytes) -> str:
    """Add up keyed numbers of all ties: nodes without one, and the order of nodes, make no difference."""
    number = np.zeros((graph.n, 2), np.uint64)
    for node in np.flatnonzero(graph.degrees).tolist():
        digest = hashlib.blake2b(graph.name(node).encode(), key=key, digest_size=16).digest()
        number[node] = np.frombuffer(digest, np.uint64)
    total = np.zeros(2, np.uint64)
    ties = graph.edges()
    for start in range(0, len(ties), CHUNK):
        u, v = number[ties[start : start + CHUNK, 0]], number[ties[start : start + CHUNK, 1]]
        total += _mixed(u + v, u ^ v).sum(axis=0, dtype=np.uint64)
    return hashlib.blake2b(f"{graph.m} {total.tolist()}".encode(), key=key, digest_size=32).hexdigest()


def _mixed(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers that look random and do not tell which of two ends came first."""
    first, second, third = (np.uint64(factor) for factor in MIX)
    value = a * first + b * second
    value ^= value >> np.uint64(30)
    value *= second
    value ^= value >> np.uint64(27)
    value *= third
    mixed: NDArray[np.uint64] = value ^ (value >> np.uint64(31))
    return mixed
