"""Passkeys: key pairs of which this service knows the public half (WebAuthn).

A browser answers a challenge only for the name and the origin a passkey was made for, so a copied page gets nothing.
The authenticator must have checked who holds it (user verification) and must find the passkey by itself (discoverable),
so that nobody has to type a name and no list of somebody's passkeys is ever handed out. Which make an authenticator is
stays its owner's business: attestation is neither asked for nor looked at.

References
----------
T. Cappalli et al., "Web Authentication: An API for accessing Public Key Credentials, Level 3", W3C, 2025.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from fido2 import cbor
from fido2.cose import ES256, RS256, CoseKey, EdDSA
from fido2.server import Fido2Server
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationConveyancePreference,
    AttestedCredentialData,
    AuthenticationResponse,
    AuthenticatorTransport,
    CollectedClientData,
    PublicKeyCredentialDescriptor,
    PublicKeyCredentialParameters,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialType,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from entrenous.errors import EntrenousError

__all__ = [
    "Asserted",
    "Attested",
    "PasskeyRefused",
    "RelyingParty",
    "challenge_in",
    "check_assertion",
    "check_attestation",
    "creation_options",
    "credential_in",
    "new_challenge",
    "new_user_handle",
    "request_options",
]

ALGORITHMS = (ES256.ALGORITHM, EdDSA.ALGORITHM, RS256.ALGORITHM)
"""What every authenticator in use knows one of."""

LONGEST_ANSWER = 20_000
LONGEST_ID = 1023
"""Bytes of a credential's id, by the standard."""

TRANSPORTS = frozenset(transport.value for transport in AuthenticatorTransport)

logging.getLogger("fido2").setLevel(logging.WARNING)  # it would log who signed in, by the id of the passkey


class PasskeyRefused(EntrenousError):  # noqa: N818 - reads as what happened
    """An answer of a passkey does not hold; the message is always the same and does not tell why."""

    def __init__(self) -> None:
        super().__init__("This passkey was not accepted. Please try again.")


@dataclass(frozen=True)
class RelyingParty:
    """Whom passkeys are for: the name of this service, and where its pages come from."""

    id: str
    origin: str

    @classmethod
    def at(cls, address: str) -> RelyingParty | None:
        """Return whom passkeys are for at an address, None where browsers offer none: they need a name, and TLS.

        >>> RelyingParty.at("https://share.example.org:443/")
        RelyingParty(id='share.example.org', origin='https://share.example.org')
        >>> RelyingParty.at("http://localhost:8000").origin, RelyingParty.at("http://127.0.0.1:8000")
        ('http://localhost:8000', None)
        """
        parts = urlsplit(address)
        try:
            host = (parts.hostname or "").encode("idna").decode().lower()
            port = parts.port
        except ValueError:
            return None
        local = host == "localhost" or host.endswith(".localhost")
        if not host or _is_number(host) or not (parts.scheme == "https" or local):
            return None
        usual = port in (None, {"http": 80, "https": 443}[parts.scheme])
        return cls(host, f"{parts.scheme}://{host}" + ("" if usual else f":{port}"))


@dataclass(frozen=True)
class Attested:
    """A passkey that was just made."""

    credential: str
    public_key: bytes
    sign_count: int
    transports: tuple[str, ...]
    backed_up: bool


@dataclass(frozen=True)
class Asserted:
    """A use of a passkey whose signature fits: how often it says it was used, and for whom it was made."""

    sign_count: int
    user_handle: str | None
    backed_up: bool


def new_challenge() -> str:
    """Return what an authenticator is asked to sign: 256 random bits."""
    return websafe_encode(secrets.token_bytes(32))


def new_user_handle() -> str:
    """Return a random name by which authenticators know a person; it says nothing about them."""
    return websafe_encode(secrets.token_bytes(32))


def creation_options(
    party: RelyingParty,
    challenge: str,
    *,
    user_handle: str,
    handle: str,
    name: str,
    known: Collection[tuple[str, tuple[str, ...]]],
) -> dict[str, Any]:
    """Return what a browser is asked in order to make a passkey; an authenticator that has one makes no second."""
    user = PublicKeyCredentialUserEntity(id=websafe_decode(user_handle), name=handle, display_name=name)
    options, _ = _server(party).register_begin(
        user,
        _descriptors(known),
        resident_key_requirement=ResidentKeyRequirement.REQUIRED,
        user_verification=UserVerificationRequirement.REQUIRED,
        challenge=websafe_decode(challenge),
    )
    return dict(options)


def request_options(
    party: RelyingParty, challenge: str, *, known: Collection[tuple[str, tuple[str, ...]]] = ()
) -> dict[str, Any]:
    """Return what a browser is asked in order to use a passkey; without `known`, whichever its owner picks."""
    options, _ = _server(party).authenticate_begin(
        _descriptors(known) or None,
        user_verification=UserVerificationRequirement.REQUIRED,
        challenge=websafe_decode(challenge),
    )
    return dict(options)


def challenge_in(answer: str) -> str:
    """Return which challenge an answer claims to be to, before anything about it is checked."""
    with _refusing():
        client_data = websafe_decode(_parsed(answer)["response"]["clientDataJSON"])
        return websafe_encode(CollectedClientData(client_data).challenge)


def check_attestation(party: RelyingParty, challenge: str, answer: str) -> Attested:
    """Return the passkey in an answer to `creation_options`.

    Raises
    ------
    PasskeyRefused
        If the answer is to another challenge, from another origin or for another service, if the authenticator did not
        check its holder, or if the key is of a kind that was not asked for.
    """
    with _refusing():
        sent = _parsed(answer)
        response = RegistrationResponse.from_dict(sent)
        data = _server(party).register_complete(_state(challenge), response)
        made = data.credential_data
        if made is None or not 0 < len(made.credential_id) <= LONGEST_ID:
            raise ValueError("no passkey")
        if response.response.client_data.cross_origin is not False:
            raise ValueError("made in a frame of another site")
        if made.public_key.ALGORITHM not in ALGORITHMS or made.credential_id != response.raw_id:
            raise ValueError("not what was asked for")
        with suppress(InvalidSignature):  # a key that breaks here could never sign anybody in
            made.public_key.verify(b"", b"")
        transports = sent["response"].get("transports") or ()
        return Attested(
            credential=websafe_encode(made.credential_id),
            public_key=cbor.encode(dict(made.public_key)),
            sign_count=data.counter,
            transports=tuple(sorted({one for one in transports if one in TRANSPORTS})),
            backed_up=data.is_backed_up(),
        )


def credential_in(answer: str) -> str:
    """Return which passkey an answer claims to be from, before anything about it is checked."""
    with _refusing():
        return websafe_encode(AuthenticationResponse.from_dict(_parsed(answer)).raw_id)


def check_assertion(
    party: RelyingParty, challenge: str, answer: str, *, credential: str, public_key: bytes
) -> Asserted:
    """Return what an answer to `request_options` says, once its signature was checked.

    Raises
    ------
    PasskeyRefused
        If the answer is to another challenge, from another origin or for another service, if the authenticator did not
        check its holder, or if it was not signed with this passkey. How often the passkey was used is not judged here.
    """
    with _refusing():
        response = AuthenticationResponse.from_dict(_parsed(answer))
        key = CoseKey.parse(cbor.decode(public_key))  # type: ignore[arg-type]
        known = AttestedCredentialData.create(Aaguid.NONE, websafe_decode(credential), key)
        _server(party).authenticate_complete(_state(challenge), [known], response)
        if response.response.client_data.cross_origin is not False:
            raise ValueError("used in a frame of another site")
        data, handle = response.response.authenticator_data, response.response.user_handle
        return Asserted(
            sign_count=data.counter,
            user_handle=None if handle is None else websafe_encode(handle),
            backed_up=data.is_backed_up(),
        )


@contextmanager
def _refusing() -> Iterator[None]:
    """Turn whatever a hostile answer does to a parser into the one refusal."""
    try:
        yield
    except Exception as error:
        raise PasskeyRefused from error


def _server(party: RelyingParty) -> Fido2Server:
    server = Fido2Server(
        PublicKeyCredentialRpEntity(name="entre nous", id=party.id),
        attestation=AttestationConveyancePreference.NONE,
        verify_origin=lambda origin: origin == party.origin,
    )
    server.allowed_algorithms = [
        PublicKeyCredentialParameters(type=PublicKeyCredentialType.PUBLIC_KEY, alg=algorithm)
        for algorithm in ALGORITHMS
    ]
    return server


def _state(challenge: str) -> dict[str, Any]:
    """Return what the library wants to be told about its own options."""
    return {"challenge": challenge, "user_verification": UserVerificationRequirement.REQUIRED}


def _descriptors(known: Collection[tuple[str, tuple[str, ...]]]) -> list[PublicKeyCredentialDescriptor]:
    return [
        PublicKeyCredentialDescriptor(
            type=PublicKeyCredentialType.PUBLIC_KEY,
            id=websafe_decode(credential),
            transports=[AuthenticatorTransport(one) for one in transports],
        )
        for credential, transports in known
    ]


def _parsed(answer: str) -> Mapping[str, Any]:
    """Return an answer as the browser's JSON."""
    if len(answer) > LONGEST_ANSWER:
        raise PasskeyRefused
    found = json.loads(answer)
    if not isinstance(found, dict):
        raise PasskeyRefused
    return found


def _is_number(host: str) -> bool:
    """Return whether a host is an address rather than a name."""
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return host.replace(".", "").isdigit()
    return True
