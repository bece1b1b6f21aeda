"""The life of an item, from draft to expiry, and what each step allows."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.web.conftest import Clock, befriend, register
from tests.web.stories import (
    FIRST,
    PHOTO,
    SECOND,
    agree_all,
    answer,
    answer_all,
    decided,
    four_friends,
    put_up,
)

from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.rules import decisions
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.rules.visibility import visible_ids
from entrenous.web.service import befriending, browsing, membership, proposals, showing, workflow
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database
from entrenous.web.store.records import ItemPage


def page(database: Database, person: int, item: str) -> ItemPage:
    with database.reading() as session:
        return showing.item_page(session, person, item)


def refuses(database: Database, code: str, act: object, *arguments: object, **options: object) -> None:
    with pytest.raises(Conflict) as caught, database.writing() as session:
        act(session, *arguments, **options)  # type: ignore[operator]
    assert caught.value.code == code


def test_the_story_of_the_thesis(either: Database, clock: Clock) -> None:
    ids = four_friends(either)
    item = put_up(either, list(ids.values()))
    assert page(either, ids["ann"], item).state == "collecting"
    answer_all(either, item, {ids[who]: scores for who, scores in FIRST.items()})
    first = page(either, ids["dora"], item)
    assert (first.state, first.outcome.choice, first.audience) == (
        "proposed",
        "friends-of-friends",
        "private",
    )  # type: ignore[union-attr]
    with either.writing() as session:
        workflow.petition(session, ids["ann"], item, "Could everyone see it?")
    again = page(either, ids["cleo"], item)
    assert (again.state, again.round, again.answered) == ("collecting", 2, False)
    asked = again.petition
    assert asked is not None
    assert (asked.by.id, asked.text, asked.audience) == (ids["ann"], "Could everyone see it?", "public")
    answer_all(either, item, {ids[who]: scores for who, scores in SECOND.items()})
    clock.turn(hours=24)
    assert workflow.advance_due(either) == 1
    last = page(either, ids["dora"], item)
    assert (last.state, last.audience, last.rounds_left) == ("active", "friends", 0)
    with either.reading() as session:
        assert [result.same for result in decisions.recompute(session)] == [True, True]


def test_while_anything_is_open_only_co_owners_see_it_and_nobody_sees_who_answered(
    database: Database,
) -> None:
    ids = four_friends(database)
    (eve,) = register(database, "eve")
    befriend(database, ids["ann"], eve)
    item = put_up(database, list(ids.values()))
    before = page(database, ids["ann"], item)
    answer(database, item, ids["dora"], (2, 2, 2))
    seen = page(database, ids["ann"], item)
    assert seen == before
    assert (seen.answered, page(database, ids["dora"], item).answered, seen.voters) == (False, True, 4)
    assert "answered" not in _history(database, ids["ann"])
    assert "answered" in _history(database, ids["dora"])
    with pytest.raises(NotFound):
        page(database, eve, item)


def _history(database: Database, person: int) -> list[str]:
    with database.reading() as session:
        return [event.action for event in browsing.history(session, person)]


def test_a_view_may_be_replaced_until_the_round_closes_and_not_after(database: Database) -> None:
    one, other = register(database, "ann", "bob")
    befriend(database, one, other)
    item = put_up(database, [one, other])
    answer(database, item, one, (5, 5, 5))
    answer(database, item, one, (5, 0, 0))
    answer(database, item, other, (5, 5, 5))
    assert page(database, one, item).outcome.choice == "friends"  # type: ignore[union-attr]
    refuses(database, "wrong_state", workflow.answer, one, item, {})


@pytest.mark.parametrize(
    "scores",
    [
        {"friends": 5, "friends-of-friends": 4},
        {"friends": 5, "friends-of-friends": 4, "public": 6},
        {"friends": 5, "friends-of-friends": 4, "public": True},
        {"friends": 1, "friends-of-friends": 4, "public": 0},
        {"friends": 5, "friends-of-friends": 4, "public": 0, "private": 1},
    ],
)
def test_views_that_are_none_are_refused_without_quoting_them(
    database: Database, scores: dict[str, int]
) -> None:
    (one,) = register(database, "ann")
    item = put_up(database, [one])
    with pytest.raises(ArgumentError, match="scores: expected"), database.writing() as session:
        workflow.answer(session, one, item, scores)
    assert not page(database, one, item).answered


def test_a_single_owners_choice_is_in_force_at_once(database: Database) -> None:
    (one,) = register(database, "ann")
    item = put_up(database, [one])
    answer(database, item, one, (5, 4, 2))
    assert (page(database, one, item).state, page(database, one, item).audience) == (
        "active",
        "friends-of-friends",
    )


def test_silence_keeps_it_among_the_co_owners_unless_a_line_counts_for_who_put_it_up(
    database: Database, clock: Clock
) -> None:
    one, other = register(database, "ann", "bob")
    befriend(database, one, other)
    outcomes = []
    for line, counts_for in ((None, []), ("friends-of-friends", []), ("friends-of-friends", [one])):
        with database.writing() as session:
            befriending.set_standing_line(session, other, line, counts_for)
        item = put_up(database, [one, other])
        answer(database, item, one, (5, 5, 5))
        clock.turn(days=7)
        assert page(database, one, item).overdue
        assert workflow.advance_due(database, item) == 1
        assert workflow.advance_due(database, item) == 0
        outcomes.append(page(database, one, item).outcome.choice)  # type: ignore[union-attr]
    assert outcomes == ["private", "private", "friends-of-friends"]


def test_a_limit_holds_for_who_does_not_answer(database: Database, clock: Clock) -> None:
    one, other = register(database, "ann", "bob")
    befriend(database, one, other)
    with database.writing() as session:
        befriending.set_standing_line(session, other, "public", [one])
    item = put_up(database, [one, other])
    with database.writing() as session:
        workflow.set_limit(session, other, item, "friends")
    answer(database, item, one, (5, 5, 5))
    clock.turn(days=8)
    workflow.advance_due(database)
    assert page(database, one, item).outcome.choice == "friends"  # type: ignore[union-attr]


def test_a_hard_limit_narrows_at_once_and_loosening_never_widens_what_was_decided(database: Database) -> None:
    ids = four_friends(database)
    item = decided(database, ids)
    audiences = []
    for limit in (None, "friends", "private", "public", None):
        with database.writing() as session:
            workflow.set_limit(session, ids["bob"], item, limit)
        audiences.append(page(database, ids["ann"], item).audience)
    assert audiences == [
        "friends-of-friends",
        "friends",
        "private",
        "friends-of-friends",
        "friends-of-friends",
    ]


def test_more_is_asked_for_once(database: Database) -> None:
    ids = four_friends(database)
    item = put_up(database, list(ids.values()))
    answer_all(database, item, {ids[who]: scores for who, scores in FIRST.items()})
    with database.writing() as session:
        workflow.petition(session, ids["dora"], item, "Please think again")
    answer_all(database, item, {ids[who]: scores for who, scores in FIRST.items()})
    assert "petition" not in page(database, ids["dora"], item).can
    refuses(database, "too_many_rounds", workflow.petition, ids["dora"], item, "And again")


def test_a_petition_asks_for_more_and_never_for_less(database: Database) -> None:
    ids = four_friends(database)
    item = put_up(database, list(ids.values()))
    answer_all(database, item, {ids[who]: scores for who, scores in FIRST.items()})
    for audience in ("private", "friends", "friends-of-friends", "nonsense"):
        with pytest.raises(ArgumentError, match="audience: expected"), database.writing() as session:
            workflow.petition(session, ids["ann"], item, "Please", audience)
    everyone = put_up(database, [ids["ann"]])
    answer(database, everyone, ids["ann"], (5, 5, 5))
    refuses(database, "widest", workflow.petition, ids["ann"], everyone, "More")


def test_no_common_choice_leaves_it_to_the_co_owners(database: Database) -> None:
    one, other = register(database, "ann", "bob")
    befriend(database, one, other)
    item = put_up(database, [one, other], method="oo")
    views = {one: (0, 0, 0, 5), other: (5, 0, 0, 0)}
    for person, scores in views.items():
        with database.writing() as session:
            choices = ("private", "friends", "friends-of-friends", "public")
            workflow.answer(session, person, item, dict(zip(choices, scores, strict=True)))
    seen = page(database, one, item)
    assert (seen.state, seen.audience) == ("no_agreement", "private")
    assert "petition" in seen.can


def test_expiry_closes_for_everybody_but_co_owners(database: Database, clock: Clock) -> None:
    (one,) = register(database, "ann")
    item = put_up(database, [one], expires=clock() + timedelta(days=3))
    answer(database, item, one, (5, 5, 5))
    with database.reading() as session:
        assert browsing.gallery(session, None)
    clock.turn(days=3)
    with database.reading() as session:
        assert browsing.gallery(session, None) == ()  # before any worker has noticed
    workflow.advance_due(database)
    assert page(database, one, item).state == "expired"
    with pytest.raises(ArgumentError, match="expires"), database.writing() as session:
        workflow.create_item(session, one, PHOTO, title="Late", expires=clock())


def test_an_expiry_others_were_asked_with_is_only_brought_forward(database: Database, clock: Clock) -> None:
    (ann,) = register(database, "ann")
    soon, late = clock() + timedelta(days=2), clock() + timedelta(days=9)
    item = put_up(database, [ann], expires=soon)
    for worse in (late, None):
        refuses(database, "only_earlier", proposals.set_expiry, ann, item, worse)
    with database.writing() as session:
        proposals.set_expiry(session, ann, item, clock() + timedelta(days=1))
    clock.turn(days=1)
    assert page(database, ann, item).state == "expired"
    refuses(database, "wrong_state", workflow.edit_item, ann, item, title="New", description="")


def test_withdrawing_takes_it_from_everybody_and_can_be_undone_for_minutes(
    database: Database, clock: Clock
) -> None:
    ids = four_friends(database)
    item = decided(database, ids)
    with database.writing() as session:
        workflow.withdraw(session, ids["ann"], item)
    with pytest.raises(NotFound):
        page(database, ids["bob"], item)
    with database.writing() as session:
        assert workflow.undo(session, ids["ann"], item) == "withdraw"
    assert page(database, ids["bob"], item).state == "active"
    with database.writing() as session:
        workflow.withdraw(session, ids["ann"], item)
    clock.turn(minutes=11)
    refuses(database, "nothing_to_undo", workflow.undo, ids["ann"], item)
    with pytest.raises(NotFound), database.writing() as session:
        workflow.withdraw(session, ids["bob"], item)


def test_steps_can_be_taken_back(database: Database) -> None:
    ids = four_friends(database)
    ann, bob, dora = ids["ann"], ids["bob"], ids["dora"]
    item = put_up(database, list(ids.values()))
    answer(database, item, bob, (3, 3, 0))
    answer(database, item, bob, (5, 5, 5))
    with database.writing() as session:
        assert workflow.undo(session, bob, item) == "answer"
    with database.reading() as session:
        assert showing.my_view(session, bob, item).scores == dict(
            zip(("friends", "friends-of-friends", "public"), (3, 3, 0), strict=True)
        )
    answer_all(database, item, {ids[who]: scores for who, scores in FIRST.items()})
    refuses(database, "too_late", workflow.undo, bob, item)  # the round is closed
    with database.writing() as session:
        workflow.petition(session, dora, item, "Please")
    with database.writing() as session:
        assert workflow.undo(session, dora, item) == "petition"
    assert (page(database, ann, item).state, page(database, ann, item).round) == ("proposed", 1)
    refuses(database, "too_many_rounds", workflow.petition, ann, item, "A second look")  # it stays used up
    with database.writing() as session:
        workflow.untag(session, bob, item)
    with database.writing() as session:
        assert workflow.undo(session, bob, item) == "untag"


def test_a_declined_tag_can_be_taken_back(database: Database) -> None:
    one, other = register(database, "ann", "bob")
    befriend(database, one, other)
    with database.writing() as session:
        item = workflow.create_item(session, one, PHOTO, title="Us")
        workflow.tag(session, one, item, [other])
    with database.writing() as session:
        workflow.answer_tag(session, other, item, accept=False)
    with database.writing() as session:
        assert workflow.undo(session, other, item) == "decline"
    with database.reading() as session:
        assert showing.tag_request(session, other, item).need == "tag"


def test_circles_decide_for_every_viewer(database: Database) -> None:
    one, other, mate, family = register(database, "ann", "bob", "mate", "mum")
    for person in (other, mate, family):
        befriend(database, one, person)
    for person in (mate, family):
        befriend(database, other, person)
    with database.writing() as session:
        lab = befriending.create_circle(session, one, "Lab")
        befriending.set_members(session, one, lab.id, [mate])
        work = befriending.create_circle(session, other, "Work")
        befriending.set_members(session, other, work.id, [mate])
    item = put_up(database, [one, other], method="circles")
    for person, circle in ((one, "Lab"), (other, "Work")):
        with database.writing() as session:
            workflow.answer(session, person, item, {circle: 5, "Strangers": 0})
    agree_all(database, item, [one, other])

    def seen() -> list[bool]:
        with database.reading() as session:
            return [bool(browsing.gallery(session, viewer)) for viewer in (mate, family, None)]

    assert seen() == [True, False, False]
    with database.reading() as session:
        assert visible_ids(session, family, [item]) == visible_ids(session, family, ["none"]) == set()
    with database.writing() as session:
        workflow.set_limit(session, one, item, [])
    assert seen() == [False, False, False]
    with database.writing() as session:
        workflow.set_limit(session, one, item, None)
        befriending.set_members(session, other, work.id, [])
    assert seen() == [False, False, False]


def test_what_a_person_may_do_is_what_the_workflow_lets_them_do(database: Database) -> None:
    ids = four_friends(database)
    item = put_up(database, list(ids.values()))
    ann, bob = ids["ann"], ids["bob"]
    assert page(database, ann, item).can == {
        "answer",
        "decide_claim",
        "expire",
        "limit",
        "propose",
        "tag",
        "untag",
        "withdraw",
    }
    assert page(database, bob, item).can == {"answer", "limit", "propose", "untag"}
    answer_all(database, item, {ids[who]: scores for who, scores in FIRST.items()})
    assert page(database, bob, item).can == {"agree", "limit", "petition", "propose", "untag"}
    agree_all(database, item, [bob])
    assert page(database, bob, item).can == {"limit", "petition", "propose", "untag"}
    refuses(database, "already", workflow.agree, bob, item)


def test_without_an_objection_window_an_outcome_is_in_force_at_once(settings: Settings, clock: Clock) -> None:
    database = Database(replace(settings, objection_hours=0), clock=clock)
    database.migrate()
    ids = four_friends(database)
    item = put_up(database, list(ids.values()))
    answer_all(database, item, {ids[who]: scores for who, scores in FIRST.items()})
    assert page(database, ids["ann"], item).state == "active"
    database.close()


def test_leaving_removes_own_items_and_names_and_widens_nothing(database: Database) -> None:
    ids = four_friends(database)
    item = decided(database, ids)
    own = put_up(database, [ids["bob"]], title="Mine alone")
    with database.writing() as session:
        workflow.set_limit(session, ids["bob"], item, "friends")
    with database.writing() as session:
        membership.delete_account(session, ids["bob"])
    seen = page(database, ids["ann"], item)
    assert (seen.state, seen.audience, seen.voters) == ("active", "private", 3)
    assert "bob" not in repr(seen).lower()
    with database.reading() as session:
        assert store.items.get_item(session, own) is None
        assert membership.person(session, ids["bob"]) is None
        assert [result.same for result in decisions.recompute(session)] == [True]
    assert register(database, "bob")  # the handle is free again
