"""Nested weights, compared with a slow twin, and hunted for a unit whose mail moves them by more than 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import naive
from tests.words.letters import (
    NAMES,
    NGRAMS,
    FloatArray,
    Letters,
    gone_with,
    letters,
    movement,
    random_letters,
    random_value,
    weights,
)

from entrenous.errors import ArgumentError, PrivacyError
from entrenous.unit import Unit
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.statistics.nested import nesting as nesting_module
from entrenous.words.statistics.nested.nesting import LARGEST, NESTINGS, Layout, Nesting, nesting_of

#: What vanishes with one unit of each kind that a nesting hides.
HIDDEN = {
    Unit.MESSAGE.name: ("message",),
    Unit.THREAD.name: ("message", "thread"),
    Unit.EDGE_AND_MESSAGE.name: ("message", "edge"),
    Unit.ALL_OF_MAIL.name: ("message", "thread", "edge", "sender"),
}
CASES = [(name, kind) for name, kinds in HIDDEN.items() for kind in kinds]
TIES = st.integers(0, 2**20)
VALUE = st.lists(
    st.sampled_from([0.0, 1.0, 1e-60, 1e-20]) | st.floats(1e-60, 1), min_size=NGRAMS, max_size=NGRAMS
)


def twin(mail: Letters, value: FloatArray, nesting: Nesting, *, words: bool) -> list[float]:
    """The weights by the slow twin."""
    pairs: dict[tuple[int, int], int] = {}
    passages = []
    for message, (sender, others) in enumerate(zip(mail.senders, mail.recipients, strict=True)):
        for other in set(others) - {sender}:
            ends = (min(sender, other), max(sender, other))
            passages.append((pairs.setdefault(ends, len(pairs)), message))
    share = naive.message_shares(passages, mail.alike, mail.threads, of_thread=nesting.thread)
    worth = dict(zip(NAMES, value.tolist(), strict=True))
    flags = {"edge": nesting.edge, "sender": nesting.sender, "words": words}
    total = naive.nested_weights(mail.said, mail.senders, passages, share, worth, **flags)
    return [total.get(name, 0.0) for name in NAMES]


@pytest.mark.parametrize("name", NESTINGS)
@given(letters(), VALUE, st.booleans())
def test_the_kernel_matches_its_naive_twin(name: str, mail: Letters, value: list[float], words: bool) -> None:
    worth = np.array(value)
    found = weights(mail.table, NESTINGS[name], worth, words=words)
    slack = nesting_module._SLACK
    assert (found / slack).tolist() == pytest.approx(
        twin(mail, worth, NESTINGS[name], words=words), abs=1e-8
    )


@pytest.mark.parametrize("name", NESTINGS)
def test_bundles_give_what_their_edges_give_one_by_one(name: str) -> None:
    """One message to many, twice: all its edges have the same messages, and the sender has few others."""
    mail = Letters(
        [{"w0", "w1"}, {"w1", "w2", "w3"}, {"w4"}, {"w5"}],
        [0, 0, 0, 1],
        [list(range(1, 9)), list(range(1, 9)), [1], [0]],
        [0, 0, 1, 2],
        [0, 1, 2, 3],
    )
    layout = Layout.of(mail.table, NESTINGS[name])
    if NESTINGS[name].edge:
        assert layout.times.max() == 7
        assert layout.times.sum() == (9 if NESTINGS[name].sender else 8)
    value = np.linspace(0.2, 1, NGRAMS)
    for words in (True, False):
        found = weights(mail.table, NESTINGS[name], value, words=words) / nesting_module._SLACK
        assert found.tolist() == pytest.approx(twin(mail, value, NESTINGS[name], words=words), abs=1e-8)


@pytest.mark.parametrize(("name", "kind"), CASES)
@given(letters(), VALUE, st.booleans(), TIES)
def test_no_unit_moves_the_weights_by_more_than_one(
    name: str, kind: str, mail: Letters, value: list[float], words: bool, seed: int
) -> None:
    table, rng = mail.table, np.random.default_rng(seed)
    for gone in gone_with(table, kind, rng):
        assert movement(table, gone, NESTINGS[name], np.array(value), words=words) <= 1


def hunt(name: str, kind: str, *, tries: int, words: bool, seed: int = 0) -> float:
    """Return the largest movement found in random mail, under random values."""
    rng, worst = np.random.default_rng(seed), 0.0
    for _ in range(tries):
        table, value = random_letters(rng).table, random_value(rng)
        for gone in gone_with(table, kind, rng):
            worst = max(worst, movement(table, gone, NESTINGS[name], value, words=words))
    return worst


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_random_hunt_finds_no_offender_and_comes_close(name: str, kind: str) -> None:
    words, longer = (hunt(name, kind, tries=40, words=words) for words in (True, False))
    assert 0.1 < words <= 1
    assert 0.2 < longer <= 1


@pytest.mark.parametrize(("name", "kind"), CASES)
@given(letters(), VALUE, TIES)
def test_a_word_that_only_one_unit_says_owes_it_no_more_than_the_threshold_forgives(
    name: str, kind: str, mail: Letters, value: list[float], seed: int
) -> None:
    table, rng = mail.table, np.random.default_rng(seed)
    total = weights(table, NESTINGS[name], np.array(value), words=True)
    for gone in gone_with(table, kind, rng):
        rest = table.without_passages(gone)
        lying = np.repeat(rest.copies > 0, np.diff(rest.offsets))
        others = np.bincount(rest.ngram[lying], minlength=rest.ngrams) > 0
        assert total[~others].max(initial=0) <= LARGEST


# What the clips, the shares and the labels are for


def broadcast(recipients: int = 9, times: int = 1) -> Letters:
    """One message to many; as often as asked, in other words."""
    return Letters(
        [{f"w{2 * number}", f"w{2 * number + 1}"} for number in range(times)],
        [0] * times,
        [list(range(1, recipients + 1))] * times,
        list(range(times)),
        list(range(times)),
    )


def lively(both: bool) -> Letters:
    """Many messages on one edge, all different: from one side, or from both."""
    said = [{NAMES[number // 2 % NGRAMS]} for number in range(160)]
    senders = [number % 2 if both else 0 for number in range(len(said))]
    return Letters(
        said, senders, [[1 - sender] for sender in senders], list(range(len(said))), list(range(len(said)))
    )


ALL = np.ones(NGRAMS)


def worst(mail: Letters, kind: str, nesting: Nesting, *, words: bool = False, labelled: bool = True) -> float:
    table, rng = mail.table, np.random.default_rng(1)
    return max(
        movement(table, gone, nesting, ALL, words=words, labelled=labelled)
        for gone in gone_with(table, kind, rng)
    )


def test_without_its_clip_an_edge_moves_more() -> None:
    assert worst(lively(both=False), "edge", NESTINGS[Unit.EDGE_AND_MESSAGE.name]) <= 1
    assert worst(lively(both=False), "edge", NESTINGS[Unit.MESSAGE.name]) > 50


@dataclass(frozen=True)
class Wide(Nesting):
    """Each of the two senders of an edge gets the whole ball."""

    @property
    def radius(self) -> float:
        return 1.0


def test_two_senders_with_a_whole_ball_each_move_more() -> None:
    sound = NESTINGS[Unit.ALL_OF_MAIL.name]
    assert 0.9 < worst(lively(both=True), "edge", sound) <= 1
    assert worst(lively(both=True), "edge", Wide(edge=True, sender=True, thread=True)) > 1.5


def test_without_its_clip_a_sender_moves_more() -> None:
    mail = Letters(
        [set(NAMES)] * 12,
        [0] * 12,
        [[other] for other in range(1, 13)],
        list(range(12)),
        list(range(12)),
    )
    for words in (True, False):
        assert worst(mail, "sender", NESTINGS[Unit.ALL_OF_MAIL.name], words=words) <= 1
        assert worst(mail, "sender", NESTINGS[Unit.EDGE_AND_MESSAGE.name], words=words) > 1.5


def test_without_shares_a_broadcast_moves_more() -> None:
    table, nesting = broadcast().table, NESTINGS[Unit.EDGE_AND_MESSAGE.name]
    whole = np.ones(table.holders)
    assert float(np.linalg.norm(weights(table, nesting, ALL, words=False))) <= 1
    assert float(np.linalg.norm(weights(table, nesting, ALL, words=False, share=whole))) > 3


@pytest.mark.parametrize("name", NESTINGS)
def test_near_copies_share_what_one_message_has(name: str) -> None:
    near = Letters([{"w0"}] * 9, [0] * 9, [[other] for other in range(1, 10)], list(range(9)), [0] * 9)
    assert worst(near, "message", NESTINGS[name]) <= 1
    assert near.table.copies.tolist() == [1] * 9 + [0]
    assert NESTINGS[name].shares(near.table)[:9].tolist() == pytest.approx([1 / 9] * 9)


def test_a_thread_shares_what_one_message_has() -> None:
    thread = Letters([{"w0"}] * 9, list(range(9)), [[9]] * 9, [0] * 9, list(range(9)))
    for name, kinds in HIDDEN.items():
        assert (worst(thread, "thread", NESTINGS[name]) <= 1) == ("thread" in kinds)


def test_a_share_by_what_others_wrote_on_its_edges_would_move_others() -> None:
    """A message scaled by how many lie on its edge: without a broadcast, all others grow on all its edges."""
    mail = Letters(
        [{"w0"}, *({"w1"} for _ in range(12))],
        [0] * 13,
        [list(range(1, 13)), *([other] for other in range(1, 13))],
        list(range(13)),
        list(range(13)),
    )
    table, nesting = mail.table, NESTINGS[Unit.EDGE_AND_MESSAGE.name]

    def crowded(mail: MessageTable) -> FloatArray:
        """1 over the mean number of messages on the edges of each."""
        on = np.bincount(mail.edges)[mail.edges]
        return np.maximum(mail.copies, 1) / np.maximum(np.bincount(mail.notes, on, mail.holders), 1)

    rest = table.without_passages(table.notes == 0)
    moved = weights(table, nesting, ALL, words=True, share=crowded(table)) - weights(
        rest, nesting, ALL, words=True, share=crowded(rest)
    )
    assert float(np.linalg.norm(moved)) <= 2.0  # the clips of edges still hold it down
    free = Nesting()
    moved = weights(table, free, ALL, words=False, share=crowded(table)) - weights(
        rest, free, ALL, words=False, share=crowded(rest)
    )
    assert float(np.linalg.norm(moved)) > 2


def test_labels_are_needed() -> None:
    """If other copies forgot how many there were, the mail of one edge would move the mail of many."""
    count = 12
    mail = Letters(
        [set(NAMES)] * count,
        [0] * count,
        [[1, other] for other in range(2, count + 2)],
        list(range(count)),
        list(range(count)),
    )
    nesting = Nesting(edge=True)
    assert worst(mail, "edge", nesting) <= 1
    assert worst(mail, "edge", nesting, labelled=False) > 3


# What is refused


def test_too_much_to_round_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nesting_module, "_MOST_SUMMED", 2 + 2 * 9 + 9)
    for nesting in NESTINGS.values():  # also the n-grams of a message that nobody got count
        with pytest.raises(PrivacyError, match="rounding"):
            Layout.of(broadcast(9).table, nesting)
        assert len(Layout.of(MessageTable.of([{"a": 1}], senders=[0], recipients=[[1]]), nesting).starts) == 2


def test_three_senders_on_an_edge_are_refused() -> None:
    table = Letters([{"w0"}] * 3, [0, 1, 2], [[1], [0], [1]], [0, 1, 2], [0, 1, 2]).table
    odd = table.without_passages(np.zeros(3, np.bool_))
    object.__setattr__(odd, "edges", np.zeros(3, np.int32))
    with pytest.raises(PrivacyError, match="two senders"):
        Layout.of(odd, NESTINGS[Unit.ALL_OF_MAIL.name])


def test_mail_of_which_nothing_lies_on_an_edge_has_no_weight() -> None:
    table = MessageTable.of([{"a": 1}], senders=[0], recipients=[[0]])
    for nesting in NESTINGS.values():
        assert weights(table, nesting, np.ones(1), words=True).tolist() == [0.0]


def test_units_without_a_proof_are_refused() -> None:
    with pytest.raises(ArgumentError, match="no proof"):
        nesting_of(Unit.EDGE)
    assert {name for name in HIDDEN} == set(NESTINGS)
