"""Orders as the nouns make them, for tests."""

from __future__ import annotations

from entrenous.guarantee import GRAPH_PUBLIC, NODES_LISTED, Guarantee, Kind
from entrenous.price import NoiseEvent, gaussian_mu
from entrenous.unit import Unit
from entrenous.vault import Order

WORDS = "words histogram"
#: What holds at the same time for a smaller change, as cards of words say it: how many of which unit.
LEVELS = {
    Unit.GROUP: (4, Unit.EDGE_CONTENT),
    Unit.REPLACED_CONTENT: (2, Unit.EDGE_CONTENT),
    Unit.REPLACED_SENDER: (2, Unit.SENDER),
}


def ties(epsilon: float = 0.1, delta: float = 0.0, *, rehearsal: bool = False) -> Order:
    """Return a network release."""
    promise = Guarantee(epsilon=epsilon, delta=delta, assumptions=(NODES_LISTED,))
    return Order(purpose="network release", sees=("ties",), guarantee=promise, rehearsal=rehearsal)


def words(
    epsilon: float = 0.1,
    delta: float = 0.0,
    *,
    unit: Unit = Unit.EDGE_CONTENT,
    listed: bool = False,
    event: NoiseEvent | None = None,
) -> Order:
    """Return counts or a vocabulary, with a public list of ties or without."""
    times, level = LEVELS.get(unit, (1, None))
    promise = Guarantee(
        epsilon=epsilon,
        delta=delta,
        unit=unit,
        assumptions=(GRAPH_PUBLIC,) if listed else (),
        size=times if unit == Unit.GROUP else None,
        level=None if level is None else Guarantee(epsilon=epsilon / times, delta=delta, unit=level),
    )
    return Order(purpose=WORDS, sees=("contents",), guarantee=promise, event=event)


def believed(epsilon: float = 1.0, level: float = 0.1) -> Order:
    """Return words under a belief about neighbours, whose attacker knows the ties."""
    promise = Guarantee(
        epsilon=epsilon,
        unit=Unit.CORRELATED_EDGE,
        kind=Kind.PUFFERFISH,
        assumptions=(GRAPH_PUBLIC,),
        level=Guarantee(epsilon=level, unit=Unit.EDGE_CONTENT),
    )
    return Order(purpose="words histogram under a belief", sees=("contents",), guarantee=promise)


def gaussian(epsilon: float, delta: float, unit: Unit = Unit.EDGE_CONTENT) -> Order:
    """Return words with normal noise that is calibrated to epsilon and delta."""
    noise = NoiseEvent("gaussian", scale=1 / gaussian_mu(epsilon, delta))
    return words(epsilon, delta, unit=unit, event=noise)


def links() -> Order:
    """Return what `links obfuscate` asks for."""
    return Order(purpose="links obfuscate", sees=("ties",), exposes=("ties",))
