"""How a page writes words and numbers for people."""

from __future__ import annotations

import math

__all__ = ["capital", "number"]


def capital(text: str) -> str:
    """Begin a text with a capital letter and leave the rest as it is.

    >>> capital("one DP release")
    'One DP release'
    """
    return text[0].upper() + text[1:]


def number(value: float) -> str:
    """Write a number: whole and large ones in full, others with three significant digits.

    >>> number(12345), number(0.012345), number(6.0), number(float("nan"))
    ('12,345', '0.0123', '6', 'undefined')
    """
    if math.isnan(value):
        return "undefined"
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.3g}"
