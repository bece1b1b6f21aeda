"""The desk: private data is asked, never held.

A mechanism gets a `Desk` and public facts, never the data. What it asks are statistics (`entrenous.statistic`), the
only code that sees private data and noise together. The desk counts what was asked and refuses what would exceed its
ceiling: pure epsilons by OpenDP's own odometer and privacy filter, normal noise by an accountant of dp-accounting. What
a release promises is read off its desk; nothing is typed beside a mechanism.

Examples
--------
>>> from entrenous import datasets
>>> from entrenous.network import statistics
>>> asked = desk(datasets.karate_club(), unit=Unit.EDGE, epsilon=1.0, rng=7)
>>> asked(statistics.Size(epsilon=0.25)), asked.spent.epsilon
(76, 0.25)
>>> asked(statistics.Size(epsilon=0.8))
Traceback (most recent call last):
entrenous.errors.PrivacyError: size: asked for epsilon 0.8, and 0.75 of 1 is left; the question was not answered

References
----------
Rogers, Roth, Ullman, Vadhan: Privacy odometers and filters: pay-as-you-go composition. NeurIPS 2016.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, NoReturn, Protocol

import numpy as np

from entrenous import _check, opendp
from entrenous.errors import ArgumentError, PrivacyError
from entrenous.guarantee import KNOWN_SEED, Guarantee
from entrenous.noise import Noise
from entrenous.price import Price, dp_accounting, gaussian_accountant
from entrenous.statistic import Answer, Data, Noted, Statistic, check_statistic
from entrenous.unit import Unit

__all__ = ["Desk", "desk"]

#: What rounding may add to a sum of squares, relative to its root. Whoever converts a mu keeps a billionth of delta
#: back for floating point, which covers it.
ROUNDING = 1e-12

#: A share of epsilon so small that it is due to rounding, and not worth a line on a card.
UNSPENT = 1e-9


@dataclass(frozen=True)
class Asked:
    """A question that was answered, and what it cost."""

    statistic: Statistic[Any, Any]
    price: Price


class Desk(Generic[Data]):
    """Private data behind a counter that knows what was asked.

    Parameters
    ----------
    data
        The private data.
    unit
        What is protected.
    ceiling
        The most that all questions may cost together; it must be charged to a vault before.
    noise
        Where noise comes from.
    """

    def __init__(self, data: Data, *, unit: Unit, ceiling: Price, noise: Noise) -> None:
        if ceiling.epsilon and (ceiling.mu or ceiling.delta):
            raise ArgumentError("ceiling", "expected pure epsilon, or normal noise with a delta; got both")
        self.unit = unit
        self.ceiling = ceiling
        self._asked: list[Asked] = []
        self._notes: dict[str, Any] = {}
        self._lock = Lock()
        self._noise = noise
        self._meter = self._metered(data)

    def _metered(self, data: Data) -> _Meter:
        """Put the data behind what counts prices."""
        if self.ceiling.epsilon:
            return _PureMeter(data, self.unit, self.ceiling.epsilon)
        return _GaussianMeter(data, self.ceiling)

    def __call__(self, statistic: Statistic[Data, Answer]) -> Answer:
        """Answer a question with noise, or refuse because the ceiling would be exceeded."""
        check_statistic(statistic)
        price = type(statistic).price(statistic, self.unit)
        with self._lock:  # two threads that ask at once must not both find the same room below the ceiling
            data = self._meter.charge(price, statistic.name)
            self._asked.append(Asked(statistic, price))  # also an answer that fails is paid for
        drawn: Any = self._noise.answer(statistic, data, self.unit)
        if isinstance(drawn, Noted):
            self._notes.update(drawn.notes)
            drawn = drawn.answer
        answer: Answer = drawn
        return answer

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise PrivacyError("a desk is not copied: a copy would have a ceiling of its own")

    @property
    def asked(self) -> tuple[Asked, ...]:
        """What was charged for so far."""
        return tuple(self._asked)

    @property
    def rehearsal(self) -> bool:
        """Whether noise comes from a seed."""
        return self._noise.rehearsal

    @property
    def generator(self) -> np.random.Generator:
        """Random numbers for post-processing, on which no promise rests."""
        return self._noise.generator

    @property
    def spent(self) -> Price:
        """What all answers so far cost together."""
        return Price.total(asked.price for asked in self.asked)

    @property
    def parts(self) -> dict[str, float]:
        """What each statistic cost, by name, in the order of asking: a pure epsilon, or a mu."""
        parts: dict[str, Price] = {}
        for asked in self.asked:
            parts[asked.statistic.name] = parts.get(asked.statistic.name, Price()) + asked.price
        return {name: price.epsilon or price.mu for name, price in parts.items()}

    @property
    def costs(self) -> dict[str, float]:
        """What a card says: the cost of each statistic, and what was not spent, to six digits."""
        word = "epsilon" if self.ceiling.epsilon else "mu"
        costs = {f"{word} for {name}": cost for name, cost in self.parts.items()}
        left = self.ceiling.epsilon - self.spent.epsilon  # of normal noise: 0
        if left > UNSPENT * self.ceiling.epsilon:
            costs["epsilon not spent"] = left
        return {name: float(f"{cost:.6g}") for name, cost in costs.items()}

    @property
    def conditions(self) -> tuple[str, ...]:
        """What the prices of the questions rest on besides proofs."""
        sentences = (asked.statistic.condition for asked in self.asked)
        return tuple(dict.fromkeys(sentence for sentence in sentences if sentence))

    def guarantee(self, assumptions: tuple[str, ...] = ()) -> Guarantee:
        """Return the pure promise of everything that was, and could have been, asked here: the filter's own.

        It is the ceiling, not what happened to be spent: how much is spent may depend on noisy answers, and a promise
        is about all of them.
        """
        if not self.ceiling.epsilon:
            raise PrivacyError("normal noise has no pure promise; convert its price at a delta")
        seed = (KNOWN_SEED,) if self.rehearsal else ()
        return Guarantee(
            epsilon=self._meter.promised,
            unit=self.unit,
            assumptions=(*seed, *assumptions),
            conditional=" and on ".join(self.conditions) or None,
        )


def desk(
    data: Data,
    *,
    unit: Unit | str,
    epsilon: float,
    rng: np.random.Generator | int | None = None,
) -> Desk[Data]:
    """Return a desk for questions that cost at most a pure epsilon together.

    Nothing is charged here: `network.release` and its like charge a vault and then ask.
    """
    ceiling = Price(epsilon=_check.epsilon("epsilon", epsilon))
    return Desk(data, unit=Unit.named(unit), ceiling=ceiling, noise=Noise(rng))


def notes_of(asked: Desk[Any]) -> Mapping[str, Any]:
    """Return what statistics noted for the curator. It was not paid for; mechanisms cannot import this."""
    return dict(asked._notes)


class _Meter(Protocol):
    """What counts the price of questions and holds the data."""

    @property
    def promised(self) -> float:
        """The epsilon of everything that may be asked."""

    def charge(self, price: Price, name: str) -> Any:
        """Charge, then hand out the data."""


class _PureMeter:
    """OpenDP's privacy filter. It alone holds the data."""

    def __init__(self, data: object, unit: Unit, epsilon: float) -> None:
        self._kind, self._unit = type(data), unit
        self._epsilon = self._left = epsilon
        filtered = opendp.privacy_filter(epsilon, kind=self._kind, unit=unit)
        self.promised = float(filtered.map(1))
        self._queryable = filtered(data)
        # OpenDP describes each object by the call that made it, arguments included: here, by the data itself.
        vars(self._queryable).pop("__opendp_dict__", None)

    def charge(self, price: Price, name: str) -> Any:
        if price.mu or price.delta:
            raise PrivacyError(f"{name}: normal noise cannot be asked for at a desk of pure epsilon")
        handed: list[Any] = []
        # OpenDP evaluates a question before its filter refuses it, and charges nothing for one that fails. So it only
        # hands out the data, and the answer is drawn once the charge stands.
        charge = opendp.answering(handed.append, price.epsilon, kind=self._kind, unit=self._unit)
        try:
            self._queryable(charge)  # proof: pure-composition
        except opendp.library().OpenDPException:
            handed.clear()
            left, self._left = self._left, 0.0  # whoever asked for too much gets no further answer
            raise PrivacyError(
                f"{name}: asked for epsilon {price.epsilon:.12g}, and {left:.12g} of {self._epsilon:.12g} is left; "
                "the question was not answered"
            ) from None
        self._left = max(self._epsilon - float(self._queryable.privacy_loss(1)), 0.0)
        return handed.pop()


class _GaussianMeter:
    """An accountant of dp-accounting for normal noise, and a sum of deltas. It alone holds the data."""

    def __init__(self, data: object, ceiling: Price) -> None:
        self._data: Callable[[], object] = lambda: data
        self._ceiling = ceiling
        self._accountant = gaussian_accountant()
        self._delta = 0.0

    @property
    def promised(self) -> float:
        raise PrivacyError("normal noise has no pure promise; convert its price at a delta")

    def charge(self, price: Price, name: str) -> Any:
        if price.epsilon:
            raise PrivacyError(f"{name}: a pure epsilon cannot be asked for at a desk of normal noise")
        mu = (self._accountant.mu**2 + price.mu**2) ** 0.5  # proof: gaussian-composition
        delta = self._delta + price.delta
        if mu > self._ceiling.mu * (1 + ROUNDING) or delta > self._ceiling.delta * (1 + ROUNDING):
            raise PrivacyError(
                f"{name}: asked for mu {price.mu:.12g} and delta {price.delta:.12g}; with what was asked before that "
                f"exceeds mu {self._ceiling.mu:.12g} and delta {self._ceiling.delta:.12g}; it was not answered"
            )
        if price.mu:
            self._accountant.compose(dp_accounting().GaussianDpEvent(noise_multiplier=1 / price.mu))
        self._delta = delta
        return self._data()
