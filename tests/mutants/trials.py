"""Ordinary uses of the program, and attacks on it, that a planted fault should stop or be found by.

A trial takes the rest of a killer's name ("program: release") and tells whether anything was noticed. A new kind of
killer is a function here and a line in `TRIALS`. Nothing of entrenous is imported before a trial begins: it runs in a
process that was started before the fault was planted (see `preloaded.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping


def program(what: str) -> bool:
    """Tell whether the program refuses to go on."""
    from entrenous.errors import PrivacyError

    try:
        {"release": release, "words": publish_words}[what]()
    except PrivacyError as problem:
        print(problem)
        return True
    return False


def release() -> None:
    """Release an invented company by every mechanism, and believe what the program says."""
    from entrenous import datasets, network

    graph = datasets.organization(120, seed=1).graph
    for name, mechanism in network.MECHANISMS.items():
        steps = {"steps": 500, "short_chain": True} if mechanism.chain else {}
        # At 1 and 6 there are no slots, and some; at 200 there are classes of triangles.
        for epsilon in (1.0, 6.0, 200.0):
            network.release(graph, epsilon=epsilon, method=name, **steps)  # type: ignore[arg-type]
    # So little that a single group is left, whose share goes to triangles.
    network.release(graph, epsilon=0.05, shares=(0.0, 0.5, 0.5))


def publish_words() -> None:
    """Publish words of invented mail by every rule of weights, and counts of a list."""
    from entrenous import datasets, words
    from entrenous.words.vocabulary import WEIGHTINGS

    company = datasets.organization(60, seed=1)
    mail, graph = words.Corpus.from_messages(company.messages(1500)), company.graph
    edges = words.PublicEdges.of([(graph.name(u), graph.name(v)) for u, v in graph.edges().tolist()])
    for rule in WEIGHTINGS:  # one of them is for a public list of edges only
        words.vocabulary(mail.on_edges(edges), epsilon=8.0, delta=1e-4, weighting=rule, contribution=20, n=3)
    for unit in ("edge-and-message", "all"):
        words.vocabulary(mail, epsilon=8.0, delta=1e-4, unit=unit, n=3)
    listed = ["meeting", "budget", "project", "draft", "lunch", "report"]
    belief = words.Binomial(p0=0.02, p1=0.03, neighbours=mail.largest_neighbourhood)
    for noise, delta in (("geometric", None), ("gaussian", 1e-3)):
        for unit in ("edge-and-message", "edge-content"):  # what bounding leaves out is measured
            words.histogram(
                mail, vocabulary=listed, epsilon=4.0, contribution=2, unit=unit, noise=noise, delta=delta
            )
        # Under a belief nothing but the counts is asked.
        words.histogram(
            mail, vocabulary=listed, epsilon=4.0, contribution=2, noise=noise, delta=delta,
            correlation=belief, useless=True,
        )  # fmt: skip


def audit(setting: str) -> bool:
    """Tell whether the audit proves that a setting breaks its promise."""
    from entrenous import attack

    (finding,) = attack.audit_settings([setting], rng=1)
    return bool(finding.broken)


def replay(what: str) -> bool:
    """Tell whether a replay finds anything: "owner 4" is a release at epsilon 4, "words message" is one of words."""
    from entrenous import attack, datasets
    from entrenous.network import MECHANISMS
    from entrenous.words import Corpus

    which, _, more = what.partition(" ")
    if which == "words":
        mail = Corpus.from_messages(datasets.organization(60, seed=1).messages(1000))
        found = attack.replay_vocabulary(
            mail, epsilon=8.0, delta=1e-6, unit=more, n=1, counts=True, neighbours=8
        )
    else:
        # As many people as real graphs of blogs have: noise is drawn in several chunks.
        graph = datasets.organization(1300, seed=1).graph
        steps = 100 * graph.n if MECHANISMS[which].chain else None
        found = attack.replay(
            graph, epsilon=float(more), method=which, neighbours=8, published=1, steps=steps
        )
    print("\n".join(found.faults))
    return found.broken


TRIALS: Mapping[str, Callable[[str], bool]] = {"program": program, "audit": audit, "replay": replay}
"""The kinds of killers that are no tests."""
