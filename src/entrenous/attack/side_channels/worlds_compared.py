"""Neighbouring inputs whose releases are timed: small ones, and those of the size of a company.

A tie that closes many triangles and raises large degrees makes most work; a message with many words that nobody else
says makes most names that noise is drawn for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from entrenous import datasets
from entrenous.attack.canaries.canary_edges import book
from entrenous.attack.inference.edges import both_worlds
from entrenous.graph import Graph
from entrenous.graph.conversion import to_scipy
from entrenous.network import MECHANISMS
from entrenous.network import release as publish
from entrenous.release import Release
from entrenous.words import Corpus, histogram, vocabulary
from entrenous.words.counting.holder import HOLDERS

__all__ = ["DELTA", "WORDS", "Compared", "most_telling", "network_worlds", "own_graph", "words_worlds"]

DELTA = 1e-3
WORDS = ("histogram", "vocabulary")
_PERSONS, _MESSAGES = 250, 600
_TRIANGLES = 30
_BUSY = 200  # nodes of most ties, at one of which the tie is looked for
#: What is counted: words of the invented mail, and one that the message to be hidden has to itself.
_LISTED = ("budget", "draft", "lunch", "meeting", "team", "ownaa")
#: Words that nobody else says: a long message has some hundred.
_OWN = tuple(f"own{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(200))

LONG, ORDINARY = "a long message", "an ordinary message"
_MORE = {
    LONG: f"one message to three more, with {len(_OWN)} words of its own",
    ORDINARY: f"one message more than the {_MESSAGES:,} before, of the same kind",
}

Run = Callable[[bool, np.random.Generator | None], Release[Any]]


@dataclass(frozen=True)
class Compared:
    """A kind of release, and two neighbouring inputs.

    Attributes
    ----------
    name
        The kind of release and its input, as in "network: owner, a company of 250".
    unit
        What its promise hides.
    change
        By what the inputs differ.
    epsilon, delta
        What is promised.
    release
        One release, with the canary or without; None instead of a generator stands for real noise.
    """

    name: str
    unit: str
    change: str
    epsilon: float
    release: Run
    delta: float = 0.0


def most_telling(graph: Graph) -> tuple[int, int]:
    """Return the pair of nodes, tied or not, that have most neighbours in common: a tie between them tells most.

    One of them is among the two hundred nodes of most ties.

    >>> most_telling(Graph.from_edges([(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)], n=5))
    (0, 1)
    """
    matrix = to_scipy(graph)
    best, most = (0, 1), -1.0
    for u in np.argsort(-graph.degrees, kind="stable")[:_BUSY].tolist():
        common = np.asarray((matrix[[u]] @ matrix).todense(), dtype=np.float64).ravel()
        common[u] = -1
        v = int(common.argmax())
        if common[v] > most:
            best, most = (min(u, v), max(u, v)), float(common[v])
    return best


def network_worlds(method: str, *, epsilon: float) -> Iterator[Compared]:
    """Yield a tiny graph and an invented company, each with one tie more, for a mechanism of networks."""
    told = f"one tie more, which closes {_TRIANGLES} triangles"
    small = _network(method, f"two hubs and {_TRIANGLES} others", told, epsilon, lambda: book(_TRIANGLES))
    yield small
    yield _network(
        method, f"a company of {_PERSONS}", "one tie more, which closes most triangles", epsilon, _company
    )


def own_graph(method: str, graph: Graph, *, epsilon: float) -> Compared:
    """Return a graph of one's own without the tie that tells most, and with it."""
    worlds = both_worlds(graph, most_telling(graph))
    return _network(
        method, "this graph", "one tie more, which closes most triangles", epsilon, lambda: worlds
    )


@cache
def _company() -> tuple[Graph, Graph]:
    graph = datasets.organization(_PERSONS, seed=1).graph
    return both_worlds(graph, most_telling(graph))


def _network(
    method: str, what: str, change: str, epsilon: float, worlds: Callable[[], tuple[Graph, Graph]]
) -> Compared:
    def release(canary: bool, rng: np.random.Generator | None) -> Release[Graph]:
        graph, mechanism = worlds()[canary], MECHANISMS[method]
        steps = max(mechanism.least_steps * graph.n, 1) if mechanism.chain else None
        return publish(graph, epsilon=epsilon, method=method, steps=steps, rng=rng)

    return Compared(f"network: {method}, {what}", "edge", change, epsilon, release)


def words_worlds(kind: str, *, epsilon: float) -> Iterator[Compared]:
    """Yield invented mail, and the same with one message more, for a kind of release of words, by unit."""
    publishing = {"histogram": _histogram, "vocabulary": _vocabulary}[kind]
    for by, holder in HOLDERS.items():
        if by != str(holder.unit) and str(holder.unit) in HOLDERS:
            continue  # another word for the same unit
        for more, change in _MORE.items():
            if more == LONG or kind == "vocabulary":
                yield Compared(
                    f"words: {kind}, {holder.unit}, {more} more",
                    str(holder.unit),
                    change,
                    epsilon,
                    publishing(by, more, epsilon),
                    delta=DELTA if kind == "vocabulary" else 0.0,
                )


def _histogram(by: str, more: str, epsilon: float) -> Run:
    return lambda canary, rng: histogram(
        _mail(more if canary else None),
        vocabulary=_LISTED,
        epsilon=epsilon,
        unit=by,
        useless=True,
        rng=rng,
    )


def _vocabulary(by: str, more: str, epsilon: float) -> Run:
    return lambda canary, rng: vocabulary(
        _mail(more if canary else None), epsilon=epsilon, delta=DELTA, unit=by, rng=rng
    )


@cache
def _mail(more: str | None) -> Corpus:
    """Return the mail, with one message more if asked; a corpus counts once and remembers."""
    company = datasets.organization(_PERSONS, seed=1)
    messages: list[Mapping[str, Any]] = list(company.messages(_MESSAGES + 1))
    ordinary = messages.pop()
    sender, *recipients = (company.graph.name(person) for person in range(4))
    long = {**ordinary, "from": sender, "to": recipients, "cc": [], "body": " ".join(_OWN)}
    if more is not None:
        messages.append(long if more == LONG else ordinary)
    return Corpus.from_messages(messages)
