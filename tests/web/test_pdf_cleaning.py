"""PDFs: written anew from what their pages show, or refused; nothing that was planted in one comes out."""

from __future__ import annotations

import io
import zlib
from contextlib import suppress
from pathlib import Path

import pikepdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name, Pdf, Stream
from PIL import Image
from tests.web.crowd import Crowd
from tests.web.papers import PLANTED, PLANTS, WORDS, all_bytes, drawn, paper, revised

from entrenous.web.rules.refusals import UploadRefused
from entrenous.web.service.media import check_upload
from entrenous.web.service.uploads import documents, pdf_program
from entrenous.web.settings import Settings

SETTINGS = Settings()
ACTING = (
    "OpenAction",
    "/AA",
    "JavaScript",
    "/JS",
    "/URI",
    "Launch",
    "GoToR",
    "GoToE",
    "ImportData",
    "SubmitForm",
)
CARRIED = (
    "EmbeddedFile",
    "Filespec",
    "Rendition",
    "/XFA",
    "AcroForm",
    "Annots",
    "Metadata",
    "PieceInfo",
    "/Thumb",
)
ABOUT = (
    "/Info",
    "/Author",
    "/Producer",
    "Outlines",
    "StructTreeRoot",
    "LastModified",
    "/Names",
    "OCProperties",
)


def cleaned(content: bytes) -> bytes:
    upload = check_upload(content, "minutes.pdf", SETTINGS)
    assert (upload.kind, upload.media_type) == ("document", "application/pdf")
    return upload.content


def code(content: bytes) -> str:
    with pytest.raises(UploadRefused) as caught:
        check_upload(content, "minutes.pdf", SETTINGS)
    assert "PDF" in str(caught.value)
    return caught.value.code


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize("plant", PLANTS)
def test_nothing_that_was_planted_comes_out(plant: str, packed: bool) -> None:
    """Fault 5: a PDF kept its author, and what else it says about itself."""
    before = paper(plant, packed=packed)
    assert PLANTED.encode() in all_bytes(before), "the test would notice"
    with pytest.MonkeyPatch.context() as patch:  # the process itself is tested below
        patch.setattr(documents, "_clean_pdf", pdf_program.clean)
        after = cleaned(before)
    everything = all_bytes(after)
    assert PLANTED.encode() not in everything
    for name in (*ACTING, *CARRIED, *ABOUT):
        assert name.encode() not in everything, name
    assert all(any("Minutes of May" in line for line in page) for page in drawn(after))


@pytest.mark.parametrize("plants", [("open action",), ("links",), ("open action", "page actions")])
def test_an_action_that_leads_elsewhere_is_removed(plants: tuple[str, ...]) -> None:
    """Fault 10: a PDF with OpenAction and URI was accepted, and handed out as it was."""
    before = paper(*plants)
    assert b"/URI" in before or b"/JavaScript" in before
    after = cleaned(before)
    everything = all_bytes(after)
    assert not any(name.encode() in everything for name in ACTING)
    assert drawn(after) == drawn(before)
    assert pdf_program.clean(before) == after, "the same file comes out the same way"


def test_everything_at_once_goes_through_a_process_of_its_own() -> None:
    before = paper(*(name for name in PLANTS if name not in ("links", "notes", "photo")), packed=True)
    assert PLANTED.encode() not in all_bytes(cleaned(before))


def test_an_earlier_revision_is_gone() -> None:
    """Fault 5: what a file had said before it was changed was still in it."""
    before = revised()
    with Pdf.open(io.BytesIO(before)) as opened:
        assert "/Author" not in opened.docinfo
    assert PLANTED.encode() in before
    after = cleaned(before)
    assert PLANTED.encode() not in all_bytes(after)
    assert after.count(b"%%EOF") == 1
    assert drawn(after) == drawn(before)


def test_pages_keep_their_measures_their_words_and_their_pictures() -> None:
    made = Pdf.open(io.BytesIO(paper("photo", "drawings")))
    made.pages[1].obj.Rotate, made.pages[1].obj.CropBox = 90, Array([0, 0, 50, 50])
    photo = Image.linear_gradient("L").resize((40, 30))
    bits = Stream(made, zlib.compress(photo.tobytes()), Filter=Name.FlateDecode)
    bits.Type, bits.Subtype, bits.Width, bits.Height = Name.XObject, Name.Image, 40, 30
    bits.ColorSpace, bits.BitsPerComponent = Name.DeviceGray, 8
    mask = Stream(made, bytes(1200))
    mask.Type, mask.Subtype, mask.Width, mask.Height = Name.XObject, Name.Image, 40, 30
    mask.ColorSpace, mask.BitsPerComponent = Name.DeviceGray, 8
    bits.SMask = made.make_indirect(mask)
    made.pages[1].Resources.XObject = Dictionary(Bits=made.make_indirect(bits))
    made.pages[1].Contents = Stream(made, WORDS + b" /Bits Do")
    written = io.BytesIO()
    made.save(written)
    with Pdf.open(io.BytesIO(cleaned(written.getvalue()))) as after:
        assert len(after.pages) == 2
        second = after.pages[1]
        assert (second.obj.Rotate, list(second.obj.CropBox)) == (90, [0, 0, 50, 50])
        assert second.Resources.XObject.Bits.read_bytes() == photo.tobytes()
        assert second.Resources.XObject.Bits.SMask.read_bytes() == bytes(1200)
        assert second.Resources.Font.F1.BaseFont == Name.Helvetica


def test_a_photo_in_a_pdf_keeps_its_pixels_and_loses_its_notes() -> None:
    before = paper("photo")
    after = pdf_program.clean(before)
    shown = []
    for content in (before, after):
        with Pdf.open(io.BytesIO(content)) as opened:
            found = [
                one
                for one in opened.objects
                if isinstance(one, Stream) and one.get("/Filter") == Name.DCTDecode
            ]
            shown.append(Image.open(io.BytesIO(found[0].read_raw_bytes())))
    assert shown[0].getexif()
    assert not shown[1].getexif()
    assert shown[0].tobytes() == shown[1].tobytes()


@pytest.mark.parametrize("form", ["JPEG2000", "JPEG"])
@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
def test_notes_leave_a_picture_as_it_was(form: str, mode: str) -> None:
    if form == "JPEG2000" and mode == "CMYK":
        mode = "RGBA"
    written = io.BytesIO()
    picture = Image.radial_gradient("L").resize((90, 70)).convert(mode)
    picture.save(written, form, comment=PLANTED.encode(), **({"progressive": True} if form == "JPEG" else {}))
    content = written.getvalue() + (PLANTED.encode() if form == "JPEG" else b"")
    if form == "JPEG2000":
        box = b"xml " + PLANTED.encode()
        content += (4 + len(box)).to_bytes(4, "big") + box
    strip = pdf_program.without_notes if form == "JPEG" else pdf_program.without_boxes
    after = strip(content)
    assert PLANTED.encode() in content
    assert PLANTED.encode() not in after
    assert Image.open(io.BytesIO(after)).tobytes() == Image.open(io.BytesIO(content)).tobytes()


def test_what_a_form_shows_is_drawn_into_the_page() -> None:
    after = pdf_program.clean(paper("form"))
    assert b"(Signed) Tj" in all_bytes(after)


def encrypted() -> bytes:
    made, written = Pdf.open(io.BytesIO(paper())), io.BytesIO()
    made.save(written, encryption=pikepdf.Encryption(owner="owner", user=""))
    return written.getvalue()


def layered(**usual: object) -> bytes:
    made, written = Pdf.open(io.BytesIO(paper())), io.BytesIO()
    layer = made.make_indirect(Dictionary(Type=Name.OCG, Name=pikepdf.String(PLANTED)))
    off = Array([layer]) if usual.pop("off", False) else Array()
    made.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=off, **usual))
    made.pages[0].Resources.Properties = Dictionary(MC0=layer)
    made.pages[0].Contents = Stream(made, b"/OC /MC0 BDC " + WORDS + b" EMC")
    made.save(written)
    return written.getvalue()


def bomb() -> bytes:
    """A page whose content unpacks to a gigabyte and a half."""
    packed = zlib.compressobj(1)
    zeros = bytes(1024 * 1024)
    content = b"".join([*(packed.compress(zeros) for _ in range(1536)), packed.flush()])
    made, written = Pdf.open(io.BytesIO(paper())), io.BytesIO()
    made.pages[0].Contents = Stream(made, content, Filter=Name.FlateDecode)
    made.save(written, recompress_flate=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return written.getvalue()


def test_what_cannot_be_written_anew_is_refused_with_a_reason() -> None:
    assert code(encrypted()) == "encrypted"
    assert code(layered(off=True)) == "hidden_layers"
    assert code(layered(BaseState=Name.OFF)) == "hidden_layers"
    assert code(b"%PDF-1.7\nnothing at all\n%%EOF") == "unreadable"
    assert code(paper()[:-30]) == "unreadable"
    shown = cleaned(layered())
    assert PLANTED.encode() not in all_bytes(shown)
    assert b"(Minutes of May) Tj" in all_bytes(shown)


@pytest.mark.long
def test_a_file_that_unpacks_to_far_more_is_ended_by_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert code(bomb()) in ("too_large", "unreadable")  # by now, memory ran out
    pages = paper(pages=pdf_program.MOST_PAGES + 1)
    assert code(pages) == "too_large"
    monkeypatch.setattr(documents, "PATIENCE", 0.001)
    assert code(paper()) == "too_large"


def test_arrays_that_hold_each_other_many_times_end() -> None:
    made, written = Pdf.open(io.BytesIO(paper())), io.BytesIO()
    inner = made.make_indirect(Array([1, 2]))
    for _ in range(40):
        inner = made.make_indirect(Array([inner] * 10))
    made.pages[0].Resources.ColorSpace = Dictionary(CS0=inner)
    made.pages[0].contents_add(b"/CS0 cs")
    made.save(written)
    assert len(pdf_program.clean(written.getvalue())) < 20_000


def test_a_drawing_that_draws_itself_ends() -> None:
    made, written = Pdf.open(io.BytesIO(paper("drawings"))), io.BytesIO()
    outer = made.pages[0].Resources.XObject.Outer
    outer.Resources.XObject.Inner.Resources.XObject = Dictionary(Again=outer)
    made.save(written)
    assert b"Minutes of May" in all_bytes(pdf_program.clean(written.getvalue()))


WHOLE = [paper(*PLANTS, packed=True), paper("photo", "form"), revised(), paper("drawings", "links")]
Changes = list[tuple[float, str, int, bytes]]
CHANGES = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.sampled_from(["set", "cut", "twice", "name"]),
        st.integers(0, 255),
        st.sampled_from(
            [b"/Type", b"/Pages", b"<<", b">>", b"[", b"]", b"stream\n", b"endobj", b"0 R", b"-1"]
        ),
    ),
    min_size=1,
    max_size=8,
)


def changed(content: bytes, changes: Changes) -> bytes:
    for share, how, value, word in changes:
        place = 8 + int(share * (len(content) - 20))
        if how == "set":
            content = content[:place] + bytes([value]) + content[place + 1 :]
        elif how == "cut":
            content = content[:place] + content[place + value :]
        elif how == "twice":
            content = content[: place + value] + content[place:]
        else:
            content = content[:place] + word + content[place + len(word) :]
    return content.rstrip() + b"\n%%EOF\n"


@pytest.mark.long
@settings(max_examples=250, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(WHOLE), CHANGES)
def test_a_broken_file_is_refused_or_comes_out_clean(content: bytes, changes: Changes) -> None:
    try:
        after = pdf_program.clean(changed(content, changes))
    except pdf_program.Refused:
        return
    with Pdf.open(io.BytesIO(after)) as opened:
        assert len(opened.pages) >= 1
        assert set(opened.Root.keys()) == {"/Type", "/Pages"}
        assert "/Info" not in opened.trailer
        for one in opened.objects:
            if isinstance(one, Dictionary | Stream):
                assert not {"/A", "/AA", "/JS", "/URI", "/Annots", "/Metadata", "/PieceInfo"} & set(
                    one.keys()
                )


@pytest.mark.long
@settings(max_examples=25, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(WHOLE), CHANGES)
def test_a_broken_file_never_raises_anything_else(content: bytes, changes: Changes) -> None:
    with suppress(UploadRefused):
        assert check_upload(changed(content, changes), "a.pdf", SETTINGS).content.startswith(b"%PDF-")


def test_the_program_that_cleans_needs_nothing_of_this_package() -> None:
    text = Path(pdf_program.__file__).read_text()
    assert "entrenous" not in text.split('"""', 2)[2]


def test_people_are_told_and_get_the_file_without_its_author(crowd: Crowd) -> None:
    """Fault 5: the author of a PDF was handed to everybody who could open it."""
    crowd.add("ann")
    ann = crowd.clients["ann"]
    assert "its author, attachments, scripts and links are removed" in ann.get("/items/new").text
    files = {"file": ("minutes.pdf", paper("info", "xmp", "open action"), "application/pdf")}
    answer = ann.post("/items", data={"title": "Minutes", "do": "draft"}, files=files)
    assert answer.status_code == 200
    stored = ann.get(f"{answer.url.path}/file")
    assert stored.headers["content-type"] == "application/pdf"
    assert PLANTED.encode() not in all_bytes(stored.content)
