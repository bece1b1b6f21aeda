"""Draw the curves of a scale benchmark: ``python -m benchmarks.scale_curves ROWS.json PICTURE.svg``.

Seconds and peak memory against the size, both axes logarithmic, one line per step and kind; a step's exponent of time
stands in the legend.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.steps import exponent

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
DASHES = ("-", "--", ":")
SIZES = ("messages", "edges")  # rows of mail have both


def main() -> None:
    """Read the rows and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("picture", type=Path)
    options = parser.parse_args()
    rows = json.loads(options.rows.read_text(encoding="utf-8"))
    draw([row for row in rows if "seconds" in row and any(size in row for size in SIZES)], options.picture)


def draw(rows: list[dict[str, Any]], picture: Path) -> None:
    """Draw time and memory side by side."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FuncFormatter, LogLocator

    size = next(name for name in SIZES if name in rows[0])
    steps, kinds = (list(dict.fromkeys(row.get(name, "") for row in rows)) for name in ("step", "graph"))
    with mpl.rc_context({"svg.hashsalt": "entrenous", "font.family": "sans-serif"}):
        figure, (time, memory) = plt.subplots(1, 2, figsize=(11, 4), constrained_layout=True)
        for place, step in enumerate(steps):
            for kind in kinds:
                found = [row for row in rows if row["step"] == step and row.get("graph", "") == kind]
                sizes = [row[size] for row in found]
                if len(set(sizes)) < 2:
                    continue
                look = {
                    "color": COLOURS[place % len(COLOURS)],
                    "linestyle": DASHES[kinds.index(kind) % len(DASHES)],
                    "marker": "o",
                    "markersize": 3,
                }
                seconds = [row["seconds"] for row in found]
                label = f"{step} {kind}".strip() + f": {size}^{exponent(sizes, seconds):.2f}"
                time.loglog(sizes, seconds, label=label, **look)
                memory.loglog(sizes, [row["peak_mb"] for row in found], **look)
        for axes, quantity in ((time, "seconds"), (memory, "peak memory, MB")):
            axes.set_xlabel(size)
            axes.set_xticks(sorted({row[size] for row in rows}))
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.minorticks_off()
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(FuncFormatter(plain))
            axes.set_ylabel(quantity)
            axes.grid(alpha=0.3)
            axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside right upper", fontsize=8, frameon=False)
        figure.savefig(picture, metadata={"Date": None})


def plain(value: float, _place: int) -> str:
    """Write a number at an axis.

    >>> plain(300_000, 0), plain(10_000_000, 0), plain(0.1, 0)
    ('0.3 M', '10 M', '0.1')
    """
    return f"{value / 1e6:g} M" if value >= 100_000 else f"{value:,g}"


if __name__ == "__main__":
    main()
