"""Curves of several methods in one picture. Plain numbers in, inline SVG out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from entrenous.page.pictures.style import (
    METHODS,
    ORIGINAL,
    WIDE,
    Numbers,
    as_svg,
    in_style,
    log_axis,
    new_axes,
    thinned,
)

__all__ = ["curves"]


@in_style
def curves(
    lines: Mapping[str, tuple[Numbers, Numbers]],
    *,
    name: str,
    title: str,
    labels: tuple[str, str],
    logarithmic: str = "",
    percent: bool = False,
    ticks: Sequence[str] = (),
) -> Markup:
    """Draw one curve per name, the original dashed, the first method in front, with a legend beside them.

    Parameters
    ----------
    lines
        For each name, where its points are.
    name, title, labels
        Of the picture on its page, of the picture for those who hear it, and of the two axes.
    logarithmic
        The axes that are logarithmic: "", "x", "y" or "xy".
    percent
        Whether the vertical axis shows shares.
    ticks
        Texts for the points 0, 1, ... of the horizontal axis, instead of numbers.
    """
    from matplotlib.ticker import PercentFormatter

    figure, axes = new_axes(WIDE)
    methods = [each for each in lines if each != "original"]
    for each, (x, y) in lines.items():
        shown = thinned(np.arange(len(x)))
        place = methods.index(each) if each in methods else -1
        style: dict[str, Any] = {"color": ORIGINAL, "linestyle": (0, (4, 2)), "linewidth": 2.2, "zorder": 9}
        if place >= 0:
            color, marker = METHODS[place % len(METHODS)]
            style = {
                "color": color,
                "marker": marker if len(x) < 25 else "",
                "zorder": 8 - place,
                "markersize": 5,
            }
        axes.plot(np.asarray(x)[shown], np.asarray(y)[shown], label=each, **style)
    if percent and "y" not in logarithmic:
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    for axis in logarithmic:
        log_axis(axes, axis, percent=percent and axis == "y")
    if ticks:
        axes.set_xticks(range(len(ticks)), ticks)
    axes.set(xlabel=labels[0], ylabel=labels[1])
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return as_svg(figure, name, title)
