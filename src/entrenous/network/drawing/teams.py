"""Teams: small cliques that give a drawn graph its triangles.

People are tied because they belong to something together: a paper, a family, a project. A block model has no such
things and hardly any triangles. Here each node spends part of its ties inside teams of people of its slot with about
the same wishes; what is left over is drawn from the block model. A node of degree d whose neighbours are to be tied
with probability c joins a team of sqrt(c) d others, or, where that is large, several smaller ones. All of this is
post-processing.

References
----------
Seshadhri, Kolda & Pinar (2012), Community structure and scale-free collections of Erdos-Renyi graphs (the blocks of
BTER, of which teams are a denser, overlapping kind).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_teams"]

_LARGEST = 8.0  # others in a team, where several smaller ones would do as well
_SPREAD = 0.3  # how far apart, in logarithms, the wishes of team mates may be


def draw_teams(
    degrees: NDArray[np.int64],
    slot: NDArray[np.int64],
    clustering: NDArray[np.float64],
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Return the ties inside teams, each once; no node gets more than its degree.

    Parameters
    ----------
    degrees
        The target degree of each node.
    slot
        Of each node; teams never span slots.
    clustering
        The target probability, for each node, that two of its neighbours are tied, through teams alone.

    Examples
    --------
    >>> ties = draw_teams(np.full(300, 4), np.zeros(300, int), np.full(300, 0.9), np.random.default_rng(1))
    >>> bool(np.bincount(ties.ravel()).max() <= 4 and len(ties) > 400)
    True
    """
    from entrenous.network.drawing._kernels import team_bounds, team_ties

    whole, single = clustering * degrees, np.sqrt(clustering) * degrees
    size = np.minimum(single, np.maximum(_LARGEST, whole))
    size = np.where(2 * size**2 > single**2, single, size)  # fewer than two smaller teams would not do
    joins = (degrees >= 2) & (size >= 1)
    times = np.zeros(len(degrees), dtype=np.int64)
    target = clustering[joins] * (degrees[joins] / size[joins]) ** 2
    times[joins] = (target + rng.random(joins.sum())).astype(int)
    member = np.repeat(np.arange(len(degrees)), times)
    target_size = np.log(size[member]) + _SPREAD * rng.standard_normal(len(member))
    member = member[np.lexsort((target_size, slot[member]))]
    bounds = team_bounds(slot[member], size[member])
    ties = team_ties(member, bounds, degrees.copy(), rng)
    n = len(degrees)
    key = np.sort(ties[:, 0].astype(np.int64) * n + ties[:, 1])
    key = key[np.diff(key, prepend=-1) > 0]
    return np.column_stack([key // n, key % n]).astype(np.int32)
