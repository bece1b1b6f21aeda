"""Pictures of a hierarchy of nodes and of what blurring ties along it hides. Plain numbers in, inline SVG out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup

from entrenous.page.pictures.style import (
    FAINT,
    INK,
    ORIGINAL,
    RELEASED,
    SIZE,
    WIDE,
    Numbers,
    as_svg,
    in_style,
    log_axis,
    new_axes,
)

__all__ = ["dendrogram", "entropies", "frontier"]


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
