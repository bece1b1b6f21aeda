from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from entrenous.errors import ArgumentError, BudgetExceeded, FormatError, MissingDataError, PrivacyError
from entrenous.guarantee import PUBLIC_VOCABULARY, Kind
from entrenous.unit import Unit
from entrenous.vault import Budget, Vault
from entrenous.words.beliefs import Belief, Binomial, Conditional, Group, Independent
from entrenous.words.beliefs.buckets import Bucket
from entrenous.words.counting.table import Table
from entrenous.words.histogram import (
    HISTOGRAM,
    PUBLISHED_VOCABULARY,
    Histogram,
    HistogramRequest,
    histogram,
    predict,
)
from entrenous.words.prediction import Noisy, Prediction
from entrenous.words.statistics.listed_counts import true_counts
from entrenous.words.vocabulary import vocabulary

EDGES = 600
VOCABULARY = ["budget", "draft", "gold", "press release", "never said"]


@pytest.fixture(scope="module")
def mail() -> Table:
    """Six hundred edges: all talk of the budget, a third of drafts, few of gold; a secret is not on the list."""
    holders = [
        {"budget": 3, "secret": 5}
        | ({"draft": 2} if i % 3 == 0 else {})
        | ({"gold": 1, "press release": 1} if i % 100 == 0 else {})
        for i in range(EDGES)
    ]
    return Table.from_counts(holders, ends=[(i, i + 1) for i in range(EDGES)])


def asked(**changes: Any) -> dict[str, Any]:
    return {"vocabulary": VOCABULARY, "epsilon": 2.0, "contribution": 2} | changes


# counts


def test_each_edge_counts_with_its_most_frequent_listed_ngrams(mail: Table) -> None:
    names = tuple(VOCABULARY)
    whole = true_counts(mail, names, contribution=9)
    assert whole.tolist() == [600, 200, 6, 6, 0]
    bounded = true_counts(mail, names, contribution=1)
    assert bounded.tolist() == [600, 0, 0, 0, 0]  # not the secret: it is not on the list
    two = true_counts(mail, names, contribution=2)
    assert two.tolist()[:2] == [600, 200]
    assert two[2:4].sum() == 6 - 2  # every third of the six also has a draft


def test_counts_agree_with_a_slow_twin() -> None:
    rng = np.random.default_rng(4)
    words = [f"w{i}" for i in range(12)]
    holders = [
        {word: int(rng.integers(1, 9)) * 100 + i for i, word in enumerate(words) if rng.random() < 0.6}
        for _ in range(40)
    ]
    table = Table.from_counts(holders, ends=[(i, i + 1) for i in range(40)])
    listed = tuple(words[1::2])
    for contribution in (1, 2, 4, 12):
        kept = [
            sorted((w for w in holder if w in listed), key=lambda w, h=holder: -h[w])[:contribution]
            for holder in holders
        ]
        expected = [sum(word in held for held in kept) for word in listed]
        counts = true_counts(table, listed, contribution=contribution)
        assert counts.tolist() == expected


# plan


@pytest.mark.parametrize(
    ("correlation", "changes", "scale"),
    [
        (Independent(), {}, 10.0),
        (Group(1883), {}, 18_830.0),
        (Binomial(0.0277, 0.2739, 1883), {}, 4646.2944),
        (Independent(), {"unit": "sender"}, 10.0),
        (Independent(), {"replaced": True}, 20.0),
        (Binomial(0.2, 0.2, 1883), {}, 10.0),
    ],
    ids=str,
)
def test_the_scale_of_each_belief(correlation: Belief, changes: dict[str, Any], scale: float) -> None:
    asked = {"unit": "edge-content"} | changes
    made = HistogramRequest.checked(epsilon=100.0, contribution=1000, correlation=correlation, **asked)
    assert made.noise.scale == pytest.approx(scale, rel=1e-6)
    assert made.event.repeats == 1000


def test_gaussian_noise_is_smaller_where_many_ngrams_move() -> None:
    """The table of the specification at c = 1000, delta 1e-6: a tenth to a fifth of the error of Laplace noise."""
    for epsilon, ratio in ((1.0, 0.095), (10.0, 0.121), (100.0, 0.219)):
        asked: dict[str, Any] = {"epsilon": epsilon, "contribution": 1000, "unit": "edge-content"}
        geometric = HistogramRequest.checked(**asked).noise.deviation
        gaussian = HistogramRequest.checked(**asked, noise="gaussian", delta=1e-6).noise.deviation
        assert gaussian / geometric == pytest.approx(ratio, abs=0.0015)


# what is drawn


@pytest.mark.parametrize(("noise", "delta"), [("geometric", None), ("gaussian", 1e-5)])
@pytest.mark.parametrize("seed", [None, 3], ids=["opendp", "rehearsal"])
def test_every_listed_ngram_gets_noise_of_the_promised_size(
    noise: str, delta: float | None, seed: int | None
) -> None:
    """Also those nobody says; the sum of squares accepts the true deviation and rejects one 30 % off."""
    names = [f"w{i}" for i in range(4000)]
    table = Table.from_counts([{"w0": 1}] * 5000, ends=[(i, i + 1) for i in range(5000)])
    made = histogram(table, vocabulary=names, epsilon=2.0, contribution=3, noise=noise, delta=delta, rng=seed)
    drawn = made.artifact
    assert sorted(drawn.names) == sorted(names)
    truth = np.where(np.array(drawn.names) == "w0", 5000, 0)
    error = (drawn.noisy - truth).astype(float)
    assert np.count_nonzero(error) > 2000
    within = chi2.ppf([1e-7, 1 - 1e-7], 4000) / 4000
    spread = 2.5 if noise == "geometric" else 1.0  # heavier tails make the sum of squares vary more
    for factor, expected in ((1.0, True), (0.7, False), (1.3, False)):
        ratio = (error**2).mean() / (factor * drawn.noise.deviation) ** 2
        assert bool(1 + spread * (within[0] - 1) < ratio < 1 + spread * (within[1] - 1)) == expected


def test_a_histogram_is_sorted_by_what_is_published(mail: Table) -> None:
    made = histogram(mail, **asked(epsilon=40.0), rng=1)
    assert made.artifact.names[:2] == ("budget", "draft")
    assert np.all(np.diff(made.artifact.noisy) <= 0)
    assert made.artifact.counts.min() >= 0
    assert made.artifact.above_noise() >= 2
    again = histogram(mail, **asked(epsilon=40.0, vocabulary=VOCABULARY[::-1]), rng=1)
    assert set(again.artifact.names) == set(VOCABULARY)


# promise


def test_the_vault_is_charged_the_edge_level_before_anything_is_drawn(mail: Table, tmp_path: Path) -> None:
    vault = Vault.create(
        tmp_path / "a.vault", Budget(epsilon=2.0, delta=1e-4, unit=Unit.EDGE_CONTENT, slack=0.0)
    )
    model = Binomial(0.05, 0.3, 2)
    made = histogram(mail, **asked(correlation=model), vault=vault, rng=1)
    assert made.guarantee is not None
    assert (made.guarantee.kind, made.guarantee.epsilon) == (Kind.PUFFERFISH, 2.0)
    (charge,) = vault.state.charges
    (level,) = charge.promises
    assert (level.unit, level.delta, charge.sees) == (Unit.EDGE_CONTENT, 0, ("contents",))
    assert float(level.epsilon) == pytest.approx(2 * model.edge_epsilon(1.0))
    assert level.event is not None
    assert (level.event.mechanism, level.event.repeats) == ("geometric", 2)
    assert vault.state.releases[charge.entry].rehearsal
    assert vault.state.drawn[charge.entry].body["asked"] == {"counts": pytest.approx(float(level.epsilon))}
    before = vault.entries()
    with pytest.raises(BudgetExceeded):
        histogram(mail, **asked(epsilon=5.0), vault=vault)
    assert vault.entries() == before


def test_a_calibrated_belief_promises_nothing_but_is_charged(mail: Table, tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=9.0, unit=Unit.EDGE_CONTENT))
    made = histogram(
        mail, **asked(correlation=Binomial(0.05, 0.3, 2, source="calibrated")), vault=vault, rng=1
    )
    assert made.guarantee is None
    (charge,) = vault.state.charges
    assert [str(promise.unit) for promise in charge.promises] == ["edge-content"]
    assert set(vault.state.facts) == {"ties"}  # its attacker knows the graph all the same
    folder = made.save(tmp_path / "out")
    assert "calibrated to measured correlation; not a privacy guarantee" in (folder / "card.md").read_text()


def test_a_belief_about_fewer_neighbours_than_the_graph_has_is_refused(tmp_path: Path) -> None:
    """A model fitted to a smaller public graph would leave most of a neighbourhood out of its promise."""
    vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=9.0, unit=Unit.EDGE_CONTENT))
    star = Table.from_counts([{"budget": 1}] * 60, ends=[(0, i + 1) for i in range(60)])
    for model in (Binomial(0.1, 0.2, 58), Conditional((Bucket(0, 1, 0.5),), neighbours=58)):
        with pytest.raises(ArgumentError, match="at least 59 neighbours"):
            histogram(star, **asked(correlation=model), vault=vault)
        with pytest.raises(ArgumentError, match="at least 59 neighbours"):
            predict(star, **asked(correlation=model))
    assert [entry.kind for entry in vault.entries()] == ["opened", "budget"]
    histogram(star, **asked(correlation=Binomial(0.1, 0.2, 59)), vault=vault, rng=1)


def test_what_is_useless_is_refused_before_it_is_charged(mail: Table, tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=9.0, unit=Unit.EDGE_CONTENT))
    with pytest.raises(ArgumentError, match="nothing was charged"):
        histogram(replace(mail, listed=True), **asked(correlation=Group(1200)), vault=vault)
    assert [entry.kind for entry in vault.entries()] == ["opened", "budget"]
    assert histogram(mail, **asked(correlation=Group(1200)), useless=True, rng=1).guarantee is not None


@pytest.mark.parametrize(
    "wrong",
    [
        {"vocabulary": []},
        {"vocabulary": "budget"},
        {"vocabulary": ["budget", "budget"]},
        {"vocabulary": ["budget", " "]},
        {"epsilon": 0.0},
        {"contribution": 0},
        {"noise": "cauchy"},
        {"noise": "gaussian"},
        {"delta": 1e-5},
        {"unit": "sender"},
        {"unit": "node"},
        {"contribution": None, "correlation": Binomial(0.05, 0.3, 2)},
    ],
    ids=str,
)
def test_what_has_no_meaning_is_refused(mail: Table, wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        histogram(mail, **asked(**wrong))


def test_senders_are_counted_as_senders() -> None:
    senders = Table.from_counts([{"budget": 1}] * 90, ends=[(i, i) for i in range(90)], by="sender")
    made = histogram(senders, vocabulary=["budget"], epsilon=3.0, contribution=1, unit="sender", rng=2)
    assert made.guarantee is not None
    assert made.guarantee.unit is Unit.SENDER
    assert made.guarantee.per_ngram is None  # there is no other n-gram


def test_a_vocabulary_that_promises_nothing_is_no_public_list(mail: Table, tmp_path: Path) -> None:
    """Every listed n-gram is published: one that came from the mail itself must have been paid for."""
    vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=99.0, delta=1e-3, unit=Unit.EDGE_CONTENT))
    numbers: dict[str, Any] = {"epsilon": 9.0, "delta": 1e-5, "contribution": 3}
    measured = Binomial(0.05, 0.1, 2, source="calibrated")
    for made in (vocabulary(mail, **numbers, rng=1), vocabulary(mail, **numbers, correlation=measured)):
        with pytest.raises(PrivacyError, match="under a promise"):
            histogram(mail, **asked(vocabulary=made), vault=vault)
        assert histogram(mail, **asked(vocabulary=made), rng=1).artifact.names
    assert [entry.kind for entry in vault.entries()] == ["opened", "budget"]
    sound = vocabulary(mail, **numbers)
    counted = histogram(mail, **asked(vocabulary=sound))
    assert sorted(counted.artifact.names) == sorted(sound.artifact.names)
    assert counted.guarantee is not None
    assert PUBLISHED_VOCABULARY in counted.guarantee.assumptions
    assert PUBLIC_VOCABULARY not in counted.guarantee.assumptions


# saving


@pytest.mark.parametrize("rng", [None, 5])
def test_what_is_saved_comes_back_and_holds_nothing_private(
    mail: Table, tmp_path: Path, rng: int | None
) -> None:
    made = histogram(mail, **asked(noise="gaussian", delta=1e-5), rng=rng)
    folder = made.save(tmp_path / "out")
    back = HISTOGRAM.read_release(folder)
    assert back.artifact.names == made.artifact.names
    assert back.artifact.noisy.tolist() == made.artifact.noisy.tolist()
    assert (back.artifact.noise, back.guarantee) == (made.artifact.noise, made.guarantee)
    written = "".join(file.read_text() for file in folder.iterdir())
    assert "secret" not in written
    assert PUBLIC_VOCABULARY in written
    assert back.artifact.estimates.tolist() == made.artifact.estimates.tolist()
    assert back.artifact.deviations.tolist() == made.artifact.deviations.tolist()
    card = json.loads((folder / "guarantee.json").read_text())
    assert set(card["parameters"]) == {
        "counted by", "contribution", "correlation", "noise", "scale", "ngrams", "mu for counts", "mu for sizes",
        "a count counts", "what is counted", "bounding", "contribution chosen", "left out at most", "intervals",
        "mu for what is left out", "mu for how what is left out varies", "language",
    }  # fmt: skip
    assert made.private["counts"]["budget"] == 600


def test_a_folder_that_holds_no_histogram_says_so(mail: Table, tmp_path: Path) -> None:
    folder = histogram(mail, **asked(), rng=1).save(tmp_path / "out")
    table = folder / "histogram.csv"
    table.write_text(table.read_text().replace("noisy", "blurred"))
    with pytest.raises(FormatError, match="columns"):
        HISTOGRAM.read_release(folder)
    table.unlink()
    with pytest.raises(MissingDataError, match=r"histogram\.csv"):
        HISTOGRAM.read_release(folder)
    with pytest.raises(ArgumentError, match="csv"):
        histogram(mail, **asked(), rng=1).save(tmp_path / "other", format="parquet")


def test_one_without_ngrams_can_try_out_saving() -> None:
    assert len(Histogram.empty()) == 0


# prediction


def laplace_clip(x: float, scale: float) -> float:
    """The mean squared error of max(0, x + Laplace) by the formula of the specification."""
    return 2 * scale**2 - scale * (scale + x) * math.exp(-x / scale)


def test_clipped_errors_are_those_of_the_paper() -> None:
    for x in (0.0, 100.0, 30_000.0):
        found = Noisy("geometric", 5580.0).clipped_error(np.array([x]))[0]
        assert found == pytest.approx(laplace_clip(x, 5580.0), rel=1e-6)
    assert math.sqrt(Noisy("geometric", 5580.0).clipped_error(np.zeros(1))[0]) == pytest.approx(
        5580, rel=1e-6
    )


@pytest.mark.parametrize("noise", [Noisy("geometric", 3.0), Noisy("gaussian", 4.0)], ids=repr)
def test_predictions_hold_for_drawn_noise(noise: Noisy) -> None:
    rng = np.random.default_rng(2)
    counts = np.array([0, 1, 2, 5, 20])
    if noise.mechanism == "geometric":
        up, down = rng.geometric(-math.expm1(-1 / noise.scale), size=(2, 200_000, 5))
        noisy = counts + (up - down)
    else:
        noisy = counts + rng.normal(0, noise.scale, size=(200_000, 5))
    found = Prediction.of(counts, noise)
    assert found.rmse == pytest.approx((noisy - counts).std(), rel=0.01)
    assert found.clipped_rmse == pytest.approx(
        math.sqrt(((np.maximum(noisy, 0) - counts) ** 2).mean()), rel=0.01
    )
    assert found.positive == pytest.approx((noisy > 0).mean(axis=0).sum(), rel=0.01)
    assert found.above == pytest.approx((noisy > noise.deviation).mean(axis=0).sum(), rel=0.01)
    inside = (np.abs(noisy - counts) <= noise.half_width(0.9)).mean()
    assert 0.898 < inside < (0.94 if noise.mechanism == "geometric" else 0.902)


def test_a_prediction_charges_nothing_and_tells_the_bias(mail: Table) -> None:
    """Of five n-grams, two count: most of what is left out is what each third edge says of drafts."""
    found = predict(mail, **asked(correlation=Binomial(0.05, 0.3, 2)))
    made = histogram(mail, **asked(correlation=Binomial(0.05, 0.3, 2)), rng=1)
    assert found.bias > 0
    assert found.rmse == pytest.approx(math.hypot(made.artifact.noise.deviation, found.bias))
    without = predict(mail, **asked(contribution=5))
    assert (without.bias, without.rmse) == (0, pytest.approx(2.5 * math.sqrt(2), rel=0.02))
