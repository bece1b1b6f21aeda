"""A text as words: runs of letters and digits with a letter among them, in lower case.

What looks the same is made the same first: compatibility forms (NFKC), soft hyphens, joiners and other characters
without width. Combining marks stay with their letters. A number is no word: which ones a message holds is seldom
anybody's topic and often a secret, and there are more of them than words. Where a number has a point, comma or
colon inside, letters glued to it belong to it: "3.5m" holds no word "5m". But "Q3", "H1N1" and "covid19" are words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from entrenous.words.reading.text.segmentation import UNSPACED, spaced

__all__ = ["words_of"]

DIGITS = "0123456789"
# A number is taken in whole, with or without letters: else each of its parts would be tried, as long as it is.
_GLUED_ASCII = re.compile(rb"(?<![A-Za-z\d])\d+(?:[.,:]\d+)+([A-Za-z][A-Za-z\d]*)?")
_BESIDE_DIGIT = re.compile(rb"(?<=\d)'|'(?=\d)")
_OUTSIDE = re.compile(rb"'(?:(?![a-z\d])|(?<![a-z\d]'))")


def _table(kept: str) -> bytes:
    """Return a table that turns ASCII to lower case and blanks what is neither a letter nor kept."""
    lower = (chr(code).lower() for code in range(256))
    return bytes(
        ord(sign) if sign.isascii() and (sign.isalpha() or sign in kept) else ord(" ") for sign in lower
    )


_LETTERS, _LETTERS_AND_DIGITS = _table("'"), _table("'" + DIGITS)
# What stands beside what: letters as "a", digits as "0", what a number may hold as ".".
_SHAPES = bytes(
    ord(
        "a"
        if sign.isalpha()
        else "0"
        if sign in DIGITS
        else "."
        if sign in ".,:"
        else sign
        if sign == "'"
        else " "
    )
    for sign in map(chr, [*range(128), *[32] * 128])
)
# Searched in shapes: both begin with one sign, for which a search is several times as fast.
_BESIDE_LETTER, _MAYBE_GLUED = re.compile(rb"0(?:a|(?<=a0))"), re.compile(rb"0\.0+a")
# Signs that NFKC would glue to a word, one way of writing apostrophes, and separators of words without width.
_BEFORE = str.maketrans(
    {"\u2122": " ", "\u2120": " ", "\u2019": "'", "\u02bc": "'", "\uff07": "'", "\u05f3": "'"}
)
# Letters that show nothing: fillers of Hangul, vowels that Khmer leaves unsaid, the stroke that stretches Arabic words.
_UNSEEN = "\u034f\u0640\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff"
# Within a Hebrew word a double quote marks an abbreviation.
_GERSHAYIM = re.compile('(?<=[\u0591-\u05f2])["\u201d\u05f4](?=[\u05d0-\u05f2])')
# Between blankless letters a space without width ends a word; elsewhere it only allows a line to break.
_SEAM = re.compile(f"(?<=[{UNSPACED}])\u200b|\u200b(?=[{UNSPACED}])")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_LAST_PLAIN = 0x1FFFF  # all planes of scripts but that of Han, which has neither marks nor formats


def words_of(text: str) -> str:
    """Return the words of a text in lower case, joined by blanks.

    >>> words_of("Don't (ever) ask 'why' at 10:30 in Q3, Zoë!")
    "don't ever ask why at in q3 zoë"
    >>> words_of("第三季度的预算 नमस्ते")
    '第三 季度 的 预算 नमस्ते'
    """
    if not text.isascii():
        return _unicode_words(text)
    raw = text.encode()
    shapes = raw.translate(_SHAPES)
    if _BESIDE_LETTER.search(shapes):
        if _MAYBE_GLUED.search(shapes):
            raw = _GLUED_ASCII.sub(lambda found: b" " if found[1] else found[0], raw)
        if b"0'" in shapes or b"'0" in shapes:  # it joins letters alone
            raw = _BESIDE_DIGIT.sub(b" ", raw)
        words = _apostrophes_inside(raw.translate(_LETTERS_AND_DIGITS)).split()
        return b" ".join(filter(bytes.islower, words)).decode()  # type: ignore[arg-type]
    return b" ".join(_apostrophes_inside(raw.translate(_LETTERS)).split()).decode()


def _apostrophes_inside(spaced: bytes) -> bytes:
    """Take out apostrophes that do not stand within a word."""
    return _OUTSIDE.sub(b" ", spaced) if b"'" in spaced else spaced


def _unicode_words(text: str) -> str:
    clean = _folded(text)
    if _UNSPACED.search(clean):
        clean = spaced(clean, _class_of("M"))
    if ":" in clean or "." in clean or "," in clean:
        clean = _glued().sub(lambda found: " " if found[1] else found[0], clean)
    return " ".join([word for word in _word().findall(clean) if any(map(str.isalpha, word))])


def _folded(text: str) -> str:
    """Return a text in lower case, with one spelling for what looks the same.

    The dot that the lower case of a Turkish capital keeps goes, so that a word in capitals is the same word.
    """
    clean = _SEAM.sub(" ", text) if "\u200b" in text else text
    clean = _composed(_ignored().sub("", clean.translate(_BEFORE))).lower().replace("i\u0307", "i")
    clean = _composed(_ignored().sub("", clean)).translate(_BEFORE)
    return _GERSHAYIM.sub("\u05f4", clean)


def _composed(text: str) -> str:
    """Return the compatible composition of a text, with Thai and Lao am as the dictionaries have it: in one piece."""
    if unicodedata.is_normalized("NFKC", text):
        return text
    plain = unicodedata.normalize("NFKC", text)
    return plain.replace("\u0e4d\u0e32", "\u0e33").replace("\u0ecd\u0eb2", "\u0eb3")


@cache
def _class_of(category: str) -> str:
    """Return all characters of a category of Unicode, as ranges of a character class."""
    ranges: list[list[int]] = []
    for code in range(128, _LAST_PLAIN):
        if unicodedata.category(chr(code)).startswith(category):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


@cache
def _ignored() -> re.Pattern[str]:
    return re.compile(f"[{_UNSEEN}{_class_of('Cf')}]+")


@cache
def _word() -> re.Pattern[str]:
    piece = f"[^\\W_](?:[^\\W_]|[{_class_of('M')}])*"
    return re.compile(f"{piece}(?:(?:(?<!\\d)['\u05f4](?!\\d)|(?<=l)\u00b7(?=l)){piece})*")


@cache
def _glued() -> re.Pattern[str]:
    return re.compile(f"(?<![^\\W_])\\d+(?:[.,:]\\d+)+([^\\W\\d_](?:[^\\W_]|[{_class_of('M')}])*)?")
