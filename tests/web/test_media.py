"""Uploads: a thousand hostile ones are refused or come out clean, and honest ones keep what they show."""

from __future__ import annotations

import io
import struct
import time
import warnings
import zipfile
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from random import Random
from threading import Event
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageOps, PngImagePlugin
from tests.web.crowd import Crowd
from tests.web.papers import all_bytes, drawn, paper

from entrenous.web.rules.refusals import UploadRefused
from entrenous.web.service import media
from entrenous.web.service.media import THUMBNAIL, Upload, check_upload
from entrenous.web.settings import Settings

SETTINGS = Settings(upload_bytes=300_000, upload_pixels=200_000)
SECRET = b"planted-48.8584N-2.2945E"
"""What no kept photo may hold: a position, as in EXIF."""

Make = Callable[[Random], bytes]


def picture(random: Random, form: str = "JPEG", mode: str = "RGB", **options: object) -> bytes:
    image = Image.new(mode, (random.randrange(20, 200), random.randrange(20, 200)), random.randrange(256))
    ImageDraw.Draw(image).ellipse((4, 4, 16, 16), fill=random.randrange(256))
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def exif(orientation: int = 1) -> Image.Exif:
    entry = Image.Exif()
    entry[0x0112] = orientation
    entry[0x010E] = SECRET.decode()  # the description
    entry.get_ifd(0x8825)[0x001D] = SECRET.decode()  # the GPS part
    return entry


def png_chunk(kind: bytes, content: bytes) -> bytes:
    return (
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content) & 0xFFFFFFFF)
    )


def png_of(width: int, height: int, pixels: bytes, *chunks: bytes) -> bytes:
    head = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    body = png_chunk(b"IDAT", zlib.compress(pixels))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + body + png_chunk(b"IEND", b"")


def archive(content: bytes = b"#!/bin/sh") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("run.sh", content)
        packed.writestr("planted.txt", SECRET)
    return buffer.getvalue()


def pdf(*parts: bytes, end: bytes = b"\n%%EOF\n") -> bytes:
    return b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" + b"\n".join(parts) + end


def packed_stream(content: bytes) -> bytes:
    return b"2 0 obj\n<< /Filter /FlateDecode >>\nstream\n" + zlib.compress(content) + b"\nendstream\nendobj"


@cache
def packed_zeros(megabytes: int) -> bytes:
    return packed_stream(bytes(megabytes * 1024 * 1024))


def stored_block(content: bytes) -> bytes:
    """A part of a compressed stream that is not compressed, and not the last."""
    return struct.pack("<BHH", 0, len(content), len(content) ^ 0xFFFF) + content


def parts_inside_parts(depth: int, empty: int) -> bytes:
    """Compressed parts that all run on to the same end: little to keep, much to read."""
    head = b"stream\n\x78\x01"
    return pdf(head + stored_block(head) * depth + stored_block(b"") * empty)


def drop_by_drop(content: bytes) -> bytes:
    """A compressed part that gives one byte at a time, however much of it is read at once."""
    return b"stream\n\x78\x01" + b"".join(
        stored_block(content[place : place + 1]) + stored_block(b"") * 13_200 for place in range(len(content))
    )


def flipped(content: bytes, random: Random) -> bytes:
    """Change a few bytes behind the first ones."""
    changed = bytearray(content)
    for _ in range(random.randrange(1, 20)):
        changed[random.randrange(12, len(changed))] = random.randrange(256)
    return bytes(changed)


def _noise(random: Random) -> bytes:
    start = random.choice(
        [b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"RIFF\x00\x00\x00\x00WEBP", b"%PDF-1.4\n", b""]
    )
    return start + random.randbytes(random.randrange(1, 3000)) + b"\xff"


HOSTILE: dict[str, Make] = {
    "more pixels than allowed": lambda random: png_of(30_000, 30_000, b"\x00" * 1000),
    "a bomb of zeros": lambda random: png_of(600, 400 + random.randrange(400), bytes((600 * 3 + 1) * 800)),
    "a bomb in a text": lambda random: png_of(
        2, 2, bytes(14), png_chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(20_000_000), 1))
    ),
    "a bomb in a profile": lambda random: png_of(
        2, 2, bytes(14), png_chunk(b"iCCP", b"k\0\0" + zlib.compress(bytes(8_000_000), 1))
    ),
    "too large": lambda random: picture(random) + random.randbytes(300_000),
    "positions in JPEG": lambda random: picture(random, exif=exif(random.randrange(1, 9))),
    "positions in PNG": lambda random: picture(random, "PNG", exif=exif()),
    "positions in WebP": lambda random: picture(random, "WEBP", exif=exif()),
    "a comment in JPEG": lambda random: picture(random, comment=SECRET),
    "XMP in WebP": lambda random: picture(random, "WEBP", xmp=SECRET),
    "text in PNG": lambda random: picture(random, "PNG", pnginfo=_text_chunk()),
    "an archive behind JPEG": lambda random: picture(random) + archive(),
    "an archive behind PNG": lambda random: picture(random, "PNG") + archive(),
    "a page behind JPEG": lambda random: picture(random) + b"<script>alert('" + SECRET + b"')</script>",
    "an archive that is a PDF": lambda random: pdf(archive(), end=b"\n%%EOF"),
    "cut JPEG": lambda random: picture(random)[: random.randrange(20, 400)],
    "cut PNG": lambda random: picture(random, "PNG")[: random.randrange(20, 100)],
    "broken JPEG": lambda random: flipped(picture(random), random),
    "broken PNG": lambda random: flipped(picture(random, "PNG"), random),
    "broken WebP": lambda random: flipped(picture(random, "WEBP"), random),
    "noise": _noise,
    "GIF": lambda random: picture(random, "GIF", "P"),
    "TIFF": lambda random: picture(random, "TIFF"),
    "BMP": lambda random: picture(random, "BMP"),
    "SVG with NUL": lambda random: b"<svg xmlns='http://www.w3.org/2000/svg' onload='x()'>\x00</svg>",
    "a program": lambda random: b"MZ\x90\x00" + random.randbytes(500),
    "ELF": lambda random: b"\x7fELF\x02\x01\x01\x00" + random.randbytes(500),
    "an archive": lambda random: archive(random.randbytes(100)),
    "a script in a PDF": lambda random: pdf(b"<< /S /JavaScript /JS (app.alert(1)) >>"),
    "a spelled-out script in a PDF": lambda random: pdf(b"<< /S /J#61va#53cript >>"),
    "a packed script in a PDF": lambda random: pdf(packed_stream(b"<< /OpenAction << /S /Launch >> >>")),
    "a script packed twice in a PDF": lambda random: pdf(
        b"2 0 obj\n<< /Type /ObjStm /Filter [/ASCIIHexDecode /FlateDecode] >>\nstream\n00\nendstream"
    ),
    "a script far inside a PDF": lambda random: pdf(
        packed_stream(bytes(random.randrange(300_000)) + b"/JavaScript" + bytes(9))
    ),
    "a PDF of parts inside parts": lambda random: parts_inside_parts(3000 + random.randrange(500), 40_000),
    "packed objects behind a false head": lambda random: pdf(
        b"2 0 obj\n<< /Type /ObjStm /Filter /LZWDecode /Note (obj) >>\nstream\n00\nendstream"
    ),
    "packed objects behind a long head": lambda random: pdf(
        b"2 0 obj\n<< /Type /ObjStm /Filter /LZWDecode" + b" " * 5000 + b">>\nstream\n00\nendstream"
    ),
    "a file in a PDF": lambda random: pdf(b"<< /Type /EmbeddedFile >>"),
    "an encrypted PDF": lambda random: pdf(b"trailer << /Encrypt 5 0 R >>"),
    "a cut PDF": lambda random: pdf(end=b""),
    "a PDF bomb": lambda random: pdf(*[packed_zeros(8)] * 30),
    "something behind a PDF": lambda random: pdf() + b"<script>alert(1)</script>",
    "text that is none": lambda random: b"hello \x1b]0;title\x07 \x00",
    "nothing": lambda random: b"",
}
SLOW = ("a bomb in a text", "a bomb in a profile", "a PDF bomb")
PAPERS = {name for name in HOSTILE if "PDF" in name or name.startswith("packed objects")}
"""Each of them takes a process of its own: a few of each do."""

NEVER_KEPT = set(HOSTILE) - {
    "positions in JPEG",
    "positions in PNG",
    "positions in WebP",
    "a comment in JPEG",
    "XMP in WebP",
    "text in PNG",
    "an archive behind JPEG",
    "an archive behind PNG",
    "a page behind JPEG",
    "broken JPEG",
    "broken PNG",
    "broken WebP",
    "cut JPEG",
    "a bomb in a profile",
    "a bomb in a text",
    "noise",
}
"""What has no honest reading; all else may be kept, cleaned."""


def _text_chunk() -> PngImagePlugin.PngInfo:
    info = PngImagePlugin.PngInfo()
    info.add_text("Location", SECRET.decode())
    info.add_itxt("XML:com.adobe.xmp", SECRET.decode())
    return info


def kept(content: bytes) -> Upload | None:
    try:
        return check_upload(io.BytesIO(content), "../../evil\r\n<b>.php", SETTINGS)
    except UploadRefused:
        return None


def refusal(content: bytes) -> str:
    """The reason for which an upload is refused, nothing if it is kept."""
    try:
        check_upload(content, "a", SETTINGS)
    except UploadRefused as error:
        return error.code
    return ""


def is_clean(upload: Upload) -> bool:
    """Whether a kept photo decodes, is what it says, and holds pixels alone."""
    image = Image.open(io.BytesIO(upload.content))
    image.load()
    quiet = not image.getexif() and not {"exif", "xmp", "comment", "icc_profile", "Location"} & set(
        image.info
    )
    again = io.BytesIO()
    image.save(again, image.format, quality=88)
    # Nothing hides behind the end: encoding the pixels anew takes as much room, give or take the encoder's rounding.
    sized = len(upload.content) <= 1.2 * len(again.getvalue()) + 100
    return quiet and sized and SECRET not in upload.content and b"PK\x05\x06" not in upload.content


# The service does not stop at warnings, so what passes with one counts too.
@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_a_thousand_hostile_uploads_are_refused_or_cleaned() -> None:
    random = Random(2030)
    counts = {"refused": 0, "cleaned": 0}
    rounds = {name: 2 if name in SLOW else 4 if name in PAPERS else 35 for name in HOSTILE}
    for name, make in HOSTILE.items():
        for _ in range(rounds[name]):
            upload = kept(make(random))
            if upload is None:
                counts["refused"] += 1
                continue
            assert name not in NEVER_KEPT, name
            assert upload.kind == "photo", name
            assert is_clean(upload), name
            assert upload.name == f"evil-b.{upload.media_type.removeprefix('image/').replace('jpeg', 'jpg')}"
            counts["cleaned"] += 1
    assert sum(counts.values()) >= 1000
    assert min(counts.values()) >= 200


def test_uploads_take_turns_and_leave_the_process_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A photo takes much memory for a moment, and filters of warnings belong to all threads at once."""
    turned, at_once, most, filters = ImageOps.exif_transpose, 0, 0, []
    content = picture(Random(1))

    def slow(image: Image.Image, *, in_place: bool) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        filters.append(list(warnings.filters))
        time.sleep(0.05)
        at_once -= 1
        turned(image, in_place=in_place)

    monkeypatch.setattr(ImageOps, "exif_transpose", slow)
    with ThreadPoolExecutor(6) as threads:
        kinds = list(threads.map(lambda _: check_upload(content, "a.jpg", SETTINGS).kind, range(6)))
    assert kinds == ["photo"] * 6
    assert most == 2
    monkeypatch.setattr(media, "PATIENCE", 0.01)
    with ThreadPoolExecutor(3) as threads:
        codes = sorted(threads.map(lambda _: refusal(content), range(3)))
    assert codes == ["", "", "busy"]
    assert all(seen == list(warnings.filters) for seen in filters)


def test_one_person_has_one_upload_looked_at_at_a_time(crowd: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    crowd.add("ann", "bob")
    looked_at, go_on = Event(), Event()
    checked, file = media._checked, ("a.jpg", picture(Random(1)), "image/jpeg")

    def slow(*given: Any) -> Upload:
        looked_at.set()
        go_on.wait(10)
        return checked(*given)

    def send(who: str) -> Any:
        return crowd.clients[who].post("/items", data={"title": "One", "do": "draft"}, files={"file": file})

    monkeypatch.setattr(media, "_checked", slow)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(send, "ann")
        looked_at.wait(10)
        refused = send("ann")
        other = threads.submit(send, "bob")
        go_on.set()
        assert (first.result().status_code, other.result().status_code) == (200, 200)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "60")
    assert "nother upload of yours" in refused.text
    assert send("ann").status_code == 200


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_a_photo_keeps_its_kind_its_size_and_nearly_its_colours(form: str) -> None:
    image = Image.linear_gradient("L").resize((300, 200)).convert("RGB")
    buffer = io.BytesIO()
    image.save(buffer, form, quality=95)
    upload = check_upload(buffer.getvalue(), "Grandma's 80th.JPG", SETTINGS)
    again = Image.open(io.BytesIO(upload.content)).convert("RGB")
    assert (again.size, upload.media_type) == ((300, 200), f"image/{form.lower()}")
    assert max(abs(a - b) for a, b in zip(image.tobytes(), again.tobytes(), strict=True)) < 20


def test_a_photo_is_turned_upright_before_its_metadata_goes() -> None:
    image = Image.new("RGB", (60, 30), "white")
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", exif=exif(orientation=6))
    assert Image.open(io.BytesIO(check_upload(buffer.getvalue(), "a", SETTINGS).content)).size == (30, 60)


def test_a_thumbnail_is_small_and_white_where_a_photo_is_see_through() -> None:
    buffer = io.BytesIO()
    Image.new("RGBA", (600, 300), (255, 0, 0, 0)).save(buffer, "PNG")
    upload = check_upload(buffer.getvalue(), "a.png", SETTINGS)
    small = Image.open(io.BytesIO(upload.thumbnail or b""))
    assert (small.format, max(small.size)) == ("JPEG", THUMBNAIL)
    assert small.getpixel((10, 10)) == (255, 255, 255)
    assert Image.open(io.BytesIO(upload.content)).mode == "RGBA"


@pytest.mark.parametrize(
    ("mode", "form"), [("P", "PNG"), ("LA", "PNG"), ("1", "PNG"), ("I;16", "PNG"), ("CMYK", "JPEG")]
)
def test_unusual_kinds_of_pixels_are_taken(mode: str, form: str) -> None:
    buffer = io.BytesIO()
    Image.new(mode, (20, 20)).save(buffer, form)
    assert check_upload(buffer.getvalue(), "a", SETTINGS).kind == "photo"


def test_documents_are_kept_as_they_are() -> None:
    text = b"Minutes, 3 May\n\n- we met\n"
    assert check_upload(text, "minutes.html", SETTINGS) == Upload(
        "document", "text/plain", text, None, "minutes.txt"
    )


def test_a_pdf_keeps_its_pages_however_they_are_packed() -> None:
    plain, packed = paper(), paper(packed=True)
    assert b"/ObjStm" in packed
    for content in (plain, packed):
        upload = check_upload(content, "paper", SETTINGS)
        assert (upload.kind, upload.media_type, upload.name) == ("document", "application/pdf", "paper.pdf")
        assert drawn(upload.content) == drawn(content)


def test_a_script_goes_however_slowly_it_unpacks() -> None:
    settings = Settings(upload_bytes=2_000_000)
    slow = drop_by_drop(b" /JavaScript ").removeprefix(b"stream\n")
    upload = check_upload(paper(raw=slow), "a.pdf", settings)
    assert len(upload.content) < 3000
    assert b"JavaScript" not in all_bytes(upload.content)


def test_reading_stops_at_the_limit() -> None:
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size: int = -1) -> bytes:
            self.given += size
            return bytes(size)

    stream = Endless()
    with pytest.raises(UploadRefused) as caught:
        check_upload(stream, "a", SETTINGS)  # type: ignore[arg-type]
    assert caught.value.code == "too_large"
    assert stream.given <= SETTINGS.upload_bytes + 2 * 64 * 1024
