"""A graph goes in, a private graph comes out: with a vault, a public hierarchy and a look at what was kept."""

from __future__ import annotations

import tempfile
from pathlib import Path

from entrenous import Budget, Graph, Report, Vault, datasets, network
from entrenous.errors import BudgetExceeded
from entrenous.graph import compare


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    people = datasets.organization(400, seed=1)
    people.graph.write(folder / "friends.edges")
    people.graph.write_nodes(folder / "people.txt")

    # Who works there is public, who knows whom is not.
    graph = Graph.read(folder / "friends.edges", nodes=folder / "people.txt")
    vault = Vault.create(folder / "friends.vault", Budget(epsilon=3.0))

    release = network.release(graph, epsilon=1.0, vault=vault)
    print(release.guarantee)
    release.save(folder / "public")
    print("published:", ", ".join(sorted(file.name for file in (folder / "public").iterdir())))

    # With the departments, which are public too, nothing is spent on finding groups.
    better = network.release(graph, epsilon=2.0, hierarchy=people.department, vault=vault)

    # What follows touches the private graph: it is for the curator alone.
    for name, made in (("alone", release), ("with departments", better)):
        kept = compare(graph, made.artifact, only=["degrees", "communities"])
        print(f"{name}: degree KS {kept['deg_KS']:.2f}, modularity off by {kept['mod_RE']:.0%}")
    Report.comparison(graph, better).save(folder / "curator.html")

    try:
        network.release(graph, epsilon=0.5, vault=vault)
    except BudgetExceeded as refusal:
        print("refused:", refusal)


if __name__ == "__main__":
    main()
