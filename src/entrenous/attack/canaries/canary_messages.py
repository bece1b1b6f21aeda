"""Canary messages for every release of words: small mailboxes that differ in one content, and what a release tells.

A histogram publishes its noisy counts as they are, and a vocabulary what exceeds a threshold: the attacker sees the
release. Under a belief about neighbouring edges the two worlds are those of the attacker's secret, "the edge carries
it" and "it does not", and what the neighbours carry is drawn anew by the belief in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.tools.setting import Play, Setting
from entrenous.attack.tools.transcript import draw_once
from entrenous.unit import Unit
from entrenous.words import Binomial, Distribution, Global, Group, vocabulary
from entrenous.words.beliefs.estimation import estimate_range
from entrenous.words.counting.table import Table
from entrenous.words.histogram import HistogramRequest
from entrenous.words.statistics.listed_counts import true_counts
from entrenous.words.vocabulary import WEIGHTINGS, Vocabulary

__all__ = ["DELTA", "MANY", "Mailbox", "Star", "counts_seen", "noisy_counts", "settings", "words_seen"]

Rng = np.random.Generator | None
Content = Mapping[str, int]
DELTA = 0.01
#: More words than guided weights spend all of a content on: each gets 0.15 of it at most.
MANY = tuple(f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(45))
_SECRETS = ("gold", "oil", "gas")
_LISTED = "one content more; exact likelihood ratio of the noisy counts"
_BELIEVED = "a content whose neighbours follow the belief; the noisy count"


@dataclass(frozen=True)
class Mailbox:
    """Contents of edges around one person, all neighbours of each other, and of edges apart from everything.

    Other holders than edges, by the word for their unit on the command line, are as many persons.
    """

    contents: Sequence[Content]
    apart: Sequence[Content] = ()
    by: str = "edge"

    def table(
        self,
        *,
        by: str = "edge",
        n: int = 1,
        contribution: int | None = None,
        listed: Sequence[str] | None = None,
    ) -> Table:
        """Return who carries what, of what is listed."""
        near, far = len(self.contents), len(self.apart)
        ends = [(0, 1 + i) for i in range(near)] + [
            (near + 2 * i, near + 2 * i + 1) for i in range(1, far + 1)
        ]
        if self.by != "edge":
            ends = [(i, i) for i in range(near + far)]
        contents = [
            {name: times for name, times in content.items() if listed is None or name in listed}
            for content in (*self.contents, *self.apart)
        ]
        made = Table.from_counts(contents, ends=ends, n=n, by=self.by, listed=True)
        assert by == self.by
        return made if contribution is None else made.bounded(contribution)

    @property
    def largest_neighbourhood(self) -> int:
        """How many neighbours each edge has."""
        return len(self.contents) - 1


@dataclass(frozen=True)
class Star:
    """A belief about an edge and its neighbours: each carries an n-gram with p1 if the edge does, with p0 if not."""

    p0: float
    p1: float
    neighbours: int

    @property
    def model(self) -> Binomial:
        """The belief as a model of words."""
        return Binomial(self.p0, self.p1, self.neighbours)

    def draw(
        self, secret: bool, rng: Rng, words: Sequence[str] = ("gold",), apart: Sequence[Content] = ()
    ) -> Mailbox:
        """Return a mailbox drawn by the belief; the first edge carries all the words, or none of them."""
        generator = np.random.default_rng() if rng is None else rng
        near = generator.random((self.neighbours, len(words))) < (self.p1 if secret else self.p0)
        contents = [{word: 1 for word, has in zip(words, row, strict=True) if has} for row in near.tolist()]
        return Mailbox([dict.fromkeys(words, 1) if secret else {}, *contents], apart)


def settings() -> list[Setting]:
    """Return the settings of all releases of words."""
    return [*_histograms(), *_vocabularies(), _estimate()]


def counts_seen(plain: Mailbox, canary: Mailbox, **asked: Any) -> Play:
    """Return the attacker who compares the likelihoods of a histogram's noisy counts in both worlds."""
    tables = tuple(mail.table(by=mail.by) for mail in (plain, canary))
    true = [true_counts(table, _SECRETS, contribution=asked["contribution"]) for table in tables]
    gaussian, draw = asked.get("noise") == "gaussian", noisy_counts(_SECRETS, unit=plain.by, **asked)

    def play(with_canary: bool, rng: Rng) -> float:
        seen = draw(tables[with_canary], rng)
        far = [((seen - counts) ** 2 if gaussian else np.abs(seen - counts)).sum() for counts in true]
        return float(far[0] - far[1])

    return play


def noisy_counts(names: tuple[str, ...], **asked: Any) -> Callable[[Table, Rng], NDArray[np.int64]]:
    """Return what draws the counts that a histogram publishes: the question it asks, with no desk between.

    A desk refuses, and adds nothing to an answer; its filter would take ten times as long as the draw.
    """
    request = HistogramRequest.checked(**asked)
    question, unit = request.question(names), request.by.unit

    def draw(table: Table, rng: Rng) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = draw_once(question, table, rng, unit).answer
        return counts

    return draw


def belief_seen(star: Star, **asked: Any) -> Play:
    """Return the attacker who knows the belief and reads the noisy count of one n-gram."""
    draw = noisy_counts(("gold",), correlation=star.model, contribution=1, **asked)
    return lambda secret, rng: float(draw(star.draw(secret, rng).table(), rng)[0])


def _histograms() -> list[Setting]:
    nobody, everything = Mailbox([{}, {}]), dict.fromkeys(_SECRETS, 1)
    one, three, both = (
        Mailbox([{"gold": 1}, {}]),
        Mailbox([everything, {}]),
        Mailbox([everything, everything]),
    )
    oil = Mailbox([{"oil": 1}, {}])
    silent, spoken, of_oil, of_gold = (
        Mailbox([said, {}], by="sender") for said in ({}, everything, {"oil": 1}, {"gold": 1})
    )
    gaussian = {"noise": "gaussian", "delta": DELTA}
    star = Star(0.1, 0.6, 5)
    cases: list[tuple[str, Unit, str, float, Play]] = [
        ("histogram, geometric", Unit.EDGE_CONTENT, _LISTED, 0.0,
         counts_seen(nobody, one, epsilon=1.0, contribution=1)),
        ("histogram, geometric, three n-grams", Unit.EDGE_CONTENT, _LISTED, 0.0,
         counts_seen(nobody, three, epsilon=1.0, contribution=3)),
        ("histogram, Gaussian", Unit.EDGE_CONTENT, _LISTED, DELTA,
         counts_seen(nobody, three, epsilon=1.0, contribution=3, **gaussian)),
        ("histogram, replaced", Unit.REPLACED_CONTENT, "one content replaced; likelihood ratio of the counts", 0.0,
         counts_seen(oil, one, epsilon=1.0, contribution=1, replaced=True)),
        ("histogram, sender", Unit.SENDER, _LISTED, 0.0,
         counts_seen(silent, spoken, epsilon=1.0, contribution=3)),
        ("histogram, replaced sender", Unit.REPLACED_SENDER, "all of a person replaced; likelihood ratio of the counts",
         0.0, counts_seen(of_oil, of_gold, epsilon=1.0, contribution=1, replaced=True)),
        ("histogram, group of two", Unit.GROUP, "two contents more; likelihood ratio of the counts", 0.0,
         counts_seen(nobody, both, epsilon=1.0, contribution=3, correlation=Group(2))),
        ("histogram, belief, geometric", Unit.CORRELATED_EDGE, _BELIEVED, 0.0, belief_seen(star, epsilon=1.0)),
        ("histogram, belief, Gaussian", Unit.CORRELATED_EDGE, _BELIEVED, DELTA,
         belief_seen(star, epsilon=1.0, **gaussian)),
        ("histogram, belief of copies", Unit.CORRELATED_EDGE, _BELIEVED, 0.0,
         belief_seen(Star(0.0, 1.0, 5), epsilon=1.0)),
    ]  # fmt: skip
    return [
        Setting(f"words: {name}", unit, attack, 1.0, play, delta=delta)
        for name, unit, attack, delta, play in cases
    ]


def words_seen(artifact: Vocabulary) -> float:
    """Return the sum of the scores of a vocabulary, and far more than that if the secret word is named."""
    return float(artifact.score.sum() + 1e6 * ("gold" in artifact.names))


def _vocabularies() -> list[Setting]:
    """Return settings whose canary adds to words that many edges share, and one whose canary has its own word."""
    copies = Star(0.0, 1.0, 5)
    model = Global(absent=Distribution((0,), (1,)), present=Distribution((copies.neighbours,), (1,)))

    def believed(secret: bool, rng: Rng) -> float:
        mail = copies.draw(secret, rng, ("gold", "budget"), apart=[{"budget": 1}] * 60)
        return _named(mail.table(), rng, epsilon=2.0, contribution=2, correlation=model)

    # Holders of the words: policies give no more than it takes, so there the words must be scarce.
    most_telling = {"guided": 32, "adaptive": 100, "policy": 40}
    shared = [
        Setting(
            f"words: vocabulary, {rule}", Unit.EDGE_CONTENT, "one content more; the scores of its words",
            2.0, _shared_words(rule, most_telling.get(rule, 60)), delta=DELTA, short=200,
        )
        for rule in WEIGHTINGS
    ]  # fmt: skip
    alone = Setting(
        "words: vocabulary, a word of its own", Unit.EDGE_CONTENT, "one content more; is its own word named?",
        2.0, _own_word, delta=DELTA, short=200,
    )  # fmt: skip
    under = Setting(
        "words: vocabulary, belief", Unit.CORRELATED_EDGE, "neighbours follow the belief; scores, and its own word",
        2.0, believed, delta=DELTA, short=200,
    )  # fmt: skip
    phrases = [
        Setting(
            f"words: vocabulary, {rule}, a phrase", Unit.EDGE_CONTENT, "a phrase more in one content; its score",
            2.0, _phrase(rule), delta=DELTA, short=100,
        )
        for rule in ("guided", "fixed")
    ]  # fmt: skip
    return [*shared, *phrases, alone, under]


def _named(table: Table, rng: Rng, **asked: Any) -> float:
    return words_seen(vocabulary(table, delta=DELTA, n=1, rng=rng, **asked).artifact)


def _shared_words(rule: str, holders: int) -> Play:
    """Return the attacker who adds up the scores of words that a content has in common with many others."""
    content = dict.fromkeys(MANY, 1)
    tables = [Mailbox([mine, *[content] * holders]).table() for mine in ({}, content)]
    return lambda canary, rng: _named(
        tables[canary], rng, epsilon=2.0, contribution=len(MANY), weighting=rule
    )


def _phrase(rule: str) -> Play:
    """Return the attacker who looks for the score of a phrase that few edges have, of words that all of them have."""
    words = {"press": 1, "release": 1}
    whole = words | {"press release": 1}
    rest = [words] * 150 + [whole] * 4
    tables = [Mailbox([mine, *rest]).table(n=2) for mine in (words, whole)]

    def play(canary: bool, rng: Rng) -> float:
        made = vocabulary(
            tables[canary], epsilon=2.0, delta=DELTA, contribution=3, weighting=rule, n=2, rng=rng
        ).artifact
        scores: dict[str, float] = dict(zip(made.names, made.score.tolist(), strict=True))
        return scores.get("press release", 0.0)

    return play


def _own_word(canary: bool, rng: Rng) -> float:
    """Publish words of thirty edges and look for one that a single edge has."""
    mail = Mailbox([{"gold": 1} if canary else {}, *[{"budget": 1}] * 30])
    return _named(mail.table(), rng, epsilon=2.0, contribution=1, weighting="uniform")


def _estimate() -> Setting:
    """Return the private estimate of correlation: the canary is one of two edges that agree."""
    shared = dict.fromkeys(_SECRETS, 1)
    rest: list[Content] = [shared, {"gold": 1}] * 20
    mails = [Mailbox([*rest, shared, content]) for content in ({}, shared)]

    def play(canary: bool, rng: Rng) -> float:
        low, high = estimate_range(
            mails[canary], epsilon=2.0, contribution=3, vocabulary=_SECRETS, confidence=0.1, rng=rng
        )
        return high + low

    return Setting("words: private estimate of correlation", Unit.EDGE_CONTENT,
                   "one content more; the published range", 2.0, play)  # fmt: skip
