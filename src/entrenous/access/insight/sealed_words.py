"""What a co-owner is told about an outcome: words made of the reader's own answer and the outcome, of nothing else.

No function here receives an item, an answer of somebody else, a weight or a limit of somebody else. So whatever they
return adds nothing to what the outcome itself tells; `entrenous access leak` measures that by trying all answers.
Pages, the interface for programs, mail and the command line all take their words from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from entrenous._check import one_of
from entrenous.access.item import ALLOW, CHOICES, DENY, NEUTRAL
from entrenous.errors import ArgumentError

__all__ = ["UNSETTLED", "WORDS", "own_line", "sealed_options", "sealed_reason", "sealed_viewer"]

WORDS = {
    "private": "only us",
    "friends": "friends",
    "friends-of-friends": "friends of friends",
    "public": "everyone",
}
"""How audiences are called inside a sentence; audiences of another scale are called by their own names."""

UNSETTLED = (
    "No decision yet, so nobody but you sees it: your mutual consideration keeps growing and never settles. "
    "It does once you listen a little less to each other."
)
"""What everybody is told alike where there is no equilibrium: who is in the loop would tell who listens to whom."""

_FEW = " With so few of you the outcome itself tells."


def own_line(scores: Mapping[str, int], limit: str | None = None, *, choices: Sequence[str] = CHOICES) -> str:
    """Return the widest audience that a person's own score accepts, and no wider than their own limit.

    Parameters
    ----------
    scores
        The person's own scores; 3, "slightly agree", accepts.
    limit
        The person's own hard limit, if there is one.
    choices
        The audiences from the narrowest, which everybody accepts, to the widest.

    Examples
    --------
    >>> own_line({"friends": 5, "friends-of-friends": 3, "public": 2})
    'friends-of-friends'
    >>> own_line({"friends": 5, "friends-of-friends": 3, "public": 2}, "friends")
    'friends'
    """
    widest = len(choices) - 1 if limit is None else choices.index(one_of("limit", limit, choices))
    accepted = [place for place in range(1, widest + 1) if scores.get(choices[place], 0) > NEUTRAL]
    return choices[max(accepted, default=0)]


def sealed_reason(
    own_line: str | None, choice: str, people: int, needed: int, *, choices: Sequence[str] = CHOICES
) -> str:
    """Return what one co-owner is told about the outcome.

    Parameters
    ----------
    own_line
        How far the reader would go, as `own_line` says; None if the reader gave no answer.
    choice
        The outcome.
    people, needed
        How many decided together, and how many of them an audience needs.
    choices
        The audiences from the narrowest to the widest.

    Examples
    --------
    >>> sealed_reason("public", "friends", 4, 4)  # doctest: +NORMALIZE_WHITESPACE
    'It is friends: the widest audience that works for all of you.
    You yourself would have gone as far as everyone.'
    """
    outcome = choices.index(one_of("choice", choice, choices))
    name = WORDS.get(choice, choice)
    if _checked(people, needed) == 1:
        return f"You are the only owner, so your own choice holds: {name}."
    told = f"It is {name}: the widest audience that works for {_voters(people, needed)}."
    if own_line is not None:
        line = choices.index(one_of("own_line", own_line, choices))
        own = WORDS.get(own_line, own_line)
        if line == outcome:
            told += " That is as far as you would go yourself."
        elif line > outcome:
            told += f" You yourself would have gone as far as {own}."
        else:
            told += (
                f" On your own you would have stopped at {own}. "
                "If this is too far for you, set a limit: it holds at once."
            )
    return told + _hint(needed)


def sealed_viewer(own_line: str | None, choice: str, people: int, needed: int) -> str:
    """Return what one co-owner is told about a viewer who was decided on by circles: "allow" or "deny".

    >>> sealed_viewer("allow", "deny", 3, 3)
    'Not shown to this viewer: that does not work for all of you. You yourself would have shown it.'
    """
    one_of("choice", choice, (DENY, ALLOW))
    if _checked(people, needed) == 1:
        shown = "shown" if choice == ALLOW else "not shown"
        return f"You are the only owner, so your own choice holds: {shown} to this viewer."
    if choice == ALLOW:
        told = f"Shown to this viewer: that works for {_voters(people, needed)}."
    else:
        told = f"Not shown to this viewer: that does not work for {_voters(people, needed)}."
    if own_line is not None:
        one_of("own_line", own_line, (DENY, ALLOW))
        if own_line == choice:
            told += " That is what you would do yourself."
        elif own_line == ALLOW:
            told += " You yourself would have shown it."
        else:
            told += (
                " On your own you would not have shown it. "
                "If this is too far for you, set a limit: it holds at once."
            )
    return told + _hint(needed)


def sealed_options(choice: str, people: int, needed: int, *, agreed: bool) -> str:
    """Return what every co-owner is told alike where all audiences stood side by side (method "oo").

    Scores there have no line beyond which somebody says no, so nothing is said of the reader's own answer.

    >>> sealed_options("friends", 3, 3, agreed=True)
    'It is friends: of what is open, it suits all of you best.'
    """
    name = WORDS.get(choice, choice)
    if _checked(people, needed) == 1:
        return f"You are the only owner, so your own choice holds: {name}."
    if agreed:
        return f"It is {name}: of what is open, it suits {_voters(people, needed)} best." + _hint(needed)
    return f"It is {name}: nothing suits {_voters(people, needed)} best." + _hint(needed)


def _voters(people: int, needed: int) -> str:
    return "all of you" if needed == people else "enough of you"


def _hint(needed: int) -> str:
    """Return the warning for two owners, and for a vote of two: who wanted more knows who said no."""
    return _FEW if needed <= 2 else ""


def _checked(people: int, needed: int) -> int:
    if not 1 <= needed <= people:
        raise ArgumentError("needed", "expected at least one vote, and no more than there are people")
    return people
