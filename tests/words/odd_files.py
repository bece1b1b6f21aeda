"""Some two hundred odd files, and for each what must come of it: exactly its messages, or a refusal that says why.

A value is the content of a file, or of the files of a folder; what is expected is a list of messages (sender,
recipients and words), the reason why a file is passed over, or a part of the refusal.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tests.words import outlook_stores as store
from tests.words.mailboxes import NASTY
from tests.words.outlook_files import compound, msg
from tests.words.outlook_stores import Item, pst

# The last bytes of an archive may be those of a file in it.
DAMAGED_FILE, DAMAGED_ARCHIVE = "expected a whole file", "got a damaged one"
NO_MAIL, EMPTY = "files that are no mail", "empty files"
Content = bytes | Mapping[str, bytes]
Found = list[tuple[str, list[str], str]]


class Passed(NamedTuple):
    """A file that is passed over, and counted by a reason."""

    reason: str


class Refused(NamedTuple):
    """A file that stops the reading, and a part of what is said."""

    part: str


Expected = Found | Passed | Refused
LETTER = b"Message-ID: <1@x.org>\nFrom: Ann <ann@x.org>\nTo: bob@x.org\nSubject: tea\n\ncome at four\n"
ANSWER = b"Message-ID: <2@x.org>\nFrom: bob@x.org\nTo: ann@x.org, eve@x.org\nSubject: Re: tea\n\ni will\n"
READ: Found = [("ann@x.org", ["bob@x.org"], "tea come at four")]
BOTH: Found = [*READ, ("bob@x.org", ["ann@x.org", "eve@x.org"], "tea i will")]
ROWS = [
    {"id": "1", "from": "ann@x.org", "to": ["bob@x.org"], "subject": "tea", "body": "come at four"},
    {"id": "2", "from": "bob@x.org", "to": ["ann@x.org", "eve@x.org"], "subject": "tea", "body": "i will"},
]


def mbox(*letters: bytes) -> bytes:
    return b"".join(b"From x@y Mon Jan  1 10:00:00 2024\n" + letter + b"\n" for letter in letters)


def crlf(content: bytes) -> bytes:
    return content.replace(b"\n", b"\r\n")


def zipped(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return made.getvalue()


def tarred(files: Mapping[str, bytes], mode: str = "") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=f"w:{mode}") as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return made.getvalue()


def hollow(size: int) -> bytes:
    """Return a small tar archive of a file that claims so many bytes, all but the last sector left out (GNU sparse)."""
    member = tarfile.TarInfo("a.mbox")
    member.size = 512
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[156:157] = tarfile.GNUTYPE_SPARSE
    for place, number in ((386, size - 512), (398, 512), (483, size)):
        header[place : place + 12] = b"%011o\0" % number
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + bytes(512 + 1024)


def parquet_of(rows: list[dict[str, Any]]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    made = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), made)
    return made.getvalue()


def csv_of(rows: list[dict[str, Any]], encoding: str = "utf-8", **form: Any) -> bytes:
    made = io.StringIO(newline="")
    table = csv.DictWriter(made, list(rows[0]), **form)
    table.writeheader()
    table.writerows(row | {"to": ", ".join(row["to"])} for row in rows)
    return made.getvalue().encode(encoding)


def json_of(value: object, **form: Any) -> bytes:
    return json.dumps(value, **form).encode()


def lines_of(rows: list[Any]) -> bytes:
    return b"".join(json_of(row) + b"\n" for row in rows)


def protected(content: bytes) -> bytes:
    """Return a zip archive that says its member is encrypted, in both its headers."""
    local, central = content.index(b"PK\x03\x04") + 6, content.index(b"PK\x01\x02") + 8
    changed = bytearray(content)
    changed[local] |= 1
    changed[central] |= 1
    return bytes(changed)


def letter(body: bytes, *headers: bytes) -> bytes:
    return b"\n".join([b"From: ann@x.org", b"To: bob@x.org", *headers, b"", body, b""])


def said(words: str) -> Found:
    return [("ann@x.org", ["bob@x.org"], words)]


NOTE = {store.CLASS: "IPM.Note", store.SUBJECT: "tea"}
SENT = Item(
    NOTE
    | {
        store.BODY: "come at four",
        store.SENDER_SMTP: "ann@x.org",
        store.SENDER: "/O=X/CN=ANN",
        store.SENDER_NAME: "Day, Ann",
    },
    [{store.SMTP: "bob@x.org", store.ADDRESS: "/O=X/CN=BOB", store.NAME: "B, Bob"}],
)
TRAVELLED = Item(
    {
        store.CLASS: "IPM.Note.SMIME", store.SUBJECT: "Re: tea", store.HTML: b"<p>i will</p>", store.SENDER_NAME: "B, Bob",
        store.HEADERS: "From: bob@x.org\r\nTo: \"Day, Ann\" <ann@x.org>\r\nMessage-ID: <2@x.org>\r\n\r\n",
    },
    [{store.ADDRESS: "/O=X/CN=ANN", store.NAME: "Day, Ann"}, {store.ADDRESS: "eve@x.org", store.NAME: "Eve"}],
)  # fmt: skip


def rich(text: bytes) -> Item:
    """Return an item whose text is RTF."""
    return SENT._replace(properties={**SENT.properties, store.BODY: "", store.RTF: store.packed(text)})


PLAIN: dict[str, tuple[bytes, Found]] = {
    "letter.eml": (LETTER, READ),
    "LETTER.EML": (LETTER, READ),
    "letter": (LETTER, READ),
    "windows.eml": (crlf(LETTER), READ),
    "box.mbox": (mbox(LETTER, ANSWER), BOTH),
    "box": (mbox(LETTER, ANSWER), BOTH),
    "windows.mbox": (crlf(mbox(LETTER, ANSWER)), BOTH),
    "rows.jsonl": (lines_of(ROWS), BOTH),
    "rows.ndjson": (crlf(lines_of(ROWS)), BOTH),
    "rows.json": (lines_of(ROWS), BOTH),
    "rows": (lines_of(ROWS), BOTH),
    "list.json": (json_of(ROWS), BOTH),
    "pretty.json": (json_of(ROWS, indent=2), BOTH),
    "one.json": (json_of(ROWS[0], indent=2), READ),
    "rows.csv": (csv_of(ROWS), BOTH),
    "unix.csv": (csv_of(ROWS, lineterminator="\n"), BOTH),
    "bom.csv": (csv_of(ROWS, "utf-8-sig"), BOTH),
    "rows.parquet": (parquet_of(ROWS), BOTH),
    "table": (parquet_of(ROWS), BOTH),
    "letter.msg": (msg("ann@x.org", ["bob@x.org"], "tea", "come at four"), READ),
    "old.pst": (pst(SENT, TRAVELLED), BOTH),
    "OLD.OST": (pst(SENT, TRAVELLED), BOTH),
    "store": (pst(SENT, TRAVELLED), BOTH),
}
CONTAINED: dict[str, Callable[[str, bytes], tuple[str, bytes]]] = {
    "gz": lambda name, content: (f"{name}.gz", gzip.compress(content, mtime=0)),
    "bz2": lambda name, content: (f"{name}.bz2", bz2.compress(content)),
    "xz": lambda name, content: (f"{name}.xz", lzma.compress(content)),
    "zip": lambda name, content: ("a.zip", zipped({f"in/{name}": content})),
    "tar": lambda name, content: ("a.tar", tarred({f"in/{name}": content})),
    "tgz": lambda name, content: ("a.tgz", tarred({f"in/{name}": content}, "gz")),
    "tar.xz": lambda name, content: ("a.tar.xz", tarred({f"in/{name}": content}, "xz")),
    "zip in tar": lambda name, content: ("a.tar", tarred({"b.zip": zipped({name: content})})),
    "tar.gz in zip": lambda name, content: ("a.zip", zipped({"b.tar.gz": tarred({name: content}, "gz")})),
    "gz in zip": lambda name, content: ("a.zip", zipped({f"{name}.gz": gzip.compress(content)})),
    "zip in zip in zip": lambda name, content: (
        "a.zip", zipped({"b.zip": zipped({"deep/c.zip": zipped({name: content}, zipfile.ZIP_STORED)})})
    ),
}  # fmt: skip
PACKED = (
    "letter.eml",
    "windows.mbox",
    "rows.jsonl",
    "list.json",
    "rows.csv",
    "rows.parquet",
    "letter.msg",
    "old.pst",
)

CHARSETS: dict[str, tuple[bytes, Found]] = {
    "utf-8": (letter("grüße".encode(), b"Content-Type: text/plain; charset=utf-8"), said("grüße")),
    "latin-1": (letter(b"gr\xfc\xdfe", b"Content-Type: text/plain; charset=iso-8859-1"), said("grüße")),
    "none": (letter(b"gr\xfc\xdfe"), said("grüße")),
    "wrong": (letter(b"gr\xfc\xdfe", b"Content-Type: text/plain; charset=utf-8"), said("grüße")),
    "unknown": (letter("grüße".encode(), b"Content-Type: text/plain; charset=x-klingon"), said("grüße")),
    "koi8-r": (letter("чай".encode("koi8-r"), b"Content-Type: text/plain; charset=koi8-r"), said("чай")),
    "base64": (
        letter(b"Z3LDvMOfZQ==", b"Content-Type: text/plain; charset=utf-8", b"Content-Transfer-Encoding: base64"),
        said("grüße"),
    ),
    "quoted": (
        letter(b"gr=C3=BC=C3=9Fe", b"Content-Type: text/plain; charset=utf-8", b"Content-Transfer-Encoding: quoted-printable"),
        said("grüße"),
    ),
    "damaged base64": (letter(b"!!!!", b"Content-Transfer-Encoding: base64"), said("")),
    "html": (letter(b"<p>come <b>now</b></p>", b"Content-Type: text/html"), said("come now")),
}  # fmt: skip
HEADERS: dict[str, tuple[bytes, Found]] = {
    "huge subject": (letter(b"tea", b"Subject: " + b"word " * 40_000), said(" ".join(["word"] * 40_000) + " tea")),
    "many recipients": (
        b"From: ann@x.org\nTo: " + b",\n ".join(b"p%d@x.org" % i for i in range(3000)) + b"\n\ntea\n",
        [("ann@x.org", [f"p{i}@x.org" for i in range(3000)], "tea")],
    ),
    "many headers": (letter(b"tea", *(b"X-%d: y" % i for i in range(5000))), said("tea")),
    "only a body": (b"just words\n", [("", [], "just words")]),
    "nobody": (NASTY["nobody"], [("", ["ann@x.org"], "who wrote this")]),
    "no recipient": (b"From: ann@x.org\nSubject: tea\n\nwords\n", [("ann@x.org", [], "tea words")]),
    "zeros": (letter(b"tea\0time"), said("tea time")),
    "odd addresses": (NASTY["broken"], [("bob@x.org", ["ann@x.org", "eve@x.org"], "caf plain anyway")]),
    "twice the same": (letter(b"tea", b"To: eve@x.org", b"Cc: bob@x.org"), [("ann@x.org", ["bob@x.org", "eve@x.org"], "tea")]),
    "brackets": (b"From: " + b"<" * 5000 + b"\nTo: b@x.org\n\ntea\n", [("", ["b@x.org"], "tea")]),
    "zero bytes": (bytes(5000), [("", [], "")]),
    "parts in parts": (
        letter(b"".join(b"--%d\nContent-Type: multipart/mixed; boundary=%d\n\n" % (i, i + 1) for i in range(3000)),
               b"Content-Type: multipart/mixed; boundary=0"),
        said(""),
    ),
    "messages in messages": (
        letter(b"Content-Type: message/rfc822\n\n" * 3000, b"Content-Type: message/rfc822"), said("")),
    "odd charset": (letter(b"tea", b"Content-Type: text/plain; charset*=%00'%00'%00"), said("tea")),
    "odd name": (letter(b"tea", b"Content-Type: text/plain; name*=\0'en'%e9"), said("")),
    "byte order mark": (b"\xef\xbb\xbf" + letter(b"tea"), said("tea")),
    "encoded comma": (
        b"\n".join(
            [
                b"From: =?utf-8?Q?M=C3=BCller=2C_J=C3=B6rg?= <joerg@x.org>",
                b"To: =?utf-8?B?RGF5LCBFdmUgPGV2aWxAeC5vcmc+?= <eve@x.org>, =?utf-8?q?Bob,?= <bob@x.org>",
                b"Cc: =?utf-8?Q?Zo=C3=AB=2C_Ann?=, =?utf-8?B?UCA8cEB4Lm9yZz4sIFEgPHFAeC5vcmc+?=",
                b"\ntea\n",
            ]
        ),
        [("joerg@x.org", ["eve@x.org", "bob@x.org", "ann zoë", "p@x.org", "q@x.org"], "tea")],
    ),
    "groups": (
        b"From: ann@x.org\nTo: Team: bob@x.org, Eve <eve@x.org>;\nCc: \"A, B\": ;, p@x.org\n\ntea\n",
        [("ann@x.org", ["bob@x.org", "eve@x.org", "p@x.org"], "tea")],
    ),
    "hidden recipients": (
        b"From: ann@x.org\nTo: Undisclosed-Recipient:;\nCc: <Undisclosed recipients:;>\nBcc: bob@x.org\n\ntea\n",
        said("tea"),
    ),
    "hidden elsewhere": ("From: ann@x.org\nTo: Empfänger nicht genannt:;\n\ntea\n".encode(), [("ann@x.org", [], "tea")]),
    "no end of parts": (letter(b"--b\n\ntea", b"Content-Type: multipart/mixed; boundary=b"), said("tea")),
}  # fmt: skip

SLACK = {
    "users.json": json_of(
        [
            {"id": "U1", "name": "ann", "profile": {"email": "Ann@x.org"}},
            {"id": "U2", "name": "bob", "profile": {"email": "bob@x.org"}},
            {"id": "U3", "name": "eve", "profile": {}},
        ]
    ),
    "channels.json": json_of([{"id": "C1", "name": "general", "members": ["U1", "U2", "U3"]}, {"id": "C2", "name": "old"}]),
    "dms.json": json_of([{"id": "D1", "members": ["U1", "U2"]}]),
    "mpims.json": json_of([{"id": "G1", "name": "mpdm-ann--bob--eve-1", "members": ["U1", "U2", "U3"]}]),
    "general/2024-01-01.json": json_of(
        [
            {"type": "message", "user": "U1", "text": "tea <@U2> &amp; <https://x.org|cake>", "ts": "1704100000.000100"},
            {"type": "message", "user": "U2", "text": "yes", "ts": "1704100001.0", "thread_ts": "1704100000.000100"},
            {"type": "message", "subtype": "channel_join", "user": "U3", "text": "joined", "ts": "1704100002.0"},
            {"type": "message", "subtype": "bot_message", "bot_id": "B1", "text": "beep", "ts": "1704100003.0"},
        ]
    ),
    "old/2024-01-02.json": json_of([{"type": "message", "user": "U3", "text": "hello", "ts": "1704200000.0"}]),
    "old/2024-01-03.json": json_of([{"type": "message", "user": "U1", "text": "bye", "ts": "1704300000.0"}]),
    "D1/2024-01-01.json": json_of([{"type": "message", "user": "U1", "text": "psst", "ts": "1704100009.0"}]),
    "mpdm-ann--bob--eve-1/2024-01-01.json": json_of([{"type": "message", "user": "U2", "text": "us", "ts": "1704100010.5"}]),
}  # fmt: skip
SLACK_READ: Found = [
    ("ann@x.org", ["bob@x.org", "u3"], "tea cake"),
    ("bob@x.org", ["ann@x.org", "u3"], "yes"),
    ("u3", ["ann@x.org"], "hello"),
    ("ann@x.org", ["u3"], "bye"),
    ("ann@x.org", ["bob@x.org"], "psst"),
    ("bob@x.org", ["ann@x.org", "u3"], "us"),
]


def graph_user(number: int, name: str) -> dict[str, Any]:
    return {"user": {"id": f"n{number}", "displayName": name, "userIdentityType": "aadUser"}}


TEAMS = {
    "@odata.context": "chats",
    "value": [
        {
            "id": "chat1",
            "chatType": "group",
            "members": [
                {"userId": f"n{i}", "displayName": name, "email": f"{name}@x.org"}
                for i, name in enumerate(("ann", "bob", "eve"))
            ],
            "messages": [
                {"id": "1", "messageType": "message", "chatId": "chat1", "createdDateTime": "2024-01-01T10:00:00Z",
                 "from": graph_user(0, "Ann"), "body": {"contentType": "html", "content": "<p>tea <at id='0'>Bob</at></p>"}},
                {"id": "2", "messageType": "systemEventMessage", "chatId": "chat1", "from": None,
                 "body": {"contentType": "html", "content": "<systemEventMessage/>"}},
                {"id": "3", "messageType": "message", "chatId": "chat1", "from": {"application": {"id": "b"}},
                 "body": {"contentType": "text", "content": "beep"}},
            ],
        }
    ],
}  # fmt: skip
TEAMS_READ: Found = [
    ("ann@x.org", ["bob@x.org", "eve@x.org"], "tea"),
    ("", ["ann@x.org", "bob@x.org", "eve@x.org"], "beep"),
]
CHANNEL = [
    {"id": str(i), "messageType": "message", "channelIdentity": {"teamId": "t", "channelId": "c"}, "replyToId": None,
     "from": graph_user(i, name), "body": {"contentType": "text", "content": f"word {name}"}}
    for i, name in enumerate(("Ann", "Bob"))
]  # fmt: skip
CHANNEL_READ: Found = [("ann", ["bob"], "word ann"), ("bob", ["ann"], "word bob")]
GRAPH_MAIL = {
    "internetMessageId": "<1@x.org>",
    "conversationId": "AAQ1",
    "subject": "tea",
    "sentDateTime": "2024-01-01T10:00:00Z",
    "from": {"emailAddress": {"name": "Ann", "address": "ann@x.org"}},
    "toRecipients": [{"emailAddress": {"address": "bob@x.org"}}],
    "ccRecipients": [],
    "body": {"contentType": "html", "content": "<p>come at four</p>"},
}
CHAT = {
    "Takeout/Google Chat/Groups/DM 1/group_info.json": json_of(
        {"members": [{"name": name, "email": f"{name}@x.org", "user_type": "Human"} for name in ("ann", "bob")]}
    ),
    "Takeout/Google Chat/Groups/DM 1/messages.json": json_of(
        {
            "messages": [
                {"creator": {"name": "ann", "email": "ann@x.org", "user_type": "Human"}, "text": "come at four",
                 "created_date": "Monday, January 1, 2024 at 10:00:00\u202fAM UTC", "topic_id": "t", "message_id": "s/t/m"},
                {"creator": {"name": "Helper", "user_type": "Bot"}, "text": "beep", "message_id": "s/t/n"},
            ]
        }
    ),
}  # fmt: skip
CHAT_READ: Found = [("ann@x.org", ["bob@x.org"], "come at four"), ("", ["ann@x.org", "bob@x.org"], "beep")]
TAKEOUT = CHAT | {
    "Takeout/archive_browser.html": b"<html></html>",
    "Takeout/Mail/All mail Including Spam and Trash.mbox": mbox(
        b"X-GM-THRID: 17\n" + LETTER, b"X-GM-THRID: 17\n" + ANSWER
    ),
}
FOLDERS: dict[str, tuple[Content, Expected]] = {
    "slack, folder": ({f"export/{name}": content for name, content in SLACK.items()}, SLACK_READ),
    "slack at the top": (SLACK, SLACK_READ),
    "slack.zip": (zipped(SLACK), SLACK_READ),
    "slack below.zip": (zipped({f"My Slack export/{name}": content for name, content in SLACK.items()}), SLACK_READ),
    "slack in.zip": (zipped({"inner.zip": zipped(SLACK)}), SLACK_READ),
    "slack, programs": (
        SLACK
        | {
            "users.json": json_of([*json.loads(SLACK["users.json"]), {"id": "UB", "name": "deploy", "is_bot": True}]),
            "dms.json": json_of([{"id": "D1", "members": ["U1", "U2", "UB"]}, {"id": "D2", "members": ["U1", "USLACKBOT"]}]),
            "D2/2024-01-01.json": json_of([{"type": "message", "user": "USLACKBOT", "text": "reminder", "ts": "1.0"}]),
            "D1/2024-01-02.json": json_of(
                [{"type": "message", "user": "UB", "bot_id": "B2", "text": "deployed", "ts": "1704200009.0"}]
            ),
        },
        SLACK_READ,
    ),
    "slack, odd day": (SLACK | {"general/2024-01-04.json": b'[{"user": {"a": 1}}]'}, Refused("got something else")),
    "slack, odd users": (SLACK | {"users.json": b'[{"id": "U1", "profile": "x"}]'}, Refused("got something else")),
    "slack.tar": (tarred(SLACK), Refused("users.json above its channels")),
    "a day alone": ({"2024-01-01.json": SLACK["general/2024-01-01.json"]}, Refused("users.json above its channels")),
    "slack, damaged day": (SLACK | {"general/2024-01-04.json": b"[{"}, Refused("whole JSON document")),
    "slack, other day": (SLACK | {"general/2024-01-04.json": b"[1]"}, Refused("list of JSON objects")),
    "slack, damaged users": (SLACK | {"users.json": b"[{"}, Refused("whole JSON document")),
    "teams.json": (json_of(TEAMS), TEAMS_READ),
    "teams.zip": (zipped({"teams/chats.json": json_of(TEAMS, indent=1)}), TEAMS_READ),
    "channel.json": (json_of({"value": CHANNEL}), CHANNEL_READ),
    "channel list.json": (json_of(CHANNEL), CHANNEL_READ),
    "channel.jsonl": (lines_of(CHANNEL), CHANNEL_READ),
    "teams, cut.json": (json_of(TEAMS)[:-20], Refused("whole JSON document")),
    "teams, odd.json": (json_of({"value": [CHANNEL[0] | {"from": "ann"}]}), Refused("as Microsoft Graph has them")),
    "mail of graph.json": (json_of({"value": [GRAPH_MAIL]}), READ),
    "one mail of graph.json": (json_of(GRAPH_MAIL), READ),
    "mail of graph.jsonl": (lines_of([GRAPH_MAIL, GRAPH_MAIL]), [*READ, *READ]),
    "google chat, folder": (CHAT, CHAT_READ),
    "chat without members": (
        {name: content for name, content in CHAT.items() if "info" not in name},
        [("ann@x.org", [], "come at four"), ("", ["ann@x.org"], "beep")],
    ),
    "takeout.zip": (zipped(TAKEOUT), [*CHAT_READ, *BOTH]),
    "takeout.tgz": (tarred(TAKEOUT, "gz"), Refused("unpack it first")),
    "takeout, folder": (TAKEOUT, [*CHAT_READ, *BOTH]),
    "maildir": ({"cur/1.host:2,S": LETTER, "new/2.host": ANSWER, "tmp/3.host": LETTER}, BOTH),
    "maildir.zip": (zipped({"box/cur/1.host": LETTER, "box/tmp/3.host": LETTER}), READ),
    "many files.zip": (zipped({f"{i:03}.eml": LETTER for i in range(60)}), READ * 60),
    "mac.zip": (zipped({"a.eml": LETTER, "__MACOSX/._a.eml": b"x", ".DS_Store": b"y"}), READ),
    "sent.msg": (
        msg("ann@x.org", ["bob@x.org"], "tea", "", html=b"<p>come at four</p>", name="Day, Ann"), READ
    ),
    "travelled.msg": (
        msg("", [], "tea", "come at four", headers="From: Ann <ann@x.org>\r\nTo: bob@x.org\r\nMessage-ID: <1@x.org>\r\n"), READ
    ),
    "house.msg": (
        msg("/O=X/CN=ANN", ["/O=X/CN=BOB", "eve@x.org"], "tea", "come at four", name="Day, Ann", names=["B, Bob", "Eve"]),
        [("ann day", ["bob b", "eve@x.org"], "tea come at four")],
    ),
    "rich.msg": (msg("ann@x.org", ["bob@x.org"], "tea", "", rtf=store.packed(rb"{\rtf1\ansi come \b at\b0\par four}")), READ),
    "broken html.msg": (
        msg("ann@x.org", ["bob@x.org"], "tea", "", html=b"<p>come at four \x81\x8d</p>"), READ
    ),
    "people.pst": (
        pst(
            Item({store.CLASS: "IPM.Contact", store.SUBJECT: "Bob"}),
            Item({**SENT.properties, store.CLASS: "IPM.Appointment"}, SENT.recipients),
            Item({store.CLASS: "IPM.AbchPerson", store.SUBJECT: "Eve"}),
            Item({store.SUBJECT: "of no class"}),
            SENT,
            Item({store.CLASS: "REPORT.IPM.Note.NDR", store.SUBJECT: "Undeliverable"}),
            Item({store.CLASS: "IPM.Schedule.Inquiry", store.SUBJECT: "of a rare class"}),
        ),
        READ,
    ),
    "names.pst": (
        pst(
            Item({**NOTE, store.SENDER: "/O=X/CN=ANN", store.SENDER_NAME: "Day, Ann"}, [{store.NAME: "Bob B", store.ADDRESS: "/O=X"}]),
            Item(NOTE),
        ),
        [("ann day", ["bob b"], "tea"), ("", [], "tea")],
    ),
    "charsets.pst": (
        pst(
            *(
                SENT._replace(properties={**SENT.properties, store.BODY: "", store.CODEPAGE: page, store.HTML: f"<p>{text}".encode(name)})
                for page, name, text in ((1251, "cp1251", "чай"), (50220, "iso-2022-jp", "お茶"), (65001, "utf-8", "çay"))
            )
        ),
        [*said("tea чай"), *said("tea お茶"), *said("tea çay")],
    ),
    "rich.pst": (pst(rich(rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}come \b at\b0\par four}")), READ),
    "long.pst": (
        pst(SENT._replace(properties={**SENT.properties, store.BODY: "come at four " * 300})), said("tea" + " come at four" * 300)
    ),
    "many.pst": (pst(*[SENT] * 250), READ * 250),
    "empty.pst": (pst(), []),
    "long.msg": (msg("ann@x.org", ["bob@x.org"], "tea", "come at four " * 900), said("tea" + " come at four" * 900)),
    "big tar member": ({"a.tar": tarred({"b.mbox": mbox(*[LETTER] * 3000)})}, READ * 3000),
}  # fmt: skip
PASSED: dict[str, tuple[bytes, str]] = {
    "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(100), NO_MAIL),
    "letter.docx": (zipped({"word/document.xml": b"<w/>"}), NO_MAIL),
    "letter.doc": (compound({"WordDocument": b"x"}), NO_MAIL),
    "letter.pdf": (b"%PDF-1.7\n", NO_MAIL),
    "note.txt": (b"just a note\nof two lines\n", NO_MAIL),
    "program": (b"\x7fELF" + bytes(64), NO_MAIL),
    "page.html": (b"<html><p>no mail</p></html>", NO_MAIL),
    "users.json": (SLACK["users.json"], "files that tell of people and channels"),
    "old.7z": (b"7z\xbc\xaf\x27\x1c" + bytes(40), "archives of a kind that is not read (7z, rar)"),
    "old.rar": (b"Rar!\x1a\x07\x00" + bytes(40), "archives of a kind that is not read (7z, rar)"),
    **{f"empty{ending}": (b"", EMPTY) for ending in ("", ".mbox", ".eml", ".json", ".jsonl", ".csv", ".parquet", ".txt")},
    "blank": (b"\n \n", EMPTY),
    "empty.gz": (gzip.compress(b""), EMPTY),
}  # fmt: skip
BOX, ARCHIVE, TAR = (
    mbox(LETTER, ANSWER) * 50,
    zipped({"a.mbox": mbox(LETTER) * 500}),
    tarred({"a.mbox": mbox(LETTER) * 500}),
)
TWO = tarred({"a.eml": LETTER, "b.eml": ANSWER})
REFUSED: dict[str, tuple[bytes, str]] = {
    **{f"cut {i}.mbox.gz": (gzip.compress(BOX)[:-i], DAMAGED_FILE) for i in (1, 9, 40, 150)},
    **{f"cut {i}.mbox.bz2": (bz2.compress(BOX)[:-i], DAMAGED_FILE) for i in (1, 40, 100)},
    **{f"cut {i}.mbox.xz": (lzma.compress(BOX)[:-i], DAMAGED_FILE) for i in (1, 40, 100)},
    **{f"cut {i}.zip": (ARCHIVE[:-i], DAMAGED_ARCHIVE) for i in (1, 30, 200, len(ARCHIVE) - 10)},
    **{f"cut {i}.tar": (TAR[:i], DAMAGED_ARCHIVE) for i in (100, 512, 700, 20_000, 49_152, 54_784)},
    **{f"cut {i}.tar.gz": (gzip.compress(TAR)[:-i], DAMAGED_ARCHIVE) for i in (1, 20, 200)},
    **{f"cut {i}.parquet": (parquet_of(ROWS)[:-i], "expected a whole Parquet file") for i in (1, 100, 1500)},
    **{f"cut {i}.msg": (msg("a@x.org", ["b@x.org"], "t", "x" * 9000)[:i], "expected a whole Outlook message") for i in (
        60, 600, 3000, 9000)},
    "garbled.zip": (ARCHIVE[:80] + b"garbled" + ARCHIVE[87:], DAMAGED_ARCHIVE),
    "garbled.tar": (TWO[:1100] + b"garbled" + TWO[1107:], DAMAGED_ARCHIVE),
    "other.zip": (b"no archive at all", DAMAGED_ARCHIVE),
    "other.tar": (b"no archive at all", DAMAGED_ARCHIVE),
    "empty.zip": (b"", DAMAGED_ARCHIVE),
    "empty.tgz": (b"", DAMAGED_ARCHIVE),
    "inner.zip": (zipped({"b.zip": ARCHIVE[:-40]}), DAMAGED_ARCHIVE),
    "inner.tar": (tarred({"b.tar.gz": gzip.compress(TAR)[:-40]}), DAMAGED_ARCHIVE),
    "inner gz.zip": (zipped({"b.mbox.gz": gzip.compress(BOX)[:-40]}), DAMAGED_FILE),
    "secret.zip": (protected(zipped({"a.eml": LETTER})), "without a password"),
    "secret inside.zip": (zipped({"b.zip": protected(zipped({"a.eml": LETTER}))}), "without a password"),
    "secret.tar": (tarred({"b.zip": protected(zipped({"a.eml": LETTER}))}), "without a password"),
    "no box.mbox": (b"Dear diary,\ntoday nothing\n", "expected an mbox file"),
    "html.mbox": (b"<html></html>", "expected an mbox file"),
    "zeros.mbox": (bytes(100), "expected an mbox file"),
    "broken.jsonl": (lines_of(ROWS) + b'{"from": ', "line 3: expected a JSON object"),
    "numbers.jsonl": (b"1\n2\n", "line 1: expected a JSON object"),
    "numbers.json": (b"[1]", "line 1: expected a JSON object"),
    "objects.jsonl": (lines_of([ROWS[0] | {"to": [{"email": "bob@x.org"}]}]), "message 1: expected text for sender"),
    "objects.json": (
        json_of([{"body": {"content": "x" * 5000}, "from": {"emailAddress": {}}, "toRecipients": []}]), "expected text for sender"),
    "hollow.tar": (hollow(1 << 32), "made to fill a disk"),
    "broken list.json": (json_of(ROWS)[:-3], "whole JSON document"),
    "wide.jsonl": ("\ufeff".encode() + json.dumps(ROWS[0]).encode("utf-16"), "line 1: expected a JSON object"),
    "brackets.json": (b"[" * 100_000, "whole JSON document"),
    "other columns.jsonl": (b'{"sender": "a", "text": "b"}\n', "name yours with --columns"),
    "other columns.json": (b'[{"sender": "a", "text": "b"}]', "name yours with --columns"),
    "other columns.csv": (b"sender,text\na,b\n", "name yours with --columns"),
    "no header.csv": (b"a@x.org,b@x.org,hello\n,,\n", "name yours with --columns"),
    "wide.csv": (csv_of(ROWS, "utf-16"), "name yours with --columns"),
    "other columns.parquet": (parquet_of([{"sender": "a", "text": "b"}]), "name yours with --columns"),
    "text.parquet": (b"no table", "expected a whole Parquet file"),
    "zeros.parquet": (bytes(200), "expected a whole Parquet file"),
    "zeros.msg": (bytes(5000), "expected a whole Outlook message"),
    "empty.msg": (b"", "expected a whole Outlook message"),
    **{f"cut {i}.pst": (pst(SENT, TRAVELLED)[:-i], "expected a whole store of Outlook") for i in (1, 600, 4000, 9000)},
    "garbled.pst": (pst(SENT).replace(b"\xec\xbc", b"\xec\xbd"), "expected a whole store of Outlook"),
    "garbled letter.pst": (pst(TRAVELLED, SENT)[::-1].replace(b"\x7c\xec", b"\0\0", 1)[::-1], "message 2: expected one that can"),
    "head.pst": (b"!BDN" + bytes(600), "expected a whole store of Outlook"),
    "zeros.pst": (bytes(2000), "expected a whole store of Outlook"),
    "text.ost": (b"no store", "expected a whole store of Outlook"),
    "store.pst.gz": (gzip.compress(b"!BDN" + bytes(600)), "expected a whole store of Outlook"),
    "store.zip": (zipped({"old.pst": b"!BDN" + bytes(600)}), "expected a whole store of Outlook"),
}  # fmt: skip


def nested(depth: int) -> bytes:
    made = zipped({"a.eml": LETTER})
    for _ in range(depth):
        made = zipped({"a.zip": made})
    return made


def cases() -> dict[str, tuple[str, Content, Expected]]:
    """Return all files: the name, the content and what must come of it, by a name of the case."""
    found: dict[str, tuple[str, Content, Expected]] = {
        f"plain, {name}": (name, content, expected) for name, (content, expected) in PLAIN.items()
    }
    for name in PACKED:
        content, expected = PLAIN[name]
        for way, packed in CONTAINED.items():
            found[f"{name}, {way}"] = (*packed(name, content), expected)
    for title, letters in (("charset", CHARSETS), ("headers", HEADERS)):
        for name, (content, expected) in letters.items():
            found[f"{title}, {name}"] = ("a.eml", content, expected)
    for name, (files, outcome) in FOLDERS.items():
        found[name] = (name, files, outcome)
    found |= {f"passed over, {name}": (name, content, Passed(why)) for name, (content, why) in PASSED.items()}
    found |= {f"refused, {name}": (name, content, Refused(why)) for name, (content, why) in REFUSED.items()}
    found["three deep"] = ("deep.zip", nested(3), READ)
    found["too deep"] = ("deep.zip", nested(4), Refused("4 deep at most"))
    return found
