"""The curator's page about a benchmark."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from entrenous.errors import PrivacyError
from entrenous.graph.measures.comparison import TOP
from entrenous.network.benchmark.grid import FIXED_SPLITS, SMALL_SPLITS, Cell, Result
from entrenous.network.benchmark.page import benchmark_report, benchmark_sections
from entrenous.network.benchmark.ranking import HEADLINE


def result_of(cell: Cell, value: float) -> Result:
    names = [*HEADLINE, *(f"evc_max1_{kind}@{label}" for kind in ("overlap", "MAE") for label in TOP)]
    return Result(cell, "f", 0.1, 90.0, dict.fromkeys(names, value), (1, 5, 3, 0, 1), (20.0, 15.0, 3.0))


def results(seeds: int = 2, *, divided: bool = True) -> list[Result]:
    found = [result_of(Cell(graph, "original", 0.0, 0), 0.0) for graph in ("club", "office")]
    for graph in ("club", "office"):
        for place, method in enumerate(("tmf", "owner", "privhrg")):
            for epsilon in (1.0, 2.0):
                found += [
                    result_of(Cell(graph, method, epsilon, seed), 0.1 * (2 - place) + 0.01 * seed + 0.1)
                    for seed in range(seeds)
                ]
    splits = (*FIXED_SPLITS, *SMALL_SPLITS) if divided else ()
    return found + [result_of(Cell("club", "privhrg", sum(split), 0, split), 0.2) for split in splits]


@pytest.mark.long
def test_every_graph_and_epsilon_has_its_ranking_and_every_graph_its_pictures() -> None:
    sections = {section.title: section for section in benchmark_sections(results())}
    assert list(sections) == [
        "Who comes first how often", "club, epsilon 1", "club, epsilon 2", "office, epsilon 1", "office, epsilon 2",
        "club", "office", "How privhrg divides epsilon",
    ]  # fmt: skip
    ranking = sections["club, epsilon 1"]
    assert ranking.columns == ("owner", "privhrg", "tmf")
    assert len(ranking.rows) == len(HEADLINE)
    assert "<strong>" in ranking.rows[0].values[1]
    assert "<strong>" not in ranking.rows[0].values[2]
    assert "<strong>" in ranking.rows[-1].values[2]  # of influence, more is better
    counts = sections["Who comes first how often"].rows[0]
    assert (counts.values, counts.meaning) == (("0", "10", "2"), "of 12")
    assert [len(sections[title].pictures) for title in ("club", "How privhrg divides epsilon")] == [3, 2]


def test_without_divisions_there_is_no_picture_of_them() -> None:
    assert "How privhrg divides epsilon" not in {
        section.title for section in benchmark_sections(results(divided=False))
    }


@pytest.mark.long
def test_the_page_is_private_complete_and_says_that_it_rehearsed(tmp_path: Path) -> None:
    report = benchmark_report(results())
    assert report.private
    for said in ("for the curator only", "not private: drawn from a known seed", "club, office", "original"):
        assert said in report.html
    assert report.html.count("<svg") == 2 * 3 + 2
    assert "http://" not in report.html.replace("http://www.w3.org", "")
    report.save(tmp_path / "report.html")
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "guarantee.json").write_text("{}", encoding="utf-8")
    with pytest.raises(PrivacyError):
        report.save(tmp_path / "public" / "report.html")


def test_names_of_graphs_are_escaped_and_undefined_values_said() -> None:
    odd = [
        result_of(Cell("<b>", method, epsilon, 0), math.nan)
        for method, epsilon in (("original", 0.0), ("tmf", 1.0))
    ]
    page = benchmark_report(odd).html
    assert "<b>" not in page
    assert "undefined" in page


@pytest.mark.long
def test_one_seed_has_no_spread() -> None:
    page = benchmark_report(results(seeds=1)).html
    assert "a single seed" in page
    assert "±" not in page
