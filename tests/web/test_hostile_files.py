"""Files made to harm or to hide something: what a reviewer tried, and what became of it."""

from __future__ import annotations

import binascii
import io
from collections.abc import Callable
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Pdf, Stream
from PIL import Image

from entrenous.web.rules.refusals import UploadRefused
from entrenous.web.service.uploads import pdf_program
from entrenous.web.service.uploads.photos import MOST_SCANS, clean_photo

SECRET = b"taken at 48.2082 N"
MANY = 10**8


# --- photos ---------------------------------------------------------------------------------------------------


def in_scans(more: int) -> bytes:
    """A progressive JPEG whose last scan comes again and again: some sixty bytes each, and a walk over all pixels."""
    buffer = io.BytesIO()
    Image.new("L", (64, 64)).save(buffer, "JPEG", progressive=True)
    photo = buffer.getvalue()
    return photo[:-2] + photo[photo.rindex(b"\xff\xda") : -2] * more + b"\xff\xd9"


def test_a_photo_in_thousands_of_scans_is_refused_before_it_is_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert clean_photo(in_scans(5), "JPEG", MANY)["original"].width == 64
    monkeypatch.setattr(Image, "open", lambda *_given, **_named: pytest.fail("it was decoded"))
    with pytest.raises(UploadRefused, match="save it again"):
        clean_photo(in_scans(MOST_SCANS), "JPEG", MANY)


@pytest.mark.parametrize("form", ["PNG", "WEBP"])
def test_what_was_rubbed_out_of_a_photo_is_gone(form: str) -> None:
    picture = Image.new("RGBA", (40, 40), (200, 30, 90, 0))
    picture.paste((10, 20, 30, 255), (0, 0, 20, 40))
    picture.paste((50, 60, 70, 1), (0, 0, 1, 1))
    buffer = io.BytesIO()
    picture.save(buffer, form, lossless=True, exact=True)
    kept = Image.open(io.BytesIO(clean_photo(buffer.getvalue(), form, MANY)["original"].content)).convert(
        "RGBA"
    )
    red, green, blue, opacity = kept.getpixel((30, 30))  # type: ignore[misc]
    assert opacity == 0
    assert max(abs(red - 200), abs(green - 30), abs(blue - 90)) > 50
    if form == "PNG":
        assert kept.getpixel((10, 10)) == (10, 20, 30, 255)
        assert kept.getpixel((0, 0)) == (50, 60, 70, 1)


def test_a_palette_with_a_transparent_colour_does_not_keep_that_colour() -> None:
    picture = Image.new("P", (10, 10))
    picture.putpalette([201, 31, 91, 0, 255, 0])
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", transparency=0)
    kept = Image.open(io.BytesIO(clean_photo(buffer.getvalue(), "PNG", MANY)["original"].content))
    assert kept.getpixel((5, 5)) == (0, 0, 0, 0)


def test_a_grey_photo_of_sixteen_bits_keeps_its_greys() -> None:
    picture = Image.new("I;16", (3, 1))
    for place, grey in enumerate((0, 0x8000, 0xFFFF)):
        picture.putpixel((place, 0), grey)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    kept = Image.open(io.BytesIO(clean_photo(buffer.getvalue(), "PNG", MANY)["original"].content)).convert(
        "L"
    )
    assert [kept.getpixel((place, 0)) for place in range(3)] == [0, 128, 255]


def test_only_the_first_picture_of_many_is_kept() -> None:
    first, second = Image.new("RGB", (30, 30), "navy"), Image.new("RGB", (30, 30), "red")
    for form, kind in (("PNG", "PNG"), ("WEBP", "WEBP"), ("MPO", "JPEG")):
        buffer = io.BytesIO()
        first.save(buffer, form, save_all=True, append_images=[second])
        for size in clean_photo(buffer.getvalue(), kind, MANY).values():
            kept = Image.open(io.BytesIO(size.content))
            assert getattr(kept, "n_frames", 1) == 1
            assert kept.convert("RGB").getpixel((15, 15))[0] < 60  # type: ignore[index]


# --- PDFs -----------------------------------------------------------------------------------------------------


def camera_photo() -> bytes:
    exif, buffer = Image.Exif(), io.BytesIO()
    exif[0x010E] = SECRET.decode()
    Image.new("RGB", (8, 8), "red").save(buffer, "JPEG", exif=exif)
    return buffer.getvalue()


def page(content: bytes, resources: Callable[[Any], Dictionary] | None = None) -> bytes:
    made, written = Pdf.new(), io.BytesIO()
    made.add_blank_page(page_size=(100, 100))
    made.pages[0].Contents = made.make_indirect(Stream(made, content))
    if resources is not None:
        made.pages[0].Resources = resources(made)
    made.save(written)
    return written.getvalue()


def unpacked(content: bytes) -> bytes:
    written = io.BytesIO()
    with Pdf.open(io.BytesIO(content)) as found:
        found.save(
            written,
            compress_streams=False,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
            stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
        )
    return written.getvalue()


def form(made: Any, content: bytes, **keys: object) -> Any:
    found = made.make_indirect(Stream(made, content))
    found.Type, found.Subtype, found.BBox = Name.XObject, Name.Form, Array([0, 0, 9, 9])
    for key, value in keys.items():
        found[f"/{key}"] = value
    return found


@pytest.mark.parametrize("ways", [b"/DCT", b"/DCTDecode", b"[/AHx /DCT]"])
def test_a_photo_inside_the_content_does_not_keep_its_notes(ways: bytes) -> None:
    photo = camera_photo()
    if ways.startswith(b"["):
        photo = binascii.hexlify(photo) + b">"
    content = b"q 9 0 0 9 0 0 cm BI /W 8 /H 8 /BPC 8 /CS /RGB /F " + ways + b" ID " + photo + b"\nEI Q"
    with pytest.raises(pdf_program.Refused):
        pdf_program.clean(page(content))


def test_what_was_deleted_from_a_page_and_lies_unused_in_the_file_is_gone() -> None:
    def resources(made: Any) -> Dictionary:
        used = form(made, b"BT (shown) Tj ET")
        unused = form(made, b"BT (" + SECRET + b") Tj ET")
        return Dictionary(XObject=Dictionary(Used=used, Unused=unused))

    kept = unpacked(pdf_program.clean(page(b"/Used Do", resources)))
    assert b"(shown)" in kept
    assert SECRET not in kept


def test_a_drawing_without_resources_draws_with_those_of_its_page() -> None:
    def resources(made: Any) -> Dictionary:
        inner, outer = form(made, b"BT (inner) Tj ET"), form(made, b"/Inner Do")
        return Dictionary(XObject=Dictionary(Outer=outer, Inner=inner))

    assert b"(inner)" in unpacked(pdf_program.clean(page(b"/Outer Do", resources)))


def test_a_letter_without_resources_draws_with_those_of_its_page() -> None:
    def resources(made: Any) -> Dictionary:
        letter = made.make_indirect(Stream(made, b"10 0 d0 /Inner Do"))
        font = Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            FontBBox=Array([0, 0, 9, 9]),
            FontMatrix=Array([1, 0, 0, 1, 0, 0]),
            FirstChar=97,
            LastChar=97,
            Widths=Array([10]),
            Encoding=Dictionary(Differences=Array([97, Name.a])),
            CharProcs=Dictionary(a=letter),
        )
        inner = form(made, b"BT (inner) Tj ET")
        return Dictionary(XObject=Dictionary(Inner=inner), Font=Dictionary(F=made.make_indirect(font)))

    assert b"(inner)" in unpacked(pdf_program.clean(page(b"BT /F 9 Tf (a) Tj ET", resources)))


def test_many_drawings_may_share_one_list_of_all_of_them() -> None:
    def resources(made: Any) -> Dictionary:
        shared = made.make_indirect(Dictionary(XObject=Dictionary()))
        for number in range(300):
            shared.XObject[f"/X{number}"] = form(made, b"0 0 1 1 re f", Resources=shared)
        return shared

    assert pdf_program.clean(page(b"/X0 Do /X7 Do", resources)).startswith(b"%PDF-")


def test_a_layer_that_its_use_hides_is_refused_too() -> None:
    def resources(made: Any) -> Dictionary:
        use = Dictionary(View=Dictionary(ViewState=Name.OFF))
        layer = made.make_indirect(Dictionary(Type=Name.OCG, Name="notes", Usage=use))
        automatic = Dictionary(Event=Name.View, OCGs=Array([layer]), Category=Array([Name.View]))
        made.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(AS=Array([automatic])))
        return Dictionary(XObject=Dictionary(Hidden=form(made, b"BT (" + SECRET + b") Tj ET", OC=layer)))

    with pytest.raises(pdf_program.Refused, match="layers"):
        pdf_program.clean(page(b"/Hidden Do", resources))
