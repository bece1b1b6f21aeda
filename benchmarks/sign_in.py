"""What a crowd at the door costs everybody else: `python -m benchmarks.sign_in [--quick] [--json FILE]`.

One server process on SQLite on this machine; client and server share its cores. Three kinds of pages (the same for
everybody, a form, and the home page of somebody who is signed in) are asked for one after another at a steady pace,
each timed from the moment it was due. Row `idle`: nothing else happens. Row `crowd`: meanwhile 80 people sign in at
once, each at an address of their own, and again as soon as they are in. `ratio` is the 95th percentile in the crowd
over the one of an idle service; the goal is at most 5.
"""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from benchmarks import rows

CROWD = 80
PASSWORD = "a sentence to remember"
PAGES = ("/how", "/sign-in", "/")
PACE = 10.0
"""Pages a second."""


def main() -> None:
    """Run the benchmark, print its rows and write them if asked to."""
    options = rows.arguments(__doc__)
    seconds = 10.0 if options.quick else 30.0
    with tempfile.TemporaryDirectory() as folder, serving(f"sqlite:///{folder}/service.db") as port:
        cookie = sign_in(port, 0)[1]
        asked(port, cookie, 3.0)  # warms up
        idle = {"name": "idle"} | summary(asked(port, cookie, seconds))
        rows.show(idle)
        with crowd(port) as answers:
            time.sleep(2)
            times = asked(port, cookie, seconds)
        busy = {"name": "crowd"} | summary(times)
        busy |= {"signing_in": CROWD, "sign_ins_per_second": answers[303] / (seconds + 2)}
        busy |= {"asked_to_come_again": answers[503] + answers[429], "ratio": busy["p95_ms"] / idle["p95_ms"]}
        rows.show(busy)
    rows.write([idle, busy], options.json)


@contextmanager
def serving(url: str) -> Iterator[int]:
    """Fill a service with people, run it in a process of its own and yield its port."""
    fill(url)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [sys.executable, "-m", "uvicorn", "entrenous.web.app:create_app", "--factory"]
    command += ["--port", str(port), "--log-level", "warning", "--no-access-log"]
    source = str(Path(__file__).parents[1] / "src")
    variables = {"ENTRENOUS_DATABASE": url, "ENTRENOUS_WORKER": "no", "PYTHONPATH": source}
    server = subprocess.Popen(command, env=dict(os.environ) | variables)
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield port
    finally:
        server.terminate()
        server.wait(60)


def fill(url: str) -> None:
    """Open an account for everybody, all with one password."""
    from entrenous.web.identity.passwords import hash_password
    from entrenous.web.service import membership
    from entrenous.web.settings import Settings
    from entrenous.web.store.database import Database

    database = Database(Settings(database=url))
    database.migrate()
    stored = hash_password(PASSWORD)
    with database.writing() as session:
        for place in range(CROWD + 1):
            membership.register(session, handle=f"p{place}", name=f"Person {place}", password_hash=stored)
    database.close()


def sign_in(port: int, place: int) -> tuple[int, str]:
    """Sign somebody in; return the status and the cookie of the session."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    body = urlencode({"login": f"p{place}", "password": PASSWORD})
    headers = {"content-type": "application/x-www-form-urlencoded", "x-forwarded-for": f"192.0.2.{place}"}
    connection.request("POST", "/sign-in", body, headers)
    answer = connection.getresponse()
    answer.read()
    cookies = [value for name, value in answer.getheaders() if name.lower() == "set-cookie"]
    connection.close()
    return answer.status, "; ".join(one.split(";")[0] for one in cookies)


@contextmanager
def crowd(port: int) -> Iterator[Counter[int]]:
    """Let everybody sign in again and again; yield the statuses they got so far."""
    done, answers = threading.Event(), Counter[int]()

    def person(place: int) -> None:
        while not done.is_set():
            status, _ = sign_in(port, place)
            answers[status] += 1
            if status != 303:
                done.wait(1)

    people = [threading.Thread(target=person, args=(place,)) for place in range(1, CROWD + 1)]
    for one in people:
        one.start()
    try:
        yield answers
    finally:
        done.set()
        for one in people:
            one.join()


def asked(port: int, cookie: str, seconds: float) -> list[float]:
    """Ask for pages at a steady pace and return how long each took, in milliseconds, from when it was due."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    begin, times = time.perf_counter(), []
    for number in range(int(seconds * PACE)):
        due = begin + number / PACE
        time.sleep(max(0.0, due - time.perf_counter()))
        connection.request("GET", PAGES[number % len(PAGES)], headers={"cookie": cookie})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        times.append(1000 * (time.perf_counter() - due))
    connection.close()
    return times


def summary(times: list[float]) -> dict[str, Any]:
    """Return how many pages there were, and how long they took."""
    return {
        "pages": len(times),
        "p50_ms": float(np.percentile(times, 50)),
        "p95_ms": float(np.percentile(times, 95)),
        "longest_ms": max(times),
    }


if __name__ == "__main__":
    main()
