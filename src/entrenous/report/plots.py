"""The pictures of a report, as inline SVG: the only module that imports matplotlib.

Colours are written as CSS variables, so that a picture follows the page into dark mode and onto paper; texts
stay texts, so that they can be searched, copied and read aloud. Every function takes plain numbers by role,
``{"original": ..., "released": ...}`` or ``{"released": ...}`` alone, and never sees a name; `ngrams`, which labels
what was published anyway, is the exception.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from entrenous.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "blocks",
    "buckets",
    "curves",
    "degrees",
    "dendrogram",
    "distances",
    "entropies",
    "fall_off",
    "frontier",
    "influence",
    "largest_posteriors",
    "neighbour_laws",
    "ngrams",
    "quantile_distances",
    "scores",
    "standalone",
    "top_shares",
    "trace",
    "true_and_published",
]

Numbers = NDArray[np.float64] | NDArray[np.int64]

# matplotlib wants colours, the page wants variables: these stand-ins are exchanged in the finished SVG.
_STAND_INS = {
    "#010101": "var(--ink)",
    "#010102": "var(--faint)",
    "#010103": "var(--original)",
    "#010104": "var(--released)",
}
_INK, _FAINT, _ORIGINAL, _RELEASED = _STAND_INS
_COLOR = {"original": _ORIGINAL, "released": _RELEASED}
# Methods side by side: mid-tones that stand out on light and on dark paper, each with a marker of its own.
_METHODS = (
    (_RELEASED, "o"),
    ("#1b9e9e", "s"),
    ("#d9488b", "^"),
    ("#b8860b", "D"),
    ("#9a6fb0", "v"),
    ("#7d8a97", "P"),
    ("#6b7ff0", "X"),
    ("#5b8c2a", "*"),
)
# Shape and dash tell the roles apart where colour does not.
_LINE: dict[str, dict[str, Any]] = {
    "original": {"linestyle": (0, (4, 2)), "marker": "s", "markerfacecolor": "none"},
    "released": {"linestyle": "-", "marker": "o"},
}
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "entrenous",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _FAINT,
    "axes.labelcolor": _INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": _FAINT,
    "grid.alpha": 0.35,
    "grid.linewidth": 0.5,
    "text.color": _INK,
    "xtick.color": _FAINT,
    "ytick.color": _FAINT,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "lines.linewidth": 1.6,
    "lines.markersize": 3.5,
}
_SIZE, _WIDE, _STRIP = (4.6, 3.2), (9.4, 4.4), (9.4, 2.8)
_MOST_POINTS = 200

Arguments = ParamSpec("Arguments")


def require_matplotlib() -> None:
    """Raise if pictures cannot be drawn; asked before a long job whose end they are."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("plots", "a report with pictures")


def _in_style(draw: Callable[Arguments, Markup]) -> Callable[Arguments, Markup]:
    """Draw in the style of the report, leave the user's own style alone, or say what has to be installed."""

    @wraps(draw)
    def drawn(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Markup:
        require_matplotlib()
        from matplotlib import rc_context

        with rc_context(_STYLE):
            return draw(*args, **kwargs)

    return drawn


@_in_style
def degrees(histograms: Mapping[str, Numbers]) -> Markup:
    """Draw the share of nodes with at least so many ties, on logarithmic axes."""
    figure, axes = _axes(_SIZE)
    for role, counts in histograms.items():
        at_least = np.cumsum(np.asarray(counts, dtype=float)[::-1])[::-1] / max(1.0, float(np.sum(counts)))
        ties = np.flatnonzero(counts)
        ties = _thinned(ties[ties > 0])  # a logarithmic axis has no place for 0
        axes.plot(ties, at_least[ties], color=_COLOR[role], **_LINE[role] | {"marker": ""})
    _logarithmic(axes, "x")
    _logarithmic(axes, "y", percent=True)
    # Fixed by hand, because a graph without ties leaves a logarithmic axis nothing to go by.
    nodes, most = (max(measure(counts) for counts in histograms.values()) for measure in (np.sum, len))
    axes.set(xlim=(0.9, max(10, 1.2 * most)), ylim=(0.7 / max(2, nodes), 1.3))
    axes.set(xlabel="ties of a node", ylabel="nodes with at least so many")
    _direct_labels(axes, histograms, x=0.98, align="right")
    return _svg(figure, "degrees", "How many ties nodes have")


@_in_style
def distances(histograms: Mapping[str, Numbers]) -> Markup:
    """Draw the share of connected pairs at each distance; index 0 of a histogram is distance 1."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    figure, axes = _axes(_SIZE)
    for role, counts in histograms.items():
        shares = np.asarray(counts, dtype=float) / max(1.0, float(np.sum(counts)))
        axes.plot(np.arange(1, len(shares) + 1), shares, color=_COLOR[role], **_LINE[role])
    axes.set(xlabel="steps from one node to another", ylabel="pairs that far apart")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    _direct_labels(axes, histograms, x=0.98, align="right")
    return _svg(figure, "distances", "How far apart nodes are")


@_in_style
def influence(overlaps: Mapping[str, float]) -> Markup:
    """Draw, for several sizes of the circle of most influential nodes, the share that both graphs name."""
    from matplotlib.ticker import PercentFormatter

    figure, axes = _axes(_SIZE)
    places = np.arange(len(overlaps))[::-1]
    shares = np.array(list(overlaps.values()), dtype=float)
    axes.hlines(places, 0, shares, color=_RELEASED, linewidth=2)
    axes.plot(shares, places, "o", color=_RELEASED, markersize=7)
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
    return _svg(figure, "influence", "Who is influential in both graphs")


@_in_style
def scores(by_role: Mapping[str, Numbers]) -> Markup:
    """Draw the influence of the most influential node, the second, and so on, down to zero."""
    figure, axes = _axes(_SIZE)
    for role, values in by_role.items():
        ranked = np.sort(np.asarray(values, dtype=float))[::-1]
        shown = _thinned(np.arange(len(ranked)))
        axes.plot(shown + 1, ranked[shown], color=_COLOR[role], **_LINE[role] | {"marker": ""})
    _logarithmic(axes, "x")
    axes.set(xlim=(0.9, max(10, 1.2 * max(map(len, by_role.values())))), ylim=(0, 1.05))
    axes.set(xlabel="rank", ylabel="influence, the largest is 1")
    _direct_labels(axes, by_role, x=0.98, align="right")
    return _svg(figure, "scores", "How influence falls off with rank")


@_in_style
def blocks(densities: Mapping[str, Numbers], sizes: Sequence[int]) -> Markup:
    """Draw the density of ties between groups of nodes, one matrix per role, on one colour scale."""
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm

    shades = colormaps["Blues"].resampled(32)  # with more, matplotlib makes the colour bar a bitmap
    present = np.concatenate([np.asarray(values)[np.asarray(values) > 0] for values in densities.values()])
    lowest, highest = (float(present.min()), float(present.max())) if len(present) else (0.1, 1.0)
    norm = LogNorm(max(lowest, highest / 1e4), highest if highest > lowest else lowest * 10)
    figure, panels = _panels(len(densities))
    bounds = np.concatenate(([0], np.cumsum(np.sqrt(sizes))))  # small groups stay visible
    for axes, (role, values) in zip(panels, densities.items(), strict=True):
        shown = np.where(np.asarray(values) > 0, values, np.nan)
        mesh = axes.pcolormesh(bounds, bounds, shown, norm=norm, cmap=shades)
        axes.set(aspect="equal", xticks=[], yticks=[], ylim=(bounds[-1], 0))
        axes.set_xlabel(f"{role} graph" if len(densities) > 1 else "groups of the released graph")
        axes.xaxis.label.set_color(_COLOR[role])
        axes.grid(visible=False)
    bar = figure.colorbar(mesh, ax=panels, shrink=0.8, label="pairs that are tied")
    bar.outline.set_visible(False)
    for shade in bar.ax.collections:
        shade.set_edgecolor("face")  # no gaps between shades
    _logarithmic(bar.ax, "y", percent=True)
    return _svg(figure, "blocks", "Who is tied to whom, group by group")


@_in_style
def trace(steps: Numbers, values: Numbers) -> Markup:
    """Draw how the fit of the structure changed while the chain ran."""
    from matplotlib.ticker import StrMethodFormatter

    figure, axes = _axes(_STRIP)
    chosen = np.unique(np.linspace(0, len(steps) - 1, 5 * _MOST_POINTS).astype(np.int64))
    axes.plot(np.asarray(steps)[chosen], np.asarray(values)[chosen], color=_ORIGINAL, linewidth=1.2)
    axes.set(xlabel="steps of the chain", ylabel="utility of the structure")
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axes.margins(x=0.01)
    return _svg(figure, "trace", "The chain")


@_in_style
def entropies(bits: Numbers) -> Markup:
    """Draw how many nodes have how many bits of ego entropy, the median marked."""
    figure, axes = _axes(_SIZE)
    values = np.asarray(bits, dtype=float)
    axes.hist(values, bins=40, color=_RELEASED)
    median = float(np.median(values))
    axes.axvline(median, color=_INK, linewidth=1, linestyle=(0, (4, 2)))
    axes.annotate(
        f"median {median:,.3g}", (median, 0.97), xycoords=("data", "axes fraction"), va="top",
        xytext=(5, 0), textcoords="offset points",
    )  # fmt: skip
    axes.set(xlabel="bits that a node's ties leave open", ylabel="nodes")
    axes.set_xlim(left=0)
    return _svg(figure, "entropies", "How much is open about a node's ties")


@_in_style
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
        colors.append(shades(norm(max(share, lowest))) if share > 0 else _FAINT)
        end = right[other]
        middle[one], height[one] = (middle[one] + middle[other]) / 2, top
        left[end], right[one] = one, end
    figure, axes = _axes(_WIDE)
    axes.add_collection(LineCollection(lines, colors=colors, linewidths=1.4))
    axes.set(xlim=(-1, count), ylim=(0.9, 1.3 * max(2.0, float(np.max(sizes, initial=2)))), xticks=[])
    _logarithmic(axes, "y")
    axes.set(ylabel="nodes below a joint")
    axes.grid(axis="x", visible=False)
    bar = figure.colorbar(ScalarMappable(norm, shades), ax=axes, label="pairs that are tied")
    bar.outline.set_visible(False)
    for shade in bar.ax.collections:
        shade.set_edgecolor("face")  # no gaps between shades
    _logarithmic(bar.ax, "y", percent=True)
    return _svg(figure, "dendrogram", "The hierarchy with its densities")


@_in_style
def frontier(bits: Numbers, kept: Mapping[str, Numbers], labels: Sequence[str]) -> Markup:
    """Draw what is kept, by name, against the bits that the median node's ties leave open, point by point."""
    from matplotlib.ticker import PercentFormatter

    figure, axes = _axes(_WIDE)
    markers, colors = ("o", "s", "^", "D", "v"), (_RELEASED, _ORIGINAL, _INK, _FAINT, _RELEASED)
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
    return _svg(figure, "frontier", "What is hidden and what is kept")


@_in_style
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

    figure, axes = _axes(_WIDE)
    methods = [each for each in lines if each != "original"]
    for each, (x, y) in lines.items():
        shown = _thinned(np.arange(len(x)))
        place = methods.index(each) if each in methods else -1
        style: dict[str, Any] = {"color": _ORIGINAL, "linestyle": (0, (4, 2)), "linewidth": 2.2, "zorder": 9}
        if place >= 0:
            color, marker = _METHODS[place % len(_METHODS)]
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
        _logarithmic(axes, axis, percent=percent and axis == "y")
    if ticks:
        axes.set_xticks(range(len(ticks)), ticks)
    axes.set(xlabel=labels[0], ylabel=labels[1])
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return _svg(figure, name, title)


@_in_style
def neighbour_laws(absent: tuple[Numbers, Numbers], present: tuple[Numbers, Numbers], unit: str) -> Markup:
    """Draw how often more than so many neighbours carry an n-gram, for each bit of the edge: values and shares."""
    figure, axes = _axes(_SIZE)
    for place, (label, role, (values, shares)) in enumerate(
        (("the edge has it", "original", present), ("it has not", "released", absent))
    ):
        above = np.append(np.cumsum(np.asarray(shares)[::-1])[::-1], 0.0)
        chosen = _thinned(np.arange(len(values)))
        axes.step(
            np.append(0, np.asarray(values)[chosen]), np.append(1.0, above[chosen + 1]), where="post",
            color=_COLOR[role], linestyle=_LINE[role]["linestyle"],
        )  # fmt: skip
        axes.text(
            0.03, 0.14 - 0.09 * place, label, color=_COLOR[role], weight="bold", transform=axes.transAxes
        )
    _logarithmic(axes, "y", percent=True)
    axes.set(xlabel=f"{unit} that carry the n-gram", ylabel="cases with more than so many")
    return _svg(figure, "neighbour-laws", "What neighbours carry, given the edge")


@_in_style
def quantile_distances(shares: Numbers, distances: Numbers, unit: str) -> Markup:
    """Draw how far apart the two laws are at every quantile; the largest distance, marked, is their W."""
    figure, axes = _axes(_SIZE)
    above = np.cumsum(np.asarray(shares)[::-1])[::-1]
    # One point for each of many slices of the tail, its largest distance: nothing that decides is thinned out.
    slices = np.floor(20 * -np.log10(np.maximum(above, 1e-300))).astype(np.int64)
    starts = np.flatnonzero(np.diff(slices, prepend=-1))
    widest = np.maximum.reduceat(np.asarray(distances, dtype=float), starts)
    axes.step(above[starts], widest, where="post", color=_RELEASED)
    top = int(np.argmax(widest))
    axes.plot(above[starts][top], widest[top], "o", color=_INK, markersize=5)
    axes.annotate(f"W = {widest[top]:,.4g}", (above[starts][top], widest[top]), xytext=(-6, 4),
                  textcoords="offset points", ha="right" if top > len(starts) / 2 else "left")  # fmt: skip
    _logarithmic(axes, "x", percent=True)
    axes.invert_xaxis()
    axes.set(xlabel="cases above the quantile", ylabel=f"distance in {unit}")
    axes.set_ylim(0, 1.15 * max(float(widest[top]), 1e-9))
    return _svg(figure, "quantile-distances", "How far apart the two laws are")


@_in_style
def buckets(rows: Sequence[tuple[int, int, float, float]]) -> Markup:
    """Draw the table of buckets: size bucket, frequency bucket, W as a share, and W in edges, which is written out."""
    from matplotlib import colormaps

    figure, axes = _axes(_SIZE)
    sizes, frequencies = (sorted({row[place] for row in rows}) for place in (0, 1))
    shares = np.full((len(sizes), len(frequencies)), np.nan)
    for size, frequency, share, w in rows:
        at = sizes.index(size), frequencies.index(frequency)
        shares[at] = share
        axes.text(at[1], at[0], f"{100 * share:.0f} %\n{w:,.0f}", ha="center", va="center", fontsize=9,
                  color="black")  # fmt: skip
    edges = [np.arange(len(keys) + 1) - 0.5 for keys in (frequencies, sizes)]
    axes.pcolormesh(*edges, shares, vmin=0, vmax=1.5, cmap=colormaps["Blues"].resampled(32))
    for set_ticks, keys in ((axes.set_xticks, frequencies), (axes.set_yticks, sizes)):
        set_ticks(range(len(keys)), [f"{10**key:,} to {10 ** (key + 1) - 1:,}" for key in keys])
    axes.set(xlabel="edges that carry the n-gram", ylabel="neighbours of the edge")
    axes.grid(visible=False)
    axes.tick_params(axis="x", labelrotation=20)
    return _svg(figure, "buckets", "W for each size of a neighbourhood and each frequency of an n-gram")


@_in_style
def ngrams(labels: Sequence[str], values: Numbers, intervals: Numbers, *, name: str, unit: str) -> Markup:
    """Draw published n-grams, the first on top, each with its value and the interval that covers the truth."""
    figure, axes = _axes((_SIZE[0], 0.9 + 0.24 * max(len(labels), 4)))
    places = np.arange(len(labels))[::-1]
    low, high = np.asarray(intervals, dtype=float).reshape(-1, 2).T
    axes.hlines(places, low, high, color=_RELEASED, linewidth=5, alpha=0.35)
    axes.plot(values, places, "o", color=_RELEASED, markersize=5)
    axes.set_yticks(places, [label if len(label) <= 28 else f"{label[:27]}…" for label in labels])
    for label in axes.get_yticklabels():
        label.set_parse_math(False)  # a dollar sign is one
    axes.set(xlabel=unit, ylim=(-0.7, max(len(labels), 1) - 0.3))
    axes.set_xlim(left=0)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    return _svg(figure, name, f"Published n-grams by {unit}")


@_in_style
def fall_off(values: Numbers, line: float, label: str, unit: str) -> Markup:
    """Draw positive values by rank, on logarithmic axes, with a horizontal line that has a label."""
    figure, axes = _axes(_SIZE)
    ranked = np.sort(np.asarray(values, dtype=float))[::-1]
    ranked = ranked[ranked > 0]  # a logarithmic axis has no place for others
    shown = _thinned(np.arange(len(ranked)))
    axes.plot(shown + 1, ranked[shown], color=_RELEASED)
    axes.axhline(line, color=_INK, linewidth=1, linestyle=(0, (4, 2)))
    axes.annotate(label, (0.02, line), xycoords=("axes fraction", "data"), va="bottom",
                  xytext=(0, 3), textcoords="offset points")  # fmt: skip
    _logarithmic(axes, "x")
    _logarithmic(axes, "y")
    bounds = np.append(ranked[[0, -1]] if len(ranked) else [1.0], line)
    axes.set(xlim=(0.9, max(10, 1.2 * len(ranked))), ylim=(bounds.min() / 1.5, 2 * bounds.max()))
    axes.set(xlabel="rank", ylabel=unit)
    return _svg(figure, "fall-off", "How frequent n-grams are, by rank")


@_in_style
def largest_posteriors(epsilons: Mapping[str, float]) -> Markup:
    """Draw how sure an attacker can become of a secret fact, at most, who thought it so likely before."""
    from matplotlib.ticker import PercentFormatter

    figure, axes = _axes(_SIZE)
    before = np.linspace(0, 1, 201)
    styles = ((_RELEASED, "-", 2.0), (_ORIGINAL, (0, (4, 2)), 1.6), (_INK, (0, (1, 1.5)), 1.6))
    for (label, epsilon), (color, dash, width) in zip(epsilons.items(), styles, strict=False):
        after = before / (before + (1 - before) * np.exp(-epsilon))
        axes.plot(before, after, color=color, linestyle=dash, linewidth=width, label=label)
    axes.plot([0, 1], [0, 1], color=_FAINT, linewidth=1)
    for ruler in (axes.xaxis, axes.yaxis):
        ruler.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
        ruler.set_ticks(np.linspace(0, 1, 5))
    axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="thought likely before", ylabel="after, at most")
    axes.legend(frameon=False, loc="lower right")
    return _svg(figure, "largest-posteriors", "How sure anybody can become")


@_in_style
def true_and_published(
    true: Numbers, published: Numbers, width: float | None, labels: tuple[str, str]
) -> Markup:
    """Draw published values against true counts; with a width, also where they agree and how far noise reaches."""
    figure, axes = _axes(_SIZE)
    by_size = np.argsort(-np.asarray(true), kind="stable")
    chosen = by_size[_thinned(np.arange(len(by_size)))]
    x, y = np.asarray(true, dtype=float)[chosen], np.asarray(published, dtype=float)[chosen]
    if width is not None:
        line = np.linspace(0, max(float(x.max(initial=1.0)), 1.0), 200)
        axes.fill_between(line, line - width, line + width, color=_FAINT, alpha=0.3, linewidth=0)
        axes.plot(line, line, color=_FAINT, linewidth=1)
        axes.set_yscale("symlog", linthresh=max(2 * width, 10.0))
    axes.plot(x, y, "o", color=_ORIGINAL, markersize=4, alpha=0.7, markeredgewidth=0)
    axes.set_xscale("symlog", linthresh=max(2 * (width or 0.0), 10.0))  # both alike: agreement is straight
    axes.set_xlim(left=-0.5)
    axes.set(xlabel=labels[0], ylabel=labels[1])
    _plain_numbers(axes)
    return _svg(figure, "true-and-published", "True counts and what was published")


@_in_style
def top_shares(sizes: Sequence[int], shares: Sequence[float]) -> Markup:
    """Draw, for the 10, 30, 100, ... most frequent n-grams, the share that the release names."""
    from matplotlib.ticker import PercentFormatter

    figure, axes = _axes(_SIZE)
    axes.plot(sizes, shares, "o-", color=_ORIGINAL, markersize=5)
    _logarithmic(axes, "x")
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.set_yticks(np.linspace(0, 1, 5))
    axes.set(xlim=(0.8 * min([10, *sizes]), 1.3 * max([10, *sizes])), ylim=(0, 1.05))
    axes.set(xlabel="so many most frequent n-grams", ylabel="of them in the release")
    return _svg(figure, "top-shares", "How many of the most frequent n-grams the release names")


def _plain_numbers(axes: Axes) -> None:
    """Write ticks as plain numbers, few of them."""
    from matplotlib.ticker import FuncFormatter, NullLocator

    for ruler in (axes.xaxis, axes.yaxis):
        ruler.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
        ruler.set_minor_locator(NullLocator())


def standalone(picture: Markup) -> str:
    """Return a picture as a file of its own, with the colours a page would give it."""
    style = "--ink: #22262b; --faint: #a9adb2; --original: #b34700; --released: #0067a3; background: #fdfcfa"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" style="{style}; font-family: sans-serif"'
    return str(picture).replace("<svg", head, 1) + "\n"


def _axes(size: tuple[float, float]) -> tuple[Figure, Axes]:
    figure = _figure(size)
    return figure, figure.add_subplot()


def _panels(count: int) -> tuple[Figure, list[Axes]]:
    figure = _figure(_WIDE if count > 1 else _SIZE)
    return figure, [figure.add_subplot(1, count, place + 1) for place in range(count)]


def _figure(size: tuple[float, float]) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def _logarithmic(axes: Axes, axis: str, *, percent: bool = False) -> None:
    """Make an axis logarithmic, with plain numbers (100, 0.1 %) for labels."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    axes.set(**{f"{axis}scale": "log"})
    ruler = axes.xaxis if axis == "x" else axes.yaxis
    ruler.set_major_locator(LogLocator(numticks=7))
    ruler.set_minor_locator(NullLocator())
    ruler.set_minor_formatter(NullFormatter())
    ruler.set_major_formatter(FuncFormatter(lambda x, _: f"{100 * x:g} %" if percent else f"{x:,g}"))


def _direct_labels(axes: Axes, roles: Mapping[str, object], *, x: float, align: str) -> None:
    """Write the role beside its colour, in a corner the curves leave free."""
    for place, role in enumerate(roles):
        if len(roles) > 1:
            axes.text(x, 0.97 - 0.09 * place, role, color=_COLOR[role], ha=align, va="top",
                      weight="bold", transform=axes.transAxes)  # fmt: skip


def _thinned(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keep at most so many values, denser where they are small: what a logarithmic axis can show."""
    if len(values) <= _MOST_POINTS:
        return values
    chosen = np.unique(np.geomspace(1, len(values), _MOST_POINTS).astype(np.int64)) - 1
    return values[chosen]


def _svg(figure: Figure, name: str, title: str) -> Markup:
    """Return a figure as an SVG element that can stand in a page: no prolog, no address, no repeated id."""
    target = io.StringIO()
    figure.savefig(target, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = target.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", text, flags=re.DOTALL)
    view = re.search(r'viewBox="[^"]*"', text)
    assert view is not None, "matplotlib always writes a viewBox"
    used = set(re.findall(r"#([\w.]+)[\")]", text))
    text = re.sub(
        r' id="([^"]+)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", text
    )
    text = re.sub(r'xlink:href="#', f'href="#{name}-', text)
    text = text.replace("url(#", f"url(#{name}-")
    text = re.sub(r"font-family: [^;\"]*", "font-family: inherit", text)
    for stand_in, variable in _STAND_INS.items():
        text = text.replace(stand_in, variable)
    body = text[text.index(">") + 1 :]
    head = f'<svg class="plot" role="img" {view[0]} aria-labelledby="{name}-title">'
    return Markup(f'{head}<title id="{name}-title">{escape(title)}</title>{body}')  # noqa: S704 - built above
