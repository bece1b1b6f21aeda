"""What every picture of a page is made with: its style, its colours, and how it becomes inline SVG.

Colours are written as CSS variables, so that a picture follows the page into dark mode and onto paper; texts
stay texts, so that they can be searched, copied and read aloud.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
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
    "FAINT",
    "INK",
    "METHODS",
    "MOST_POINTS",
    "ORIGINAL",
    "PAPER",
    "RELEASED",
    "SIZE",
    "STRIP",
    "WIDE",
    "Numbers",
    "as_svg",
    "in_style",
    "log_axis",
    "new_axes",
    "new_figure",
    "panels",
    "plain_numbers",
    "require_matplotlib",
    "standalone",
    "thinned",
]

Numbers = NDArray[np.float64] | NDArray[np.int64]

# matplotlib wants colours, the page wants variables: these stand-ins are exchanged in the finished SVG.
STAND_INS = {
    "#010101": "var(--ink)",
    "#010102": "var(--faint)",
    "#010103": "var(--original)",
    "#010104": "var(--released)",
    "#010105": "var(--paper)",
}
INK, FAINT, ORIGINAL, RELEASED, PAPER = STAND_INS
# Methods side by side: mid-tones that stand out on light and on dark paper, each with a marker of its own.
METHODS = (
    (RELEASED, "o"),
    ("#1b9e9e", "s"),
    ("#d9488b", "^"),
    ("#b8860b", "D"),
    ("#9a6fb0", "v"),
    ("#7d8a97", "P"),
    ("#6b7ff0", "X"),
    ("#5b8c2a", "*"),
)
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "entrenous",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.alpha": 0.35,
    "grid.linewidth": 0.5,
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.6,
    "lines.markersize": 3.5,
}
SIZE, WIDE, STRIP = (4.6, 3.2), (9.4, 4.4), (9.4, 2.8)
MOST_POINTS = 200

Arguments = ParamSpec("Arguments")


def require_matplotlib() -> None:
    """Raise if pictures cannot be drawn; asked before a long job whose end they are."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("plots", "a report with pictures")


def in_style(draw: Callable[Arguments, Markup]) -> Callable[Arguments, Markup]:
    """Draw in the style of the report, leave the user's own style alone, or say what has to be installed."""

    @wraps(draw)
    def drawn(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Markup:
        require_matplotlib()
        from matplotlib import rc_context

        with rc_context(STYLE):
            return draw(*args, **kwargs)

    return drawn


def new_axes(size: tuple[float, float]) -> tuple[Figure, Axes]:
    """Return a figure with one pair of axes."""
    figure = new_figure(size)
    return figure, figure.add_subplot()


def panels(count: int) -> tuple[Figure, list[Axes]]:
    """Return a figure with so many pairs of axes side by side."""
    figure = new_figure(WIDE if count > 1 else SIZE)
    return figure, [figure.add_subplot(1, count, place + 1) for place in range(count)]


def new_figure(size: tuple[float, float]) -> Figure:
    """Return an empty figure; it belongs to no window."""
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def log_axis(axes: Axes, axis: str, *, percent: bool = False) -> None:
    """Make an axis logarithmic, with plain numbers (100, 0.1 %) for labels."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    axes.set(**{f"{axis}scale": "log"})
    ruler = axes.xaxis if axis == "x" else axes.yaxis
    ruler.set_major_locator(LogLocator(numticks=7))
    ruler.set_minor_locator(NullLocator())
    ruler.set_minor_formatter(NullFormatter())
    ruler.set_major_formatter(FuncFormatter(lambda x, _: f"{100 * x:g} %" if percent else f"{x:,g}"))


def plain_numbers(axes: Axes) -> None:
    """Write ticks as plain numbers, few of them."""
    from matplotlib.ticker import FuncFormatter, NullLocator

    for ruler in (axes.xaxis, axes.yaxis):
        ruler.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
        ruler.set_minor_locator(NullLocator())


def standalone(picture: Markup) -> str:
    """Return a picture as a file of its own, with the colours a page would give it."""
    colours = "--ink: #22262b; --faint: #a9adb2; --original: #b34700; --released: #0067a3; --paper: #fdfcfa"
    style = f"{colours}; background: var(--paper)"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" style="{style}; font-family: sans-serif"'
    return str(picture).replace("<svg", head, 1) + "\n"


def thinned(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keep at most so many values, denser where they are small: what a logarithmic axis can show."""
    if len(values) <= MOST_POINTS:
        return values
    chosen = np.unique(np.geomspace(1, len(values), MOST_POINTS).astype(np.int64)) - 1
    return values[chosen]


def as_svg(figure: Figure, name: str, title: str) -> Markup:
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
    for stand_in, variable in STAND_INS.items():
        text = text.replace(stand_in, variable)
    body = text[text.index(">") + 1 :]
    head = f'<svg class="plot" role="img" {view[0]} aria-labelledby="{name}-title">'
    return Markup(f'{head}<title id="{name}-title">{escape(title)}</title>{body}')  # noqa: S704 - built above
