"""Pictures of attacks: what an attacker gained beside what is promised. Plain numbers in, inline SVG out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from entrenous.page.pictures.style import (
    FAINT,
    INK,
    METHODS,
    ORIGINAL,
    PAPER,
    RELEASED,
    SIZE,
    WIDE,
    Numbers,
    as_svg,
    in_style,
    new_axes,
    panels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["alarms", "bars", "bounds", "dots", "odds_and_error", "power_of_ten"]

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

# What is weak, what is just right and what is more than needed: told apart by dash and marker as well.
_STYLES: tuple[dict[str, Any], ...] = (
    {"color": ORIGINAL, "linestyle": (0, (4, 2)), "marker": "s"},
    {"color": RELEASED, "linestyle": "-", "marker": "o"},
    {"color": METHODS[1][0], "linestyle": (0, (1, 1.5)), "marker": "^"},
)
_CALM_FIRST = (_STYLES[1], _STYLES[2], _STYLES[0])
_ROW = 0.42  # inches of height for each bar, and for each row of dots


@in_style
def odds_and_error(
    neighbours: Numbers, log_odds: Mapping[str, Numbers], errors: Mapping[str, Numbers], *, epsilon: float
) -> Markup:
    """Draw, by the size of a neighbourhood, how far each kind of release lets odds move, and what it costs.

    Odds twice: in powers of ten, where those of the weakest release have room, and in plain numbers around e^epsilon.
    """
    from matplotlib.ticker import FuncFormatter

    figure, (far, near, cost) = panels(3)
    promised = math.exp(epsilon)
    for (label, logs), style in zip(log_odds.items(), _STYLES, strict=True):
        line = style | {"markersize": 5, "markevery": max(1, len(neighbours) // 6), "label": label}
        far.plot(neighbours, np.asarray(logs) / math.log(10), **line)
        # Further up is out of the picture.
        near.plot(neighbours, np.exp(np.minimum(logs, epsilon + 5)), **line)
        cost.plot(neighbours, errors[label], **line)
    for axes in (far, near, cost):
        axes.set(xlabel="neighbouring edges", xlim=(0, 1.02 * float(np.max(neighbours))))
        axes.set_ylim(bottom=0)
    near.set_ylim(1, 1 + 1.5 * (promised - 1))
    near.axhline(promised, color=INK, linewidth=1, zorder=1)
    near.text(0.98, promised + 0.06 * (promised - 1), f"promised: {promised:.3g}", ha="right", va="bottom",
              transform=near.get_yaxis_transform())  # fmt: skip
    near.text(0.98, 0.98, f"{next(iter(log_odds))}: far above", ha="right", va="top", color=_STYLES[0]["color"],
              transform=near.transAxes)  # fmt: skip
    far.yaxis.set_major_formatter(FuncFormatter(lambda power, _: power_of_ten(power)))
    cost.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    far.set(ylabel="odds of a secret move by a factor of up to")
    near.set(ylabel="the same, from near")
    cost.set(ylabel="a published count is off by about")
    far.legend(frameon=False, loc="upper left")
    return as_svg(figure, "odds-and-error", "What an attacker gains, and what hiding it costs")


@in_style
def bars(
    values: Mapping[str, float], *, name: str, title: str, label: str, line: tuple[float, str] | None = None
) -> Markup:
    """Draw shares as bars with their values, and what is allowed, or known before, as a line across them."""
    from matplotlib.ticker import PercentFormatter

    figure, axes = new_axes((SIZE[0], 1.2 + _ROW * len(values)))
    places = np.arange(len(values))[::-1]
    shares = np.array(list(values.values()), dtype=float)
    axes.barh(places, shares, height=0.55, color=RELEASED)
    for place, share in zip(places, shares, strict=True):
        inside = share > 0.8
        axes.text(
            share + (-0.02 if inside else 0.02), place, _share(share), va="center",
            ha="right" if inside else "left", color=PAPER if inside else INK,
        )  # fmt: skip
    if line is not None:
        axes.axvline(line[0], color=ORIGINAL, linestyle=(0, (4, 2)))
        axes.text(line[0], 1.02, line[1], color=ORIGINAL, ha="center", va="bottom",
                  transform=axes.get_xaxis_transform())  # fmt: skip
    axes.set_yticks(places, list(values))
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.set(xlim=(0, 1), xlabel=label)
    _quiet_rows(axes)
    return as_svg(figure, name, title)


@in_style
def alarms(
    curves: Mapping[str, tuple[Numbers, Numbers]], allowed: Mapping[str, Numbers], *, name: str
) -> Markup:
    """Draw true alarms against false ones, and, in the same colours, the most that promises allow.

    Parameters
    ----------
    curves
        For each attacker, rates of false and of true alarms.
    allowed
        For each attacker, the largest rates of true alarms at false ones of 0 to 1, evenly spaced.
    name
        Of the picture on its page.
    """
    from matplotlib.ticker import PercentFormatter

    figure, axes = new_axes(SIZE)
    for (label, (false, true)), style in zip(curves.items(), _CALM_FIRST, strict=False):
        bound = np.asarray(allowed[label])
        axes.plot(
            np.linspace(0, 1, len(bound)), bound, color=style["color"], linestyle=(0, (1, 1.5)), linewidth=1.2
        )
        axes.plot(false, true, color=style["color"], linewidth=2.0, label=label)
    axes.plot([0, 1], [0, 1], color=FAINT, linewidth=1, label="tossing a coin")
    axes.plot([], [], color=INK, linestyle=(0, (1, 1.5)), linewidth=1.2, label="the most that is allowed")
    for ruler in (axes.xaxis, axes.yaxis):
        ruler.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
        ruler.set_ticks(np.linspace(0, 1, 5))
    axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="false alarms", ylabel="ties that are found")
    axes.legend(frameon=False, loc="lower right", fontsize=9)
    return as_svg(figure, name, "How often an attacker is right")


@in_style
def dots(
    rows: Mapping[str, Sequence[float]], kinds: Sequence[str], *, name: str, title: str, label: str
) -> Markup:
    """Draw several shares for each row, one marker and colour for each kind."""
    from matplotlib.ticker import PercentFormatter

    figure, axes = new_axes((WIDE[0], 1.4 + _ROW * len(rows)))
    places = np.arange(len(rows))[::-1]
    values = np.array(list(rows.values()), dtype=float)
    axes.hlines(places, values.min(axis=1), values.max(axis=1), color=FAINT, linewidth=2)
    for column, (kind, style) in enumerate(zip(kinds, _CALM_FIRST, strict=True)):
        axes.plot(values[:, column], places, linestyle="", marker=style["marker"], color=style["color"],
                  markersize=9 - 1.5 * column, label=kind, clip_on=False)  # fmt: skip
    axes.set_yticks(places, list(rows))
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.set(xlim=(-0.02, 1.02), xlabel=label)
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(kinds))
    _quiet_rows(axes)
    return as_svg(figure, name, title)


@in_style
def bounds(rows: Sequence[tuple[str, float, float, bool]], *, name: str, title: str) -> Markup:
    """Draw for each setting what was promised (a bar) and what an attacker certainly got (a mark), in shares of it.

    Parameters
    ----------
    rows
        A label, the measured epsilon, the promised one, and whether the promise is broken.
    name, title
        Of the picture on its page, and for those who hear it.
    """
    from matplotlib.ticker import PercentFormatter

    figure, axes = new_axes((WIDE[0], 1.2 + 0.28 * len(rows)))
    places = np.arange(len(rows))[::-1]
    shares = np.array([measured / stated for _, measured, stated, _ in rows])
    fine = np.array([not broken for *_, broken in rows])
    axes.axvspan(0, 1, color=FAINT, alpha=0.18, linewidth=0)
    axes.axvline(1, color=INK, linewidth=1.2)
    axes.hlines(places, 0, shares, color=FAINT, linewidth=1)
    axes.plot(shares[fine], places[fine], "o", color=RELEASED, markersize=7)
    axes.plot(shares[~fine], places[~fine], "X", color=ORIGINAL, markersize=8)
    axes.set_yticks(places, [label for label, *_ in rows])
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.set(xlim=(0, max(1.1, 1.05 * float(shares.max(initial=1.0)))), ylim=(-0.7, len(rows) - 0.3))
    axes.set(xlabel="what an attacker certainly got, of what is promised (100 %)")
    _quiet_rows(axes)
    return as_svg(figure, name, title)


def _quiet_rows(axes: Axes) -> None:
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def _share(share: float) -> str:
    """Write a share for a reader: 0 and 1 only where they are exact.

    >>> _share(0.0), _share(0.0004), _share(0.234), _share(0.9999), _share(1.0)
    ('0 %', 'below 1 %', '23 %', 'over 99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "below 1 %"
    if 0.995 < share < 1:
        return "over 99 %"
    return f"{100 * share:.0f} %"


def power_of_ten(power: float) -> str:
    """Write a power of ten with a raised exponent.

    >>> power_of_ten(0), power_of_ten(40)
    ('1', '10⁴⁰')
    """
    return "1" if power == 0 else "10" + f"{power:g}".translate(_SUPERSCRIPTS)
