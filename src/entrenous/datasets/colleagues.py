"""How an invented organization's ties come about: reporting lines, teammates, friends, friends of friends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw"]

TEAMMATES_TIED = 0.6  # share of the pairs inside a team
FRIENDSHIPS = 2.0  # drawn per person, before duplicates are dropped
FRIENDS_IN_DEPARTMENT = 0.7
CLOSURES = 1.0  # friends of friends who become friends, drawn per person
TAIL_EXPONENT = 1.6  # of sociability, so degrees fall off with an exponent of about 2.6
MOST_SOCIABLE = 0.05  # nobody is sought out more than this share of the organization's size

Numbers = NDArray[np.int64]


def draw(team: Numbers, department: Numbers, manager: Numbers, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the distinct edges, one row (u, v) with u < v each, sorted."""
    n = len(team)
    persons = np.flatnonzero(manager >= 0)
    reporting = np.column_stack((persons, manager[persons]))
    edges = _distinct(np.concatenate((reporting, _teammates(team, rng), _friends(department, rng))), n)
    return _distinct(np.concatenate((edges, _friends_of_friends(edges, n, rng))), n)


def _distinct(pairs: Numbers, n: int) -> Numbers:
    """Drop self-loops and duplicates."""
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    keys = np.unique((low * n + high)[low != high])
    return np.column_stack((keys // n, keys % n))


def _teammates(team: Numbers, rng: np.random.Generator) -> Numbers:
    """Tie most pairs inside each team; teams of one size are handled together."""
    members = np.argsort(team, kind="stable")
    sizes = np.bincount(team)
    starts = np.cumsum(sizes) - sizes
    found = []
    for size in np.unique(sizes):
        first, second = np.triu_indices(size, 1)
        start = starts[sizes == size][:, None]
        pairs = np.column_stack((members[start + first].ravel(), members[start + second].ravel()))
        found.append(pairs[rng.random(len(pairs)) < TEAMMATES_TIED])
    return np.concatenate(found)


def _friends(department: Numbers, rng: np.random.Generator) -> Numbers:
    """Draw friendships across teams: the sociable are sought out, department colleagues more often."""
    n = len(department)
    sociability = np.minimum(rng.pareto(TAIL_EXPONENT, n) + 0.2, max(2.0, MOST_SOCIABLE * n))
    persons = np.argsort(department, kind="stable")
    bounds = np.concatenate(([0.0], np.cumsum(sociability[persons])))
    ends = np.cumsum(np.bincount(department))
    starts = ends - np.bincount(department)

    count = round(FRIENDSHIPS * n)
    seeker = rng.integers(n, size=count)
    near = rng.random(count) < FRIENDS_IN_DEPARTMENT
    low = np.where(near, bounds[starts[department[seeker]]], 0.0)
    high = np.where(near, bounds[ends[department[seeker]]], bounds[-1])
    place = np.searchsorted(bounds, low + rng.random(count) * (high - low), side="right") - 1
    return np.column_stack((seeker, persons[np.minimum(place, n - 1)]))


def _friends_of_friends(edges: Numbers, n: int, rng: np.random.Generator) -> Numbers:
    """Close random paths of two edges into triangles."""
    source = np.concatenate((edges[:, 0], edges[:, 1]))
    target = np.concatenate((edges[:, 1], edges[:, 0]))
    target = target[np.argsort(source, kind="stable")]
    degree = np.bincount(source, minlength=n)
    start = np.cumsum(degree) - degree
    middle = rng.integers(n, size=round(CLOSURES * n))
    ends = start[middle, None] + (rng.random((len(middle), 2)) * degree[middle, None]).astype(np.int64)
    closing: Numbers = target[ends]
    return closing
