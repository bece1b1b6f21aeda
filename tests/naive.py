"""Slow twins of the compiled kernels: short, obvious, exact. Tests compare the two."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from entrenous.graph import Graph

# hrg


def all_dendrograms(leaves: tuple[int, ...]) -> Iterator[Any]:
    """Yield all (2n - 3)!! dendrograms over these leaves as nested tuples, the first leaf on the left."""
    if len(leaves) == 1:
        yield leaves[0]
        return
    first, rest = leaves[0], leaves[1:]
    for size in range(len(rest)):
        for beside in itertools.combinations(rest, size):
            others = tuple(leaf for leaf in rest if leaf not in beside)
            for left in all_dendrograms((first, *beside)):
                for right in all_dendrograms(others):
                    yield (left, right)


def leaves_of(nested: Any) -> tuple[int, ...]:
    return leaves_of(nested[0]) + leaves_of(nested[1]) if isinstance(nested, tuple) else (nested,)


def inner_nodes(nested: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the pairs that are internal nodes, children before parents."""
    if isinstance(nested, tuple):
        yield from inner_nodes(nested[0])
        yield from inner_nodes(nested[1])
        yield nested


def edges_between(left: Any, right: Any, edges: set[frozenset[int]]) -> int:
    return sum(frozenset(pair) in edges for pair in itertools.product(leaves_of(left), leaves_of(right)))


def profile(e: int, N: int, lo: float = 0.0, hi: float = 1.0) -> float:
    """Return the largest e ln p + (N - e) ln(1 - p) over p in [lo, hi]."""
    p = min(max(e / N, lo), hi)
    return 0.0 if p in {0.0, 1.0} else e * math.log(p) + (N - e) * math.log1p(-p)


def utility_of(nested: Any, edges: set[frozenset[int]], lo: float = 0.0, hi: float = 1.0) -> float:
    return sum(
        profile(edges_between(left, right, edges), len(leaves_of(left)) * len(leaves_of(right)), lo, hi)
        for left, right in inner_nodes(nested)
    )


def canonical(nested: Any) -> Any:
    """Return the same dendrogram with the smallest leaf on the left everywhere."""
    if not isinstance(nested, tuple):
        return nested
    sides = sorted((canonical(side) for side in nested), key=lambda side: min(leaves_of(side)))
    return tuple(sides)


def local_step(nested: Any, edges: set[frozenset[int]], beta: float, rng: np.random.Generator) -> Any:
    """Make one step of the chain of Clauset, Moore and Newman by rebuilding and recounting everything."""
    parents = [(pair, child) for pair in inner_nodes(nested) for child in pair if isinstance(child, tuple)]
    if not parents:
        return nested
    parent, child = parents[int(rng.random() * len(parents))]
    sibling = parent[1] if parent[0] is child else parent[0]
    stays, goes = child if rng.random() < 0.5 else child[::-1]
    proposal = _replaced(nested, parent, ((stays, sibling), goes))
    gain = utility_of(proposal, edges) - utility_of(nested, edges)
    return proposal if rng.random() < math.exp(min(0.0, beta * gain)) else nested


def _replaced(nested: Any, old: Any, new: Any) -> Any:
    if nested is old:
        return new
    return tuple(_replaced(side, old, new) for side in nested) if isinstance(nested, tuple) else nested


# graph


def distances_from(graph: Graph, source: int) -> dict[int, int]:
    """Return the distance of every node that can be reached, by plain breadth-first search."""
    distance = {source: 0}
    queue = [source]
    for node in queue:
        for neighbor in graph.neighbors(node).tolist():
            if neighbor not in distance:
                distance[neighbor] = distance[node] + 1
                queue.append(neighbor)
    return distance


def distance_counts(graph: Graph) -> list[int]:
    """Return how many ordered pairs of nodes are at distance 0, 1, 2, ..."""
    found = [distance for node in range(graph.n) for distance in distances_from(graph, node).values()]
    return np.bincount(found).tolist() if found else []


def triangles_through_nodes(graph: Graph) -> list[int]:
    """Return the number of triangles through each node, by trying all triples."""
    counts = [0] * graph.n
    for triple in itertools.combinations(range(graph.n), 3):
        if all(graph.has_edge(u, v) for u, v in itertools.combinations(triple, 2)):
            for node in triple:
                counts[node] += 1
    return counts


# network


def slot_weights(counts: list[int], expected: list[float], epsilon: float) -> list[int]:
    """Return whole-number weights proportional to exp(epsilon (count - expected)), none below e^-14 of the largest."""
    exponents = [epsilon * (count - mean) for count, mean in zip(counts, expected, strict=True)]
    return [int(math.exp(max(x - max(exponents), -14.0)) * 2.0**52) for x in exponents]


def slot_distribution(
    order: Sequence[int],
    edges: set[frozenset[int]],
    volume: Sequence[float],
    *,
    epsilon: float,
    resolution: float,
    slots: int,
    weigh: Callable[[list[int], list[float], float], Sequence[int]] = slot_weights,
    provisional: Sequence[int] | None = None,
) -> np.ndarray:
    """Return the probability of every assignment of slots, as an array with one axis per node.

    Nodes draw in order, each counting its neighbours placed before it. With `provisional` slots it counts the others
    as well, where they stand for the time being: then both endpoints own an edge, and the promise is broken.
    """
    distribution = np.zeros((slots,) * len(order))

    def place(at: int, slot: dict[int, int], probability: float) -> None:
        if at == len(order):
            distribution[tuple(slot[v] for v in range(len(order)))] = probability
            return
        v = order[at]
        counts = [0] * slots
        for w in order:
            where = slot.get(w, -1 if provisional is None else provisional[w])
            if where >= 0 and frozenset((v, w)) in edges:
                counts[where] += 1
        placed = [sum(volume[w] for w in slot if slot[w] == c) for c in range(slots)]
        expected = [resolution * volume[v] * total / sum(volume) for total in placed]
        weights = weigh(counts, expected, epsilon)
        for c in range(slots):
            place(at + 1, slot | {v: c}, probability * int(weights[c]) / int(sum(map(int, weights))))

    place(0, {}, 1.0)
    return distribution


def assign_slots(
    order: Sequence[int],
    edges: set[frozenset[int]],
    volume: Sequence[float],
    *,
    epsilon: float,
    resolution: float,
    slots: int,
    words: Sequence[int],
) -> list[int]:
    """Draw a slot for every node from random 64-bit words, an edge counting for its later endpoint alone."""
    waiting = iter(words)
    slot: dict[int, int] = {}
    for v in order:
        counts = [sum(frozenset((v, w)) in edges and slot[w] == c for w in slot) for c in range(slots)]
        placed = [sum(volume[w] for w in slot if slot[w] == c) for c in range(slots)]
        expected = [resolution * volume[v] * total / sum(volume) for total in placed]
        weights = slot_weights(counts, expected, epsilon)
        word = next(word for word in waiting if word < 2**64 // sum(weights) * sum(weights))
        rest, slot[v] = word % sum(weights), 0
        while rest >= weights[slot[v]]:
            rest -= weights[slot[v]]
            slot[v] += 1
    return [slot[v] for v in sorted(order)]


def geometric_pmf(k: np.ndarray, ratio: float) -> np.ndarray:
    """Return the probability of the whole number k under the two-sided geometric distribution."""
    return (1 - ratio) / (1 + ratio) * ratio ** np.abs(k)


def degree_distribution(
    noisy: np.ndarray, ratio: float, lowest: int, rounds: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return possible degrees, their distribution and each node's posterior mean, by maximization over a dense matrix.

    Where it has more ties in all than the noisy degrees add up to, all degrees are drawn towards the lowest.
    """
    support = np.arange(min(noisy.min(), lowest), max(noisy.max(), lowest) + 1)
    possible = (support >= lowest) & (support < max(len(noisy), lowest + 1))
    chance = geometric_pmf(support[:, None] - support[None, :], ratio)  # of a noisy degree, given a true one
    seen = np.array([(noisy == value).sum() for value in support], dtype=float)
    distribution = np.where(possible, chance @ seen + 1e-9, 0.0)
    distribution /= distribution.sum()
    for _ in range(rounds):
        distribution = distribution * (chance.T @ (seen / (chance @ distribution)))
        distribution /= distribution.sum()
    mean = (chance @ (distribution * support)) / (chance @ distribution)
    factor = min(max(noisy.mean() - lowest, 0.0) / (distribution @ support - lowest), 1.0)
    return (
        lowest + factor * (support[possible] - lowest),
        distribution[possible],
        lowest + factor * (mean[noisy - support[0]] - lowest),
    )


def pair_probabilities(
    node_class: np.ndarray, group: np.ndarray, propensity: np.ndarray, affinity: np.ndarray
) -> np.ndarray:
    """Return the link probability of every pair of nodes of a block model, the diagonal being 0."""
    t, g = propensity[node_class], group[node_class]
    odds = t[:, None] * t[None, :] * affinity[g[:, None], g[None, :]]
    probability = odds / (1 + odds)
    np.fill_diagonal(probability, 0.0)
    return probability


# words: weights


def spread(holders: Sequence[Sequence[int]], value: Sequence[float], grid: float, cap: float) -> list[float]:
    """Return what holders give: in proportion to the value of their n-grams, of norm `grid`, each at most `cap`."""
    total = [0.0] * len(value)
    for holder in holders:
        norm = math.hypot(*(value[ngram] for ngram in holder))
        for ngram in holder:
            total[ngram] += math.floor(min(grid * value[ngram] / norm, cap)) if norm > 1e-140 else 0
    return total


def descend(holders: Sequence[Sequence[int]], ngrams: int, cutoff: float) -> list[float]:
    """Return the weights after holders, one by one, moved theirs straight towards the cutoff by 1 at most."""
    total = [0.0] * ngrams
    for holder in holders:
        distance = math.dist([total[ngram] for ngram in holder], [cutoff] * len(holder))
        for ngram in holder:
            total[ngram] += (cutoff - total[ngram]) / max(distance, 1.0)
    return total


def reroute(
    holders: Sequence[Sequence[int]],
    bias: Sequence[float],
    largest: float,
    most: int,
    needed: float,
    share: float,
) -> list[float]:
    """Return the weights after holders of at most `most` n-grams shared out what exceeds `needed`."""
    given = []
    for holder in holders:
        taken = [bias[ngram] ** 2 for ngram in holder if bias[ngram] < 1]
        rest = len(holder) - len(taken)
        whole = min(largest, math.sqrt((len(holder) - sum(taken)) / rest)) if rest else 0.0
        unit = 1 / math.sqrt(max(len(holder), 1))
        given.append({ngram: (bias[ngram] if bias[ngram] < 1 else whole) * unit for ngram in holder})
    few = [one for one in given if len(one) <= most]
    early = [sum(one.get(ngram, 0.0) ** 2 for one in few) for ngram in range(len(bias))]
    excess = [max(1 - needed / weight, 0.0) if weight else 0.0 for weight in early]
    total = [min(weight, needed) for weight in early]
    for one in given:
        back = sum(weight**2 * excess[ngram] for ngram, weight in one.items())
        for ngram, weight in one.items():
            total[ngram] += weight - weight**2 + share * back / most if len(one) <= most else weight
    return total


def restrict(holders: Sequence[Sequence[int]], kept: Sequence[bool], most: int) -> list[list[int]]:
    """Return the first `most` kept n-grams of each holder."""
    return [[ngram for ngram in holder if kept[ngram]][:most] for holder in holders]


def message_shares(
    passages: Sequence[tuple[int, int]],
    alike: Sequence[int],
    thread: Sequence[int],
    *,
    of_thread: bool,
) -> dict[int, float]:
    """Return 1 over how many copies a message, its near-copies and (if asked) its thread have; passages are copies."""
    near: dict[int, int] = {}
    of: dict[int, int] = {}
    for _, message in passages:
        near[alike[message]] = near.get(alike[message], 0) + 1
        of[thread[message]] = of.get(thread[message], 0) + 1
    return {
        message: 1 / max(near[alike[message]], of[thread[message]] if of_thread else 1)
        for _, message in passages
    }


def nested_weights(
    said: Sequence[set[str]],
    senders: Sequence[int],
    passages: Sequence[tuple[int, int]],
    share: dict[int, float],
    value: dict[str, float],
    *,
    edge: bool,
    sender: bool,
    words: bool,
) -> dict[str, float]:
    """Return what messages give their n-grams, clipped to edges and to senders if asked, by what stands in the proof.

    `passages` are pairs of an edge and a message that lies on it, one for each copy.
    """
    radius = 0.5 if sender else 1.0
    inner: dict[Any, dict[str, float]] = {}
    for place, message in passages:
        norm = math.hypot(*(value[ngram] for ngram in said[message]))
        key = (senders[message] if sender else -1, place) if edge else message
        held = inner.setdefault(key, {})
        for ngram in said[message]:
            if value[ngram] > 0:
                weight = min(value[ngram] / norm, 0.5 if words else 1.0) * share[message]
                held[ngram] = held.get(ngram, 0.0) + weight
    if edge:
        for key, held in inner.items():
            most = {ngram: 0.15 * radius if words else 0.3 * value[ngram] for ngram in held}
            inner[key] = _into_ball(held, most, radius)
    outer: dict[Any, dict[str, float]] = {}
    for key, held in inner.items():
        of_sender = outer.setdefault(key[0] if sender else key, {})
        for ngram, weight in held.items():
            of_sender[ngram] = of_sender.get(ngram, 0.0) + weight
    total: dict[str, float] = {}
    for held in outer.values():
        if sender:
            most = {ngram: min(0.5, 0.25 * value[ngram]) if words else 0.4 * value[ngram] for ngram in held}
            held = _into_ball(held, most, 1.0)
        for ngram, weight in held.items():
            total[ngram] = total.get(ngram, 0.0) + weight
    return total


def _into_ball(held: dict[str, float], most: dict[str, float], radius: float) -> dict[str, float]:
    """Cut each entry at its most, then shorten the vector to the radius."""
    cut = {ngram: min(weight, most[ngram]) for ngram, weight in held.items()}
    norm = math.hypot(*cut.values())
    return {ngram: weight * min(1.0, radius / norm) if norm else 0.0 for ngram, weight in cut.items()}


# words: counting


def ngram_counts(messages: Sequence[dict[str, Any]], n: int) -> dict[tuple[str, str], dict[str, int]]:
    """Count the n-grams of up to n words on every edge, message by message; subjects and bodies are plain words."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for message in messages:
        said = [
            " ".join(words[place : place + k])
            for words in (message["subject"].split(), message["body"].split())
            for k in range(1, n + 1)
            for place in range(len(words) - k + 1)
        ]
        for recipient in {*message["to"], *message["cc"]} - {message["from"]}:
            u, v = sorted((message["from"], recipient))
            carried = counts.setdefault((u, v), {})
            for ngram in said:
                carried[ngram] = carried.get(ngram, 0) + 1
    return counts


def neighbour_pairs(
    carried: Sequence[set[str]], ends: Sequence[tuple[int, int]]
) -> dict[tuple[int, ...], int]:
    """Count pairs by (neighbours, log10 of support, bit, neighbours that carry it), looking at every pair of edges."""
    found: dict[tuple[int, ...], int] = {}
    for ngram in set().union(*carried):
        support = sum(ngram in other for other in carried)
        for edge, (u, v) in enumerate(ends):
            # An edge between the same two persons meets at both of them, and counts twice: deg u + deg v - 2.
            around = [
                (u in pair) + (v in pair) if u != v else 2 * (u in pair)
                for place, pair in enumerate(ends)
                if place != edge
            ]
            others = [carried[place] for place in range(len(ends)) if place != edge]
            size = sum(around)
            carrying = sum(times for times, other in zip(around, others, strict=True) if ngram in other)
            key = (size, len(str(support)) - 1, int(ngram in carried[edge]), carrying)
            found[key] = found.get(key, 0) + 1
    return found


# attack


def least_mass(
    risk: float, right: int, guesses: int, canaries: int, slopes: Sequence[float], intercepts: Sequence[float]
) -> float:
    tails = {right: risk}
    for i in range(right - 1, -1, -1):
        above = sum(tails.values())
        hit = ((i + 1) * tails[i + 1] + above - tails[i + 1]) / canaries
        missed = max(0.0, *(slope * hit + start for slope, start in zip(slopes, intercepts, strict=True)))
        tails[i] = max(tails[i + 1], (above + canaries * missed) / (guesses - i))
    return tails[0]


def slot_evidence(
    order: Sequence[int],
    graph: Graph,
    slot: Sequence[int],
    volume: Sequence[float],
    epsilon: float,
    resolution: float,
    slots: int,
    pairs: Sequence[tuple[int, int]],
) -> list[float]:
    turn = {node: place for place, node in enumerate(order)}
    ends = [tuple(sorted(pair, key=lambda node: turn[node])) for pair in pairs]
    unknown = math.log((1 + math.exp(epsilon)) / 2)

    def log_chance(node: int, canary: int, *, there: bool) -> float:
        before = order[: turn[node]]
        exponent = [
            -epsilon
            * resolution
            * volume[node]
            * sum(volume[u] for u in before if slot[u] == c)
            / sum(volume)
            for c in range(slots)
        ]
        for u in before:
            exponent[slot[u]] += epsilon * graph.has_edge(u, node)
        for number, (first, second) in enumerate(ends):
            if second == node:
                exponent[slot[first]] += (epsilon if there else 0.0) if number == canary else unknown
        return exponent[slot[node]] - math.log(sum(math.exp(each) for each in exponent))

    return [
        log_chance(later, number, there=True) - log_chance(later, number, there=False)
        for number, (_, later) in enumerate(ends)
    ]
