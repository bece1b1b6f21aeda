"""Replays on real data: `python -m benchmarks.attack_replay [--quick] [--json FILE]`.

Rows: a release of each mechanism on polblogs, and on larger graphs; of words under each unit on enron-core. Each row
says the most that any answer could tell on the neighbours tried, as a share of what is stated, and CPU seconds.
`--quick` leaves out the larger graphs, and tries fewer neighbours.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from benchmarks import rows
from entrenous import attack
from entrenous.attack import Replay
from entrenous.graph import Graph
from entrenous.network import MECHANISMS
from entrenous.words import Corpus
from entrenous.words.counting.holder import HOLDERS

LARGER = ("wiki-Vote", "ca-AstroPh", "email-Enron")
Row = dict[str, Any]


def main() -> None:
    """Replay, print the rows and write them if asked to."""
    options = rows.arguments(__doc__)
    found = []
    for part in (networks(options.quick), mail(options.quick)):
        for row in part:
            rows.show(row)
            found.append(row)
    rows.write(found, options.json)


def networks(quick: bool) -> Iterator[Row]:
    """Replay every mechanism on polblogs, and the default on larger graphs."""
    graphs = rows.data_folder() / "graphs"
    asked = [("polblogs", name, epsilon) for name in MECHANISMS for epsilon in (1.0, 4.0)]
    asked += [("polblogs", "owner", 20.0)]
    asked += [] if quick else [(name, "owner", epsilon) for name in LARGER for epsilon in (1.0, 4.0)]
    for name, method, epsilon in asked:
        graph = Graph.read(graphs / f"{name}.edges.gz")
        steps = 100 * graph.n if MECHANISMS[method].chain else None
        start = time.process_time()
        made = attack.replay(
            graph, epsilon=epsilon, method=method, neighbours=10 if quick else 50, published=2, steps=steps
        )
        yield {"data": name, "nodes": graph.n, "edges": graph.m} | _row(made, start)


def mail(quick: bool) -> Iterator[Row]:
    """Replay a vocabulary with counts under each unit on enron-core."""
    corpus = Corpus.read(rows.data_folder() / "mail" / "enron-core.jsonl.gz")
    for unit in HOLDERS:
        if unit == "edge":  # short for the content of an edge
            continue
        start = time.process_time()
        made = attack.replay_vocabulary(
            corpus,
            epsilon=3.0,
            delta=1e-5,
            unit=unit,
            counts=True,
            neighbours=4 if quick else 12,
            published=1,
        )
        yield {"data": "enron-core"} | _row(made, start)


def _row(made: Replay, start: float) -> Row:
    return {
        "release": made.mechanism, "unit": str(made.unit), "stated": made.stated.epsilon or made.stated.mu,
        "neighbours": len(made.neighbours), "most_share": made.worst.share, "told": abs(made.worst.loss),
        "broken": made.broken, "cpu_seconds": time.process_time() - start,
    }  # fmt: skip


if __name__ == "__main__":
    main()
