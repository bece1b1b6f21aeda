"""Webhooks, signed as in Standard Webhooks, sent to nowhere but the address that was checked.

References
----------
Standard Webhooks specification 1.0.0, https://www.standardwebhooks.com.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from entrenous.errors import ArgumentError
from entrenous.web.delivery.addresses import check_target, resolve

__all__ = ["post", "signature"]

_TIMEOUT = 10.0
_MOST_ANSWER = 64 * 1024


def signature(secret: str, identifier: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a message: HMAC-SHA256 of its id, its time and its body.

    >>> body = b'{"event_type":"ping","data":{"success":true}}'
    >>> signature("whsec_plJ3nmyCDGBKInavdOK15jsl", "msg_loFOjxBNrRLzqYUf", 1731705121, body)
    'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0='
    """
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{identifier}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def post(
    url: str,
    secret: str,
    identifier: str,
    body: Mapping[str, Any],
    *,
    moment: datetime,
    private: bool = False,
) -> str | None:
    """Send a message, and return None if it was taken (2xx), else in a word why not.

    The name is resolved here and the connection made to that address; redirects are answers like any other.
    """
    try:
        parts = check_target(url, private=private)
    except ArgumentError:
        return "refused address"
    host = str(parts.hostname)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = resolve(host, port, private=private)
    if address is None:
        return "no public address"
    content = json.dumps(body, separators=(",", ":")).encode()
    timestamp = int(moment.timestamp())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "entrenous",
        "webhook-id": identifier,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, identifier, timestamp, content),
    }
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = _Pinned(host, port, address, encrypted=parts.scheme == "https")
    deadline = threading.Timer(_TIMEOUT, connection.hang_up)  # who answers a byte at a time is cut off too
    deadline.start()
    try:
        connection.request("POST", path, body=content, headers=headers)
        answer = connection.getresponse()
        answer.read(_MOST_ANSWER)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return type(error).__name__
    finally:
        deadline.cancel()
        connection.close()
    return None if 200 <= answer.status < 300 else f"status {answer.status}"


class _Pinned(http.client.HTTPConnection):
    """A connection for a host that goes to an address resolved before."""

    def __init__(self, host: str, port: int, address: str, *, encrypted: bool) -> None:
        super().__init__(host, port, timeout=_TIMEOUT)
        self._address = address
        self._encrypted = encrypted

    def connect(self) -> None:
        """Connect to the resolved address, and check the certificate against the host's name."""
        plain = socket.create_connection((self._address, self.port), timeout=_TIMEOUT)
        self.sock = plain
        if self._encrypted:
            context = ssl.create_default_context()
            encrypted = context.wrap_socket(plain, server_hostname=self.host, do_handshake_on_connect=False)
            self.sock = encrypted
            encrypted.do_handshake()

    def hang_up(self) -> None:
        """End whatever is under way; may be called from another thread."""
        with suppress(OSError, AttributeError):  # it may not be there yet, or gone already
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)
