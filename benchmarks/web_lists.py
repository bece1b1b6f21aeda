"""What a page costs somebody with many items: `python -m benchmarks.web_lists [--quick] [--json FILE]`.

One service on SQLite and one on PostgreSQL, each with 100,000 items. `empty` has nothing, `some` decides about 1,000
items and `many` about 10,000, a third of which wait for an answer. `looker` may see one item, the oldest of all: half
of the others are for friends of people whom looker does not know, the other half belong to a friend together with such
a person. A row is a page of one of them: CPU milliseconds of the service, those of the database's own processes
(PostgreSQL), and how many questions the database was asked. `times_empty` compares with the same page of `empty`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import event

from benchmarks import rows
from benchmarks.web import postgres

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from entrenous.web.store.database import Database

ITEMS, SOME, MANY, STRANGERS, FRIENDS = 100_000, 1_000, 10_000, 300, 40
PAGES = (
    "/how",
    "/",
    "/mine",
    "/waiting",
    "/of-me",
    "/gallery",
    "/notifications",
    "/history",
    "/friends",
    "/items/{item}",
)
NOTICES = 5
"""How many notifications there are for each item."""


def main() -> None:
    """Run the benchmark, print its rows and write them if asked to."""
    options = rows.arguments(__doc__)
    repeats = 10 if options.quick else 40
    found: list[dict[str, Any]] = []
    for name, opened in (("sqlite", sqlite), ("postgresql", postgres)):
        with ExitStack() as stack:
            service = Lists(stack.enter_context(opened()), stack)
            for row in service.measure(repeats):
                rows.show({"database": name} | row)
                found.append({"database": name} | row)
    rows.write(found, options.json)


@contextmanager
def sqlite() -> Iterator[str]:
    """Yield the address of a file of our own."""
    folder = tempfile.mkdtemp(prefix="entrenous-lists-")
    try:
        yield f"sqlite:///{folder}/service.db"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Lists:
    """A service full of items, and somebody to ask for each kind of page."""

    def __init__(self, url: str, stack: ExitStack) -> None:
        from entrenous.web.app import create_app
        from entrenous.web.settings import Settings
        from entrenous.web.store.database import Database

        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = Settings(database=url, keys=f"sqlite:///{folder}/service.keys", worker=False)
        self.database = Database(settings)
        stack.callback(self.database.close)
        self.database.migrate()
        self.filled = fill(self.database)
        self.app = create_app(settings, database=self.database)
        self.asked = 0
        event.listen(self.database.engine, "before_cursor_execute", self._count)

    def _count(self, *_call: object) -> None:
        self.asked += 1

    def measure(self, repeats: int) -> Iterator[dict[str, Any]]:
        """Yield a row for every page of everybody."""
        empty: dict[str, float] = {}
        for who in ("empty", "some", "many"):
            client = self._client(who)
            for page in PAGES:
                item = self.filled.items.get(who)
                if "{item}" in page and item is None:
                    continue
                row = self._page(client, page.format(item=item), repeats)
                empty.setdefault(page, row["cpu_ms"] + row.get("database_ms", 0.0))
                ratio = (row["cpu_ms"] + row.get("database_ms", 0.0)) / empty[page]
                yield {"who": who, "page": page, **row, "times_empty": ratio}
        yield {
            "who": "looker",
            "page": "/gallery",
            **self._page(self._client("looker"), "/gallery", repeats, shown=1),
        }

    def _client(self, who: str) -> TestClient:
        from starlette.testclient import TestClient

        client = TestClient(self.app, base_url=self.database.settings.address)
        client.cookies.set("entrenous", self.filled.secrets[who])
        return client

    def _page(self, client: TestClient, path: str, repeats: int, shown: int | None = None) -> dict[str, Any]:
        for _ in range(8):  # as often as it takes the database to settle on a plan
            answer = client.get(path)
            assert answer.status_code == 200, path
        if shown is not None:
            assert answer.text.count('class="tile"') == shown, "what is behind all others is found"
        self.asked, backend, begin = 0, self._backend_seconds(), time.process_time()
        for _ in range(repeats):
            client.get(path)
        cpu = time.process_time() - begin
        row = {"cpu_ms": 1000 * cpu / repeats, "queries": self.asked / repeats}
        if not self.database.sqlite:
            row["database_ms"] = 1000 * (self._backend_seconds() - backend) / repeats
        return row

    def _backend_seconds(self) -> float:
        """Return the CPU seconds of the database's processes that serve us; the system counts in hundredths."""
        if self.database.sqlite:
            return 0.0
        query = sa.text("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        with self.database.engine.connect() as connection:
            numbers = list(connection.scalars(query))
        ticks = 0
        for number in numbers:
            words = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            ticks += int(words[11]) + int(words[12])
        return ticks / os.sysconf("SC_CLK_TCK")


@dataclass
class Filled:
    """How to sign in as each of those that are measured, and an item of each."""

    secrets: dict[str, str] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)


def fill(database: Database) -> Filled:
    """Fill a service with people, friendships, items and notifications, many rows at a time."""
    from entrenous.web import store
    from entrenous.web.identity import tokens
    from entrenous.web.rules import upkeep
    from entrenous.web.service import membership
    from entrenous.web.store.database import now
    from entrenous.web.store.schema import notifications

    assert upkeep.refresh, "the rules keep the lists"
    filled = Filled()
    with database.writing() as session:
        moment = now(session)
        ids = {}
        names = [
            "empty",
            "some",
            "many",
            "looker",
            "busy",
            *(f"stranger{number}" for number in range(STRANGERS)),
        ]
        names += [f"friend{number}" for number in range(FRIENDS)]
        for name in names:
            ids[name] = membership.register(session, handle=name, name=name.title()).id
        for name in names[:4]:
            secret = filled.secrets[name] = tokens.new_secret()
            expires = moment + timedelta(days=30)
            store.credentials.create_session(
                session, ids[name], tokens.hash_secret(secret), expires, "benchmark"
            )
        pairs = [
            ("looker", "busy"),
            *((who, f"friend{n}") for who in ("some", "many") for n in range(FRIENDS)),
        ]
        for one, other in pairs:
            store.friendships.add_friendship(session, ids[one], ids[other], moment)
    plan = planned(ids)
    with database.writing() as session:
        first: dict[str, int] = {}
        for number, kind in enumerate(plan):
            first.setdefault(str(kind), number)
        worked_out = sorted(first.values())
        insert_items(session, plan, worked_out, moment)
    with database.writing() as session:
        copied = sorted(set(range(len(plan))) - set(worked_out))
        for start in range(0, len(copied), 5_000):
            numbers = copied[start : start + 5_000]
            insert_items(session, plan, numbers, moment)
            copy_lists(session, {number: first[str(plan[number])] for number in numbers}, moment)
        session.info.pop("touched", None)  # their rows are there already
        told = [
            {
                "person": ids[who],
                "kind": "active",
                "item": None,
                "actor": None,
                "created": moment,
                "read": None,
            }
            for who, number in (("some", SOME), ("many", MANY))
            for _ in range(NOTICES * number)
        ]
        session.execute(sa.insert(notifications), told)
    if not database.sqlite:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(sa.text("VACUUM ANALYZE"))  # as the server does by itself after a while
    for number, (_, owners, *_rest) in enumerate(plan):
        for who in ("some", "many"):
            if owners[0] == ids[who]:
                filled.items[who] = f"item-{number}"
    return filled


def planned(ids: dict[str, int]) -> list[tuple[str, list[int], str | None, str]]:
    """Return all items from the oldest on: state, co-owners, choice and anchor."""
    plan: list[tuple[str, list[int], str | None, str]] = [("active", [ids["busy"]], "friends", "each")]
    for who, number in (("some", SOME), ("many", MANY)):
        for place in range(number):
            owners = [ids[who], ids[f"friend{place % FRIENDS}"]]
            waits = place % 3 == 0
            plan.append(("collecting" if waits else "active", owners, None if waits else "friends", "each"))
    rest = ITEMS - len(plan) + 1
    for place in range(rest):
        if place % 2:
            plan.append(("active", [ids["busy"], ids["stranger0"]], "friends", "each"))
        else:
            reach = "friends" if place % 4 else "friends-of-friends"
            plan.append(("active", [ids[f"stranger{place % STRANGERS}"]], reach, "any"))
    return plan


def created(number: int, moment: datetime) -> datetime:
    """Return when an item was put up."""
    return moment - timedelta(days=100) + timedelta(seconds=number)


def insert_items(session: Any, plan: list[Any], numbers: list[int], moment: datetime) -> None:
    """Insert items and their co-owners."""
    from entrenous.web.store.schema import items, owners

    shelf, places = [], []
    for number in numbers:
        state, group, choice, anchor = plan[number]
        item = f"item-{number}"
        shelf.append(
            {
                "id": item,
                "originator": group[0],
                "title": f"Item {number}",
                "description": "",
                "kind": "photo",
                "state": state,
                "round": 1,
                "petitions": 0,
                "method": "oc",
                "vote": {"rule": "consensus"},
                "anchor": anchor,
                "choice": choice,
                "created": created(number, moment),
                "deadline": moment + timedelta(days=5) if state == "collecting" else None,
            }
        )
        for person in group:
            role = "originator" if person == group[0] else "tagged"
            places.append(
                {
                    "item": item,
                    "person": person,
                    "role": role,
                    "state": "accepted",
                    "tagged": True,
                    "slot": f"slot{person}",
                    "since": moment,
                }
            )
    session.execute(sa.insert(items), shelf)
    session.execute(sa.insert(owners), places)


def copy_lists(session: Any, like: dict[int, int], moment: datetime) -> None:
    """Give items the rows in lists that the rules worked out for an item of the same kind."""
    from entrenous.web.store.lists.list_tables import place_of, shelves, shown, waiting

    for table in (shelves, shown, waiting):
        known: dict[str, list[dict[str, Any]]] = {}
        for row in session.execute(
            sa.select(table).where(table.c.item.in_({f"item-{one}" for one in like.values()}))
        ):
            known.setdefault(row.item, []).append(dict(row._mapping))
        rows = []
        for number, one in like.items():
            item, old = f"item-{number}", f"item-{one}"
            for row in known.get(old, ()):
                place = place_of(created(number, moment), item)
                rows.append(row | {"item": item, "place": row["place"].removesuffix(old) + item})
                if table is not waiting:
                    rows[-1]["place"] = place
        if rows:
            session.execute(sa.insert(table), rows)


if __name__ == "__main__":
    main()
