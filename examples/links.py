"""A karate club with every tie blurred: what that hides, from whom it hides little, and what can be done about it."""

from __future__ import annotations

from entrenous import datasets, links
from entrenous.links.exposure import DESCRIPTION


def main() -> None:
    club = datasets.karate_club()
    hidden = links.obfuscate(club, rng=7)  # a seed: a rehearsal, not to be published
    print(f"{hidden.artifact.m} ties, as many as before; promised: {hidden.guarantee}")

    found = links.exposure(hidden)
    print(
        f"{found.retention:.0%} of the true ties are kept by chance, {found.certain_edges:.0%} are certain."
    )
    bits = links.ego_entropy(hidden)
    least = int(bits.argmin())
    print(f"The median member has {found.median_ego_entropy:.1f} bits open about their ties,")
    print(f"the least protected one, {club.name(least)}, has {bits[least]:.1f}.")
    first, second = [node for node in (0, 32, 33) if node != least][:2]
    together = links.joint_entropy(hidden, [(least, first), (least, second)])
    print(f"Two of their possible ties together: {together:.2f} bits.")

    wished = found.median_ego_entropy + 3
    softer = links.obfuscate(club, bits=wished, rng=7)
    print(
        f"\nA softer hierarchy leaves the median member {links.exposure(softer).median_ego_entropy:.1f} bits"
    )
    print(f"and keeps {links.exposure(softer).retention:.0%} of the true ties.")

    coarse = links.generalize(hidden, bits=10.0, rng=7)
    print(f"\nSuper-nodes leave everybody at least {links.generalized_entropy(coarse).min():.1f} bits:")
    for name, members in coarse.artifact.merged.items():
        print(f"  {name}: {len(members)} members")

    print("\nThe same share of true ties, kept in other ways (triangles, relative error):")
    for rival in links.compare(hidden, club, rng=7):
        print(f"  {rival.method:<9} {rival.comparison['tri_RE']:.2f}")
    print(f"\n{DESCRIPTION}")


if __name__ == "__main__":
    main()
