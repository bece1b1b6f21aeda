"""Questions for tests of the desk; they live in a folder called `statistics`, as all that see private data must."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from entrenous.noise import Noise
from entrenous.price import NoiseEvent, Price
from entrenous.statistic import Counts, Statistic
from entrenous.unit import Unit


@dataclass(frozen=True)
class Entries(Counts[list[int], list[int]]):
    """The entries of a list; one unit moves one of them by two."""

    name: ClassVar[str] = "entries"
    proof: ClassVar[str] = "none"
    kind = list
    stability: ClassVar[dict[Unit, int]] = {Unit.EDGE: 2}
    epsilon: float

    def count(self, data: list[int]) -> Any:
        return np.array(data)

    def answer(self, noisy: Any) -> list[int]:
        return noisy.tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Asking(Statistic[list[int], Any]):
    """Whatever a test wants to ask."""

    name: ClassVar[str] = "anything"
    proof: ClassVar[str] = "none"
    kind = list
    cost: Price
    do: Callable[[list[int]], Any] = len

    def price(self, unit: Unit) -> Price:
        return self.cost

    def draw(self, data: list[int], unit: Unit, noise: Noise) -> Any:
        return self.do(data)

    def event(self, unit: Unit) -> NoiseEvent | None:
        return NoiseEvent("gaussian", scale=1 / self.cost.mu) if self.cost.mu else None


class Conditional(Asking):
    """A question whose price rests on more than a proof."""

    condition = "the weather"


class AlsoConditional(Asking):
    """A question whose price rests on something else."""

    condition = "the season"
