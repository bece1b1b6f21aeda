from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np

from entrenous.page.pictures import ngrams
from entrenous.page.pictures.style import standalone

ROWS = [(0, 1, 0.5, 5.0), (1, 1, 0.25, 25.0), (1, 2, 1.0, 100.0)]


def test_buckets_write_out_shares_and_edges() -> None:
    svg = ngrams.buckets(ROWS)
    for text in ("50 %", "25 %", "100 %", ">5<", ">25<", ">100<", "1 to 9", "10 to 99", "100 to 999"):
        assert text in svg


def test_both_distributions_are_labelled_in_their_colours() -> None:
    shares = np.array([0, 2, 7]), np.array([0.9, 0.09, 0.01])
    svg = ngrams.neighbour_distributions(shares, shares, "neighbours")
    assert re.search(r"fill: var\(--original\)[^>]*>the edge has it</text>", svg)
    assert re.search(r"fill: var\(--released\)[^>]*>it has not</text>", svg)


def test_the_largest_distance_is_marked_however_far_in_the_tail() -> None:
    shares = np.array([1 - 1e-9, 9e-10, 1e-10])
    assert "W = 887" in ngrams.quantile_distances(shares, np.array([0, 887, 3]), "neighbours")


def test_long_distributions_stay_small_pictures_and_keep_their_largest_distance() -> None:
    distances = np.zeros(100_000)
    distances[77_777] = 5
    svg = ngrams.quantile_distances(np.full(100_000, 1e-5), distances, "neighbours")
    assert "W = 5" in svg
    assert len(svg) < 40_000


def test_pictures_as_files_are_complete() -> None:
    text = standalone(ngrams.buckets(ROWS))
    assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    for variable in set(re.findall(r"var\((--\w+)\)", text)):
        assert f"{variable}:" in text
