"""A PDF written anew, in a process of its own with little time and memory: bytes in, cleaned bytes out.

Nothing is copied that is not on a list. Of a page these are its measures, its content and what that content draws
with. Whatever the file says about itself (author, programs, dates, earlier revisions, thumbnails), carries along
(attachments, forms, layers) or does by itself (scripts, actions, links) is not on any list. What forms and notes show
is drawn into the page first. Content is read operator by operator: comments and marks in it stay behind. Photos inside
lose what cameras write into them.

It is run by its path, in Python's isolated mode, and imports nothing of this package.
"""

from __future__ import annotations

import io
import resource
import struct
import sys
from collections.abc import Iterator
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream

MOST_PAGES = 2000
MOST_OBJECTS = 300_000
MOST_UNPACKED = 100 * 1024 * 1024
MOST_INSTRUCTIONS = 3_000_000
MOST_DEPTH = 60
MEMORY = 1024 * 1024 * 1024
SECONDS = 20

REFUSED = 3
"""The exit code with which a reason is told on the error stream."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NAMED = _words("/Font /XObject /ExtGState /ColorSpace /Pattern /Shading")
"""Parts of a page's resources: what stands in them is called by names of the file's own."""

DEFAULTS = _words("/DefaultGray /DefaultRGB /DefaultCMYK")
"""Names in resources that count without being called."""

FORMS = "/Type /Subtype /FormType /BBox /Matrix /Group /S /CS /I /K /Resources"
IMAGES = """
    /Width /Height /BitsPerComponent /Intent /ImageMask /Mask /Decode /Interpolate /SMask /SMaskInData /Matte
    /Columns /Rows /BlackIs1 /EndOfLine /EncodedByteAlign /EndOfBlock /DamagedRowsBeforeError /JBIG2Globals
    /ColorTransform
"""
FONTS = """
    /BaseFont /FirstChar /LastChar /Widths /FontDescriptor /Encoding /BaseEncoding /Differences /ToUnicode
    /DescendantFonts /CIDSystemInfo /Registry /Ordering /Supplement /DW /W /DW2 /W2 /CIDToGIDMap
    /FontMatrix /FontName /FontFamily /FontStretch /FontWeight /Flags /FontBBox /ItalicAngle /Ascent /Descent
    /Leading /CapHeight /XHeight /StemV /StemH /AvgWidth /MaxWidth /MissingWidth /FontFile /FontFile2 /FontFile3
    /CharSet /CIDSet /Length1 /Length2 /Length3 /CMapName /WMode /UseCMap
"""
COLOURS = """
    /ColorSpace /N /Alternate /Range /WhitePoint /BlackPoint /Gamma /PatternType /PaintType /TilingType /XStep
    /YStep /Shading /ExtGState /ShadingType /Background /AntiAlias /Domain /Coords /Extend /Function /FunctionType
    /C0 /C1 /Functions /Bounds /Encode /Size /BitsPerSample /Order /BitsPerCoordinate /BitsPerFlag /VerticesPerRow
"""
STATES = """
    /LW /LC /LJ /ML /D /RI /OP /op /OPM /Font /BG /BG2 /UCR /UCR2 /TR /TR2 /HT /FL /SM /SA /BM /CA /ca /AIS /TK /G
    /BC /HalftoneType /Frequency /Angle /SpotFunction /AccurateScreens /TransferFunction
"""
KEYS = _words(" ".join((FORMS, IMAGES, FONTS, COLOURS, STATES)))
"""All that is copied of whatever a page draws with; `/K` is a switch of transparency groups there, not of structure."""

OPERATORS = _words(
    """
    b B b* B* BT BX c cm CS cs d d0 d1 Do ET EX f F f* G g gs h i j J K k l m M n q Q re RG rg ri s S SC sc SCN scn
    sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' "
    """
)
"""All operators but those that mark content (ISO 32000-1, annex A): marks may carry texts that nobody sees."""

INLINE_KEYS = _words(
    """
    /BPC /BitsPerComponent /CS /ColorSpace /D /Decode /DP /DecodeParms /F /Filter /H /Height /IM /ImageMask /I
    /Interpolate /W /Width /Intent /L /Length
    """
)
PICTURES = {"/DCTDecode": "jpeg", "/DCT": "jpeg", "/JPXDecode": "jpx"} | dict.fromkeys(
    ("/CCITTFaxDecode", "/CCF", "/JBIG2Decode"), ""
)
"""Ways of packing that only pictures use; they stay packed."""


class Refused(Exception):  # noqa: N818 - reads as what happened
    """The file is not taken; the word says why."""


class Copying:
    """One file on its way into a fresh one."""

    def __init__(self, source: Pdf) -> None:
        self.source = source
        self.target = Pdf.new()
        self.copied: dict[tuple[int, int], Object] = {}
        self.unpacked = 0
        self.instructions = 0
        self.borrowed = self._borrowed()

    def _borrowed(self) -> set[str]:
        """Return the names used by drawings without resources of their own: they draw with those of their page."""
        used: set[str] = set()
        for found in self.source.objects:
            if isinstance(found, Stream):
                if found.get("/Subtype") == Name.Form and "/Resources" not in found:
                    self.drawn(found, used)
            elif isinstance(found, Dictionary) and "/CharProcs" in found and "/Resources" not in found:
                self._letters(found, used)
        self.unpacked = self.instructions = 0
        return used

    def pages(self) -> Pdf:
        """Return a file with the same pages."""
        for page in self.source.pages:
            found: Any = Dictionary(Type=Name.Page, MediaBox=self._box(page.mediabox), Resources=Dictionary())
            if (crop := _inherited(page.obj, "/CropBox")) is not None:
                found.CropBox = self._box(crop)
            if (turned := _inherited(page.obj, "/Rotate")) is not None:
                found.Rotate = int(turned) % 360
            if (unit := page.obj.get("/UserUnit")) is not None:
                found.UserUnit = float(unit)
            if isinstance(group := page.obj.get("/Group"), Dictionary):
                found.Group = self.copy(group)
            used: set[str] = set()
            found.Contents = self.target.make_indirect(Stream(self.target, self.drawn(page, used)))
            if isinstance(resources := _inherited(page.obj, "/Resources"), Dictionary):
                found.Resources = self.resources(resources, used)
            self.target.pages.append(pikepdf.Page(self.target.make_indirect(found)))
        return self.target

    def _box(self, box: Any) -> Array:
        numbers = [float(side) for side in box]
        if len(numbers) != 4:
            raise Refused("unreadable")
        return Array(numbers)

    def drawn(self, content: Any, used: set[str]) -> bytes:
        """Return what a page, a form or a letter draws, without comments, marks and unknown operators.

        The names it draws with are added to `used`.
        """
        kept: list[Any] = []
        for instruction in pikepdf.parse_content_stream(content):
            self.instructions += 1
            if self.instructions > MOST_INSTRUCTIONS:
                raise Refused("too_large")
            if isinstance(instruction, pikepdf.ContentStreamInlineImage):
                used |= _check_inline(instruction.iimage.obj)
                kept.append(instruction)
            elif str(instruction.operator) in OPERATORS and not any(
                isinstance(operand, Dictionary) for operand in instruction.operands
            ):
                kept.append(instruction)
                used.update(str(operand) for operand in instruction.operands if isinstance(operand, Name))
        return self._weighed(pikepdf.unparse_content_stream(kept))

    def resources(self, found: Any, used: set[str], depth: int = 0) -> Object:
        """Return what content draws with; what was deleted from a page often stays behind there, unused."""
        made = Dictionary()
        for part in sorted(NAMED & set(found.keys())):
            if isinstance(named := found[part], Dictionary):
                wanted = sorted((used | self.borrowed | DEFAULTS) & set(named.keys()))
                made[part] = Dictionary({name: self.copy(named[name], depth + 1) for name in wanted})
        return made

    def copy(self, found: Any, depth: int = 0) -> Any:
        """Return a copy of what is on the list, made once however often it is used."""
        if depth > MOST_DEPTH:
            raise Refused("unreadable")
        if not isinstance(found, Object):
            return found
        place = found.objgen
        if place in self.copied:
            return self.copied[place]
        if isinstance(found, Stream):
            # A place is taken before it is filled, for what draws itself.
            made: Any = self.target.make_indirect(Stream(self.target, b""))
            self._note(place, made)
            self._fill(found, made, depth)
            return made
        if isinstance(found, Dictionary):
            if place[0]:
                made = self.target.make_indirect(Dictionary())
                self._note(place, made)
            else:
                made = Dictionary()
            used: set[str] = set()
            if isinstance(found.get("/CharProcs"), Dictionary):
                made.CharProcs = self._letters(found, used)
            self._copy_keys(found, made, depth, used)
            return made
        if isinstance(found, Array):
            made = self.target.make_indirect(Array()) if place[0] else Array()
            self._note(place, made)
            for one in found:
                made.append(self.copy(one, depth + 1))
            return made
        if isinstance(found, Name):
            return Name(str(found))
        return pikepdf.String(bytes(found)) if isinstance(found, pikepdf.String) else found

    def _note(self, place: tuple[int, int], made: Object) -> None:
        if place[0]:
            self.copied[place] = made

    def _copy_keys(self, found: Any, made: Any, depth: int, used: set[str]) -> None:
        for key in sorted(KEYS & set(found.keys())):
            one = found[key]
            if key == "/Resources":
                if isinstance(one, Dictionary):
                    made[key] = self.resources(one, used, depth + 1)
            elif one is not None:
                made[key] = self.copy(one, depth + 1)

    def _letters(self, font: Any, used: set[str]) -> Object:
        """Return the letters of a font that are drawn like pages."""
        made = Dictionary()
        for name, letter in font.CharProcs.items():
            if not isinstance(letter, Stream):
                raise Refused("unreadable")
            made[name] = self.target.make_indirect(Stream(self.target, self.drawn(letter, used)))
        return made

    def _fill(self, found: Any, made: Any, depth: int) -> None:
        """Fill a stream: with drawing, with a picture as it was packed, or with unpacked bytes."""
        if found.get("/Subtype") == Name.PS:
            raise Refused("unreadable")
        used: set[str] = set()
        drawing = found.get("/Subtype") == Name.Form or found.get("/PatternType") == 1
        content = self.drawn(found, used) if drawing else b""
        self._copy_keys(found, made, depth, used)
        if drawing:
            made.write(content)
            return
        ways, settings = _packing(found)
        if not ways or ways[-1] not in PICTURES:
            made.write(self._weighed(found.read_bytes()))
            return
        inner = found.read_raw_bytes()
        if ways[:-1]:
            outside = Stream(self.source, inner)
            outside.Filter = Array([Name(way) for way in ways[:-1]])
            outside.DecodeParms = Array(settings[:-1])
            inner = outside.read_bytes()
        strip = {"jpeg": without_notes, "jpx": without_boxes}.get(PICTURES[ways[-1]], bytes)
        last = self.copy(settings[-1], depth + 1) if isinstance(settings[-1], Dictionary) else None
        made.write(self._weighed(strip(inner)), filter=Name(ways[-1]), decode_parms=last)

    def _weighed(self, content: bytes) -> bytes:
        self.unpacked += len(content)
        if self.unpacked > MOST_UNPACKED:
            raise Refused("too_large")
        return content


def _check_inline(image: Any) -> set[str]:
    """Refuse a picture inside the content that may hold notes of a camera, and return the names it draws with."""
    if set(image.keys()) - INLINE_KEYS:
        raise Refused("unreadable")
    ways = image.get("/F", image.get("/Filter", ()))
    if any(
        str(way) in PICTURES and PICTURES[str(way)] for way in ([ways] if isinstance(ways, Name) else ways)
    ):
        raise Refused("unreadable")
    colours = image.get("/CS", image.get("/ColorSpace"))
    return {str(colours)} if isinstance(colours, Name) else set()


def _inherited(page: Any, key: str) -> Any:
    """Return what a page says, or those above it in the tree say for it."""
    for _ in range(MOST_DEPTH):
        if (found := page.get(key)) is not None:
            return found
        page = page.get("/Parent")
        if not isinstance(page, Dictionary):
            return None
    raise Refused("unreadable")


def _packing(stream: Any) -> tuple[list[str], list[Any]]:
    """Return the ways in which a stream is packed, and the settings of each."""
    ways, settings = stream.get("/Filter"), stream.get("/DecodeParms")
    if ways is None:
        return [], []
    if isinstance(ways, Name):
        return [str(ways)], [settings[0] if isinstance(settings, Array) and len(settings) else settings]
    named = [str(way) for way in ways]
    given = list(settings) if isinstance(settings, Array) else [settings]
    return named, (given + [None] * len(named))[: len(named)]


def without_notes(photo: bytes) -> bytes:
    """Return a JPEG without notes (Exif, XMP, comments) and without anything behind its end."""
    if not photo.startswith(b"\xff\xd8"):
        raise Refused("unreadable")
    kept, place = [b"\xff\xd8"], 2
    while True:
        if photo[place : place + 1] != b"\xff" or place + 4 > len(photo):
            raise Refused("unreadable")
        kind = photo[place + 1]
        if kind == 0xFF:
            place += 1
            continue
        end = place + 2 + int.from_bytes(photo[place + 2 : place + 4], "big")
        segment = photo[place:end]
        # Of what programs note, only the two that say how colours are meant: JFIF and Adobe.
        if kind == 0xE0 and segment[4:9] == b"JFIF\0":
            kept.append(b"\xff\xe0\x00\x10" + segment[4:16] + b"\0\0")  # without its thumbnail
        elif kind == 0xEE and segment[4:9] == b"Adobe" and len(segment) >= 16:
            kept.append(b"\xff\xee\x00\x0e" + segment[4:16])
        elif 0xC0 <= kind <= 0xCF or 0xDA <= kind <= 0xDD:
            kept.append(segment)
        place = end
        if kind == 0xDA:
            last = _scan_end(photo, place)
            kept.append(photo[place:last])
            place = last
            if photo[place : place + 2] in (b"\xff\xd9", b""):
                return b"".join([*kept, b"\xff\xd9"])


def _scan_end(photo: bytes, place: int) -> int:
    """Return where the pixels of one scan of a JPEG end: before a marker that is no restart and no stuffed byte."""
    while True:
        place = photo.find(b"\xff", place)
        if place < 0 or place + 1 >= len(photo):
            return len(photo)
        if photo[place + 1] == 0xFF:
            place += 1
        elif photo[place + 1] == 0 or 0xD0 <= photo[place + 1] <= 0xD7:
            place += 2
        else:
            return place


def without_boxes(photo: bytes) -> bytes:
    """Return a JPEG 2000 picture without boxes of text, and with its comments blanked."""
    if photo.startswith(b"\xff\x4f"):
        return _blanked(photo)
    kept = []
    for kind, head, content in _boxes(photo):
        if kind == b"jp2c":
            kept.append(struct.pack(">I", 8 + len(content)) + kind + _blanked(content))
        elif kind in (b"jP  ", b"ftyp", b"jp2h"):
            kept.append(head + content)
    return b"".join(kept)


def _boxes(photo: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    place = 0
    while place + 8 <= len(photo):
        size, start = int.from_bytes(photo[place : place + 4], "big"), place + 8
        if size == 1:
            size, start = int.from_bytes(photo[place + 8 : place + 16], "big"), place + 16
        end = len(photo) if size == 0 else place + size
        if end < start or end > len(photo):
            raise Refused("unreadable")
        yield photo[place + 4 : place + 8], photo[place:start], photo[start:end]
        place = end


def _blanked(code: bytes) -> bytes:
    """Return a JPEG 2000 codestream whose comments are zeros: nothing moves, so no length in it changes."""
    changed, place, tile = bytearray(code), 2, 0
    while place + 4 <= len(code):
        kind, size = code[place : place + 2], int.from_bytes(code[place + 2 : place + 4], "big")
        if kind == b"\xff\xd9":
            break
        if kind == b"\xff\x93":  # the pixels of a tile begin
            length = int.from_bytes(code[tile + 6 : tile + 10], "big")
            if length == 0:
                break
            if length < 14:
                raise Refused("unreadable")
            place = tile + length
            continue
        if kind[:1] != b"\xff" or size < 2:
            raise Refused("unreadable")
        if kind == b"\xff\x90":
            tile = place
        if kind == b"\xff\x64":
            changed[place + 6 : place + 2 + size] = bytes(
                max(0, min(place + 2 + size, len(code)) - place - 6)
            )
        place += 2 + size
    return bytes(changed[: len(code)])


STATES_OF_USE = ("/ViewState", "/PrintState", "/ExportState")


def _check_layers(source: Pdf) -> None:
    """Refuse a file with layers that are hidden: without their switch they would show."""
    layers = source.Root.get("/OCProperties")
    if layers is None:
        return
    usual = layers.get("/D", Dictionary())
    if usual.get("/OFF", ()) or usual.get("/BaseState", Name.ON) != Name.ON:
        raise Refused("layers")
    for found in source.objects:
        group = isinstance(found, Dictionary) and found.get("/Type") == Name.OCMD
        if "/AS" in usual and isinstance(found, Dictionary) and found.get("/Type") == Name.OCG:
            states = [
                use.get(key) for _, use in found.get("/Usage", Dictionary()).items() for key in STATES_OF_USE
            ]
            if Name.OFF in states:
                raise Refused("layers")
        if group and ("/VE" in found or found.get("/P") in (Name.AllOff, Name.AnyOff)):
            raise Refused("layers")


def clean(content: bytes) -> bytes:
    """Return a PDF with the same pages and nothing else, or raise `Refused`."""
    try:
        with Pdf.open(io.BytesIO(content), suppress_warnings=True) as source:
            return _cleaned(source)
    except Refused:
        raise
    except pikepdf.PasswordError:
        raise Refused("encrypted") from None
    except MemoryError:
        raise Refused("too_large") from None
    except Exception as error:  # a parser of hostile bytes raises whatever it likes
        raise Refused("unreadable") from error


def _cleaned(source: Pdf) -> bytes:
    if source.is_encrypted:
        raise Refused("encrypted")
    if len(source.objects) > MOST_OBJECTS or len(source.pages) > MOST_PAGES:
        raise Refused("too_large")
    if not len(source.pages):
        raise Refused("unreadable")
    _check_layers(source)
    if "/AcroForm" in source.Root:
        source.generate_appearance_streams()
    source.flatten_annotations("screen")
    fresh = Copying(source).pages()
    written = io.BytesIO()
    fresh.save(
        written,
        object_stream_mode=pikepdf.ObjectStreamMode.generate,
        deterministic_id=True,
        fix_metadata_version=False,
    )
    return written.getvalue()


def _limit() -> None:
    """Take what this process may use: memory, seconds of work, and no file that it writes."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> int:
    """Clean what comes in; the exit code and a word on the error stream say why if it is refused."""
    _limit()
    try:
        cleaned = clean(sys.stdin.buffer.read())
    except Refused as error:
        sys.stderr.write(str(error))
        return REFUSED
    sys.stdout.buffer.write(cleaned)
    return 0


if __name__ == "__main__":
    sys.exit(main())
