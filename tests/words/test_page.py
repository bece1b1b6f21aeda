"""Pages about published words: the published half, and the curator's half apart from it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from entrenous import datasets
from entrenous.card import NO_GUARANTEE
from entrenous.errors import PrivacyError
from entrenous.noise import REHEARSAL
from entrenous.page import Report
from entrenous.page.pictures import ngrams
from entrenous.release import Release, read_release
from entrenous.words import Binomial, Corpus, Group, Histogram, Vocabulary, histogram, vocabulary
from entrenous.words.beliefs.belief import CALIBRATED
from entrenous.words.counting.holder import HOLDERS
from entrenous.words.counting.table import Table
from entrenous.words.frequency import idf_intervals
from entrenous.words.key_phrases import key_phrases

MARKUP = "<b>a&b</b>"  # an n-gram that must not become part of the page
DOLLAR = "$x_1$"
LIST = ["budget", "budget meeting", "lunch", "gold", MARKUP, DOLLAR]
BELIEF = Binomial(0.1, 0.12, 4)


@pytest.fixture(scope="module")
def mail() -> Table:
    """Return 600 edges: all say one thing, half of them another, one a secret."""
    contents = [{"budget": 2, "meeting": 1, "budget meeting": 1} for _ in range(600)]
    for content in contents[:300]:
        content["lunch"] = 1
    contents[0]["zebrawood"] = 1
    return Table.from_counts(contents, ends=[(i, i + 1) for i in range(600)], listed=True)


@pytest.fixture(scope="module")
def counted(mail: Table) -> Release[Histogram]:
    return histogram(mail, vocabulary=LIST, epsilon=30.0, contribution=5, correlation=BELIEF, rng=1)


@pytest.fixture(scope="module")
def named(mail: Table) -> Release[Vocabulary]:
    return vocabulary(mail, epsilon=4.0, delta=1e-5, rng=1)


def texts(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_the_edge_level_stands_beside_the_level_of_the_belief(counted: Release[Histogram]) -> None:
    assert counted.guarantee is not None
    assert counted.guarantee.level is not None
    page = texts(Report.of_release(counted).html)
    assert "With the belief above 30 over 99.9 %" in page
    assert f"Without any belief {counted.guarantee.level.epsilon:.4g}" in page
    assert "One n-gram alone 6 97.8 %" in page  # 0.1 e^6 / (0.1 e^6 + 0.9)
    assert BELIEF.assumption in page


def test_counts_are_drawn_and_summed_up(counted: Release[Histogram]) -> None:
    html = Report.of_release(counted).html
    page = texts(html)
    assert "N-grams counted 6" in page
    assert f"Above the noise {counted.artifact.above_noise()}" in page
    assert re.search(r"<text[^>]*>budget meeting</text>", html)


def test_ngrams_are_texts_and_nothing_else(counted: Release[Histogram]) -> None:
    html = Report.of_release(counted).html
    assert MARKUP not in html
    assert "&lt;b&gt;a&amp;b&lt;/b&gt;" in html
    assert f">{DOLLAR}</text>" in html


def test_a_vocabulary_tells_its_yield_by_length(named: Release[Vocabulary]) -> None:
    page = texts(Report.of_release(named).html)
    words = sum(" " not in name for name in named.artifact.names)
    assert f"N-grams published {len(named.artifact)}" in page
    assert f"One word {words} " in page
    assert f"2 words {len(named.artifact) - words} " in page
    assert "Never said about 1 %" in page
    assert REHEARSAL in page


@pytest.mark.long
@pytest.mark.parametrize("kind", ["counted", "named"])
def test_saved_words_make_the_same_page(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    release = request.getfixturevalue(kind)
    folder = release.save(tmp_path / "public")
    back = read_release(folder)
    assert back.artifact.names == release.artifact.names
    assert back.guarantee == release.guarantee
    assert Report.of_release(back).html == Report.of_release(release).html
    assert "vocabulary.txt" in Report.of_folder(folder).html or kind == "counted"


def test_counts_of_a_vocabulary_are_read_back(mail: Table, tmp_path: Path) -> None:
    made = vocabulary(mail, epsilon=4.0, delta=1e-5, weighting="fixed", contribution=5, rng=1)
    back = read_release(made.save(tmp_path / "public")).artifact
    assert isinstance(back, Vocabulary)
    assert back.holders == 600
    assert made.artifact.counts is not None
    assert back.counts == pytest.approx(made.artifact.counts)


@pytest.mark.long
def test_the_curators_page_knows_the_mail_and_the_published_one_does_not(
    mail: Table, named: Release[Vocabulary], counted: Release[Histogram]
) -> None:
    of_names, of_counts = Report.comparison(mail, named), Report.comparison(mail, counted)
    assert of_names.private
    assert of_counts.private
    assert "N-grams in the mail 5" in texts(of_names.html)  # four, and the secret
    assert "Said at all 3" in texts(of_counts.html)
    for page in (Report.of_release(named), Report.of_release(counted)):
        assert not page.private
        assert "The mail beside it" not in page.html
        assert "zebrawood" not in page.html


def test_the_curators_page_is_kept_out_of_what_is_published(
    mail: Table, named: Release[Vocabulary], tmp_path: Path
) -> None:
    folder = named.save(tmp_path / "public")
    with pytest.raises(PrivacyError):
        Report.comparison(mail, named).save(folder / "private.html")


@pytest.fixture(scope="module")
def company() -> Corpus:
    return Corpus.from_messages(datasets.organization(25, seed=1).messages(300))


@pytest.mark.long
@pytest.mark.parametrize("unit", HOLDERS)
def test_every_unit_of_mail_is_set_beside_the_mail(unit: str, company: Corpus) -> None:
    counts = histogram(company, vocabulary=["meeting", "budget"], epsilon=4.0, unit=unit, rng=1)
    names = vocabulary(company, epsilon=8.0, delta=1e-3, unit=unit, rng=1)
    assert f"{HOLDERS[unit]}s that carry it, in truth" in Report.comparison(company, counts).html
    page = texts(Report.comparison(company, names).html)
    assert f"Precision {'undefined' if not len(names.artifact) else ''}" in page
    assert f"Never said about {2 if HOLDERS[unit].messages else 1} %" in page


@pytest.mark.parametrize("unit", HOLDERS)
def test_every_card_says_what_a_message_to_many_can_still_give_away(unit: str, company: Corpus) -> None:
    made = vocabulary(company, epsilon=4.0, delta=1e-5, unit=unit, rng=1)
    page = texts(Report.of_release(made).html)
    assert made.guarantee is not None
    assert HOLDERS[unit].limits in made.guarantee.assumptions
    assert HOLDERS[unit].limits in page
    assert ("its own phrases" in page) == (unit in ("edge", "edge-content"))
    assert ("recipients of the widest messages, at least" in page) == (unit in ("edge", "edge-content"))
    assert ("What several people say" in page or "What is said in several" in page) != (
        "its own phrases" in page
    )
    assert ",;" not in page


def test_fixed_weights_are_compared_with_what_counted(mail: Table) -> None:
    made = vocabulary(
        mail, epsilon=9.0, delta=1e-5, correlation=Group(2), weighting="fixed", contribution=2, rng=1
    )
    page = texts(Report.comparison(mail, made).html)
    assert "published count" in page
    assert "One edge alone" in page
    assert "Precision 100 %" in page


def test_a_calibrated_release_promises_nothing(mail: Table) -> None:
    made = histogram(
        mail, vocabulary=LIST, epsilon=30.0, contribution=5, correlation=BELIEF.disclaimed(), rng=1
    )
    page = Report.of_release(made).html
    assert NO_GUARANTEE in page
    assert CALIBRATED in texts(page)
    assert "What the promise means" not in page


def test_a_vocabulary_of_nothing_has_a_page(mail: Table, named: Release[Vocabulary]) -> None:
    nothing = Release(Vocabulary.empty(), named.guarantee, named.provenance)
    assert "N-grams published 0" in texts(Report.of_release(nothing).html)
    assert "Precision undefined" in texts(Report.comparison(mail, nothing).html)


def test_noise_alone_can_be_drawn() -> None:
    svg = ngrams.fall_off(np.zeros(5), 3.0, "deviation of the noise", "edges")
    assert "deviation of the noise" in svg
    assert "<path" in ngrams.true_and_published(np.zeros(0), np.zeros(0), 1.0, ("true", "published"))


def test_pages_tell_how_rare_counted_words_are(counted: Release[Histogram], mail: Table) -> None:
    """Beside the most frequent one, or all holders where their number is public."""
    page = texts(Report.of_release(counted).html)
    count = dict(zip(counted.artifact.names, counted.artifact.counts.tolist(), strict=True))
    shown = key_phrases(counted.artifact)[-1].ngram
    expected = np.log((1 + max(count.values())) / (1 + max(count[shown], 1)))
    assert "than carry the most frequent published n-gram" in page
    assert f"{shown} {count[shown]:,} {expected:.2f} none none" in page
    told = vocabulary(mail, epsilon=8.0, delta=1e-5, counts=True, unit="edge-content", rng=1)
    page = texts(Report.of_release(told).html)
    assert "than there are (600)" in page
    reach = idf_intervals(told.artifact, holders=600)[key_phrases(told.artifact)[0].ngram]
    assert f"{reach[0]:.2f} {reach[1]:.2f}" in page


def test_without_counts_nothing_is_said_of_rarity(named: Release[Vocabulary]) -> None:
    assert named.artifact.counts is None
    assert "How rare each is" not in Report.of_release(named).html
