"""Lists and counts: they say what the items say, at every moment, and every row is on exactly one page."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from itertools import combinations
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from tests.web import naive_lists
from tests.web.conftest import Clock, befriend, register
from tests.web.crowd import Crowd
from tests.web.heaps import add_items, heap
from tests.web.stories import PHOTO
from tests.web.test_visibility import keep, things
from typer.testing import CliRunner

from entrenous.cli import app
from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.service import befriending, browsing, membership, proposals, workflow
from entrenous.web.service.worker import tidy_up
from entrenous.web.store.database import Database, _alembic
from entrenous.web.store.lists.list_tables import crew_members, crews, shelves, shown, waiting
from entrenous.web.store.lists.touched import settle_all
from entrenous.web.store.lists.windows import FIRST, Window

LATER = (timedelta(), timedelta(hours=30), timedelta(days=3), timedelta(days=8), timedelta(days=40))


def walked(read: Callable[..., Any], limit: int, *, back: bool = False) -> list[Any]:
    """All rows of a list, a page at a time, onward from the first page or back from the last."""
    pages = [read(window=FIRST, limit=limit)]
    while pages[-1].onward is not None:
        assert len(pages[-1]) == limit, "a page is full unless it is the last"
        pages.append(read(window=Window(behind=pages[-1].onward), limit=limit))
    if back:
        turned = [pages[-1]]
        while turned[0].back is not None:
            turned.insert(0, read(window=Window(in_front=turned[0].back), limit=limit))
        # Pages are cut from the other end: the first one begins the list, whatever is on it.
        rows = list(dict.fromkeys(row for page in turned for row in page))
        assert list(turned[0]) == list(pages[0])
        return rows
    return [row for page in pages for row in page]


# --- the same as worked out from the items ----------------------------------------------------------------------


class Story:
    """People who do at random what people do, and often what they may not."""

    def __init__(self, database: Database, clock: Clock, seed: int) -> None:
        self.database, self.clock, self.random = database, clock, Random(seed)
        self.people = register(database, *(f"person{number}" for number in range(5)))
        for one, other in combinations(self.people, 2):
            if self.random.random() < 0.7:
                befriend(database, one, other)
        with database.writing() as session:
            for person in self.people:
                circle = befriending.create_circle(session, person, "Close")
                near = [friend.who.id for friend in befriending.friends(session, person)][:2]
                befriending.set_members(session, person, circle.id, near)
        self.items: list[str] = []

    def step(self) -> None:
        """Do something, or let time pass."""
        act = self.random.choice(ACTS)
        try:
            if act == "turn":
                self.clock.turn(hours=self.random.choice([1, 20, 30, 100, 200]))
            elif act == "advance":
                workflow.advance_due(self.database)
            elif act == "lapse":
                proposals.end_lapsed(self.database)
            elif act == "tidy":
                tidy_up(self.database)
            else:
                self.database.write(lambda session: self._do(session, act))
        except (Conflict, NotFound, ArgumentError):
            return

    def _do(self, session: Any, act: str) -> None:
        random, person = self.random, self.random.choice(self.people)
        if act == "create" or not self.items:
            method, anchor = (
                random.choice(["oc", "oc", "circles"]),
                random.choice(["each", "any", "originator"]),
            )
            self.items.append(
                workflow.create_item(session, person, PHOTO, title="A day", method=method, anchor=anchor)
            )
            friends = [friend.who.id for friend in befriending.friends(session, person)]
            workflow.tag(session, person, self.items[-1], random.sample(friends, min(2, len(friends))))
            return
        item = random.choice(self.items[-4:])
        if act == "through":
            self._go_through(session, item)
            return
        row = store.items.get_item(session, item)
        if (
            row is not None
            and random.random() < 0.6
            and act in ("open", "withdraw", "claim-yes", "tag", "expire")
        ):
            person = row.originator
        with session.begin_nested():
            self._act(session, act, person, item)

    def _go_through(self, session: Any, item: str) -> None:
        """Let everybody do what leads to an outcome in force, as far as they may."""
        for act in ("yes", "open", "answer", "agree"):
            for person in self.random.sample(self.people, len(self.people)):
                try:
                    with session.begin_nested():
                        self._act(session, act, person, item)
                except (Conflict, NotFound, ArgumentError):
                    continue

    def _act(self, session: Any, act: str, person: int, item: str) -> None:
        random = self.random
        circled = (row := store.items.get_item(session, item)) is not None and row.method == "circles"
        widest = random.choice([0, 5, 5])
        view = {"Close": widest, "Strangers": widest} if circled else dict.fromkeys(SCORED, widest)
        {
            "tag": lambda: workflow.tag(session, person, item, [random.choice(self.people)]),
            "yes": lambda: workflow.answer_tag(session, person, item, accept=random.random() < 0.8),
            "open": lambda: workflow.open_item(session, person, item),
            "answer": lambda: workflow.answer(session, person, item, view),
            "agree": lambda: workflow.agree(session, person, item),
            "petition": lambda: workflow.petition(
                session, person, item, "More?", None if circled else "public"
            ),
            "limit": lambda: workflow.set_limit(
                session, person, item, None if circled else random.choice(["private", "friends", None])
            ),
            "claim": lambda: workflow.claim(session, person, item),
            "claim-yes": lambda: [
                workflow.answer_claim(session, person, item, one, accept=random.random() < 0.7)
                for one in self.people
            ],
            "untag": lambda: workflow.untag(session, person, item),
            "retag": lambda: workflow.retag(session, person, item),
            "undo": lambda: workflow.undo(session, person, item),
            "withdraw": lambda: workflow.withdraw(session, person, item),
            "expire": lambda: proposals.set_expiry(
                session, person, item, self.clock() + timedelta(days=random.choice([1, 9]))
            ),
            "propose": lambda: proposals.propose(session, person, item, title="Other words"),
            "change": lambda: proposals.answer_change(
                session,
                person,
                item,
                getattr(store.changes.change_of(session, item), "id", "-"),
                accept=random.random() < 0.7,
            ),
            "retract": lambda: proposals.retract(session, person, item),
            "suspend": lambda: membership.suspend(
                session, self.people[0], random.choice(self.people[1:]), suspended=random.random() < 0.3
            ),
        }[act]()


SCORED = ("friends", "friends-of-friends", "public")
COMMON = (
    "create",
    "yes",
    "yes",
    "open",
    "open",
    "answer",
    "answer",
    "answer",
    "answer",
    "agree",
    "agree",
    "turn",
)
ACTS = (
    *COMMON,
    *COMMON,
    *["through"] * 6,
    *("tag", "petition", "limit", "claim", "claim-yes", "untag", "retag", "undo", "withdraw", "expire"),
    *("propose", "propose", "change", "change", "retract", "advance", "lapse", "tidy", "suspend"),
)


def compare(database: Database, clock: Clock, people: list[int]) -> tuple[int, int]:
    """Compare everybody's lists with what is worked out from the items, now and later; return how much there was."""
    waits = sights = 0
    begin = clock.moment
    for later in LATER:
        clock.moment = begin + later
        with database.reading() as session:
            for person in people:
                expected = naive_lists.needs(session, person)
                inbox = walked(lambda **page: browsing.inbox(session, person, **page), 3)  # noqa: B023
                assert {card.id: card.need for card in inbox} == expected
                assert browsing.waiting_count(session, person, 1000) == len(expected)
                assert ids(browsing.mine(session, person)) == naive_lists.mine(session, person)
                assert ids(browsing.of_me(session, person)) == naive_lists.mine(session, person, named=True)
                waits += len(expected)
            for viewer in (None, *people):
                expected_ids = naive_lists.gallery(session, viewer)
                assert ids(browsing.gallery(session, viewer)) == expected_ids
                sights += len(expected_ids)
    clock.moment = begin
    with database.reading() as session:
        for person in people:
            numbers = naive_lists.history(session, person)
            read = lambda **page: browsing.history(session, person, **page)  # noqa: B023, E731
            assert len(walked(read, 7)) == len(numbers)
            assert [row.number for row in events(session, person)] == numbers
    return waits, sights


def events(session: Any, person: int) -> list[Any]:
    found: list[Any] = []
    while True:
        edge = found[-1].number if found else None
        some = store.audit_trail.events_about(session, person, edge, 5, back=False)
        if not some:
            return found
        found += some


def ids(cards: Any) -> list[str]:
    assert cards.onward is None
    return [card.id for card in cards]


def rows_of(database: Database) -> dict[str, list[Any]]:
    """All that lists are read from, crews by who is in them."""
    with database.reading() as session:
        members: dict[int, list[int]] = {}
        for crew, person in session.execute(sa.select(crew_members.c.crew, crew_members.c.person)):
            members.setdefault(crew, []).append(person)
        found = {
            table.name: sorted(map(tuple, session.execute(sa.select(table)))) for table in (waiting, shelves)
        }
        crewed = session.execute(sa.select(shown.c.item, shown.c.reach, shown.c.crew)).all()
        found["shown"] = sorted((item, reach, sorted(members.get(crew, []))) for item, reach, crew in crewed)
        found["crews"] = sorted(sorted(group) for group in members.values())
        assert set(session.scalars(sa.select(crews.c.id))) == {row[2] for row in crewed if row[2] is not None}
    return found


def compare_now(database: Database, people: list[int]) -> int:
    """Compare what waits for everybody at this moment; return how much that is."""
    waits = 0
    with database.reading() as session:
        for person in people:
            expected = naive_lists.needs(session, person)
            assert {card.id: card.need for card in browsing.inbox(session, person)} == expected
            assert browsing.waiting_count(session, person, 1000) == len(expected)
            waits += len(expected)
    return waits


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_lists_say_what_the_items_say_after_every_step(database: Database, clock: Clock, seed: int) -> None:
    """Fault 8: the rows are counted instead of worked out; here both, for everybody, now and as time passes."""
    story = Story(database, clock, seed)
    waits = sights = 0
    for number in range(80):
        story.step()
        waits += compare_now(database, story.people)
        if number % 16 == 15:
            sights += compare(database, clock, story.people)[1]
    assert waits > 20, "there was something to compare"
    assert sights > 20
    kept = rows_of(database)
    with database.writing() as session:
        settle_all(session)
    assert rows_of(database) == kept, "working everything out anew changes nothing"
    with database.writing() as session:
        membership.delete_account(session, story.people[1])
    compare(database, clock, [person for person in story.people if person != story.people[1]])


@pytest.mark.long
def test_lists_say_what_the_items_say_on_both_databases(either: Database, clock: Clock) -> None:
    story = Story(either, clock, 11)
    for number in range(60):
        story.step()
        if number % 6 == 0:
            compare_now(either, story.people)
    compare(either, clock, story.people)


@pytest.mark.long
def test_the_gallery_misses_nothing_that_the_naive_twin_sees(either: Database, clock: Clock) -> None:
    """Candidates come from indexes, by why somebody may see an item: every cell of the table of the access check."""
    random = Random(7)
    people = register(either, *(f"person{number}" for number in range(13)))
    with either.writing() as session:
        for one, other in combinations(people, 2):
            if random.random() < 0.25:
                store.friendships.add_friendship(session, one, other, clock())
        for one in people[1::4]:
            store.persons.set_suspended(session, one, clock())
    with either.writing() as session:
        for number, thing in enumerate(things(people, random, clock)):
            keep(session, number, thing, clock)  # all of one moment: only their ids tell them apart
    for hours in (0, 2, 2):
        clock.turn(hours=hours)
        for viewer in (None, *people):
            with either.reading() as session:
                expected = naive_lists.gallery(session, viewer)
                read = lambda **page: browsing.gallery(session, viewer, **page)  # noqa: B023, E731
                for limit in (7, 100):
                    assert [card.id for card in walked(read, limit)] == expected
                assert sorted(card.id for card in walked(read, 7, back=True)) == sorted(expected)


def test_a_database_of_an_earlier_version_gets_its_lists(database: Database, clock: Clock) -> None:
    ann, bob = register(database, "ann", "bob")
    heap(database, ann, bob, 20)
    kept = rows_of(database)
    assert kept["waiting"]
    with database._writing.begin() as connection:
        command.downgrade(_alembic(connection), "passkeys")  # before there were lists
        assert "waiting" not in sa.inspect(connection).get_table_names()
    database.migrate()
    assert rows_of(database) == kept
    compare(database, clock, [ann, bob])


def test_lists_are_filled_and_recounted_whoever_does_it(
    database: Database, process_environment: dict[str, str]
) -> None:
    ann, bob = register(database, "ann", "bob")
    heap(database, ann, bob, 10)
    kept = rows_of(database)
    with database.writing() as session:
        for table in (waiting, shelves, shown, crew_members, crews):
            session.execute(sa.delete(table))
    url = database.settings.database
    result = CliRunner().invoke(app, ["access", "recount", "--database", url])
    assert result.exit_code == 0, result.output
    assert rows_of(database) == kept
    with database._writing.begin() as connection:
        command.downgrade(_alembic(connection), "passkeys")  # before there were lists
    code = (
        "from entrenous.web.store.database import Database\n"  # and nothing that knows the rules
        f"from entrenous.web.settings import Settings\nDatabase(Settings(database={url!r})).migrate()"
    )
    subprocess.run([sys.executable, "-c", code], env=process_environment, check=True)
    assert rows_of(database) == kept


# --- every row on one page ---------------------------------------------------------------------------------------


def test_every_one_of_a_thousand_items_is_reached(crowd: Crowd) -> None:
    """Fault 8: home reached 210 of 1,000 items, and lists had no pages."""
    crowd.add("ann", "bob")
    many = heap(crowd.database, crowd.ids["ann"], crowd.ids["bob"], 1000)
    for path in ("/mine", "/of-me"):
        assert sorted(followed(crowd, path)) == sorted(many)
    waits = [item for number, item in enumerate(many) if number % 5 in (0, 2)]
    assert sorted(followed(crowd, "/waiting")) == sorted(waits)
    public = [item for number, item in enumerate(many) if number % 5 == 1]
    assert sorted(followed(crowd, "/gallery")) == sorted(public)
    assert "99+ waiting for you" in crowd.clients["ann"].get("/how").text
    home = crowd.clients["ann"].get("/").text
    assert 'href="/waiting"' in home
    assert 'href="/mine"' in home


def followed(crowd: Crowd, path: str) -> list[str]:
    """The items on all pages of a list, by its links, there and back."""
    found, seen, there = list[str](), list[str](), path
    while there:
        page = crowd.clients["ann"].get(there)
        assert page.status_code == 200
        on_it = list(dict.fromkeys(re.findall(r'(?<=href="/items/)heap-\d+', page.text)))
        found += on_it
        seen.append(there)
        there = link(page.text, "next")
    assert len(found) == len(set(found)), "no item is on two pages"
    page = crowd.clients["ann"].get(seen[-1])
    for _ in seen[1:]:
        page = crowd.clients["ann"].get(link(page.text, "prev"))
    assert not link(page.text, "prev"), "back at the first page"
    return found


def link(text: str, name: str) -> str:
    found = re.search(rf'rel="{name}" href="([^"]+)"', text)
    return found[1].replace("&amp;", "&") if found else ""


@pytest.mark.parametrize(
    "path",
    ["/v1/inbox", "/v1/items", "/v1/items?which=mine", "/v1/items?which=of-me", "/v1/notifications"],
)
def test_programs_reach_every_row(crowd: Crowd, path: str) -> None:
    crowd.add("ann", "bob")
    heap(crowd.database, crowd.ids["ann"], crowd.ids["bob"], 240)
    token, found, pages = crowd.token("ann"), list[Any](), 0
    there = path + ("&" if "?" in path else "?") + "limit=20"
    while there:
        answer = crowd.clients["ann"].get(there, headers=token)
        assert answer.status_code == 200
        found += [row["id"] for row in answer.json()]
        there, pages = answer.links.get("next", {}).get("url", ""), pages + 1
    assert len(found) == len(set(found)) >= 48
    assert pages == -(-len(found) // 20)


def test_friends_and_accounts_have_pages_too(crowd: Crowd) -> None:
    names = [f"friend{number:03}" for number in range(130)]
    crowd.add("ann")
    people = register(crowd.database, *names)
    with crowd.database.writing() as session:
        for number in people:
            store.friendships.add_friendship(session, crowd.ids["ann"], number, crowd.database.clock())
    for path in ("/friends", "/admin"):
        found, there = list[str](), path
        while there:
            text = crowd.clients["ann"].get(there).text
            found += dict.fromkeys(re.findall(r'class="handle">@(friend\d+)<', text))
            there = link(text, "next")
        assert found == names


def test_what_is_new_meanwhile_neither_doubles_nor_hides_a_row(database: Database, clock: Clock) -> None:
    (ann,) = register(database, "ann")
    old = add_items(database, [{"owners": [ann]} for _ in range(30)])
    with database.reading() as session:
        first = browsing.mine(session, ann, limit=10)
    clock.turn(hours=1)
    add_items(database, [{"owners": [ann], "created": clock()} for _ in range(7)], start=100)
    with database.reading() as session:
        second = browsing.mine(session, ann, window=Window(behind=first.onward), limit=10)
        assert [card.id for card in (*first, *second)] == old[:9:-1]
        assert (
            len(browsing.mine(session, ann, window=Window(in_front=first.back or first.onward), limit=10))
            == 10
        )


# --- what a link tells -------------------------------------------------------------------------------------------


def test_links_are_sealed_for_one_reader_and_one_list(crowd: Crowd) -> None:
    crowd.add("ann", "bob")
    items = heap(crowd.database, crowd.ids["ann"], crowd.ids["bob"], 200)
    page = crowd.clients["ann"].get("/mine")
    onward = link(page.text, "next")
    assert onward
    assert not any(item in onward for item in items)
    place = onward.partition("before=")[2]
    assert crowd.clients["ann"].get(onward).status_code == 200
    for who, there in (
        ("bob", onward),
        ("ann", f"/of-me?before={place}"),
        ("ann", f"/mine?before=A{place[1:-1]}B"),
    ):
        answer = crowd.clients[who].get(there)
        assert answer.status_code == 404, "as any unknown address"
    token = crowd.token("ann")
    for query in (f"before={place}x", "before=2030-05-01T12:00:00Z", "limit=0", "limit=101", "after=%00"):
        answer = crowd.clients["ann"].get(f"/v1/items?which=mine&{query}", headers=token)
        assert answer.status_code == 422, query
        assert query.partition("=")[2] not in answer.text


def test_pages_are_full_behind_what_one_may_not_see(database: Database) -> None:
    """Neither the length of a page nor its links tell of what lies between the items on it."""
    ann, bob, eve = register(database, "ann", "bob", "eve")
    befriend(database, eve, ann)
    rows: list[dict[str, Any]] = []
    for _ in range(40):
        rows.append({"owners": [ann], "choice": "friends"})
        rows += [{"owners": [ann, bob], "choice": "friends"}] * 7  # eve does not know bob
    made = add_items(database, rows)
    with database.reading() as session:
        cards = walked(lambda **page: browsing.gallery(session, eve, **page), 12)
    assert [card.id for card in cards] == made[::8][::-1]


def test_the_first_visible_item_is_found_without_looking_at_the_others(
    either: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 8: the gallery was empty behind 10,000 newer items one may not see.

    Work is counted, not time: of all items, those the access check is asked about.
    """
    ann, bob, eve, far = register(either, "ann", "bob", "eve", "far")
    befriend(either, eve, ann)
    hidden = [{"owners": [ann, bob], "choice": "friends"}, {"owners": [far], "choice": "friends-of-friends"}]
    made = add_items(either, [{"owners": [ann], "choice": "friends"}, *hidden * 1500])
    looked_at: list[str] = []
    check = browsing.visible_ids

    def counted(session: Any, viewer: int | None, wanted: Any) -> set[str]:
        wanted = list(wanted)
        looked_at.extend(wanted)
        return check(session, viewer, wanted)

    monkeypatch.setattr(browsing, "visible_ids", counted)
    with either.reading() as session:
        assert [card.id for card in browsing.gallery(session, eve)] == made[:1]
    assert looked_at == made[:1]
