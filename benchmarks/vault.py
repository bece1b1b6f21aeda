"""What a vault adds to a release, and how the cost of a charge grows with what it remembers.

``python -m benchmarks.vault [--quick] [--json FILE]``

`release`: the same release with a vault and without, alternating in one process with real noise, saved to disk either
way, after one round that is not counted (which compiles). The peer is the release without a vault.

`charge`: seconds for a charge to a vault with so many entries, and for opening it in a new process, where every seal is
checked. The peer is a plain row of the same text, written to SQLite as safely, in the same run.
"""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.rows import arguments, real_graph, show, write
from entrenous import network
from entrenous.graph import Graph
from entrenous.guarantee import Guarantee
from entrenous.vault import Budget, Order, Vault

ORDER = Order(purpose="network release", sees=("ties",), guarantee=Guarantee(epsilon=1e-6))


def main() -> None:
    """Time releases, then charges."""
    options = arguments(__doc__)
    rows: list[dict[str, float | str]] = []
    for name in ("ca-AstroPh",) if options.quick else ("polblogs", "ca-AstroPh", "dblp-2010"):
        rows.append(
            {"part": "release", "graph": name} | releases(real_graph(name), 3 if options.quick else 5)
        )
        show(rows[-1])
    for size in (10, 1000) if options.quick else (10, 100, 1000, 10_000):
        rows.append({"part": "charge", "entries": size} | charges(size))
        show(rows[-1])
    write(rows, options.json)


def timed(work: Callable[[], object]) -> float:
    """Return how many seconds some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def released(graph: Graph, folder: Path, vault: Vault | None) -> None:
    """Release a graph and save it."""
    network.release(graph, epsilon=1.0, vault=vault).save(folder)


def releases(graph: Graph, rounds: int) -> dict[str, float]:
    """Return median seconds of a release with a vault and without."""
    alone, remembered = [], []
    with tempfile.TemporaryDirectory() as home:
        vault = Vault.create(Path(home) / "a.vault", Budget(epsilon=1000.0))
        for number in range(rounds + 1):
            place = Path(home) / str(number)
            without = timed(partial(released, graph, place / "alone", None))
            with_vault = timed(partial(released, graph, place / "remembered", vault))
            if number:
                alone.append(without)
                remembered.append(with_vault)
    peer, ours = statistics.median(alone), statistics.median(remembered)
    return {"without_s": round(peer, 4), "with_s": round(ours, 4), "ratio": round(ours / peer, 3)}


def charges(entries: int, rounds: int = 31) -> dict[str, float]:
    """Return median seconds of a charge, of a plain row, and of opening a vault of so many entries."""
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "a.vault"
        vault = Vault.create(path, Budget(epsilon=1000.0))
        with vault._storage.transaction() as chain:  # many at once: to fill a vault is not what is measured
            first = chain.add("charge", _charge_body(path))
            for _ in range(entries - len(chain.entries)):
                chain.add("charge", {name: value for name, value in first.body.items() if name != "nonce"})
        opening = statistics.median(timed(lambda: Vault(path)) for _ in range(5))
        vault = Vault(path)
        vault.charge(ORDER)
        charging = statistics.median(timed(lambda: vault.charge(ORDER)) for _ in range(rounds))
        plain = statistics.median(timed(lambda: _plain_row(Path(home) / "plain")) for _ in range(rounds))
    return {
        "charge_ms": round(1000 * charging, 3),
        "plain_row_ms": round(1000 * plain, 3),
        "ratio": round(charging / plain, 2),
        "opening_ms": round(1000 * opening, 2),
    }


def _charge_body(path: Path) -> dict[str, object]:
    """Return what a charge says, from a vault of its own."""
    vault = Vault.create(path.with_name("sample.vault"), Budget(epsilon=1.0))
    return {name: value for name, value in vault.charge(ORDER).body.items() if name != "nonce"}


def _plain_row(path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("CREATE TABLE IF NOT EXISTS entry (number INTEGER PRIMARY KEY, body TEXT)")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO entry (body) VALUES (?)", ("x" * 400,))
    connection.execute("COMMIT")
    connection.close()


if __name__ == "__main__":
    main()
