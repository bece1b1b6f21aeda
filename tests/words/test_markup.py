"""HTML as a reader sees it, without what mail programs mark as quoted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous.words.reading.text import new_text, words_of
from entrenous.words.reading.text.markup import decoded, without_marks

HEADER = "<b>From:</b> Bob<br><b>Sent:</b> Monday<br><b>To:</b> Ann<br><b>Subject:</b> x<br><p>old</p>"
OUTLOOK = "border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in"


def written(page: str) -> str:
    return words_of(new_text(without_marks(page)))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (
            "<table><tr><td>one</td><td>two</td></tr><tr><th>three<td>four</table>five",
            "one two three four five",
        ),
        ("a<!-- no -->b c<br>d<p>e<p>f&amp;g&nbsp;h", "ab c d e f g h"),
        ("<span>to</span><b>gether</b> co&shy;operate", "together cooperate"),
        ("<div style='DISPLAY: none !important'>no<br><div>no</div></div>yes", "yes"),
        ("<div style='visibility:hidden'>no<b style='visibility:visible'>yes</b></div>yes", "yes yes"),
        ("<p hidden>no<p>yes", "yes"),
        ("<span style='font-size:0px'>no<i style='font-size:12px'>yes</i>no</span> yes", "yes yes"),
        ("<div style='max-height:0;overflow:hidden'>no</div><div style='max-height:0.5em'>yes</div>", "yes"),
        ("<td style='font-size:0.8em;max-height:10px'>yes", "yes"),
        ("<img alt='no' src=x>yes<script>no</script><title>no</title><style>no</style>", "yes"),
        ("<head><title>no</title><body>yes", "yes"),
        ("<![if !mso]>yes<![endif]><xml>no</xml><o:p></o:p> yes</b></i>", "yes yes"),
        ("<div>unclosed<table><td>yes", "unclosed yes"),
    ],
)
def test_what_a_reader_sees_is_kept(page: str, expected: str) -> None:
    assert words_of(without_marks(page)) == expected


@pytest.mark.parametrize(
    "page",
    [
        (
            "new<div class=gmail_quote><div class=gmail_attr>On Mon, 1 Jan 2024 at 10:00, Bob wrote:<br></div>"
            "<blockquote class=gmail_quote>old</blockquote></div>words"
        ),
        "new<div>On 1 Jan 2024, at 10:00, Bob wrote:</div><br><blockquote type=cite>old<p>old</blockquote>words",
        (
            "new<div class=moz-cite-prefix>Am 01.01.24 um 10:00 schrieb Bob:<br></div><blockquote type=cite>old"
            "<blockquote type=cite>older</blockquote>old</blockquote><p>words"
        ),
        "new<div>El lun, 3 mar 2024 a las 10:00, Ana (ana@x.org) escribi\u00f3:</div><blockquote>old</blockquote>words",
        "new words<div class=yahoo_quoted><div>On Monday, Bob wrote:</div>old</div>",
        "new words<hr><div id=divRplyFwdMsg dir=ltr>" + HEADER + "</div><div>old</div>",
        "new words<div class=OutlookMessageHeader><hr>" + HEADER + "</div>old",
        f"new words<div><div style='{OUTLOOK}'><p>" + HEADER + "</div></div>old",
        "new words<div class=gmail_quote><div class=gmail_attr>----- Forwarded message -----<br>x</div>old</div>",
        "new words<span id=OLK_SRC_BODY_SECTION>" + HEADER + "</span>",
        "new words<div class=protonmail_quote>old</div>",
    ],
)
def test_what_is_quoted_is_cut(page: str) -> None:
    assert written(f"<html><body>{page}</body></html>") == "new words"


@pytest.mark.parametrize(
    "page",
    [
        "new<blockquote style='margin:0 0 0 40px;border:none;padding:0px'>words</blockquote>",
        f"new<div style='{OUTLOOK}'>words</div>",
        "new<div style='border-top:1px solid'>words</div>",
    ],
)
def test_what_only_looks_quoted_stays(page: str) -> None:
    assert written(page) == "new words"


@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<td>", "<div hidden>", "</div>", "<blockquote>", "a", "<![", "&", "</"]
        )
    )
)
def test_no_page_fails_to_be_read(pieces: list[str]) -> None:
    assert "<p>" not in without_marks("".join(pieces))


def test_charsets_are_read_as_wide_as_they_are_written() -> None:
    assert decoded("\u9127\u9a2b\u9837".encode("gb18030"), "GB2312") == "\u9127\u9a2b\u9837"
    assert decoded("\u9810\u7b97".encode("big5") + b"\xff", "big5").startswith("\u9810\u7b97")
    assert decoded("gr\u00fc\u00dfe".encode("cp1252"), "utf-8") == "gr\u00fc\u00dfe"
    assert decoded(b"caf\xe9", "nonsense") == "caf\u00e9"
