"""Search for the unit of mail that moves a release most: near the worst one so far."""

from __future__ import annotations

import numpy as np

from entrenous.attack.replay.neighbouring_mail import KINDS, Gone, gone, grouped
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
        return gone(mail, kind, int(rng.choice(around)))
    reached = mail.edge_ends[mail.edges[np.isin(mail.senders[mail.notes], people)]]
    wrote = np.flatnonzero(np.isin(mail.senders, np.append(reached, people) if kind == "sender" else people))
    return gone(mail, kind, int(grouped(mail, kind)[rng.choice(wrote)]))
