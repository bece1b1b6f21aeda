"""Characters nobody sees: where they make sense, where they are refused, and how text that holds them is shown.

Control, format and filler characters, unassigned and private ones let two texts look the same, or a text read in
another order than it is stored. A few are part of ordinary writing: joiners in Persian and Sinhala, the parts of an
emoji, the variants of a Han character, word breaks in Khmer. These pass where they stand between what they belong to,
and nowhere else.

References
----------
Unicode Technical Standards 39 (security mechanisms) and 51 (emoji); RFC 5892, appendix A.1 and A.2 (CONTEXTJ).
"""

from __future__ import annotations

import idna
import regex

__all__ = ["has_unseen", "shown", "without_marks"]

REPLACEMENT = "�"
_JOINERS = "\u200c\u200d"
_WORD_BREAK = "\u200b"
_LINE_ENDS = "\n\t\r"

_SUSPECT = regex.compile(r"[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}\u2800\ufff9-\ufffb]")
_MARKS = regex.compile(r"[\u200e\u200f\u061c]")

_FLAG = regex.compile(r"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,8}\U000e007f")
_PICTURE_BEFORE = regex.compile(r"\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?\Z")
_BEFORE = {  # what a variation selector chooses a form of
    "\ufe0e\ufe0f": regex.compile(r"[\p{Emoji}\p{Emoji_Modifier}]\Z"),
    "\ufe00\ufe01\ufe02": regex.compile(r"\p{sc=Han}\Z"),
    "\u180b\u180c\u180d\u180f": regex.compile(r"(?=\p{L})\p{sc=Mongolian}\Z"),
}
_HAN = regex.compile(r"\p{sc=Han}\Z")
_UNSPACED = regex.compile(r"[\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Thai}]")
_BRAILLE = regex.compile(r"[\u2801-\u28ff]")


def has_unseen(text: str, *, name: bool = False, lines: bool = False) -> bool:
    """Return whether text holds a character nobody sees where it makes no sense; in a name fewer make sense.

    >>> has_unseen("a\u200bb"), has_unseen("می\u200cخواهم"), has_unseen("👩\u200d💻")
    (True, False, False)
    >>> has_unseen("👩\u200d💻", name=True)
    True
    """
    return any(
        not _makes_sense(text, found.start(), name=name)
        for found in _SUSPECT.finditer(text)
        if not (lines and found[0] in _LINE_ENDS)
    )


def shown(text: str) -> str:
    """Return text as a page shows it: whatever nobody would see, and makes no sense, stands there as a sign.

    >>> shown("Ann\u202e"), shown("Ann")
    ('Ann�', 'Ann')
    """
    if text.isascii() and text.isprintable():
        return text

    def sign(found: regex.Match[str]) -> str:
        kept = found[0] in _LINE_ENDS or _makes_sense(text, found.start(), name=False)
        return found[0] if kept else REPLACEMENT

    without = _SUSPECT.sub(sign, text)
    if not has_unseen(without, lines=True):
        return without
    # What was kept for the sake of a character that is now a sign makes no sense any more.
    return _SUSPECT.sub(lambda found: found[0] if found[0] in _LINE_ENDS else REPLACEMENT, text)


def without_marks(text: str) -> str:
    """Return text without marks of direction: keyboards add them by themselves, and pages isolate every text.

    >>> without_marks("שלום\u200f!") == "שלום!"
    True
    """
    return _MARKS.sub("", text)


def _makes_sense(text: str, place: int, *, name: bool) -> bool:
    """Return whether a character nobody sees is part of what stands around it."""
    sign, before, after = text[place], text[:place], text[place + 1 :]
    if sign in _JOINERS and _joins_letters(text, place):
        return True
    if "\U000e0100" <= sign <= "\U000e01ef":
        return (
            _HAN.search(before) is not None
        )  # variants of characters, as many Japanese family names have them
    for selectors, base in _BEFORE.items():
        if sign in selectors:
            return base.search(before) is not None and not (name and sign in "\ufe0e\ufe0f")
    return not name and _makes_sense_in_text(text, place, before, after)


def _makes_sense_in_text(text: str, place: int, before: str, after: str) -> bool:
    sign = text[place]
    if sign == "\u200d":
        return bool(_PICTURE_BEFORE.search(before)) and bool(regex.match(r"\p{Extended_Pictographic}", after))
    if sign == _WORD_BREAK:
        return bool(_UNSPACED.match(before[-1:])) and bool(_UNSPACED.match(after[:1]))
    if sign == "\u2800":
        return bool(_BRAILLE.match(before[-1:]) or _BRAILLE.match(after[:1]))
    return any(flag.start() < place < flag.end() for flag in _FLAG.finditer(text))


def _joins_letters(text: str, place: int) -> bool:
    """Return whether a joiner changes how the letters around it are written (CONTEXTJ)."""
    try:
        return bool(idna.valid_contextj(text, place))
    except ValueError:  # a letter newer than the tables
        return False
