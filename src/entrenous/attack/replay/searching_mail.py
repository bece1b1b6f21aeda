"""Search for the unit of mail that moves a release most: near the worst one so far."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.replay.neighbouring_mail import KINDS, Gone
from entrenous.unit import Unit
from entrenous.words.corpus import Corpus

__all__ = ["near_gone"]


def near_gone(corpus: Corpus, unit: Unit, worst: Gone, rng: np.random.Generator) -> Gone:
    """Return a unit of mail that has a person in common with the worst one so far.

    Parameters
    ----------
    corpus
        The mail.
    unit
        What is hidden: it says which kinds of units may be taken away.
    worst
        The unit on which most could have been told.
    rng
        Chooses among the units near it.
    """
    mail = corpus.messages(n=1)
    people = mail.senders[worst.notes] if worst.edge < 0 else mail.edge_ends[worst.edge]
    kind = str(rng.choice(KINDS[unit]))
    if kind == "edge":
        around = np.flatnonzero(np.isin(mail.edge_ends, people).any(axis=1))
        edge = int(rng.choice(around))
        on = mail.notes[mail.edges == edge]
        return Gone(kind, on[mail.copies[on] == 1].astype(np.int64), edge)
    reached = mail.edge_ends[mail.edges[np.isin(mail.senders[mail.notes], people)]]
    wrote = np.flatnonzero(np.isin(mail.senders, np.append(reached, people) if kind == "sender" else people))
    groups: dict[str, NDArray[Any]] = {"message": mail.alike, "thread": mail.thread, "sender": mail.senders}
    group = groups[kind]
    return Gone(kind, np.flatnonzero(group == group[rng.choice(wrote)]))
