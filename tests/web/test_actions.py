"""What a page offers is what the workflow allows: over all actions, states of an item and places of a person."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy.orm import Session
from tests.web.conftest import Clock, befriend, register
from tests.web.stories import agree_all, answer, answer_all, put_up
from tests.web.test_workflow import page, refuses

import entrenous.web
from entrenous.web import store
from entrenous.web.api import shared
from entrenous.web.pages import sharing
from entrenous.web.rules.actions import ACTIONS, MOST_OWNERS, Place, Reason, may, offered
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.rules.states import LIVE, STATES
from entrenous.web.rules.visibility import visible_ids
from entrenous.web.service import proposals, showing, workflow
from entrenous.web.store.database import Database, now

WEB = Path(entrenous.web.__file__).parent
PEOPLE = ("ann", "bob", "cleo", "dora", "eve", "finn", "hal")
VIEW = {"friends": 5, "friends-of-friends": 5, "public": 5}

ATTEMPTS: dict[str, Callable[[Session, int, str, int], object]] = {
    "agree": lambda session, me, item, _: workflow.agree(session, me, item),
    "answer": lambda session, me, item, _: workflow.answer(session, me, item, VIEW),
    "answer_change": lambda session, me, item, _: proposals.answer_change(
        session, me, item, "-", accept=True
    ),
    "answer_tag": lambda session, me, item, _: workflow.answer_tag(session, me, item, accept=True),
    "claim": lambda session, me, item, _: workflow.claim(session, me, item),
    "decide_claim": lambda session, me, item, eve: workflow.answer_claim(session, me, item, eve, accept=True),
    "edit": lambda session, me, item, _: workflow.edit_item(session, me, item, title="New", description=""),
    "expire": lambda session, me, item, _: proposals.set_expiry(session, me, item, now(session) + DAY),
    "limit": lambda session, me, item, _: workflow.set_limit(session, me, item, "friends"),
    "open": lambda session, me, item, _: workflow.open_item(session, me, item),
    "petition": lambda session, me, item, _: workflow.petition(session, me, item, "Please"),
    "propose": lambda session, me, item, _: proposals.propose(session, me, item, title="New"),
    "retag": lambda session, me, item, _: workflow.retag(session, me, item),
    "retract": lambda session, me, item, _: proposals.retract(session, me, item),
    "tag": lambda session, me, item, _: workflow.tag(session, me, item, []),
    "undo": lambda session, me, item, _: workflow.undo(session, me, item),
    "untag": lambda session, me, item, _: workflow.untag(session, me, item),
    "withdraw": lambda session, me, item, _: workflow.withdraw(session, me, item),
}
"""Every action, done by a person to an item in which eve claims to be."""

DAY = timedelta(days=1)
DECIDED = {"proposed", "active", "no_agreement"}


@dataclass(frozen=True)
class Situation:
    """A state as it is stored, and the state that the clock makes of it."""

    stored: str
    late: bool = False

    @property
    def present(self) -> str:
        return {"proposed": "active", "active": "expired"}[self.stored] if self.late else self.stored


SITUATIONS = [*(Situation(state) for state in STATES), Situation("proposed", True), Situation("active", True)]


@pytest.fixture
def meeting(database: Database) -> tuple[dict[str, int], str]:
    """An item that everybody may see, and one person in every place that somebody can have in it."""
    ids = dict(zip(PEOPLE, register(database, *PEOPLE), strict=True))
    ann, bob = ids["ann"], ids["bob"]
    for other in list(ids.values())[1:]:
        befriend(database, ann, other)
    item = put_up(database, [ann, bob], anchor="any")
    answer_all(database, item, {ann: (5, 0, 0), bob: (5, 0, 0)})
    agree_all(database, item, [ann, bob])
    with database.writing() as session:
        workflow.tag(session, ann, item, [ids["cleo"], ids["dora"]])
        workflow.answer_tag(session, ids["dora"], item, accept=False)
        workflow.claim(session, ids["eve"], item)
        workflow.claim(session, ids["finn"], item)
        workflow.answer_claim(session, ann, item, ids["finn"], accept=False)
    return ids, item


def arrange(session: Session, item: str, ann: int, situation: Situation) -> None:
    """Bring an item that was decided once into a situation."""
    moment = now(session)
    soon = moment if situation.late else moment + DAY
    values: dict[str, object] = {"state": situation.stored}
    if situation.stored == "collecting":
        values |= {"round": 2, "deadline": moment + DAY, "choice": None}
    if situation.stored == "proposed":
        store.items.update_item(session, item, round=1)
        session.execute(store.items.agreements.delete())
        values |= {"objection_until": soon}
    if situation.stored == "active" and situation.late:
        values |= {"expires": moment}
    if situation.stored == "withdrawn":
        store.items.add_step(session, item, ann, "withdraw", {"state": "active", "deadline": None}, moment)
        values |= {"deadline": moment + DAY}
    store.items.update_item(session, item, **values)


def expected(who: str, state: str) -> set[str]:
    """Return what a person may do, as the documents and the pages say it in words."""
    live = state in LIVE
    can: set[str] = set()
    if who in ("ann", "bob") and live:
        can |= {"limit", "untag"}
        can |= {"propose"} if state != "draft" else set()
        can |= {"answer"} if state == "collecting" else set()
        can |= {"agree"} if state == "proposed" else set()
        can |= {"petition"} if state in DECIDED else set()
    if who == "ann" and live:
        can |= {"expire", "tag", "decide_claim"}
        can |= {"edit"} if state == "draft" else set()
    if who == "ann":
        can |= {"undo"} if state == "withdrawn" else {"withdraw"}
        can |= {"open"} if state == "draft" else set()
    if who == "cleo" and live:
        can |= {"answer_tag"}
    if who == "dora" and live:
        can |= {"undo"}
    if who in ("dora", "hal") and state == "active":
        can |= {"claim"}
    return can


class Undone(Exception):  # noqa: N818 - reads as what happened
    """Takes back what was tried."""


def allowed(database: Database, person: int, item: str, eve: int) -> set[str]:
    """Return what the workflow lets a person do, each tried and taken back."""
    found = set()
    for name, attempt in ATTEMPTS.items():
        try:
            with database.writing() as session:
                attempt(session, person, item, eve)
                raise Undone
        except Undone:
            found.add(name)
        except (Conflict, NotFound):
            pass
    return found


def shown(session: Session, person: int | None, item: str) -> frozenset[str]:
    """Return what pages offer a person, also one who may not see the item: to answer, and to take an answer back."""
    if item in visible_ids(session, person, [item]):
        return showing.item_page(session, person, item).can
    row = store.items.get_item(session, item)
    assert row is not None
    place = Place(session, person, store.items.owners_of(session, [item])[item])
    return offered(place, row, now(session)) - {"claim"}


@pytest.mark.parametrize("situation", SITUATIONS, ids=str)
def test_pages_offer_what_the_workflow_allows(
    database: Database, meeting: tuple[dict[str, int], str], situation: Situation
) -> None:
    ids, item = meeting
    with database.writing() as session:
        arrange(session, item, ids["ann"], situation)
    for who, person in ids.items():
        with database.reading() as session:
            offers = shown(session, person, item)
        assert (who, offers) == (who, expected(who, situation.present))
        assert (who, allowed(database, person, item, ids["eve"])) == (who, offers)
    with database.reading() as session:
        assert shown(session, None, item) == set()


def test_somebody_who_is_asked_can_answer_wherever_they_look(
    database: Database, meeting: tuple[dict[str, int], str]
) -> None:
    ids, item = meeting
    with database.reading() as session:
        assert "answer_tag" in showing.item_page(session, ids["cleo"], item).can
        assert showing.tag_request(session, ids["cleo"], item).need == "tag"


def test_a_reason_counts_as_a_no(database: Database, meeting: tuple[dict[str, int], str]) -> None:
    ids, item = meeting
    with database.reading() as session:
        row, owners = store.items.get_item(session, item), store.items.owners_of(session, [item])[item]
        assert row is not None
        refused = may(ACTIONS["expire"], Place(session, ids["bob"], owners), row, now(session))
        assert not refused
        assert isinstance(refused, Reason)
        assert isinstance(refused.refusal(), NotFound)
        assert may(ACTIONS["expire"], Place(session, ids["ann"], owners), row, now(session)) is True


def test_a_full_item_offers_no_claim(database: Database, meeting: tuple[dict[str, int], str]) -> None:
    ids, item = meeting
    more = register(database, *(f"one-{number}" for number in range(MOST_OWNERS - 6)))
    with database.writing() as session:
        for person in more:
            store.friendships.add_friendship(session, ids["ann"], person, now(session))
            workflow.claim(session, person, item)
    assert "claim" not in page(database, ids["hal"], item).can
    assert "claim" not in allowed(database, ids["hal"], item, ids["eve"])
    assert "claim" in page(database, ids["dora"], item).can  # who has a place takes no further one


def test_what_can_be_taken_back_is_offered_until_others_build_on_it(database: Database, clock: Clock) -> None:
    ann, bob = register(database, "ann", "bob")
    befriend(database, ann, bob)
    item = put_up(database, [ann, bob])

    def undoes(person: int) -> bool:
        offers = "undo" in page(database, person, item).can
        assert ("undo" in allowed(database, person, item, 0)) == offers
        return offers

    answer(database, item, ann, (5, 5, 5))
    assert undoes(ann)
    answer(database, item, bob, (5, 5, 0))
    assert not undoes(ann)  # the round is closed
    with database.writing() as session:
        workflow.petition(session, bob, item, "Please")
    assert undoes(bob)
    before = page(database, bob, item)
    answer(database, item, ann, (5, 5, 5))
    assert page(database, bob, item) == before  # who only looks does not see that somebody answered
    refuses(database, "too_late", workflow.undo, bob, item)
    assert undoes(ann)
    clock.turn(minutes=11)
    assert not undoes(ann)  # it is too long ago


def test_a_round_whose_time_is_over_is_not_offered_before_anybody_closed_it(
    database: Database, clock: Clock
) -> None:
    ann, bob = register(database, "ann", "bob")
    befriend(database, ann, bob)
    item = put_up(database, [ann, bob])
    answer(database, item, ann, (5, 5, 5))
    clock.turn(days=7)
    assert not {"answer", "undo"} & page(database, ann, item).can
    assert not {"answer", "undo"} & allowed(database, ann, item, 0)


def held_for(tree: ast.AST) -> Iterator[str]:
    """Yield the actions for which items are held."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in ("hold_for", "_set_tagged"):
            action = node.args[1]
            if isinstance(action, ast.Attribute):
                yield action.attr.lower()


RULED = {"LIVE", "STATES", "closes_now", "petitions", "present_state", "state", "tagged"}


def restatements(tree: ast.AST) -> list[int]:
    """Return the lines that refuse something for a state that is for the rules to judge."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and any(isinstance(one, ast.Raise) for one in node.body):
            names = {getattr(one, "attr", getattr(one, "id", None)) for one in ast.walk(node.test)}
            found += [node.lineno] if names & RULED else []
        if isinstance(node, ast.Attribute) and node.attr == "require":
            found.append(node.lineno)
    return found


ASKING = sorted(
    path.relative_to(WEB).as_posix()
    for room in ("service", "api", "pages")
    for path in (WEB / room).glob("*.py")
    if path.name != "welcome.py"  # its `state` is that of OAuth
)


@pytest.mark.parametrize("file", ASKING)
def test_nothing_but_the_rules_says_who_may_do_what(file: str) -> None:
    assert restatements(ast.parse((WEB / file).read_text())) == []


def test_the_check_of_restatements_notices_some() -> None:
    assert restatements(ast.parse("if held.state != 'draft':\n    raise Conflict"))
    assert restatements(ast.parse("if present_state(row, moment) not in LIVE:\n    raise NotFound"))
    assert restatements(ast.parse("held.require('draft')"))
    assert not restatements(ast.parse("if row is None:\n    raise NotFound"))


def test_every_action_has_its_rule_and_its_function() -> None:
    trees = [ast.parse(path.read_text()) for path in (WEB / "service").glob("*.py")]
    assert sorted(name for tree in trees for name in held_for(tree)) == sorted(ACTIONS)
    assert ATTEMPTS.keys() == ACTIONS.keys()
    assert sharing.STEPS.keys() <= ACTIONS.keys()
    assert shared.PLAIN_STEPS.keys() <= ACTIONS.keys()
