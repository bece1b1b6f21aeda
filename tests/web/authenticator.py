"""An authenticator in software: it makes key pairs and signs as the standard says, or lies where it is told to.

It is written from the standard, without the library that the service checks answers with.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

PRESENT, VERIFIED, ELIGIBLE, BACKED_UP, ATTESTED = 0x01, 0x04, 0x08, 0x10, 0x40


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def cbor(value: Any) -> bytes:
    """Return a value in CBOR (RFC 8949), as far as passkeys need it."""
    match value:
        case int():
            return _head(0, value) if value >= 0 else _head(1, -1 - value)
        case bytes():
            return _head(2, len(value)) + value
        case str():
            return _head(3, len(value.encode())) + value.encode()
        case Mapping():
            return _head(5, len(value)) + b"".join(cbor(key) + cbor(part) for key, part in value.items())
    raise TypeError(type(value))


def _head(kind: int, number: int) -> bytes:
    if number < 24:
        return bytes([kind << 5 | number])
    size = next(size for size in (1, 2, 4, 8) if number < 1 << 8 * size)
    return bytes([kind << 5 | {1: 24, 2: 25, 4: 26, 8: 27}[size]]) + number.to_bytes(size, "big")


@dataclass
class Authenticator:
    """A device with one passkey, once it has made one; `counts` is false for one that is synced and counts nothing."""

    origin: str
    curve: str = "p256"
    counts: bool = True
    count: int = 0
    backed_up: bool = False
    credential: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    user_handle: bytes = b""

    def __post_init__(self) -> None:
        self.key: Any = (
            ec.generate_private_key(ec.SECP256R1())
            if self.curve == "p256"
            else ed25519.Ed25519PrivateKey.generate()
        )

    def create(self, options: Mapping[str, Any], **lies: Any) -> str:
        """Answer what a browser asks in order to make a passkey."""
        self.user_handle = decoded(options["user"]["id"])
        client_data = self._client_data("webauthn.create", options, lies)
        credential = lies.get("credential", self.credential)
        attested = bytes(16) + struct.pack(">H", len(credential)) + credential + cbor(self._cose(lies))
        data = self._data(options["rp"]["id"], ATTESTED, lies) + attested
        answer = {
            "clientDataJSON": encoded(client_data),
            "attestationObject": encoded(cbor({"fmt": "none", "attStmt": {}, "authData": data})),
            "transports": lies.get("transports", ["internal", "hybrid"]),
        }
        return self._answer(answer, lies)

    def get(self, options: Mapping[str, Any], **lies: Any) -> str:
        """Answer what a browser asks in order to use a passkey."""
        client_data = self._client_data("webauthn.get", options, lies)
        data = self._data(options["rpId"], 0, lies)
        signature = self._sign(data + hashlib.sha256(client_data).digest())
        if lies.get("tampered"):
            signature = signature[:-1] + bytes([signature[-1] ^ 1])
        handle = lies.get("user_handle", self.user_handle)
        answer = {
            "clientDataJSON": encoded(client_data),
            "authenticatorData": encoded(data),
            "signature": encoded(signature),
            "userHandle": None if handle is None else encoded(handle),
        }
        return self._answer(answer, lies)

    def _answer(self, response: dict[str, Any], lies: Mapping[str, Any]) -> str:
        name = encoded(lies.get("raw_id", self.credential))
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": response})

    def _client_data(self, kind: str, options: Mapping[str, Any], lies: Mapping[str, Any]) -> bytes:
        told = {
            "type": lies.get("type", kind),
            "challenge": lies.get("challenge", options["challenge"]),
            "origin": lies.get("origin", self.origin),
            "crossOrigin": lies.get("cross_origin", False),
        }
        return json.dumps(told).encode()

    def _data(self, rp_id: str, flags: int, lies: Mapping[str, Any]) -> bytes:
        flags |= PRESENT if lies.get("present", True) else 0
        flags |= VERIFIED if lies.get("verified", True) else 0
        flags |= ELIGIBLE | BACKED_UP if self.backed_up else 0
        self.count += self.counts
        count = lies.get("count", self.count if self.counts else 0)
        return hashlib.sha256(lies.get("rp_id", rp_id).encode()).digest() + struct.pack(">BI", flags, count)

    def _cose(self, lies: Mapping[str, Any]) -> dict[int, Any]:
        """Return the public key as COSE writes it (RFC 9053)."""
        if self.curve == "p256":
            numbers = self.key.public_key().public_numbers()
            x, y = (number.to_bytes(32, "big") for number in (numbers.x, numbers.y))
            return {1: 2, 3: lies.get("algorithm", -7), -1: 1, -2: x, -3: y}
        return {1: 1, 3: -8, -1: 6, -2: self.key.public_key().public_bytes_raw()}

    def _sign(self, content: bytes) -> bytes:
        if self.curve == "p256":
            return bytes(self.key.sign(content, ec.ECDSA(hashes.SHA256())))
        return bytes(self.key.sign(content))
