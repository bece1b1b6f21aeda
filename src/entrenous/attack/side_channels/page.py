"""The page about side channels: how often somebody who sees time, memory or sizes points at the right input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from entrenous.attack.page import attack_page
from entrenous.attack.side_channels.telling_apart import QUANTITIES
from entrenous.page.pictures import gains
from entrenous.page.sections import Picture, Row, Section

if TYPE_CHECKING:
    from entrenous.attack import Finding
    from entrenous.page.report import Report

__all__ = ["COLUMNS", "cell", "side_channels_report", "told_by_release"]

#: The quantities of a table by the heads of its columns.
COLUMNS: Mapping[str, str] = {
    "CPU time": QUANTITIES["cpu"],
    "desk": QUANTITIES["at_desk"],
    "memory": QUANTITIES["memory"],
    "numbers": QUANTITIES["numbers"],
    "words": QUANTITIES["words"],
    "files": "size of all files",
}
TRIED = (
    "Releases were made of two inputs that differ by one secret, in random order. Somebody who sees no release, but "
    "how long each took, how much memory or how many random numbers, says which input it came from."
)
PICTURE = (
    "Shown one release of each input, how often somebody who sees one of these alone points at the right one. Tossing "
    "a coin is right half of the time. Files are published, and covered by the promise; about the rest nothing is "
    "promised."
)
TABLE = (
    "The same for each quantity, and in brackets what is certain (95 %), where chance is ruled out (99.9 %). Only the "
    "sizes of files are part of what is published, and so covered by the promise: they may tell as much as the last "
    "column says. Numbers and words that are drawn as noise do not depend on the machine. Desk: the CPU time of "
    "questions to private data. Memory is that of Python and numpy."
)
ADVICE = (
    "Publish at a time fixed beforehand, and tell nobody how long a release took. Draw where nobody else can "
    "watch processes, and keep logs with times and memory as confidential as the data."
)


#: What the picture shows of these.
DRAWN = ("CPU time", "numbers", "files")


def told_by_release(findings: Sequence[Finding]) -> dict[str, dict[str, Finding]]:
    """Return the findings on each release, by the quantity whose AUC they tell."""
    found: dict[str, dict[str, Finding]] = {}
    for each in findings:
        if "auc" in each.details:
            found.setdefault(each.mechanism, {})[each.quantity.removeprefix("AUC of ")] = each
    return found


def cell(found: Finding) -> str:
    """Write what a quantity tells: the AUC that was seen, and in brackets what is certain, if chance is ruled out.

    Of the many quantities of a table one in twenty would pass a limit of 95 % by chance; brackets ask for 99.9 %.

    >>> from entrenous.attack import Finding
    >>> cell(Finding("m", "edge", "a", None, 0.612, details={"auc": 0.3, "constant": 0.0, "surely": 0.55}))
    '0.70 (0.61)'
    """
    if found.details["constant"]:
        return "same"
    seen = f"{_seen(found):.2f}"
    return f"{seen} ({found.measured:.2f})" if found.details["surely"] > 0.5 else seen


def _seen(found: Finding) -> float:
    """Return the AUC of somebody who knows which way the quantity moves."""
    return max(found.details["auc"], 1 - found.details["auc"])


def side_channels_report(
    findings: Sequence[Finding], facts: Sequence[tuple[str, str]] = (), *, private: bool = False
) -> Report:
    """Put what side channels tell on one page.

    Parameters
    ----------
    findings
        What `entrenous.attack.side_channels` returned.
    facts
        Further names and values for the card.
    private
        Whether a graph of one's own was used: then all numbers tell about it.
    """
    releases = told_by_release(findings)
    shares = {
        name.partition(": ")[2]: [_seen(told[COLUMNS[column]]) for column in DRAWN]
        for name, told in releases.items()
    }
    picture = Picture("What is told", PICTURE, gains.dots(
        shares, [COLUMNS[column] for column in DRAWN], name="told", title="How often the right input is pointed at",
        label="right guesses; half of them by tossing a coin"), wide=True)  # fmt: skip
    rows = tuple(
        Row(
            name,
            (
                *(cell(told[quantity]) for quantity in COLUMNS.values()),
                f"{told[COLUMNS['files']].stated:.2f}",
            ),
            f"The inputs differ by {told[COLUMNS['files']].attack}.",
        )
        for name, told in releases.items()
    )
    sections = [
        Section("What is told besides the release", _summary(findings), (picture,)),
        Section("Quantity by quantity", TABLE, columns=(*COLUMNS, "allowed"), rows=rows),
        Section("What to do", ADVICE),
    ]
    return attack_page("What time, memory and size tell", TRIED, facts, sections, private)


def _summary(findings: Sequence[Finding]) -> str:
    open_ones = [each for each in findings if each.stated is None]
    telling = {
        each.mechanism for each in open_ones if each.details["surely"] > 0.5 and "CPU" in each.quantity
    }
    broken = sum(each.broken for each in findings)
    return (
        f"Releases whose CPU time certainly tells something: {len(telling)} of "
        f"{len({each.mechanism for each in open_ones})}. Promises about the sizes of files that are broken: {broken}."
    )
