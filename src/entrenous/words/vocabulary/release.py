"""Publish which words and phrases an organization uses, without a public list of them: private set union.

`vocabulary` checks, refuses what cannot succeed, charges, and asks, in this order: names first, and then, if they are
wanted, counts of these names, of a desk of its own within the same price.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from entrenous.card import Provenance
from entrenous.guarantee import Guarantee
from entrenous.noise import Noise
from entrenous.release import Release
from entrenous.vault import Vault, pay
from entrenous.words.beliefs.belief import Belief
from entrenous.words.counting.holder import unit_of
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table
from entrenous.words.histogram import counted
from entrenous.words.reading.text.language import language_told
from entrenous.words.request import TableDesk
from entrenous.words.statistics.candidates import occurs
from entrenous.words.statistics.widest_messages import WIDEST
from entrenous.words.vocabulary.artifact import COUNTED, Vocabulary
from entrenous.words.vocabulary.desks import Desks
from entrenous.words.vocabulary.name_counts import NameCounts
from entrenous.words.vocabulary.support import Support
from entrenous.words.vocabulary.vocabulary_request import Tables, VocabularyRequest

__all__ = ["Prediction", "drawn", "predict", "vocabulary"]

ROOM = 16 << 20  # bytes that a vocabulary takes at most, as far as anybody has seen

Tick = Callable[[int, int], object]


def vocabulary(
    corpus: Tables | Table,
    *,
    epsilon: float,
    delta: float,
    correlation: Belief | None = None,
    contribution: int | None = None,
    unit: str | None = None,
    weighting: str | None = None,
    n: int = 2,
    counts: bool = False,
    vault: Vault | None = None,
    rng: np.random.Generator | int | None = None,
    progress: Tick | None = None,
) -> Release[Vocabulary]:
    """Return words and phrases that may be published, without any list to start from.

    Parameters
    ----------
    corpus
        The mail, or a table counted from it.
    epsilon, delta
        The privacy parameters; there is no default.
    correlation
        What an attacker may believe about neighbouring edges. (default: that they say nothing about each other)
    contribution
        How many n-grams of each edge (or sender) take part, its own most frequent ones. (default: all for "guided",
        else 1000)
    unit
        What is hidden: "edge-and-message" (one message, and all that passed on one edge), "message", "thread",
        "sender" (everything one person wrote), "all" of these, or "edge-content" alone, which counts a message to
        many on each of its edges. (default: "edge-and-message"; "edge-content" for a table of edges, under a belief,
        or for a rule of weights that knows nothing else)
    weighting
        "guided", "adaptive", "policy", "uniform" or "fixed". (default: "guided"; "fixed" under a correlation model,
        which is the only rule proven there)
    n
        The longest n-grams, up to 4 words.
    counts
        Also publish how many holders carry each name, from the same budget: a share of it buys the counts, so that
        somewhat fewer names are found. Needs a corpus, or a table of all n-grams of each holder.
    vault
        Charged before any noise is drawn.
    rng
        None for real noise; a seed makes a rehearsal, stamped as not private.
    progress
        Called with steps made and steps in all.

    Privacy
    -------
    One holder moves the weights of every round by an L2 norm of at most 1 (fixed weights: every count by at most 1);
    the rounds compose as Gaussian differential privacy to (epsilon, 0.9 delta), the threshold for single words costs
    0.1 delta (uniform, policy and adaptive weights: half of delta each). Longer n-grams get noise whether they occur
    or not and cost no delta. A group of k divides the movement by k; under a correlation model counts get the noise
    of `accounting`, and the threshold grows by the coupling distance. Counts are asked of a second desk; the squares of
    mu of both are those of the whole. See docs/guarantees.md.

    Examples
    --------
    >>> from entrenous.words.counting.table import Table
    >>> mail = Table.from_counts([{"budget": 2, "draft": 1}] * 400, ends=[(0, 1)] * 400)
    >>> made = vocabulary(mail, epsilon=3.0, delta=1e-5, n=1, rng=7)
    >>> sorted(made.artifact.names), made.guarantee.delta
    (['budget', 'draft'], 1e-05)

    References
    ----------
    Gopi, Gulhane, Kulkarni, Shen, Shokouhi, Yekhanin: Differentially private set union. ICML 2020.
    Dong, Roth, Su: Gaussian differential privacy. JRSS B 2022 (how rounds compose).
    """
    unit = unit or unit_of(corpus)
    request = VocabularyRequest.checked(
        epsilon, delta, correlation, contribution, unit, weighting, n, counts=counts
    )
    request.check_source(corpus)
    noise = Noise(rng)
    request = request.asking_widest(corpus)
    table = request.table(corpus)
    request.check(table)
    desks = Desks(table, request.by.unit, request.prices, noise)
    promise = request.guarantee(desks, table, more=tuple(getattr(corpus, "assumptions", ())))
    asked_for = "words vocabulary with counts" if counts else "words vocabulary"
    order = request.order(desks, promise, table, f"{asked_for}, weighting {request.weighting.name}")
    with pay(vault, order, data=corpus, room=ROOM) as paid:
        return paid.complete(drawn(corpus, table, request, desks, promise, progress), asked=desks.parts)


def drawn(
    corpus: Tables | Table,
    table: Table,
    request: VocabularyRequest,
    desks: Desks,
    promise: Guarantee | None,
    progress: Tick | None = None,
) -> Release[Vocabulary]:
    """Draw a release that was paid for, from the table that was counted for it."""
    found = named(desks.names, request, table.public_holders, progress)
    breadth = {} if request.breadth is None else {WIDEST: desks.names(request.breadth)}
    seen = occurs(table, found.names)
    private: dict[str, Any] = {"occurring": int(seen.sum()), "never_seen": int((~seen).sum())}
    numbers: dict[str, str | int | float] = {}
    if request.counted:
        found, numbers, problem = with_counts(found, desks, request, corpus)
        private |= {} if problem is None else {"not counted": problem}
    parameters = request.parameters | {"language": language_told(corpus)} | request.told(table)
    return Release(
        artifact=found,
        guarantee=promise,
        provenance=Provenance(
            f"words: vocabulary, {request.weighting.name}",
            parameters | breadth | numbers | desks.costs,
            desks.rehearsal,
        ),
        private=private,
    )


def named(
    desk: TableDesk, request: VocabularyRequest, holders: int | None, progress: Tick | None = None
) -> Vocabulary:
    """Ask a desk for words by the rule that is requested, and return them by name; `holders` is public, or None."""
    rule = request.rule
    return Vocabulary.of(rule.ask(desk, progress), holders, rule.scale if rule.counts else None)


def with_counts(
    found: Vocabulary, desks: Desks, request: VocabularyRequest, corpus: Tables | Table
) -> tuple[Vocabulary, dict[str, str | int | float], str | None]:
    """Ask a second desk for the counts of names; return also what the card says of them, and what went wrong.

    The names are paid for and drawn, so they must not be lost if the mail cannot be counted once more: then they are
    returned without counts.
    """
    meaning, counting = request.by.counts, request.counting
    assert counting is not None
    if not len(found):
        return (
            found.with_counts(NameCounts.none(meaning)),
            {"what is counted": meaning, "intervals": "yes"},
            None,
        )
    try:
        table = request.counted_table(corpus, found.names)
    except Exception as problem:  # noqa: BLE001 - whatever an engine raises; nothing has been drawn for counts
        told = f"{type(problem).__name__}: the names were drawn, and could not be counted"
        return found, {"what is counted": "nothing: counting failed"}, told
    made, contribution = counted(desks.for_counts(table), counting, found.names)
    numbers: dict[str, str | int | float] = {
        "what is counted": meaning,
        "contribution to counts": contribution,
        "standard deviation of the noise on counts": float(f"{made.noise.deviation:.6g}"),
        "intervals": "yes" if made.covered else "no",
    }
    if table.public_holders is not None:
        numbers[COUNTED] = table.public_holders
    kept = found.with_counts(NameCounts.of(made, found.names, meaning), table.public_holders)
    return kept, numbers, None


@dataclass(frozen=True)
class Prediction:
    """What a release would give, for the curator: the expected numbers come from the data and must stay private.

    Attributes
    ----------
    threshold
        The noisy weight (for "fixed": the noisy number of holders) that words must exceed: public.
    reach
        The largest weight that any n-gram can get: as public as the number of holders, or of messages.
    occurring, never_seen
        How many n-grams of either kind a rehearsal published: private.
    support
        On how many messages and senders these n-grams rest; None for a table that does not say: private.
    """

    threshold: float
    reach: float
    occurring: int
    never_seen: int
    support: Support | None = None


def predict(
    corpus: Tables | Table,
    *,
    epsilon: float,
    delta: float,
    correlation: Belief | None = None,
    contribution: int | None = None,
    unit: str | None = None,
    weighting: str | None = None,
    n: int = 2,
    counts: bool = False,
    rng: np.random.Generator | int = 0,
) -> Prediction:
    """Rehearse a vocabulary for the curator: nothing is charged, so nothing of it may be published or decided by.

    The parameters are those of `vocabulary`. To choose them by what is predicted would make the choice itself a
    release; choose them on a public or retired corpus.
    """
    unit = unit or unit_of(corpus)
    request = VocabularyRequest.checked(
        epsilon, delta, correlation, contribution, unit, weighting, n, counts=counts
    )
    request.check_source(corpus)
    table = request.table(corpus)
    request.check_graph(table.ends)
    desks = Desks(table, request.by.unit, request.prices, Noise(rng))
    names = named(desks.names, request, None).names
    seen, rule = occurs(table, names), request.rule
    return Prediction(
        rule.threshold,
        rule.reach(table.holders),
        int(seen.sum()),
        int((~seen).sum()),
        support_of(corpus, names, request.n),
    )


def support_of(corpus: Tables | Table, names: tuple[str, ...], n: int) -> Support | None:
    """Return what published n-grams rest on, for the curator; None for a table that does not know messages."""
    if isinstance(corpus, Table):
        return Support.of(corpus, names) if isinstance(corpus, MessageTable) else None
    return Support.of(corpus.messages(n=n), names)
