"""The page about an audit: what mechanisms certainly give away beside what they promise, or which flaws are caught."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from entrenous.attack.page import attack_page
from entrenous.page.pictures import gains
from entrenous.page.sections import Picture, Row, Section
from entrenous.page.wording import capital

if TYPE_CHECKING:
    from entrenous.attack import Finding
    from entrenous.page.report import Report

__all__ = ["audit_report", "verdict"]

TRIED = (
    "Every mechanism ran many times with one secret planted and as often without it. From how differently it behaved "
    "follows how much it gives away at the least, but for one chance in twenty."
)
TRIED_BROKEN = (
    "None of these mechanisms is in use. Each was broken on purpose: too little noise, something counted twice, "
    "something not paid for. An audit is worth something if it catches them all."
)
BOUNDS = (
    "The grey area is what is promised. A mark is what an attacker got, at the least (95 %); a cross says that a "
    "promise is broken beyond doubt (99.9 %)."
)
FINDINGS = "At least so much was given away (95 %), and so much may be."


def audit_report(
    findings: Sequence[Finding], facts: Sequence[tuple[str, str]] = (), *, broken: bool = False
) -> Report:
    """Put the findings of an audit on one page; canaries are invented, so it tells nothing about any data.

    Parameters
    ----------
    findings
        What `entrenous.attack.audit_settings` returned.
    facts
        Further names and values for the card.
    broken
        Whether the mechanisms were broken on purpose and had to be caught.
    """
    rows = [
        (found.mechanism, found.measured, found.stated, found.broken)
        for found in findings
        if found.stated and found.quantity == "epsilon"
    ]
    title = (
        "Planted flaws, caught and missed" if broken else "What attackers certainly got, and what is promised"
    )
    picture = Picture(
        "Given away and promised", BOUNDS, gains.bounds(rows, name="bounds", title=title), wide=True
    )
    table = tuple(
        Row(
            found.mechanism,
            (f"{found.measured:.3f}", "none" if found.stated is None else f"{found.stated:g}"),
            f"{capital(found.quantity)}. {capital(found.attack)}; {found.trials:,} runs: "
            f"{verdict(found, broken=broken)}.",
        )
        for found in findings
    )
    summary = Section(
        "What was caught" if broken else "What attackers gained", _summary(findings, broken), (picture,)
    )
    details = Section(
        "Flaw by flaw" if broken else "What is promised",
        FINDINGS,
        columns=("measured", "promised"),
        rows=table,
    )
    heading = "Broken on purpose: does the audit notice?" if broken else "Audit of every promise"
    return attack_page(heading, TRIED_BROKEN if broken else TRIED, facts, [summary, details], private=False)


def verdict(found: Finding, *, broken: bool = False) -> str:
    """Say in a word what an attack showed; of a mechanism broken on purpose, whether it was caught.

    >>> from entrenous.attack import Finding
    >>> doubtful = Finding("m", "edge", "a", stated=1.0, measured=1.1, beyond_doubt=0.9)
    >>> verdict(doubtful), verdict(doubtful, broken=True)
    ('in doubt: run more', 'missed')
    """
    if found.stated is None:
        return "nothing is promised"
    if broken:
        return "caught" if found.broken else "missed"
    if found.broken:
        return "BROKEN"
    return "holds" if found.measured <= found.stated else "in doubt: run more"


def _summary(findings: Sequence[Finding], broken: bool) -> str:
    stated = [found for found in findings if found.stated is not None]
    wrong = sum(found.broken for found in stated)
    if broken:
        return f"Caught: {wrong} of {len(stated)}."
    doubtful = sum(not found.broken and found.measured > (found.stated or 0.0) for found in stated)
    return f"Promises tested: {len(stated)}. Broken: {wrong}." + (
        f" In doubt: {doubtful}." if doubtful else ""
    )
