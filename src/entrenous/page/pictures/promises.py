"""Small pictures of promises: what is stated, what attacks proved, and what is allowed. Numbers in, inline SVG out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from markupsafe import Markup

from entrenous.page.pictures.style import FAINT, INK, ORIGINAL, PAPER, RELEASED, as_svg, in_style, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["promise", "share"]

_SIZE = (3.6, 1.25)  # inches: three of them fit beside each other
_INSIDE = 0.72  # longer bars have their number inside
_FAR = 1.15  # how long a bar is that nothing limits


@in_style
def promise(proved: float | None, allowed: float | None, *, name: str, title: str) -> Markup:
    """Draw what attacks proved and what is allowed, as shares of what is stated: a line at 100 %.

    Parameters
    ----------
    proved
        What attackers certainly got; None if nobody tried.
    allowed
        The most that answers could have told; infinite if nothing limits it, None if nobody looked.
    name
        Of the picture on its page.
    title
        For those who hear it.
    """
    from matplotlib.ticker import PercentFormatter

    figure, axes = new_axes(_SIZE)
    longest = max(
        [value for value in (proved, allowed) if value is not None and math.isfinite(value)], default=0.0
    )
    end = max(1.12, 1.4 * longest if longest > 1 else 0.0, _FAR * 1.5 if allowed == math.inf else 0.0)
    axes.axvspan(0, 1, color=FAINT, alpha=0.18, linewidth=0)
    _bar(axes, 1, proved, end, filled=True)
    _bar(axes, 0, allowed, end, filled=False)
    axes.axvline(1, color=INK, linewidth=1.4)
    axes.text(1, 1.04, "stated", ha="center", va="bottom", transform=axes.get_xaxis_transform())
    axes.set_yticks([1, 0], ["proved at least", "allowed"])
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.set_xticks([0, 0.5, 1] if end < 2 else [0, 1])
    axes.set(xlim=(0, end), ylim=(-0.5, 1.5))
    axes.grid(visible=False)
    axes.tick_params(axis="y", length=0)
    return as_svg(figure, name, title)


def _bar(axes: Axes, place: int, value: float | None, end: float, *, filled: bool) -> None:
    """Draw one bar with its number: solid for what was proved, hollow for what is allowed."""
    if value is None:
        axes.text(0.02, place, "not tried", va="center", style="italic")
        return
    colour = ORIGINAL if value > 1 else RELEASED
    length = max(_FAR, end / 1.5) if value == math.inf else value
    axes.barh(
        place, length, height=0.62, facecolor=colour if filled else "none", edgecolor=colour, linewidth=1.4
    )
    inside = _INSIDE < value <= 1  # where a number would lie on the line
    axes.text(
        length + (-0.025 if inside else 0.025) * end, place, share(value), va="center",
        ha="right" if inside else "left", color=PAPER if inside and filled else INK,
    )  # fmt: skip


def share(value: float) -> str:
    """Write a share of what is stated: 0 and 100 % only where they are exact.

    >>> share(0.0), share(0.0004), share(0.934), share(0.9999), share(1.0), share(2.0), share(float("inf"))
    ('0 %', 'below 1 %', '93 %', 'over 99 %', '100 %', '200 %', 'no limit')
    """
    if value == math.inf:
        return "no limit"
    if 0 < value < 0.005:
        return "below 1 %"
    if 0.995 < value < 1:
        return "over 99 %"
    if 1 < value < 1.01:
        return "over 100 %"
    return f"{100 * value:.0f} %"
