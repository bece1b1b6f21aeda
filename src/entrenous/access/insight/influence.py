"""Who matters how much: three measures of a key player.

References
----------
C. Ballester, A. Calvó-Armengol and Y. Zenou, "Who's who in networks. Wanted: the key
player", Econometrica 74, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from entrenous.access.item import Item
from entrenous.access.settling.equilibrium import Equilibrium
from entrenous.access.settling.peers import FloatArray, Weights
from entrenous.errors import ArgumentError

__all__ = ["KeyPlayer", "influence", "key_players", "removal_effect", "thesis_intercentrality"]


@dataclass(frozen=True)
class KeyPlayer:
    """One person's weight in the group by three measures; see the functions of the same names."""

    thesis_intercentrality: float
    removal_effect: float
    influence: float


def thesis_intercentrality(inverse: FloatArray) -> FloatArray:
    """Return (row sum)^2 / diagonal of M = (I - W)^-1, as the thesis has it.

    It measures who *is influenced* most: it takes rows for columns, which is the same only where W is
    symmetric.

    >>> thesis_intercentrality(np.linalg.inv([[1, -0.4], [0, 1]])).round(2)
    array([1.96, 1.  ])
    """
    return np.asarray(inverse.sum(axis=1) ** 2 / np.diag(inverse))


def removal_effect(inverse: FloatArray, initial: FloatArray) -> FloatArray:
    """Return by how much the sum of everybody's settled scores falls if a person leaves, per choice.

    (row i of M . x0) (column sum i) / m_ii: exact for any W, without solving again.

    >>> removal_effect(np.linalg.inv([[1, -0.4], [0, 1]]), np.array([[1.0], [1.0]]))[:, 0].round(2)
    array([1.4, 1.4])
    """
    return np.asarray((inverse @ initial) * (inverse.sum(axis=0) / np.diag(inverse))[:, None])


def influence(inverse: FloatArray) -> FloatArray:
    """Return how much all settled scores rise together per point a person adds: the column sums of M.

    >>> influence(np.linalg.inv([[1, -0.4], [0, 1]])).round(2)
    array([1. , 1.4])
    """
    return np.asarray(inverse.sum(axis=0))


def key_players(item: Item) -> dict[str, KeyPlayer]:
    """Return the three measures for every co-owner; the removal effect for initial scores of 1 throughout.

    >>> from entrenous.access import read_example
    >>> [round(player.removal_effect, 2) for player in key_players(read_example("thesis-oc")).values()]
    [1.4, 2.11, 2.61, 2.66]
    """
    equilibrium = Equilibrium.find(Weights.of(item), item.scores)
    if equilibrium is None:
        raise ArgumentError("peers", "expected weights with an equilibrium; lower them, or use mode cap")
    inverse = equilibrium.inverse
    columns = (
        thesis_intercentrality(inverse),
        removal_effect(inverse, np.ones((len(inverse), 1)))[:, 0],
        influence(inverse),
    )
    return {who: KeyPlayer(*(float(column[i]) for column in columns)) for i, who in enumerate(item.people)}
