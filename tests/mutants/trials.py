"""Ordinary uses of the program that a planted fault should stop: ``python -m tests.mutants.trials program release``.

Exit code 1: the program, or the audit, noticed. 0: nothing was noticed. Anything else is a fault of the trial.
"""

from __future__ import annotations

import sys

from entrenous import datasets, network
from entrenous.errors import PrivacyError


def release() -> None:
    """Release an invented company by every mechanism, and believe what the program says."""
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
    from entrenous import words
    from entrenous.words.vocabulary import WEIGHTINGS

    mail = words.Corpus.from_messages(datasets.organization(60, seed=1).messages(1500))
    for rule in WEIGHTINGS:
        words.vocabulary(mail, epsilon=8.0, delta=1e-4, weighting=rule, contribution=20, n=3)
    for unit in ("edge-and-message", "all"):
        words.vocabulary(mail, epsilon=8.0, delta=1e-4, unit=unit, n=3)
    for noise, delta in (("geometric", None), ("gaussian", 1e-5)):
        words.histogram(
            mail, vocabulary=["meeting", "budget"], epsilon=4.0, contribution=2, noise=noise, delta=delta
        )


def audit(setting: str) -> bool:
    """Tell whether the audit proves that a setting breaks its promise."""
    from entrenous import attack

    (finding,) = attack.audit_settings([setting], rng=1)
    return bool(finding.broken)


def main() -> int:
    """Run one trial."""
    kind, what = sys.argv[1:]
    if kind == "audit":
        return int(audit(what))
    try:
        {"release": release, "words": publish_words}[what]()
    except PrivacyError as problem:
        print(problem)
        return 1
    except Exception as problem:
        print(repr(problem))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
