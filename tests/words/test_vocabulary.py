"""Vocabularies: what is named, what is refused, what is charged, and what noise alone names."""

from __future__ import annotations

import csv
import itertools
import math
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtri
from tests.real_data import DATA

from entrenous.errors import ArgumentError, BudgetExceeded
from entrenous.noise import Noise
from entrenous.vault import Budget, Vault
from entrenous.words.beliefs import Binomial, Group
from entrenous.words.corpus import Corpus
from entrenous.words.counting.table import Table
from entrenous.words.frequency import idf
from entrenous.words.statistics import candidates as candidates_module
from entrenous.words.statistics.candidates import Candidates, occurring, scored, strike
from entrenous.words.statistics.guided_rounds import Rounds
from entrenous.words.statistics.threshold import (
    coupled_laplace_threshold,
    coupled_threshold,
    laplace_threshold,
    normal_excess,
    uniform_threshold,
)
from entrenous.words.vocabulary import WEIGHTINGS, VocabularyRequest, predict, vocabulary
from entrenous.words.vocabulary.vocabulary_request import NEVER_SEEN

FloatArray = NDArray[np.float64]
COMMON = {"budget": 3, "meeting": 2, "draft": 2, "budget meeting": 2, "meeting draft": 1}
RARE = "canary"


def mail(holders: int = 2000, *, n: int = 2) -> Table:
    """Return edges of a public list that all say the same, and one that also says something rare."""
    said = {name: count for name, count in COMMON.items() if name.count(" ") < n}
    more = {"budget meeting draft": 1} if n == 3 else {}
    counts = [said | more] * (holders - 1) + [said | more | {RARE: 9}]
    return Table.from_counts(counts, ends=[(i, i + 1) for i in range(holders)], n=n, listed=True)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_every_rule_names_what_all_say_and_not_what_one_says(weighting: str) -> None:
    made = vocabulary(mail(), epsilon=3.0, delta=1e-5, weighting=weighting, rng=5)
    assert set(made.artifact.names) >= set(COMMON)
    assert RARE not in made.artifact.names
    assert made.private["occurring"] == len(COMMON)


def test_three_words_are_built_from_two() -> None:
    made = vocabulary(mail(n=3), epsilon=3.0, delta=1e-5, n=3, rng=2)
    assert "budget meeting draft" in made.artifact.names
    assert made.provenance.parameters["never seen"] == NEVER_SEEN.format(share=1.0)


def test_single_words_need_no_remark_about_others() -> None:
    made = vocabulary(mail(n=1), epsilon=3.0, delta=1e-5, n=1, rng=2)
    assert set(made.artifact.names) == {"budget", "meeting", "draft"}
    assert "never seen" not in made.provenance.parameters


def test_real_noise_is_no_rehearsal() -> None:
    made = vocabulary(mail(), epsilon=3.0, delta=1e-5)
    assert not made.provenance.rehearsal
    assert set(made.artifact.names) >= set(COMMON)


def test_a_group_and_a_belief_cost_more() -> None:
    alone = predict(mail(), epsilon=3.0, delta=1e-5, weighting="fixed", contribution=10)
    group = predict(mail(), epsilon=3.0, delta=1e-5, weighting="fixed", contribution=10, correlation=Group(9))
    belief = Binomial(p0=0.1, p1=0.3, neighbours=8)
    star = vocabulary(mail(), epsilon=3.0, delta=1e-5, contribution=10, correlation=belief, rng=1)
    assert alone.threshold < star.provenance.parameters["threshold for words"] < group.threshold
    assert star.provenance.parameters["weighting"] == "fixed"
    assert star.guarantee is not None
    assert star.guarantee.level is not None
    assert star.guarantee.level.epsilon < 3.0
    guided = vocabulary(mail(), epsilon=3.0, delta=1e-5, correlation=Group(3), rng=1)
    assert guided.guarantee is not None
    assert guided.guarantee.size == 3


def test_a_belief_about_fewer_neighbours_than_the_graph_has_is_refused(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "l", Budget(epsilon=9.0, delta=1e-4, unit="edge-content"))
    belief = Binomial(p0=0.1, p1=0.3, neighbours=1)  # an edge between two others has two
    for ask in (partial(vocabulary, vault=vault), predict):
        with pytest.raises(ArgumentError, match="at least 2 neighbours"):
            ask(mail(), epsilon=3.0, delta=1e-5, contribution=10, correlation=belief)
    assert [entry.kind for entry in vault.entries()] == ["opened", "budget"]


def test_a_measured_belief_promises_nothing_and_is_charged(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "l", Budget(epsilon=9.0, delta=1e-4, unit="edge-content"))
    belief = Binomial(p0=0.1, p1=0.3, neighbours=8).disclaimed()
    made = vocabulary(
        mail(), epsilon=3.0, delta=1e-5, contribution=10, correlation=belief, vault=vault, rng=1
    )
    assert made.guarantee is None
    assert "not a privacy guarantee" in str(made.provenance.parameters["correlation"])
    assert 0 < vault.total().epsilon < 3
    assert set(vault.state.facts) == {"ties"}


def test_senders_are_counted_by_sender() -> None:
    people = Table.from_counts([{"budget": 2}] * 900, ends=[(i, i) for i in range(900)], by="sender")
    made = vocabulary(people, epsilon=3.0, delta=1e-5, unit="sender", n=1, rng=3)
    assert made.guarantee is not None
    assert (made.artifact.names, str(made.guarantee.unit)) == (("budget",), "sender")
    with pytest.raises(ArgumentError, match="does not hold edges"):
        vocabulary(people, epsilon=3.0, delta=1e-5, unit="edge-content", n=1, rng=3)


@pytest.mark.parametrize("weighting", ["guided", "uniform", "fixed", "adaptive", "policy"])
def test_what_cannot_succeed_is_refused_before_the_charge(weighting: str, tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "l", Budget(epsilon=9.0, delta=1e-4, unit="edge-content"))
    with pytest.raises(ArgumentError, match=r"no word could be published.*6 edges"):
        vocabulary(mail(6), epsilon=1.0, delta=1e-6, weighting=weighting, vault=vault, rng=1)
    assert [entry.kind for entry in vault.entries()] == ["opened", "budget"]


def test_a_policy_of_too_many_ngrams_is_refused_by_public_numbers() -> None:
    request = VocabularyRequest.checked(3.0, 1e-5, None, 1000, "edge", "policy", 2)

    def holders(count: int) -> Table:
        nobody = Table.from_counts([], ends=[], listed=True)
        return replace(nobody, offsets=np.zeros(count + 1, np.int64))

    request.check(holders(4_000_000))
    with pytest.raises(ArgumentError, match="expected 858 at most"):
        request.check(holders(5_000_000))


def test_an_error_about_n_does_not_tell_how_long_the_longest_ngram_is() -> None:
    with pytest.raises(ArgumentError) as problem:
        vocabulary(mail(), epsilon=3.0, delta=1e-5, n=4, rng=1)
    assert "2" not in str(problem.value)


def test_a_part_of_a_vocabulary_is_what_scored_highest() -> None:
    whole = vocabulary(mail(), epsilon=3.0, delta=1e-5, weighting="fixed", rng=1).artifact
    part = whole.first(2)
    assert (part.names, part.holders) == (whole.names[:2], whole.holders)
    assert part.counts is not None
    assert len(part.counts) == len(part.score) == 2


def test_the_charge_comes_first_and_is_what_was_asked_for(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "l", Budget(epsilon=4.0, delta=1e-4, unit="edge-content", slack=0.0))
    vocabulary(mail(), epsilon=3.0, delta=1e-5, vault=vault, rng=1)
    (charge,) = vault.state.charges
    (promise,) = charge.promises
    assert (promise.epsilon, promise.delta) == (3, Decimal("1e-5"))
    assert vault.state.releases[charge.entry].rehearsal
    assert promise.event is not None
    assert promise.event.delta == pytest.approx(1e-6)
    assert charge.entry in vault.state.drawn
    before = vault.entries()
    with pytest.raises(BudgetExceeded):
        vocabulary(mail(), epsilon=3.0, delta=1e-5, vault=vault, rng=1)
    assert vault.entries() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"delta": 0},
        {"weighting": "loud"},
        {"n": 5},
        {"n": 1},
        {"contribution": 0},
        {"correlation": Binomial(0.1, 0.2, 3), "weighting": "guided"},
        {"correlation": Group(3), "weighting": "policy"},
        {"correlation": Binomial(0.1, 0.2, 3, defect=1e-4), "contribution": 10},
        {"unit": "letter"},
    ],
)
def test_wrong_arguments_are_named(wrong: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        vocabulary(mail(), **({"epsilon": 3.0, "delta": 1e-5, "rng": 1} | wrong))  # type: ignore[arg-type]


def test_a_saved_vocabulary_holds_what_was_named_and_no_more(tmp_path: Path) -> None:
    made = vocabulary(mail(), epsilon=3.0, delta=1e-5, weighting="fixed", contribution=10, rng=5)
    folder = made.save(tmp_path / "public")
    lines = (folder / "vocabulary.csv").read_text().splitlines()
    assert lines[0].startswith("# not private")
    rows = list(csv.DictReader(lines[1:]))
    assert [row["ngram"] for row in rows] == list(made.artifact.names)
    assert abs(float(rows[0]["count"]) - 2000) < 60
    assert not any(RARE in file.read_text() for file in folder.iterdir())
    with pytest.raises(ArgumentError, match="csv"):
        made.save(tmp_path / "other", format="graphml")


def test_names_come_in_the_order_of_scores_not_of_ids() -> None:
    made = vocabulary(mail(), epsilon=3.0, delta=1e-5, rng=5).artifact
    assert made.score.tolist() == sorted(made.score.tolist(), reverse=True)
    assert repr(made) == f"Vocabulary(ngrams={len(made)})"


def test_progress_reaches_its_end() -> None:
    seen: list[tuple[int, int]] = []
    vocabulary(
        mail(), epsilon=3.0, delta=1e-5, rng=5, progress=lambda done, total: seen.append((done, total))
    )
    assert seen[-1] == (len(seen), len(seen))


def test_idf_needs_counts() -> None:
    made = vocabulary(mail(), epsilon=3.0, delta=1e-5, weighting="fixed", contribution=10, rng=5).artifact
    table = idf(made, holders=made.holders)
    assert all(0 <= value < 0.1 for value in table.values())
    with pytest.raises(ArgumentError, match="histogram"):
        idf(vocabulary(mail(), epsilon=3.0, delta=1e-5, rng=5).artifact, holders=2000)


# Thresholds


def test_thresholds_are_the_published_numbers() -> None:
    assert round(coupled_laplace_threshold(100.0, math.exp(-10), 1000, 558), 1) == 609.9
    assert round(laplace_threshold(5.58, math.exp(-10), 1000), 1) == 90.5


def test_the_uniform_threshold_holds_for_the_worst_number_of_ngrams_and_is_tight() -> None:
    from scipy.special import log_ndtr

    scale, delta, most = 1.4, 1e-5, 50
    for group in (1, 3):
        threshold = uniform_threshold(scale, delta, most, group=group)
        lost = [
            -math.expm1(group * t / shared * log_ndtr((threshold - shared / math.sqrt(t)) / scale))
            for t in range(1, most + 1)
            for shared in range(1, group + 1)
        ]
        assert max(lost) == pytest.approx(delta, rel=1e-6)


def test_a_coupling_raises_the_threshold_by_more_than_itself() -> None:
    plain = coupled_threshold(10.0, 1e-6, 100, 1)
    assert coupled_threshold(10.0, 1e-6, 100, 20) > plain + 19
    assert plain == pytest.approx(1 + 10 * normal_excess(1e-6, 100), rel=1e-3)


# Candidates


def overlapping(shorter: np.ndarray) -> set[tuple[int, ...]]:
    return {
        (*first, second[-1])
        for first, second in itertools.product(shorter.tolist(), repeat=2)
        if first[1:] == second[:-1]
    }


@pytest.mark.parametrize(
    "shorter", [[[2], [5], [7]], [[1, 2], [2, 1], [2, 3], [1, 1], [3, 4]], [[1, 2, 3], [2, 3, 1], [2, 3, 4]]]
)
def test_candidates_are_numbered_one_by_one(shorter: list[list[int]]) -> None:
    candidates = Candidates(np.array(shorter, np.int32))
    rows = [tuple(row) for row in candidates.parts(np.arange(candidates.total)).tolist()]
    assert len(rows) == len(set(rows)) == candidates.total
    assert set(rows) == overlapping(candidates.shorter)


def test_candidates_that_occur_are_found_under_their_numbers() -> None:
    table = mail(n=3)
    names = tuple(table.names[: int((table.length == 1).sum())])
    words = np.array([[0], [1], [2]], np.int32)
    ids, numbers = occurring(Candidates(words), names, table)
    assert {table.names[int(i)] for i in ids} <= set(COMMON)
    np.testing.assert_array_equal(Candidates(words).parts(numbers), table.parts[ids, :2])
    pairs = table.parts[table.length == 2, :2]
    ids, numbers = occurring(Candidates(pairs), names, table)
    assert [table.names[int(i)] for i in ids] == ["budget meeting draft"]
    np.testing.assert_array_equal(Candidates(pairs).parts(numbers), table.parts[ids])


@pytest.mark.parametrize("chance", [1e-4, 0.05])
def test_noise_strikes_candidates_with_its_chance(chance: float) -> None:
    candidates = Candidates(np.arange(400, dtype=np.int32)[:, None])
    noise = Noise(1)
    times = 40
    struck = np.concatenate([strike(candidates.total, chance, noise) for _ in range(times)])
    expected = times * candidates.total * chance
    assert abs(len(struck) - expected) < 5 * math.sqrt(expected)
    assert not abs(len(struck) - 1.3 * expected) < 5 * math.sqrt(expected)
    assert abs(struck.mean() / candidates.total - 0.5) < 5 * math.sqrt(1 / 12 / expected)


def walks(rounds: Rounds, count: int) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return where so many sums of noise alone end, and which of them stay in the race until then."""
    sums = np.random.default_rng(1).standard_normal((rounds.count, count)).cumsum(axis=0)
    stays = np.all([rounds.stays(sums[made - 1], made) for made in range(1, rounds.count)], axis=0)
    return sums[-1] / math.sqrt(rounds.count), stays


FEW_ROUNDS = Rounds(mu=0.5, count=5, target=4.0)
MANY_ROUNDS = Rounds(mu=0.5, count=20, target=4.0, least=-0.5, pace=0.1)


@pytest.mark.parametrize("rounds", [FEW_ROUNDS, MANY_ROUNDS], ids=["few", "many from below 0"])
def test_ngrams_that_never_occur_stay_in_the_race_as_if_they_had_been_drawn(rounds: Rounds) -> None:
    score, stays = walks(rounds, 400_000)
    high = score > 2.0
    simulated = rounds.surviving(score[high], Noise(2)).mean()
    true = stays[high].mean()
    deviation = math.sqrt(true * (1 - true) * 2 / high.sum())
    assert abs(simulated - true) < 4 * deviation < 0.05
    assert 0.1 < true < 0.9


def test_likely_candidates_that_never_occur_are_named_as_if_all_had_been_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(candidates_module, "_MOST_TOLD", 0.08)
    told = np.exp(np.random.default_rng(5).normal(size=12))
    candidates = Candidates(np.arange(12, dtype=np.int32)[:, None], told)
    there, noise, runs = np.array([3, 17, 50, 99]), Noise(3), 2000
    drawn = np.zeros(candidates.total)
    for _ in range(runs):
        found = scored(candidates, there, np.full(4, -np.inf), noise, MANY_ROUNDS, grid=MANY_ROUNDS.grid)
        drawn[found.places] += 1
    assert drawn[there].tolist() == [0, 0, 0, 0], "these have noise of their own"
    chance = candidates.chances(np.arange(candidates.total))
    score, stays = walks(MANY_ROUNDS, 400_000)
    ends = np.sort(score[stays])
    true = 1 - np.searchsorted(ends, -ndtri(chance)) / len(ends)
    true = np.where(np.isin(np.arange(candidates.total), there), 0, true * stays.mean())
    for some in (chance < np.median(chance), chance >= np.median(chance), chance == chance.max()):
        expected = runs * float(true[some].sum())
        deviation = math.sqrt(expected)
        assert abs(drawn[some].sum() - expected) < 4 * deviation
        assert not abs(drawn[some].sum() - 1.3 * expected) < 4 * deviation


@pytest.mark.long
def test_hardly_any_named_pair_never_occurs() -> None:
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(60)]
    pairs = [f"{a} {b}" for a, b in itertools.product(words, words)]
    said = [pairs[place] for place in rng.permutation(len(pairs))[:300]]
    counts = [dict.fromkeys(words, 2) | dict.fromkeys(said, 1)] * 2500
    table = Table.from_counts(counts, ends=[(i, i + 1) for i in range(2500)])
    drawn = [predict(table, epsilon=3.0, delta=1e-5, rng=seed) for seed in range(5)]
    assert all(made.occurring > 300 for made in drawn)
    assert 0 < sum(made.never_seen for made in drawn) < 0.03 * sum(made.occurring for made in drawn)


@pytest.mark.data
def test_real_mail_yields_more_than_was_published() -> None:
    """DPNE, tuned in its favour, names 830 n-grams here; no other published rule that we know of names more."""
    table = Corpus.read(DATA / "mail" / "enron-core.jsonl.gz").table(n=2)
    drawn = [predict(table, epsilon=3.0, delta=1e-5, rng=seed) for seed in range(5)]
    assert sum(made.occurring for made in drawn) / 5 >= 1200
    assert sum(made.never_seen for made in drawn) / 5 <= 30
