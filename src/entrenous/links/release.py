"""Obfuscate a graph: fit a hierarchy, count its link classes, draw each of them anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from entrenous import _check
from entrenous.card import Provenance
from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.links.fitting import STEPS_PER_NODE, Fit, checked_temperature, fit, soften, soften_to
from entrenous.links.obfuscation import Obfuscation
from entrenous.noise import Noise
from entrenous.release import GRAPH, Release, declare, graph_room
from entrenous.vault import Order, Vault, pay

__all__ = ["METHOD", "OBFUSCATED", "exposure_order", "obfuscate"]

METHOD = "links: LORA"
# Saved and read as any graph; its page also tells the curator what is hidden.
OBFUSCATED = declare(replace(GRAPH, noun="obfuscated graph", method=METHOD, page="entrenous.links.page"))


def obfuscate(
    graph: Graph,
    *,
    chains: int = 2,
    steps: int | None = None,
    temperature: float | None = None,
    bits: float | None = None,
    hierarchy: Dendrogram | None = None,
    vault: Vault | None = None,
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Release[Graph]:
    """Return a graph in which every tie is blurred within its link class, on the same nodes.

    The graph's best-fitting dendrogram divides all pairs of nodes into link classes. Each class keeps its number of
    edges, which are placed anywhere in the class with equal probability. Densities between communities stay as they
    are; who is tied to whom inside a class is lost. In a class where all pairs are edges nothing is.

    Parameters
    ----------
    graph
        The private graph. Its nodes are public.
    chains, steps
        How many chains search the best fit, and for how many steps each; by default 2, and 300 steps per node.
    temperature
        Sample the dendrogram at this temperature, 1 or more, instead of taking the best fit: the hotter, the more is
        hidden and the less is kept.
    bits
        Instead of a temperature: take the sharpest fit that leaves the median node so many bits of ego entropy.
    hierarchy
        Take this dendrogram and fit nothing.
    vault
        Told, before anything is drawn, that anything about ties may be known from here on. A vault that holds a
        promise to hide ties refuses, unless it was opened to give promises up.
    rng
        None for real randomness; a seed makes a rehearsal, stamped as not private.
    progress
        Called with steps made and steps in all.

    Privacy
    -------
    None is promised: `guarantee` is None. What is hidden is measured by `ego_entropy` and `exposure`, for an attacker
    who knows the dendrogram and nothing else about the ties. See docs/links.md and docs/known-gaps.md.

    Examples
    --------
    >>> from entrenous import datasets
    >>> club = datasets.karate_club()
    >>> hidden = obfuscate(club, rng=7)
    >>> hidden.guarantee is None, hidden.artifact.m == club.m, hidden.provenance.rehearsal
    (True, True, True)

    References
    ----------
    Xiao, Wang & Tan (2011), LORA: link obfuscation by randomization in graphs, Secure Data Management, LNCS 6933.
    """
    _check_choices(graph, temperature, bits, hierarchy)
    noise = Noise(rng)
    order = exposure_order("links obfuscate", rehearsal=noise.rehearsal)
    known = None if vault is None else vault.fingerprint(graph)
    if vault is not None:
        vault.check(order, data=known)  # before the long search
    parameters: dict[str, str | int | float] = {}
    private: dict[str, object] = {}
    tree = hierarchy
    if tree is None:
        length = STEPS_PER_NODE * graph.n if steps is None else _check.at_least("steps", steps, 1)
        best = fit(graph, chains=chains, steps=length, rng=noise.chain_generator, progress=progress)
        found, knob = _softened(graph, best, temperature, bits, length, noise.chain_generator, progress)
        tree = found.tree
        parameters = {"chains": chains, "steps": length, **knob}
        private = {"fit": found, "trace": found.trace}
    distribution = Obfuscation.of(graph, tree)
    with pay(vault, order, data=known, room=graph_room(graph)) as paid:
        made = Release(
            artifact=graph.with_edges(distribution.draw(rng=noise.generator)),
            guarantee=None,
            provenance=Provenance(METHOD, parameters, noise.rehearsal),
            private={"obfuscation": distribution, "original": graph, **private},
        )
        return paid.complete(made)


def exposure_order(purpose: str, *, rehearsal: bool) -> Order:
    """Return what a vault is asked for by whatever promises nothing about ties."""
    return Order(purpose=purpose, sees=("ties",), exposes=("ties",), rehearsal=rehearsal)


def _check_choices(
    graph: Graph, temperature: float | None, bits: float | None, hierarchy: Dendrogram | None
) -> None:
    """Refuse before the long search what could not be used after it."""
    if graph.n < 2:
        raise ArgumentError("graph", f"expected at least two nodes; got {graph.n}")
    if sum(choice is not None for choice in (temperature, bits, hierarchy)) > 1:
        raise ArgumentError(
            "temperature, bits, hierarchy", "expected at most one of the three; got more than one"
        )
    if temperature is not None:
        checked_temperature(temperature)
    if bits is not None and _check.epsilon("bits", bits) >= graph.n:
        raise ArgumentError(
            "bits", f"expected at most {graph.n - 1}, one for each link of a node; got {bits:g}"
        )


def _softened(
    graph: Graph,
    best: Fit,
    temperature: float | None,
    bits: float | None,
    steps: int,
    rng: np.random.Generator,
    progress: Callable[[int, int], object] | None,
) -> tuple[Fit, dict[str, str | int | float]]:
    """Return the fit to blur along, and the knob as it was turned: never what it led to, which depends on the data."""
    if temperature is not None:
        found = soften(graph, best, temperature=temperature, steps=steps, rng=rng, progress=progress)
        return found, {"temperature": temperature}
    if bits is not None:
        found = soften_to(graph, best, bits=bits, steps=steps, rng=rng, progress=progress)
        return found, {"target median bits": bits}
    return best, {}
