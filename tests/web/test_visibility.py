"""Who sees what: every cell of a large table against a naive twin, and from one request to the next."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session
from tests.web.conftest import Clock, befriend, register
from tests.web.naive import CHOICES, Thing, may_see
from tests.web.stories import agree_all, answer_all, put_up

import entrenous.web
from entrenous.web import store
from entrenous.web.rules.refusals import NotFound
from entrenous.web.rules.states import STATES
from entrenous.web.rules.visibility import visible_ids
from entrenous.web.service import befriending, browsing, media, membership, proposals, showing, workflow
from entrenous.web.store.database import Database

WEB = Path(entrenous.web.__file__).parent
VIEWERS = 13


def things(ids: list[int], random: Random, clock: Clock) -> Iterator[Thing]:
    """Items of every state, anchor and choice, with limits, people who left, and people only asked."""
    for state, anchor, choice, variant in product(STATES, ("each", "any", "originator"), CHOICES, range(4)):
        group = random.sample(ids, 2 + variant)
        thing = Thing(group[0], state, choice, anchor, set(group[: 1 + variant]))
        thing.undecided = set(group[1 + variant :])
        if state in ("draft", "collecting", "no_agreement"):
            thing.choice = None
        if variant == 1:
            thing.limits = {group[1]: random.choice(CHOICES)}
        if variant == 2:
            thing.left = {next(one for one in ids if one not in group): random.choice([*CHOICES[1:], None])}
        if state == "proposed":
            clock_ends = clock.moment.replace(hour=13 if variant % 2 else 18)
            thing.objection_until = clock_ends
        if variant == 3:
            thing.expires = clock.moment.replace(hour=15)
        yield thing


def keep(session: Session, number: int, thing: Thing, clock: Clock) -> str:
    item = f"item-{number}"
    store.items.add_item(
        session,
        id=item,
        originator=thing.originator,
        title="",
        description="",
        kind="photo",
        state=thing.state,
        round=1,
        petitions=0,
        method="oc",
        vote={"rule": "consensus"},
        anchor=thing.anchor,
        choice=thing.choice,
        created=clock(),
        objection_until=thing.objection_until,
        expires=thing.expires,
        cap=min(
            (limit for limit in thing.left.values() if limit is not None), key=CHOICES.index, default=None
        ),
        incomplete=bool(thing.left),
    )
    places = [(person, "accepted", thing.limits.get(person)) for person in thing.accepted]
    asking = ("asked", "claiming", "declined", "refused")
    # A limit of somebody whose voice does not count must not count either.
    places += [(person, asking[number % 4], "private") for person in thing.undecided]
    for person, state, limit in places:
        role = "originator" if person == thing.originator else "tagged"
        store.items.add_owner(
            session,
            item=item,
            person=person,
            role=role,
            state=state,
            tagged=True,
            limit=limit,
            slot=f"slot{person}",
            since=clock(),
        )
    return item


@pytest.mark.long
def test_every_cell_agrees_with_the_naive_twin(either: Database, clock: Clock) -> None:
    random = Random(7)
    ids = register(either, *(f"person{number}" for number in range(VIEWERS)))
    pairs = [pair for pair in combinations(ids, 2) if random.random() < 0.25]
    with either.writing() as session:
        for one, other in pairs:
            store.friendships.add_friendship(session, one, other, clock())
        suspended = set(ids[1::4])
        for one in suspended:
            store.persons.set_suspended(session, one, clock())
    friends = {frozenset(pair) for pair in pairs}
    with either.writing() as session:
        numbered = enumerate(things(ids, random, clock))
        known = {keep(session, number, thing, clock): thing for number, thing in numbered}
    cells, seen, wrong = 0, 0, []
    for hours in (0, 2, 2):
        clock.turn(hours=hours)
        for viewer in (None, *ids):
            with either.reading() as session:
                visible = visible_ids(session, viewer, [*known, "no-such-item"])
            assert visible <= known.keys()
            for item, thing in known.items():
                expected = may_see(thing, viewer, friends, suspended, clock())
                cells, seen = cells + 1, seen + expected
                if (item in visible) != expected:
                    wrong.append((viewer, item, expected))
    assert cells >= 5_000
    assert 0.1 < seen / cells < 0.9  # both answers are common, so that agreeing means something
    assert wrong == []


def test_one_by_one_gives_the_same_as_all_at_once(database: Database, clock: Clock) -> None:
    random = Random(11)
    ids = register(database, *(f"person{number}" for number in range(VIEWERS)))
    with database.writing() as session:
        numbered = list(enumerate(things(ids, random, clock)))[::8]
        known = [keep(session, number, thing, clock) for number, thing in numbered]
    with database.reading() as session:
        for viewer in (None, *ids[:3]):
            together = visible_ids(session, viewer, known)
            assert together == {item for item in known if visible_ids(session, viewer, [item])}


@pytest.fixture
def shared(either: Database) -> tuple[Database, list[int], str]:
    """An item of ann and bob for friends, and eve, a friend of both."""
    ids = register(either, "ann", "bob", "eve", "far")
    for one, other in combinations(ids[:3], 2):
        befriend(either, one, other)
    item = put_up(either, ids[:2])
    answer_all(either, item, {ids[0]: (5, 1, 0), ids[1]: (5, 1, 0)})
    agree_all(either, item, ids[:2])
    return either, ids, item


def sees(database: Database, viewer: int | None, item: str) -> bool:
    with database.reading() as session:
        listed = any(card.id == item for card in browsing.gallery(session, viewer))
        try:
            content = media.read_file(session, viewer, item).content
            showing.item_page(session, viewer, item)
        except NotFound:
            assert not listed
            return False
        assert listed
        return content == b"the photo"


def test_an_ended_friendship_counts_from_the_next_request(shared: tuple[Database, list[int], str]) -> None:
    database, (ann, bob, eve, far), item = shared
    assert [sees(database, one, item) for one in (ann, eve, far, None)] == [True, True, False, False]
    with database.writing() as session:
        befriending.end_friendship(session, bob, eve)
    assert not sees(database, eve, item)
    befriend(database, eve, bob)
    assert sees(database, eve, item)


def test_a_narrowed_limit_counts_from_the_next_request(shared: tuple[Database, list[int], str]) -> None:
    database, (ann, bob, eve, _), item = shared
    with database.writing() as session:
        workflow.set_limit(session, bob, item, "private")
    assert [sees(database, one, item) for one in (ann, bob, eve)] == [True, True, False]


def test_who_leaves_takes_nobody_closer(shared: tuple[Database, list[int], str]) -> None:
    database, (ann, bob, eve, far), item = shared
    befriend(database, ann, far)  # a friend of ann's alone, so not of each
    assert [sees(database, one, item) for one in (eve, far)] == [True, False]
    with database.writing() as session:
        membership.delete_account(session, bob)
    assert [sees(database, one, item) for one in (ann, eve, far)] == [True, False, False]
    with database.writing() as session:
        workflow.petition(session, ann, item, "Bob left, so let us decide anew")
        workflow.answer(session, ann, item, {"friends": 5, "friends-of-friends": 0, "public": 0})
    assert [sees(database, one, item) for one in (ann, eve, far)] == [True, True, True]


def test_a_gallery_finds_what_many_newer_items_hide(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "_LOOK", 3)
    ann, eve = register(database, "ann", "eve")
    items = []
    for widest in (5, *[0] * 8):
        clock.turn(minutes=1)
        items.append(put_up(database, [ann]))
        answer_all(database, items[-1], {ann: (widest, widest, widest)})
    with database.reading() as session:
        assert [card.id for card in browsing.gallery(session, eve, limit=1)] == items[:1]


ACTS = {
    "file": media.read_file,
    "screen": lambda session, person, item: media.read_file(session, person, item, "screen"),
    "page": showing.item_page,
    "view": showing.my_view,
    "request": showing.tag_request,
    "claim": workflow.claim,
    "open": workflow.open_item,
    "answer": lambda session, person, item: workflow.answer(session, person, item, {}),
    "accept": lambda session, person, item: workflow.answer_tag(session, person, item, accept=True),
    "withdraw": workflow.withdraw,
    "undo": workflow.undo,
    "proposed file": media.read_proposed,
    "propose": lambda session, person, item: proposals.propose(session, person, item, title="Mine"),
    "say yes": lambda session, person, item: proposals.answer_change(session, person, item, "-", accept=True),
    "retract": proposals.retract,
}


def test_unknown_and_forbidden_are_one_refusal_after_the_same_questions(
    shared: tuple[Database, list[int], str],
) -> None:
    """Not only the words are the same: as many queries are made, so that the time tells nothing either."""
    database, (ann, _, _, far), item = shared
    circled = put_up(database, [ann], method="circles")
    with database.writing() as session:
        workflow.answer(session, ann, circled, {"Strangers": 0})
    asked: list[list[str]] = [[]]
    event.listen(database.engine, "before_cursor_execute", lambda *call: asked[-1].append(call[2].split()[0]))
    messages = set()
    for name, act in ACTS.items():
        asked.clear()
        for wanted in (item, circled, "no-such-item-at-all"):
            asked.append([])
            with pytest.raises(NotFound) as caught, database.writing() as session:
                act(session, far, wanted)
            messages.add(str(caught.value))
        assert asked[0] == asked[1] == asked[2] != [], name
    assert len(messages) == 1


# --- the code itself ----------------------------------------------------------------------------------------


def calls(tree: ast.AST, name: str) -> list[ast.Call]:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in found if getattr(call.func, "attr", getattr(call.func, "id", None)) == name]


def names_of(tree: ast.AST) -> set[str]:
    plain = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return plain | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


UNASKED = ("service/uploads/sizing.py", "service/uploads/storing.py")
OBJECTS = (*UNASKED, "delivery/outbox.py", "service/media.py")
"""Who puts objects into the object store, or removes them; `store/files.py` alone gets any."""

OTHER_OBJECTS = ("service/uploads/pdf_program.py", "store/blobs/objects.py")
"""The client itself, and a file to which objects are parts of a PDF."""


def offences(file: str, tree: ast.AST) -> list[str]:
    """How a file reads the bytes of items past the access check."""
    found = []
    if file not in ("store/files.py", "store/schema.py"):
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        named = {
            alias.name
            for node in imports
            if node.module == "entrenous.web.store.schema"
            for alias in node.names
        }
        if "contents" in named or ("schema" in names_of(tree) and "contents" in names_of(tree)):
            found.append("names the table of bytes")
    if file not in ("store/files.py", "service/media.py") and "fetch_content" in names_of(tree):
        found.append("fetches bytes")
    # Other sizes and other places are made for nobody in particular; neither file answers a request.
    if file not in ("store/files.py", *UNASKED) and "fetch_unchecked" in names_of(tree):
        found.append("fetches bytes for nobody in particular")
    if file not in (
        "store/database.py",
        "store/files.py",
        *OBJECTS,
        *OTHER_OBJECTS,
    ) and "objects" in names_of(tree):
        found.append("names the object store")
    if file == "service/media.py":
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
            fetches, checks = calls(function, "fetch_content"), calls(function, "visible_ids")
            if fetches and not (checks and checks[0].lineno < fetches[0].lineno):
                found.append("fetches bytes before the access check")
    return found


@pytest.mark.parametrize("file", sorted(path.relative_to(WEB).as_posix() for path in WEB.rglob("*.py")))
def test_bytes_are_read_after_the_access_check_and_nowhere_else(file: str) -> None:
    assert offences(file, ast.parse((WEB / file).read_text())) == []


def test_the_rule_about_bytes_notices_offences() -> None:
    assert offences("pages/sharing.py", ast.parse("from entrenous.web.store.schema import contents"))
    assert offences(
        "pages/sharing.py", ast.parse("from entrenous.web.store import schema\nschema.contents.c")
    )
    assert offences("api/shared.py", ast.parse("store.files.fetch_content(session, item, 'original')"))
    assert offences("service/media.py", ast.parse("def f():\n    fetch_content()\n    visible_ids()"))
    assert calls(ast.parse((WEB / "service/media.py").read_text()), "fetch_content")
    assert offences("pages/sharing.py", ast.parse("store.files.fetch_unchecked(session, kept)"))
    assert offences("service/media.py", ast.parse("store.files.fetch_unchecked(session, kept)"))
    assert offences("pages/sharing.py", ast.parse("service(request).database.objects.get(name, 0, 1)"))


def test_objects_are_fetched_by_the_store_alone() -> None:
    for file in OBJECTS:
        for call in calls(ast.parse((WEB / file).read_text()), "get"):
            assert "objects" not in ast.dump(call.func), file


@pytest.mark.parametrize("file", sorted(path.relative_to(WEB).as_posix() for path in WEB.rglob("*.py")))
def test_sql_is_in_the_store_alone(file: str) -> None:
    if file.startswith(("store/", "migrations/")):
        return
    tree = ast.parse((WEB / file).read_text())
    assert not {"exec_driver_sql", "execute", "scalars", "schema"} & names_of(tree)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {getattr(node, "module", None) or node.names[0].name for node in imports}
    assert "entrenous.web.store.schema" not in modules
    assert "sqlalchemy" not in modules
