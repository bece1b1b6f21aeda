"""Figures for whoever runs the service: how many requests, and how fast. None is about a person.

Requests are counted by the pattern of their path (`/items/{item}`), never by the path itself.
"""

from __future__ import annotations

from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Measured", "Metrics", "path_pattern"]

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)


class Metrics:
    """The counters of one process.

    >>> metrics = Metrics()
    >>> metrics.requests.labels("GET", "/items/{item}", "200").inc()
    >>> b'path="/items/{item}"' in metrics.page().body
    True
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "entrenous_requests", "Requests answered.", ["method", "path", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "entrenous_request_seconds",
            "Time to the answer.",
            ["path"],
            buckets=BUCKETS,
            registry=self.registry,
        )

    def page(self) -> Response:
        """Return all figures in Prometheus' text format."""
        return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)


def path_pattern(scope: Scope) -> str:
    """Return the pattern of path that a request fitted, "none" for one that fitted none."""
    pattern = getattr(scope.get("route"), "path", None)
    if pattern is None:
        return "none"
    # A route of an included router names its path without the prefix of the router.
    return f"/v1{pattern}" if scope["path"].startswith("/v1/") and not pattern.startswith("/v1/") else pattern


class Measured:
    """Count and time every request."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and take its time."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status = perf_counter(), 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noting)
        finally:
            path = path_pattern(scope)
            # A client may send any word.
            method = scope["method"] if scope["method"] in METHODS else "other"
            self.metrics.requests.labels(method, path, str(status)).inc()
            self.metrics.seconds.labels(path).observe(perf_counter() - start)
