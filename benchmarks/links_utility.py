"""What an obfuscated graph keeps, beside plain randomizations that keep as many true edges.

``python -m benchmarks.links_utility [--quick] [--json FILE]``

The four graphs of the thesis. Rows: a graph, a method, the share of true edges kept, then top-k overlap and mean
absolute error of influence, degree and path distances, and further measures. After each graph it is said against whom
LORA is ahead on how many measures, and where it is not. ``--quick`` searches for less long and with one chain, looks
for communities once and estimates path lengths from 128 nodes.
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks.rows import arguments, real_graph, show, write
from entrenous.links import compare, exposure, obfuscate
from entrenous.links.trade_off import MEASURES, Rival, ahead

GRAPHS = ("polblogs", "wiki-Vote", "ca-HepPh", "ca-AstroPh")
STEPS, QUICK_STEPS = 300, 60  # per node


def main() -> None:
    """Compare on every graph and print who is ahead."""
    options = arguments(__doc__)
    rows: list[dict[str, Any]] = []
    ahead_of: dict[str, list[int]] = {}
    for name in GRAPHS:
        rivals, about = measured(name, options.quick)
        for rival in rivals:
            rows.append({"graph": name, **about, **rival.to_json()})
            show(rows[-1])
        for rival in rivals[1:]:
            won, lost = verdict(name, rivals[0], rival)
            total = ahead_of.setdefault(rival.method, [0, 0])
            total[0] += won
            total[1] += lost
    for method, (won, lost) in ahead_of.items():
        print(f"all graphs: lora is ahead of {method} on {won} of {won + lost} measures")
    write(rows, options.json)


def measured(name: str, quick: bool) -> tuple[tuple[Rival, ...], dict[str, Any]]:
    """Obfuscate one graph and set it beside the randomizations."""
    graph = real_graph(name)
    started = time.perf_counter()
    hidden = obfuscate(
        graph, chains=1 if quick else 2, steps=(QUICK_STEPS if quick else STEPS) * graph.n, rng=1
    )
    exposed = exposure(hidden)
    about = {
        "log_likelihood_per_node": hidden.private["fit"].log_likelihood / graph.n,
        "median_ego_entropy": exposed.median_ego_entropy,
        "minimum_ego_entropy": exposed.minimum_ego_entropy,
        "fit_seconds": time.perf_counter() - started,
    }
    effort = {"sources": 128, "seeds": 1} if quick else {}
    return compare(hidden, graph, rng=1, **effort), about


def verdict(name: str, lora: Rival, rival: Rival) -> tuple[int, int]:
    """Say on how many measures LORA is ahead of a rival, and name those where it is behind."""
    verdicts = ahead(lora.comparison, rival.comparison)
    behind = [MEASURES[key][0] for key, better in verdicts.items() if better is False]
    won = sum(better is True for better in verdicts.values())
    where = f"; behind: {'; '.join(behind)}" if behind else ""
    print(f"{name}: lora is ahead of {rival.method} on {won} of {won + len(behind)} measures{where}")
    return won, len(behind)


if __name__ == "__main__":
    main()
