"""Our statistics as measurements of OpenDP, to be composed with those of everybody else.

A graph, or a table of mail, is an element of a *user domain* of OpenDP; a unit of privacy is a *user distance*; every
statistic is a *user measurement* with its proved privacy map. `Desk` is made of these; whoever works with OpenDP can
take them alone.

>>> import opendp.prelude as dp
>>> from entrenous import datasets
>>> from entrenous.network import statistics
>>> noisy_size = measurement(statistics.Size(epsilon=0.5))
>>> noisy_size.map(1), noisy_size.map(3)
(0.5, 1.5)
>>> isinstance(noisy_size(datasets.karate_club()), int)
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from entrenous import _check
from entrenous.errors import PrivacyError
from entrenous.graph import Graph
from entrenous.noise import Noise
from entrenous.statistic import Noted, Statistic
from entrenous.unit import Unit

__all__ = ["distance", "domain", "measurement", "transformation"]


def library() -> Any:
    """Return OpenDP with the features switched on that user-defined measurements need."""
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    return dp


def domain(kind: type) -> Any:
    """Return the domain of all private things of one kind."""
    return library().user_domain(
        f"{kind.__module__}.{kind.__qualname__}", lambda value: isinstance(value, kind)
    )


def distance(unit: Unit = Unit.EDGE) -> Any:
    """Return the distance between two data sets: how many units apart they are."""
    return library().user_distance(f"entrenous: {unit.name}")


def measurement(statistic: Statistic[Any, Any], *, unit: Unit = Unit.EDGE, noise: Noise | None = None) -> Any:
    """Return a statistic as a measurement of OpenDP, with its pure epsilon for every number of units.

    Parameters
    ----------
    statistic
        The question.
    unit
        What counts as one step of distance.
    noise
        Where noise comes from; by default OpenDP's samplers and the operating system. Noise with a seed is for
        tests: whoever knows the seed can take it away again, and nothing in the answer says that it had one.
    """
    price = statistic.price(unit)
    if price.mu or price.delta:
        raise PrivacyError(f"{statistic.name}: expected a pure epsilon; got normal noise or a delta")
    if statistic.condition:
        raise PrivacyError(
            f"{statistic.name}: its price is conditional on {statistic.condition}; OpenDP cannot say so"
        )
    source = Noise() if noise is None else noise

    def answer(data: Any) -> Any:
        drawn = statistic.draw(data, unit, source)
        return drawn.answer if isinstance(drawn, Noted) else drawn  # notes are not paid for

    return answering(answer, price.epsilon, kind=statistic.kind, unit=unit)


def answering(answer: Callable[[Any], Any], epsilon: float, *, kind: type, unit: Unit) -> Any:
    """Return a measurement of OpenDP that answers by a function, at this epsilon for one unit."""
    dp = library()
    return dp.m.make_user_measurement(
        domain(kind),
        distance(unit),
        dp.max_divergence(),
        answer,
        lambda units: _check.at_least("distance", units, 0) * epsilon,
        TO="ExtrinsicObject",
    )


def transformation(
    count: Callable[[Any], int], *, stability: int, kind: type = Graph, unit: Unit = Unit.EDGE
) -> Any:
    """Return a whole number read off private data as a transformation of OpenDP, to be chained with its noise.

    Parameters
    ----------
    count
        What is counted.
    stability
        How far one unit moves it; whoever calls vouches for that.
    kind, unit
        What it is counted in, and what counts as one step of distance.
    """
    dp = library()
    return dp.t.make_user_transformation(
        domain(kind),
        distance(unit),
        dp.atom_domain(T="i64"),
        dp.absolute_distance(T="i64"),
        count,
        lambda units: _check.at_least("distance", units, 0) * _check.at_least("stability", stability, 1),
    )


def privacy_filter(epsilon: float, *, kind: type, unit: Unit) -> Any:
    """Return OpenDP's odometer of fully adaptive composition behind its privacy filter, which refuses the excess."""
    dp = library()
    odometer = dp.c.make_fully_adaptive_composition(domain(kind), distance(unit), dp.max_divergence())
    return dp.c.make_privacy_filter(odometer, d_in=1, d_out=epsilon)
