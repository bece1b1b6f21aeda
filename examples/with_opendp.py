"""One of our statistics and one of OpenDP's own on the same private graph: one budget, counted by OpenDP."""

from __future__ import annotations

import opendp.prelude as dp

from entrenous import Graph, datasets
from entrenous.network import statistics
from entrenous.opendp import distance, domain, measurement, transformation

EPSILON = 1.0


def main() -> None:
    graph = datasets.organization(400, seed=1).graph

    # Ours: the degree of every node with noise, as a measurement of OpenDP.
    degrees = measurement(statistics.Degrees(epsilon=0.4))

    # Theirs: a count that we only describe, chained with OpenDP's own noise. One edge more changes two degrees, so the
    # number of hubs by at most 2; whoever writes such a line vouches for it.
    hubs = transformation(lambda private: int((private.degrees >= 20).sum()), stability=2)
    noisy_hubs = hubs >> dp.m.then_laplace(scale=5.0)
    print(f"Ours costs epsilon {degrees.map(1):.2f}, theirs {noisy_hubs.map(1):.2f}, for one edge.")

    # Both behind OpenDP's privacy filter: a question may depend on earlier answers, and the excess is refused.
    odometer = dp.c.make_fully_adaptive_composition(domain(Graph), distance(), dp.max_divergence())
    asked = dp.c.make_privacy_filter(odometer, d_in=1, d_out=EPSILON)(graph)
    print(f"The mean degree is about {asked(degrees).mean():.1f}. Spent: {asked.privacy_loss(1):.2f}.")
    print(f"About {asked(noisy_hubs)} have twenty ties or more. Spent: {asked.privacy_loss(1):.2f}.")
    try:
        asked(noisy_hubs)
    except dp.OpenDPException as refusal:
        print("A third question is refused:", refusal.message)


if __name__ == "__main__":
    main()
