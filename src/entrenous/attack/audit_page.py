"""The page about an audit: promise by promise what was given away, then every attack; or which flaws are caught."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from entrenous.attack.page import attack_page
from entrenous.attack.promises_page import promise_sections, promises, verdict_on
from entrenous.page.pictures import gains
from entrenous.page.sections import Picture, Row, Section
from entrenous.page.wording import capital

if TYPE_CHECKING:
    from entrenous.attack import Finding, Replay
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
REPLAYED = "Below are releases that were replayed: the most that any answer could have told, exactly."


def audit_report(
    findings: Sequence[Finding],
    facts: Sequence[tuple[str, str]] = (),
    *,
    broken: bool = False,
    replays: Sequence[Replay] = (),
) -> Report:
    """Put the findings of an audit on one page: the verdict, a picture for each promise, then all findings.

    Canaries are invented, and so is what is replayed: the page tells nothing about any data.

    Parameters
    ----------
    findings
        What `entrenous.attack.audit_settings` returned.
    facts
        Further names and values for the card.
    broken
        Whether the mechanisms were broken on purpose and had to be caught.
    replays
        What `entrenous.attack.replays` returned.
    """
    exact = [each.finding() for each in replays]
    details = _details(findings, exact, broken)
    if broken:
        heading = "Broken on purpose: does the audit notice?"
        return attack_page(heading, TRIED_BROKEN, facts, details, private=False)
    heading, found = "Audit of every promise", promises(findings, replays)
    if not found:
        return attack_page(heading, TRIED, facts, details, private=False)
    said, sections = verdict_on(found, [*findings, *exact]), [*promise_sections(found), *details]
    return attack_page(heading, said, facts, sections, private=False, notes=[TRIED.removesuffix(".")])


def _details(findings: Sequence[Finding], exact: Sequence[Finding], broken: bool) -> list[Section]:
    """Return attack by attack what was measured, replays last."""
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
            (_measured(found), "none" if found.stated is None else f"{found.stated:g}"),
            f"{capital(found.quantity)}. {capital(found.attack)}; "
            f"{f'{found.trials:,} runs' if found.trials else 'exact'}: {verdict(found, broken=broken)}.",
        )
        for found in (*findings, *exact)
    )
    summary = Section(
        "What was caught" if broken else "What attackers gained",
        _summary([*findings, *exact], broken),
        (picture,),
    )
    details = Section(
        "Flaw by flaw" if broken else "What is promised",
        f"{FINDINGS} {REPLAYED}" if exact else FINDINGS,
        columns=("measured", "promised"),
        rows=table,
    )
    return [summary, details]


def _measured(found: Finding) -> str:
    return f"{found.measured:.3f}" if math.isfinite(found.measured) else "no limit"


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
    return f"Tests of promises: {len(stated)}. Broken: {wrong}." + (
        f" In doubt: {doubtful}." if doubtful else ""
    )
