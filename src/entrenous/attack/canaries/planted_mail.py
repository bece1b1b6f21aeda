"""Canaries for the units of mail in which a message counts once: messages to many, threads, edges with copies, senders.

A vocabulary starts from messages and the edges they lie on. The two worlds differ in one message, one thread, all that
passed on one edge, or all that one person wrote; the attacker sees what is published. A histogram counts pairs,
messages, threads or writers: what a unit does to those at worst is to turn so many of them into others, and an attacker
compares the likelihoods of both worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from entrenous.attack.canaries.canary_messages import DELTA, MANY, Content, Mailbox, counts_seen
from entrenous.attack.tools.setting import Play, Setting
from entrenous.words import histogram, vocabulary
from entrenous.words.counting.holder import HOLDERS
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table

__all__ = [
    "OWN",
    "UNITS",
    "Letter",
    "broadcast",
    "mail",
    "ordinary",
    "phrases_seen",
    "settings",
    "without_edge",
]

Rng = np.random.Generator | None
_APART = 1000  # people with smaller numbers have to do with the canary
#: The phrases that a broadcast has to itself; everybody says their words.
OWN = tuple(f"{first} {second}" for first, second in (
    ("gold", "mine"), ("oil", "field"), ("gas", "leak"), ("tin", "roof"), ("salt", "lake"), ("coal", "dust"),
    ("iron", "gate"),
))  # fmt: skip
WORDS = tuple(word for phrase in OWN for word in phrase.split(" "))
#: The units that count a message once, by their words on the command line.
UNITS = tuple(name for name, holder in HOLDERS.items() if holder.messages)


@dataclass(frozen=True)
class Letter:
    """A message: what it says, who wrote it, who got it, and its thread; None for one of its own."""

    said: Content
    sender: int
    recipients: Sequence[int]
    thread: int | None = None


def settings() -> list[Setting]:
    """Return the settings of units in which a message counts once."""
    return [*_vocabularies(), *_broadcasts(), *_histograms(), *_balls()]


def mail(letters: Sequence[Letter], unit: str, n: int = 1) -> MessageTable:
    """Return the table of messages, counted for a unit by its word on the command line.

    >>> mail([Letter({"budget": 1}, 0, (1, 2)), Letter({"lunch": 1}, 1, (0,), thread=3)], "message").thread.tolist()
    [2, 3]
    """
    own = len(letters)
    return MessageTable.of(
        [letter.said for letter in letters],
        senders=[letter.sender for letter in letters],
        recipients=[letter.recipients for letter in letters],
        threads=[
            own + place if letter.thread is None else letter.thread for place, letter in enumerate(letters)
        ],
        by=unit,
        n=n,
    )


def ordinary(said: Content, people: int, letters: int = 1) -> list[Letter]:
    """Return what so many people wrote, each so many messages, one to each of as many others."""
    return [
        Letter(said, sender, (sender + 1 + place,))
        for sender in range(_APART, _APART + people * (letters + 1), letters + 1)
        for place in range(letters)
    ]


def broadcast(recipients: int) -> Letter:
    """Return a message to many with phrases that nobody else says, of words that everybody says."""
    return Letter(dict.fromkeys([*WORDS, *OWN], 1), 0, range(1, recipients + 1))


def without_edge(table: MessageTable, edge: int) -> MessageTable:
    """Return the same mail without what passed on one edge: how many copies other messages have is taken as known."""
    left = table.without_passages(table.edges == edge)
    vars(left)["copies"] = np.where(left.copies > 0, table.copies, 0)  # what is cached is not counted anew
    return left


def _scores(table: tuple[Table, Table]) -> Play:
    """Return the attacker who adds up the scores of the words that the canary has in common with many others."""

    def play(canary: bool, rng: Rng) -> float:
        made = vocabulary(table[canary], epsilon=2.0, delta=DELTA, n=1, rng=rng)
        return float(made.artifact.score.sum())

    return play


def _vocabularies() -> list[Setting]:
    """Return settings in which the canary adds to words that many others say."""
    content = dict.fromkeys(MANY, 1)
    letter = Letter(content, 0, range(1, 6))
    thread = [Letter(content, sender, ((sender + 1) % 3,), thread=0) for sender in range(3)]
    passed = [Letter(content, place % 2, (1 - place % 2,)) for place in range(10)]
    wrote = [Letter(content, 0, (other,)) for other in range(1, 7)]
    # How many others say the words, so that they stand near the threshold.
    few, most, pairs = ordinary(content, 30), ordinary(content, 54), ordinary(content, 45, 4)
    rest = {"message": few, "thread": few, "edge-and-message": most, "all": pairs}
    cases = [
        ("message", "message", "one message to five more", [letter]),
        ("thread", "thread", "one thread more", thread),
        ("edge-and-message, a message", "edge-and-message", "one message to five more", [letter]),
        ("edge-and-message, an edge", "edge-and-message", "all on one edge more, copies too", [*passed, letter]),
        ("all-of-mail, a message", "all", "one message to five more", [letter]),
        ("all-of-mail, an edge", "all", "all on one edge more, copies too", [*passed, letter]),
        ("all-of-mail, a sender", "all", "all that one person wrote more", wrote),
    ]  # fmt: skip
    return [
        Setting(
            f"words: vocabulary, {name}", HOLDERS[unit].unit, f"{attack}; the scores of the words", 2.0,
            _scores(_worlds(rest[unit], canary, unit, edge="an edge" in name)), delta=DELTA, short=150,
        )
        for name, unit, attack, canary in cases
    ]  # fmt: skip


def _worlds(rest: list[Letter], canary: list[Letter], unit: str, *, edge: bool) -> tuple[Table, Table]:
    """Return the tables without the canary and with it; an edge is that of the first two people."""
    table = mail([*canary, *rest], unit)
    return (without_edge(table, 0) if edge else mail(rest, unit)), table


def _broadcasts() -> list[Setting]:
    """Return settings that look for the phrases of one message to sixty people."""
    return [
        Setting(
            f"words: vocabulary, {HOLDERS[unit].unit}, a broadcast", HOLDERS[unit].unit,
            "a message to sixty more; the scores of phrases that it has to itself", 2.0,
            _own_phrases(unit), delta=DELTA, short=100,
        )
        for unit in UNITS
    ]  # fmt: skip


def _own_phrases(unit: str) -> Play:
    """Return the attacker who adds up the scores of a broadcast's own phrases."""
    seen = phrases_seen(unit, epsilon=2.0, delta=DELTA, others=200)
    return lambda canary, rng: float(sum(seen(canary, rng).values()))


def phrases_seen(
    unit: str, *, epsilon: float, delta: float, others: int
) -> Callable[[bool, Rng], dict[str, float]]:
    """Return what publishes a vocabulary, and tells which of a broadcast's own phrases it names, with their scores.

    Parameters
    ----------
    unit
        Its word on the command line; for edge-content the message counts on each of its edges.
    epsilon, delta
        What is promised.
    others
        How many ordinary messages there are.
    """
    everyday, told = dict.fromkeys(WORDS, 1), broadcast(60)
    if HOLDERS[unit].messages:
        rest = ordinary(everyday, others)
        tables: tuple[Table, Table] = mail(rest, unit, n=2), mail([told, *rest], unit, n=2)
    else:
        apart: list[Content] = [everyday] * others
        tables = Mailbox([], apart).table(n=2), Mailbox([told.said] * 60, apart).table(n=2)

    def seen(canary: bool, rng: Rng) -> dict[str, float]:
        made = vocabulary(tables[canary], epsilon=epsilon, delta=delta, n=2, unit=unit, rng=rng).artifact
        return {
            name: score for name, score in zip(made.names, made.score.tolist(), strict=True) if name in OWN
        }

    return seen


#: How many holders a unit turns into others at worst, whatever they claim to pay for; a message is added as a whole.
_TURNED = {"message": 0, "thread": 1, "edge-and-message": 1, "all": 2}


def _changed(unit: str) -> tuple[list[Content], list[Content]]:
    """Return contents in both worlds: one that is new, or as many others as the unit turns into others at worst.

    A holder that counts for one n-gram alone counts for another one, as soon as something that it says more often is
    added.
    """
    turned = _TURNED[unit]
    if not turned:
        return [{}, {}, {}], [{"gold": 1}, {}, {}]
    still: list[Content] = [{}] * (3 - turned)
    return [*[{"oil": 1}] * turned, *still], [*[{"oil": 1, "gold": 2}] * turned, *still]


def _histograms() -> list[Setting]:
    """Return the settings of counts with a contribution of one n-gram."""
    made = []
    for unit in UNITS:
        holder = HOLDERS[unit]
        plain, canary = (Mailbox(contents, by=unit) for contents in _changed(unit))
        changed = "one more" if holder.changes == 1 else f"{max(holder.changes // 2, 1)} turned into others"
        attack = f"{holder.name}s, {changed}; likelihood ratio of the counts"
        for noise, delta in (("geometric", 0.0), ("Gaussian", DELTA)):
            more = {"noise": "gaussian", "delta": delta} if delta else {}
            play = counts_seen(plain, canary, epsilon=1.0, contribution=1, **more)
            made.append(
                Setting(
                    f"words: histogram, {holder.unit}, {noise}", holder.unit, attack, 1.0, play, delta=delta
                )
            )
    return made


def _balls() -> list[Setting]:
    """Return the settings of whole releases that choose a contribution, and measure what bounding leaves out."""
    return [
        Setting(
            f"words: histogram, {HOLDERS[unit].unit}, in a ball", HOLDERS[unit].unit,
            f"{HOLDERS[unit].name}s with many n-grams more; all counts published, over their noise", 1.0,
            _in_ball(unit), delta=DELTA, short=150,
        )
        for unit in UNITS
    ]  # fmt: skip


def _in_ball(unit: str) -> Play:
    """Return the attacker who adds up the published counts of a release with a contribution that is chosen."""
    names = MANY[:8]
    said, holder = dict.fromkeys(names, 1), HOLDERS[unit]
    more = max(holder.changes // 2, 1)

    @cache
    def tables() -> tuple[Table, Table]:
        rest: list[Content] = [said] * 6
        plain, canary = (Mailbox([*[mine] * more, *rest], by=unit).table(by=unit) for mine in ({}, said))
        return plain, canary

    def play(canary: bool, rng: Rng) -> float:
        made = histogram(
            tables()[canary],
            vocabulary=names,
            epsilon=1.0,
            noise="gaussian",
            delta=DELTA,
            useless=True,
            rng=rng,
        ).artifact
        return float(made.noisy.sum() / made.noise.scale)

    return play
