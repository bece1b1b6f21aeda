"""What a vault would still allow: one order of each sort, tried and not charged."""

from __future__ import annotations

from dataclasses import dataclass

from entrenous.errors import PrivacyError
from entrenous.guarantee import GRAPH_PUBLIC, NODES_LISTED, Guarantee
from entrenous.price import NoiseEvent, gaussian_mu
from entrenous.unit import Unit
from entrenous.vault.order import Order
from entrenous.vault.rules import admitted
from entrenous.vault.state import State

__all__ = ["Prospect", "orders", "outlook"]

DELTA = 1e-6  # of an order that needs one, on a vault that has none


@dataclass(frozen=True)
class Prospect:
    """Whether an order would be admitted, and why not."""

    order: str
    allowed: bool
    reason: str = ""

    @property
    def sentence(self) -> str:
        """The prospect in one line."""
        return f"{self.order}: {'yes' if self.allowed else f'no, {self.reason}'}"


def outlook(state: State, *, epsilon: float = 1.0) -> list[Prospect]:
    """Return what would be allowed at an epsilon."""
    left = [float(total.left_delta) for total in state.totals.values() if total and total.left_delta]
    delta = min([*left, 10 * DELTA]) if left else DELTA
    asked = orders(epsilon, delta).items()
    return [_prospect(name, order, state) for name, order in asked if _concerns(order, state)]


def _concerns(order: Order, state: State) -> bool:
    """Tell whether an order is of interest here: words of units without a budget are not."""
    units = [str(each.unit) for each in order.promises]
    return order.sees != ("contents",) or any(unit in state.budgets for unit in units)


def orders(epsilon: float, delta: float) -> dict[str, Order]:
    """Return one order of each sort, by what people call it."""
    vocabulary = NoiseEvent("gaussian", scale=1 / gaussian_mu(epsilon, 0.9 * delta), delta=0.1 * delta)
    counts = NoiseEvent("geometric", scale=10 / epsilon, repeats=10)
    found = {
        f"a network release at epsilon {epsilon:g}": Order(
            purpose="network release",
            sees=("ties",),
            guarantee=Guarantee(epsilon=epsilon, unit=Unit.EDGE, assumptions=(NODES_LISTED,)),
        )
    }
    said = {
        Unit.EDGE_AND_MESSAGE: "edges and messages",
        Unit.MESSAGE: "messages",
        Unit.THREAD: "threads",
        Unit.EDGE_CONTENT: "edges",
        Unit.SENDER: "senders",
        Unit.ALL_OF_MAIL: "messages, threads, edges and senders",
    }
    for unit, of_whom in said.items():
        for listed, how in (((), ""), ((GRAPH_PUBLIC,), " and a public list of ties")):
            found[f"a vocabulary at epsilon {epsilon:g} for {of_whom}{how}"] = Order(
                purpose="words vocabulary",
                sees=("contents",),
                guarantee=Guarantee(epsilon=epsilon, delta=delta, unit=unit, assumptions=listed),
                event=vocabulary,
            )
            found[f"counts at epsilon {epsilon:g} for {of_whom}{how}"] = Order(
                purpose="words histogram",
                sees=("contents",),
                guarantee=Guarantee(epsilon=epsilon, unit=unit, assumptions=listed),
                event=counts,
            )
    found["links, every tie blurred"] = Order(purpose="links obfuscate", sees=("ties",), exposes=("ties",))
    return found


def _prospect(name: str, order: Order, state: State) -> Prospect:
    try:
        admitted(order, state)
    except PrivacyError as refusal:
        return Prospect(name, False, str(refusal).partition("; nothing was")[0])
    return Prospect(name, True)
