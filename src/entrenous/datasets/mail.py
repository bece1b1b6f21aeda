"""Invented mail: topics that spread along an organization's ties.

Every message passes along a tie and mixes three kinds of words: everyday words, words of a department's
topic, and words of a project that sender and recipient share. Projects start inside departments and are
handed from person to person along ties, so that ties with a person in common talk of the same things: the
correlation that the privacy of words has to reckon with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from entrenous.datasets.vocabulary import EVERYDAY, invented_words

if TYPE_CHECKING:
    from entrenous.datasets.organization import Organization
    from entrenous.graph import Graph

__all__ = ["STYLES", "Message", "Style", "messages"]

Message: TypeAlias = dict[str, Any]
Numbers = NDArray[np.int64]

BATCH = 2048  # messages drawn at once: large enough for numpy, small enough to stream
PROJECTS_PER_PERSON = 3
PERSONS_PER_PROJECT = 25
PROJECT_WORDS, TOPIC_WORDS = 12, 40
SPREADING_ROUNDS, HANDED_ON = 6, 0.6  # in each round, this share of projects is taken from a neighbour
KINDS = (0.55, 0.75)  # up to here everyday words, up to here words of the department; the rest of the project
FIRST_DAY = datetime(2024, 1, 1, 8, tzinfo=UTC)  # a Monday
WORKDAY = 10 * 3600  # seconds
MAIL_PER_PERSON_AND_DAY = 5


class Style(NamedTuple):
    """How long messages are, and to how many they go.

    Attributes
    ----------
    copies
        Up to the first no further recipient, up to the second one, and so on; the rest as many as there are numbers.
    lengths
        Draws the words of so many bodies.
    """

    copies: tuple[float, ...]
    lengths: Callable[[np.random.Generator, int], Numbers]


def _short(rng: np.random.Generator, count: int) -> Numbers:
    return 10 + rng.geometric(1 / 20, count).clip(max=90)


def _uneven(rng: np.random.Generator, count: int) -> Numbers:
    return np.exp(rng.normal(3.23, 1.34, count)).clip(1, 800).astype(np.int64)


# "enron" has the lengths of the mail of Enron (the same mean, 57 words, and median) and nearly as many recipients.
STYLES = {
    "office": Style((0.7, 0.85, 0.95), _short),
    "enron": Style(
        (0.55, 0.65, 0.7, 0.74, 0.78, 0.81, 0.84, 0.87, 0.89, 0.91, 0.93, 0.95, 0.965, 0.98), _uneven
    ),
}


class _Talk(NamedTuple):
    """What the persons talk about."""

    projects: Numbers  # one row of projects per person
    words: NDArray[np.object_]  # everyday words, then each department's, then each project's
    first_topic_word: int
    first_project_word: int


class _Draft(NamedTuple):
    """A batch of messages before they are put into words."""

    sender: Numbers
    recipients: Numbers  # one row per message, -1 where there is none; the first is the tie's other end
    project: Numbers


def messages(organization: Organization, count: int, style: str = "office") -> Iterator[Message]:
    """Yield invented messages, oldest first, deterministic for the organization's seed; `style` is one of STYLES.

    >>> from entrenous.datasets import organization
    >>> mail = list(organization(30, seed=4).messages(3))
    >>> [message["id"] for message in mail]
    ['1@example.org', '2@example.org', '3@example.org']
    """
    talk, manner = _talk(organization), STYLES[style]
    seconds = 0.0
    for batch, first in enumerate(range(0, count, BATCH)):
        # A generator per batch makes fewer messages the beginning of more.
        rng = np.random.default_rng([organization.seed, organization.graph.n, batch, 1])
        draft = _draft(organization.graph, talk.projects, manner.copies, rng)
        gaps = rng.exponential(WORKDAY / (MAIL_PER_PERSON_AND_DAY * organization.graph.n), BATCH)
        times = seconds + np.cumsum(gaps)
        seconds = float(times[-1])
        texts = _texts(talk, draft, organization.department, manner.lengths, rng)
        yield from _finished(organization.graph, draft, times, texts, range(first, min(first + BATCH, count)))


def _talk(organization: Organization) -> _Talk:
    """Let projects spread along ties and give every project and department its words."""
    n = organization.graph.n
    rng = np.random.default_rng([organization.seed, n, 0, 2])
    count = max(4, n // PERSONS_PER_PROJECT)
    projects = _spread(organization.graph, _first_projects(organization.department, count, rng), rng)
    departments = int(organization.department.max()) + 1
    invented = invented_words(departments * TOPIC_WORDS + count * PROJECT_WORDS)
    first_topic = len(EVERYDAY)
    return _Talk(
        projects,
        np.array([*EVERYDAY, *invented], dtype=object),
        first_topic,
        first_topic + departments * TOPIC_WORDS,
    )


def _first_projects(department: Numbers, count: int, rng: np.random.Generator) -> Numbers:
    """Give each person projects of the own department, whose share of the projects is that of the persons."""
    sizes = np.bincount(department)
    ends = np.cumsum(sizes)
    first = (ends - sizes)[department] * count // len(department)
    last = np.maximum(ends[department] * count // len(department), first + 1)
    draws = rng.random((len(department), PROJECTS_PER_PERSON))
    projects: Numbers = first[:, None] + (draws * (last - first)[:, None]).astype(np.int64)
    return projects.clip(max=count - 1)


def _spread(graph: Graph, projects: Numbers, rng: np.random.Generator) -> Numbers:
    """Hand projects on: in each round, many of a person's projects are replaced by a neighbour's."""
    for _ in range(SPREADING_ROUNDS):
        person = np.broadcast_to(np.arange(graph.n)[:, None], projects.shape)
        neighbor = _neighbor(graph, person, rng)
        theirs = projects[neighbor, rng.integers(PROJECTS_PER_PERSON, size=projects.shape)]
        projects = np.where(rng.random(projects.shape) < HANDED_ON, theirs, projects)
    return projects


def _neighbor(graph: Graph, person: Numbers, rng: np.random.Generator) -> Numbers:
    """Draw a neighbour of each person; in an organization everybody has one."""
    place = graph.indptr[person] + (rng.random(person.shape) * graph.degrees[person]).astype(np.int64)
    return graph.indices[place].astype(np.int64)


def _draft(graph: Graph, projects: Numbers, most: tuple[float, ...], rng: np.random.Generator) -> _Draft:
    """Draw who writes to whom about what: along a random tie, about a shared project if there is one."""
    arc = rng.integers(len(graph.indices), size=BATCH)
    sender = np.searchsorted(graph.indptr, arc, side="right") - 1
    recipient = graph.indices[arc].astype(np.int64)
    copies = np.searchsorted(most, rng.random(BATCH))
    copied = _neighbor(graph, np.broadcast_to(sender[:, None], (BATCH, len(most))), rng)
    copied[np.arange(len(most)) >= copies[:, None]] = -1

    shared = (projects[sender][:, :, None] == projects[recipient][:, None, :]).any(axis=2)
    preference = rng.random(shared.shape) + shared
    project = projects[sender, preference.argmax(axis=1)]
    return _Draft(sender, np.column_stack((recipient, copied)), project)


def _texts(
    talk: _Talk,
    draft: _Draft,
    department: Numbers,
    drawn: Callable[[np.random.Generator, int], Numbers],
    rng: np.random.Generator,
) -> list[tuple[str, str]]:
    """Return a subject and a body for each message."""
    lengths = drawn(rng, BATCH)
    message = np.repeat(np.arange(BATCH), lengths)
    kind = np.searchsorted(KINDS, rng.random(len(message)))
    skewed = rng.random(len(message)) ** 2  # the first words of each list are the frequent ones
    own = rng.random(len(message)) < 0.5  # the sender's department, or the recipient's
    place = department[np.where(own, draft.sender[message], draft.recipients[message, 0])]
    everyday = (skewed * len(EVERYDAY)).astype(np.int64)
    topic = talk.first_topic_word + place * TOPIC_WORDS + (skewed * TOPIC_WORDS).astype(np.int64)
    first = talk.first_project_word + draft.project * PROJECT_WORDS
    project = first[message] + (skewed * PROJECT_WORDS).astype(np.int64)
    words = talk.words[np.choose(kind, (everyday, topic, project))].tolist()

    titles = talk.words[first].tolist()
    matters = rng.integers(len(EVERYDAY), size=BATCH)
    ends = np.cumsum(lengths).tolist()
    starts = [0, *ends[:-1]]
    return [
        (f"{titles[i]} {EVERYDAY[matters[i]]}", " ".join(words[start:end]))
        for i, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def _finished(
    graph: Graph, draft: _Draft, times: NDArray[np.float64], texts: list[tuple[str, str]], numbers: range
) -> Iterator[Message]:
    """Put the parts of a batch together."""
    names = graph.names or ()
    senders, rows, moments = draft.sender.tolist(), draft.recipients.tolist(), times.tolist()
    for i, number in enumerate(numbers):
        recipient, second, *others = rows[i]
        to = [person for person in dict.fromkeys((recipient, second)) if person >= 0]
        cc = [person for person in dict.fromkeys(others) if person >= 0 and person not in to]
        subject, body = texts[i]
        yield {
            "id": f"{number + 1}@example.org",
            "date": _office_time(moments[i]).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "from": names[senders[i]],
            "to": [names[person] for person in to],
            "cc": [names[person] for person in cc],
            "subject": subject,
            "body": body,
        }


def _office_time(seconds: float) -> datetime:
    """Return the moment after so many seconds of office hours, Monday to Friday.

    >>> _office_time(5 * WORKDAY + 60).strftime("%A %H:%M")
    'Monday 08:01'
    """
    days, rest = divmod(seconds, WORKDAY)
    weeks, weekday = divmod(int(days), 5)
    return FIRST_DAY + timedelta(weeks=weeks, days=weekday, seconds=rest)
