"""Pictures of n-grams, their counts and what neighbours carry. Plain numbers in, inline SVG out.

They see numbers alone, but for `ngrams`, which labels what was published anyway.
"""

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
    Numbers,
    as_svg,
    in_style,
    log_axis,
    new_axes,
    plain_numbers,
    thinned,
)

__all__ = [
    "buckets",
    "fall_off",
    "largest_posteriors",
    "neighbour_distributions",
    "ngrams",
    "quantile_distances",
    "top_shares",
    "true_and_published",
]


@in_style
def neighbour_distributions(
    absent: tuple[Numbers, Numbers], present: tuple[Numbers, Numbers], unit: str
) -> Markup:
    """Draw how often more than so many neighbours carry an n-gram, for each bit of the edge: values and shares."""
    figure, axes = new_axes(SIZE)
    for place, (label, color, dash, (values, shares)) in enumerate(
        (("the edge has it", ORIGINAL, (0, (4, 2)), present), ("it has not", RELEASED, "-", absent))
    ):
        above = np.append(np.cumsum(np.asarray(shares)[::-1])[::-1], 0.0)
        chosen = thinned(np.arange(len(values)))
        axes.step(
            np.append(0, np.asarray(values)[chosen]), np.append(1.0, above[chosen + 1]), where="post",
            color=color, linestyle=dash,
        )  # fmt: skip
        axes.text(0.03, 0.14 - 0.09 * place, label, color=color, weight="bold", transform=axes.transAxes)
    log_axis(axes, "y", percent=True)
    axes.set(xlabel=f"{unit} that carry the n-gram", ylabel="cases with more than so many")
    return as_svg(figure, "neighbour-distributions", "What neighbours carry, given the edge")


@in_style
def quantile_distances(shares: Numbers, distances: Numbers, unit: str) -> Markup:
    """Draw how far apart the two distributions are at every quantile; the largest distance, marked, is their W."""
    figure, axes = new_axes(SIZE)
    above = np.cumsum(np.asarray(shares)[::-1])[::-1]
    # One point for each of many slices of the tail, its largest distance: nothing that decides is thinned out.
    slices = np.floor(20 * -np.log10(np.maximum(above, 1e-300))).astype(np.int64)
    starts = np.flatnonzero(np.diff(slices, prepend=-1))
    widest = np.maximum.reduceat(np.asarray(distances, dtype=float), starts)
    axes.step(above[starts], widest, where="post", color=RELEASED)
    top = int(np.argmax(widest))
    axes.plot(above[starts][top], widest[top], "o", color=INK, markersize=5)
    axes.annotate(f"W = {widest[top]:,.4g}", (above[starts][top], widest[top]), xytext=(-6, 4),
                  textcoords="offset points", ha="right" if top > len(starts) / 2 else "left")  # fmt: skip
    log_axis(axes, "x", percent=True)
    axes.invert_xaxis()
    axes.set(xlabel="cases above the quantile", ylabel=f"distance in {unit}")
    axes.set_ylim(0, 1.15 * max(float(widest[top]), 1e-9))
    return as_svg(figure, "quantile-distances", "How far apart the two distributions are")


@in_style
def buckets(rows: Sequence[tuple[int, int, float, float]]) -> Markup:
    """Draw the table of buckets: size bucket, frequency bucket, W as a share, and W in edges, which is written out."""
    from matplotlib import colormaps

    figure, axes = new_axes(SIZE)
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
    return as_svg(figure, "buckets", "W for each size of a neighbourhood and each frequency of an n-gram")


@in_style
def ngrams(labels: Sequence[str], values: Numbers, intervals: Numbers, *, name: str, unit: str) -> Markup:
    """Draw published n-grams, the first on top, each with its value and the interval that covers the truth."""
    figure, axes = new_axes((SIZE[0], 0.9 + 0.24 * max(len(labels), 4)))
    places = np.arange(len(labels))[::-1]
    low, high = np.asarray(intervals, dtype=float).reshape(-1, 2).T
    axes.hlines(places, low, high, color=RELEASED, linewidth=5, alpha=0.35)
    axes.plot(values, places, "o", color=RELEASED, markersize=5)
    axes.set_yticks(places, [label if len(label) <= 28 else f"{label[:27]}…" for label in labels])
    for label in axes.get_yticklabels():
        label.set_parse_math(False)  # a dollar sign is one
    axes.set(xlabel=unit, ylim=(-0.7, max(len(labels), 1) - 0.3))
    axes.set_xlim(left=0)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    return as_svg(figure, name, f"Published n-grams by {unit}")


@in_style
def fall_off(values: Numbers, line: float, label: str, unit: str) -> Markup:
    """Draw positive values by rank, on logarithmic axes, with a horizontal line that has a label."""
    figure, axes = new_axes(SIZE)
    ranked = np.sort(np.asarray(values, dtype=float))[::-1]
    ranked = ranked[ranked > 0]  # a logarithmic axis has no place for others
    shown = thinned(np.arange(len(ranked)))
    axes.plot(shown + 1, ranked[shown], color=RELEASED)
    axes.axhline(line, color=INK, linewidth=1, linestyle=(0, (4, 2)))
    axes.annotate(label, (0.02, line), xycoords=("axes fraction", "data"), va="bottom",
                  xytext=(0, 3), textcoords="offset points")  # fmt: skip
    log_axis(axes, "x")
    log_axis(axes, "y")
    bounds = np.append(ranked[[0, -1]] if len(ranked) else [1.0], line)
    axes.set(xlim=(0.9, max(10, 1.2 * len(ranked))), ylim=(bounds.min() / 1.5, 2 * bounds.max()))
    axes.set(xlabel="rank", ylabel=unit)
    return as_svg(figure, "fall-off", "How frequent n-grams are, by rank")


@in_style
def largest_posteriors(epsilons: Mapping[str, float]) -> Markup:
    """Draw how sure an attacker can become of a change that is protected, at most, who thought it so likely before."""
    from matplotlib.ticker import PercentFormatter

    figure, axes = new_axes(SIZE)
    before = np.linspace(0, 1, 201)
    styles = ((RELEASED, "-", 2.0), (ORIGINAL, (0, (4, 2)), 1.6), (INK, (0, (1, 1.5)), 1.6))
    for (label, epsilon), (color, dash, width) in zip(epsilons.items(), styles, strict=False):
        after = before / (before + (1 - before) * np.exp(-epsilon))
        axes.plot(before, after, color=color, linestyle=dash, linewidth=width, label=label)
    axes.plot([0, 1], [0, 1], color=FAINT, linewidth=1)
    for ruler in (axes.xaxis, axes.yaxis):
        ruler.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
        ruler.set_ticks(np.linspace(0, 1, 5))
    axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="thought likely before", ylabel="after, at most")
    axes.legend(frameon=False, loc="lower right")
    return as_svg(figure, "largest-posteriors", "How sure anybody can become")


@in_style
def true_and_published(
    true: Numbers, published: Numbers, width: float | None, labels: tuple[str, str]
) -> Markup:
    """Draw published values against true counts; with a width, also where they agree and how far noise reaches."""
    figure, axes = new_axes(SIZE)
    by_size = np.argsort(-np.asarray(true), kind="stable")
    chosen = by_size[thinned(np.arange(len(by_size)))]
    x, y = np.asarray(true, dtype=float)[chosen], np.asarray(published, dtype=float)[chosen]
    if width is not None:
        line = np.linspace(0, max(float(x.max(initial=1.0)), 1.0), 200)
        axes.fill_between(line, line - width, line + width, color=FAINT, alpha=0.3, linewidth=0)
        axes.plot(line, line, color=FAINT, linewidth=1)
        axes.set_yscale("symlog", linthresh=max(2 * width, 10.0))
    axes.plot(x, y, "o", color=ORIGINAL, markersize=4, alpha=0.7, markeredgewidth=0)
    axes.set_xscale("symlog", linthresh=max(2 * (width or 0.0), 10.0))  # both alike: agreement is straight
    axes.set_xlim(left=-0.5)
    axes.set(xlabel=labels[0], ylabel=labels[1])
    plain_numbers(axes)
    return as_svg(figure, "true-and-published", "True counts and what was published")


@in_style
def top_shares(sizes: Sequence[int], shares: Sequence[float]) -> Markup:
    """Draw, for the 10, 30, 100, ... most frequent n-grams, the share that the release names."""
    from matplotlib.ticker import PercentFormatter

    figure, axes = new_axes(SIZE)
    axes.plot(sizes, shares, "o-", color=ORIGINAL, markersize=5)
    log_axis(axes, "x")
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.set_yticks(np.linspace(0, 1, 5))
    axes.set(xlim=(0.8 * min([10, *sizes]), 1.3 * max([10, *sizes])), ylim=(0, 1.05))
    axes.set(xlabel="most frequent n-grams of the mail", ylabel="share of them in the release")
    return as_svg(figure, "top-shares", "How many of the most frequent n-grams the release names")
