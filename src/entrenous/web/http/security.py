"""What every request passes before anything reads it: its origin, its size, and the headers of its answer."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from entrenous.web.http.problems import Problem

__all__ = ["AnswerHeaders", "BodyLimit", "SameOrigin", "Utf8Forms", "client_address", "safe_path"]

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

ANSWER_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class SameOrigin:
    """Refuse requests that change something and come from another site's page.

    Browsers say where a request comes from in Sec-Fetch-Site, older ones in Origin; a page cannot forge
    either. What carries neither is no browser, so no person's cookie is being abused.

    References
    ----------
    OWASP, "Cross-Site Request Forgery Prevention Cheat Sheet", section on Fetch Metadata.
    """

    def __init__(self, app: ASGIApp, *, origins: Collection[str]) -> None:
        self.app = app
        self.origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 403."""
        if (
            scope["type"] == "http"
            and scope["method"] not in SAFE_METHODS
            and not self._is_own(Headers(scope=scope))
        ):
            refusal = Problem(
                403, "cross-site", "This request came from another site, so it was not carried out."
            )
            await refusal.response()(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _is_own(self, headers: Headers) -> bool:
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site in ("same-origin", "none")
        origin = headers.get("origin")
        return origin is None or origin in self.origins or urlsplit(origin).netloc == headers.get("host")


class BodyLimit:
    """Stop reading a request as soon as it is larger than allowed, whatever its headers claim."""

    def __init__(self, app: ASGIApp, *, most: int) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and count its bytes while they are read."""
        if scope["type"] != "http" or scope["method"] in SAFE_METHODS:
            await self.app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        if not declared.isdecimal() or int(declared) > self.most:
            await self._problem().response()(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.most:
                raise self._problem()
            return message

        await self.app(scope, counted, send)

    def _problem(self) -> Problem:
        return Problem(
            413, "too-large", f"Expected at most {self.most // 1_000_000} MB; send something smaller."
        )


class Utf8Forms:
    """Refuse forms that name another encoding than UTF-8, which browsers use here.

    The framework decodes each field as the form says, before anybody is asked who they are. Among the encodings Python
    knows are some that take time by the square of the length: a form of a few megabytes in Punycode would stop all
    answers for minutes.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 415."""
        if scope["type"] == "http" and not _is_utf8(Headers(scope=scope).get("content-type", "")):
            refusal = Problem(415, "encoding", "Expected a form in UTF-8; send it without another charset.")
            await refusal.response()(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _is_utf8(content_type: str) -> bool:
    """Return whether a type names no encoding but UTF-8, read just as the framework reads it."""
    _, parameters = parse_options_header(content_type)
    return parameters.get(b"charset", b"utf-8").lower() in (b"utf-8", b"utf8")


class AnswerHeaders:
    """Add to every answer the headers that keep a browser from guessing, framing, leaking or keeping."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self.app = app
        self.headers = ANSWER_HEADERS | ({"strict-transport-security": "max-age=31536000"} if https else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and complete the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def completed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self.app(scope, receive, completed)


def safe_path(target: str | None, *, default: str = "/") -> str:
    r"""Return a path of this site to go on to; anything that could lead elsewhere becomes the default.

    >>> safe_path("/items/7?round=2")
    '/items/7?round=2'
    >>> safe_path("//evil.example"), safe_path("https://evil.example"), safe_path("/\\evil.example")
    ('/', '/', '/')
    """
    if not target or not target.startswith("/") or target.startswith("//"):
        return default
    if "\\" in target or any(not 32 < ord(character) < 127 for character in target):
        return default
    return target


def client_address(request: Request) -> str:
    """Return the address a request comes from; behind a proxy uvicorn has put the client's there."""
    return request.client.host if request.client else "unknown"
