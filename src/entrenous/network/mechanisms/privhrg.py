"""PrivHRG: sample a hierarchical random graph by a privacy-calibrated chain, count with noise, draw.

After Xiao, Chen & Tan, with three repairs: the chain starts from a uniformly random dendrogram and makes a number of
steps fixed in advance; counts are whole numbers with geometric noise, clipped without the bias that clipping brings;
and the promise is conditional on the chain having reached its distribution.

References
----------
Xiao, Chen & Tan (2014), Differentially private network data release via structural inference, KDD.
"""

from __future__ import annotations

from typing import Any

from entrenous.hrg import Clipped, Dendrogram, Published
from entrenous.hrg.sampling import draw
from entrenous.hrg.utility import Utility
from entrenous.network import statistics
from entrenous.network.drawing.clipping import clip_without_bias
from entrenous.network.drawing.link_classes import HRGModel, link_classes
from entrenous.network.mechanism import SIZE_SHARE, GraphDesk, Mechanism, Outcome, Request

__all__ = ["MECHANISM", "STEPS_PER_NODE", "run"]

STEPS_PER_NODE = 1000  # as published
#: A chain that is much shorter has hardly left its random start, and its last state says next to nothing.
LEAST_STEPS_PER_NODE = 100


def run(asked: GraphDesk, request: Request) -> Outcome:
    """Sample a dendrogram, unless a public one was handed in, count its link classes and draw from them."""
    size, structure, counts = _spend(request)
    parameters: dict[str, str | int | float] = {}
    private: dict[str, Any] = {}
    if isinstance(request.hierarchy, Dendrogram):
        tree = request.hierarchy
    else:
        steps = STEPS_PER_NODE * request.n if request.steps is None else request.steps
        published = request.utility == "published"
        question = statistics.Tree(
            steps=steps,
            utility=Published() if published else _clipped(asked, request, size),
            moves="local" if published else "mixture",
            epsilon=structure,
            progress=request.progress,
        )
        tree = asked(question)
        parameters, private = {"steps": steps, "utility": request.utility}, {"question": question}
    classes = link_classes(tree, counts)
    noisy = asked(statistics.LinkCounts(classes, epsilon=counts))
    model = HRGModel(classes, clip_without_bias(noisy, classes.pairs))
    drawn = draw(tree.order, classes.rectangles, probability=model.probability, rng=asked.generator)
    return Outcome(
        drawn, parameters | {"link classes": len(classes.node)}, model, private | {"dendrogram": tree}
    )


def _spend(request: Request) -> tuple[float, float, float]:
    """Return the parts of epsilon for the size, the structure and the counts."""
    if isinstance(request.hierarchy, Dendrogram):
        return 0.0, 0.0, request.epsilon
    size = request.spendable * SIZE_SHARE if request.utility == "clipped" else 0.0
    structure, counts = request.shares if request.shares is not None else (0.5, 0.5)
    return size, structure * (request.spendable - size), counts * (request.spendable - size)


def _clipped(asked: GraphDesk, request: Request, epsilon: float) -> Utility:
    """Return the utility that is clipped at a noisy density."""
    size = asked(statistics.Size(epsilon=epsilon))
    density = 2 * size / max(request.n * (request.n - 1), 1)
    return Clipped(min(1e-3, density / 4), 0.5)


MECHANISM = Mechanism(
    "privhrg",
    "a hierarchy sampled by a Markov chain (PrivHRG)",
    run,
    shares=("structure", "counts"),
    needed=("structure", "counts"),
    takes_tree=True,
    chain=True,
    least_steps=LEAST_STEPS_PER_NODE,
)
