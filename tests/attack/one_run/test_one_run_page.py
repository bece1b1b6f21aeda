"""The page about one release says what was proved, beside what was promised, and that it is private."""

from __future__ import annotations

from dataclasses import replace

from entrenous import datasets
from entrenous.attack import planted_ties
from entrenous.attack.one_run.one_run_page import one_run_report


def test_the_page_sets_what_was_proved_beside_what_is_promised() -> None:
    found = planted_ties(datasets.karate_club(), epsilon=2.0, method="chung-lu", added=600, rng=2)
    page = one_run_report(found, [("method", "chung-lu")])
    assert page.private
    assert "Promised: epsilon 2." in page.html
    assert "Nothing speaks against the promise." in page.html
    assert f"{found[0].details['guesses']:,}" in page.html
    broken = one_run_report([replace(found[0], beyond_doubt=2.5)])
    assert "The promise is broken." in broken.html
