"""How much may be spent, and the file that remembers what was.

A `Budget` is a ceiling. A `Ledger` is an SQLite file that holds one budget and every charge against it. A mechanism
charges *before* it draws noise: a killed process may lose a release, never an entry.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from decimal import Context, Decimal, InvalidOperation, localcontext
from fractions import Fraction
from pathlib import Path

from entrenous import _check
from entrenous.errors import BudgetExceeded, LedgerError, OutputExistsError
from entrenous.guarantee import Guarantee, Kind, exact
from entrenous.price import NoiseEvent
from entrenous.unit import Unit

__all__ = ["Budget", "Entry", "Ledger"]

_WAIT_SECONDS = 60.0  # how long a process waits while another one charges
_MARK = 0x656E7472  # "entr": tells our ledgers from any other SQLite file
_SCHEMA = """
CREATE TABLE budget (epsilon TEXT NOT NULL, delta TEXT NOT NULL, unit TEXT NOT NULL);
CREATE TABLE entry (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL,
    epsilon TEXT NOT NULL,
    delta TEXT NOT NULL,
    purpose TEXT NOT NULL,
    rehearsal INTEGER NOT NULL,
    event TEXT,
    condition TEXT,
    asked TEXT
);
"""
_ADDED = ("event", "condition", "asked")  # columns that ledgers of earlier versions lack


@dataclass(frozen=True)
class Budget:
    """The most that may ever be spent on one data set.

    >>> Budget(epsilon=2.0, unit="edge")
    Budget(epsilon=2.0, delta=0.0, unit=Unit(name='edge'))
    """

    epsilon: float
    delta: float = 0.0
    unit: Unit = Unit.EDGE

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _check.epsilon("epsilon", self.epsilon))
        object.__setattr__(self, "delta", _check.probability("delta", self.delta))
        object.__setattr__(self, "unit", Unit.named(self.unit))


@dataclass(frozen=True)
class Entry:
    """One charge, as the ledger remembers it.

    Attributes
    ----------
    event
        The noise in detail, where it is of one kind.
    condition
        What the promise hangs on and nobody can check; None for nearly all.
    asked
        What was asked of the data for it, and what each question cost; empty until the release was drawn.
    """

    number: int
    time: str
    epsilon: Decimal
    delta: Decimal
    purpose: str
    rehearsal: bool
    event: NoiseEvent | None = None
    condition: str | None = None
    asked: Mapping[str, float] = field(default_factory=dict)


class Ledger:
    """The file that remembers every charge against one budget.

    Any number of processes may charge one ledger at once: each charge is one SQLite transaction that checks and
    writes together. Amounts are exact decimals, so ten charges of 0.1 are exactly 1.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "friends.ledger"
    >>> ledger = Ledger.create(file, Budget(epsilon=1.0))
    >>> ledger.charge(Guarantee(epsilon=0.4), purpose="network release, method owner").number
    1
    >>> ledger.left_epsilon
    Decimal('0.6')
    >>> ledger.charge(Guarantee(epsilon=0.7), purpose="network release, method owner")
    Traceback (most recent call last):
    entrenous.errors.BudgetExceeded: the ledger has epsilon 0.6 left, but 0.7 was asked for; nothing was charged. \
Ask for less, or let the data's owner decide on a new ledger
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise LedgerError(
                f"no ledger at {self.path.name}: create it with `entrenous budget create` or Ledger.create"
            )
        with self._transaction() as connection:
            rows = connection.execute("SELECT epsilon, delta, unit FROM budget").fetchall()
            there = {row[1] for row in connection.execute("PRAGMA table_info(entry)")}
            for column in _ADDED:
                if column not in there:
                    connection.execute(f"ALTER TABLE entry ADD COLUMN {column} TEXT")
        try:
            ((epsilon, delta, unit),) = rows
            self.budget = Budget(epsilon=float(epsilon), delta=float(delta), unit=unit)
        except (TypeError, ValueError):  # also ArgumentError
            raise LedgerError(f"{self.path.name} is damaged: its budget cannot be read") from None

    @classmethod
    def create(cls, path: str | Path, budget: Budget) -> Ledger:
        """Make a new ledger file; one that is there is never overwritten."""
        path = Path(path)
        aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        try:
            _write_new(aside, budget)
            path.hardlink_to(aside)  # complete or not there at all; fails if the name is taken
        except FileExistsError:
            raise OutputExistsError(f"{path.name} is already there; a ledger is never overwritten") from None
        except (OSError, sqlite3.DatabaseError):
            raise LedgerError(f"{path.name} cannot be created; is its folder there and writable?") from None
        finally:
            with suppress(OSError):
                aside.unlink()
        return cls(path)

    def charge(
        self,
        guarantee: Guarantee,
        *,
        purpose: str,
        rehearsal: bool = False,
        event: NoiseEvent | None = None,
    ) -> Entry:
        """Write a charge, or raise and write nothing.

        Parameters
        ----------
        guarantee
            What the release about to be drawn will cost. Where it rests on beliefs about correlation, or hides a
            group, what is charged is its level: differential privacy of the ledger's own unit.
        purpose
            What it is for, in the words of the mechanism; nothing that depends on the data.
        rehearsal
            Whether the run is seeded. It is charged all the same: its output depends on the data too.
        event
            The noise about to be drawn, so that several releases can be composed exactly afterwards.
        """
        condition, guarantee = guarantee.conditional, guarantee.charged
        if guarantee.unit != self.budget.unit:
            raise LedgerError(
                f"this ledger counts per {self.budget.unit}; the release protects per {guarantee.unit}"
            )
        if guarantee.kind is not Kind.DP:
            raise LedgerError(
                "only differential privacy adds up: charge the level that holds without assumptions"
            )
        with self._transaction() as connection:
            spent_epsilon, spent_delta = self._spent(connection)
            for parameter, asked, spent, most in (
                ("epsilon", exact(guarantee.epsilon), spent_epsilon, exact(self.budget.epsilon)),
                ("delta", exact(guarantee.delta), spent_delta, exact(self.budget.delta)),
            ):
                if spent + asked > most:
                    raise BudgetExceeded(
                        asked=_decimal(asked), left=_decimal(most - spent), parameter=parameter
                    )
            time = datetime.now(UTC).isoformat(timespec="seconds")
            epsilon, delta = _text(exact(guarantee.epsilon)), _text(exact(guarantee.delta))
            cursor = connection.execute(
                "INSERT INTO entry (time, epsilon, delta, purpose, rehearsal, event, condition) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (time, epsilon, delta, purpose, int(rehearsal), _event_text(event), condition),
            )
            number = cursor.lastrowid
        assert number is not None
        return Entry(number, time, Decimal(epsilon), Decimal(delta), purpose, rehearsal, event, condition)

    def settle(
        self,
        number: int,
        asked: Mapping[str, float],
        *,
        condition: str | None = None,
    ) -> None:
        """Write beside a charge what was asked of the data for it, as its desk counted; the charge stays as it is.

        Parameters
        ----------
        number
            The entry.
        asked
            What each question cost, by name.
        condition
            What the promise turned out to hang on, if that was not known when it was charged.
        """
        with self._transaction() as connection:
            connection.execute(
                "UPDATE entry SET asked = ? WHERE number = ?", (json.dumps(dict(asked)), number)
            )
            if condition is not None:
                connection.execute("UPDATE entry SET condition = ? WHERE number = ?", (condition, number))

    def entries(self) -> tuple[Entry, ...]:
        """Return every charge, oldest first."""
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT number, time, epsilon, delta, purpose, rehearsal, event, condition, asked "
                "FROM entry ORDER BY number"
            ).fetchall()
        return tuple(
            Entry(n, t, self._amount(e), self._amount(d), p, bool(r), self._event(v), c, self._asked(a))
            for n, t, e, d, p, r, v, c, a in rows
        )

    @property
    def spent_epsilon(self) -> Decimal:
        """The sum of all charges."""
        with self._transaction() as connection:
            return _decimal(self._spent(connection)[0])

    @property
    def left_epsilon(self) -> Decimal:
        """What may still be charged."""
        with self._transaction() as connection:
            return _decimal(exact(self.budget.epsilon) - self._spent(connection)[0])

    @property
    def left_delta(self) -> Decimal:
        """What may still be charged of delta."""
        with self._transaction() as connection:
            return _decimal(exact(self.budget.delta) - self._spent(connection)[1])

    def _spent(self, connection: sqlite3.Connection) -> tuple[Fraction, Fraction]:
        rows = connection.execute("SELECT epsilon, delta FROM entry").fetchall()
        amounts = [
            (Fraction(self._amount(epsilon)), Fraction(self._amount(delta))) for epsilon, delta in rows
        ]
        return sum((a for a, _ in amounts), Fraction(0)), sum((b for _, b in amounts), Fraction(0))

    def _amount(self, text: object) -> Decimal:
        """Return an amount as it was written; anything but a decimal of 0 or more is damage."""
        try:
            amount = Decimal(text) if isinstance(text, str) else Decimal("nan")
        except InvalidOperation:
            amount = Decimal("nan")
        if not amount.is_finite() or amount < 0:
            raise LedgerError(f"{self.path.name} is damaged: an entry is not a decimal number of 0 or more")
        return amount

    def _event(self, text: object) -> NoiseEvent | None:
        """Return the noise of an entry as it was written, None where none was."""
        if text is None:
            return None
        try:
            return NoiseEvent(**json.loads(str(text)))
        except (TypeError, ValueError):  # also ArgumentError
            raise LedgerError(f"{self.path.name} is damaged: the noise of an entry cannot be read") from None

    def _asked(self, text: object) -> Mapping[str, float]:
        """Return the questions of an entry as they were written, none where none were."""
        try:
            asked = json.loads(str(text)) if text is not None else {}
            return {str(name): float(price) for name, price in asked.items()}
        except (AttributeError, TypeError, ValueError):
            raise LedgerError(f"{self.path.name} is damaged: what an entry paid for cannot be read") from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Hold the write lock from the first read to the commit, so that check and charge are one step."""
        connection = None
        try:
            connection = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
            connection.execute("PRAGMA synchronous = EXTRA")  # an entry survives kill -9 and a power cut
            connection.execute("BEGIN IMMEDIATE")
            if connection.execute("PRAGMA application_id").fetchone()[0] != _MARK:
                raise LedgerError(f"{self.path.name} is not a ledger made by entrenous")
            yield connection
            connection.execute("COMMIT")
        except (sqlite3.DatabaseError, UnicodeDecodeError):  # the latter from a damaged schema
            raise LedgerError(
                f"{self.path.name} cannot be used as a ledger: it is damaged, locked or no ledger"
            ) from None
        finally:
            if connection is not None:
                connection.close()  # whatever was not committed is rolled back


def _write_new(path: Path, budget: Budget) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.executescript(f"BEGIN; PRAGMA application_id = {_MARK}; {_SCHEMA}")
        amounts = (_text(exact(budget.epsilon)), _text(exact(budget.delta)), str(budget.unit))
        connection.execute("INSERT INTO budget VALUES (?, ?, ?)", amounts)
        connection.execute("COMMIT")
    finally:
        connection.close()


def _event_text(event: NoiseEvent | None) -> str | None:
    return None if event is None else json.dumps(asdict(event))


def _decimal(value: Fraction) -> Decimal:
    """Every amount comes from a decimal text, so this division is exact, whatever the caller's context."""
    with localcontext(Context(prec=400)):
        return Decimal(value.numerator) / Decimal(value.denominator)


def _text(value: Fraction) -> str:
    return str(_decimal(value))
