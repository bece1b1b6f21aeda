"""Figures for whoever runs the service: how many requests, how fast, how long the queue. None is about a person.

Requests are counted by the pattern of their path (`/items/{item}`), never by the path itself.
"""

from __future__ import annotations

from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Measured", "Metrics"]

BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)


class Metrics:
    """The counters of one process.

    >>> metrics = Metrics()
    >>> metrics.requests.labels("GET", "/items/{item}", "200").inc()
    >>> b'path="/items/{item}"' in metrics.page({}).body
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
        self.stored = Gauge(
            "entrenous_stored", "Rows of a kind in the database.", ["kind"], registry=self.registry
        )

    def page(self, stored: dict[str, int]) -> Response:
        """Return all figures in Prometheus' text format, with some counts of what is stored."""
        for kind, number in stored.items():
            self.stored.labels(kind).set(number)
        return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)


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
            path = getattr(scope.get("route"), "path", "none")
            self.metrics.requests.labels(scope["method"], path, str(status)).inc()
            self.metrics.seconds.labels(path).observe(perf_counter() - start)
