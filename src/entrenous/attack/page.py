"""Pages about attacks: what was tried, what an attacker gained, and what is promised, for people in a hurry."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.inference.disclosure import RELEASES, attackers, disclosures
from entrenous.attack.inference.edges import FALSE_RATES, Rate
from entrenous.attack.inference.known_links import SURE
from entrenous.attack.tools.roc import allowed_true_rate
from entrenous.page.pictures import gains
from entrenous.page.report import Report, rendered
from entrenous.page.sections import Head, Picture, Row, Section
from entrenous.page.wording import capital
from entrenous.words.beliefs import Binomial

if TYPE_CHECKING:
    from markupsafe import Markup

    from entrenous.attack.inference.disclosure import Disclosure
    from entrenous.attack.inference.edges import EdgeInference
    from entrenous.attack.inference.guesses import Guess
    from entrenous.attack.inference.known_links import KnownLinks
    from entrenous.attack.inference.manipulation import Lie, Manipulation

__all__ = [
    "access_attack_report",
    "attack_page",
    "links_attack_report",
    "network_attack_report",
    "words_attack_report",
]

PRIOR = 0.1
_KNOWN = {
    0.0: "Somebody got hold of the hierarchy, which is never published.",
    1.0: "Somebody knows everything but this pair.",
}
_SIZES = 16  # neighbourhoods that a curve is drawn through

TRIED: Mapping[str, str] = {
    "words": "Somebody reads how many pairs of people use a word, and wants to know whether one pair does. They "
    "know that colleagues talk alike. The page shows how sure they become, by what the publisher chose to hide.",
    "network": "Somebody knows every tie of the network but one, ran the same program many times with that tie "
    "and without it, and now judges a released network. The page shows how often they are right.",
    "links": "Somebody holds the hierarchy that ties were blurred along, and knows a part of the true ties. The "
    "page shows how much they can say about the others. Blurring promises nothing, and this is why.",
    "access": "One co-owner knows what everybody else answered, and tries every possible lie. The page shows how "
    "far they get, with hard limits and without.",
}
CAPTIONS: Mapping[str, str] = {
    "odds": "Left, and from near in the middle: the most by which reading a count can change the odds of a "
    "secret. Hiding single edges (edge level) fails, and the worse, the more neighbours talk alike. Right: the "
    "error that hiding brings. Hiding what correlation gives away (correlated edge) is enough; hiding whole groups "
    "costs more and gains nothing that was asked for.",
    "sure": "Somebody thought it {prior} likely that a pair uses a word. So sure are they after reading a typical "
    "count, if the pair does use it.",
    "mail": "Of a pair of edges, one that carries a word and one that does not, how often an attacker points at "
    "the right one. Half of the time is guessing. Computed on this mail itself.",
    "attackers": "Each release against each attacker. Numbers are factors by which odds move, at most; the "
    "promise is a factor of {factor:.2f}. In brackets: attackers that the release promises nothing about.",
    "alarms": "How many ties are found if so many false alarms are accepted. Up to the dotted line of its colour "
    "a promise is kept; curves are counted from runs and scatter around the truth. Reading several releases helps "
    "the attacker: that is what a vault counts.",
    "alarm": "Somebody thought it {prior} likely that there is a tie. So sure are they after an alarm at the "
    "least, as far as the runs prove it, and so sure may they become at the most by what is promised.",
    "found": "How often there was an alarm without the tie, and with it, for attackers who aim at few false ones; "
    "in brackets what the runs leave open (95 %). What is allowed follows from the promise and the largest rate of "
    "false alarms in brackets.",
    "guess": "Somebody who knows nothing but released networks guesses as many ties as there are. How many "
    "guesses are right, beside a blind guess and beside somebody who knows everybody's number of ties and nothing "
    "else. That busy people know each other is no secret that a tie betrays.",
    "certain": "The share of true ties that are known for certain, by how much of the network is known already.",
    "classes": "What is given away, and what is left open, by how much of each link class is known already. Who "
    "knows nothing believes in every pair with a probability of {prior}.",
    "liars": "Shares of groups in which the outcome is wider than another co-owner wished: if all are honest, "
    "with the lie that suits the liar best, and with the lie that spreads the item furthest. The promise of hard "
    "limits is that this never happens.",
    "rules": "How often lying pays at all, and how many steps (of three) a lie can carry an outcome past what "
    "another co-owner wished. Below mediation: other rules, which know no limits.",
    "lies": "What each co-owner of this item could get by lying. A hard limit of somebody else is never passed.",
}


def words_attack_report(
    belief: Binomial, *, epsilon: float, mail: Mapping[str, float] | None = None
) -> Report:
    """Put an attack on published words on one page.

    Parameters
    ----------
    belief
        What the attacker believes about neighbouring edges.
    epsilon
        What releases promise for one n-gram of an edge.
    mail
        How well the attack does on a corpus: an AUC for true counts and for each kind of release. Makes the page
        private.
    """
    made = disclosures(belief, epsilon=epsilon)
    pictures = [
        Picture("Talking alike gives secrets away", CAPTIONS["odds"], _odds_and_error(belief, epsilon), wide=True),
        Picture("How sure an attacker becomes", CAPTIONS["sure"].format(prior=_percent(PRIOR)), gains.bars(
            {name: found.posterior(PRIOR) for name, found in made.items()}, name="sure", line=(PRIOR, "before"),
            title="How sure an attacker becomes", label="sure that the pair uses the word")),
    ]  # fmt: skip
    if mail:
        pictures.append(
            Picture("On this mail", CAPTIONS["mail"], gains.bars(
                mail, name="mail", line=(0.5, "guessing"), title="How well attackers tell edges of this mail apart",
                label="right answers")))  # fmt: skip
    facts = [
        ("epsilon", f"{epsilon:g}"),
        ("neighbours", f"{belief.neighbours:,}"),
        ("neighbours use it if the pair does not", f"{100 * belief.p0:.3g} %"),
        ("neighbours use it if the pair does", f"{100 * belief.p1:.3g} %"),
    ]
    gained = Section("What an attacker gained", _words_summary(made), tuple(pictures))
    return attack_page(
        "Attack on words", TRIED["words"], facts, [gained, _attackers_section(belief, epsilon)], bool(mail)
    )


def _words_summary(made: Mapping[str, Disclosure]) -> str:
    edge, correlated, group = (made[name] for name in RELEASES)
    return (
        f"Edge level: odds move by a factor of up to {_factor(edge.log_odds)}. Correlated edge: by up to "
        f"{_factor(correlated.log_odds)}. Group: by up to {_factor(group.log_odds)}, for "
        f"{group.error / correlated.error:.1f} times the error."
    )


def _odds_and_error(belief: Binomial, epsilon: float) -> Markup:
    sizes = np.unique(np.linspace(1, belief.neighbours, _SIZES).astype(np.int64))
    made = [disclosures(Binomial(belief.p0, belief.p1, int(size)), epsilon=epsilon) for size in sizes]
    odds, errors = (
        {name: np.array([getattr(each[name], value) for each in made]) for name in RELEASES}
        for value in ("log_odds", "error")
    )
    return gains.odds_and_error(sizes, odds, errors, epsilon=epsilon)


def _attackers_section(belief: Binomial, epsilon: float) -> Section:
    """Set every kind of release against every attacker."""
    table = attackers(belief, epsilon=epsilon)
    names = tuple(dict.fromkeys(found.attacker for found in table))
    meanings = {
        "edge level": "Hides one edge from those who know all others.",
        "correlated edge": "Hides one edge also from those who know how alike neighbours talk.",
        "group": "Hides one edge whatever neighbours have to do with each other.",
    }
    rows = tuple(
        Row(release, tuple(_cell(found) for found in table if found.release == release), meaning)
        for release, meaning in meanings.items()
    )
    caption = CAPTIONS["attackers"].format(factor=math.exp(epsilon))
    return Section("What is promised", caption, columns=names, rows=rows)


def _cell(found: Disclosure) -> str:
    text = _factor(found.log_odds)
    return text if found.promised else f"({text})"


def network_attack_report(
    found: Sequence[EdgeInference], guesses: Sequence[Guess], facts: Sequence[tuple[str, str]] = ()
) -> Report:
    """Put edge inference on a private network on one page, for the curator."""
    label = {each.together: _releases(each.together) for each in found}
    picture = Picture(
        "How often an attacker is right",
        CAPTIONS["alarms"],
        gains.alarms(
            {label[each.together]: (each.roc.false, each.roc.true) for each in found},
            {label[each.together]: _allowed(each.promised) for each in found},
            name="alarms",
        ),
    )
    rows = tuple(
        Row(
            f"{capital(label[each.together])}, {100 * rate:g} % aimed at",
            (_range(false), _range(true), _percent(float(allowed_true_rate(false.high, each.promised)))),
            f"Promised: epsilon {each.promised:g}. Proved by the alarms: at least {each.lower_bound:.2f}.",
        )
        for each in found
        for rate, false, true in zip(FALSE_RATES, each.false, each.true, strict=True)
    )
    shares = {}
    for each in found:
        shares[f"{label[each.together]}, proved"] = each.posterior(PRIOR)
        shares[f"{label[each.together]}, allowed"] = each.allowed_posterior(PRIOR)
    sure = Picture("How sure an attacker becomes", CAPTIONS["alarm"].format(prior=_percent(PRIOR)), gains.bars(
        shares, name="sure", line=(PRIOR, "before"), title="How sure an attacker becomes",
        label="sure that the tie is there"))  # fmt: skip
    sections = [
        Section("What an attacker gained", _network_summary(found), (picture, sure)),
        Section(
            "What is promised",
            CAPTIONS["found"],
            columns=("false alarms", "tie found", "allowed at most"),
            rows=rows,
        ),
    ]
    if guesses:
        sections.append(_guess_section(guesses))
    return attack_page("Attack on a network", TRIED["network"], facts, sections, True)


def _network_summary(found: Sequence[EdgeInference]) -> str:
    parts = [f"reading {_releases(each.together)}, {_percent(each.roc.auc)} of the time" for each in found]
    return (
        "Shown one network that has the tie and one that has not, an attacker who knows all other ties points at the "
        f"right one: {'; '.join(parts)}. Tossing a coin is right half of the time."
    )


def _guess_section(guesses: Sequence[Guess]) -> Section:
    shares = {f"{_releases(each.releases)}": each.precision for each in guesses}
    shares["numbers of ties alone"] = guesses[0].by_degrees
    picture = Picture("Guessing all ties", CAPTIONS["guess"], gains.bars(
        shares, name="guesses", line=(guesses[0].density, "blind"), title="How many guessed ties are right",
        label="guessed ties that are there"))  # fmt: skip
    return Section("What readers can guess", "This is what statistics tell, tie or no tie.", (picture,))


def links_attack_report(found: Sequence[KnownLinks], facts: Sequence[tuple[str, str]] = ()) -> Report:
    """Put what partial knowledge of a blurred network tells on one page, for the curator."""
    shares = {_known(each.share): each.certain for each in found}
    picture = Picture("Ties known for certain", CAPTIONS["certain"], gains.bars(
        shares, name="certain", title="Ties known for certain", label="of all true ties"))  # fmt: skip
    rows = tuple(
        Row(
            capital(_known(each.share)),
            (_percent(each.posterior), _percent(each.sure), f"{each.bits:.3f}"),
            _KNOWN.get(each.share, "Somebody also knows so many of all other pairs, tied or not."),
        )
        for each in found
    )
    columns = (
        "mean belief in true ties",
        f"ties believed with {_percent(SURE)} or more",
        "bits left per pair",
    )
    sections = [
        Section("What an attacker gained", _links_summary(found), (picture,)),
        Section(
            "In numbers",
            CAPTIONS["classes"].format(prior=_percent(found[0].prior)),
            columns=columns,
            rows=rows,
        ),
    ]
    return attack_page("Attack on blurred links", TRIED["links"], facts, sections, True)


def _links_summary(found: Sequence[KnownLinks]) -> str:
    first = found[0]
    text = f"Who holds the hierarchy knows {_percent(first.certain)} of the ties for certain."
    last = next((each for each in found if each.share == 1), None)
    return text + (
        ""
        if last is None
        else f" Who knows all of a class but one pair knows the last one: {_percent(last.certain)}."
    )


def access_attack_report(
    found: Sequence[Manipulation], lies: Sequence[Lie] = (), facts: Sequence[tuple[str, str]] = ()
) -> Report:
    """Put lies in mediations on one page; with the lies of one item's co-owners it is private."""
    sections = []
    if found:
        kinds = ("all honest", "the lie that suits the liar", "the lie that spreads it furthest")
        picture = Picture("Past what others wish", CAPTIONS["liars"], gains.dots(
            {_rule(each): (each.honest_past, each.selfish_past, each.spreader_past) for each in found}, kinds,
            name="liars", title="How often outcomes pass what others wish",
            label="groups in which the outcome is wider than another co-owner wished"), wide=True)  # fmt: skip
        rows = tuple(
            Row(
                _rule(each),
                (_percent(each.pays), str(each.furthest)),
                f"{'Promised: nobody is carried past a limit' if each.limits else 'Nothing is promised'}; "
                f"tried in {each.groups:,} groups.",
            )
            for each in found
        )
        sections += [
            Section("What a liar gained", _liars_summary(found), (picture,)),
            Section(
                "Rules side by side", CAPTIONS["rules"], columns=("lying pays", "steps too far"), rows=rows
            ),
        ]
    if lies:
        rows = tuple(
            Row(
                lie.person,
                (lie.outcome, lie.best, lie.widest),
                f"Others who wish for less than that: {lie.past_wish}. Past a hard limit: {lie.past_limit}.",
            )
            for lie in lies
        )
        columns = ("if honest", "best for them", "widest")
        sections.append(Section("This item", CAPTIONS["lies"], columns=columns, rows=rows))
    return attack_page("Attack on mediation", TRIED["access"], facts, sections, bool(lies))


def _liars_summary(found: Sequence[Manipulation]) -> str:
    free = [each.spreader_past for each in found if not each.limits and each.rule.startswith("mediation")]
    limited = [each for each in found if each.limits]
    texts = []
    if free:
        texts.append(
            f"Without limits a lie can pass what others wish in up to {_percent(max(free))} of groups."
        )
    if limited:
        past = max(each.spreader_past for each in limited)
        texts.append(f"With hard limits it does so in {_percent(past)} of {limited[0].groups:,} groups.")
    return " ".join(texts)


def attack_page(
    title: str,
    tried: str,
    facts: Sequence[tuple[str, str]],
    sections: Sequence[Section],
    private: bool,
    *,
    notes: Sequence[str] = (),
) -> Report:
    """Put sections below a head that says what was tried."""
    return Report(
        rendered(title, Head(tried, facts, notes=notes), sections, curator=private), private=private
    )


def _allowed(epsilon: float) -> NDArray[np.float64]:
    return allowed_true_rate(np.linspace(0, 1, 201), epsilon)


def _factor(log_odds: float) -> str:
    """Write e to some power for a reader.

    >>> _factor(0.0), _factor(1.0), _factor(34.0)
    ('1.00', '2.72', '10¹⁵')
    """
    tens = log_odds / math.log(10)
    return f"{math.exp(log_odds):.2f}" if tens < 3 else gains.power_of_ten(round(tens))


def _percent(share: float) -> str:
    """Write a share for a reader: two digits do.

    >>> _percent(0.0), _percent(0.0272), _percent(0.234), _percent(0.9999), _percent(1.0)
    ('0 %', '2.7 %', '23 %', 'over 99 %', '100 %')
    """
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.2g} %"


def _range(rate: Rate) -> str:
    return f"{_percent(rate.seen)} ({_percent(rate.low)} to {_percent(rate.high)})"


def _releases(count: int) -> str:
    return "one release" if count == 1 else f"{count} releases"


def _known(share: float) -> str:
    return {0.0: "hierarchy alone", 1.0: "all but one pair"}.get(share, f"{100 * share:g} % of each class")


def _rule(found: Manipulation) -> str:
    return f"{capital(found.rule)}, {'with limits' if found.limits else 'no limits'}"
