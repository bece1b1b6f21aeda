"""HTML as lines of text: what a reader sees, without what is quoted.

Elements that are hidden are left out, cells are parted by blanks, blocks by line breaks. What mail programs mark as a
quotation goes where it stands, so that an answer below it stays; where one marks only the beginning, a line stands for
it that `cutting` knows.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import NamedTuple

from entrenous.words.reading.text.reply_headers import ends_with_attribution

__all__ = ["decoded", "without_marks"]

_WORDLESS = frozenset(("script", "style", "head", "title", "template", "xml", "noframes"))
_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905
)
_BREAKING = frozenset(
    """br p div li ul ol dl dt dd tr table thead tbody tfoot caption blockquote hr h1 h2 h3 h4 h5 h6 pre section
    article header footer address center form""".split()  # noqa: SIM905
)
# An element that a new one of these ends, as HTML lets its end go unsaid.
_ENDS = {
    "p": _BREAKING - {"br"},
    "li": {"li"},
    "tr": {"tr"},
    "td": {"td", "th", "tr"},
    "th": {"td", "th", "tr"},
}
_PRESERVED = re.compile(r"white-space:(?:pre|break-spaces)")
_HIDDEN = re.compile(
    r"(?:^|;)(?:display:none|max-height:0(?:px|pt|em|%)?(?=;|!|$)|opacity:0(?:\.0*)?(?=;|!|$)|mso-hide:all)"
)
_VISIBILITY = re.compile(r"(?:^|;)visibility:(hidden|collapse|visible)")
_FONT_SIZE = re.compile(r"(?:^|;)font(?:-size:|:[^;]*?)(\d*\.?\d+)(?:px|pt|em|rem|%|(?=;|!|$))")
_QUOTED_CLASSES = re.compile(
    r"\b(?:yahoo_quoted|protonmail_quote|moz-forward-container|gmail_extra_quote|zmail_extra|front-blockquote)\b"
)
_QUOTED_IDS = frozenset(("olk_src_body_section", "mail-editor-reference-message-container", "isreplycontent"))
_ATTRIBUTION_CLASSES = re.compile(r"\b(?:gmail_attr|moz-cite-prefix)\b")
_BEGINNING_IDS = frozenset(("divrplyfwdmsg", "zwchr"))
_OUTLOOK_LINE = re.compile(r"(?:^|;)border:none;border-top:solid#?[0-9a-z]+[\d.]+pt;padding:3\.0pt")
_INDENTED = re.compile(r"(?:^|;)border:(?:none|0|0px)(?=;|$)")
_QUOTE = "\x1e"  # stands where a quotation was
_BEGINNING = "\n-----Original Message-----\n"  # all below is quoted
_MAYBE_BEGINNING = "\n" + "_" * 32 + "\n"  # all below is quoted if header lines follow


class _Open(NamedTuple):
    """An element that is open, and what holds inside it."""

    tag: str
    hidden: bool
    invisible: bool
    tiny: bool
    preserved: bool


_PAGE = _Open("", hidden=False, invisible=False, tiny=False, preserved=False)


class _Lines(HTMLParser):
    """Collects the lines of a page that a reader sees."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.path = [_PAGE]
        self.open: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        above = self.path[-1].tag
        if tag == "body":
            del self.path[1:]
            self.open.clear()
        elif above in _ENDS and tag in _ENDS[above]:
            self._close(above)
            if tag == "tr" and self.path[-1].tag == "tr":
                self._close("tr")
        inside = self.path[-1]
        known = {name: (value or "").lower() for name, value in attrs}
        style = re.sub(r"\s+", "", known.get("style", ""))
        quoted = self._quoted(tag, known, style) and not inside.hidden
        if quoted:
            self.pieces.append(f"\n{_QUOTE}\n")
        elif not inside.hidden:
            self._separate(tag, known, style)
        if tag in _VOID:
            return
        size, seen = _FONT_SIZE.search(style), _VISIBILITY.search(style)
        self.path.append(
            _Open(
                tag,
                hidden=inside.hidden
                or quoted
                or tag in _WORDLESS
                or "hidden" in known
                or bool(_HIDDEN.search(style)),
                invisible=inside.invisible if seen is None else seen[1] != "visible",
                tiny=inside.tiny if size is None else float(size[1]) == 0,
                preserved=inside.preserved or tag in {"pre", "textarea"} or bool(_PRESERVED.search(style)),
            )
        )
        self.open[tag] = self.open.get(tag, 0) + 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # as in browsers: the slash says nothing
        if tag.startswith(("o:", "v:", "w:")):
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open.get(tag):
            self._close(tag)
            if tag in _BREAKING and not self.path[-1].hidden:
                self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        inside = self.path[-1]
        if not (inside.hidden or inside.invisible or inside.tiny):
            text = data.replace(_QUOTE, " ")
            self.pieces.append(text if inside.preserved else re.sub(r"[ \t\r\n\f]+", " ", text))

    def _close(self, tag: str) -> None:
        while len(self.path) > 1:
            last = self.path.pop().tag
            self.open[last] -= 1
            if last == tag:
                return

    def _quoted(self, tag: str, known: dict[str, str], style: str) -> bool:
        """Tell whether an element holds a quotation, and nothing else."""
        if tag == "blockquote":
            return "type" in known or "gmail_quote" in known.get("class", "") or not _INDENTED.search(style)
        classes = known.get("class", "")
        return (
            known.get("id", "") in _QUOTED_IDS
            or (bool(classes) and bool(_QUOTED_CLASSES.search(classes)))
            or (tag == "div" and known.get("name") == "quote")
        )

    def _separate(self, tag: str, known: dict[str, str], style: str) -> None:
        """Part what an element holds from what stands before it."""
        if known.get("id") in _BEGINNING_IDS or "outlookmessageheader" in known.get("class", ""):
            self.pieces.append(_BEGINNING)
        elif tag == "div" and _OUTLOOK_LINE.search(style):
            self.pieces.append(_MAYBE_BEGINNING)
        elif tag in {"td", "th"}:
            self.pieces.append(" ")
        elif tag in _BREAKING:
            self.pieces.append("\n")


def without_marks(page: str) -> str:
    r"""Return the text of an HTML page that its sender wrote and a reader sees.

    >>> without_marks("<table><tr><td>Q3<td>up<tr><td>Q4</table><p hidden>secret</p>Yes<blockquote>No</blockquote>")
    '\n\n Q3 up\n Q4\n\n\nYes\n\n\n\n'
    """
    reader = _Lines()
    try:
        reader.feed(page)
        reader.close()
    except AssertionError:  # the parser's answer to some broken declarations
        return re.sub(r"<[^>]*>", " ", page)
    parts = "".join(reader.pieces).split(_QUOTE)
    return "\n".join([*map(_unattributed, parts[:-1]), parts[-1]])


def _unattributed(text: str) -> str:
    """Return what stands above a quotation, without the line that says whose it is."""
    plain = text.rstrip()
    if not plain.endswith((":", "\uff1a")):
        return text
    start = ends_with_attribution(plain)
    return text if start is None else plain[:start]


# Labels that mail uses for a smaller set of characters than it writes.
_WIDER = {
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "cn-gb": "gb18030", "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949", "shift_jis": "cp932", "shift-jis": "cp932", "x-sjis": "cp932", "sjis": "cp932",
    "big5": "big5hkscs", "iso-8859-8-i": "iso-8859-8", "windows-874": "cp874", "tis-620": "cp874",
    "unicode-1-1-utf-7": "utf-7", "iso-2022-jp": "iso2022_jp_ext",
}  # fmt: skip


def decoded(raw: bytes, charset: str | None) -> str:
    """Return bytes as text: by the charset they are said to be in, else as UTF-8, else as Windows writes it.

    A broken byte in East Asian text costs itself alone: read as Windows writes it, all of it would turn into accents.
    """
    said = _WIDER.get((charset or "").lower(), charset)
    for name in (said, "utf-8"):
        try:
            return raw.decode(name or "ascii")
        except (LookupError, ValueError):
            continue
    if said is not None and said in _WIDER.values():
        return raw.decode(said, "replace")
    return raw.decode("cp1252", "replace")
