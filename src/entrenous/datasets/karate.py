"""Zachary's karate club: the friendships of 34 people shortly before their club split in two."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph

__all__ = ["karate_club", "karate_factions"]

MEMBERS = 34

# Each member's friends with a higher number, members numbered from 1 as in the paper.
_FRIENDS = {
    1: (2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32),
    2: (3, 4, 8, 14, 18, 20, 22, 31),
    3: (4, 8, 9, 10, 14, 28, 29, 33),
    4: (8, 13, 14),
    5: (7, 11),
    6: (7, 11, 17),
    7: (17,),
    9: (31, 33, 34),
    10: (34,),
    14: (34,),
    15: (33, 34),
    16: (33, 34),
    19: (33, 34),
    20: (34,),
    21: (33, 34),
    23: (33, 34),
    24: (26, 28, 30, 33, 34),
    25: (26, 28, 32),
    26: (32,),
    27: (30, 34),
    28: (34,),
    29: (32, 34),
    30: (33, 34),
    31: (33, 34),
    32: (33, 34),
    33: (34,),
}

# Who followed the instructor (member 1) into the new club; the others stayed with the officers (member 34).
_WITH_INSTRUCTOR = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22)


def karate_club() -> Graph:
    """Return the friendships of Zachary's karate club: 34 members, named "1" to "34", and 78 edges.

    References
    ----------
    W. W. Zachary (1977). An information flow model for conflict and fission in small groups.
    Journal of Anthropological Research 33(4), 452-473.

    Examples
    --------
    >>> club = karate_club()
    >>> club.n, club.m
    (34, 78)
    """
    edges = [(member - 1, friend - 1) for member, friends in _FRIENDS.items() for friend in friends]
    names = [str(member) for member in range(1, MEMBERS + 1)]
    return Graph.from_edges(np.array(edges, dtype=np.int64), n=MEMBERS, names=names)


def karate_factions() -> NDArray[np.int64]:
    """Return the club each member joined after the split: 0 the instructor's, 1 the officers'.

    The order is that of the nodes of `karate_club`.

    Examples
    --------
    >>> factions = karate_factions()
    >>> int((factions == 0).sum()), int((factions == 1).sum())
    (17, 17)
    """
    factions = np.ones(MEMBERS, dtype=np.int64)
    factions[np.array(_WITH_INSTRUCTOR) - 1] = 0
    return factions
