"""A small object store on this machine (moto), which can be made to fail in the ways real ones do."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import obstore
from obstore.store import S3Store

from entrenous.web.settings import Settings

KEY, SECRET = "test-key", "test-secret"
REFUSAL = b"<?xml version='1.0'?><Error><Code>%b</Code><Message>no</Message></Error>"
FAULTS = {
    "down": ("503 Slow Down", REFUSAL % b"SlowDown"),
    "full": ("507 Insufficient Storage", REFUSAL % b"InsufficientStorage"),
}


@dataclass
class Bucket:
    """One bucket, what was asked of it, and what is wrong with it at the moment: nothing, `down` or `full`."""

    endpoint: str = ""
    name: str = field(default_factory=lambda: f"bucket-{secrets.token_hex(6)}")
    fault: str | None = None
    asked: list[tuple[str, str]] = field(default_factory=list)

    def settings(self, settings: Settings, *, key: str = KEY, prefix: str = "files") -> Settings:
        """Return settings that keep files here."""
        return replace(
            settings,
            files=f"s3://{self.name}/{prefix}",
            files_endpoint=self.endpoint,
            files_region="us-east-1",
            files_key=key,
            files_secret=SECRET,
        )

    def store(self, prefix: str | None = None) -> S3Store:
        return S3Store(
            self.name,
            prefix=prefix,
            endpoint=self.endpoint,
            region="us-east-1",
            access_key_id=KEY,
            secret_access_key=SECRET,
            virtual_hosted_style_request=False,
            client_options={"allow_http": True},
        )

    def names(self) -> set[str]:
        """Everything in the bucket but the mark of its owner."""
        found = {one["path"] for batch in obstore.list(self.store()) for one in batch}
        return {name for name in found if not name.endswith("/owner")}

    def contents(self) -> list[bytes]:
        return [bytes(obstore.get(self.store(), name).bytes()) for name in sorted(self.names())]

    def count(self, method: str) -> int:
        return sum(one == method for one, _ in self.asked)


Answer = Callable[..., Iterable[bytes]]


def _watched(app: Answer, bucket: Bucket) -> Answer:
    def answer(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        bucket.asked.append((environ["REQUEST_METHOD"], environ["PATH_INFO"]))
        refused = None
        if bucket.fault == "down" or (bucket.fault == "full" and environ["REQUEST_METHOD"] == "PUT"):
            refused = FAULTS[bucket.fault]
        elif KEY not in environ.get("HTTP_AUTHORIZATION", ""):
            refused = ("403 Forbidden", REFUSAL % b"InvalidAccessKeyId")
        if refused is None:
            return app(environ, start)
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        start(refused[0], [("content-type", "application/xml"), ("content-length", str(len(refused[1])))])
        return [refused[1]]

    return answer


@contextmanager
def a_bucket() -> Iterator[Bucket]:
    """Let an empty bucket answer on a port of this machine, in a thread."""
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    bucket = Bucket()
    server = make_server(
        "127.0.0.1", 0, _watched(DomainDispatcherApplication(create_backend_app), bucket), threaded=True
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    bucket.endpoint = f"http://127.0.0.1:{server.server_port}"
    try:
        _make(bucket)
        yield bucket
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _make(bucket: Bucket) -> None:
    import boto3

    client = boto3.client(
        "s3",
        endpoint_url=bucket.endpoint,
        aws_access_key_id=KEY,
        aws_secret_access_key=SECRET,
        region_name="us-east-1",
    )
    client.create_bucket(Bucket=bucket.name)
    client.close()
    bucket.asked.clear()
