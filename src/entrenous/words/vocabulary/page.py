"""What a page tells about a published vocabulary: its words and phrases, and apart from it, what the mail said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from entrenous.page.describing import Description
from entrenous.page.pictures import ngrams
from entrenous.page.sections import Picture, Ranking, Row, Section
from entrenous.page.wording import capital, number
from entrenous.words import page as words_page
from entrenous.words.counting.holder import Holder
from entrenous.words.counting.table import Table
from entrenous.words.histogram import CONFIDENCE
from entrenous.words.page import (
    holder_of,
    key_pictures,
    largest,
    promise_sections,
    share,
    shares_of_top,
    telling_sections,
)
from entrenous.words.prediction import Noisy
from entrenous.words.vocabulary.release import support_of
from entrenous.words.vocabulary.support import FEW, SHOWN

if TYPE_CHECKING:
    from markupsafe import Markup
    from numpy.typing import NDArray

    from entrenous.release import Release
    from entrenous.words.corpus import Corpus
    from entrenous.words.vocabulary.artifact import Vocabulary

__all__ = ["compared", "published"]

HEADED = f"Beside each n-gram: {{about}}. At most {SHOWN} are shown, those with the highest weights."
CAPTIONS: Mapping[str, str] = {
    **words_page.CAPTIONS,
    "scores": "Those that stand out most, by noisy weight in standard deviations of the noise. A bar reaches two "
    "deviations either way. Whatever was chosen for being high was favoured by its noise: expect a little less.",
    "weights": "Each point is a published n-gram: up to 200, more of the frequent ones. N-grams in long mails weigh "
    "less than the number of those who carry them, so this is not a straight line.",
    "known error": "A bar tells how far the known part of the error reaches, with a probability of 95 %: noise, and "
    "how much what bounding leaves out varies. It is no interval for the true number: a count may leave out far more.",
    "counts against": "Each point is an n-gram: up to 200, more of the frequent ones. Grey: where the two agree, "
    "and how far the known part of a middling count's error reaches with a probability of 95 %.",
    "few": "The promise hides what the card names; it does not say that an n-gram comes from many people. Read what "
    "rests on few before you publish: each line includes the one above. Near-copies by one sender count as one "
    "message.",
    "top named": "Of the 10, 30, 100, ... most frequent n-grams of the mail, the share that the release names.",
}


def published(release: Release[Vocabulary]) -> Description:
    """Describe a published vocabulary by itself: what is promised, and what there is."""
    title = f"Words of an organization: {len(release.artifact):,} n-grams published"
    holders = f"{holder_of(release)}s"
    sections = [_names(release), *telling_sections(release.artifact, holders)]
    return Description(title, [*promise_sections(release.guarantee), *sections])


def compared(corpus: Corpus | Table, release: Release[Vocabulary]) -> Description:
    """Set a published vocabulary beside the mail it came from, for the curator."""
    beside = [_names_and_mail(corpus, release), *_resting(corpus, release)]
    return Description(words_page.CURATOR_TITLE, [*beside, *published(release).sections])


def _resting(corpus: Corpus | Table, release: Release[Vocabulary]) -> list[Section]:
    """Tell what rests on one message, one sender or few, and name the first of each kind. Confidential."""
    longest = int(release.provenance.parameters["longest n-gram"])
    support = support_of(corpus, release.artifact.names, longest)
    if support is None:
        return []
    rows = tuple(
        Row(capital(what), (f"{number:,}",), f"Published n-grams that rest on {what}.")
        for what, number in support.resting.items()
    )
    kinds = (
        ("In one message", "on how many edges it lies", support.of_one_message()),
        ("By one sender, in several messages", "in how many messages", support.of_one_sender()),
        (f"By two to {FEW} senders", "how many senders", support.of_few_senders()),
    )
    sections = [
        Section(title, HEADED.format(about=about), ranking=Ranking("", "", tuple(entries)))
        for title, about, entries in kinds
        if entries
    ]
    return [Section("What rests on few", CAPTIONS["few"], (), ("value",), rows), *sections]


def _names(release: Release[Vocabulary]) -> Section:
    """Describe a vocabulary: what stands out most, and how many n-grams of each length there are."""
    words = release.artifact
    lengths = np.array([name.count(" ") + 1 for name in words.names], dtype=np.int64)
    rows = [Row("N-grams published", (f"{len(words):,}",), "The yield: words and phrases together.")]
    for length in range(1, int(release.provenance.parameters["longest n-gram"]) + 1):
        noun = "One word" if length == 1 else f"{length} words"
        rows.append(Row(noun, (f"{int((lengths == length).sum()):,}",), f"N-grams of {noun.lower()}."))
    if "never seen" in release.provenance.parameters:
        rows.append(
            Row(
                "Never said",
                (_never_said(str(release.provenance.parameters["never seen"])),),
                "Phrases that noise alone named; the card says why they stay.",
            )
        )
    rows.append(
        Row(
            "Threshold",
            (number(float(release.provenance.parameters["threshold for words"])),),
            "The noisy weight that a word must exceed.",
        )
    )
    pictures = _largest_names(release)
    return Section(
        "What was published",
        CAPTIONS["published"],
        pictures,
        ("published",),
        (*rows, *_count_rows(words, f"{holder_of(release)}s")),
    )


def _count_rows(words: Vocabulary, holders: str) -> tuple[Row, ...]:
    """Put numbers on counts that were bought with the names: what they count, and how far they may be off."""
    if words.counted is None:
        return ()
    told = "given" if words.covered else "none"
    deviations = words.counted.deviations
    return (
        Row("A count counts", (holders,), f"{capital(words.counted.meaning)}."),
        Row(
            "Deviation of counts",
            (number(float(np.median(deviations))) if len(deviations) else "none",),
            "The standard deviation of the error of a count, in the middle of them.",
        ),
        Row("Intervals", (told,), "Only where noise is the larger part of what a count may be off by."),
    )


def _largest_names(release: Release[Vocabulary]) -> tuple[Picture, ...]:
    """Draw the key phrases, and the n-grams with the largest counts or weights."""
    words, names = release.artifact, release.artifact.names
    holders = f"{holder_of(release)}s that have it among their most frequent n-grams"
    if words.counted is not None:
        values, reach = words.counted.estimates, words.counted.band()
        told = (
            f"{holder_of(release)}s that carry it",
            CAPTIONS["counts" if words.covered else "known error"],
        )
        order = np.argsort(-values, kind="stable")
        ordered = tuple(names[place] for place in order)
        return (
            *key_pictures(words, values, reach, *told),
            *largest(ordered, values[order], reach[order], *told),
        )
    if words.counts is None:
        values, deviation, unit, caption = words.score, 1.0, "weight, in deviations of the noise", "scores"
    else:
        deviation = float(release.provenance.parameters["standard deviation of noise"])
        values, unit, caption = words.counts, holders, "banded"
    width = deviation * _two_sided()
    intervals = np.maximum(np.column_stack([values - width, values + width]), 0.0)
    told = (unit, CAPTIONS[caption])
    return (*key_pictures(words, values, intervals, *told), *largest(names, values, intervals, *told))


def _names_and_mail(corpus: Corpus | Table, release: Release[Vocabulary]) -> Section:
    """Set a vocabulary beside the n-grams of the mail: which occur, and which frequent ones are missing."""
    words, parameters = release.artifact, release.provenance.parameters
    longest = int(parameters["longest n-gram"])
    table = corpus if isinstance(corpus, Table) else _counted(corpus, holder_of(release), longest)
    support = table.support()
    ids = table.names.look_up(list(words.names))
    occurs = ids >= 0
    named = np.zeros(table.ngrams, dtype=bool)
    named[ids[occurs]] = True
    rows: tuple[Row, ...] = (
        Row(
            "N-grams in the mail",
            (f"{int((support > 0).sum()):,}",),
            "All that anybody said, most of them once.",
        ),
        Row(
            "Precision",
            (share(int(occurs.sum()), len(words)),),
            "Of the published n-grams, those that occur; the others were named by noise.",
        ),
        Row(
            "Recall",
            (share(int(named.sum()), int((support > 0).sum())),),
            "Of the n-grams of the mail, those that are published.",
        ),
    )
    counted = (
        table.bounded(int(parameters["contribution"])).support() if "contribution" in parameters else support
    )
    true = np.where(occurs, np.append(counted, 0)[ids], 0)
    if words.covered:
        low, high = words.intervals().T
        inside = int(((low <= true) & (true <= high)).sum())
        rows += (
            Row(
                "Covered",
                (share(inside, len(words)),),
                "Of the intervals, those with the true number in them.",
            ),
        )
    pictures = (
        Picture(
            "True and published",
            CAPTIONS["counts against" if words.counted else "weights" if words.counts is None else "against"],
            _true_and_published(true, release),
        ),
        Picture(
            "The most frequent",
            CAPTIONS["top named"],
            ngrams.top_shares(*shares_of_top(support, np.where(named, 0.0, np.inf))),
        ),
    )
    return Section("The mail beside it", CAPTIONS["mail"], pictures, ("value",), rows)


def _counted(corpus: Corpus, holder: Holder, longest: int) -> Table:
    """Return who said what: messages, where a message counts once, so that nothing that was said is missing."""
    return corpus.messages(by=holder, n=longest) if holder.messages else corpus.table(by=holder, n=longest)


def _never_said(sentence: str) -> str:
    """Return the share that the sentence of a card names.

    >>> _never_said("at most about 2 % of the n-grams of two words or more never occur")
    'about 2 %'
    """
    return f"about {sentence.partition(' %')[0].rpartition(' ')[2]} %"


def _true_and_published(true: NDArray[np.int64], release: Release[Vocabulary]) -> Markup:
    """Draw published weights, or counts, against true counts."""
    words = release.artifact
    if words.counted is not None:
        width = float(np.median(words.counted.deviations)) * _two_sided() if len(words) else None
        told = (f"{holder_of(release)}s that carry it, in truth", "published count")
        return ngrams.true_and_published(true, words.counted.estimates, width, told)
    holder = holder_of(release)
    unit = f"{'message' if holder.messages else holder}s that count for it, in truth"
    if words.counts is None:
        return ngrams.true_and_published(true, words.score, None, (unit, "published weight, in deviations"))
    width = float(release.provenance.parameters["standard deviation of noise"]) * _two_sided()
    return ngrams.true_and_published(true, words.counts, width, (unit, "published count"))


def _two_sided() -> float:
    """Return how many deviations normal noise stays within."""
    return Noisy("gaussian", 1.0).half_width(CONFIDENCE)
