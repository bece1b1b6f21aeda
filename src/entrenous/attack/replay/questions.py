"""One question on two data sets: whether the answer was drawn as it should be, and what any answer could have told.

Where noise is added to numbers, one function serves all statistics: the statistic answers for the other data, with the
recorded numbers in place of fresh noise. How far the true numbers are apart then bounds what any answer can tell.
Statistics that draw in another way have their laws here, written from the definition and not from the code that draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.replay.aligned import Aligned, DifferentError
from entrenous.attack.replay.replayed import Part
from entrenous.attack.tools.recorder import Draw, Said
from entrenous.attack.tools.transcript import same
from entrenous.graph import Graph
from entrenous.hrg.utility import Clipped, delta_u
from entrenous.network.drawing.pairs import pair_numbers
from entrenous.network.drawing.triangle_classes import triangles_by_class
from entrenous.network.statistics import Communities, PassingPairs, Slots, Tree, Triangles
from entrenous.network.statistics import communities as community_draws
from entrenous.network.statistics import slots as slot_draws
from entrenous.network.statistics.triangles import decay_for, least_leverage, leverages
from entrenous.price import Price
from entrenous.statistic import Noted, Statistic
from entrenous.words.statistics import FixedCounts
from entrenous.words.statistics.found import Found

__all__ = ["compared", "followed"]

_RUNGS = 4000  # of two ladders, compared one by one; further out their ratio only repeats

Floats = NDArray[np.float64]
_NAMES_OWN = "names what only this unit says"
#: The loss of the recorded answer, the most that any answer could tell, and what is wrong.
Drawn = tuple[float, Price, str | None]


#: What questions answer when they are asked again with the recorded numbers: worked out once.
Memory = dict[int, Any]


def compared(said: Said, data: Any, memory: Memory | None = None) -> Part:
    """Return what the answers to a question could tell between the recorded data and these.

    Parameters
    ----------
    said
        The question, as it was recorded.
    data
        The other data.
    memory
        Kept between calls for the same recording.

    Examples
    --------
    >>> from entrenous.attack.tools.recorder import Recorder
    >>> from entrenous.network.statistics import Degrees
    >>> from entrenous.unit import Unit
    >>> noise, pair = Recorder(1), Graph.from_edges([(0, 1)])
    >>> _ = noise.answer(Degrees(epsilon=1.0), pair, Unit.EDGE)
    >>> part = compared(noise.said[0], Graph.from_edges([], n=2))
    >>> part.moved.epsilon, part.exceeded
    (1.0, False)
    """
    statistic = said.statistic
    price = statistic.price(said.unit)
    try:
        told = _by_law(statistic, said, data)
        loss, moved, problem = told or _by_noise(said, data, {} if memory is None else memory)
    except DifferentError as difference:
        loss, moved, problem = 0.0, Price(), str(difference)
    if problem is _NAMES_OWN:
        return Part(statistic.name, price, moved, loss, names_own=True)
    return Part(statistic.name, price, moved, loss, problem)


def followed(said: Said) -> str | None:
    """Return what is wrong with how a recorded answer was drawn, or None: it must follow from its noisy numbers."""
    try:
        return _followed(said.statistic, said)
    except DifferentError as difference:
        return f"asked twice, it is answered otherwise: {difference}"


@singledispatch
def _followed(statistic: Statistic[Any, Any], said: Said) -> str | None:
    """Answer for the recorded data with the recorded numbers: nothing may have moved, and the answer is the same."""
    noise = Aligned(said.draws)
    answer = _answered(statistic, said, said.data, noise)
    if noise.moved != Price() or not noise.finished:
        return "asked twice, it does not count the same"
    by_words = any(draw.kind == "words" for draw in said.draws)
    if not by_words and not same(answer, _plain(said.answer)):
        return "the answer does not follow from its noisy numbers"
    return None


@singledispatch
def _by_law(statistic: Statistic[Any, Any], said: Said, data: Any) -> Drawn | None:  # noqa: ARG001
    """Compare by the law of a draw; None where noise is added to numbers."""
    return None


def _by_noise(said: Said, data: Any, memory: Memory) -> Drawn:
    """Compare the numbers that noise was added to, and what is made of equal noisy numbers."""
    noise = Aligned(said.draws)
    answer = _answered(said.statistic, said, data, noise)
    if not noise.finished:
        raise DifferentError("less noise is drawn than with the recorded data")
    # Both with the same numbers and words: nothing but the data can make a difference.
    if id(said) not in memory:
        memory[id(said)] = _answered(said.statistic, said, said.data, Aligned(said.draws))
    recorded = memory[id(said)]
    problem = None if same(answer, recorded) else _difference(answer, recorded, said, noise)
    return noise.loss, noise.moved, problem


def _answered(statistic: Statistic[Any, Any], said: Said, data: Any, noise: Aligned) -> Any:
    """Return what a statistic answers with given noise; an answer that goes on is followed to its end."""
    drawn = type(statistic).draw(statistic, data, said.unit, noise)
    answer = drawn.answer if isinstance(drawn, Noted) else drawn
    if isinstance(statistic, FixedCounts):
        return [answer.words, *(answer.longer(candidates) for candidates, _ in said.answer.scored)]
    return answer


def _plain(answer: Any) -> Any:
    """Return an answer that can be compared by its values."""
    return [answer.words, *(scored for _, scored in answer.scored)] if hasattr(answer, "scored") else answer


def _difference(answer: Any, recorded: Any, said: Said, noise: Aligned) -> str | None:
    """Say what a difference between two answers to the same noise means; None where it is what delta pays for."""
    one, other = (each[0] if isinstance(each, list) else each for each in (answer, recorded))
    if isinstance(one, Found) and isinstance(other, Found) and any(len(gone) for gone in noise.missing):
        own = {said.data.names[int(place)] for gone in noise.missing for place in gone}
        named = set(other.names)
        if named & own and set(one.names) == named - own:
            return _NAMES_OWN
    return "equal noisy numbers give other answers"


@_followed.register
def _slots_followed(statistic: Slots, said: Said) -> str | None:
    from entrenous.attack.replay._kernels import follow_slots

    graph: Graph = said.data
    drawn = follow_slots(
        statistic.order, graph.indptr, graph.indices, statistic.expected,
        max(statistic.epsilon - slot_draws.ROUNDING, 0.0), slot_draws.RESOLUTION, statistic.count, said.words,
    )  # fmt: skip
    return (
        None
        if np.array_equal(drawn, said.answer)
        else "slots do not follow from their words by the stated law"
    )


@_by_law.register
def _slots_told(statistic: Slots, said: Said, data: Graph) -> Drawn:
    from entrenous.attack.replay._kernels import slots_told

    graph: Graph = said.data
    loss, most = slots_told(
        statistic.order, graph.indptr, graph.indices, data.indptr, data.indices, statistic.expected,
        max(statistic.epsilon - slot_draws.ROUNDING, 0.0), slot_draws.RESOLUTION, statistic.count,
        np.asarray(said.answer, np.int64),
    )  # fmt: skip
    return loss, Price(epsilon=most), None


def _drawn_communities(statistic: Communities, said: Said) -> NDArray[np.int64]:
    """Return the communities that recorded words draw, before they are numbered without holes."""
    from entrenous.attack.replay._kernels import follow_communities

    graph: Graph = said.data
    epsilon = max(statistic.epsilon - community_draws.ROUNDING, 0.0) / 2
    communities = int(statistic.first.max()) + 1
    drawn: NDArray[np.int64] = follow_communities(
        graph.indptr, graph.indices, statistic.first, communities, epsilon, said.words
    )
    return drawn


@_followed.register
def _communities_followed(statistic: Communities, said: Said) -> str | None:
    numbered = np.unique(_drawn_communities(statistic, said), return_inverse=True)[1]
    if np.array_equal(numbered, said.answer):
        return None
    return "communities do not follow from their words by the stated law"


@_by_law.register
def _communities_told(statistic: Communities, said: Said, data: Graph) -> Drawn:
    from entrenous.attack.replay._kernels import communities_told

    graph: Graph = said.data
    loss, most = communities_told(
        graph.indptr, graph.indices, data.indptr, data.indices, statistic.first, int(statistic.first.max()) + 1,
        max(statistic.epsilon - community_draws.ROUNDING, 0.0) / 2, _drawn_communities(statistic, said),
    )  # fmt: skip
    return loss, Price(epsilon=most), None


@_followed.register
def _passing_followed(statistic: PassingPairs, said: Said) -> str | None:
    """Let each edge pass by its word, and count off the gaps between other pairs that pass."""
    chances, edges = statistic.filter, pair_numbers(said.data.edges())
    own, gaps = (
        said.draws[0],
        [draw for draw in said.draws[1:] if draw.kind != "words"],
    )  # the rest fills a block
    if own.kind != "words" or len(own.noisy) != len(edges):
        return "edges do not have one random word each"
    if not all(_is_geometric(draw, chances.rate) for draw in gaps):
        return "the gaps between passing pairs are drawn by another rate than the stated one"
    steps = np.concatenate([np.zeros(0, np.int64), *(draw.noisy[draw.noisy > 0] for draw in gaps)])
    everywhere = np.cumsum(np.minimum(steps, statistic.pairs + 1)) - 1
    passing = [
        edges[said.words[: len(edges)] < np.uint64(chances.keep)],
        np.setdiff1d(everywhere[everywhere < statistic.pairs], edges),
    ]
    if np.array_equal(np.sort(np.concatenate(passing)), pair_numbers(said.answer)):
        return None
    return "pairs do not pass by their random words and gaps"


@_by_law.register
def _passing_told(statistic: PassingPairs, said: Said, data: Graph) -> Drawn:
    chances = statistic.filter
    passing = math.log(chances.kept) - math.log(chances.invented)
    # In whole numbers: an edge may stay behind with a chance as small as 2^-64, and a float near 1 would say never.
    staying = math.log(2**64 - chances.keep) - 64 * math.log(2) + chances.rate
    before, after = pair_numbers(said.data.edges()), pair_numbers(data.edges())
    changed, gone = np.setxor1d(before, after), np.setdiff1d(before, after)
    passed = np.isin(changed, pair_numbers(said.answer))
    sign = np.where(np.isin(changed, gone), 1.0, -1.0)
    loss = float((sign * np.where(passed, passing, staying)).sum())
    return loss, Price(epsilon=len(changed) * max(abs(passing), abs(staying))), None


@_followed.register
def _triangles_followed(statistic: Triangles, said: Said) -> str | None:
    """Draw the rungs again from the recorded noise, and the places on them from the recorded words."""
    left, ladders = iter(said.draws), _ladders(statistic, said.data)
    if len(said.answer) != len(statistic.parts):
        return "there are not as many answers as classes"
    for drawn, ladder, epsilon in zip(said.answer.tolist(), ladders, statistic.parts, strict=True):
        if _climbed(*ladder, decay_for(epsilon), left) != drawn:
            return "triangles do not follow from their noise and words by the stated law"
    return None if next(left, None) is None else "more noise is drawn than the answers need"


def _climbed(count: int, leverage: int, decay: float, left: Iterator[Draw]) -> int | None:
    """Return the number that recorded noise and words lead to; None if they are not what a ladder needs.

    A rung k, the sum of two geometric numbers, is kept with probability (leverage + k) / (leverage (k + 1)).
    """
    while True:
        first, second = next(left, None), next(left, None)
        if first is None or second is None:
            return None
        if not (_is_geometric(first, decay) and _is_geometric(second, decay)):
            return None
        both = first.noisy + second.noisy
        rungs: list[int] = both[(first.noisy >= 0) & (second.noisy >= 0)].tolist()
        for rung in rungs:
            words = _words_of(left)
            place = _below(leverage * (rung + 1), words)
            if place is None:
                return None
            if place < leverage + rung:
                up = _below(2, words)
                if up is None:
                    return None
                before = rung * leverage + rung * (rung - 1) // 2
                return count + before + place if up else count - 1 - before - place


def _is_geometric(draw: Draw, fall: float) -> bool:
    """Tell whether a draw is bare geometric noise that falls by so much a step."""
    return draw.kind == "geometric" and not draw.true.any() and math.isclose(draw.scale * fall, 1)


def _words_of(left: Iterator[Draw]) -> Iterator[int]:
    """Yield random words as long as draws of them follow."""
    while (draw := next(left, None)) is not None and draw.kind == "words":
        yield from draw.noisy.view(np.uint64).tolist()


def _below(bound: int, words: Iterator[int]) -> int | None:
    """Return the whole number below the bound that words draw: remainders, the uneven end rejected."""
    even = 2**64 - 2**64 % bound
    return next((word % bound for word in words if word < even), None)


@_by_law.register
def _triangles_told(statistic: Triangles, said: Said, data: Graph) -> Drawn:
    loss, most = 0.0, 0.0
    before, after = _ladders(statistic, said.data), _ladders(statistic, data)
    for drawn, epsilon, here, there in zip(said.answer.tolist(), statistic.parts, before, after, strict=True):
        tried = np.unique(np.concatenate([[drawn], _steps(*here), _steps(*there)]))
        ratio = _log_chance(tried, *here, epsilon) - _log_chance(tried, *there, epsilon)
        most += float(np.abs(ratio).max())
        loss += float(ratio[np.searchsorted(tried, drawn)])
    return loss, Price(epsilon=most), None


def _ladders(statistic: Triangles, graph: Graph) -> list[tuple[int, int]]:
    """Return the count and the leverage of each class."""
    least = np.array([least_leverage(part) for part in statistic.parts])
    counts = triangles_by_class(graph.indptr, graph.indices, statistic.label, len(statistic.parts))
    widths = leverages(graph.indptr, graph.indices, statistic.label, least)
    return list(zip(counts.tolist(), widths.tolist(), strict=True))


def _steps(count: int, leverage: int) -> NDArray[np.int64]:
    """Return the first and the last number of every rung on either side: between them nothing changes."""
    rungs = np.arange(_RUNGS, dtype=np.int64)
    start = rungs * leverage + rungs * (rungs - 1) // 2
    up = np.concatenate([count + start, count + start - 1])
    return np.concatenate([up, count - 1 - start, count - start])


def _log_chance(numbers: NDArray[np.int64], count: int, leverage: int, epsilon: float) -> Floats:
    """Return the logarithms of the chances of numbers on a ladder.

    Rung k holds leverage + k numbers on either side, each with a chance in proportion to exp(-decay k).
    """
    decay = decay_for(epsilon)
    away = np.where(numbers >= count, numbers - count, count - 1 - numbers).astype(np.float64)
    half = leverage - 0.5
    rung = np.floor(np.sqrt(half * half + 2 * away) - half)
    rung -= rung * leverage + rung * (rung - 1) / 2 > away
    rung += (rung + 1) * leverage + (rung + 1) * rung / 2 <= away
    odds = math.exp(-decay) / -math.expm1(-decay)  # 1 / (e^decay - 1), also where e^decay overflows
    total = 2 * (leverage + odds) / -math.expm1(-decay)
    return np.asarray(-decay * rung - math.log(total))


@_followed.register
def _tree_followed(statistic: Tree, said: Said) -> str | None:  # noqa: ARG001
    return None if said.answer.n == said.data.n else "the hierarchy has other leaves than the graph has nodes"


@_by_law.register
def _tree_told(statistic: Tree, said: Said, data: Graph) -> Drawn:
    """Compare under the law that the chain approaches; what its normalisers can add is known by the utility's range."""
    utility, tree = statistic.utility, said.answer
    if isinstance(utility, Clipped):
        low, high = (math.log(end / (1 - end)) for end in utility.bounds)
    else:
        low, high = -delta_u(data.n), delta_u(data.n)
    beta = statistic.epsilon / (high - low)
    effect = utility.total(tree.counts(said.data), tree.pairs) - utility.total(tree.counts(data), tree.pairs)
    more = effect if said.data.m > data.m else -effect  # of one edge more
    return beta * effect, Price(epsilon=beta * max(high - more, more - low)), None
