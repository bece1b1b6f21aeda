"""PDF files with all sorts of things planted in them, and what can be found in one however it is packed."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, Stream, String
from PIL import Image

PLANTED = "planted-Ann-Miller"
"""What no cleaned file may hold anywhere."""

WORDS = b"BT /F1 12 Tf 20 20 Td (Minutes of May) Tj ET"


def paper(*plants: str, packed: bool = False, raw: bytes = b"", pages: int = 2) -> bytes:
    """Return a file of a few pages, with some of `PLANTS` in it."""
    made = Pdf.new()
    for _ in range(pages):
        made.add_blank_page(page_size=(200, 100))
    for page in made.pages:
        page.Resources = Dictionary(Font=Dictionary(F1=_font()))
        page.Contents = Stream(made, WORDS)
    if raw:  # a part that says it is packed, and is never drawn
        made.Root.Note = made.make_indirect(Stream(made, raw, Filter=Name.FlateDecode))
    for name in plants:
        PLANTS[name](made)
    mode = pikepdf.ObjectStreamMode.generate if packed else pikepdf.ObjectStreamMode.disable
    written = io.BytesIO()
    made.save(written, object_stream_mode=mode, compress_streams=packed, fix_metadata_version=False)
    return written.getvalue()


def _font() -> Dictionary:
    return Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)


def _text() -> String:
    return String(PLANTED)


def _script() -> Dictionary:
    return Dictionary(S=Name.JavaScript, JS=String(f"app.alert('{PLANTED}')"))


def _uri() -> Dictionary:
    return Dictionary(S=Name.URI, URI=String(f"https://example.org/{PLANTED}"))


def _info(made: Any) -> None:
    made.docinfo["/Author"] = PLANTED
    made.docinfo["/Producer"] = PLANTED


def _xmp(made: Any) -> None:
    made.Root.Metadata = made.make_indirect(
        Stream(made, f"<x>{PLANTED}</x>".encode(), Type=Name.Metadata, Subtype=Name.XML)
    )


def _ids(made: Any) -> None:
    made.trailer.ID = Array([_text(), _text()])


def _open_action(made: Any) -> None:
    made.Root.OpenAction = _uri()
    made.Root.URI = Dictionary(Base=_text())


def _names(made: Any) -> None:
    tree = Dictionary(Names=Array([_text(), made.make_indirect(_script())]))
    made.Root.Names = Dictionary(JavaScript=tree)


def _attachment(made: Any) -> None:
    made.attachments["secret.txt"] = PLANTED.encode()


def _page_actions(made: Any) -> None:
    page = made.pages[0]
    page.AA = Dictionary(O=_script())
    page.PieceInfo = Dictionary(App=Dictionary(Private=_text()))
    page.Metadata = made.make_indirect(Stream(made, PLANTED.encode()))
    page.Thumb = made.make_indirect(Stream(made, PLANTED.encode(), Width=1, Height=1))
    page.LastModified = _text()


def _links(made: Any) -> None:
    acts: list[Dictionary] = [_uri(), _script()]
    for name in ("Launch", "GoToR", "ImportData", "SubmitForm", "Rendition", "GoToE", "Movie", "Sound"):
        acts.append(Dictionary(S=Name(f"/{name}"), F=_text(), Next=_uri()))
    made.pages[0].Annots = Array(
        [
            made.make_indirect(
                Dictionary(
                    Type=Name.Annot, Subtype=Name.Link, Rect=[0, 0, 9, 9], A=act, AA=Dictionary(E=_script())
                )
            )
            for act in acts
        ]
    )


def _note(made: Any) -> None:
    note = Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=[0, 0, 9, 9], T=_text(), Contents=_text())
    carried = Dictionary(Type=Name.Filespec, F=_text(), EF=Dictionary(F=Stream(made, PLANTED.encode())))
    file = Dictionary(Type=Name.Annot, Subtype=Name.FileAttachment, Rect=[0, 0, 9, 9], FS=carried)
    made.pages[0].Annots = Array([made.make_indirect(note), made.make_indirect(file)])


def _form(made: Any) -> None:
    """A field that shows a word, and carries a script and more than it shows."""
    looks = Stream(
        made,
        b"BT /F1 9 Tf (Signed) Tj ET",
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=[0, 0, 60, 20],
        Resources=Dictionary(Font=Dictionary(F1=_font())),
    )
    field = made.make_indirect(
        Dictionary(
            Type=Name.Annot,
            Subtype=Name.Widget,
            FT=Name.Tx,
            T=_text(),
            TU=_text(),
            Rect=[10, 60, 70, 80],
            AP=Dictionary(N=made.make_indirect(looks)),
            AA=Dictionary(K=_script()),
            F=4,
        )
    )
    made.pages[0].Annots = Array([field])
    made.Root.AcroForm = Dictionary(Fields=Array([field]), XFA=Stream(made, PLANTED.encode()))


def _image(made: Any) -> None:
    """A photo with notes of its camera, metadata of its own, and something behind its end."""
    entry = Image.Exif()
    entry[0x010E] = PLANTED
    written = io.BytesIO()
    Image.linear_gradient("L").convert("RGB").save(written, "JPEG", exif=entry, comment=PLANTED.encode())
    drawing = Stream(made, written.getvalue() + PLANTED.encode())
    drawing.Type, drawing.Subtype, drawing.Filter = Name.XObject, Name.Image, Name.DCTDecode
    drawing.Width, drawing.Height, drawing.BitsPerComponent = 256, 256, 8
    drawing.ColorSpace = Name.DeviceRGB
    drawing.Metadata = made.make_indirect(Stream(made, PLANTED.encode()))
    drawing.Name = Name(f"/{PLANTED}")
    made.pages[0].Resources.XObject = Dictionary(Im0=made.make_indirect(drawing))
    made.pages[0].Contents = Stream(made, WORDS + b" q 50 0 0 50 0 0 cm /Im0 Do Q")


def _drawing(made: Any) -> None:
    """A form inside a form, both with metadata, and with marks and comments in what they draw."""
    mark = b"%%%b\n/Span <</ActualText (%b)>> BDC " % (PLANTED.encode(), PLANTED.encode())
    inner = Stream(made, mark + WORDS + b" EMC")
    outer = Stream(made, b"/MP0 MP /Inner Do (" + PLANTED.encode() + b") whatever")
    for one in (inner, outer):
        one.Type, one.Subtype, one.BBox = Name.XObject, Name.Form, Array([0, 0, 99, 99])
        one.PieceInfo = Dictionary(App=Dictionary(Private=_text()))
        one.LastModified = _text()
        one.Metadata = made.make_indirect(Stream(made, PLANTED.encode()))
    inner.Resources = Dictionary(Font=Dictionary(F1=_font()))
    outer.Resources = Dictionary(
        XObject=Dictionary(Inner=made.make_indirect(inner)), Properties=Dictionary(P=_text())
    )
    made.pages[0].Resources.XObject = Dictionary(Outer=made.make_indirect(outer))
    made.pages[0].Contents = Array([Stream(made, WORDS), Stream(made, b"/Outer Do % " + PLANTED.encode())])


def _outline(made: Any) -> None:
    entry = made.make_indirect(Dictionary(Title=_text(), A=_uri()))
    made.Root.Outlines = made.make_indirect(Dictionary(Type=Name.Outlines, First=entry, Last=entry, Count=1))
    made.Root.PageLabels = Dictionary(Nums=Array([0, Dictionary(P=_text())]))
    made.Root.StructTreeRoot = Dictionary(Type=Name.StructTreeRoot, K=Dictionary(Alt=_text()))
    made.Root.Lang = _text()


PLANTS = {
    "info": _info,
    "xmp": _xmp,
    "ids": _ids,
    "open action": _open_action,
    "script by name": _names,
    "attachment": _attachment,
    "page actions": _page_actions,
    "links": _links,
    "notes": _note,
    "form": _form,
    "photo": _image,
    "drawings": _drawing,
    "outline": _outline,
}


def revised() -> bytes:
    """Return a file whose first revision named its author, and whose last one does not."""
    first = paper("info")
    made = Pdf.open(io.BytesIO(first))
    info = made.trailer.Info.objgen[0]
    start = first.rindex(b"startxref")
    place = int(first[start:].split()[1])
    new = len(first)
    added = b"%d 0 obj\n<< /Title (Minutes) >>\nendobj\n" % info
    table = new + len(added)
    root = made.Root.objgen[0]
    added += b"xref\n%d 1\n%010d 00000 n \n" % (info, new)
    sizes = (len(made.objects) + 1, root, info, place)
    added += b"trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R /Prev %d >>\n" % sizes
    return first + added + b"startxref\n%d\n%%%%EOF\n" % table


def all_bytes(content: bytes) -> bytes:
    """Return a file with everything in it unpacked: streams, also inside streams, and every object as text."""
    parts = [content]
    with Pdf.open(io.BytesIO(content)) as opened:
        parts.append(opened.trailer.unparse())
        for one in opened.objects:
            if isinstance(one, Stream):
                parts.append(one.read_raw_bytes())
                parts.append(pikepdf.Dictionary(dict(one.items())).unparse())
                with suppress(pikepdf.PdfError):
                    parts.append(one.read_bytes())
            elif one is not None and hasattr(one, "unparse"):
                parts.append(one.unparse(resolved=True))
                if isinstance(one, pikepdf.String):
                    parts.append(bytes(one))
    return b"\n".join(parts)


def drawn(content: bytes) -> list[list[str]]:
    """Return what the pages of a file draw, operator by operator, but for marks."""
    marks = ("BDC", "BMC", "EMC", "MP", "DP")
    with Pdf.open(io.BytesIO(content)) as opened:
        return [
            [
                str(one.operator) + " " + " ".join(map(str, one.operands))
                for one in pikepdf.parse_content_stream(page)
                if str(one.operator) not in marks
            ]
            for page in opened.pages
        ]
