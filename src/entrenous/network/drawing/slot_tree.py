"""A dendrogram of slots, for reading: which communities belong together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entrenous.hrg import Dendrogram

__all__ = ["slot_tree"]


def slot_tree(cells: NDArray[np.float64], slot: NDArray[np.int64], volume: NDArray[np.float64]) -> Dendrogram:
    """Join slots, always the two with the most ties for their volumes first. It sees noisy counts only.

    Parameters
    ----------
    cells
        The settled edges between every two groups (upper triangle).
    slot
        The slot of each group.
    volume
        The summed expected degrees of each slot.

    Examples
    --------
    >>> cells = np.array([[9.0, 4.0, 1.0], [0.0, 9.0, 1.0], [0.0, 0.0, 9.0]])
    >>> slot_tree(cells, np.arange(3), np.full(3, 20.0)).nested()
    ((0, 1), 2)
    """
    slots = len(volume)
    ties = np.zeros((slots, slots))
    np.add.at(ties, (slot[:, None], slot[None, :]), cells + cells.T)
    sizes = np.maximum(volume.astype(np.float64), 1e-9)
    name = list(range(slots))
    merges = []
    for step in range(slots - 1):
        affinity = ties / np.outer(sizes, sizes)
        np.fill_diagonal(affinity, -1.0)
        a, b = sorted(divmod(int(affinity.argmax()), len(name)))
        merges.append((name[a], name[b]))
        ties[a] += ties[b]
        ties[:, a] += ties[:, b]
        sizes[a] += sizes[b]
        name[a] = slots + step
        ties, sizes = np.delete(np.delete(ties, b, 0), b, 1), np.delete(sizes, b)
        del name[b]
    return Dendrogram.from_merges(merges, slots)
