"""Beliefs as files: what is written is read back, and what makes no sense is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from entrenous.errors import FormatError, MissingDataError, OutputExistsError
from entrenous.words.beliefs import (
    BELIEFS,
    Belief,
    Binomial,
    Chain,
    Conditional,
    Global,
    Group,
    Independent,
    Latent,
)
from entrenous.words.beliefs.belief_file import read_belief, write_belief
from entrenous.words.beliefs.buckets import Bucket
from entrenous.words.pufferfish.wasserstein import Distribution

SHARED = Global(
    Distribution((0, 5), (3, 1)), Distribution((0, 9), (1, 1)), source="public corpus", defect=0.1
)
MODELS: list[Belief] = [
    Independent(),
    Group(12),
    Binomial(0.1, 0.4, 30, source="private estimate", confidence=0.9),
    Latent(0.1, 0.4, 30),
    Chain(0.2, 50, source="calibrated"),
    SHARED,
    Conditional((Bucket(0, 1, 0.5), Bucket(1, 1, 0.25)), neighbours=30, source="public corpus"),
]


def test_every_belief_is_written_and_read(tmp_path: Path) -> None:
    assert {type(model) for model in MODELS} == set(BELIEFS.values())
    for model in MODELS:
        path = tmp_path / f"{type(model).__name__}.json"
        write_belief(model, path)
        assert read_belief(path) == model
        with pytest.raises(OutputExistsError, match="nothing was overwritten"):
            write_belief(model, path)
    with pytest.raises(MissingDataError, match="cannot be written"):
        write_belief(SHARED, tmp_path / "nowhere" / "belief.json")


def changed(tmp_path: Path, change: dict[str, Any]) -> Path:
    path = tmp_path / "belief.json"
    write_belief(SHARED, path)
    values = json.loads(path.read_text()) | change
    path.write_text(json.dumps({name: value for name, value in values.items() if value != "left out"}))
    return path


@pytest.mark.parametrize(
    "change",
    [
        {"format": "another"},
        {"version": 2},
        {"kind": "Certain"},
        {"kind": ["Global"]},
        {"source": "hearsay"},
        {"source": "left out"},
        {"source": "private estimate"},
        {"p0": 0.1},
        {"absent": "left out"},
        {"absent": {"values": [0, 5], "cases": [3]}},
        {"absent": {"values": [0, 5.5], "cases": [3, 1]}},
        {"absent": {"values": [], "cases": []}},
        {"absent": {"values": [0, 10**9], "cases": [3, 1]}},
        {"absent": {"values": [True, 5], "cases": [3, 1]}},
        {"absent": [0, 5]},
        {"defect": "0.1"},
        {"defect": float("nan")},
        {"defect": 7},
    ],
    ids=str,
)
def test_files_that_make_no_sense_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match=r"belief\.json"):
        read_belief(changed(tmp_path, change))


@pytest.mark.parametrize("fraction", [-0.1, 1.5, float("nan"), "much"])
def test_shares_of_buckets_are_shares(tmp_path: Path, fraction: object) -> None:
    bucket = {"size_bucket": 1, "frequency_bucket": 1, "fraction": fraction}
    values = {"kind": "Conditional", "buckets": [bucket], "neighbours": 3, "absent": "left out", "present": "left out",
              "defect": 0.0}  # fmt: skip
    with pytest.raises(FormatError, match="Conditional"):
        read_belief(changed(tmp_path, values))


@pytest.mark.parametrize("text", ["", "[]", "{", "3", "[" * 100_000])
def test_what_is_no_belief_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "belief.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"belief\.json"):
        read_belief(path)
    with pytest.raises(MissingDataError, match="is it there"):
        read_belief(tmp_path / "nowhere.json")
