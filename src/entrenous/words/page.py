"""What a page tells about published words: the promise in plain terms, the words; apart from it, what the mail said."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from entrenous.guarantee import Guarantee, Kind
from entrenous.page.describing import Description
from entrenous.page.pictures import ngrams
from entrenous.page.sections import Picture, Row, Section
from entrenous.page.wording import capital, number
from entrenous.words.histogram import CONFIDENCE, Histogram, true_counts
from entrenous.words.prediction import Noisy
from entrenous.words.vocabulary import Vocabulary

if TYPE_CHECKING:
    from markupsafe import Markup
    from numpy.typing import NDArray

    from entrenous.release import Release
    from entrenous.words import Corpus, Table

    Words = Histogram | Vocabulary

__all__ = ["compared", "published"]

CURATOR_TITLE = "The mail and what was published of it, side by side"
SHOWN = 15
PRIOR = 0.1

CAPTIONS: Mapping[str, str] = {
    "dp": "Somebody who knows all other mail and reads this release learns about one secret fact at most so much.",
    "pufferfish": "Somebody who believes what the card says and reads this release learns about one secret fact at "
    "most so much. What holds without any belief holds for somebody who knows all other mail.",
    "posteriors": "On the horizontal axis how likely somebody thought a secret fact before; on the vertical axis how "
    "sure that person can be after reading this release, at most. On the diagonal nothing is learned.",
    "published": "All of this follows from what is published; it costs no privacy.",
    "counts": "The most frequent ones. For an n-gram named beforehand a bar covers the true count with a probability "
    "of 95 %; whatever was chosen for being high was favoured by its noise.",
    "scores": "Those that stand out most, by noisy weight in standard deviations of the noise. A bar reaches two "
    "deviations either way. Whatever was chosen for being high was favoured by its noise: expect a little less.",
    "fall off": "From the most frequent n-gram to the least. Below the broken line noise can be mistaken for words.",
    "mail": "What the mail says, beside what was published. All of it was computed from confidential mail.",
    "against": "Each point is an n-gram: up to 200, more of the frequent ones. Grey: where the two agree, and "
    "how far the noise reaches with a probability of 95 %.",
    "weights": "Each point is a published n-gram: up to 200, more of the frequent ones. N-grams in long mails weigh "
    "less than their number of edges, so this is not a straight line.",
    "top counted": "Of the so many n-grams that most of the mail has, the share that is among as many of the release.",
    "top named": "Of the so many n-grams that most of the mail has, the share that the release names.",
}


def published(release: Release[Words]) -> Description:
    """Describe published words by themselves: what is promised, and what there is."""
    words = release.artifact
    kind = "counted" if isinstance(words, Histogram) else "published"
    about = _histogram(release) if isinstance(words, Histogram) else _vocabulary(release)
    promise = [] if release.guarantee is None else [_promise(release.guarantee)]
    return Description(f"Words of an organization: {len(words):,} n-grams {kind}", [*promise, about])


def compared(corpus: Corpus | Table, release: Release[Words]) -> Description:
    """Set published words beside the mail they came from, for the curator."""
    beside = _histogram_and_mail if isinstance(release.artifact, Histogram) else _named_and_mail
    return Description(CURATOR_TITLE, [beside(corpus, release), *published(release).sections])


def _promise(guarantee: Guarantee) -> Section:
    """Put the numbers of a promise side by side: with a belief and without, for all n-grams and for one."""
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
    return Section(
        "What the promise means",
        CAPTIONS[guarantee.kind],
        (picture,),
        ("epsilon", f"{_percent(PRIOR)} becomes at most"),
        rows,
    )


def _sentence(guarantee: Guarantee) -> str:
    """Say what is hidden, and except with which probability."""
    text = capital(guarantee.change)
    return text + (f"; except with probability {guarantee.delta:g}." if guarantee.delta else ".")


def _largest_posterior(epsilon: float) -> float:
    """Return how likely something can become that was thought to have a chance of one in ten."""
    return PRIOR / (PRIOR + (1 - PRIOR) * math.exp(-epsilon))


def _histogram(release: Release[Words]) -> Section:
    """Describe noisy counts: the largest, how they fall off, and how many stand above the noise."""
    words = release.artifact
    assert isinstance(words, Histogram)
    holders = _holders(release)
    width = words.noise.half_width(CONFIDENCE)
    rows = (
        Row("N-grams counted", (f"{len(words):,}",), "All of a public list, also those nobody says."),
        Row(
            "Above the noise", (f"{words.above_noise():,}",), "Counts larger than the deviation of the noise."
        ),
        Row(
            "Deviation",
            (number(words.noise.deviation),),
            "The standard deviation of the noise on every count.",
        ),
        Row("Off by at most", (number(width),), "With a probability of 95 %, for each count by itself."),
        Row(
            "Contribution",
            (_parameter(release, "contribution"),),
            f"How many n-grams each of the {holders} counts for at most: those it says most often.",
        ),
    )
    pictures = (
        *_largest(
            words.names, words.counts.astype(float), words.intervals(), f"{holders} that carry it", "counts"
        ),
        Picture(
            "How counts fall off",
            CAPTIONS["fall off"],
            ngrams.fall_off(
                words.counts, words.noise.deviation, "deviation of the noise", f"{holders} that carry it"
            ),
        ),
    )
    return Section("What was published", CAPTIONS["published"], pictures, ("published",), rows)


def _vocabulary(release: Release[Words]) -> Section:
    """Describe a vocabulary: what stands out most, and how many n-grams of each length there are."""
    words = release.artifact
    assert isinstance(words, Vocabulary)
    lengths = np.array([name.count(" ") + 1 for name in words.names], dtype=np.int64)
    rows = [Row("N-grams published", (f"{len(words):,}",), "The yield: words and phrases together.")]
    for length in range(1, int(release.provenance.parameters["longest n-gram"]) + 1):
        noun = "One word" if length == 1 else f"{length} words"
        rows.append(Row(noun, (f"{int((lengths == length).sum()):,}",), f"N-grams of {noun.lower()}."))
    if "never seen" in release.provenance.parameters:
        rows.append(
            Row("Never said", ("about 1 %",), "Phrases that noise alone named; the card says why they stay.")
        )
    rows.append(
        Row(
            "Threshold",
            (_parameter(release, "threshold for words"),),
            "The noisy weight that a word must exceed.",
        )
    )
    holders = f"{_holders(release)} that carry it"
    if words.counts is None:
        values, deviation, unit, caption = words.score, 1.0, "weight, in deviations of the noise", "scores"
    else:
        deviation = float(release.provenance.parameters["standard deviation of noise"])
        values, unit, caption = words.counts, holders, "counts"
    reach = deviation * _two_sided()
    intervals = np.maximum(np.column_stack([values - reach, values + reach]), 0.0)
    pictures = _largest(words.names, values, intervals, unit, caption)
    return Section("What was published", CAPTIONS["published"], pictures, ("published",), tuple(rows))


def _largest(
    names: tuple[str, ...],
    values: NDArray[np.float64],
    intervals: NDArray[np.float64],
    unit: str,
    caption: str,
) -> tuple[Picture, ...]:
    """Draw the largest single words, and the largest longer n-grams beside them."""
    pictures = []
    single = np.array([" " not in name for name in names], dtype=bool)
    for heading, key, wanted in (("Words", "words", single), ("Phrases", "phrases", ~single)):
        places = np.flatnonzero(wanted)[:SHOWN]
        if len(places):
            drawn = ngrams.ngrams(
                [names[place] for place in places], values[places], intervals[places], name=key, unit=unit
            )
            pictures.append(Picture(heading, CAPTIONS[caption], drawn))
    return tuple(pictures)


def _histogram_and_mail(corpus: Corpus | Table, release: Release[Words]) -> Section:
    """Set noisy counts beside true ones: how far off they are, and who is at the top of both."""
    words = release.artifact
    assert isinstance(words, Histogram)
    parameters = release.provenance.parameters
    counts, _ = true_counts(
        corpus, words.names, unit=str(parameters["unit"]), contribution=int(parameters["contribution"])
    )
    holders = f"{_holders(release)} that count for it"
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
            (_share(both, int(above.sum())),),
            "Of the counts above the noise, those that truly are.",
        ),
        Row(
            "Recall",
            (_share(both, int(said.sum())),),
            "Of the true counts above the noise, those that are published so.",
        ),
    )
    sizes, shares = _shares_of_top(counts, np.arange(len(counts), dtype=float))
    drawn = ngrams.true_and_published(
        counts, words.noisy, words.noise.half_width(CONFIDENCE), (f"{holders}, in truth", "published")
    )
    pictures = (
        Picture("True and published", CAPTIONS["against"], drawn),
        Picture("The most frequent", CAPTIONS["top counted"], ngrams.top_shares(sizes, shares)),
    )
    return Section("The mail beside it", CAPTIONS["mail"], pictures, ("value",), rows)


def _named_and_mail(corpus: Corpus | Table, release: Release[Words]) -> Section:
    """Set a vocabulary beside the n-grams of the mail: which occur, and which frequent ones are missing."""
    from entrenous.words.counting.table import Table

    words, parameters = release.artifact, release.provenance.parameters
    assert isinstance(words, Vocabulary)
    longest = int(parameters["longest n-gram"])
    table = corpus if isinstance(corpus, Table) else corpus.table(by=_unit(release), n=longest)
    support = table.support()
    ids = table.names.look_up(list(words.names))
    occurs = ids >= 0
    named = np.zeros(table.ngrams, dtype=bool)
    named[ids[occurs]] = True
    rows = (
        Row(
            "N-grams in the mail",
            (f"{int((support > 0).sum()):,}",),
            "All that anybody said, most of them once.",
        ),
        Row(
            "Precision",
            (_share(int(occurs.sum()), len(words)),),
            "Of the published n-grams, those that occur; the others were named by noise.",
        ),
        Row(
            "Recall",
            (_share(int(named.sum()), int((support > 0).sum())),),
            "Of the n-grams of the mail, those that are published.",
        ),
    )
    counted = (
        table.bounded(int(parameters["contribution"])).support() if "contribution" in parameters else support
    )
    true = np.where(occurs, np.append(counted, 0)[ids], 0)
    pictures = (
        Picture(
            "True and published",
            CAPTIONS["weights" if words.counts is None else "against"],
            _named(true, release),
        ),
        Picture(
            "The most frequent",
            CAPTIONS["top named"],
            ngrams.top_shares(*_shares_of_top(support, np.where(named, 0.0, np.inf))),
        ),
    )
    return Section("The mail beside it", CAPTIONS["mail"], pictures, ("value",), rows)


def _named(true: NDArray[np.int64], release: Release[Words]) -> Markup:
    """Draw published weights, or counts, against true counts."""
    words = release.artifact
    assert isinstance(words, Vocabulary)
    unit = f"{_holders(release)} that count for it, in truth"
    if words.counts is None:
        return ngrams.true_and_published(true, words.score, None, (unit, "published weight, in deviations"))
    width = float(release.provenance.parameters["standard deviation of noise"]) * _two_sided()
    return ngrams.true_and_published(true, words.counts, width, (unit, "published count"))


def _shares_of_top(counts: NDArray[np.int64], rank: NDArray[np.float64]) -> tuple[list[int], list[float]]:
    """Return, for sizes 10, 30, 100, ..., which share of so many most frequent n-grams the release has so high up.

    >>> _shares_of_top(np.array([5, 9, 1, 0]), np.array([0.0, 1.0, 3.0, 2.0]))
    ([1, 2, 3], [0.0, 1.0, 0.6666666666666666])
    """
    most = int((counts > 0).sum())
    steps = [size for power in range(1, 8) for size in (10**power, 3 * 10**power) if size < most]
    sizes = [*([] if steps else range(1, most)), *steps, *([most] if most else [])]
    order = np.argsort(-counts, kind="stable")
    return sizes, [float((rank[order[:size]] < size).mean()) for size in sizes]


def _unit(release: Release[Words]) -> str:
    """Return whose words were counted: an edge's, or a sender's; models speak of edges alone."""
    guarantee = release.guarantee
    return "sender" if guarantee is not None and "sender" in guarantee.unit.name else "edge"


def _holders(release: Release[Words]) -> str:
    return f"{_unit(release)}s"


def _two_sided() -> float:
    """Return how many deviations normal noise stays within."""
    return Noisy("gaussian", 1.0).half_width(CONFIDENCE)


def _parameter(release: Release[Words], name: str) -> str:
    return number(float(release.provenance.parameters[name]))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.3g} %" if whole else "undefined"


def _percent(share: float) -> str:
    """Write a share; one that is not quite all stays below 100 %.

    >>> _percent(0.1), _percent(0.8584), _percent(1 - 1e-12)
    ('10 %', '85.8 %', 'over 99.9 %')
    """
    return "over 99.9 %" if share > 0.999 else f"{100 * share:.3g} %"
