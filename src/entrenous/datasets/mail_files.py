"""Writing invented mail to disk, as a reader of real mail would find it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from datetime import datetime
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING

from entrenous import _check
from entrenous.errors import OutputExistsError

if TYPE_CHECKING:
    from entrenous.datasets.mail import Message

__all__ = ["write_mail"]


def write_mail(messages: Iterable[Message], path: Path, form: str) -> None:
    """Write messages to a new file ("jsonl", "mbox") or folder ("maildir"), one after the other."""
    write = {"jsonl": _write_jsonl, "mbox": _write_mbox, "maildir": _write_maildir}
    _check.one_of("format", form, write)
    if path.exists():
        raise OutputExistsError(
            f"expected a new file or folder; got one that exists: {path}; choose another name"
        )
    write[form](messages, path)


def _write_jsonl(messages: Iterable[Message], path: Path) -> None:
    with gzip.open(path, "xb") if path.suffix == ".gz" else path.open("xb") as file:
        for message in messages:
            file.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")


def _write_mbox(messages: Iterable[Message], path: Path) -> None:
    with path.open("x", encoding="ascii", newline="\n") as file:
        for message in messages:
            arrival = datetime.fromisoformat(message["date"]).strftime("%a %b %d %H:%M:%S %Y")
            file.write(f"From {message['from']} {arrival}\n{_rfc5322(message)}\n")


def _write_maildir(messages: Iterable[Message], path: Path) -> None:
    for folder in ("cur", "new", "tmp"):
        (path / folder).mkdir(parents=True)
    for message in messages:
        seconds = int(datetime.fromisoformat(message["date"]).timestamp())
        name = f"{seconds}.{message['id'].partition('@')[0]}.example.org:2,S"
        (path / "cur" / name).write_text(_rfc5322(message), encoding="ascii", newline="\n")


def _rfc5322(message: Message) -> str:
    """Return a message as it travels.

    Invented mail is ASCII on one short line, so nothing needs encoding, folding or ">From" quoting; building
    `email.message` objects would make millions of messages take hours.
    """
    headers = {
        "Message-ID": f"<{message['id']}>",
        "Date": format_datetime(datetime.fromisoformat(message["date"])),
        "From": message["from"],
        "To": ", ".join(message["to"]),
        "Cc": ", ".join(message["cc"]),
        "Subject": message["subject"],
    }
    lines = [f"{name}: {value}" for name, value in headers.items() if value]
    return "\n".join((*lines, "", message["body"], ""))
