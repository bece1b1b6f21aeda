"""The page about a replay: what each question was paid for, and the most that its answers could have told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from entrenous.attack.page import attack_page
from entrenous.page.pictures import gains
from entrenous.page.sections import Picture, Row, Section
from entrenous.page.wording import capital

if TYPE_CHECKING:
    from entrenous.attack.replay import Replay
    from entrenous.page.report import Report
    from entrenous.price import Price

__all__ = ["replay_report"]

TRIED = (
    "A release was drawn with real noise and recorded. Then it was drawn again for data that differ in one unit, and "
    "was given the same answers. The page shows the most that any answers could have told, and what was paid for them. "
    "It was computed from the private data."
)
SHARES = (
    "For each question on the worst neighbour: the most that any answer could tell, beside what was paid (the grey "
    "area). Together they stay below what is promised."
)


def replay_report(found: Replay) -> Report:
    """Put a replay on one page; it is private.

    Parameters
    ----------
    found
        What `entrenous.attack.replay` and its like returned.
    """
    word = "epsilon" if found.stated.epsilon else "mu"
    facts = [
        ("release", found.mechanism),
        ("unit", str(found.unit)),
        (f"{word} paid", f"{_amount(found.stated):g}"),
        ("neighbours", str(len(found.neighbours))),
        ("verdict", "broken" if found.broken else "holds"),
    ]
    sections = [_faults(found)] if found.broken else []
    if found.neighbours:
        sections.append(_worst(found, word))
    return attack_page("A release, replayed on its neighbours", TRIED, facts, sections, private=True)


def _worst(found: Replay, word: str) -> Section:
    worst = found.worst
    rows = [(part.name, _amount(part.moved), _amount(part.stated), part.exceeded) for part in worst.parts]
    rows.append(("all together", _amount(worst.moved), _amount(found.stated), bool(worst.faults)))
    picture = gains.bounds(rows, name="replayed", title="What answers could tell, and what was paid")
    table = tuple(
        Row(
            capital(part.name),
            (f"{_amount(part.moved):.4f}", f"{_amount(part.stated):.4f}"),
            f"The recorded answer told {part.loss:+.4f}.",
        )
        for part in worst.parts
    )
    return Section(
        f"The worst of {len(found.neighbours)} neighbours: {worst.change}",
        f"In {word}; exact.",
        (Picture("Could tell, and paid", SHARES, picture, wide=True),),
        columns=("could tell", "paid"),
        rows=table,
    )


def _faults(found: Replay) -> Section:
    rows = tuple(Row(capital(fault), (), "") for fault in found.faults)
    return Section("What is wrong", "Each of these breaks the promise.", rows=rows)


def _amount(price: Price) -> float:
    return price.epsilon or price.mu
