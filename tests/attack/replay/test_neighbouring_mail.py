"""Mail without one unit is what counting the mail without it gives, as far as labels do not matter."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from entrenous import datasets
from entrenous.attack.replay.neighbouring_mail import Gone, MailWithout, gone_by_unit
from entrenous.attack.replay.searching_mail import near_gone
from entrenous.errors import PrivacyError
from entrenous.unit import Unit
from entrenous.words import Corpus
from entrenous.words.counting.holder import HOLDERS
from entrenous.words.counting.table import Table

LETTERS = list(datasets.organization(25, seed=3).messages(150))
MAIL = Corpus.from_messages(LETTERS)
UNITS = [name for name in HOLDERS if name != "edge"]


def said(table: Table) -> list[dict[str, int]]:
    """What each holder says, in an order that does not depend on numbers."""
    names = list(table.names)
    rows = []
    for holder in range(table.holders):
        here = slice(table.offsets[holder], table.offsets[holder + 1])
        rows.append(
            {
                names[gram]: int(times)
                for gram, times in zip(table.ngram[here], table.frequency[here], strict=True)
            }
        )
    return sorted(rows, key=lambda row: sorted(row.items()))


@cache
def alone() -> list[tuple[int, Corpus]]:
    """Two messages that share no label with others, each with the mail as it is read without it."""
    mail = MAIL.messages(n=1)
    ids = [number for (number,) in MAIL._engine.rows("SELECT message FROM notes ORDER BY holder")]
    texts = {row[0]: row[1] for row in MAIL._engine.rows("SELECT message, body FROM messages")}
    found: list[tuple[int, Corpus]] = []
    for note in range(mail.holders):
        shared = (mail.alike == mail.alike[note]).sum() + (mail.thread == mail.thread[note]).sum()
        others = [letter for letter in LETTERS if letter["body"] != texts[ids[note]]]
        if shared == 2 and mail.copies[note] == 1 and len(others) == len(LETTERS) - 1 and len(found) < 2:
            found.append((note, Corpus.from_messages(others)))
    return found


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("listed", [None, ("the", "meeting", "budget meeting")])
def test_a_message_less_is_as_if_it_had_never_been_read(unit: str, listed: tuple[str, ...] | None) -> None:
    """Messages with no near-copy, alone in their thread and to one person: no label of others can change."""
    found = alone()
    assert len(found) == 2
    for note, recounted in found:
        without = MailWithout(MAIL, Gone("message", np.array([note])))
        for contribution in (None, 3):
            asked = {"by": HOLDERS[unit], "n": 2, "contribution": contribution, "listed": listed}
            assert said(without.table(**asked)) == said(recounted.table(**asked))


@pytest.mark.parametrize("unit", ["message", "thread", "edge-and-message", "all"])
def test_messages_keep_their_labels(unit: str) -> None:
    whole = MAIL.messages(by=unit, n=2)
    widest = int(np.argmax(whole.copies))
    edge = int(whole.edges[whole.notes == widest][0])
    left = MailWithout(MAIL, Gone("edge", np.zeros(0, np.int64), edge)).messages(by=unit, n=2)
    assert np.array_equal(left.copies, whole.copies)
    assert not (left.edges == edge).any()
    assert len(left.notes) == len(whole.notes) - (whole.edges == edge).sum()
    gone = MailWithout(MAIL, Gone("message", np.array([widest]))).messages(by=unit, n=2)
    assert gone.offsets[widest] == gone.offsets[widest + 1]
    assert not (gone.notes == widest).any()


@pytest.mark.parametrize("unit", UNITS)
def test_units_of_every_kind_are_taken_away(unit: str) -> None:
    hidden = HOLDERS[unit].unit
    found = list(gone_by_unit(MAIL, hidden, 12, np.random.default_rng(1)))
    kinds = {each.kind for each in found}
    expected = {
        Unit.MESSAGE: {"message"},
        Unit.THREAD: {"thread", "message"},
        Unit.EDGE_AND_MESSAGE: {"message", "edge"},
        Unit.ALL_OF_MAIL: {"message", "thread", "edge", "sender"},
        Unit.SENDER: {"sender"},
        Unit.EDGE_CONTENT: {"edge"},
    }
    assert kinds == expected[hidden]
    assert len(found) == 12


@pytest.mark.parametrize("unit", UNITS)
def test_the_search_stays_near_the_worst_unit(unit: str) -> None:
    hidden, mail, rng = HOLDERS[unit].unit, MAIL.messages(n=1), np.random.default_rng(2)

    def people(gone: Gone) -> set[int]:
        ends = mail.edge_ends[gone.edge] if gone.edge >= 0 else mail.senders[gone.notes]
        return set(ends.tolist())

    for worst in gone_by_unit(MAIL, hidden, 6, np.random.default_rng(1)):
        near = near_gone(MAIL, hidden, worst, rng)
        assert len(near.notes) or near.edge >= 0
        if near.kind != "sender":  # of senders, also those that wrote to the same people
            assert people(near) & people(worst)


def test_a_table_that_does_not_say_what_its_messages_say_is_refused() -> None:
    mail = Corpus.from_messages(LETTERS)
    table = mail.table(by="edge", n=1)
    table.frequency.setflags(write=True)
    table.frequency[:] += 1
    without = MailWithout(mail, Gone("edge", np.zeros(0, np.int64), 0))
    with pytest.raises(PrivacyError, match="does not say what its messages say"):
        without.table(by="edge", n=1)
