"""Small mailboxes by hand, as nasty as real ones."""

from __future__ import annotations

from pathlib import Path

NASTY = {
    "encoded": b"""Message-ID: <1@x.org>
From: =?iso-8859-1?q?J=F6rg?= <JOERG@x.org>
To: "Day, Eve" <eve@x.org>, ann@x.org (Ann, home)
Subject: =?utf-8?b?w5xiZXJzaWNodA==?= =?bogus?x?zz?=
Date: Mon, 1 Jan 2024 10:00:00 +0100
Content-Type: text/plain; charset=iso-8859-1

Sch\xf6ne Gr\xfc\xdfe zuerst
""",
    "html": b"""Message-ID: <2@x.org>
From: eve@x.org
To: ann@x.org
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html; charset=nonsense

<html><head><style>hidden {}</style></head><body><p>Visible&nbsp;words</p><script>secret()</script></body></html>
--b
Content-Type: text/plain; name="notes.txt"
Content-Disposition: attachment; filename="notes.txt"

attached
--b
Content-Type: message/rfc822

From: bob@x.org
Subject: inner

forwarded
--b--
""",
    "broken": b"""Message-ID: <3@x.org>
From: "unbalanced <bob@x.org>
To: ann@x.org;eve@x.org, , <>
Date: not a date
Subject: caf\xe9
Content-Type: multipart/alternative; boundary="never-seen"

plain anyway
""",
    "nobody": b"From: \nTo: ann@x.org\n\nwho wrote this\n",
    "list": b"""Message-ID: <4@x.org>
From: ann@x.org
To: Everybody <crowd@x.org>
List-Post: <mailto:crowd@x.org>

to all of you
""",
}


def write_mbox(path: Path, *messages: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(b"From x@y Mon Jan  1 10:00:00 2024\n" + raw + b"\n" for raw in messages))
    return path


def plain(number: int, sender: str, to: str, body: str) -> bytes:
    head = f"Message-ID: <{number}@z.org>\nFrom: {sender}\nTo: {to}\nDate: Mon, 1 Jan 2024 10:{number % 60:02}:00 +0000"
    return f"{head}\nSubject: s\n\n{body}\n".encode()
