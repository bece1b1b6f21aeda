from __future__ import annotations

import re

import numpy as np

from entrenous.page.pictures import shapes


def test_both_roles_are_labelled_in_their_colours() -> None:
    svg = shapes.degrees({"original": np.array([0, 5, 3, 1]), "released": np.array([1, 4, 3, 1])})
    for role in ("original", "released"):
        assert re.search(rf"fill: var\(--{role}\)[^>]*>{role}</text>", svg)


def test_a_single_role_needs_no_label() -> None:
    svg = shapes.degrees({"released": np.array([0, 5, 3, 1])})
    assert "var(--original)" not in svg
    assert ">released<" not in svg


def test_no_fixed_colour_hides_in_dark_mode() -> None:
    svg = shapes.distances({"original": np.array([3, 4]), "released": np.array([4, 3])})
    assert not re.search(r"#[0-9a-fA-F]{6}\b", svg)


def test_pictures_of_one_kind_are_the_same_bytes() -> None:
    overlaps = {"10": 0.5, "5 %": 1.0}
    assert shapes.influence(overlaps) == shapes.influence(overlaps)


def test_a_matrix_without_any_tie_is_drawn() -> None:
    assert "<svg" in shapes.blocks({"released": np.zeros((2, 2))}, [3, 4])


def test_large_histograms_stay_small_pictures() -> None:
    counts = np.ones(100_000, dtype=np.int64)
    assert len(shapes.degrees({"released": counts})) < 40_000
