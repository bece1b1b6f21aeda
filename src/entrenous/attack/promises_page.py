"""One picture for each promise: what is stated, what attacks proved, and the most that a real release allows."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from entrenous.network import MECHANISMS
from entrenous.page.pictures import promises as pictures
from entrenous.page.sections import Picture, Row, Section
from entrenous.page.wording import capital, number
from entrenous.unit import Unit

if TYPE_CHECKING:
    from entrenous.attack import Finding, Replay

__all__ = ["Promise", "promise_of", "promise_sections", "promises", "verdict_on"]

#: What is released of words, in the order of the page.
RELEASES = ("vocabulary", "histogram", "private estimate of correlation")
_ALONE = "without a vault"  # several releases: what a vault forbids is no promise of one

READING = {
    "stated": "What the card of a release promises: the line at 100 %. Nothing may lie beyond it.",
    "proved at least": "What attackers certainly got (95 %) who ran the program on inputs of their choice and looked "
    "at its answers. That a promise is broken is said only where it is beyond doubt (99.9 %).",
    "allowed": "A release was recorded, and its answers were given to data that differ in what is hidden: no answer "
    "could have told more. Exact, for the data that were tried; on an input of their own, attackers may prove more.",
}
ABOUT = {
    "network": "Each is a way to publish who knows whom. All of them hide any one tie.",
    "words": "A vocabulary names the words that are in common use; a histogram counts words of a public list. What is "
    "hidden follows the colon.",
}
UNSOUND = {
    "broken": "More than was promised gets out, for certain. Do not publish with these.",
    "in doubt": "Attackers seem to get more than was promised, but not beyond doubt (99.9 %): more runs will tell.",
}


@dataclass(frozen=True)
class Promise:
    """A promise, with all attacks on it and replays of it.

    Attributes
    ----------
    noun, release, unit
        What is released: "network", "owner"; and what it hides: "edge".
    attacks
        Findings of attackers.
    replays
        Real releases that were recorded and replayed.
    """

    noun: str
    release: str
    unit: str
    attacks: tuple[Finding, ...] = ()
    replays: tuple[Replay, ...] = ()

    @property
    def name(self) -> str:
        """The mechanism of a network; of words what is released, and the unit."""
        return self.release if self.noun == "network" else f"{self.release}: {self.unit}"

    @property
    def title(self) -> str:
        """What stands above its picture: names of mechanisms are written as they are."""
        if self.noun == "words":
            return capital(self.name)
        return self.name if self.verdict == "holds" else f"Network: {self.name}"

    @property
    def best(self) -> Finding | None:
        """The attack that got the largest share of what is stated."""
        return max(self.attacks, key=_share, default=None)

    @property
    def proved(self) -> float | None:
        """The share of what is stated that attackers certainly got."""
        return None if self.best is None else _share(self.best)

    @property
    def allowed(self) -> float | None:
        """The largest share of what is stated that answers of real releases could have told."""
        return max((_share(each.finding()) for each in self.replays), default=None)

    @property
    def verdict(self) -> str:
        """One of "broken", "in doubt" and "holds"."""
        found = {each.verdict for each in (*self.attacks, *(replay.finding() for replay in self.replays))}
        return "broken" if "BROKEN" in found else "in doubt" if "in doubt" in found else "holds"


def promise_of(mechanism: str, unit: str) -> tuple[str, str, str] | None:
    """Return which promise a finding or a replay is about: noun, release and unit; None if about none by itself.

    Parameters
    ----------
    mechanism, unit
        As in `Finding` and `Replay`.

    Examples
    --------
    >>> promise_of("network: owner, slots", "edge"), promise_of("network: statistics, degrees", "edge")
    (('network', 'owner', 'edge'), None)
    >>> promise_of("words: vocabulary, guided, n = 2, counts", "message")
    ('words', 'vocabulary', 'message')
    """
    noun, _, rest = mechanism.partition(": ")
    release = rest.partition(",")[0]
    known = {"network": tuple(MECHANISMS), "words": RELEASES}.get(noun, ())
    return (noun, release, unit) if release in known and not mechanism.endswith(_ALONE) else None


def promises(findings: Sequence[Finding], replays: Sequence[Replay] = ()) -> list[Promise]:
    """Group attacks and replays by what they are about: networks first, then words, unit by unit.

    Parameters
    ----------
    findings
        Of attacks. Those in which no epsilon is stated, or that are about a part of several releases, are left out.
    replays
        What `entrenous.attack.replays` returned.
    """
    attacks: dict[tuple[str, str, str], list[Finding]] = {}
    for found in findings:
        about = _about(found)
        if about is not None:
            attacks.setdefault(about, []).append(found)
    replayed: dict[tuple[str, str, str], list[Replay]] = {}
    for replay in replays:
        about = promise_of(replay.mechanism, str(replay.unit))
        if about is not None:
            replayed.setdefault(about, []).append(replay)
    order = {("network", name): place for place, name in enumerate(MECHANISMS)}
    order |= {("words", name): len(order) + place for place, name in enumerate(RELEASES)}
    units = [each.name for each in Unit.all()]
    return [
        Promise(*about, tuple(attacks.get(about, ())), tuple(replayed.get(about, ())))
        for about in sorted(
            attacks.keys() | replayed.keys(), key=lambda each: (order[each[:2]], units.index(each[2]))
        )
    ]


def _about(found: Finding) -> tuple[str, str, str] | None:
    """Return the promise that a finding is a share of."""
    if found.quantity not in ("epsilon", "mu") or not found.stated:
        return None
    return promise_of(found.mechanism, found.unit)


def verdict_on(found: Sequence[Promise], findings: Sequence[Finding] = ()) -> str:
    """Say first how many promises there are and how many of them are broken.

    Parameters
    ----------
    found
        The promises.
    findings
        All findings: one that is about no single promise is named if it is not sound.
    """
    broken, doubtful = (
        [each for each in found if each.verdict == verdict] for verdict in ("broken", "in doubt")
    )
    said = [f"{len(found)} promise{'s' if len(found) != 1 else ''}", f"{len(broken) or 'none'} broken"]
    said[-1] += f" ({_named(broken)})" if broken else ""
    said += [f"{len(doubtful)} in doubt ({_named(doubtful)})"] if doubtful else []
    beside = [each for each in findings if _about(each) is None and each.verdict in ("BROKEN", "in doubt")]
    named = "; ".join(f"{each.mechanism} ({each.verdict.lower()})" for each in beside)
    return ", ".join(said) + "." + (f" Beside them: {named}." if beside else "")


def _named(found: Sequence[Promise]) -> str:
    return ", ".join(each.name for each in found)


def promise_sections(found: Sequence[Promise]) -> list[Section]:
    """Return sections with a picture for each promise: what is broken first, then what is in doubt, then all others.

    Parameters
    ----------
    found
        The promises.
    """
    sections = [
        Section(capital(verdict), introduction, pictures, small=True)
        for verdict, introduction in UNSOUND.items()
        if (pictures := tuple(_picture(each) for each in found if each.verdict == verdict))
    ]
    reading = tuple(Row(capital(word), (), meaning) for word, meaning in READING.items())
    sections.append(
        Section("How to read the pictures", "Three numbers, as shares of the first.", rows=reading)
    )
    for noun, introduction in ABOUT.items():
        sound = [each for each in found if each.noun == noun and each.verdict == "holds"]
        if sound:
            pictured = tuple(_picture(each) for each in sound)
            sections.append(Section(f"{capital(noun)}: what holds", introduction, pictured, small=True))
    return sections


def _picture(promise: Promise) -> Picture:
    shares = {"proved at least": promise.proved, "allowed": promise.allowed}
    heard = ", ".join(
        f"{word} {pictures.share(value)}" for word, value in shares.items() if value is not None
    )
    svg = pictures.promise(
        promise.proved,
        promise.allowed,
        name=re.sub(r"\W+", "-", f"promise-{promise.noun}-{promise.release}-{promise.unit}"),
        title=f"{promise.name}, {promise.verdict}. Of what is stated: {heard}",
    )
    return Picture(promise.title, f"{capital(promise.verdict)}.", svg, below=" ".join(_sentences(promise)))


def _sentences(promise: Promise) -> Iterator[str]:
    """Say in plain words what is promised and what was found."""
    change = capital(Unit.named(promise.unit).change.replace("any {size}", "several"))
    best = promise.best
    if best is not None and best.stated is not None and best.quantity == "epsilon":
        hardly = f", but for one chance in {number(1 / best.delta)}" if best.delta else ""
        yield (
            f"{change} may shift the odds of a guess by a factor of {_factor(best.stated)} at most{hardly} (epsilon "
            f"{best.stated:g}); {_got(best)}."
        )
    else:
        yield f"{change} is to go unnoticed; no attack was run here, only replays."
    faults = [fault for replay in promise.replays for fault in replay.faults]
    if faults:
        yield f"Replayed: {faults[0]}."
    conditions = dict.fromkeys(replay.condition for replay in promise.replays if replay.condition)
    yield from (f"The promise rests on {condition}." for condition in conditions)


def _got(best: Finding) -> str:
    if best.measured <= 0:
        return "attackers could not be sure that they shifted them at all"
    return f"attackers certainly shifted them by {_factor(best.measured)}"


def _share(found: Finding) -> float:
    return found.measured / found.stated if found.stated else math.inf


def _factor(epsilon: float) -> str:
    """Write by how much odds change.

    >>> _factor(0.0), _factor(1.0), _factor(8.0)
    ('1', '2.72', '2,981')
    """
    return number(math.exp(epsilon))
