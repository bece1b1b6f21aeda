"""The table of contents: one file per mechanism, best first."""

from __future__ import annotations

from entrenous.network.mechanism import Mechanism
from entrenous.network.mechanisms import chung_lu, dgg, dk2, owner, privgraph, privhrg, spectral, tmf

__all__ = ["MECHANISMS"]

#: Every mechanism by its name: whoever offers or tries them all reads this.
MECHANISMS: dict[str, Mechanism] = {
    module.MECHANISM.name: module.MECHANISM
    for module in (owner, privhrg, chung_lu, dk2, spectral, tmf, privgraph, dgg)
}
