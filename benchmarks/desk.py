"""What the desk adds to a release: the same mechanism at a desk, and with its statistics drawn directly.

``python -m benchmarks.desk [--quick] [--json FILE]``

Both ways alternate in one process, each with real noise, after one round that is not counted (which compiles). The peer
is the same code without any counting: it calls `draw` and nothing else. `share` is the time spent at the desk but not
in a draw, over the time of the whole release.
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


class Timed(Desk[Graph]):
    """A desk that knows how long it took to answer."""

    asking = 0.0

    def __call__(self, statistic: Statistic[Graph, Any]) -> Any:
        """Ask, with the watch on."""
        start = time.perf_counter()
        try:
            return super().__call__(statistic)
        finally:
            self.asking += time.perf_counter() - start


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
        asked = Timed(graph, unit=Unit.EDGE, ceiling=Price(epsilon=1.0), noise=Noise())
        opening = time.perf_counter() - start
        drawn = watch(asked)
        mechanism.run(asked, request)
        whole = time.perf_counter() - start
        if number:
            at_desk.append(whole)
            directly.append(without)
            shares.append((opening + asked.asking - drawn()) / whole)
    desk, peer = statistics.median(at_desk), statistics.median(directly)
    return {
        "desk_s": round(desk, 3),
        "direct_s": round(peer, 3),
        "ratio": round(desk / peer, 4),
        "share": round(statistics.median(shares), 5),
    }


def watch(asked: Timed) -> Any:
    """Return a function that tells how long all draws at a desk took."""
    total = [0.0]
    meter = asked._meter
    ask = meter.ask

    def timed(answer: Any, price: Price, name: str) -> Any:
        def drawn(data: Graph) -> Any:
            start = time.perf_counter()
            try:
                return answer(data)
            finally:
                total[0] += time.perf_counter() - start

        return ask(drawn, price, name)

    meter.ask = timed  # type: ignore[method-assign]
    return lambda: total[0]


if __name__ == "__main__":
    main()
