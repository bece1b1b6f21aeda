"""A small OpenID provider that really runs: discovery, codes, PKCE, signed tokens; it signs in whom it is told to."""

from __future__ import annotations

import base64
import hashlib
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from tests.web.serving import answering

CLIENT, SECRET = "entrenous-tests", "a secret of two"


@dataclass
class OpenProvider:
    """The provider's memory; tests change `claims` to sign in somebody else, or to lie."""

    issuer: str
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one"}, private=True))
    claims: dict[str, Any] = field(default_factory=lambda: {"sub": "person-1", "name": "Olga Sample"})
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    signs_with: RSAKey | None = None

    def discovery(self, _request: Request) -> Response:
        endpoints = {"authorization": "authorize", "token": "token"}
        found = {f"{name}_endpoint": f"{self.issuer}/{path}" for name, path in endpoints.items()}
        return JSONResponse({"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys", **found})

    def keys(self, _request: Request) -> Response:
        return JSONResponse(KeySet([self.key]).as_dict(private=False))

    def authorize(self, request: Request) -> Response:
        asked = request.query_params
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(8)
        self.codes[code] = {name: asked[name] for name in ("nonce", "code_challenge", "redirect_uri")}
        answer = urlencode({"code": code, "state": asked["state"]})
        return RedirectResponse(f"{asked['redirect_uri']}?{answer}", 302)

    async def token(self, request: Request) -> Response:
        sent = await request.form()
        known = self.codes.pop(str(sent["code"]), None)
        basic = base64.b64encode(f"{CLIENT}:{SECRET.replace(' ', '+')}".encode()).decode()
        plain = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if known is None or request.headers.get("authorization") not in (f"Basic {basic}", f"Basic {plain}"):
            return JSONResponse({"error": "invalid_grant"}, 400)
        digest = hashlib.sha256(str(sent["code_verifier"]).encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != known["code_challenge"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        moment = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": moment,
            "exp": moment + 60,
            "nonce": known["nonce"],
        }
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims | self.claims, self.signs_with or self.key)
        return JSONResponse({"access_token": "unused", "token_type": "Bearer", "id_token": signed})


@contextmanager
def providing() -> Iterator[OpenProvider]:
    """Run the provider in a thread on a free port."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        provider = OpenProvider(f"http://127.0.0.1:{listening.getsockname()[1]}")
        routes = [
            Route("/.well-known/openid-configuration", provider.discovery),
            Route("/keys", provider.keys),
            Route("/authorize", provider.authorize),
            Route("/token", provider.token, methods=["POST"]),
        ]
        with answering(Starlette(routes=routes), listening):
            yield provider
