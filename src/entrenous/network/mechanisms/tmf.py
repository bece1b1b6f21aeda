"""Top-m filter: every pair gets noise, pairs above a threshold are published, in time linear in the edges.

The adjacency matrix itself is released: each pair of nodes is 0 or 1, gets Laplace noise and is kept if it exceeds a
threshold, chosen such that about as many pairs pass as there are edges. Only edges and the pairs that pass are ever
looked at: the gaps between passing non-edges are geometric.

*Repaired.* The published filter passes true edges first and then fills up with non-edges to an exact total. Then a
graph with few places left over makes any one of its non-edges unlikely: one edge can change a probability by a
factor of up to the number of pairs, whatever epsilon is. Here each pair passes by a draw of its own, which is what
noise and a threshold do; the total is then close to what was wished, not equal to it.

References
----------
Nguyen, Imine & Rusinowitch (2015), Differentially private publication of social graphs at linear cost, ASONAM.
"""

from __future__ import annotations

from entrenous.network import statistics
from entrenous.network.drawing.pairs import NamedPairs
from entrenous.network.mechanism import SIZE_SHARE, GraphDesk, Mechanism, Outcome, Request

__all__ = ["MECHANISM", "run"]


def run(asked: GraphDesk, request: Request) -> Outcome:
    """Ask for the size, then let every pair pass or not."""
    size = request.spendable * SIZE_SHARE
    pairs = request.n * (request.n - 1) // 2
    edges = min(asked(statistics.Size(epsilon=size)), pairs)
    question = statistics.PassingPairs(pairs, edges, epsilon=request.spendable - size)
    passed = asked(question)
    trust = min(question.filter.kept * edges / max(len(passed), 1), 1)
    return Outcome(passed, {}, NamedPairs.trusted(passed, request.n, edges=edges, trust=trust))


MECHANISM = Mechanism("tmf", "noise on every pair", run)
