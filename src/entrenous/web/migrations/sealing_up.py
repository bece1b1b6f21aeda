"""Seal what an earlier version kept in the clear: once, one way.

Answers of rounds that are still open go into boxes; of all decisions a record remains, with commitments whose salts are
thrown away where nobody needs the answers any more. Standing views become lines that count for nobody until they are
confirmed. The audit begins anew, from a salted hash of where the old one ended.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous import __version__, access
from entrenous.access.mediation import ENGINE
from entrenous.access.receipts import Opening, new_salt
from entrenous.errors import PrivacyError
from entrenous.web.rules import sealing
from entrenous.web.store import audit_trail, schema
from entrenous.web.store.database import Database
from entrenous.web.store.sealed.keys import KEY_BYTES

__all__ = ["Sealed", "seal"]

EVERY_LINE = (1 << len(access.CHOICES)) - 1


@dataclass(frozen=True)
class Sealed:
    """What was sealed: rounds that were decided, answers that are still needed, lines to be confirmed."""

    decisions: int
    answers: int
    lines: int


def seal(database: Database) -> Sealed:
    """Seal a database of an earlier version and bring its tables to the present one."""
    work = _Work(database)
    database.migrate(sealing=work)
    _sweep(database)
    return Sealed(len(work.decisions), work.boxes, len(work.defaults))


def _sweep(database: Database) -> None:
    """Write anew what removed rows and columns still lie in: free pages and the log, or tables that stayed."""
    if database.sqlite:
        sweeps = ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)")
        with closing(database.engine.raw_connection()) as connection:
            for sweep in sweeps:
                connection.cursor().execute(sweep).fetchall()
        return
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for table in ("petitions", "steps", "replies"):
            connection.execute(sa.text(f"VACUUM FULL {table}"))


_OLD = {
    "answers": ("item", "round", "person", "scores"),
    "decisions": ("item", "round", "choice", "agreed", "snapshot", "digest", "decided"),
    "defaults": ("person", "scores", "limit"),
    "audit": ("number", "at", "actor", "action", "item", "details", "digest"),
    "owners": ("item", "person", "state", "limit"),
    "items": ("id", "round", "state", "method", "vote", "anchor", "choice"),
}


@dataclass
class _Work:
    """The rows of the earlier version, held in memory while the tables change around them."""

    database: Database
    answers: list[dict[str, Any]] = field(default_factory=list)
    decisions: list[dict[str, Any]] = field(default_factory=list)
    defaults: list[dict[str, Any]] = field(default_factory=list)
    audit: list[dict[str, Any]] = field(default_factory=list)
    owners: list[dict[str, Any]] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)
    slots: dict[tuple[str, int], str] = field(default_factory=dict)
    digests: dict[tuple[str, int], str] = field(default_factory=dict)
    boxes: int = 0

    def read(self, connection: sa.Connection) -> None:
        """Read all that is to be sealed, and refuse a database that does not fit itself."""
        for name, columns in _OLD.items():
            setattr(self, name, list(_rows(connection, name, columns)))
        self.audit.sort(key=lambda row: row["number"])
        _check_chain(self.audit)
        for row in self.decisions:
            if not _same_again(row):
                raise PrivacyError(
                    "a decision does not come out the same again; expected an unchanged database. "
                    "Look with: entrenous access recompute, of the version that wrote it"
                )

    def write(self, connection: sa.Connection) -> None:
        """Write everything as this version keeps it."""
        with Session(
            connection, info=self.database.info, join_transaction_mode="create_savepoint"
        ) as session:
            self._give_slots(session)
            self._write_lines(session)
            self._write_decisions(session)
            self._write_open_rounds(session)
            self._write_audit(session)
            session.commit()

    def _give_slots(self, session: Session) -> None:
        """Give everybody a slot; those who left go, and their limits stay as caps."""
        table = schema.owners
        for row in self.owners:
            here = sa.and_(table.c.item == row["item"], table.c.person == row["person"])
            if row["state"] in ("left", "gone"):
                session.execute(sa.delete(table).where(here))
                self._keep_cap(session, row)
                continue
            slot = self.slots[row["item"], row["person"]] = sealing.new_slot()
            session.execute(sa.update(table).where(here).values(slot=slot))

    def _keep_cap(self, session: Session, row: Mapping[str, Any]) -> None:
        item = schema.items.c.id == row["item"]
        if row["state"] == "left":
            session.execute(sa.update(schema.items).where(item).values(incomplete=True))
        if isinstance(row["limit"], str):
            cap = session.scalar(sa.select(schema.items.c.cap).where(item)) or access.CHOICES[-1]
            narrower = min(cap, row["limit"], key=access.CHOICES.index)
            session.execute(sa.update(schema.items).where(item).values(cap=narrower))

    def _write_lines(self, session: Session) -> None:
        for row in self.defaults:
            scores = dict(row["scores"] or {})
            line = access.own_line(scores, row["limit"])
            values = {"line": line, "confirmed": False, "possible": EVERY_LINE, "uses": 0}
            session.execute(sa.insert(schema.standing_lines).values(person=row["person"], **values))

    def _write_decisions(self, session: Session) -> None:
        """Write the records; the answers of a round that may still be asked about go into boxes."""
        items = {row["id"]: row for row in self.items}
        for row in self.decisions:
            entry = json.loads(row["snapshot"])["input"]
            item, round_ = items[row["item"]], row["round"]
            openings = {
                self.slots.get((row["item"], int(who))) or sealing.new_slot(): self._opening(
                    row["item"], entry, who
                )
                for who in entry["wishes"]
            }
            record = _record(row, openings)
            text = json.dumps(record, sort_keys=True, separators=(",", ":"))
            digest = self.digests[row["item"], round_] = hashlib.sha256(text.encode()).hexdigest()
            values = {name: row[name] for name in ("item", "round", "choice", "agreed", "decided")}
            session.execute(sa.insert(schema.decisions).values(record=text, digest=digest, **values))
            if _still_needed(item, round_):
                self._box(session, row["item"], round_, openings)

    def _write_open_rounds(self, session: Session) -> None:
        """Seal the answers of rounds that are not decided yet, each with whom its author listens to now."""
        decided = {(row["item"], row["round"]) for row in self.decisions}
        given = {(row["item"], row["round"], row["person"]): row["scores"] for row in self.answers}
        for item in self.items:
            if item["state"] != "collecting" or (item["id"], item["round"]) in decided:
                continue
            voters = [row for row in self.owners if row["item"] == item["id"] and row["state"] == "accepted"]
            openings = {}
            for row in voters:
                scores = given.get((item["id"], item["round"], row["person"]))
                slot = self.slots[item["id"], row["person"]]
                weights = self._weights(session, item["id"], row["person"])
                openings[slot] = Opening(scores, row["limit"], weights, new_salt())
                if scores is not None:
                    here = sa.and_(schema.owners.c.item == item["id"], schema.owners.c.slot == slot)
                    session.execute(sa.update(schema.owners).where(here).values(answered_round=item["round"]))
            self._box(session, item["id"], item["round"], openings)

    def _weights(self, session: Session, item: str, person: int) -> dict[str, int]:
        table = schema.friendships
        query = sa.select(table.c.friend, table.c.percent).where(
            table.c.person == person, table.c.percent > 0
        )
        found = {self.slots.get((item, row.friend)): row.percent for row in session.execute(query)}
        return {slot: percent for slot, percent in found.items() if slot is not None}

    def _box(self, session: Session, item: str, round_: int, openings: Mapping[str, Opening]) -> None:
        moment: datetime = self.database.clock()
        self.database.keys.make(item, round_, secrets.token_bytes(KEY_BYTES), moment)
        for slot, opening in openings.items():
            sealing.seal(session, item, round_, slot, opening)
            self.boxes += opening.scores is not None

    def _opening(self, item: str, entry: Mapping[str, Any], who: str) -> Opening:
        """Return what one person put into an old decision, with slots in the place of people."""
        row = entry["peers"].get(who, {})
        known = {self.slots.get((item, int(friend))): round(100 * weight) for friend, weight in row.items()}
        weights = {slot: percent for slot, percent in known.items() if slot is not None}
        return Opening(entry["wishes"][who], entry["limits"].get(who), weights, new_salt())

    def _write_audit(self, session: Session) -> None:
        """Write the old events into a chain that begins with a salted hash of the old one's end."""
        end = self.audit[-1]["digest"] if self.audit else audit_trail.START
        start = hashlib.sha256((secrets.token_hex(32) + end).encode()).hexdigest()
        digest = start
        rows = []
        for number, row in enumerate(self.audit, 1):
            details = json.loads(row["details"])
            subject = details.pop("person", None)
            if row["action"] == "decided":
                details["digest"] = self.digests[row["item"], details["round"]]
            event = audit_trail.Pending(
                row["at"],
                row["actor"],
                subject,
                row["action"],
                row["item"],
                json.dumps(details, sort_keys=True),
            )
            salt = secrets.token_hex(32)
            content = audit_trail.salted(salt, event)
            digest = audit_trail.chained(digest, number, content)
            rows.append(
                event.__dict__ | {"number": number, "salt": salt, "content": content, "digest": digest}
            )
        if rows:
            session.execute(sa.insert(schema.audit), rows)
        session.execute(sa.update(schema.audit_head).values(number=len(rows), digest=digest, start=start))
        audit_trail.record(session, "sealed", actor=None)
        audit_trail.write_pending(session)
        for person in session.scalars(
            sa.select(schema.people.c.id).where(schema.people.c.deleted.is_not(None))
        ):
            audit_trail.erase(session, person=person)  # the earlier version left their numbers behind
            audit_trail.write_pending(session)


def _rows(connection: sa.Connection, name: str, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    json_columns = ("scores", "limit", "vote") if name != "defaults" else ("scores",)
    moments = ("at", "decided")
    typed = [
        sa.column(one, sa.JSON()) if one in json_columns else sa.column(one, schema.Instant()) if one in moments
        else sa.column(one, sa.Boolean()) if one == "agreed" else sa.column(one)
        for one in columns
    ]  # fmt: skip
    for row in connection.execute(sa.select(*typed).select_from(sa.table(name))):
        yield dict(row._mapping)


def _check_chain(events: list[dict[str, Any]]) -> None:
    """Check the audit as the earlier version chained it."""
    digest = audit_trail.START
    for number, row in enumerate(events, 1):
        event = [
            digest, number, row["at"].isoformat(), row["actor"], row["action"], row["item"], row["details"],
        ]  # fmt: skip
        digest = hashlib.sha256(json.dumps(event).encode()).hexdigest()
        if (row["number"], row["digest"]) != (number, digest):
            raise audit_trail.BrokenChain(number)


def _same_again(row: Mapping[str, Any]) -> bool:
    """Return whether the engine gives an old decision's outcome again."""
    snapshot = json.loads(row["snapshot"])
    decision = access.decide(access.Item.from_dict(snapshot["input"]))
    whole = hashlib.sha256(row["snapshot"].encode()).hexdigest() == row["digest"]
    return whole and (decision.choice, decision.agreed) == (row["choice"], row["agreed"])


def _record(row: Mapping[str, Any], openings: Mapping[str, Opening]) -> dict[str, Any]:
    slots = sorted(openings)
    entry = json.loads(row["snapshot"])["input"]
    return {
        "engine": ENGINE,
        "version": __version__,
        "item": row["item"],
        "round": row["round"],
        "method": entry["method"],
        "vote": entry["vote"],  # as it was counted then, also with fewer than four
        "anchor": entry["anchor"],
        "slots": slots,
        "commitments": [openings[slot].commitment(row["item"], row["round"], slot) for slot in slots],
        "choice": row["choice"],
        "agreed": row["agreed"],
        "stands": None,
        "joined": [],
    }


def _still_needed(item: Mapping[str, Any], round_: int) -> bool:
    """Return whether the answers of a decided round may still be opened."""
    if item["method"] == "circles" and item["state"] in ("proposed", "active"):
        return bool(item["round"] == round_)
    return item["state"] in ("collecting", "proposed")
