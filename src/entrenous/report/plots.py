"""The pictures of graphs, as inline SVG, in the style of `base_plots`.

Every function takes plain numbers by role, ``{"original": ..., "released": ...}`` or ``{"released": ...}`` alone, and
never sees a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from entrenous.report.base_plots import (
    FAINT,
    INK,
    METHODS,
    MOST_POINTS,
    ORIGINAL,
    RELEASED,
    SIZE,
    STRIP,
    WIDE,
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
    "curves",
    "degrees",
    "dendrogram",
    "distances",
    "entropies",
    "frontier",
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
        ties = np.flatnonzero(counts)
        ties = thinned(ties[ties > 0])  # a logarithmic axis has no place for 0
        axes.plot(ties, at_least[ties], color=_COLOR[role], **_LINE[role] | {"marker": ""})
    log_axis(axes, "x")
    log_axis(axes, "y", percent=True)
    # Fixed by hand, because a graph without ties leaves a logarithmic axis nothing to go by.
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


@in_style
def entropies(bits: Numbers) -> Markup:
    """Draw how many nodes have how many bits of ego entropy, the median marked."""
    figure, axes = new_axes(SIZE)
    values = np.asarray(bits, dtype=float)
    axes.hist(values, bins=40, color=RELEASED)
    median = float(np.median(values))
    axes.axvline(median, color=INK, linewidth=1, linestyle=(0, (4, 2)))
    axes.annotate(
        f"median {median:,.3g}", (median, 0.97), xycoords=("data", "axes fraction"), va="top",
        xytext=(5, 0), textcoords="offset points",
    )  # fmt: skip
    axes.set(xlabel="bits that a node's ties leave open", ylabel="nodes")
    axes.set_xlim(left=0)
    return as_svg(figure, "entropies", "How much is open about a node's ties")


@in_style
def dendrogram(order: Sequence[int], sizes: Numbers, densities: Numbers) -> Markup:
    """Draw a dendrogram whose gaps between neighbouring leaves join in a given order.

    Parameters
    ----------
    order
        The gaps in the order in which they are joined, from the lowest.
    sizes, densities
        For each gap, how many nodes are below the joint, and which share of the pairs that meet there is tied.
    """
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import LineCollection
    from matplotlib.colors import ListedColormap, LogNorm

    count = len(order) + 1
    # The middle of the scale alone: its ends would vanish on white paper, or in dark mode.
    shades = ListedColormap(colormaps["viridis"](np.linspace(0.85, 0.25, 32)))
    present = np.asarray(densities)[np.asarray(densities) > 0]
    lowest = max(float(present.min(initial=1.0)), 1e-5)
    norm = LogNorm(lowest if lowest < 1 else 0.1, 1.0)
    middle, height = np.arange(count, dtype=float), np.ones(count)  # of the branch that holds each leaf
    left, right = np.arange(count), np.arange(count)  # ends of the branches, kept at their ends
    lines, colors = [], []
    for gap in order:
        one, other = left[gap], gap + 1
        top = float(sizes[gap])
        corners = [(middle[side], level) for side, level in ((one, height[one]), (one, top))]
        corners += [(middle[side], level) for side, level in ((other, top), (other, height[other]))]
        lines.append(corners)
        share = float(densities[gap])
        colors.append(shades(norm(max(share, lowest))) if share > 0 else FAINT)
        end = right[other]
        middle[one], height[one] = (middle[one] + middle[other]) / 2, top
        left[end], right[one] = one, end
    figure, axes = new_axes(WIDE)
    axes.add_collection(LineCollection(lines, colors=colors, linewidths=1.4))
    axes.set(xlim=(-1, count), ylim=(0.9, 1.3 * max(2.0, float(np.max(sizes, initial=2)))), xticks=[])
    log_axis(axes, "y")
    axes.set(ylabel="nodes below a joint")
    axes.grid(axis="x", visible=False)
    bar = figure.colorbar(ScalarMappable(norm, shades), ax=axes, label="pairs that are tied")
    bar.outline.set_visible(False)
    for shade in bar.ax.collections:
        shade.set_edgecolor("face")  # no gaps between shades
    log_axis(bar.ax, "y", percent=True)
    return as_svg(figure, "dendrogram", "The hierarchy with its densities")


@in_style
def frontier(bits: Numbers, kept: Mapping[str, Numbers], labels: Sequence[str]) -> Markup:
    """Draw what is kept, by name, against the bits that the median node's ties leave open, point by point."""
    from matplotlib.ticker import PercentFormatter

    figure, axes = new_axes(WIDE)
    markers, colors = ("o", "s", "^", "D", "v"), (RELEASED, ORIGINAL, INK, FAINT, RELEASED)
    for (name, shares), marker, color in zip(kept.items(), markers, colors, strict=False):
        axes.plot(bits, shares, marker=marker, markersize=5, color=color, label=name)
    labelled: list[float] = []
    for bit, label in zip(bits.tolist(), labels, strict=True):
        if all(abs(bit - other) > 0.05 * float(np.ptp(bits)) for other in labelled):  # no overlap
            axes.annotate(label, (bit, 1.04), ha="center", va="bottom", fontsize=8)
            labelled.append(bit)
    axes.set(xlabel="bits that the median node's ties leave open", ylabel="kept", ylim=(-0.02, 1.12))
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.set_yticks(np.linspace(0, 1, 5))
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return as_svg(figure, "frontier", "What is hidden and what is kept")


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


def _direct_labels(axes: Axes, roles: Mapping[str, object], *, x: float, align: str) -> None:
    """Write the role beside its colour, in a corner the curves leave free."""
    for place, role in enumerate(roles):
        if len(roles) > 1:
            axes.text(x, 0.97 - 0.09 * place, role, color=_COLOR[role], ha=align, va="top",
                      weight="bold", transform=axes.transAxes)  # fmt: skip
