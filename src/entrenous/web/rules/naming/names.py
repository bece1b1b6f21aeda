"""What people may be called: names of all the world, without those that pretend to be another.

A name is written in one script, or in Latin beside the scripts of East Asia; that is the "highly restrictive" level of
the standard, and it refuses a Latin name with one Cyrillic letter in it. Two people may have the same name, and names
in two scripts may look the same: the handle, plain and unique, stands beside every name.

References
----------
Unicode Technical Standard 39, sections 5.2 (restriction levels) and 5.4 (piled-up marks); Unicode Standard Annex 31,
tables 5 and 7 (scripts in use); RFC 8265 (folding of width).
"""

from __future__ import annotations

import unicodedata

import regex

from entrenous.errors import ArgumentError
from entrenous.web.rules.naming.characters import has_unseen
from entrenous.web.rules.naming.lookalikes import handle_shape, skeleton
from entrenous.web.rules.typed import checked_handle, checked_length

__all__ = ["checked_name", "checked_new_handle", "is_reserved", "name_from"]

MOST = 80

_WRITTEN = (
    "Adlam Arabic Armenian Balinese Bamum Batak Bengali Bopomofo Canadian_Aboriginal Chakma Cham Cherokee Cyrillic "
    "Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hanifi_Rohingya Hebrew Javanese Kannada Kayah_Li "
    "Khmer Lao Latin Lepcha Limbu Lisu Malayalam Mandaic Meetei_Mayek Miao Mongolian Myanmar New_Tai_Lue Newa Nko "
    "Nyiakeng_Puachue_Hmong Ol_Chiki Oriya Osage Saurashtra Sinhala Sundanese Syloti_Nagri Syriac Tai_Le Tai_Tham "
    "Tai_Viet Tamil Telugu Thaana Thai Tibetan Tifinagh Vai Wancho Yi"
)
SCRIPTS = tuple(_WRITTEN.split())
"""The scripts people write today; inscriptions on clay are in none of their names."""

TOGETHER = (
    ("Latin", "Han", "Hiragana", "Katakana"),
    ("Latin", "Han", "Bopomofo"),
    ("Latin", "Han", "Hangul"),
)
"""Scripts that are written together."""

_TAKEN = (
    "abuse admin administrator anonymous anybody anyone api billing contact deleted entre-nous entrenous everybody "
    "everyone help helpdesk hostmaster info legal mail me mod moderator nobody none no-reply noreply null official "
    "operator owner postmaster privacy root security service someone somebody staff status strangers support sysadmin "
    "system team undefined us webmaster you"
)
RESERVED = tuple(_TAKEN.split())
"""Handles nobody gets: they would speak for the service, or be read as a word of its pages."""

_RESERVED_SHAPES = frozenset(map(handle_shape, RESERVED))
_SPOKEN = frozenset(
    map(skeleton, ("admin", "administrator", "entre nous", "somebody", "somebody who left", "support", "you"))
)

_BETWEEN = " '’‘ʼ.,()&·・゠‐-" + "־׳״" + "՚" + "་" + "፡" + "।"
"""Signs between letters: those of Latin and Japanese, then Hebrew, Armenian, Tibetan, Ethiopic and Indic ones."""

_UNSEEN_PARTS = "\u200c\u200d\ufe00-\ufe02\u180b-\u180d\u180f\U000e0100-\U000e01ef"
"""Parts of letters nobody sees; `has_unseen` says where."""

_SIGNS = regex.compile(rf"[\p{{L}}\p{{Mn}}\p{{Mc}}\p{{Nd}}{regex.escape(_BETWEEN)}{_UNSEEN_PARTS}]+")
"""Letters, their marks, digits, and the signs between them; no @, which begins a handle."""

_BLANKS = regex.compile(r"\p{Zs}+")
_LETTER = regex.compile(r"\p{L}")
_WIDTHS = regex.compile(r"[\uff01-\uff5e\uff61-\uffdc]+")
_SAME_MARK_TWICE = regex.compile(r"(\p{Mn})\1")
_MARKS_AFTER_NOTHING = regex.compile(r"(?:\A|[^\p{L}\p{M}\p{Nd}\u200c\u200d])\p{M}")
_PILED_UP = regex.compile(r"[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}]\p{Mn}{3}|\p{Mn}{5}")
_COSTUMES = (
    "<circle>",
    "<final>",
    "<font>",
    "<initial>",
    "<isolated>",
    "<medial>",
    "<square>",
    "<sub>",
    "<super>",
)
_ABBREVIATING = "ªº"


def _written_in(*scripts: str) -> str:
    return "[" + "".join(rf"\p{{scx={script}}}" for script in (*scripts, "Common", "Inherited")) + "]+"


_ONE_SCRIPT = regex.compile(
    "|".join(_written_in(*scripts) for scripts in (*((one,) for one in SCRIPTS), *TOGETHER))
)


def checked_name(name: str, field: str = "name") -> str:
    """Return a name, normalized, with single blanks; a refusal says why and never repeats the name.

    >>> checked_name("  Zoë   Brontë "), checked_name("Nguyễn Thị Minh Khai")
    ('Zoë Brontë', 'Nguyễn Thị Minh Khai')
    """
    if not isinstance(name, str):
        raise ArgumentError(field, "expected text")
    clean = _normalized(name)
    checked_length(field, clean, 1, MOST)
    fault = _fault(clean)
    if fault is not None:
        raise ArgumentError(field, fault)
    return clean


def _normalized(name: str) -> str:
    """Return a name composed, letters of full and half width folded, with single blanks."""
    plain = _WIDTHS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), name)
    return _BLANKS.sub(" ", unicodedata.normalize("NFC", plain)).strip(" ")


def _fault(name: str) -> str | None:
    """Return what is wrong with a name, and what to do about it."""
    if has_unseen(name, name=True):
        return "expected no invisible characters and none that change the direction; type the name, do not paste it"
    if not _SIGNS.fullmatch(name) or any(_is_costume(sign) for sign in name):
        return "expected letters, digits, blanks and signs such as . - ' only; leave the others out"
    if not _LETTER.search(name):
        return "expected a letter at least; write the name out"
    if any(fault.search(name) for fault in (_MARKS_AFTER_NOTHING, _PILED_UP)) or _SAME_MARK_TWICE.search(
        unicodedata.normalize("NFD", name)
    ):
        return "expected no piled-up marks; leave out the marks that belong to no letter"
    if not _ONE_SCRIPT.fullmatch(name):
        return "expected letters of one script, such as all Latin or all Cyrillic; type the name with one keyboard"
    if skeleton(name) in _SPOKEN:
        return "expected another name; this one reads like a word of the service"
    return None


def _is_costume(sign: str) -> bool:
    """Return whether a character is a letter in a costume: bold, circled, raised."""
    return unicodedata.decomposition(sign).startswith(_COSTUMES) and sign not in _ABBREVIATING


def name_from(text: str, otherwise: str) -> str:
    """Return a name that another service sent if it is one, else what to call the person instead."""
    try:
        return checked_name(text)
    except ArgumentError:
        return otherwise


def is_reserved(handle: str) -> bool:
    """Return whether nobody gets a handle: it is a word of the service, or looks like one."""
    return handle_shape(handle) in _RESERVED_SHAPES


def checked_new_handle(handle: str) -> str:
    """Return a handle that somebody may choose, in small letters.

    >>> checked_new_handle(" Ann ")
    'ann'
    """
    clean = checked_handle(handle)
    if is_reserved(clean):
        raise ArgumentError("handle", "expected another one; this one would speak for the service")
    return clean
