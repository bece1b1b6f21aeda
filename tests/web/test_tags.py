"""Who is in it: consent before a voice counts, claims, and a name that can be taken off without losing the voice."""

from __future__ import annotations

import pytest
from tests.web.conftest import befriend, register
from tests.web.stories import FIRST, PHOTO, answer, answer_all, decided, four_friends, put_up
from tests.web.test_workflow import page, refuses

from entrenous.web.rules.refusals import NotFound
from entrenous.web.service import browsing, showing, workflow
from entrenous.web.store.database import Database


def test_no_voice_before_consent_and_none_again_after_a_no(database: Database) -> None:
    ids = four_friends(database)
    ann, bob, cleo = ids["ann"], ids["bob"], ids["cleo"]
    with database.writing() as session:
        item = workflow.create_item(session, ann, PHOTO, title="Us")
        workflow.tag(session, ann, item, [bob, cleo])
        workflow.open_item(session, ann, item)
    with database.reading() as session:
        assert showing.tag_request(session, bob, item).title == "Us"
        assert [card.need for card in browsing.inbox(session, bob)] == ["tag"]
    for act in (workflow.untag, workflow.withdraw):
        with pytest.raises(NotFound), database.writing() as session:
            act(session, bob, item)
    with pytest.raises(NotFound):
        page(database, bob, item)
    answer(database, item, ann, (5, 5, 5))
    assert page(database, ann, item).state == "collecting"  # two are still being asked
    with database.writing() as session:
        workflow.answer_tag(session, bob, item, accept=False)
    with database.writing() as session:
        workflow.answer_tag(session, cleo, item, accept=False)
    assert page(database, ann, item).state == "active"  # nobody is left to wait for
    with database.writing() as session:
        workflow.tag(session, ann, item, [bob])
    assert {owner.who.handle: owner.state for owner in page(database, ann, item).owners}["bob"] == "declined"


def test_who_said_no_is_between_them_and_who_put_it_up(database: Database) -> None:
    ids = four_friends(database)
    ann, bob, cleo = ids["ann"], ids["bob"], ids["cleo"]
    item = put_up(database, [ann, bob])
    with database.writing() as session:
        workflow.tag(session, ann, item, [cleo])
    assert "cleo" in repr(page(database, bob, item).owners)
    with database.writing() as session:
        workflow.answer_tag(session, cleo, item, accept=False)
    assert "cleo" in repr(page(database, ann, item).owners)
    assert "cleo" not in repr(page(database, bob, item).owners)


def test_only_own_friends_can_be_named(database: Database) -> None:
    one, stranger = register(database, "ann", "eve")
    item = put_up(database, [one])
    refuses(database, "not_friends", workflow.tag, one, item, [stranger])


def test_joining_after_a_decision_brings_on_another_round(database: Database) -> None:
    ids = four_friends(database)
    (eve,) = register(database, "eve")
    for person in ids.values():
        befriend(database, person, eve)
    item = decided(database, ids)
    with database.writing() as session:
        workflow.claim(session, eve, item)
    assert page(database, ids["ann"], item).state == "active"  # a claim alone changes nothing
    with pytest.raises(NotFound), database.writing() as session:
        workflow.answer_claim(session, ids["bob"], item, eve, accept=True)
    with database.writing() as session:
        workflow.answer_claim(session, ids["ann"], item, eve, accept=True)
    assert (page(database, eve, item).state, page(database, eve, item).round) == ("collecting", 2)
    assert page(database, eve, item).rounds_left == 1  # a newcomer costs nobody a petition


def test_a_refused_claim_cannot_be_repeated_and_the_unseen_cannot_be_claimed(database: Database) -> None:
    ids = four_friends(database)
    eve, far = register(database, "eve", "far")
    for person in ids.values():
        befriend(database, person, eve)
    item = decided(database, ids)
    with pytest.raises(NotFound), database.writing() as session:
        workflow.claim(session, far, item)
    with database.writing() as session:
        workflow.claim(session, eve, item)
    with database.writing() as session:
        workflow.answer_claim(session, ids["ann"], item, eve, accept=False)
    refuses(database, "already", workflow.claim, eve, item)
    assert page(database, eve, item).can == frozenset()


def test_untagging_takes_the_name_off_and_keeps_the_voice(database: Database) -> None:
    ids = four_friends(database)
    item = put_up(database, list(ids.values()))
    with database.writing() as session:
        workflow.untag(session, ids["bob"], item)
    with database.reading() as session:
        assert browsing.of_me(session, ids["bob"]) == ()
    answer_all(database, item, {ids[who]: scores for who, scores in FIRST.items()})
    seen = page(database, ids["bob"], item)
    assert (seen.voters, seen.my_owner.tagged, seen.state) == (4, False, "proposed")  # type: ignore[union-attr]
    assert seen.outcome.choice == "friends-of-friends"  # type: ignore[union-attr]
