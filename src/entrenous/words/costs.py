"""The two tables of the paper on any corpus: what each belief costs a histogram and a vocabulary.

Beside the published recipe stands what is released here under the same belief. The recipe scales Laplace noise by W
and keeps the threshold of independent edges, which promises less than it says; it is computed, never drawn. Every
number is measured on the confidential data, so the tables are for the curator.

References
----------
Shafieinejad, Inan, Hasegawa, Sim: On privacy and confidentiality of communications in organizational graphs (2021).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.words.beliefs import BELIEFS, Belief, Group, Independent
from entrenous.words.beliefs.belief import Counted, NeighbourSource
from entrenous.words.counting.holder import EDGE, SENDER, Holder
from entrenous.words.counting.table import Table
from entrenous.words.histogram import HistogramRequest
from entrenous.words.prediction import Noisy, Prediction
from entrenous.words.statistics.threshold import laplace_threshold
from entrenous.words.vocabulary import predict as rehearse

if TYPE_CHECKING:
    from entrenous.words.corpus import Corpus

__all__ = ["GROUP", "Row", "compare", "measured_beliefs", "published_yield"]

GROUP = "group"


@dataclass(frozen=True)
class Row:
    """What one belief costs.

    Attributes
    ----------
    belief
        The name of the model; "edge", "sender" and "group" are the baselines.
    w
        How many edges may move together, the edge itself counted.
    published_scale, published_rmse, published_yield
        By the recipe of the paper: Laplace noise of scale c W / epsilon, its error with negative counts set to 0, and
        the expected number of n-grams in the vocabulary.
    noise, deviation, rmse, ngrams
        What is released here: the better kind of noise on counts, its deviation, the same error, and the n-grams of
        a rehearsed vocabulary that occur.
    guaranteed
        Whether a promise may rest on the belief.
    """

    belief: str
    w: int
    published_scale: float
    published_rmse: float
    published_yield: float
    noise: str
    deviation: float
    rmse: float
    ngrams: int
    guaranteed: bool


def compare(
    corpus: Corpus | Mapping[str, Table],
    models: Mapping[str, Belief],
    *,
    epsilon: float,
    delta: float,
    contribution: int,
    neighbours: int | None = None,
    n: int = 2,
    rng: np.random.Generator | int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[Row, ...]:
    """Return one row per belief: the edge, the sender, the given models, and the group of a whole neighbourhood.

    Parameters
    ----------
    corpus
        The mail, or its tables by "edge" and (if wanted) by "sender".
    models
        The beliefs between edge and group, by name.
    epsilon, delta
        The promise that all rows keep, each under its own belief.
    contribution
        How many n-grams each edge, or sender, contributes.
    neighbours
        The largest neighbourhood, for the group. (default: the corpus's own)
    n
        The longest n-grams.
    rng
        A seed: nothing here is released.
    progress
        Called with rows made and rows in all.

    Examples
    --------
    >>> from entrenous.words.beliefs import Binomial
    >>> mail = Table.from_counts([{"budget": 1, "lunch": 1}] * 3000, ends=[(i, i + 1) for i in range(3000)])
    >>> believed = {"Binomial": Binomial(p0=0.1, p1=0.4, neighbours=4)}
    >>> rows = compare({"edge": mail}, believed, epsilon=8.0, delta=1e-5, contribution=2, neighbours=4, n=1)
    >>> [(row.belief, row.w, row.ngrams) for row in rows]
    [('edge', 1, 2), ('Binomial', 3, 2), ('group', 5, 2)]
    """
    contribution = _check.at_least("contribution", contribution, 1)
    if isinstance(corpus, Mapping):
        tables, largest = dict(corpus), _check.at_least("neighbours", neighbours, 0)
    else:
        tables = {by.name: corpus.table(by=by, n=n) for by in (EDGE, SENDER)}
        largest = corpus.largest_neighbourhood if neighbours is None else neighbours
    asked: list[tuple[str, Holder, Belief]] = [(EDGE.name, EDGE, Independent())]
    asked += [(SENDER.name, SENDER, Independent())] if SENDER.name in tables else []
    asked += [(name, EDGE, model) for name, model in models.items()]
    asked += [(GROUP, EDGE, Group(1 + largest))]
    bounded = {name: table.bounded(contribution) for name, table in tables.items()}
    rows = []
    for done, (name, by, model) in enumerate(asked):
        rows.append(_row(name, model, bounded[by.name], epsilon, delta, n, rng))
        if progress is not None:
            progress(done + 1, len(asked))
    return tuple(rows)


def measured_beliefs(
    source: NeighbourSource, *, public: bool, neighbours: int | None = None, n: int = 2
) -> dict[str, Belief]:
    """Return the paper's three models as measured on a corpus, by name.

    Parameters
    ----------
    source
        The corpus that they are measured on.
    public
        Whether it is public or retired. If not, no promise may rest on them.
    neighbours
        The largest neighbourhood of the graph that words will be published of. (default: the source's own)
    n
        The longest n-grams.
    """
    largest = source.largest_neighbourhood if neighbours is None else neighbours
    counted = Counted(source.neighbour_counts(n=n), largest)
    found = {name: kind.measured(counted) for name, kind in BELIEFS.items() if kind.about_ngrams}
    models = {name: model for name, model in found.items() if model is not None}
    return models if public else {name: model.disclaimed() for name, model in models.items()}


def _row(
    name: str,
    model: Belief,
    table: Table,
    epsilon: float,
    delta: float,
    n: int,
    rng: np.random.Generator | int,
) -> Row:
    """Return the costs of one belief on a bounded table."""
    contribution = table.contribution
    assert contribution is not None
    w, counts = model.w_inf(), table.support()
    published = Noisy("geometric", contribution * w / epsilon)
    asked: dict[str, Any] = {
        "epsilon": epsilon,
        "contribution": contribution,
        "correlation": model,
        "unit": table.by.name,
    }
    requests = [
        HistogramRequest.checked(**asked, noise="gaussian", delta=delta),
        HistogramRequest.checked(**asked, delta=model.defect and delta),
    ]
    ours = min((request.noise for request in requests), key=lambda noise: noise.deviation)
    rehearsed = rehearse(
        table,
        epsilon=epsilon,
        delta=delta,
        correlation=model,
        contribution=contribution,
        unit=table.by.name,
        weighting="fixed",
        n=n,
        rng=rng,
    )
    return Row(
        belief=name,
        w=w,
        published_scale=published.scale,
        published_rmse=Prediction.of(counts, published).clipped_rmse,
        published_yield=published_yield(table, epsilon=epsilon, delta=delta, w=w),
        noise=ours.mechanism,
        deviation=ours.deviation,
        rmse=Prediction.of(counts, ours).clipped_rmse,
        ngrams=rehearsed.occurring,
        guaranteed=model.guaranteed,
    )


def published_yield(table: Table, *, epsilon: float, delta: float, w: int) -> float:
    """Return the expected vocabulary of the paper's recipe: one unit of weight per holder, noise scaled by W alone.

    The threshold is that of independent edges with the larger noise. It is not sound for W above 1: an n-gram that
    nobody else has may appear at up to W edges at once.
    """
    scale = w / epsilon
    threshold = laplace_threshold(scale, delta, table.contribution or int(np.diff(table.offsets).max()))
    distance = (_shared_weights(table) - threshold) / scale
    beyond = np.exp(-np.abs(distance)) / 2
    return float(np.where(distance < 0, beyond, 1 - beyond).sum())


def _shared_weights(table: Table) -> NDArray[np.float64]:
    """Return the weight of each n-gram that occurs, if every holder spreads 1 evenly over its n-grams."""
    sizes = np.diff(table.offsets)
    each = np.repeat(1 / np.maximum(sizes, 1), sizes)
    weights = np.bincount(table.ngram, weights=each, minlength=table.ngrams)
    return np.asarray(weights[table.support() > 0], dtype=np.float64)
