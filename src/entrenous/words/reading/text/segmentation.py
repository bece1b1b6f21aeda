"""Words of scripts that are written without blanks: Chinese, Japanese, Thai, Lao, Khmer and Burmese, as ICU finds them.

ICU looks words up in its dictionaries. It goes by the script alone, so that no language has to be known. It is the
extra `segmentation`, asked for where such a text is met: to keep it as one giant word, or to drop it, would both be
wrong.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from entrenous.errors import MissingExtraError

__all__ = ["EXTRA", "UNSPACED", "needs_extra", "segmented", "spaced"]

EXTRA = "segmentation"
#: Letters and digits of these scripts, as ranges of a character class; ICU has no dictionary for any other script.
UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59"  # Thai
    "\u0e81-\u0edf"  # Lao
    "\u1000-\u1049\u1050-\u109d\ua9e0-\ua9fe\uaa60-\uaa76\uaa7a-\uaa7f"  # Burmese
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u17e0-\u17e9"  # Khmer
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U000323af"  # Han, kana
)
_REMEMBERED = 1 << 16


def needs_extra() -> MissingExtraError:
    """Return the error that names the extra; it says which scripts are meant, and nothing of the text."""
    return MissingExtraError(EXTRA, "text in Chinese, Japanese, Thai, Lao, Khmer or Burmese letters")


def segmented(run: str) -> list[str]:
    """Return the words of letters in a row of these scripts.

    A word that would be taken apart if it stood alone is taken apart, so that words found once are found again: a
    published vocabulary can be counted.

    >>> segmented("第三季度的预算")
    ['第三', '季度', '的', '预算']
    """
    pieces = _once(run)
    return pieces if len(pieces) == 1 else [word for piece in pieces for word in _alone(piece)]


@lru_cache(_REMEMBERED)
def _alone(word: str) -> tuple[str, ...]:
    return tuple(segmented(word))


def _once(run: str) -> list[str]:
    """Return what ICU makes of a run; a mark that it cuts off goes back to its letter."""
    pieces: list[str] = []
    for piece in _breaker()(run, "und"):
        if pieces and not piece[0].isalnum():
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return pieces


@cache
def _breaker() -> Any:
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        raise needs_extra() from None
    return WordBreaker


@cache
def _runs(marks: str) -> re.Pattern[str]:
    return re.compile(f"(?=[{UNSPACED}])[^\\W_](?:(?=[{UNSPACED}{marks}])(?:[^\\W_]|[{marks}]))*")


def spaced(text: str, marks: str) -> str:
    """Return a text with blanks around the words of these scripts.

    Parameters
    ----------
    text
        Any text.
    marks
        All combining marks, as ranges of a character class.
    """
    return _runs(marks).sub(lambda run: f" {' '.join(segmented(run[0]))} ", text)
