"""Pictures of the shape of a graph: degrees, distances, influence, groups.

Every function takes plain numbers by role, ``{"original": ..., "released": ...}`` or ``{"released": ...}`` alone, and
never sees a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from entrenous.page.pictures.style import (
    MOST_POINTS,
    ORIGINAL,
    RELEASED,
    SIZE,
    STRIP,
    Numbers,
    as_svg,
    in_style,
    log_axis,
    new_axes,
    panels,
    thinned,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "blocks",
    "degrees",
    "distances",
    "influence",
    "scores",
    "trace",
]

_COLOR = {"original": ORIGINAL, "released": RELEASED}
# Shape and dash tell the roles apart where colour does not.
_LINE: dict[str, dict[str, Any]] = {
    "original": {"linestyle": (0, (4, 2)), "marker": "s", "markerfacecolor": "none"},
    "released": {"linestyle": "-", "marker": "o"},
}


@in_style
def degrees(histograms: Mapping[str, Numbers]) -> Markup:
    """Draw the share of nodes with at least so many ties, on logarithmic axes."""
    figure, axes = new_axes(SIZE)
    for role, counts in histograms.items():
        at_least = np.cumsum(np.asarray(counts, dtype=float)[::-1])[::-1] / max(1.0, float(np.sum(counts)))
        present = np.flatnonzero(counts)
        present = thinned(present[present > 0])  # a logarithmic axis has no place for 0
        axes.plot(present, at_least[present], color=_COLOR[role], **_LINE[role] | {"marker": ""})
    log_axis(axes, "x")
    log_axis(axes, "y", percent=True)
    # Fixed by hand, because a graph without edges leaves a logarithmic axis nothing to go by.
    nodes, most = (max(measure(counts) for counts in histograms.values()) for measure in (np.sum, len))
    axes.set(xlim=(0.9, max(10, 1.2 * most)), ylim=(0.7 / max(2, nodes), 1.3))
    axes.set(xlabel="ties of a node", ylabel="nodes with at least so many")
    _direct_labels(axes, histograms, x=0.98, align="right")
    return as_svg(figure, "degrees", "How many ties nodes have")


@in_style
def distances(histograms: Mapping[str, Numbers]) -> Markup:
    """Draw the share of connected pairs at each distance; index 0 of a histogram is distance 1."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    figure, axes = new_axes(SIZE)
    for role, counts in histograms.items():
        shares = np.asarray(counts, dtype=float) / max(1.0, float(np.sum(counts)))
        axes.plot(np.arange(1, len(shares) + 1), shares, color=_COLOR[role], **_LINE[role])
    axes.set(xlabel="steps from one node to another", ylabel="pairs that far apart")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    _direct_labels(axes, histograms, x=0.98, align="right")
    return as_svg(figure, "distances", "How far apart nodes are")


@in_style
def influence(overlaps: Mapping[str, float]) -> Markup:
    """Draw, for several sizes of the circle of most influential nodes, the share that both graphs name."""
    from matplotlib.ticker import PercentFormatter

    figure, axes = new_axes(SIZE)
    places = np.arange(len(overlaps))[::-1]
    shares = np.array(list(overlaps.values()), dtype=float)
    axes.hlines(places, 0, shares, color=RELEASED, linewidth=2)
    axes.plot(shares, places, "o", color=RELEASED, markersize=7)
    for place, share in zip(places, shares, strict=True):
        axes.annotate(
            f"{100 * share:.0f} %", (share, place), xytext=(8, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(places, [f"top {label}" for label in overlaps])
    axes.set(xlim=(0, 1.12), ylim=(-0.6, len(overlaps) - 0.4), xlabel="named by both graphs")
    axes.set_xticks(np.linspace(0, 1, 5))
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    return as_svg(figure, "influence", "Who is influential in both graphs")


@in_style
def scores(by_role: Mapping[str, Numbers]) -> Markup:
    """Draw the influence of the most influential node, the second, and so on, down to zero."""
    figure, axes = new_axes(SIZE)
    for role, values in by_role.items():
        ranked = np.sort(np.asarray(values, dtype=float))[::-1]
        shown = thinned(np.arange(len(ranked)))
        axes.plot(shown + 1, ranked[shown], color=_COLOR[role], **_LINE[role] | {"marker": ""})
    log_axis(axes, "x")
    axes.set(xlim=(0.9, max(10, 1.2 * max(map(len, by_role.values())))), ylim=(0, 1.05))
    axes.set(xlabel="rank", ylabel="influence, the largest is 1")
    _direct_labels(axes, by_role, x=0.98, align="right")
    return as_svg(figure, "scores", "How influence falls off with rank")


@in_style
def blocks(densities: Mapping[str, Numbers], sizes: Sequence[int]) -> Markup:
    """Draw the density of ties between groups of nodes, one matrix per role, on one colour scale."""
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm

    shades = colormaps["Blues"].resampled(32)  # with more, matplotlib makes the colour bar a bitmap
    present = np.concatenate([np.asarray(values)[np.asarray(values) > 0] for values in densities.values()])
    lowest, highest = (float(present.min()), float(present.max())) if len(present) else (0.1, 1.0)
    norm = LogNorm(max(lowest, highest / 1e4), highest if highest > lowest else lowest * 10)
    figure, places = panels(len(densities))
    bounds = np.concatenate(([0], np.cumsum(np.sqrt(sizes))))  # small groups stay visible
    for axes, (role, values) in zip(places, densities.items(), strict=True):
        shown = np.where(np.asarray(values) > 0, values, np.nan)
        mesh = axes.pcolormesh(bounds, bounds, shown, norm=norm, cmap=shades)
        axes.set(aspect="equal", xticks=[], yticks=[], ylim=(bounds[-1], 0))
        axes.set_xlabel(f"{role} graph" if len(densities) > 1 else "groups of the released graph")
        axes.xaxis.label.set_color(_COLOR[role])
        axes.grid(visible=False)
    bar = figure.colorbar(mesh, ax=places, shrink=0.8, label="pairs that are tied")
    bar.outline.set_visible(False)
    for shade in bar.ax.collections:
        shade.set_edgecolor("face")  # no gaps between shades
    log_axis(bar.ax, "y", percent=True)
    return as_svg(figure, "blocks", "Who is tied to whom, group by group")


@in_style
def trace(steps: Numbers, values: Numbers) -> Markup:
    """Draw how the fit of the structure changed while the chain ran."""
    from matplotlib.ticker import StrMethodFormatter

    figure, axes = new_axes(STRIP)
    chosen = np.unique(np.linspace(0, len(steps) - 1, 5 * MOST_POINTS).astype(np.int64))
    axes.plot(np.asarray(steps)[chosen], np.asarray(values)[chosen], color=ORIGINAL, linewidth=1.2)
    axes.set(xlabel="steps of the chain", ylabel="utility of the structure")
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axes.margins(x=0.01)
    return as_svg(figure, "trace", "The chain")


def _direct_labels(axes: Axes, roles: Mapping[str, object], *, x: float, align: str) -> None:
    """Write the role beside its colour, in a corner the curves leave free."""
    for place, role in enumerate(roles):
        if len(roles) > 1:
            axes.text(x, 0.97 - 0.09 * place, role, color=_COLOR[role], ha=align, va="top",
                      weight="bold", transform=axes.transAxes)  # fmt: skip
