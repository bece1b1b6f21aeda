"""Vocabularies with counts: one budget for names and counts, what is saved of them, and what can be done with them."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from entrenous.cli import app
from entrenous.desk import Desk
from entrenous.errors import ArgumentError, BudgetExceeded, PrivacyError
from entrenous.noise import Noise
from entrenous.page import Report
from entrenous.price import Price
from entrenous.release import Release, read_release
from entrenous.unit import Unit
from entrenous.vault import Budget, Vault
from entrenous.words import Corpus, Group, PublicEdges, histogram, idf, key_phrases, tf_idf, vocabulary
from entrenous.words.counting.table import Table
from entrenous.words.frequency import idf_intervals
from entrenous.words.statistics import ListedCounts
from entrenous.words.statistics.listed_counts import true_counts
from entrenous.words.vocabulary import Vocabulary, VocabularyRequest
from entrenous.words.vocabulary.desks import Desks

UNITS = ("edge-and-message", "message", "thread", "sender", "all", "edge-content")
SAID = {
    "the": 100,
    "of": 95,
    "to": 90,
    "and": 85,
    "is": 70,
    "for": 65,
    "on": 60,
    "your": 45,
    "time": 35,
    "week": 25,
}
"""Everyday words, and how many edges in a hundred say them."""
PEOPLE = [f"p{number:02}@x.org" for number in range(40)]
PAIRS = [(one, other) for one in PEOPLE for other in PEOPLE if one < other]
ASKED: dict[str, Any] = {"epsilon": 20.0, "delta": 1e-4, "n": 1, "counts": True}


@pytest.fixture(scope="module")
def mail() -> Corpus:
    """Return mail on 780 edges: they say everyday words, half of them "pipeline", and each one word of its own."""
    chance, records = np.random.default_rng(1), []
    for number, (one, other) in enumerate(PAIRS):
        words = [word for word, share in (SAID | {"pipeline": 50}).items() if chance.random() < share / 100]
        words.append(f"x{chr(97 + number % 26)}{chr(97 + number // 26)}q")
        records.append(
            {
                "id": f"m{number}@x.org",
                "date": "2024-01-01T10:00:00",
                "from": one,
                "to": [other],
                "cc": [],
                "subject": "",
                "body": " ".join(words),
            }
        )
    return Corpus.from_messages(records)


@pytest.fixture(scope="module")
def made(mail: Corpus) -> Release[Vocabulary]:
    return vocabulary(mail, **ASKED, rng=1)


@pytest.mark.parametrize(
    ("unit", "weighting"),
    [
        *((unit, "guided") for unit in UNITS),
        ("sender", "uniform"),
        ("edge-content", "adaptive"),
        ("sender", "policy"),
    ],
)
def test_both_desks_together_cost_what_a_vault_is_told(unit: str, weighting: str) -> None:
    request = VocabularyRequest.checked(3.0, 1e-5, unit=unit, weighting=weighting, counts=True)
    plain = VocabularyRequest.checked(3.0, 1e-5, unit=unit, weighting=weighting)
    names, counts = request.prices
    assert counts is not None
    assert names.mu**2 + counts.mu**2 == pytest.approx(plain.ceiling.mu**2, rel=1e-12)
    assert (names.delta, counts.delta) == (plain.ceiling.delta, 0)
    assert request.event == plain.event
    assert request.kept(request.ceiling)
    assert not request.kept(Price.total((names, plain.ceiling)))
    assert request.rule.event.price.mu == pytest.approx(names.mu)


def test_a_desk_for_counts_opens_once(mail: Corpus) -> None:
    table = mail.table(n=1)
    request = VocabularyRequest.checked(3.0, 1e-5, unit="edge-content", counts=True)
    desks = Desks(table, Unit.EDGE_CONTENT, request.prices, Noise(1))
    assert (
        Price.total((desks.names.ceiling, desks.for_counts(table).ceiling))
        == desks.ceiling
        == request.ceiling
    )
    with pytest.raises(PrivacyError, match="no desk for counts is left"):
        desks.for_counts(table)


@pytest.mark.parametrize("rng", [None, 1], ids=["real", "rehearsal"])
def test_both_desks_draw_from_one_source(mail: Corpus, rng: int | None) -> None:
    """A seed of its own for counts would let everybody take their noise away."""
    table, noise = mail.table(n=1), Noise(rng)
    request = VocabularyRequest.checked(3.0, 1e-5, unit="edge-content", counts=True)
    desks = Desks(table, Unit.EDGE_CONTENT, request.prices, noise)
    counts = desks.for_counts(table)
    assert counts.rehearsal == desks.rehearsal == (rng is not None)
    assert counts.generator is noise.generator


def test_what_was_asked_is_the_whole_ceiling_and_no_more(mail: Corpus, made: Release[Vocabulary]) -> None:
    request = VocabularyRequest.checked(20.0, 1e-4, n=1, counts=True)
    costs = [cost for name, cost in made.provenance.parameters.items() if name.startswith("mu for ")]
    assert len(costs) >= 3
    spent = sum(float(cost) ** 2 for cost in costs)
    assert spent == pytest.approx(request.ceiling.mu**2, rel=1e-4)
    assert made.guarantee is not None
    assert (made.guarantee.epsilon, made.guarantee.delta) == (20.0, 1e-4)
    assert made.guarantee.unit == Unit.EDGE_AND_MESSAGE
    plain = vocabulary(mail, **ASKED | {"counts": False}, rng=1)
    assert plain.guarantee == made.guarantee
    assert plain.artifact.counted is None


@pytest.mark.parametrize("unit", ["edge-and-message", "edge-content", "sender"])
def test_counts_are_of_the_holders_of_the_unit_and_near_the_truth(mail: Corpus, unit: str) -> None:
    words = vocabulary(mail, **ASKED, unit=unit, rng=2).artifact
    table = mail.table(by=unit, n=1)
    assert words.counted is not None
    assert words.counted.meaning == table.by.counts
    true = true_counts(table, words.names, contribution=len(words))
    assert {*SAID, "pipeline"} <= {*words.names}
    assert (
        np.abs(words.counted.estimates - true).max() < 6 * words.counted.deviations.max()
    )  # of 780: exact to 20
    assert words.counted.deviations.max() < 20


def test_what_is_saved_is_read_back_and_works(made: Release[Vocabulary], tmp_path: Path) -> None:
    folder = made.save(tmp_path / "public")
    rows = list(csv.DictReader((folder / "vocabulary.csv").read_text().splitlines()[1:]))
    assert [*rows[0]] == ["ngram", "score", "count", "deviation", "low", "high"]
    back = read_release(folder).artifact
    words = made.artifact
    assert isinstance(back, Vocabulary)
    assert words.covered
    assert back.covered
    assert back.names == words.names
    assert back.counts is not None
    assert back.counts.tolist() == words.counts.tolist()  # type: ignore[union-attr]
    assert back.intervals().tolist() == words.intervals().tolist()
    assert back.counted.meaning == words.counted.meaning  # type: ignore[union-attr]
    assert [float(row["low"]) for row in rows] == words.intervals()[:, 0].round(1).tolist()
    values, reach = idf(back, holders=780), idf_intervals(back, holders=780)
    assert all(reach[name][0] <= values[name] <= reach[name][1] for name in back.names)
    assert values["pipeline"] > values["the"]
    assert tf_idf({"pipeline": 2}, back, holders=780) == {"pipeline": 2 * values["pipeline"]}
    assert [phrase.ngram for phrase in key_phrases(back)] == ["pipeline"]
    assert key_phrases(back)[0].value == back.counts[back.names.index("pipeline")]
    assert Report.of_release(read_release(folder)).html == Report.of_release(made).html
    assert "pairs that carry it" in Report.of_release(made).html
    part = back.first(2)
    assert part.intervals().tolist() == back.intervals()[:2].tolist()


def test_folders_tell_frequencies_and_key_phrases_on_the_command_line(
    made: Release[Vocabulary], tmp_path: Path
) -> None:
    folder = str(made.save(tmp_path / "public"))
    done = CliRunner().invoke(app, ["words", "idf", folder, "--holders", "780", "--json"])
    assert done.exit_code == 0
    assert '"pipeline"' in done.stdout
    assert "null" not in done.stdout
    done = CliRunner().invoke(app, ["words", "keyphrases", folder])
    assert done.exit_code == 0
    assert "pipeline" in done.stdout


def test_a_public_list_tells_how_many_may_be_counted(mail: Corpus, tmp_path: Path) -> None:
    seen = mail.on_edges(PublicEdges.of(PAIRS))
    for unit, holders in (("edge-and-message", len(PAIRS)), ("all", len(PEOPLE))):
        made = vocabulary(seen, **ASKED | {"epsilon": 200.0}, unit=unit, rng=1)
        back = read_release(made.save(tmp_path / unit)).artifact
        assert back.holders == made.artifact.holders == holders
    with pytest.raises(ArgumentError, match="says nothing of messages"):
        vocabulary(seen, **ASKED, unit="message", rng=1)


def test_a_vault_is_charged_once_and_before_anything_is_drawn(
    mail: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = {"epsilon": 30.0, "delta": 1e-3, "slack": 0.0}
    vault = Vault.create(tmp_path / "v", Budget(**budget, unit="edge-and-message"))
    asked: list[int] = []
    real = Desk.__call__
    monkeypatch.setattr(
        Desk,
        "__call__",
        lambda desk, question: asked.append(len(vault.state.charges)) or real(desk, question),
    )
    made = vocabulary(mail, **ASKED, vault=vault, rng=1)
    assert len(asked) >= 3
    assert {*asked} == {1}
    (charge,) = vault.state.charges
    (promise,) = (each for each in charge.promises if each.unit == Unit.EDGE_AND_MESSAGE)
    assert promise.epsilon == 20
    assert promise.event == VocabularyRequest.checked(20.0, 1e-4, n=1).event
    assert made.provenance.receipt is not None
    back = vault.resume(made.provenance.receipt.number)
    assert back.artifact.intervals().tolist() == made.artifact.intervals().tolist()
    with pytest.raises(BudgetExceeded, match="nothing was charged"):
        vocabulary(mail, **ASKED, vault=vault, rng=1)
    assert len(asked) == len([*asked])
    assert len(vault.state.charges) == 1


def test_names_that_cannot_be_counted_are_kept_without_counts(
    mail: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = Vault.create(tmp_path / "v", Budget(epsilon=30.0, delta=1e-3, unit="edge-and-message"))

    def broken(*_: Any, **__: Any) -> Table:
        raise MemoryError("a secret word")

    monkeypatch.setattr(VocabularyRequest, "counted_table", broken)
    made = vocabulary(mail, **ASKED, vault=vault, rng=1)
    assert "the" in made.artifact.names
    assert made.artifact.counts is None
    assert made.private["not counted"] == "MemoryError: the names were drawn, and could not be counted"
    assert made.provenance.receipt is not None
    back = vault.resume(made.provenance.receipt.number)
    assert back.artifact.names == made.artifact.names
    assert back.artifact.counts is None
    assert len(vault.state.charges) == 1


def test_what_has_no_counts_is_refused_before_the_charge(mail: Corpus) -> None:
    table = mail.table(n=1)
    for source, more, match in (
        (table, {"weighting": "fixed"}, "are counts already"),
        (mail.messages(n=1), {}, "expected a corpus"),
        (mail.table(by="edge-and-message", n=1), {}, "expected messages"),
        (table.bounded(5), {}, "bounded before"),
    ):
        with pytest.raises(ArgumentError, match=match):
            vocabulary(source, **ASKED | more, rng=1)


def test_a_table_of_messages_is_not_counted_as_if_each_were_a_pair(mail: Corpus) -> None:
    """An edge that is taken away takes all its messages along; the price is that of two holders."""
    messages = mail.messages(n=1)
    with pytest.raises(ArgumentError, match="got one of messages"):
        histogram(messages, vocabulary=["the"], epsilon=1.0, rng=1)
    desk: Desk[Table] = Desk(messages, unit=Unit.EDGE_AND_MESSAGE, ceiling=Price(mu=9.0), noise=Noise(1))
    with pytest.raises(PrivacyError, match="messages"):
        desk(ListedCounts(("the",), 1, "gaussian", 1.0))


def test_a_group_and_a_table_of_edges_have_counts_too(mail: Corpus) -> None:
    alone = vocabulary(mail.table(n=1), **ASKED, rng=1).artifact
    group = vocabulary(mail.table(n=1), **ASKED, correlation=Group(2), rng=1).artifact
    assert alone.counted is not None
    assert group.counted is not None
    assert group.counted.deviations.min() > 1.5 * alone.counted.deviations.min()


def test_a_vocabulary_without_names_has_no_counts(tmp_path: Path) -> None:
    nobody = Table.from_counts([{}] * 30, ends=[(i, i + 1) for i in range(30)], n=1)
    made = vocabulary(nobody, epsilon=1.0, delta=1e-5, n=1, counts=True, rng=1)
    back = read_release(made.save(tmp_path / "public")).artifact
    assert len(made.artifact) == len(back) == 0
    assert back.covered
    Report.of_release(made)


def test_bars_of_counts_without_intervals_are_not_called_so(made: Release[Vocabulary]) -> None:
    """They hold how what is left out varies as well, so they are no band of noise alone either."""
    words = made.artifact
    assert words.counted is not None
    bare = replace(words, counted=replace(words.counted, covered=False))
    told = Report.of_release(replace(made, artifact=bare)).html
    assert "the known part of the error" in told
    assert "covers the true number" not in told
    assert "noise alone" not in told
    assert "covers the true number" in Report.of_release(made).html
