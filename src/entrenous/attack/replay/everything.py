"""Replay every mechanism of networks and every unit of words, on an invented organization."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from entrenous.attack.replay.networks import replay
from entrenous.attack.replay.replayed import Replay
from entrenous.attack.replay.word_releases import replay_correlation, replay_histogram, replay_vocabulary
from entrenous.datasets import organization
from entrenous.graph import Graph
from entrenous.network import MECHANISMS
from entrenous.words.corpus import Corpus
from entrenous.words.counting.holder import HOLDERS
from entrenous.words.vocabulary import WEIGHTINGS

__all__ = ["replays"]

_EPSILON, _DELTA = 8.0, 1e-6
_STEPS = 100  # of a chain, for each node
#: Public lists of n-grams: what everybody in an invented organization may say, and what nobody does.
_LISTED = ("budget", "meeting", "report", "project", "customer", "press release")


def replays(
    *,
    people: int = 200,
    messages: int = 2000,
    neighbours: int = 12,
    rng: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[Replay]:
    """Return a replay of every mechanism of networks, and of every unit and rule of words.

    Parameters
    ----------
    people, messages
        The size of the invented organization.
    neighbours
        How many neighbours each is tried on.
    rng
        None for real noise; a seed makes rehearsals.
    progress
        Called with replays done and replays in all.
    """
    firm = organization(people, seed=1)
    mail = Corpus.from_messages(firm.messages(messages))
    names = [*_LISTED, *list(mail.table(n=1).names)[:50]]  # invented: any list is public here
    made = list(_networks(firm.graph, neighbours, rng)) + list(
        _words(mail, tuple(dict.fromkeys(names)), neighbours, rng)
    )
    found = []
    for done, make in enumerate(made, start=1):
        found.append(make())
        if progress is not None:
            progress(done, len(made))
    return found


def _networks(graph: Graph, neighbours: int, rng: int | None) -> Iterator[Callable[[], Replay]]:
    for name, mechanism in MECHANISMS.items():
        steps = _STEPS * graph.n if mechanism.chain else None
        yield partial(
            replay,
            graph,
            epsilon=_EPSILON,
            method=name,
            steps=steps,
            neighbours=neighbours,
            published=2,
            rng=rng,
        )


def _words(
    mail: Corpus, names: tuple[str, ...], neighbours: int, rng: int | None
) -> Iterator[Callable[[], Replay]]:
    asked = partial(
        replay_vocabulary, mail, epsilon=_EPSILON, delta=_DELTA, neighbours=neighbours, published=2, rng=rng
    )
    counted = partial(
        replay_histogram,
        mail,
        vocabulary=names,
        epsilon=_EPSILON,
        neighbours=neighbours,
        published=2,
        rng=rng,
    )
    for unit in HOLDERS:
        if unit != "edge":  # short for the content of an edge
            yield partial(asked, unit=unit, counts=True)
            yield partial(counted, unit=unit)
            yield partial(counted, unit=unit, noise="gaussian", delta=_DELTA)
    yield partial(replay_correlation, mail, epsilon=_EPSILON, contribution=5, neighbours=neighbours, rng=rng)
    for rule in WEIGHTINGS:
        if rule != "guided":  # as above
            yield partial(asked, weighting=rule)
