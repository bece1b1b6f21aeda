r"""Rich text (RTF), in which Outlook writes some messages, as plain text or as the HTML that is wrapped in it.

Microsoft, "Rich Text Format Specification", 1.9.1, [MS-OXRTFEX] on HTML in RTF, and [MS-OXRTFCP] on packed RTF.
"""

from __future__ import annotations

import re
import struct
from typing import NamedTuple

from entrenous.words.reading.text.markup import decoded, without_marks

__all__ = ["charset_of", "of_rich_text", "unpacked"]

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
# Groups that hold no text of the message. Groups that may be ignored (\*) are, but for HTML.
_WORDLESS = frozenset(
    b"""fonttbl colortbl stylesheet info pict object header footer headerl headerr headerf footerl footerr footerf
    footnote fldinst themedata listtable listoverridetable rsidtbl filetbl generator xmlnstbl""".split()
)
_SIGNS = {
    b"par": "\n", b"line": "\n", b"sect": "\n", b"page": "\n", b"row": "\n", b"tab": "\t", b"cell": " ",
    b"emdash": "\u2014", b"endash": "\u2013", b"bullet": " ", b"lquote": "\u2018", b"rquote": "\u2019",
    b"ldblquote": "\u201c", b"rdblquote": "\u201d", b"emspace": " ", b"enspace": " ", b"qmspace": " ",
    b"~": "\u00a0", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}", b"\n": "\n", b"\r": "\n",
}  # fmt: skip
# Fonts say in which charset they are written, and Outlook's codepages are numbers.
_FONTS = {
    128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251,
    222: 874, 238: 1250,
}  # fmt: skip
_PAGES = {
    20127: "ascii", 20866: "koi8-r", 21866: "koi8-u", 38598: "iso-8859-8", 50220: "iso-2022-jp", 50221: "iso-2022-jp",
    50222: "iso-2022-jp", 51932: "euc-jp", 51949: "cp949", 52936: "hz", 54936: "gb18030", 65001: "utf-8",
}  # fmt: skip


# What packed RTF may repeat before it has said anything.
_BEFORE = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n"
    b"\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_BACK = 4096  # how far back a repetition reaches


class _Group(NamedTuple):
    """What holds inside braces: whether it is no text, whether it is HTML, its charset, and what older programs see.

    `beside` is how many letters follow one that is written as a number, for programs that do not know it.
    """

    silent: bool = False
    html: bool = False
    charset: str = "cp1252"
    beside: int = 1


def charset_of(page: int | None) -> str:
    """Return the charset of a codepage of Windows.

    >>> charset_of(1251), charset_of(28592), charset_of(None)
    ('cp1251', 'iso-8859-2', 'cp1252')
    """
    if page is None:
        return "cp1252"
    return _PAGES.get(page) or (f"iso-8859-{page - 28590}" if 28591 <= page <= 28605 else f"cp{page}")


def of_rich_text(content: bytes) -> str:
    r"""Return the text of a message in RTF.

    >>> of_rich_text(rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}Caf\'e9 \b now\b0\par\u1095?\u1072?\u1081?}")
    'Café now\nчай'
    """
    reader = _Reader(wrapped=b"\\fromhtml" in content[:1000])
    for found in _TOKEN.finditer(content):
        reader.take(found)
    text = reader.text()
    return without_marks(text) if reader.wrapped else text


def unpacked(content: bytes) -> bytes:
    """Return RTF that Outlook packed; a ValueError if it is not whole."""
    if len(content) < 16:
        raise ValueError("expected whole packed text")
    _, size, kind, _ = struct.unpack_from("<II4sI", content)
    if kind == b"MELA":
        return content[16 : 16 + size]
    said, place = bytearray(_BEFORE), 16
    while kind == b"LZFu" and place < len(content):
        repeats, place = content[place], place + 1
        for bit in range(8):
            if not repeats >> bit & 1:
                said += content[place : place + 1]
                place += 1
                continue
            pair, place = int.from_bytes(content[place : place + 2], "big"), place + 2
            back = (len(said) - (pair >> 4)) % _BACK
            if not back and place <= len(content):
                return bytes(said[len(_BEFORE) :])[:size]
            if not 0 < back <= len(said):
                break
            for _ in range((pair & 15) + 2):
                said.append(said[-back])
    raise ValueError("expected whole packed text")


class _Reader:
    """Collects what a message in RTF says, token by token."""

    def __init__(self, *, wrapped: bool) -> None:
        self.wrapped = wrapped
        self._pieces: list[str] = []
        self._bytes = bytearray()  # letters of a charset that may take several
        self._groups = [_Group()]
        self._fonts: dict[int, str] = {}
        self._font, self._skip, self._default = 0, 0, "cp1252"
        self._opened = self._ignorable = self._unwrapped = False

    def take(self, found: re.Match[bytes]) -> None:
        word, number, letter, sign, brace, plain = found.groups()
        opened, self._opened = self._opened, False
        if brace:
            self._brace(brace)
        elif word is not None:
            self._word(word, int(number) if number else None, opened)
        elif sign == b"*":
            self._ignorable = opened
            self._opened = opened
        elif letter or plain:
            self._say(bytes.fromhex(letter.decode()) if letter else plain)
        elif sign in _SIGNS:
            self._write(_SIGNS[sign])

    def text(self) -> str:
        """Return what was collected; characters beyond 16 bits are written in halves."""
        self._write("")
        return "".join(self._pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _brace(self, brace: bytes) -> None:
        self._write("")
        self._skip = 0
        if brace == b"{":
            self._groups.append(self._groups[-1])
            self._opened = True
        elif len(self._groups) > 1:
            self._groups.pop()
        self._ignorable = False

    def _word(self, word: bytes, number: int | None, opened: bool) -> None:
        group = self._groups[-1]
        if opened and (word in _WORDLESS or self._ignorable):
            html = word == b"htmltag" and self.wrapped
            self._groups[-1] = group._replace(silent=not html or group.silent, html=html)
        elif word == b"htmlrtf":
            self._write("")
            self._unwrapped = number != 0
        elif word == b"u" and number is not None:
            self._write(chr(number & 0xFFFF))
            self._skip = group.beside
        elif word == b"uc":
            self._groups[-1] = group._replace(beside=max(number or 0, 0))
        elif word == b"ansicpg" and number:
            self._default = charset_of(number)
            self._charset(self._default)
        elif word == b"f":
            self._font = number or 0
            self._charset(self._fonts.get(self._font, self._default))
        elif word == b"fcharset" and number in _FONTS:
            self._fonts[self._font] = charset_of(_FONTS[number])
        elif word == b"plain":
            self._charset(self._default)
        elif word in _SIGNS and not (self.wrapped and group.html):
            self._write(_SIGNS[word])

    def _charset(self, charset: str) -> None:
        self._write("")
        self._groups[-1] = self._groups[-1]._replace(charset=charset)

    def _say(self, content: bytes) -> None:
        passed = min(self._skip, len(content))  # what older programs show for a letter that was just said
        self._skip -= passed
        if not (self._groups[-1].silent or self._unwrapped):
            self._bytes += content[passed:]

    def _write(self, text: str) -> None:
        if self._bytes:
            self._pieces.append(decoded(bytes(self._bytes), self._groups[-1].charset))
            self._bytes.clear()
        if text and not (self._groups[-1].silent or self._unwrapped):
            self._pieces.append(text)
