"""A place to try the method on invented people: change any number and see where the wishes settle.

Nothing is stored and no account is needed. Unlike in a real decision everything is shown.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from entrenous import access
from entrenous.access import CHOICES, Decision, Item
from entrenous.access.insight.pivotality import smallest_flips
from entrenous.access.votes import DEFAULT, VOTES
from entrenous.errors import ArgumentError
from entrenous.web.http.forms import Form, Sent
from entrenous.web.http.security import ANSWER_HEADERS
from entrenous.web.http.visits import visitor

__all__ = ["router"]

router = APIRouter()

EXAMPLES = {
    "thesis-oc": "Four people and a photo",
    "thesis-second-round": "The same four, after a petition",
    "thesis-oo": "Every audience side by side",
    "professor": "A professor and four students",
    "limits": "A hard limit",
}
MOST_PEOPLE = 8
METHODS = {"oc": "for or against, one by one", "oo": "all side by side"}
MODES = {"cap": "kept so that it settles", "strict": "exactly as entered"}


@dataclass(frozen=True)
class Table:
    """The numbers in the form; `scores` has a row per person and a column per audience, `weights` are percents."""

    people: tuple[str, ...]
    scores: tuple[tuple[int, ...], ...]
    weights: tuple[tuple[int, ...], ...]
    limits: tuple[str, ...]
    method: str = "oc"
    mode: str = "cap"
    vote: str = DEFAULT.name

    @classmethod
    def of(cls, item: Item) -> Table:
        """Return the numbers of a worked example."""
        wishes = [item.wishes[who] or {} for who in item.people]
        return cls(
            item.people,
            tuple(tuple(wish.get(choice, 0) for choice in CHOICES) for wish in wishes),
            tuple(
                tuple(round(100 * item.peers.get(who, {}).get(other, 0)) for other in item.people)
                for who in item.people
            ),
            tuple(str(item.limits.get(who, "")) for who in item.people),
            item.method,
            item.mode,
            item.vote.name,
        )

    @classmethod
    def sent(cls, form: Form) -> Table:
        """Return the numbers that were typed, with a person more or fewer if asked."""
        count = min(max(form.number("count") or 2, 1), MOST_PEOPLE)
        asked = count + {"add": 1, "remove": -1}.get(form.text("do"), 0)
        places = range(min(max(asked, 1), MOST_PEOPLE))
        return cls(
            tuple(form.text(f"name-{row}")[:40] or f"person {row + 1}" for row in places),
            tuple(
                tuple(_within(form.number(f"score-{row}-{column}"), 5) for column in range(len(CHOICES)))
                for row in places
            ),
            tuple(tuple(_within(form.number(f"weight-{row}-{to}"), 100) for to in places) for row in places),
            tuple(limit if (limit := form.text(f"limit-{row}")) in CHOICES else "" for row in places),
            _among(form.text("method"), METHODS),
            _among(form.text("mode"), MODES),
            _among(form.text("vote"), VOTES),
        )

    def item(self) -> Item:
        """Return the item to mediate."""
        if len(set(self.people)) < len(self.people):
            raise ArgumentError("people", "give everybody a name of their own")
        first = 0 if self.method == "oo" else 1
        return Item.from_dict(
            {
                "wishes": {
                    who: dict(zip(CHOICES[first:], row[first:], strict=True))
                    for who, row in zip(self.people, self.scores, strict=True)
                },
                "peers": {
                    who: {
                        other: percent / 100
                        for other, percent in zip(self.people, row, strict=True)
                        if other != who
                    }
                    for who, row in zip(self.people, self.weights, strict=True)
                },
                "limits": {who: limit for who, limit in zip(self.people, self.limits, strict=True) if limit},
                "method": self.method,
                "mode": self.mode,
                "vote": VOTES[self.vote].usual().to_dict(),
                "monotone": all(list(row[1:]) == sorted(row[1:], reverse=True) for row in self.scores),
            }
        )


@router.get("/playground")
def playground(request: Request, example: str = "thesis-oc") -> Response:
    """Show a worked example."""
    name = example if example in EXAMPLES else "thesis-oc"
    return _show(request, Table.of(access.read_example(name)), name)


@router.post("/playground")
def weigh(request: Request, form: Sent) -> Response:
    """Mediate what was typed."""
    return _show(request, Table.sent(form), None)


def _show(request: Request, table: Table, example: str | None) -> Response:
    found: dict[str, Any] = {"decision": None, "wrong": None}
    try:
        item = table.item()
        decision = access.decide(item)
        found = {"decision": decision, "wrong": None, **_seen(item, decision)}
    except ArgumentError as error:
        found["wrong"] = str(error)
    with visitor(request) as visit:
        page = visit.page(
            "playground.html",
            table=table,
            example=example,
            examples=EXAMPLES,
            choices=CHOICES,
            methods=METHODS,
            modes=MODES,
            votes={name: rule.usual().label for name, rule in VOTES.items()},
            most=MOST_PEOPLE,
            **found,
        )
    policy = ANSWER_HEADERS["content-security-policy"].replace("img-src 'self'", "img-src 'self' data:")
    page.headers["content-security-policy"] = policy
    return page


def _seen(item: Item, decision: Decision) -> dict[str, Any]:
    """Return what the page shows of a decision: the picture, other rules, and who could change the outcome."""
    picture = base64.b64encode(access.draw(item, decision).encode()).decode()
    return {
        "picture": f"data:image/svg+xml;base64,{picture}",
        "scored": item.scored,
        "rules": access.compare(item),
        "flips": smallest_flips(item) if decision.settled else {},
    }


def _within(number: int | None, most: int) -> int:
    return min(number or 0, most)


def _among(word: str, words: Mapping[str, object]) -> str:
    return word if word in words else next(iter(words))
