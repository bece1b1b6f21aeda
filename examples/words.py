"""What an invented organization talks about: a vocabulary, its counts, and what attackers who know patterns cost."""

from __future__ import annotations

from entrenous import Budget, Vault, datasets, words


def main() -> None:
    mail = words.Corpus.from_messages(datasets.organization(120, seed=1).messages(4000))
    print(
        f"{mail.summary.messages} messages between {mail.summary.persons} people, on {mail.edge_count} edges."
    )

    vault = Vault.create("mail.vault", Budget(epsilon=6.0, delta=1e-5, unit="edge-and-message"))
    found = words.vocabulary(mail, epsilon=4.0, delta=5e-6, vault=vault)
    first = ", ".join(found.artifact.names[:5])
    print(f"\n{len(found.artifact)} words and phrases may be published, {first} first.")
    print(found.guarantee)

    counted = words.histogram(mail, vocabulary=found, epsilon=2.0, delta=5e-6, noise="gaussian", vault=vault)
    low, high = (counted.artifact.intervals() if counted.artifact.covered else counted.artifact.noise_band())[
        0
    ]
    print(f"\n{counted.artifact.names[0]!r} is said by {low:.0f} to {high:.0f} pairs of people;")
    print(f"{counted.artifact.above_noise()} of {len(found.artifact)} counts are above the noise.")
    print(f"Epsilon left to spend: {float(vault.left_epsilon):.2f}.")

    # An attacker who knows that neighbouring edges talk alike; how much was measured on mail that is not secret.
    retired = words.Corpus.from_messages(datasets.organization(120, seed=2).messages(4000))
    belief = words.Binomial.fit(retired, neighbours=mail.largest_neighbourhood)
    print(
        f"\nNeighbours carry an n-gram with probability {belief.p0:.3f} to {belief.p1:.3f}, so {belief.w_inf()} edges"
    )
    print(
        f"may move together. Hiding one n-gram with epsilon 1 takes noise of scale {belief.laplace_scale(1.0):.1f},"
    )
    print(f"not 1; hiding the whole neighbourhood would take {1 + mail.largest_neighbourhood}.")
    # A seed: a rehearsal, not to be published.
    careful = words.histogram(mail, vocabulary=found, epsilon=20.0, contribution=5, correlation=belief, rng=7)
    print(f"{careful.artifact.above_noise()} of {len(found.artifact)} counts are above that noise.")
    print(careful.guarantee)


if __name__ == "__main__":
    main()
