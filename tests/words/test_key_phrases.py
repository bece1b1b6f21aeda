"""Key phrases stand out from everyday language, beyond their error; a background is a public list."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from entrenous.errors import FormatError, MissingDataError
from entrenous.words.background import EVERYDAY, Background
from entrenous.words.histogram import Histogram
from entrenous.words.key_phrases import distinctiveness, key_phrases
from entrenous.words.prediction import Noisy

#: As many holders say everyday words as their frequency suggests, to the power of a half.
COMMON = {name: round(40 * EVERYDAY.of(name) ** 0.5) for name in sorted(EVERYDAY.frequency)[::7]}


def counted(more: dict[str, int], deviation: float = 20.0) -> Histogram:
    counts = COMMON | more
    return Histogram(tuple(counts), np.array(list(counts.values())), Noisy("gaussian", deviation))


def test_what_stands_out_comes_first_and_everyday_words_do_not_come() -> None:
    made = counted({"pipeline": 4000, "gas pipeline": 3000, "of the": 9000, "the pipeline": 3500, "q": 5000})
    found = [phrase.ngram for phrase in key_phrases(made)]
    assert set(found[:2]) == {"pipeline", "gas pipeline"}
    assert not {"of the", "the pipeline", "q", "the", "of"} & set(found)


def test_only_what_is_beyond_its_error_is_shown() -> None:
    assert "pipeline" in {phrase.ngram for phrase in key_phrases(counted({"pipeline": 900}, 20.0))}
    assert "pipeline" not in {phrase.ngram for phrase in key_phrases(counted({"pipeline": 900}, 880.0))}
    assert all(phrase.deviations > 2 for phrase in key_phrases(counted({"pipeline": 900})))
    values = distinctiveness(counted({"pipeline": 900}))
    assert (values > 0).sum() == len(key_phrases(counted({"pipeline": 900})))


def test_a_background_is_read_and_scaled(tmp_path: Path) -> None:
    file = tmp_path / "list.tsv"
    file.write_text("word\tcount\n# a note\nThe\t30\npipeline\t10\ngas pipeline\t5\n")
    read = Background.read(file)
    assert read.of("the") == pytest.approx(750_000)
    assert read.of("gas pipeline") == pytest.approx(125_000)
    found = key_phrases(counted({"pipeline": 4000}), background=read, top=3)
    assert len(found) <= 3
    for text in ("the,much\nof,1\nto,2,3\nx\n", "the,-1\n", "# nothing\n"):
        file.write_text(text)
        with pytest.raises(FormatError):
            Background.read(file)
    with pytest.raises(MissingDataError):
        Background.read(tmp_path / "missing")
