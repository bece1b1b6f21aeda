"""Every figure of docs/attack.md but the audit's: `python -m benchmarks.attack [--quick] [--json FILE]`.

Rows: `words` (each release against each attacker, by the numbers of the paper), `mail` (the same attack on real and on
invented mail), `tie` (who knows all other ties, on the karate club), `guess` (readers of releases of an invented
company), `links` (known shares of a blurred company) and `access` (liars). All seeds are fixed. `--quick` leaves out
real mail, and makes a quarter of the runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks import rows
from entrenous import attack, datasets, links, network
from entrenous.attack.inference.disclosure import disclose
from entrenous.attack.inference.known_links import SHARES
from entrenous.attack.inference.manipulation import VOTES, manipulate_rules
from entrenous.words import Binomial, Corpus, Global

PAPER = Binomial(p0=0.0277, p1=0.2739, neighbours=1883)
TRIALS = {"chung-lu": 1000, "tmf": 1000, "dgg": 800, "owner": 400}

Row = dict[str, Any]


def main() -> None:
    """Run the attacks, print their rows and write them if asked to."""
    options = rows.arguments(__doc__)
    found = []
    for part in (
        words(),
        mail(options.quick),
        ties(options.quick),
        guesses(),
        blurred(),
        liars(options.quick),
    ):
        for row in part:
            rows.show(row)
            found.append(row)
    rows.write(found, options.json)


def words() -> Iterator[Row]:
    """Set each release against each attacker at epsilon 1."""
    for found in attack.attackers(PAPER, epsilon=1.0):
        yield {
            "attack": "words", "release": found.release, "attacker": found.attacker, "log_odds": found.log_odds,
            "auc": found.roc.auc, "posterior_of_10_percent": found.posterior(0.1), "error": found.error,
        }  # fmt: skip


def mail(quick: bool) -> Iterator[Row]:
    """Try the attack on all edges and single words of a corpus."""
    corpora = {"organization-120": Corpus.from_messages(datasets.organization(120, seed=1).messages(4000))}
    if not quick:
        corpora["enron-core"] = Corpus.read(rows.data_folder() / "mail" / "enron-core.jsonl.gz")
    for name, corpus in corpora.items():
        belief, measured = Binomial.calibrated(corpus, n=1), Global.calibrated(corpus, n=1)
        counts = corpus.neighbour_counts(n=1)
        true = attack.disclose_mail(counts, belief, None).auc
        for release, made in attack.disclosures(belief, epsilon=1.0).items():
            yield {
                "attack": "mail", "corpus": name, "p0": belief.p0, "p1": belief.p1, "neighbours": belief.neighbours,
                "release": release, "log_odds": made.log_odds, "auc_of_true_counts": true,
                "auc": attack.disclose_mail(counts, belief, made.noise).auc,
                "log_odds_by_measured_laws": disclose(measured, made.noise, epsilon=1.0).log_odds,
            }  # fmt: skip


def ties(quick: bool) -> Iterator[Row]:
    """Let somebody who knows all other ties of the karate club guess the most exposed one."""
    club = datasets.karate_club()
    for method, trials in TRIALS.items():
        for epsilon in (1.0, 4.0):
            runs = trials // 4 if quick else trials
            for found in attack.infer_edge(
                club, epsilon=epsilon, method=method, trials=runs, together=(1, 2 if quick else 5), rng=1
            ):
                yield {
                    "attack": "tie", "method": method, "epsilon": epsilon, "together": found.together,
                    "auc": found.roc.auc, "auc_allowed": attack.allowed_auc(found.promised),
                    "lower_bound": found.lower_bound, "found": found.true[0].seen, "found_low": found.true[0].low,
                    "found_high": found.true[0].high, "false": found.false[0].seen,
                    "false_high": found.false[0].high,
                }  # fmt: skip


def guesses() -> Iterator[Row]:
    """Guess the ties of an invented company of 400 from one release and from five."""
    firm = datasets.organization(400, seed=1).graph
    released = [network.release(firm, epsilon=1.0, rng=seed).artifact for seed in range(5)]
    for count in (1, 5):
        found = attack.guess_edges(firm, released[:count])
        yield {
            "attack": "guess", "releases": count, "right": found.precision, "by_degrees": found.by_degrees,
            "blind": found.density,
        }  # fmt: skip


def blurred() -> Iterator[Row]:
    """Tell what known shares of a blurred company of 120 give away."""
    hidden = links.obfuscate(datasets.organization(120, seed=1).graph, rng=1)
    for share in SHARES:
        found = attack.known_links(hidden, share)
        yield {
            "attack": "links", "known": share, "belief": found.posterior, "sure": found.sure,
            "certain": found.certain, "auc": found.roc.auc, "bits": found.bits,
        }  # fmt: skip


def liars(quick: bool) -> Iterator[Row]:
    """Try every lie in groups of three and five, in all groups of two, and under other rules."""
    size = 500 if quick else 2000
    groups = {"3": attack.Groups.random(size, 3, rng=1), "5": attack.Groups.random(size, 5, rng=1)}
    found = [
        (people, attack.manipulate(group, vote=vote, limits=limits))
        for people, group in groups.items()
        for vote in VOTES
        for limits in (False, True)
    ]
    if not quick:
        pairs = attack.Groups.every_pair()
        found += [("2", attack.manipulate(pairs, limits=limits)) for limits in (False, True)]
    some = attack.Groups(groups["3"].scores[:100], groups["3"].weights[:100])
    found += [("3", each) for each in manipulate_rules(some)]
    for people, each in found:
        yield {
            "attack": "access", "people": people, "rule": each.rule, "limits": each.limits, "groups": each.groups,
            "pays": each.pays, "honest_past": each.honest_past, "selfish_past": each.selfish_past,
            "spreader_past": each.spreader_past,
        }  # fmt: skip


if __name__ == "__main__":
    main()
