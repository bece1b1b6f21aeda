"""What the running service shows tells no more than the outcome: its own pages and answers, measured over all answers.

Groups decide with answers and limits drawn at random. What each co-owner is then shown, on the page, by the interface,
in lists, mails and webhooks, must be the same whenever their own line and the outcome are. The table of what was shown
is then put in the place of the outcome in the exact enumeration of all 56^n answers.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from tests.attack.inference.test_outcomes import same
from tests.web.crowd import Crowd
from tests.web.stories import SCORED, answer, put_up
from tests.web.test_sealed import MONOTONE

from entrenous.access import CHOICES, Consensus, StrongMajority, own_line
from entrenous.access.votes import Vote, read_vote
from entrenous.attack.inference.outcomes import ANSWERS, LINES, PRIORS, Channel, Deciding, asks, measure
from entrenous.web.rules import decisions, sealing
from entrenous.web.service import befriending
from entrenous.web.store import schema
from entrenous.web.store.database import Database

HANDLES = ("ann", "bob", "cleo", "dora")
VOTES = {"consensus": Consensus(), "two thirds": StrongMajority(0.66)}
GROUPS = [(2, "consensus"), (3, "consensus"), (3, "two thirds"), (4, "consensus"), (4, "two thirds")]


@dataclass
class Shown:
    """What co-owners with a line were shown of an outcome, and how often."""

    texts: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    seen: int = 0

    def add(self, line: str, choice: str, text: str) -> None:
        self.texts.setdefault((line, choice), set()).add(text)
        self.seen += 1

    def codes(self, group: Deciding, observer: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """What the service shows for all answers; where nothing was drawn, the outcome alone."""
        numbers: dict[str, int] = {}
        table = np.zeros((len(ANSWERS), len(CHOICES)), dtype=np.int64)
        for place, scores in enumerate(ANSWERS.tolist()):
            line = own_line(dict(zip(SCORED, scores, strict=True)))
            for outcome, choice in enumerate(CHOICES):
                texts = self.texts.get((line, choice), {f"nothing drawn {choice}"})
                table[place, outcome] = numbers.setdefault("\n".join(sorted(texts)), len(numbers))
        own = np.arange(len(ANSWERS)).reshape([-1 if axis == observer else 1 for axis in range(group.people)])
        return np.asarray(table[own, group.outcomes])


def decided(crowd: Crowd, people: int, vote: Vote, listening: int, random: Random, items: int) -> Shown:
    """Let a group decide about so many items, and look with the eyes of each of them."""
    handles = HANDLES[:people]
    ids = [crowd.ids[who] for who in handles]
    with crowd.database.writing() as session:
        for one in ids:
            for other in ids:
                if one != other:
                    befriending.listen(session, one, other, listening)
    headers = {who: crowd.token(who) for who in handles}
    shown = Shown()
    for number in range(items):
        item = put_up(crowd.database, ids, vote=vote.to_dict())
        # Every third group is of one mind as to the width, so that wide outcomes are drawn, too.
        drawn = [one for one in MONOTONE if number % 3 == 0 or min(one[: number % 3 + 1]) > 2]
        lines = {}
        for person, who in zip(ids, handles, strict=True):
            scores = random.choice(drawn)
            limit = random.choice(CHOICES) if random.random() < 0.25 else None
            answer(crowd.database, item, person, scores, limit=limit)
            lines[who] = own_line(dict(zip(SCORED, scores, strict=True)), limit)
        for who in handles:
            choice, text = looked(crowd, who, item, headers[who])
            shown.add(lines[who], choice, text)
        forget(crowd.database)
    return shown


def looked(crowd: Crowd, who: str, item: str, headers: dict[str, str]) -> tuple[str, str]:
    """The outcome, and all that somebody is shown about it, without what is theirs by name."""
    page = crowd.clients[who].get(f"/items/{item}").text.partition("<main")[2]
    entry = crowd.stranger.get(f"/v1/items/{item}", headers=headers).json()
    told = crowd.stranger.get("/v1/notifications", headers=headers).json()
    cards = crowd.stranger.get("/v1/inbox", headers=headers).json()
    record = crowd.stranger.get(f"/v1/items/{item}/decisions/1", headers=headers).json()
    with crowd.database.reading() as session:
        letters = session.execute(sa.select(schema.outbox.c.kind, schema.outbox.c.payload)).all()
    about = {
        name: entry[name] for name in entry if name not in ("can", "owners", "my_owner", "id", "created")
    }
    kinds = [one["kind"] for one in told if one["item"] == item]
    needs = [one["need"] for one in cards if one["id"] == item]
    fields = sorted(set(record) - {"slots", "commitments"})
    outcome = re.search(r'<section class="card outcome".*?</section>', page, re.DOTALL)
    assert outcome is not None
    text = json.dumps(
        [outcome[0], about, sorted(kinds), needs, [record[name] for name in fields], str(letters)]
    )
    return str(entry["outcome"]["choice"]), without_part(text).replace(item, "ITEM")


def without_part(text: str) -> str:
    """Leave out that who put it up is asked nothing about it, and was told so by nobody."""
    return re.sub(r'"(view_needed|tag_asked|tag_accepted|names)"(, )?', "", text)


def forget(database: Database) -> None:
    """Empty the lists, so that they stay short."""
    with database.writing() as session:
        session.execute(sa.delete(schema.notifications))
        session.execute(sa.delete(schema.outbox))


@pytest.fixture
def group(crowd: Crowd) -> Crowd:
    crowd.add(*HANDLES)
    crowd.befriend_all(*HANDLES)
    return crowd


def check(crowd: Crowd, people: int, name: str, listening: int, items: int) -> None:
    vote = VOTES[name]
    shown = decided(crowd, people, vote, listening, Random(people * 100 + listening), items)
    for (line, choice), texts in shown.texts.items():
        assert len(texts) == 1, f"{line} and {choice} do not say what is shown: {sorted(texts)}"
    assert shown.seen > 2 * len(shown.texts), "most were drawn with different answers of others"
    assert len(shown.texts) > 4
    counted = read_vote(decisions.vote_among(vote.to_dict(), people))
    deciding = Deciding.alike(people, counted, listening=listening)
    for observer in range(people) if people < 4 else (0,):
        bare = measure([Channel(deciding.outcomes, deciding.outcomes, (observer,))], PRIORS["uniform"], LINES)
        told = measure(
            [Channel(shown.codes(deciding, observer), deciding.outcomes, (observer,))],
            PRIORS["uniform"],
            LINES,
        )
        assert same(told, bare)
        if people > 2:
            named = measure(
                [Channel(asks(deciding, observer), deciding.outcomes, (observer,))], PRIORS["uniform"], LINES
            )
            assert named.answer_bits > bare.answer_bits + 0.01, "the measure notices names"


LISTENING = [20, *(pytest.param(percent, marks=pytest.mark.thorough) for percent in (0, 40))]


@pytest.mark.long
@pytest.mark.parametrize("listening", LISTENING)
@pytest.mark.parametrize(("people", "name"), GROUPS[:3])
def test_what_the_service_shows_is_the_outcome_and_ones_own(
    group: Crowd, people: int, name: str, listening: int
) -> None:
    check(group, people, name, listening, items=15)


@pytest.mark.long
@pytest.mark.parametrize("listening", LISTENING)
@pytest.mark.parametrize(("people", "name"), GROUPS[3:])
def test_so_it_is_among_four(group: Crowd, people: int, name: str, listening: int) -> None:
    check(group, people, name, listening, items=12)


def test_a_hint_about_others_would_be_noticed(group: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    """The canary: a reason that says how many said no to everyone."""
    reason_for = decisions.reason_for

    def telling(session: Any, decided: Any, owner: Any) -> str:
        openings = sealing.open_round(session, decided.item, decided.round).values()
        refusing = sum((opening.scores or {}).get("public", 0) < 3 for opening in openings)
        return f"{reason_for(session, decided, owner)} {refusing} of you said no to everyone."

    monkeypatch.setattr(decisions, "reason_for", telling)
    shown = decided(group, 3, Consensus(), 0, Random(5), 12)
    assert max(len(texts) for texts in shown.texts.values()) > 1
    counted = Deciding.alike(3)
    bare = measure([Channel(counted.outcomes, counted.outcomes)], PRIORS["uniform"], LINES)
    refusing = np.add.outer(np.add.outer(LINES < 3, (LINES < 3).astype(int)), (LINES < 3).astype(int))
    told = measure([Channel(counted.outcomes * 4 + refusing, counted.outcomes)], PRIORS["uniform"], LINES)
    assert told.answer_bits > bare.answer_bits + 0.01
