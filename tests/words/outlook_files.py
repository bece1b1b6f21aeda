"""Outlook's .msg files, as small as they can be: a compound file with the properties of one message."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from itertools import pairwise

SECTOR, MINI, CUTOFF = 512, 64, 4096
FREE, END, FAT, NONE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
STREAM, STORAGE, ROOT = 2, 1, 5
SUBJECT, BODY, HEADERS, SENDER_NAME, SENDER = 0x0037, 0x1000, 0x007D, 0x0C1A, 0x0C1F
DISPLAY, ADDRESS, SUBMITTED, HTML, RTF = 0x3001, 0x3003, 0x0039, 0x1013, 0x1009


def msg(
    sender: str,
    recipients: Sequence[str],
    subject: str,
    body: str,
    *,
    headers: str = "",
    html: bytes = b"",
    rtf: bytes = b"",
    name: str = "",
    names: Sequence[str] = (),
) -> bytes:
    """Return a .msg file."""
    texts = {SUBJECT: subject, BODY: body, HEADERS: headers, SENDER: sender, SENDER_NAME: name}
    files = _properties(
        texts, struct.pack("<8x4I8x", len(recipients), 0, len(recipients), 0), {HTML: html, RTF: rtf}
    )
    shown = names or [address.partition("@")[0] for address in recipients]
    for number, (address, called) in enumerate(zip(recipients, shown, strict=True)):
        inside = _properties({DISPLAY: called, ADDRESS: address}, bytes(8))
        files |= {f"__recip_version1.0_#{number:08X}/{path}": content for path, content in inside.items()}
    return compound(files)


def _properties(
    texts: dict[int, str], head: bytes, more: Mapping[int, bytes] | None = None
) -> dict[str, bytes]:
    files, rows = {}, [struct.pack("<HHIII", 0x0003, 0x340D, 6, 0x40000, 0)]
    for number, text in texts.items():
        if text:
            content = text.encode("utf-16-le")
            files[f"__substg1.0_{number:04X}001F"] = content
            rows.append(struct.pack("<HHIII", 0x001F, number, 6, len(content) + 2, 0))
    for number, binary in (more or {}).items():
        if binary:
            files[f"__substg1.0_{number:04X}0102"] = binary
            rows.append(struct.pack("<HHIII", 0x0102, number, 6, len(binary), 0))
    return files | {"__properties_version1.0": head + b"".join(rows)}


def compound(files: dict[str, bytes]) -> bytes:
    """Return a compound file (OLE, version 3) with these streams."""
    entries: list[dict[str, object]] = [{"name": "Root Entry", "kind": ROOT, "inside": []}]
    places = {"": 0}
    for path in sorted(files):
        above = ""
        *folders, _ = path.split("/")
        for folder in folders:
            here = f"{above}/{folder}".lstrip("/")
            if here not in places:
                places[here] = len(entries)
                entries[places[above]]["inside"].append(len(entries))  # type: ignore[attr-defined]
                entries.append({"name": folder, "kind": STORAGE, "inside": []})
            above = here
        entries[places[above]]["inside"].append(len(entries))  # type: ignore[attr-defined]
        entries.append({"name": path.split("/")[-1], "kind": STREAM, "content": files[path], "inside": []})
    small, minifat = b"", []
    for entry in entries:
        content = entry.get("content", b"")
        assert isinstance(content, bytes)
        if entry["kind"] == STREAM and 0 < len(content) < CUTOFF:
            first, count = len(minifat), -(-len(content) // MINI)
            minifat += [*range(first + 1, first + count), END]
            small += content.ljust(count * MINI, b"\0")
            entry["start"] = first
    fat: list[int] = [FAT] * 4  # room for the table of 512 sectors
    sectors = b""

    def placed(content: bytes) -> int:
        nonlocal sectors
        count = -(-len(content) // SECTOR)
        if not count:
            return END
        first = len(fat)
        fat.extend([*range(first + 1, first + count), END])
        sectors += content.ljust(count * SECTOR, b"\0")
        return first

    for entry in entries:
        content = entry.get("content", b"")
        assert isinstance(content, bytes)
        if len(content) >= CUTOFF:
            entry["start"] = placed(content)
    entries[0] |= {"start": placed(small), "content": small}
    minifat_start = (
        placed(struct.pack(f"<{len(minifat)}I", *minifat).ljust(SECTOR, b"\xff")) if minifat else END
    )
    directory = placed(_directory(entries))
    assert len(fat) <= 4 * SECTOR // 4, "a message this large is none of ours"
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(4 * SECTOR, b"\xff")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack(
        "<IIIIIIIII", 0, 4, directory, 0, CUTOFF, minifat_start, int(minifat_start != END), END, 0
    )
    head += struct.pack("<4I", 0, 1, 2, 3) + b"\xff" * (105 * 4)
    return head + table + sectors


def _directory(entries: list[dict[str, object]]) -> bytes:
    siblings: dict[int, int] = {}
    for entry in entries:
        inside: list[int] = entry["inside"]  # type: ignore[assignment]
        siblings |= dict(pairwise([*inside, NONE]))
    made = b""
    for place, entry in enumerate(entries):
        name = str(entry["name"]).encode("utf-16-le") + b"\0\0"
        content, children = entry.get("content", b""), entry["inside"]
        assert isinstance(content, bytes)
        assert isinstance(children, list)
        made += name.ljust(64, b"\0") + struct.pack("<HBB", len(name), entry["kind"], 1)
        made += struct.pack("<III", NONE, siblings.get(place, NONE), children[0] if children else NONE)
        made += bytes(36) + struct.pack(
            "<IQ", entry.get("start", END if entry["kind"] == STREAM else 0), len(content)
        )
    return made.ljust(-(-len(made) // SECTOR) * SECTOR, b"\0")
