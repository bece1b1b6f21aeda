"""What a page tells about published counts of n-grams, and what it tells of words in whatever form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from entrenous.guarantee import Guarantee, Kind
from entrenous.page.describing import Description
from entrenous.page.pictures import ngrams
from entrenous.page.sections import Picture, Row, Section
from entrenous.page.wording import capital, number
from entrenous.words.counting.holder import EDGE, HOLDERS, Holder
from entrenous.words.counting.table import Table
from entrenous.words.frequency import idf, idf_intervals
from entrenous.words.histogram import CONFIDENCE, Histogram
from entrenous.words.key_phrases import key_phrases
from entrenous.words.public_list import longest
from entrenous.words.statistics.listed_counts import true_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from entrenous.release import Release
    from entrenous.words import Corpus


__all__ = [
    "CAPTIONS",
    "CURATOR_TITLE",
    "compared",
    "holder_of",
    "key_pictures",
    "largest",
    "promise_sections",
    "published",
    "share",
    "shares_of_top",
    "telling_sections",
]

CURATOR_TITLE = "The mail and what was published of it, side by side"
SHOWN = 15
PRIOR = 0.1

CAPTIONS: Mapping[str, str] = {
    "dp": "How much this release can tell, at most, about whether what is protected is there or not, even to somebody "
    "who knows all other mail.",
    "pufferfish": "How much this release can tell, at most, about whether a content is there or not, to somebody who "
    "believes what the card says. What holds without any belief holds for somebody who knows all other mail.",
    "posteriors": "Horizontally, how likely somebody thought it before that it is there; vertically, how sure that "
    "person can be at most after reading this release. On the diagonal nothing is learned.",
    "published": "All of this follows from what is published; it costs no privacy.",
    "counts": "For an n-gram named beforehand a bar covers the true number with a probability of about 95 %, noise and "
    "what bounding leaves out included; whatever was chosen for being high was favoured by its noise.",
    "banded": "A bar tells how far noise alone reaches, with a probability of 95 %. It is no interval for the true "
    "number: what bounding leaves out is not in it.",
    "key": "Published n-grams that stand out from everyday language by more than two deviations, the most distinctive "
    "first. ",
    "idf": "The inverse document frequency (idf): the logarithm of how many times fewer {holders} carry an n-gram than "
    "{against}. From and to follow from the interval of its count. The command entrenous words idf FOLDER --text FILE "
    "weighs the words of a text of your own by it (tf-idf).",
    "fall off": "From the most frequent n-gram to the least. Below the broken line noise can be mistaken for words.",
    "mail": "What the mail says, beside what was published. All of it was computed from confidential mail.",
    "against": "Each point is an n-gram: up to 200, more of the frequent ones. Grey: where the two agree, and "
    "how far the noise reaches with a probability of 95 %.",
    "top counted": "Of the 10, 30, 100, ... most frequent n-grams of the mail, the share that is also among as many "
    "most frequent ones of the release.",
}


def published(release: Release[Histogram]) -> Description:
    """Describe published counts by themselves: what is promised, and what there is."""
    title = f"Words of an organization: {len(release.artifact):,} n-grams counted"
    holders = f"{holder_of(release)}s"
    sections = [_counts(release), *telling_sections(release.artifact, holders)]
    return Description(title, [*promise_sections(release.guarantee), *sections])


def compared(corpus: Corpus | Table, release: Release[Histogram]) -> Description:
    """Set published counts beside the mail they came from, for the curator."""
    return Description(CURATOR_TITLE, [_counts_and_mail(corpus, release), *published(release).sections])


def promise_sections(guarantee: Guarantee | None) -> list[Section]:
    """Put the numbers of a promise side by side: with a belief and without, for all n-grams and for one."""
    if guarantee is None:
        return []
    believed = guarantee.kind is Kind.PUFFERFISH
    main = "With the belief above" if believed else "As promised"
    numbers = {main: (guarantee.epsilon, _sentence(guarantee))}
    if guarantee.per_ngram is not None:
        numbers["One n-gram alone"] = (guarantee.per_ngram, "The same, for a single n-gram of it.")
    if guarantee.level is not None:
        label = "Without any belief" if believed else "One edge alone"
        numbers[label] = (guarantee.level.epsilon, _sentence(guarantee.level))
    rows = tuple(
        Row(name, (f"{epsilon:.4g}", _percent(_largest_posterior(epsilon))), meaning)
        for name, (epsilon, meaning) in numbers.items()
    )
    picture = Picture(
        "How sure anybody can become",
        CAPTIONS["posteriors"],
        ngrams.largest_posteriors({name: epsilon for name, (epsilon, _) in numbers.items()}),
    )
    return [
        Section(
            "What the promise means",
            CAPTIONS[guarantee.kind],
            (picture,),
            ("epsilon", f"{_percent(PRIOR)} becomes at most"),
            rows,
        )
    ]


def telling_sections(words: Any, holders: str) -> list[Section]:
    """Tell how rare key phrases are (idf), or the most frequent n-grams where none stand out.

    Parameters
    ----------
    words
        A histogram, or a vocabulary with counts; without counts there is nothing to tell.
    holders
        Who is counted, in the plural.
    """
    if words.counts is None or not len(words):
        return []
    public = getattr(words, "holders", None)
    most = max(int(np.max(words.counts)), 1) if public is None else public
    values = idf(words, holders=most)
    reach = idf_intervals(words, holders=most) if words.covered else {}
    count = dict(zip(words.names, words.counts.tolist(), strict=True))
    stands_out = {phrase.ngram: phrase.deviations for phrase in key_phrases(words, top=SHOWN)}
    against = "carry the most frequent published n-gram" if public is None else f"there are ({public:,})"
    rows = tuple(
        Row(
            name,
            (f"{count[name]:,.0f}", f"{values[name]:.2f}", *_bounds(reach.get(name))),
            f"{stands_out[name]:.1f} deviations above everyday language."
            if name in stands_out
            else "Among the most frequent.",
        )
        for name in stands_out or words.names[:SHOWN]
    )
    told = CAPTIONS["idf"].format(holders=holders, against=against)
    return [Section("How rare each is", told, (), ("count", "idf", "from", "to"), rows)]


def _bounds(interval: tuple[float, float] | None) -> tuple[str, str]:
    """Write an interval of logarithms, if there is one."""
    return ("none", "none") if interval is None else (f"{interval[0]:.2f}", f"{interval[1]:.2f}")


def _sentence(guarantee: Guarantee) -> str:
    """Say what is hidden, and except with which probability."""
    text = capital(guarantee.change)
    return text + (f"; except with probability {guarantee.delta:g}." if guarantee.delta else ".")


def _largest_posterior(epsilon: float) -> float:
    """Return how likely something can become that was thought to have a chance of one in ten."""
    return PRIOR / (PRIOR + (1 - PRIOR) * math.exp(-epsilon))


def _counts(release: Release[Histogram]) -> Section:
    """Describe noisy counts: the largest, how they fall off, and how many stand above the noise."""
    words = release.artifact
    holders = f"{holder_of(release)}s"
    counting = words.meaning(holders)
    reach = words.intervals() if words.covered else words.noise_band()
    caption = CAPTIONS["counts" if words.covered else "banded"]
    pictures = (
        *key_pictures(words, words.counts.astype(float), reach, counting, caption),
        *largest(words.names, words.counts.astype(float), reach, counting, caption),
        Picture(
            "How counts fall off",
            CAPTIONS["fall off"],
            ngrams.fall_off(words.counts, words.noise.deviation, "deviation of the noise", counting),
        ),
    )
    return Section(
        "What was published", CAPTIONS["published"], pictures, ("published",), _count_rows(release)
    )


def _count_rows(release: Release[Histogram]) -> tuple[Row, ...]:
    """Put numbers on counts: what they count, how noisy they are, and what they leave out."""
    words, parameters = release.artifact, release.provenance.parameters
    holders = f"{holder_of(release)}s"
    width = words.noise.half_width(CONFIDENCE)
    bounded = (
        "with less weight for each if they have more" if words.correction else "those they say most often"
    )
    rows = [
        Row("N-grams counted", (f"{len(words):,}",), "All of a public list, also those nobody says."),
        Row("A count counts", (words.meaning(holders),), "What is said of a number is said of this."),
        Row(
            "Above the noise", (f"{words.above_noise():,}",), "Counts larger than the deviation of the noise."
        ),
        Row(
            "Deviation",
            (number(words.noise.deviation),),
            "The standard deviation of the noise on every count.",
        ),
        Row("Noise reaches", (number(width),), "With a probability of 95 %, for each count by itself."),
        Row(
            "Contribution",
            (number(float(parameters["contribution"])),),
            f"How many n-grams each of the {holders} counts fully for: {bounded}.",
        ),
    ]
    if words.correction is not None:
        rows.append(
            Row(
                "Left out at most",
                (number(words.correction.most),),
                f"About how many {holders} bounding can keep from any count; what it does keep is estimated and added.",
            )
        )
        told = "given" if words.covered else "none"
        rows.append(
            Row("Intervals", (told,), "Only where noise is the larger part of what a count may be off by.")
        )
    return tuple(rows)


def key_pictures(
    words: Any, values: NDArray[np.float64], reach: NDArray[np.float64], unit: str, caption: str
) -> tuple[Picture, ...]:
    """Draw the key phrases of published n-grams, if there are any.

    Parameters
    ----------
    words
        A histogram or a vocabulary.
    values, reach
        What was published of each n-gram, and how far the truth may be from it.
    unit, caption
        What the values count, and what to know about bars.
    """
    place = {name: i for i, name in enumerate(words.names)}
    found = [place[phrase.ngram] for phrase in key_phrases(words, top=SHOWN)]
    if not found:
        return ()
    drawn = ngrams.ngrams(
        [words.names[i] for i in found], values[found], reach[found], name="key-phrases", unit=unit
    )
    return (Picture("Key phrases", CAPTIONS["key"] + caption, drawn),)


def largest(
    names: tuple[str, ...],
    values: NDArray[np.float64],
    intervals: NDArray[np.float64],
    unit: str,
    caption: str,
) -> tuple[Picture, ...]:
    """Draw the largest single words, and the largest longer n-grams beside them.

    Parameters
    ----------
    names, values, intervals
        The n-grams, largest first, what was published of each, and how far the truth may be from it.
    unit
        What the values count.
    caption
        What to know about the picture.
    """
    pictures = []
    single = np.array([" " not in name for name in names], dtype=bool)
    for heading, key, wanted in (("Words", "words", single), ("Phrases", "phrases", ~single)):
        places = np.flatnonzero(wanted)[:SHOWN]
        if len(places):
            drawn = ngrams.ngrams(
                [names[place] for place in places], values[places], intervals[places], name=key, unit=unit
            )
            pictures.append(Picture(heading, caption, drawn))
    return tuple(pictures)


def _counts_and_mail(corpus: Corpus | Table, release: Release[Histogram]) -> Section:
    """Set noisy counts beside true ones: how far off they are, and who is at the top of both."""
    words = release.artifact
    parameters = release.provenance.parameters
    most = int(parameters["contribution"]) if words.correction is None else len(words)
    table = corpus
    if not isinstance(table, Table):
        table = table.table(
            by=holder_of(release), n=longest(words.names), contribution=most, listed=words.names
        )
    counts = true_counts(table, words.names, contribution=most)
    holders = words.meaning(f"{holder_of(release)}s")
    error = float(np.sqrt(np.mean((words.counts - counts) ** 2)))
    above = words.noisy > words.noise.deviation
    said = counts > words.noise.deviation
    both = int((above & said).sum())
    rows = (
        Row(
            "Error of a count",
            (number(error),),
            "The root of the mean squared error, negative counts set to 0.",
        ),
        Row("Said at all", (f"{int((counts > 0).sum()):,}",), "N-grams of the list that somebody says."),
        Row(
            "Precision",
            (share(both, int(above.sum())),),
            "Of the counts above the noise, those that truly are.",
        ),
        Row(
            "Recall",
            (share(both, int(said.sum())),),
            "Of the true counts above the noise, those that are published so.",
        ),
    )
    sizes, shares = shares_of_top(counts, np.arange(len(counts), dtype=float))
    drawn = ngrams.true_and_published(
        counts, words.estimates, words.noise.half_width(CONFIDENCE), (f"{holders}, in truth", "published")
    )
    pictures = (
        Picture("True and published", CAPTIONS["against"], drawn),
        Picture("The most frequent", CAPTIONS["top counted"], ngrams.top_shares(sizes, shares)),
    )
    return Section("The mail beside it", CAPTIONS["mail"], pictures, ("value",), rows)


def shares_of_top(counts: NDArray[np.int64], rank: NDArray[np.float64]) -> tuple[list[int], list[float]]:
    """Return, for sizes 10, 30, 100, ..., which share of so many most frequent n-grams the release has so high up.

    >>> shares_of_top(np.array([5, 9, 1, 0]), np.array([0.0, 1.0, 3.0, 2.0]))
    ([1, 2, 3], [0.0, 1.0, 0.6666666666666666])
    """
    most = int((counts > 0).sum())
    steps = [size for power in range(1, 8) for size in (10**power, 3 * 10**power) if size < most]
    sizes = [*([] if steps else range(1, most)), *steps, *([most] if most else [])]
    order = np.argsort(-counts, kind="stable")
    return sizes, [float((rank[order[:size]] < size).mean()) for size in sizes]


def holder_of(release: Release[Any]) -> Holder:
    """Return whose words were counted; beliefs, and so the units that go with them, speak of edges alone."""
    unit = None if release.guarantee is None else release.guarantee.unit
    return next((holder for holder in HOLDERS.values() if unit in (holder.unit, holder.replaced)), EDGE)


def share(part: int, whole: int) -> str:
    """Write which share of a whole a part is."""
    return f"{100 * part / whole:.3g} %" if whole else "undefined"


def _percent(share: float) -> str:
    """Write a share; one that is not quite all stays below 100 %.

    >>> _percent(0.1), _percent(0.8584), _percent(1 - 1e-12)
    ('10 %', '85.8 %', 'over 99.9 %')
    """
    return "over 99.9 %" if share > 0.999 else f"{100 * share:.3g} %"
