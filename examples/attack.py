"""What attackers gain on invented data: from counted words, from released and blurred ties, and by lying."""

from __future__ import annotations

import math

from entrenous import access, attack, datasets, links, words


def main() -> None:
    firm = datasets.organization(80, seed=1)

    # Neighbours talk alike. How far does a count move the odds that one pair of people uses a word?
    mail = words.Corpus.from_messages(firm.messages(1500))
    # Measured on the mail itself: for the attacker, not for a promise.
    belief = words.Binomial.calibrated(mail, n=1)
    counts = mail.neighbour_counts(n=1)
    print(f"Neighbours use a word with {belief.p0:.2f} if a pair does not, with {belief.p1:.2f} if it does.")
    for name, found in attack.disclosures(belief, epsilon=1.0).items():
        on_mail = attack.disclose_mail(counts, belief, found.noise)
        print(
            f"  {name}: odds move by a factor of up to {math.exp(found.log_odds):,.2f}; "
            f"a count is off by {found.error:.1f}; right about this mail: {on_mail.auc:.0%}"
        )

    # Somebody knows every tie but one, and reads one release, or five.
    print("\nWho knows all ties but one and reads releases at epsilon 1, made from degrees:")
    for found in attack.infer_edge(
        firm.graph, epsilon=1.0, method="chung-lu", trials=200, together=(1, 5), rng=1
    ):
        allowed = attack.allowed_auc(found.promised)
        print(f"  {found.together} of them: right {found.roc.auc:.0%} of the time, allowed {allowed:.0%}")

    # Blurred ties promise nothing: who knows all but one knows the last.
    hidden = links.obfuscate(firm.graph, rng=1)
    print("\nBlurred ties that are known for certain, by how much of each class is known:")
    for share in (0.0, 0.5, 0.9, 1.0):
        print(f"  {share:.0%}: {attack.known_links(hidden, share).certain:.0%}")

    # A liar knows all answers and tries every lie.
    groups = attack.Groups.random(500, 3, rng=1)
    free, limited = (attack.manipulate(groups, limits=limits) for limits in (False, True))
    print(f"\nA lie passes what others wish in {free.spreader_past:.0%} of groups without hard limits,")
    print(f"in {limited.spreader_past:.0%} with them. In an example of four:")
    for lie in attack.tempted(access.read_example("thesis-oc")):
        print(f"  {lie.person}: {lie.outcome} if honest, {lie.best} by the best lie")


if __name__ == "__main__":
    main()
