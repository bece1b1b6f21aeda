"""What the desk adds to a release: the same mechanism at a desk, and with its statistics drawn directly.

``python -m benchmarks.desk [--quick] [--json FILE]``

Both ways alternate in one process, each with real noise, after one round that is not counted (which compiles). The peer
is the same code without any counting: it calls `draw` and nothing else. `share` is the time it takes to open
the desk and to charge every question, over the time of the whole release.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

from benchmarks.rows import arguments, data_folder, show, write
from entrenous.desk import Desk
from entrenous.graph import Graph
from entrenous.network import MECHANISMS
from entrenous.network.release import check_request
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.statistic import Noted, Statistic
from entrenous.unit import Unit


class Direct:
    """Answers without counting."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.noise, self.drawing = graph, Noise(), 0.0

    @property
    def generator(self) -> np.random.Generator:
        """Random numbers for post-processing."""
        return self.noise.generator

    def __call__(self, statistic: Statistic[Graph, Any]) -> Any:
        """Draw."""
        drawn = statistic.draw(self.graph, Unit.EDGE, self.noise)
        return drawn.answer if isinstance(drawn, Noted) else drawn


def main() -> None:
    """Time both ways."""
    options = arguments(__doc__)
    rounds = 5 if options.quick else 15
    rows = []
    for name, method in (("ca-AstroPh", "owner"), ("ca-AstroPh", "chung-lu")):
        graph = Graph.read(data_folder() / "graphs" / f"{name}.edges.gz")
        row = {"graph": name, "method": method, "rounds": rounds} | measured(graph, method, rounds)
        show(row)
        rows.append(row)
    write(rows, options.json)


def measured(graph: Graph, method: str, rounds: int) -> dict[str, float]:
    """Return median seconds of both ways, and the share of the desk."""
    mechanism = MECHANISMS[method]
    request = check_request(graph, mechanism, epsilon=1.0)
    at_desk, directly, shares = [], [], []
    for number in range(rounds + 1):
        start = time.perf_counter()
        mechanism.run(Direct(graph), request)  # type: ignore[arg-type]
        without = time.perf_counter() - start
        start = time.perf_counter()
        asked = Desk(graph, unit=Unit.EDGE, ceiling=Price(epsilon=1.0), noise=Noise())
        opening = time.perf_counter() - start
        charging = watch(asked)
        mechanism.run(asked, request)
        whole = time.perf_counter() - start
        if number:
            at_desk.append(whole)
            directly.append(without)
            shares.append((opening + sum(charging)) / whole)
    desk, peer = statistics.median(at_desk), statistics.median(directly)
    return {
        "desk_s": round(desk, 3),
        "direct_s": round(peer, 3),
        "ratio": round(desk / peer, 4),
        "share": round(statistics.median(shares), 5),
    }


def watch(asked: Desk[Graph]) -> list[float]:
    """Return a list that fills with the seconds every charge at a desk takes."""
    seconds: list[float] = []
    charge = asked._meter.charge

    def timed(price: Price, name: str) -> Any:
        start = time.perf_counter()
        try:
            return charge(price, name)
        finally:
            seconds.append(time.perf_counter() - start)

    asked._meter.charge = timed  # type: ignore[method-assign]
    return seconds


if __name__ == "__main__":
    main()
