"""The voting rules: every `Vote` that a module here defines, which is named nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from entrenous.access.votes.vote import Vote
from entrenous.errors import ArgumentError

__all__ = ["DEFAULT", "VOTES", "Vote", "check_vote", "is_offered", "offered_votes", "parse_vote", "read_vote"]


_DEFAULT = "consensus"  # nobody is outvoted unless the group agreed on it


def _rules() -> dict[str, type[Vote]]:
    """Return the rules that modules of this folder define: the default, then the others by name."""
    found: dict[str, type[Vote]] = {}
    for module in iter_modules(__path__):
        for each in vars(import_module(f"{__name__}.{module.name}")).values():
            if isinstance(each, type) and issubclass(each, Vote) and each is not Vote:
                found[each.name] = each
    return {name: found[name] for name in sorted(found, key=lambda name: (name != _DEFAULT, name))}


VOTES: Mapping[str, type[Vote]] = _rules()
"""The voting rules by name."""

DEFAULT: Vote = VOTES[_DEFAULT].usual()
"""How an item is decided that names no rule."""

FEWEST_OUTVOTED = 4
"""From so many people on somebody may be outvoted: with three, whoever is outvoted knows what both others said."""


def check_vote(vote: object) -> Vote:
    """Return the vote, if it is one of the rules."""
    if not isinstance(vote, Vote) or type(vote) not in VOTES.values():
        calls = (f"{each.__name__}({', '.join(p.name for p in each.parameters)})" for each in VOTES.values())
        raise ArgumentError("vote", f"expected {' or '.join(calls)}")
    return vote


def is_offered(vote: Vote, people: int) -> bool:
    """Return whether so many people may decide by a vote: below four only if it asks for everybody.

    >>> is_offered(VOTES["majority"](0.66), 3), is_offered(VOTES["majority"](0.7), 3), is_offered(DEFAULT, 2)
    (False, True, True)
    """
    return people >= FEWEST_OUTVOTED or vote.needed(people) == people


def offered_votes(people: int) -> tuple[Vote, ...]:
    """Return the usual settings of the rules by which so many people may decide, the default first.

    >>> offered_votes(3), offered_votes(4)
    ((Consensus(),), (Consensus(), StrongMajority(theta=0.66)))
    """
    return tuple(vote for rule in VOTES.values() if is_offered(vote := rule.usual(), people))


def read_vote(entry: object) -> Vote:
    """Return the vote that an entry of a file describes, such as `{"rule": "consensus"}`.

    >>> read_vote({"rule": "majority", "theta": 0.75})
    StrongMajority(theta=0.75)
    """
    if not isinstance(entry, Mapping):
        raise ArgumentError("vote", f"expected a table with a rule, {_names()}")
    rule = entry.get("rule")
    if not isinstance(rule, str) or rule not in VOTES:
        raise ArgumentError("vote.rule", f"expected {_names()}")
    names = [each.name for each in VOTES[rule].parameters]
    if set(entry) != {"rule", *names}:
        raise ArgumentError("vote", f"expected exactly {' and '.join(['rule', *names])} for {rule}")
    return VOTES[rule](**{name: entry[name] for name in names})


def parse_vote(text: str) -> Vote:
    """Return the vote that is named on a command line: a rule, and after colons its parameters, or the usual ones.

    >>> parse_vote("majority:0.75"), parse_vote("majority")
    (StrongMajority(theta=0.75), StrongMajority(theta=0.66))
    """
    rule, *values = text.split(":")
    if rule in VOTES and not values:
        return VOTES[rule].usual()
    if rule not in VOTES or len(values) != len(VOTES[rule].parameters):
        forms = (":".join([name, *(each.name for each in rule.parameters)]) for name, rule in VOTES.items())
        raise ArgumentError("vote", f"expected {' or '.join(forms)}")
    numbers: list[object] = []
    for value in values:
        try:
            numbers.append(float(value))
        except ValueError:
            numbers.append(value)  # refused by the rule, which says what it expects
    return VOTES[rule](*numbers)


def _names() -> str:
    return " or ".join(VOTES)
