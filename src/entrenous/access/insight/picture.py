"""The peer-effect network as a picture: who moves whom, and every wish before and after.

A self-contained SVG with a title and a description for those who cannot see it. It shows everybody's
scores: it is for whoever runs a mediation, for teaching and for invented groups, not for the co-owners of a
real item.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from entrenous.access.decision import Decision
from entrenous.access.item import HIGHEST, NEUTRAL, Item
from entrenous.access.settling.peers import capped_peers

__all__ = ["draw"]

CARD = 264
"""Width of a person's card, in pixels."""

HEADER, LINE, PAD = 34, 20, 10
BAR_AT, BAR = 132, 66
MARGIN, TOP, BOTTOM = 24, 86, 54

STYLE = """
text { font-family: system-ui, sans-serif; font-size: 12px; fill: #1b2430; } .title { font-size: 20px;
font-weight: 600; } .name { font-size: 15px; font-weight: 600; } .card { fill: #ffffff; stroke: #44546a;
stroke-width: 1.5; } .accepts { stroke: #0b5d3b; stroke-width: 3; } .track { fill: #e7ebf0; } .after { fill:
#2f6db5; } .before { fill: #ffffff; stroke: #1b2430; stroke-width: 1.5; } .middle { stroke: #1b2430;
stroke-width: 1; stroke-dasharray: 2 2; } .effect { fill: none; stroke: #8a5a00; } .tip { fill: #8a5a00; }
.weight { fill: #6b4500; font-weight: 600; paint-order: stroke; stroke: #f6f7f9; stroke-width: 5px;
text-anchor: middle; } .number { text-anchor: end; font-variant-numeric: tabular-nums; }
"""

Point = tuple[float, float]


@dataclass(frozen=True)
class _Layout:
    """Where the cards are: around an ellipse, in the order of the people."""

    width: float
    height: float
    card_height: float
    centres: dict[str, Point]

    @classmethod
    def around(cls, item: Item) -> _Layout:
        """Return a layout with room for every card and for arrows between them."""
        n = len(item.people)
        card_height = HEADER + LINE * len(item.scored) + PAD
        wide = 0.0 if n == 1 else max(CARD * 1.25, n * CARD * 0.24)
        tall = 0.0 if n <= 2 else max(150.0, card_height * 1.3, n * card_height * 0.34)
        width = 2 * wide + CARD + 2 * MARGIN
        height = TOP + 2 * tall + card_height + BOTTOM
        middle = (width / 2, TOP + tall + card_height / 2)
        start = math.pi if n == 2 else -math.pi / 2
        centres = {}
        for place, who in enumerate(item.people):
            angle = start + 2 * math.pi * place / n
            centres[who] = (middle[0] + wide * math.cos(angle), middle[1] + tall * math.sin(angle))
        return cls(max(width, 640.0), height, card_height, centres)

    def bend(self, friend: str, listener: str, *, inwards: bool) -> Point:
        """Return the control point of an arrow: to the right of its way, or on the side of the middle."""
        (x0, y0), (x1, y1) = self.centres[friend], self.centres[listener]
        across = (0.12 * (y0 - y1), 0.12 * (x1 - x0))
        chord = ((x0 + x1) / 2, (y0 + y1) / 2)
        middle = [sum(axis) / len(self.centres) for axis in zip(*self.centres.values(), strict=True)]
        outwards = across[0] * (chord[0] - middle[0]) + across[1] * (chord[1] - middle[1]) > 0
        sign = -1 if inwards and outwards else 1
        return chord[0] + sign * across[0], chord[1] + sign * across[1]

    def edge_of_card(self, who: str, towards: Point) -> Point:
        """Return the point where a line from a card's centre leaves the card."""
        x, y = self.centres[who]
        dx, dy = towards[0] - x, towards[1] - y
        reach = max(abs(dx) / (CARD / 2 + 4), abs(dy) / (self.card_height / 2 + 4), 1e-9)
        return x + dx / reach, y + dy / reach


def draw(item: Item, decision: Decision) -> str:
    """Return an SVG picture of the people, their effects on each other and their wishes before and after.

    An arrow runs from the person listened to, to the one who is moved. All scores are on the scale from 0
    to 5; a settled score is shown as the weighted mean of initial scores that it is.

    Examples
    --------
    >>> from entrenous.access import decide, read_example
    >>> item = read_example("thesis-oc")
    >>> draw(item, decide(item)).startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    True
    """
    layout = _Layout.around(item)
    width, height = round(layout.width), round(layout.height)
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title desc">',
        f'<title id="title">{_text(_heading(decision))}</title>',
        f'<desc id="desc">{_text(_description(item, decision))}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="#f6f7f9"/>',
        f'<text class="title" x="{MARGIN}" y="34">{_text(_heading(decision))}</text>',
        f'<text x="{MARGIN}" y="56">{_text(_legend(item, decision))}</text>',
        *_arrows(item, layout),
        *(part for who in item.people for part in _card(item, decision, layout, who)),
        *_key(layout),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _heading(decision: Decision) -> str:
    return f"{decision.choice} ({decision.rule})"


def _legend(item: Item, decision: Decision) -> str:
    count = len(decision.accepted_by)
    return f"{count} of {len(item.people)} accept it after weighing; thick frames mark them."


def _description(item: Item, decision: Decision) -> str:
    """Return the whole picture in sentences."""
    sentences = []
    for who, row in capped_peers(item).items():
        effects = ", ".join(f"{friend} {weight:.0%}" for friend, weight in row.items())
        moved = f"is moved by {effects}" if row else "is moved by nobody"
        numbers = "; ".join(f"{choice} {_numbers(item, decision, who, choice)}" for choice in item.scored)
        sentences.append(f"{who} {moved}. Scores before and after: {numbers}.")
    return " ".join(sentences)


def _scores(item: Item, decision: Decision, who: str, choice: str) -> tuple[float, float | None]:
    before = float(item.scores[item.people.index(who), item.scored.index(choice)])
    return before, decision.weighed(who, choice) if decision.settled else None


def _numbers(item: Item, decision: Decision, who: str, choice: str) -> str:
    before, after = _scores(item, decision, who, choice)
    given = "–" if item.wishes[who] is None else f"{before:g}"
    return f"{given} → {'?' if after is None else format(after, '.1f')}"


def _card(item: Item, decision: Decision, layout: _Layout, who: str) -> Iterator[str]:
    x, y = (
        centre - half / 2
        for centre, half in zip(layout.centres[who], (CARD, layout.card_height), strict=True)
    )
    frame = "card accepts" if who in decision.accepted_by else "card"
    yield f'<rect class="{frame}" x="{x:.1f}" y="{y:.1f}" width="{CARD}" height="{layout.card_height}" rx="8"/>'
    limit = item.limits.get(who)
    note = "no answer" if item.wishes[who] is None else f"limit: {limit}" if isinstance(limit, str) else ""
    yield f'<text class="name" x="{x + PAD:.1f}" y="{y + 23:.1f}">{_text(_short(who, 16))}</text>'
    yield f'<text class="number" x="{x + CARD - PAD:.1f}" y="{y + 23:.1f}">{_text(_short(note, 18))}</text>'
    for row, choice in enumerate(item.scored):
        before, after = _scores(item, decision, who, choice)
        top = y + HEADER + LINE * row
        yield f'<text x="{x + PAD:.1f}" y="{top + 12:.1f}">{_text(_short(choice, 18))}</text>'
        yield from _bar(x + BAR_AT, top + 3, before, after, middle=item.method != "oo")
        numbers = _numbers(item, decision, who, choice)
        yield f'<text class="number" x="{x + CARD - PAD:.1f}" y="{top + 12:.1f}">{numbers}</text>'


def _bar(x: float, y: float, before: float, after: float | None, *, middle: bool) -> Iterator[str]:
    """Yield a scale from 0 to 5: filled up to the settled score, a diamond at the initial one."""
    unit = BAR / HIGHEST
    yield f'<rect class="track" x="{x:.1f}" y="{y:.1f}" width="{BAR}" height="10"/>'
    if after is not None:
        yield f'<rect class="after" x="{x:.1f}" y="{y:.1f}" width="{after * unit:.1f}" height="10"/>'
    if middle:
        at = x + NEUTRAL * unit
        yield f'<line class="middle" x1="{at:.1f}" y1="{y - 2:.1f}" x2="{at:.1f}" y2="{y + 12:.1f}"/>'
    at = x + before * unit
    yield f'<path class="before" d="M{at:.1f} {y - 1:.1f} l5 6 l-5 6 l-5 -6 z"/>'


def _arrows(item: Item, layout: _Layout) -> Iterator[str]:
    """Yield an arrow per effect: opposite ones bent apart, single ones towards the middle, clear of other cards."""
    used = capped_peers(item)
    for listener, row in used.items():
        for friend, weight in row.items():
            control = layout.bend(friend, listener, inwards=listener not in used[friend])
            start, end = layout.edge_of_card(friend, control), layout.edge_of_card(listener, control)
            yield (
                f'<path class="effect" stroke-width="{1 + 4 * weight:.1f}" d="M{start[0]:.1f} {start[1]:.1f} '
                f'Q{control[0]:.1f} {control[1]:.1f} {end[0]:.1f} {end[1]:.1f}"/>'
            )
            yield _tip(control, end, 7 + 5 * weight)
            label = tuple((a + 2 * c + b) / 4 for a, c, b in zip(start, control, end, strict=True))
            yield f'<text class="weight" x="{label[0]:.1f}" y="{label[1] + 4:.1f}">{weight:.0%}</text>'


def _tip(control: Point, end: Point, size: float) -> str:
    dx, dy = end[0] - control[0], end[1] - control[1]
    length = max(math.hypot(dx, dy), 1e-9)
    ux, uy = dx / length * size, dy / length * size
    left = (end[0] - ux - uy / 2, end[1] - uy + ux / 2)
    right = (end[0] - ux + uy / 2, end[1] - uy - ux / 2)
    return (
        f'<path class="tip" d="M{end[0]:.1f} {end[1]:.1f} L{left[0]:.1f} {left[1]:.1f} '
        f'L{right[0]:.1f} {right[1]:.1f} z"/>'
    )


def _key(layout: _Layout) -> Iterator[str]:
    y = layout.height - 26
    yield f'<path class="before" d="M{MARGIN + 6} {y - 10:.1f} l5 6 l-5 6 l-5 -6 z"/>'
    yield f'<text x="{MARGIN + 18}" y="{y:.1f}">score given</text>'
    yield f'<rect class="after" x="{MARGIN + 110}" y="{y - 9:.1f}" width="24" height="10"/>'
    yield f'<text x="{MARGIN + 140}" y="{y:.1f}">after weighing the others (0 to {HIGHEST})</text>'
    yield f'<path class="effect" stroke-width="3" d="M{MARGIN + 360} {y - 4:.1f} l22 0"/>'
    yield _tip((MARGIN + 382, y - 4), (MARGIN + 392, y - 4), 10)
    yield f'<text x="{MARGIN + 400}" y="{y:.1f}">moves, by this much</text>'


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _text(text: str) -> str:
    """Return text fit for XML: markup escaped, characters XML forbids replaced."""
    return escape("".join(c if c.isprintable() else "�" for c in text))
