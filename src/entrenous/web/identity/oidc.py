"""Signing in with an account somebody already has, through OpenID Connect with PKCE.

A person is known by the pair (issuer, subject), never by an address: addresses are reassigned, and some
providers let people claim any. What has to survive the trip to the provider waits in the database, to be
taken once; a cookie ties it to the browser that set out.

References
----------
N. Sakimura et al., "OpenID Connect Core 1.0", 2014; "Proof Key for Code Exchange", RFC 7636, 2015.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from entrenous.web.identity.tokens import new_secret
from entrenous.web.rules.refusals import SignInFailed

__all__ = ["Claims", "Flow", "Provider"]

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]
"""Signatures accepted on an ID token; "none" and shared-key ones are not among them."""


@dataclass(frozen=True)
class Flow:
    """One trip to the provider: where to, and what must come back or stay here meanwhile."""

    url: str
    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True)
class Claims:
    """What a provider says about a person."""

    issuer: str
    subject: str
    name: str
    email: str | None


class Provider:
    """One OpenID provider, found by its issuer.

    Its endpoints and keys are fetched on first use, and the keys again when a token names an unknown one.
    """

    def __init__(self, issuer: str, client_id: str, client_secret: str | None, redirect_uri: str) -> None:
        self.issuer = issuer.rstrip("/")
        self.client_id = client_id
        self.client_secret = client_secret
        self.redirect_uri = redirect_uri
        self._metadata: dict[str, Any] | None = None
        self._keys: KeySet | None = None

    def begin(self) -> Flow:
        """Return a fresh flow; its `url` is where to send the browser."""
        state, nonce, verifier = new_secret(), new_secret(), new_secret()
        endpoint = self._endpoint("authorization_endpoint")
        with self._client() as client:
            url, _ = client.create_authorization_url(
                endpoint, state=state, code_verifier=verifier, nonce=nonce
            )
        return Flow(str(url), state, nonce, verifier)

    def finish(self, *, code: str, nonce: str, verifier: str) -> Claims:
        """Exchange the code for an ID token, check it and return what it says.

        Raises
        ------
        SignInFailed
            If the provider does not answer as it should, or its token is not in order.
        """
        try:
            with self._client() as client:
                token = client.fetch_token(
                    self._endpoint("token_endpoint"), code=code, code_verifier=verifier
                )
            claims = self._verified(token["id_token"], nonce)
        except (AuthlibBaseError, JoseError, httpx2.HTTPError, KeyError, ValueError) as error:
            raise SignInFailed from error
        verified = claims.get("email") if claims.get("email_verified") is True else None
        name = str(claims.get("name") or claims.get("preferred_username") or "New person")
        return Claims(self.issuer, str(claims["sub"]), name[:80], verified)

    def _verified(self, id_token: str, nonce: str) -> CodeIDToken:
        try:
            token = jwt.decode(id_token, self._key_set(), algorithms=ALGORITHMS)
        except (JoseError, ValueError):
            token = jwt.decode(id_token, self._key_set(anew=True), algorithms=ALGORITHMS)
        claims = CodeIDToken(
            token.claims,
            token.header,
            options={
                "iss": {"essential": True, "value": self._fetched()["issuer"]},
                "aud": {"essential": True, "value": self.client_id},
                "nonce": {"essential": True, "value": nonce},
            },
            params={"client_id": self.client_id, "nonce": nonce},
        )
        claims.validate(leeway=60)
        return claims

    def _client(self) -> OAuth2Client:
        return OAuth2Client(
            self.client_id,
            self.client_secret,
            scope="openid profile email",
            redirect_uri=self.redirect_uri,
            code_challenge_method="S256",
            token_endpoint_auth_method="client_secret_basic" if self.client_secret else "none",
            timeout=10,
        )

    def _endpoint(self, name: str) -> str:
        return str(self._fetched()[name])

    def _fetched(self) -> dict[str, Any]:
        if self._metadata is None:
            found = self._get(f"{self.issuer}/.well-known/openid-configuration")
            if str(found.get("issuer", "")).rstrip("/") != self.issuer:
                raise SignInFailed
            self._metadata = found
        return self._metadata

    def _key_set(self, *, anew: bool = False) -> KeySet:
        if self._keys is None or anew:
            self._keys = KeySet.import_key_set(self._get(self._endpoint("jwks_uri")))  # type: ignore[arg-type]
        return self._keys

    def _get(self, url: str) -> dict[str, Any]:
        try:
            answer = httpx2.get(url, timeout=10)
            answer.raise_for_status()
            found = answer.json()
        except (httpx2.HTTPError, ValueError) as error:
            raise SignInFailed from error
        if not isinstance(found, dict):
            raise SignInFailed
        return found
