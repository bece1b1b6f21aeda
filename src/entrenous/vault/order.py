"""What is about to be told about a data set, before anything is told."""

from __future__ import annotations

from dataclasses import dataclass, field

from entrenous.errors import ArgumentError, VaultError
from entrenous.guarantee import Guarantee, Kind
from entrenous.price import NoiseEvent
from entrenous.unit import PARTS
from entrenous.vault.budget import NOT_COUNTED
from entrenous.vault.facts import Fact

__all__ = ["Order"]


@dataclass(frozen=True, kw_only=True)
class Order:
    """A release that is asked for.

    Parameters
    ----------
    purpose
        What it is, in the words of its mechanism; nothing that depends on the data.
    sees
        The parts of the data that it is computed from.
    guarantee
        What it promises; None where nothing is promised.
    event
        Its noise in detail, per unit of what is charged.
    facts
        Facts it declares besides those that its guarantee assumes.
    exposes
        The parts of the data of which anything may be known once it is published: it promises nothing for them.
    rehearsal
        Whether its noise comes from a seed. It is charged all the same: its output depends on the data too.

    Examples
    --------
    >>> Order(purpose="links: LORA", sees=("ties",), exposes=("ties",)).reveals
    ('ties',)
    """

    purpose: str
    sees: tuple[str, ...]
    guarantee: Guarantee | None = None
    event: NoiseEvent | None = None
    facts: tuple[Fact, ...] = ()
    exposes: tuple[str, ...] = ()
    rehearsal: bool = False
    promises: tuple[Guarantee, ...] = field(init=False)

    def __post_init__(self) -> None:
        if not self.sees or not {*self.sees, *self.exposes} <= set(PARTS):
            raise ArgumentError("sees, exposes", f"expected parts of a data set: {', '.join(PARTS)}")
        given = () if self.guarantee is None else (self.guarantee, self.guarantee.level)
        kept = tuple(
            each
            for each in given
            if each is not None and each.kind is Kind.DP and each.unit not in NOT_COUNTED
        )
        if not kept and not self.exposes:
            raise VaultError(
                "only differential privacy adds up: charge the level that holds without assumptions"
            )
        object.__setattr__(self, "promises", kept)
        assumed = () if self.guarantee is None else Fact.assumed_by(self.guarantee)
        object.__setattr__(self, "facts", tuple(dict.fromkeys((*assumed, *self.facts))))

    @property
    def reveals(self) -> tuple[str, ...]:
        """The parts of the data that everybody may know once this is published."""
        declared = [part for fact in self.facts for part in fact.reveals]
        return tuple(part for part in PARTS if part in {*declared, *self.exposes})
