"""What taking back a step brings back, and what it must not bring back."""

from __future__ import annotations

from tests.web.conftest import befriend, register
from tests.web.stories import agree_all, answer, answer_all, put_up
from tests.web.test_workflow import page, refuses

from entrenous.web.service import befriending, showing, workflow
from entrenous.web.store.database import Database
from entrenous.web.store.records import Default

KEPT = {"friends": 4, "friends-of-friends": 1, "public": 0}


def limit_of(database: Database, person: int, item: str) -> object:
    with database.reading() as session:
        return showing.my_view(session, person, item).limit


def default_of(database: Database, person: int) -> Default | None:
    with database.reading() as session:
        return befriending.default(session, person)


def pair(database: Database) -> tuple[int, int, str]:
    ann, bob = register(database, "ann", "bob")
    befriend(database, ann, bob)
    return ann, bob, put_up(database, [ann, bob])


def test_the_hard_limit_and_the_default_from_before_an_answer_come_back(database: Database) -> None:
    ann, _, item = pair(database)
    with database.writing() as session:
        befriending.set_default(session, ann, KEPT, "friends")
    answer(database, item, ann, (5, 5, 5), limit="friends")
    answer(database, item, ann, (5, 5, 0), limit=None, make_default=True)
    assert (limit_of(database, ann, item), default_of(database, ann).limit) == (None, None)  # type: ignore[union-attr]
    with database.writing() as session:
        workflow.undo(session, ann, item)
    assert limit_of(database, ann, item) == "friends"
    assert default_of(database, ann) == Default(KEPT, "friends")


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
    answer_all(database, item, {ann: (5, 5, 5), bob: (5, 5, 5)})
    agree_all(database, item, [ann, bob])
    assert page(database, ann, item).audience == "public"
    with database.writing() as session:
        workflow.tag(session, ann, item, [cleo])
        workflow.petition(session, ann, item, "Again")
    with database.writing() as session:
        workflow.answer_tag(session, cleo, item, accept=True)
    refuses(database, "too_late", workflow.undo, ann, item)
    assert page(database, cleo, item).audience == "private"


def test_a_default_without_a_new_limit_keeps_its_limit(database: Database) -> None:
    ann, _, item = pair(database)
    with database.writing() as session:
        befriending.set_default(session, ann, KEPT, "friends")
    answer(database, item, ann, (5, 5, 0), make_default=True)
    assert default_of(database, ann).limit == "friends"  # type: ignore[union-attr]
