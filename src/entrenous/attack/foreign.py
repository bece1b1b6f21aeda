"""The audit of a mechanism that others wrote: any function from data to an output, with a stated epsilon."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from entrenous import _check
from entrenous.attack.tools.evidence import Bounds, Evidence
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.lower_bound import CONFIDENCE
from entrenous.attack.tools.scoring import learn_score
from entrenous.errors import ArgumentError

__all__ = ["audit"]

_LEARNING = 5  # one run in so many teaches a score, where none is given
_PIECES = 20  # after each of which a promise may be refuted
_FEWEST = 100

Pair = tuple[Any, Any]


def audit(
    mechanism: Callable[..., Any],
    *,
    neighbours: Pair | Sequence[Pair],
    epsilon: float,
    delta: float = 0.0,
    score: Callable[[Any], float] | None = None,
    runs: int = 2000,
    rng: int | None = None,
    name: str | None = None,
) -> Finding:
    """Run any mechanism on two neighbouring inputs and return the epsilon that it certainly gives away.

    The runs end once the promise is refuted. A mechanism that keeps it is called broken with a probability of at most
    one in two thousand, whatever it does inside and whatever the score is, if its runs are independent.

    Parameters
    ----------
    mechanism
        A function of the data. If it has an argument called ``rng``, it is given a numpy generator by that name.
    neighbours
        Two inputs that nobody should be able to tell apart, as a tuple; or a list of such tuples, over which the risk
        of a mistake is divided. The largest bound is returned.
    epsilon, delta
        What is stated.
    score
        A number for each output, telling the two inputs apart. By default it is learned from the first fifth of the
        runs (`entrenous.attack.tools.scoring`).
    runs
        How many runs are planned on each input of each pair.
    rng
        A seed for the generators that the mechanism is given, so that an audit can be repeated; None for ones that
        nobody can predict.
    name
        What the mechanism is called in the finding.

    Examples
    --------
    Laplace noise for a sensitivity of 1, where one tie changes two degrees:

    >>> def degrees(data, rng):
    ...     return np.asarray(data) + rng.laplace(scale=1.0, size=len(data))
    >>> found = audit(degrees, neighbours=([0, 0, 2], [1, 1, 2]), epsilon=1.0, rng=1)
    >>> found.broken, found.trials < 4000
    (True, True)
    """
    pairs = _pairs(neighbours)
    epsilon, delta = _check.epsilon("epsilon", epsilon), _check.probability("delta", delta)
    runs = _check.at_least("runs", runs, _FEWEST)
    tried = []
    for place, pair in enumerate(pairs):
        play = _player(mechanism, None if rng is None else (rng, place))
        evidence = Evidence(epsilon, delta).shared(len(pairs))
        made, complete = _gather(play, pair, evidence, score, runs)
        tried.append((evidence.bounds(complete=complete), made, place))
        if evidence.refuted:
            break
    bounds, _, worst = max(tried, key=lambda each: (each[0].beyond_doubt > epsilon, each[0].shown))
    return Finding(
        mechanism=name or str(getattr(mechanism, "__name__", type(mechanism).__name__)),
        unit="neighbouring inputs",
        attack="likelihood ratio learned from outputs" if score is None else "a score of its own",
        stated=epsilon,
        measured=bounds.shown,
        confidence=CONFIDENCE,
        trials=sum(made for _, made, _ in tried),
        delta=delta,
        details=_details(bounds, worst, 2 * runs * len(pairs)),
        beyond_doubt=bounds.beyond_doubt,
    )


def _details(bounds: Bounds, pair: int, planned: int) -> dict[str, float]:
    return {"likelier": bounds.likelier, "other": bounds.other, "pair": pair, "planned": planned}


def _pairs(neighbours: Pair | Sequence[Pair]) -> list[Pair]:
    pairs = [neighbours] if isinstance(neighbours, tuple) else list(neighbours)
    if not pairs or any(not isinstance(pair, tuple) or len(pair) != 2 for pair in pairs):
        raise ArgumentError(
            "neighbours", "expected a tuple of two inputs, or a list of such tuples; got something else"
        )
    return pairs


def _player(
    mechanism: Callable[..., Any], seed: tuple[int, ...] | None
) -> Callable[[Any, int], Iterator[Any]]:
    """Return what runs the mechanism on an input, so many times: each series with a generator of its own."""
    try:
        wants_rng = "rng" in inspect.signature(mechanism).parameters
    except ValueError:  # of some built-in functions nothing is known
        wants_rng = False

    def play(data: Any, world: int) -> Iterator[Any]:
        if not wants_rng:
            while True:
                yield mechanism(data)
        generator = np.random.default_rng(None if seed is None else (*seed, world))
        while True:
            yield mechanism(data, rng=generator)

    return play


def _gather(
    play: Callable[[Any, int], Iterator[Any]],
    pair: Pair,
    evidence: Evidence,
    score: Callable[[Any], float] | None,
    runs: int,
) -> tuple[int, bool]:
    """Make the runs of one pair; return how many there were, and whether they are all that were planned."""
    sources = [play(data, world) for world, data in enumerate(pair)]
    learning = 0 if score is not None else runs // _LEARNING
    if score is None:
        score = learn_score(*([next(source) for _ in range(learning)] for source in sources))
    judged = runs - learning
    for piece in range(_PIECES):
        more = judged * (piece + 1) // _PIECES - judged * piece // _PIECES
        canary, plain = ([_scored(score, next(source)) for _ in range(more)] for source in sources)
        evidence.add(canary, plain)
        if evidence.refuted:
            break
    return 2 * (learning + len(evidence.canary)), len(evidence.canary) == judged


def _scored(score: Callable[[Any], float], output: Any) -> float:
    value = float(score(output))
    if np.isnan(value):
        raise ArgumentError("score", "expected a number for each output; got nan")
    return value
