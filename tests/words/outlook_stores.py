"""Outlook's stores (.pst), as small as they can be: one folder with items, by the public specification [MS-PST].

A store is a file of blocks that two trees find: one has the place of each block, the other the blocks of each node (a
folder, a table, an item). Properties lie in a heap within a block; a long value has a node below the item's.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

CLASS, SUBJECT, HEADERS, BODY, HTML, RTF = 0x001A, 0x0037, 0x007D, 0x1000, 0x1013, 0x1009
SENDER_NAME, SENDER, SENDER_SMTP, SUBMITTED, CODEPAGE = 0x0C1A, 0x0C1F, 0x5D01, 0x0039, 0x3FDE
NAME, ADDRESS, SMTP = 0x3001, 0x3003, 0x39FE
RECIPIENTS = 0x692  # the node of an item's table of recipients
STORE, ROOT, FOLDER = 0x21, 0x122, 0x8022
TABLES = (0x0D, 0x0E, 0x0F)  # of a folder: its folders, its items, what is hidden in it
PAGE, LONGEST, FIRST = 512, 3580, 1024
Value = str | bytes | int | datetime


class Item(NamedTuple):
    """What lies in a folder: its properties, and those of each recipient."""

    properties: Mapping[int, Value]
    recipients: Sequence[Mapping[int, str]] = ()


def pst(*items: Item) -> bytes:
    """Return a store with these items in a folder."""
    made = _Store()
    made.node(STORE, _properties({NAME: "store"}, {}), 0)
    places = range(0x10001, 0x10001 + len(items))
    inside = {ROOT: ([FOLDER], []), FOLDER: ([], [place << 5 | 0x04 for place in places])}
    for number, listed in inside.items():
        made.node(number, _properties({NAME: "folder"}, {}), ROOT)
        for kind, each in zip(TABLES, (*listed, []), strict=True):
            made.node((number & ~0x1F) | kind, _table([{} for _ in each], each), 0)
    for place, item in zip(places, items, strict=True):
        below: dict[int, bytes] = {}
        data = _properties(item.properties, below)
        if item.recipients:
            below[RECIPIENTS] = _table(item.recipients, range(len(item.recipients)))
        made.node(place << 5 | 0x04, data, FOLDER, below)
    return made.written()


def packed(text: bytes) -> bytes:
    """Return RTF as it lies in a store ([MS-OXRTFCP]): eight letters at a time, said to be letters, and an end."""
    whole = len(text) // 8 * 8
    rest, end = text[whole:], ((207 + len(text)) % 4096) << 4
    content = b"".join(b"\0" + text[first : first + 8] for first in range(0, whole, 8))
    content += bytes([1 << len(rest)]) + rest + end.to_bytes(2, "big")
    return struct.pack("<II4sI", len(content) + 12, len(text), b"LZFu", _sum(content)) + content


class _Store:
    """Blocks as they are placed in a file, and the trees that find them."""

    def __init__(self) -> None:
        self._content = bytearray(FIRST)
        self._number = 4
        self._blocks: list[bytes] = []
        self._nodes: list[tuple[int, bytes]] = []

    def node(self, number: int, data: bytes, parent: int, below: Mapping[int, bytes] | None = None) -> None:
        inside = 0
        if below:
            rows = [struct.pack("<QQQ", each, self._block(below[each]), 0) for each in sorted(below)]
            inside = self._block(struct.pack("<BBHI", 2, 0, len(rows), 0) + b"".join(rows), internal=2)
        row = struct.pack("<QQQII", number, self._block(data), inside, parent, 0)
        self._nodes.append((number, row))

    def written(self) -> bytes:
        """Return the file."""
        nodes = self._tree([row for _, row in sorted(self._nodes)], 0x81)
        blocks = self._tree(self._blocks, 0x80)
        root = (
            struct.pack("<IQQQQ", 0, len(self._content), 0x4400, 0, 0)
            + nodes
            + blocks
            + struct.pack("<BBH", 2, 0, 0)
        )
        head = struct.pack("<HHHBBIIQQI128xQ", 0x4D53, 23, 19, 1, 1, 0, 0, 0, self._number, 1, 0) + root
        head += struct.pack("<I", 0) + b"\xff" * 256 + struct.pack("<BBHQ", 0x80, 0, 0, self._number)
        sums = struct.pack("<I", _sum(head[:471])), struct.pack("<I", _sum(head))
        self._content[:564] = (b"!BDN" + sums[0] + head + sums[1]).ljust(564, b"\0")
        return bytes(self._content)

    def _block(self, data: bytes, internal: int = 0) -> int:
        assert len(data) <= 8176, "a block this large is none of ours"
        number, place = self._new(internal), len(self._content)
        padded = -(-(len(data) + 16) // 64) * 64
        self._content += data.ljust(padded - 16, b"\0")
        self._content += struct.pack("<HHIQ", len(data), _mark(place, number), _sum(data), number)
        self._blocks.append(struct.pack("<QQHHI", number, place, len(data), 2, 0))
        return number

    def _tree(self, rows: list[bytes], kind: int) -> bytes:
        """Write pages of rows, and pages of those, and return the number and the place of the top."""
        level = 0
        while True:
            size = len(rows[0])
            fit = 488 // size
            above = []
            for first in range(0, len(rows), fit):
                some = rows[first : first + fit]
                number, place = self._page(
                    b"".join(some), struct.pack("<BBBBI", len(some), fit, size, level, 0), kind
                )
                above.append(some[0][:8] + struct.pack("<QQ", number, place))
            if len(above) == 1:
                return above[0][8:]
            rows, level = above, level + 1

    def _page(self, rows: bytes, tail: bytes, kind: int) -> tuple[int, int]:
        self._content += bytes(-len(self._content) % PAGE)
        number, place = self._new(), len(self._content)
        page = rows.ljust(488, b"\0") + tail
        self._content += page + struct.pack("<BBHIQ", kind, kind, _mark(place, number), _sum(page), number)
        return number, place

    def _new(self, internal: int = 0) -> int:
        self._number += 4
        return self._number | internal


class _Heap:
    """Values in a block, by numbers."""

    def __init__(self, kind: int) -> None:
        self._kind = kind
        self._values: list[bytes] = []

    def add(self, value: bytes) -> int:
        self._values.append(value)
        return len(self._values) << 5

    def written(self, root: int) -> bytes:
        places = [12]
        for value in self._values:
            places.append(places[-1] + len(value))
        end = places[-1] + places[-1] % 2
        head = struct.pack("<HBBI4x", end, 0xEC, self._kind, root) + b"".join(self._values)
        count = len(self._values)
        return head.ljust(end, b"\0") + struct.pack(f"<HH{count + 1}H", count, 0, *places)

    def tree(self, rows: list[bytes], key: int) -> int:
        held = self.add(b"".join(rows)) if rows else 0
        return self.add(struct.pack("<BBBBI", 0xB5, key, len(rows[0]) - key if rows else 4, 0, held))


def _coded(value: Value) -> tuple[int, bytes]:
    """Return the type of a value, and its bytes."""
    if isinstance(value, str):
        return 0x001F, value.encode("utf-16-le")
    if isinstance(value, bytes):
        return 0x0102, value
    if isinstance(value, int):
        return 0x0003, struct.pack("<I", value)
    since = value.astimezone(UTC) - datetime(1601, 1, 1, tzinfo=UTC)
    return 0x0040, struct.pack("<Q", int(since.total_seconds()) * 10_000_000)


def _properties(properties: Mapping[int, Value], below: dict[int, bytes]) -> bytes:
    """Return the properties of an item; long values are put below it."""
    heap, rows = _Heap(0xBC), []
    for number in sorted(properties):
        kind, content = _coded(properties[number])
        if kind != 0x0003 and len(content) > LONGEST:
            node = (number << 5) | 0x1F
            below[node] = content
            content = struct.pack("<I", node)
        elif kind != 0x0003:
            content = struct.pack("<I", heap.add(content) if content else 0)
        rows.append(struct.pack("<HH", number, kind) + content)
    return heap.written(heap.tree(rows, 2))


def _table(rows: Sequence[Mapping[int, str]], numbers: Sequence[int]) -> bytes:
    """Return a table of texts: a row has its number, a version, places of values in the heap, and what it has."""
    heap = _Heap(0x7C)
    columns = sorted({number for row in rows for number in row})
    wide = 8 + 4 * len(columns)
    flags = -(-(len(columns) + 2) // 8)
    content = b""
    for number, row in zip(numbers, rows, strict=True):
        held = [heap.add(row[each].encode("utf-16-le")) if row.get(each) else 0 for each in columns]
        seen = "11" + "".join(str(int(each in row)) for each in columns)
        content += struct.pack(f"<II{len(held)}I", number, 1, *held)
        content += int(seen.ljust(8 * flags, "0"), 2).to_bytes(flags, "big")
    index = heap.tree([struct.pack("<II", number, place) for place, number in enumerate(numbers)], 4)
    described = [
        *(struct.pack("<IHBB", number << 16 | 0x1F, 8 + 4 * i, 4, 2 + i) for i, number in enumerate(columns)),
        struct.pack("<IHBB", 0x67F20003, 0, 4, 0),
        struct.pack("<IHBB", 0x67F30003, 4, 4, 1),
    ]
    told = struct.pack("<BBHHHHIII", 0x7C, len(described), wide, wide, wide, wide + flags, index,
                       heap.add(content) if content else 0, 0)  # fmt: skip
    return heap.written(heap.add(told + b"".join(described)))


def _sum(data: bytes) -> int:
    return zlib.crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF


def _mark(place: int, number: int) -> int:
    both = (place ^ number) & 0xFFFFFFFF
    return (both >> 16) ^ (both & 0xFFFF)
