"""A picture of budgets: what was spent of each, release by release, and what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from entrenous.page.pictures.style import FAINT, INK, PAPER, RELEASED, as_svg, in_style, new_axes

__all__ = ["spent_and_left"]

_ROW = 0.75  # inches of height for each budget
_LEGIBLE = 0.04  # of the widest bar: a narrower segment gets no number


@in_style
def spent_and_left(budgets: Mapping[str, tuple[Sequence[tuple[str, float]], float, bool]]) -> Markup:
    """Draw a bar for each budget.

    Parameters
    ----------
    budgets
        For each unit its releases with what each cost, the ceiling, and whether the unit is no longer hidden.
    """
    figure, axes = new_axes((9.4, 1.0 + _ROW * len(budgets)))
    widest = max(
        (max(most, sum(cost for _, cost in parts)) for parts, most, _ in budgets.values()), default=1
    )
    for place, (parts, most, gone) in enumerate(budgets.values()):
        axes.barh(place, most, 0.5, color=FAINT, alpha=0.35, edgecolor=FAINT)
        start = 0.0
        for label, cost in parts:
            axes.barh(
                place,
                cost,
                0.5,
                left=start,
                color=FAINT if gone else RELEASED,
                edgecolor=PAPER,
                linewidth=1.5,
            )
            if cost > _LEGIBLE * widest:
                axes.text(start + cost / 2, place, label, ha="center", va="center", color=PAPER)
            start += cost
        left = "no longer hidden" if gone else f"{max(most - start, 0):.4g} of {most:g} left"
        axes.text(max(most, start) + 0.01 * widest, place, left, va="center", color=INK)
    axes.set(xlabel="epsilon", xlim=(0, 1.3 * widest), yticks=range(len(budgets)), yticklabels=[*budgets])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    return as_svg(figure, "budgets", "Spent and left of each budget")
