"""The mail server that takes what the service sends."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from entrenous.errors import ArgumentError
from entrenous.web.settings import Settings

__all__ = ["compose", "send"]

_TIMEOUT = 10.0


def compose(settings: Settings, to: str, subject: str, text: str, *, number: int) -> EmailMessage:
    """Return a mail from the service; `number` is that of its letter, by which repetitions are recognized."""
    mail = EmailMessage()
    mail["From"], mail["To"] = settings.mail_from, to
    mail["Subject"] = subject
    mail["Message-ID"] = f"<entrenous-{number}@{urlsplit(settings.address).hostname}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(text, cte="7bit")  # no line is broken: links stay whole
    return mail


def send(settings: Settings, mail: EmailMessage) -> None:
    """Hand a mail to the server; an error says that it was not taken."""
    with _connect(settings) as server:
        server.send_message(mail)


def _connect(settings: Settings) -> smtplib.SMTP:
    """Return a connection to the mail server; whoever gives a password gives it on an encrypted one alone."""
    parts = urlsplit(settings.smtp)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ArgumentError("smtp", "expected smtp://host:port or smtps://user:password@host")
    if parts.scheme == "smtps":
        context = ssl.create_default_context()
        server: smtplib.SMTP = smtplib.SMTP_SSL(
            parts.hostname, parts.port or 465, timeout=_TIMEOUT, context=context
        )
    else:
        server = smtplib.SMTP(parts.hostname, parts.port or 25, timeout=_TIMEOUT)
        if parts.username:
            server.starttls(context=ssl.create_default_context())
    if parts.username:
        server.login(unquote(parts.username), unquote(parts.password or ""))
    return server
