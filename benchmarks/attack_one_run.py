"""What one release with many canaries proves: `python -m benchmarks.attack_one_run [--quick] [--json FILE]`.

For each graph, method and epsilon: bounds by an attacker who sees all answers and by one who sees the published graph,
with 95 % and with 99.9 %, and CPU seconds. Graphs: ca-AstroPh, wiki-Vote, and a synthetic one of 1,000,000 nodes and
5,000,000 ties. Noise is real but for `tmf` on the synthetic graph below epsilon 4, where exact draws of many
millions of numbers take half an hour: those rows say "rehearsal". `--quick` takes wiki-Vote alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks import rows
from entrenous.attack import Finding, planted_ties
from entrenous.graph import Graph

SYNTHETIC = "synthetic"
METHODS = ("chung-lu", "tmf", "dgg", "owner")
EPSILONS = (1.0, 2.0, 4.0)
#: On the synthetic graph so many pairs are needed that a few thousand canaries are published.
TMF_CANARIES = {1.0: 47_000_000, 2.0: 21_000_000, 4.0: 5_500_000}

Row = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """How a release of one graph is attacked, where the usual way does not do."""

    canaries: int | None = None
    added: int = 0
    published: bool = True
    rng: int | None = None


def main() -> None:
    """Make all releases, print their rows and write them if asked to."""
    options = rows.arguments(__doc__)
    found = []
    names = ["wiki-Vote"] if options.quick else ["wiki-Vote", "ca-AstroPh", SYNTHETIC]
    for name in names:
        graph = rows.synthetic_graph() if name == SYNTHETIC else rows.real_graph(name)
        for row in attacked(name, graph):
            rows.show(row)
            found.append(row)
    rows.write(found, options.json)


def attacked(name: str, graph: Graph) -> Iterator[Row]:
    """Yield a row for every method and epsilon."""
    for method in METHODS:
        for epsilon in EPSILONS:
            chosen = plan(name, method, epsilon)
            started = time.process_time()
            found = planted_ties(
                graph,
                epsilon=epsilon,
                method=method,
                canaries=chosen.canaries,
                added=chosen.added,
                published=chosen.published,
                rng=chosen.rng,
            )
            spent = time.process_time() - started
            yield {
                "graph": name, "method": method, "epsilon": epsilon,
                "canaries": int(found[0].details["canaries"]), "added nodes": chosen.added,
                **measured("answers", found[0]), **(measured("published", found[1]) if found[1:] else {}),
                "cpu_seconds": spent, "noise": "real" if chosen.rng is None else "rehearsal",
            }  # fmt: skip


def plan(name: str, method: str, epsilon: float) -> Plan:
    """Return how a release is attacked: more room on the small graph, far more canaries for `tmf` on the large one."""
    if name == SYNTHETIC and method == "tmf":
        return Plan(TMF_CANARIES[epsilon], published=False, rng=None if epsilon == max(EPSILONS) else 1)
    if name == SYNTHETIC and method == "owner":
        return Plan(published=False)
    if name == "wiki-Vote" and method in {"chung-lu", "dgg"}:
        return Plan(added=12_885)  # 20,000 nodes in all: 7,115 leave too few canaries for epsilon 1
    return Plan()


def measured(seen: str, found: Finding) -> Row:
    """Return what one attacker proves."""
    return {
        f"{seen} 95 %": found.measured,
        f"{seen} 99.9 %": found.beyond_doubt,
        f"{seen} guesses": int(found.details["guesses"]),
    }


if __name__ == "__main__":
    main()
