"""RTF as Outlook writes it: the text that a reader sees, in the charsets of its fonts, or the HTML wrapped in it."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.words.outlook_stores import packed

from entrenous.words.reading.text.rich_text import charset_of, of_rich_text, unpacked

WRAPPED = (
    rb"{\rtf1\ansi\fromhtml1 {\*\htmltag19 <html>}{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 one {\*\htmltag84 <b>}"
    rb"\htmlrtf {\b \htmlrtf0 two{\*\htmltag92 </b>}\htmlrtf }\htmlrtf0  {\*\htmltag84 &lt;}three"
    rb"{\*\htmltag72 </p>}\htmlrtf\par no}\htmlrtf0 {\*\mhtmltag no}{\*\htmltag64 <blockquote>}no"
    rb"{\*\htmltag72 </blockquote>}}"
)
FONTS = rb"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset134 SimSun;}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            rb"{\rtf1\ansi one \b two\b0\par three\tab four\line\{five\}\~six}",
            "one two three four {five} six",
        ),
        (
            rb"{\rtf1\ansi" + FONTS + rb"caf\'e9 \f1\'f7\'e0\'e9\f0  {\f2\'d4\'a4\'cb\'e3} caf\'e9}",
            "café чай 预算 café",
        ),
        (rb"{\rtf1\ansi\ansicpg1251 \'f7\'e0\'e9}", "чай"),
        (rb"{\rtf1\ansi\uc2 \u233\'e9x\u-10179?\'3f\u-8704??{\uc0\u9749}tea}", "é😀☕tea"),
        (
            rb"{\rtf1{\info{\author no}}{\*\generator no;}{\pict no}{\stylesheet{\s0 no;}}yes{\header no}}",
            "yes",
        ),
        (rb"{\rtf1 see {\field{\*\fldinst HYPERLINK no}{\fldrslt the plan}} now}", "see the plan now"),
        (rb"{\rtf1 one\cell two\cell\row three", "one two three"),
        (rb"no braces \par at all}}}", "no braces at all"),
        (
            WRAPPED,
            "one two <three",
        ),
    ],
)
def test_what_a_reader_sees_is_kept(text: bytes, expected: str) -> None:
    assert of_rich_text(text).split() == expected.split()


@given(
    st.lists(
        st.sampled_from(
            [b"{", b"}", b"\\", b"*", b"u1", b"'", b"e9", b"par", b" x", b"fonttbl", b"htmltag", b"\0"]
        )
    )
)
def test_no_text_fails_to_be_read(pieces: list[bytes]) -> None:
    of_rich_text(rb"{\rtf1\fromhtml1 " + b"".join(pieces))
    of_rich_text(b"".join(pieces))


def test_codepages_have_names() -> None:
    for page in (
        None,
        874,
        932,
        936,
        949,
        950,
        1250,
        20127,
        20866,
        28591,
        28605,
        38598,
        50220,
        51932,
        51949,
        54936,
        65001,
    ):
        assert "tea".encode(charset_of(page)).decode(charset_of(page)) == "tea"


def test_packed_text_is_unpacked() -> None:
    for length in (0, 1, 7, 8, 9, 5000):
        text = (b"{\\rtf1 tea} " * 500)[:length]
        assert unpacked(packed(text)) == text
    assert unpacked(struct.pack("<II4sI", 15, 3, b"MELA", 0) + b"tea.") == b"tea"
    repeated = (
        bytes([0b1100_0000]) + b"{tea}x" + (208 << 4 | 1).to_bytes(2, "big") + (216 << 4).to_bytes(2, "big")
    )
    assert unpacked(struct.pack("<II4sI", 0, 9, b"LZFu", 0) + repeated) == b"{tea}xtea"


@pytest.mark.parametrize(
    "content",
    [b"", b"LZFu" * 4, struct.pack("<II4sI", 0, 9, b"LZFu", 0) + b"\xff" * 9, packed(b"tea for two")[:-6]],
)
def test_what_is_packed_badly_is_an_error(content: bytes) -> None:
    with pytest.raises(ValueError, match="whole"):
        unpacked(content)
