"""The page about one release with many canaries: what each attacker proves, beside what is stated. For the curator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from entrenous.attack.audit_page import verdict
from entrenous.attack.page import attack_page
from entrenous.page.pictures import gains
from entrenous.page.sections import Picture, Row, Section
from entrenous.page.wording import capital

if TYPE_CHECKING:
    from entrenous.attack import Finding
    from entrenous.page.report import Report

__all__ = ["one_run_report"]

TRIED = (
    "Thousands of secrets were planted in this very data, each by the toss of a coin, and the program ran once. "
    "Attackers who know everything but the coins guess them, as many as they are sure of. Were too little noise added, "
    "they would be right too often."
)
BOUNDS = (
    "The grey area is what is promised. A mark is what an attacker got, at the least (95 %); a cross says that a "
    "promise is broken beyond doubt (99.9 %)."
)
GUESSES = (
    "How many coins were guessed, and how many of the guesses were right. Half right is guessing blindly; the promise "
    "allows more, and this is how much more."
)


def one_run_report(findings: Sequence[Finding], facts: Sequence[tuple[str, str]] = ()) -> Report:
    """Put what one release with many canaries proves on one page; it tells about the private data.

    Parameters
    ----------
    findings
        What `entrenous.attack.planted_ties` returned.
    facts
        Names and values for the head of the page.
    """
    rows = [(found.attack, found.measured, found.stated, found.broken) for found in findings if found.stated]
    picture = Picture(
        "Given away and promised",
        BOUNDS,
        gains.bounds(rows, name="bounds", title="What attackers certainly got, and what is promised"),
        wide=True,
    )
    best = max(findings, key=lambda found: found.measured)
    broken = [found for found in findings if found.broken]
    summary = (
        f"Promised: epsilon {best.stated:g}. Given away for certain: {best.measured:.2f}. "
        f"{'The promise is broken.' if broken else 'Nothing speaks against the promise.'}"
    )
    table = tuple(
        Row(
            capital(found.attack),
            (f"{found.details['guesses']:,}", f"{found.details['right']:,}", f"{found.measured:.3f}"),
            f"Beyond doubt (99.9 %): {found.beyond_doubt:.3f}. {capital(verdict(found))}.",
        )
        for found in findings
    )
    sections = [
        Section("What attackers gained", summary, (picture,)),
        Section("Guesses", GUESSES, columns=("guesses", "right", "epsilon at least"), rows=table),
    ]
    return attack_page("One release with planted secrets", TRIED, facts, sections, private=True)
