from __future__ import annotations

import itertools

import numpy as np
import pytest

from entrenous.errors import ArgumentError
from entrenous.words.beliefs import Binomial
from entrenous.words.costs import Row, compare, measured_beliefs, published_yield
from entrenous.words.counting.neighbourhood import largest_neighbourhood
from entrenous.words.counting.table import NeighbourCounts, Table

PEOPLE = 40


@pytest.fixture(scope="module")
def mail() -> Table:
    """A circle of forty people, each tied to ten on either side; word k is said on one edge in k + 1."""
    ends = [(i, (i + step) % PEOPLE) for i in range(PEOPLE) for step in range(1, 11)]
    rng = np.random.default_rng(8)
    holders = [{f"w{k}": 1 for k in range(30) if rng.random() < 1 / (k + 1)} for _ in ends]
    return Table.from_counts(holders, ends=ends)


@pytest.fixture(scope="module")
def rows(mail: Table) -> dict[str, Row]:
    models = {"narrow": Binomial(0.02, 0.1, 38), "wide": Binomial(0.02, 0.5, 38)}
    neighbours = largest_neighbourhood(mail.ends)
    assert neighbours == 38
    found = compare(
        {"edge": mail, "sender": _by_sender(mail)},
        models,
        epsilon=30.0,
        delta=1e-5,
        contribution=10,
        neighbours=neighbours,
        n=1,
    )
    return {row.belief: row for row in found}


def _by_sender(mail: Table) -> Table:
    said: list[dict[str, int]] = [{} for _ in range(PEOPLE)]
    for edge, (first, _) in enumerate(mail.ends.tolist()):
        for row in range(mail.offsets[edge], mail.offsets[edge + 1]):
            name = mail.names[int(mail.ngram[row])]
            said[first][name] = said[first].get(name, 0) + 1
    return Table.from_counts(said, ends=[(i, i) for i in range(PEOPLE)], by="sender")


@pytest.mark.long
def test_stronger_beliefs_cost_more(rows: dict[str, Row]) -> None:
    assert list(rows) == ["edge", "sender", "narrow", "wide", "group"]
    order = [rows[name] for name in ("edge", "narrow", "wide", "group")]
    for weaker, stronger in itertools.pairwise(order):
        assert weaker.w < stronger.w
        assert weaker.published_rmse < stronger.published_rmse
        assert weaker.deviation < stronger.deviation
        assert weaker.rmse < stronger.rmse
        assert weaker.ngrams >= stronger.ngrams
    assert rows["edge"].ngrams > rows["wide"].ngrams
    assert rows["edge"].w == rows["sender"].w == 1
    assert rows["group"].w == 39


def test_what_is_released_errs_less_than_the_recipe(rows: dict[str, Row]) -> None:
    for row in rows.values():
        assert row.published_scale == pytest.approx(10 * row.w / 30)
        assert row.rmse <= row.published_rmse * (1 + 1e-9)
    assert rows["edge"].noise == "geometric"  # few n-grams and much epsilon
    assert rows["wide"].rmse < 0.8 * rows["wide"].published_rmse


def test_the_yield_of_the_recipe_is_the_mean_of_its_draws(mail: Table) -> None:
    bounded = mail.bounded(10)
    rng = np.random.default_rng(3)
    sizes = np.diff(bounded.offsets)
    weights = np.bincount(bounded.ngram, weights=np.repeat(1 / np.maximum(sizes, 1), sizes))
    scale, delta = 2 / 5.0, 0.05
    t = np.arange(1, 11)
    threshold = (1 / t + scale * np.log(1 / (2 * (1 - (1 - delta) ** (1 / t))))).max()
    drawn = (weights + rng.laplace(0, scale, size=(20_000, len(weights))) > threshold).sum(axis=1).mean()
    assert published_yield(bounded, epsilon=5.0, delta=delta, w=2) == pytest.approx(drawn, rel=0.01)


def test_tables_need_the_size_of_the_group(mail: Table) -> None:
    with pytest.raises(ArgumentError, match="neighbours"):
        compare({"edge": mail}, {}, epsilon=1.0, delta=1e-5, contribution=3)


class Counted:
    """A public corpus, counted by hand: with the n-gram three in ten neighbours have it, without one in ten."""

    largest_neighbourhood = 10

    def __init__(self) -> None:
        self.times = 0

    def neighbour_counts(self, *, n: int = 2) -> NeighbourCounts:
        self.times += 1
        return NeighbourCounts(
            size=np.array([10, 10, 10, 10], np.int32),
            frequency_bucket=np.zeros(4, np.int8),
            carried=np.array([0, 0, 1, 1], np.int8),
            neighbours=np.array([0, 2, 2, 4], np.int32),
            pairs=np.array([50, 50, 5, 5], np.int64),
        )


def test_beliefs_are_measured_once_and_promise_only_if_public() -> None:
    source = Counted()
    models = measured_beliefs(source, public=True, neighbours=50)
    assert list(models) == ["Binomial", "Global", "Conditional"]
    assert source.times == 1
    binomial = models["Binomial"]
    assert isinstance(binomial, Binomial)
    assert (binomial.p0, binomial.p1, binomial.neighbours) == pytest.approx((0.1, 0.3, 50))
    assert all(model.guaranteed for model in models.values())
    private = measured_beliefs(source, public=False)
    assert not any(model.guaranteed for model in private.values())
