"""The language of a corpus, as its publisher states it.

It is never worked out from the mail: a card that said so would tell something about confidential text.
"""

from __future__ import annotations

import re

from entrenous.errors import ArgumentError

__all__ = ["checked_language", "language_told"]

# BCP 47 (RFC 5646): language, script, region, variants, and what is private to those who use it.
_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(?:-(?P<script>[a-z]{4}))?(?:-(?P<region>[a-z]{2}|\d{3}))?"
    r"(?P<variants>(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*)(?P<private>-x(?:-[a-z\d]{1,8})+)?",
    re.IGNORECASE | re.ASCII,
)


def checked_language(tag: str | None) -> str | None:
    """Return a BCP 47 code as it is usually written, or say why it is none; None where none is stated.

    >>> checked_language("DE-at"), checked_language("zh-hant-tw"), checked_language(None)
    ('de-AT', 'zh-Hant-TW', None)
    """
    if tag is None:
        return None
    found = _TAG.fullmatch(tag) if isinstance(tag, str) else None
    if found is None:
        raise ArgumentError(
            "language", 'expected a BCP 47 code as in "de", "pt-BR" or "zh-Hant"; got something else'
        )
    script, region = found["script"], found["region"]
    parts = (
        found["language"].lower(),
        f"-{script.title()}" if script else "",
        f"-{region.upper()}" if region else "",
        found["variants"].lower(),
        (found["private"] or "").lower(),
    )
    return "".join(parts)


def language_told(data: object) -> str:
    """Return what a card says about the language of what it was made from: a corpus, or a table that states none.

    >>> language_told([])
    'not stated'
    """
    tag = getattr(data, "language", None)
    return f"{tag}, stated by the publisher" if tag else "not stated"
