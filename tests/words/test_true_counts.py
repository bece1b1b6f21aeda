"""Counts are of the true number of holders, and their intervals cover it; a bias that is not told is noticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.real_data import DATA
from tests.words.coverage import coverage, most_common

from entrenous.desk import Desk
from entrenous.errors import ArgumentError, PrivacyError
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.unit import Unit
from entrenous.words import Binomial, Corpus, histogram
from entrenous.words.counting.table import Table
from entrenous.words.frequency import idf, idf_intervals
from entrenous.words.histogram import Counting, HistogramRequest, counted

WORDS = tuple(f"w{i}" for i in range(60))


@pytest.fixture(scope="module")
def mail() -> Table:
    """Return 3,000 edges: w0 is said by nearly all, w59 by few; some edges say much, and each says w0 least often."""
    rng = np.random.default_rng(1)
    chance = np.linspace(0.95, 0.05, len(WORDS))
    talkative = rng.lognormal(-1.2, 0.8, 3000)
    said = rng.random((3000, len(WORDS))) < 1 - (1 - chance) ** talkative[:, None]
    holders = [{word: 2 + i for i, word in enumerate(WORDS) if has[i]} for has in said]
    return Table.from_counts(holders, ends=[(i, i + 1) for i in range(3000)])


@pytest.mark.parametrize(("noise", "delta"), [("geometric", None), ("gaussian", 1e-5)])
def test_a_planted_bias_is_measured_and_the_old_interval_fails_it(
    mail: Table, noise: str, delta: float | None
) -> None:
    """Five n-grams per edge, as in the quick start: a frequent word loses most of its edges."""
    asked = {"vocabulary": WORDS, "epsilon": 6.0, "noise": noise, "delta": delta, "rng": 3}
    truth = histogram(mail, **asked, contribution=5).private["counts"]["w0"]
    for made in (
        histogram(mail, **asked, contribution=5).artifact,
        histogram(mail, **asked, contribution=5, correlation=Binomial(0.1, 0.1, 2)).artifact,
    ):
        place = made.names.index("w0")
        width = made.noise.half_width(0.95)
        assert made.noisy[place] + width < 0.6 * truth  # what was called an interval
        assert not made.covered
        with pytest.raises(ArgumentError, match="Leave contribution out"):
            made.intervals()
    chosen = histogram(mail, **asked).artifact
    low, high = chosen.intervals()[chosen.names.index("w0")]
    assert chosen.covered
    assert low <= truth <= high


@pytest.mark.parametrize(("noise", "delta"), [("geometric", None), ("gaussian", 1e-5)])
def test_everything_together_costs_the_ceiling(mail: Table, noise: str, delta: float | None) -> None:
    made = histogram(mail, vocabulary=WORDS, epsilon=2.0, contribution=20, noise=noise, delta=delta, rng=1)
    costs = [cost for name, cost in made.provenance.parameters.items() if " for " in name]
    assert len(costs) == 4
    counting = HistogramRequest.checked(
        epsilon=2.0, contribution=20, noise=noise, delta=delta, measured=True
    ).counting
    total = sum(costs) if noise == "geometric" else sum(cost**2 for cost in costs) ** 0.5
    assert total == pytest.approx(counting.amount, rel=1e-5)
    chosen = histogram(mail, vocabulary=WORDS, epsilon=2.0, noise=noise, delta=delta, rng=1)
    assert chosen.guarantee is not None
    assert chosen.guarantee.contribution is None  # it is not known when the promise is made


def test_counts_may_follow_at_a_desk_that_named_them_before(mail: Table) -> None:
    desk: Desk[Table] = Desk(mail, unit=Unit.EDGE_CONTENT, ceiling=Price(mu=1.0), noise=Noise(1))
    made, contribution = counted(desk, Counting("gaussian", 0.6), WORDS[:30])
    again, _ = counted(desk, Counting("gaussian", 0.8), WORDS[30:])
    assert len(made) == len(again) == 30
    assert 1 <= contribution <= 30
    with pytest.raises(PrivacyError):
        counted(desk, Counting("gaussian", 0.1), WORDS)


def test_a_list_that_is_shorter_than_the_contribution_leaves_nothing_out(mail: Table) -> None:
    made = histogram(mail, vocabulary=WORDS, epsilon=2.0, contribution=99, rng=1)
    assert list(made.provenance.parameters)[-1] == "epsilon for counts"
    assert made.artifact.noise.scale == pytest.approx(30.0)
    assert made.artifact.covered
    assert made.artifact.estimates.tolist() == made.artifact.noisy.tolist()


def test_what_was_bounded_before_cannot_be_measured(mail: Table) -> None:
    with pytest.raises(ArgumentError, match="bounded before"):
        histogram(mail.bounded(5), vocabulary=WORDS, epsilon=2.0, rng=1)


def test_frequencies_have_intervals_where_counts_do(mail: Table) -> None:
    made = histogram(mail, vocabulary=WORDS, epsilon=6.0, noise="gaussian", delta=1e-5, rng=1).artifact
    values, reach = idf(made, holders=3000), idf_intervals(made, holders=3000)
    assert all(reach[name][0] <= values[name] <= reach[name][1] for name in WORDS)
    few = histogram(mail, vocabulary=WORDS, epsilon=6.0, contribution=5, rng=1).artifact
    with pytest.raises(ArgumentError):
        idf_intervals(few, holders=3000)


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Table:
    store: Path = tmp_path_factory.mktemp("core") / "core.corpus"
    return Corpus.read(DATA / "mail" / "enron-core.jsonl.gz", store=store).table(n=2)


@pytest.mark.data
@pytest.mark.long
@pytest.mark.parametrize(
    ("noise", "epsilon", "contribution"),
    [
        ("gaussian", 1.0, None),
        ("gaussian", 3.0, None),
        ("gaussian", 10.0, None),
        ("gaussian", 1.0, 300),
        ("geometric", 1.0, None),
        ("geometric", 3.0, None),
        ("geometric", 1.0, 300),
    ],
)
def test_intervals_cover_true_numbers_at_every_class_of_frequency(
    core: Table, noise: str, epsilon: float, contribution: int | None
) -> None:
    """60 releases of 1,900 n-grams each, from known seeds: 93 to 97 % at every class, or there are no intervals."""
    names = most_common(core, 1000)
    shares, given, _ = coverage(
        core, names, noise=noise, epsilon=epsilon, contribution=contribution, seeds=range(60)
    )
    assert given > 0.5
    known = shares[~np.isnan(shares)]
    assert len(known) >= 4
    assert known.min() >= 0.93
    assert known.max() <= 0.97


@pytest.mark.data
@pytest.mark.long
@pytest.mark.parametrize("noise", ["gaussian", "geometric"])
def test_five_ngrams_per_edge_have_no_intervals(core: Table, noise: str) -> None:
    _, given, _ = coverage(
        core, most_common(core, 1000), noise=noise, epsilon=1.0, contribution=5, seeds=range(3)
    )
    assert given == 0
