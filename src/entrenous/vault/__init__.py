"""One vault for one data set: the memory of everything that was ever told about it.

A `Vault` holds a budget for each unit of privacy, the facts that were declared public, and every release, whatever
its noun. It refuses what exceeds a budget, what contradicts an earlier promise, and other data.
"""

from __future__ import annotations

from entrenous.vault.budget import Budget
from entrenous.vault.chain.entry import Entry
from entrenous.vault.facts import FACTS, Fact
from entrenous.vault.order import Order
from entrenous.vault.payment import Payment, pay
from entrenous.vault.vault import Vault

__all__ = ["FACTS", "Budget", "Entry", "Fact", "Order", "Payment", "Vault", "pay"]
