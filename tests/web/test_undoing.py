"""What taking back a step brings back, and what it must not bring back."""

from __future__ import annotations

from tests.web.conftest import befriend, register
from tests.web.stories import agree_all, answer, answer_all, put_up
from tests.web.test_workflow import page, refuses

from entrenous.web.service import befriending, showing, workflow
from entrenous.web.store.database import Database


def limit_of(database: Database, person: int, item: str) -> object:
    with database.reading() as session:
        return showing.my_view(session, person, item).limit


def pair(database: Database) -> tuple[int, int, str]:
    ann, bob = register(database, "ann", "bob")
    befriend(database, ann, bob)
    return ann, bob, put_up(database, [ann, bob])


def test_the_hard_limit_from_before_an_answer_comes_back(database: Database) -> None:
    ann, _, item = pair(database)
    answer(database, item, ann, (5, 5, 5), limit="friends")
    answer(database, item, ann, (5, 5, 0), limit=None)
    assert limit_of(database, ann, item) is None
    with database.writing() as session:
        workflow.undo(session, ann, item)
    assert limit_of(database, ann, item) == "friends"


def test_a_first_answer_that_is_taken_back_is_none(database: Database) -> None:
    ann, bob, item = pair(database)
    answer(database, item, ann, (5, 5, 5))
    with database.writing() as session:
        workflow.undo(session, ann, item)
    with database.reading() as session:
        view = showing.my_view(session, ann, item)
    assert (view.scores, view.submitted, view.source) == (None, False, "none")
    answer(database, item, bob, (5, 5, 5))
    assert page(database, ann, item).state == "collecting"


def test_a_limit_set_since_the_answer_stands(database: Database) -> None:
    ann, _, item = pair(database)
    answer(database, item, ann, (5, 5, 5), limit="public")
    with database.writing() as session:
        workflow.set_limit(session, ann, item, "private")
    with database.writing() as session:
        workflow.undo(session, ann, item)
    assert limit_of(database, ann, item) == "private"


def test_a_petition_is_not_taken_back_over_the_head_of_who_joined(database: Database) -> None:
    ann, bob, item = pair(database)
    (cleo,) = register(database, "cleo")
    befriend(database, ann, cleo)
    answer_all(database, item, {ann: (5, 5, 0), bob: (5, 5, 0)})
    agree_all(database, item, [ann, bob])
    assert page(database, ann, item).audience == "friends-of-friends"
    with database.writing() as session:
        workflow.tag(session, ann, item, [cleo])
        workflow.petition(session, ann, item, "Again")
    with database.writing() as session:
        workflow.answer_tag(session, cleo, item, accept=True)
    refuses(database, "too_late", workflow.undo, ann, item)
    assert page(database, cleo, item).audience == "private"


def test_a_petition_is_taken_back_before_anybody_answered_and_stays_used_up(database: Database) -> None:
    ann, bob, item = pair(database)
    answer_all(database, item, {ann: (5, 5, 5), bob: (5, 0, 0)})
    with database.writing() as session:
        workflow.petition(session, ann, item, "More")
    answer(database, item, ann, (5, 5, 5))
    with database.writing() as session:
        assert workflow.undo(session, ann, item) == "answer"
    refuses(database, "nothing_to_undo", workflow.undo, ann, item)
    assert page(database, ann, item).state == "collecting"


def test_petition_undo_petition_is_refused(database: Database) -> None:
    ann, bob, item = pair(database)
    answer_all(database, item, {ann: (5, 5, 5), bob: (5, 0, 0)})
    with database.writing() as session:
        workflow.petition(session, ann, item, "More")
    with database.writing() as session:
        assert workflow.undo(session, ann, item) == "petition"
    assert (page(database, ann, item).state, page(database, ann, item).round) == ("proposed", 1)
    for person in (ann, bob):
        refuses(database, "too_many_rounds", workflow.petition, person, item, "More")


def test_whom_one_listens_to_counts_as_it_stood_when_the_round_was_opened(database: Database) -> None:
    ann, bob, item = pair(database)
    with database.writing() as session:
        befriending.listen(session, ann, bob, 90)  # after the round was opened
    answer_all(database, item, {ann: (2, 2, 2), bob: (5, 5, 5)})
    assert page(database, ann, item).outcome.choice == "private"  # type: ignore[union-attr]
    later = put_up(database, [ann, bob])
    answer_all(database, later, {ann: (2, 2, 2), bob: (5, 5, 5)})
    assert page(database, ann, later).outcome.choice == "public"  # type: ignore[union-attr]
