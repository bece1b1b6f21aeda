"""How many holders carry each n-gram of a list, from answers of a desk: bounded counts, and what they leave out.

1. *Sizes.* A small share of the budget buys how many holders have how many listed n-grams, by classes; where no
   contribution is given, it is chosen from them, so that noise, which grows with it, and what is left out, which falls,
   are least together.
2. *Counts*, of holders bounded by it.
3. *What they leave out*, in the mean over n-grams with similar noisy counts, is measured and added; and once more, how
   far it differs from that. A count that noise raised is taken for a more frequent n-gram, so more is added to it: both
   errors go the same way, and the deviation tells so.

Everything here but what a desk answers is post-processing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.price import Price
from entrenous.words.histogram.tallies import Correction, Histogram
from entrenous.words.prediction import Noisy
from entrenous.words.request import TableDesk
from entrenous.words.statistics import HolderSizes, LeftOut, LeftOutSpread, ListedCounts
from entrenous.words.statistics.listed_counts import BALL, FREQUENT

__all__ = ["Counting", "counted"]

#: Of the budget, for the sizes of holders. It buys little accuracy, and little is needed.
SIZES = 0.04
#: What is left out is measured twice, each with this share over sqrt(contribution), within limits.
_SIDE, _LEAST_SIDE, _MOST_SIDE = 0.9, 0.04, 0.15
_MOST_CLASSES = 15
_NORMAL = math.sqrt(math.pi / 2)  # from mean absolute to standard deviation
#: How much of what could be left out at most is taken as error where a contribution is chosen.
_CAUTION = 0.8
#: In deviations of the noise: up to how much left out at most there are intervals. Found on Enron mail, core and large,
#: and on synthetic companies: at half as much again, single classes of frequency fall below 93 %.
_COVERED = {BALL: 1.0, FREQUENT: 2.5}
_OWN_NOISE = 0.75  # ... and up to which noise of what is left out itself
#: Of that noise, what stays in a correction at least: it is cut off at 0, and averaged between classes.
_OWN_STAYS = 0.7

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Counting:
    """How the n-grams of a list are counted within an amount of privacy, in public numbers.

    Attributes
    ----------
    mechanism
        The noise: "geometric" or "gaussian".
    amount
        What one holder may move: an epsilon, or a mu.
    contribution
        How many n-grams of a holder count fully; None to choose it.
    changes
        By how much more the unit moves counts than one holder does: in L1, or in L2 squared with normal noise.

    Examples
    --------
    >>> Counting("gaussian", 0.5).price
    Price(epsilon=0.0, mu=0.5, delta=0.0)
    >>> round(Counting("geometric", 2.0, 100).counts_share(1000), 3)
    0.78
    """

    mechanism: str
    amount: float
    contribution: int | None = None
    changes: int = 1

    @property
    def price(self) -> Price:
        """What everything costs one holder."""
        return Price(mu=self.amount) if self.mechanism == "gaussian" else Price(epsilon=self.amount)

    @property
    def bounding(self) -> str:
        """How holders are bounded."""
        return BALL if self.mechanism == "gaussian" else FREQUENT

    def bounds(self, ngrams: int) -> tuple[int, ...]:
        """Return the classes of sizes of holders, up to all n-grams: each sqrt(2) times as large as the one before."""
        steps = range(math.ceil(2 * math.log2(ngrams)) + 1)
        return tuple(sorted({min(math.ceil(2 ** (step / 2)), ngrams) for step in steps} | {ngrams}))

    def side_share(self, contribution: int, ngrams: int) -> float:
        """Return the share of the budget for each of the two questions on what is left out; 0 if nothing can be."""
        if contribution >= ngrams:
            return 0.0
        return min(max(_SIDE / math.sqrt(contribution), _LEAST_SIDE), _MOST_SIDE)

    def sizes_share(self, ngrams: int) -> float:
        """Return the share of the budget for the sizes of holders; 0 if there is nothing to bound."""
        fixed = ngrams if self.contribution is None else self.contribution
        return SIZES if ngrams > 1 and (self.contribution is None or fixed < ngrams) else 0.0

    def counts_share(self, ngrams: int, contribution: int | None = None) -> float:
        """Return the share of the budget for the counts."""
        most = self.contribution if contribution is None else contribution
        assert most is not None
        return 1 - self.sizes_share(ngrams) - 2 * self.side_share(most, ngrams)

    def scale(self, share: float, numbers: int) -> float:
        """Return the scale of noise on so many numbers that move by 1 each, for a share of the budget."""
        if self.mechanism == "gaussian":
            return math.sqrt(numbers * self.changes / share) / self.amount * (1 + 1e-12)
        return numbers * self.changes / (share * self.amount) * (1 + 1e-12)

    def noise(self, contribution: int, ngrams: int) -> Noisy:
        """Return the noise on every count."""
        return Noisy(
            self.mechanism, self.scale(self.counts_share(ngrams, contribution), min(contribution, ngrams))
        )

    def left_out_at_most(self, sizes: FloatArray, contribution: int, ngrams: int) -> float:
        """Return how many holders a count leaves out at most, from noisy numbers of holders by size.

        A deviation of the noise on these numbers is added: where it is large, little can be said of what is left out.
        """
        bounds = np.array(self.bounds(ngrams), dtype=np.float64)
        middle = np.sqrt(bounds * np.concatenate([[1.0], bounds[:-1]]))
        if self.bounding == BALL:
            lost = 1 - np.minimum(1.0, np.sqrt(contribution / middle))
        else:
            lost = (middle > contribution) * 1.0
        if not lost.any():
            return 0.0
        noise = Noisy(self.mechanism, self.scale(self.sizes_share(ngrams), 1))
        return max(float((sizes * lost).sum()), 0.0) + noise.deviation * float(np.sqrt((lost**2).sum()))

    def chosen(self, sizes: FloatArray, ngrams: int) -> int:
        """Return the contribution by which noise and what is left out are least together."""
        if self.contribution is not None:
            return min(self.contribution, ngrams)

        def error(contribution: int) -> float:
            most = self.left_out_at_most(sizes, contribution, ngrams)
            return math.hypot(self.noise(contribution, ngrams).deviation, _CAUTION * most)

        return min(self.bounds(ngrams), key=error)

    def covers(self, most: float, own: float, noise: Noisy) -> bool:
        """Tell whether noise is so much of the error that intervals can be given.

        Parameters
        ----------
        most
            How many holders a count leaves out at most.
        own
            The deviation of the noise on what is left out.
        noise
            The noise on counts.
        """
        return most <= _COVERED[self.bounding] * noise.deviation and own <= _OWN_NOISE * noise.deviation


def counted(desk: TableDesk, counting: Counting, names: tuple[str, ...]) -> tuple[Histogram, int]:
    """Ask a desk how many holders carry each n-gram of a public list; return also the contribution.

    Parameters
    ----------
    desk
        One that has as much left as `counting.price`.
    counting
        The noise, and how much may be spent.
    names
        The n-grams: public, or published before. They may come from the same desk.
    """
    ngrams = len(names)
    bounds, sizes = counting.bounds(ngrams), np.zeros(len(counting.bounds(ngrams)))
    if share := counting.sizes_share(ngrams):
        sizes = desk(HolderSizes(names, bounds, counting.mechanism, counting.scale(share, 1)))
    contribution = counting.chosen(sizes, ngrams)
    noise = counting.noise(contribution, ngrams)
    noisy = desk(ListedCounts(names, contribution, counting.mechanism, noise.scale, counting.bounding))
    share = counting.side_share(contribution, ngrams)
    if not share:
        nothing = np.zeros(ngrams)
        return Histogram(names, noisy, noise, Correction(nothing, nothing, 0.0, covered=True)), contribution
    most = counting.left_out_at_most(sizes, contribution, ngrams)
    classes = _classes(noisy, noise.deviation)
    number = int(classes.max()) + 1
    asked: dict[str, Any] = {
        "names": names, "contribution": contribution, "bounding": counting.bounding, "classes": classes,
        "mechanism": counting.mechanism, "scale": counting.scale(share, number),
    }  # fmt: skip
    own = Noisy(counting.mechanism, asked["scale"]).deviation
    means = desk(LeftOut(**asked))
    expected = _curve(noisy, classes, means, noisy)
    spread = _NORMAL * _smooth(desk(LeftOutSpread(**asked, expected=expected)))
    spread = np.maximum(np.minimum(spread, most / 2), _OWN_STAYS * own)
    higher, lower = (_curve(noisy, classes, means, noisy + step * noise.deviation) for step in (1, -1))
    # Noise moves a count and its correction alike: twice their covariance, by Stein's lemma.
    together = noise.deviation * np.maximum(higher - lower, 0.0)
    spread = np.sqrt(spread[classes] ** 2 + together)
    covered = counting.covers(most, own, noise)
    kept = Correction(expected.round(2), spread.round(2), float(f"{most:.6g}"), covered)
    return Histogram(names, noisy, noise, kept), contribution


def _classes(noisy: NDArray[np.int64], deviation: float) -> NDArray[np.int64]:
    """Return the class of each count: below two deviations of the noise, and then by doublings."""
    top = max(float(noisy.max(initial=0)), 1.0)
    first = max(2 * deviation, top / 2 ** (_MOST_CLASSES - 2), 1.0)
    edges = first * 2.0 ** np.arange(max(math.ceil(math.log2(max(top / first, 1.0))), 0) + 1)
    place = np.digitize(noisy, edges)
    return np.unique(place, return_inverse=True)[1].astype(np.int64)


def _curve(
    noisy: NDArray[np.int64], classes: NDArray[np.int64], means: FloatArray, places: NDArray[Any]
) -> FloatArray:
    """Return what counts of some height leave out: straight lines between the means of classes, never below 0."""
    centre = np.bincount(classes, weights=noisy.astype(np.float64)) / np.bincount(classes)
    return np.asarray(np.interp(places, centre, np.maximum(means, 0.0)))


def _smooth(values: FloatArray) -> FloatArray:
    """Return numbers of classes averaged with their neighbours, and none below 0."""
    if len(values) > 2:
        values = np.convolve(np.pad(values, 1, mode="edge"), [0.25, 0.5, 0.25], "valid")
    return np.maximum(values, 0.0)
