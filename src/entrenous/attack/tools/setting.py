"""A setting of an audit: a mechanism, two neighbouring inputs, and what the attacker makes of each output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from entrenous.unit import Unit

__all__ = ["Play", "Setting"]

#: Run the mechanism once, with the canary or without, and return the attacker's score of what came out.
#: None instead of a generator stands for real noise.
Play = Callable[[bool, np.random.Generator | None], float]


@dataclass(frozen=True)
class Setting:
    """A mechanism under attack.

    Attributes
    ----------
    name
        The mechanism and what is attacked of it, as in "network: owner, slots".
    unit
        What its promise hides.
    attack
        The canary and the attacker's score, in words.
    epsilon, delta
        What is stated.
    play
        One run.
    short
        How many runs of each world the short audit plans; it ends earlier once the promise is refuted.
    flaw
        What is wrong with the mechanism, if it was broken on purpose.
    """

    name: str
    unit: Unit
    attack: str
    epsilon: float
    play: Play
    delta: float = 0.0
    short: int = 500
    flaw: str | None = None
