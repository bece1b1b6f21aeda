"""Ledgers of earlier versions become vaults: nothing is lost, and nothing more is allowed than before."""

from __future__ import annotations

import sqlite3
from decimal import Decimal
from pathlib import Path

import pytest
from tests.vault.orders import gaussian, ties, words

from entrenous.errors import BudgetExceeded, Contradiction, VaultError
from entrenous.price import NoiseEvent
from entrenous.unit import Unit
from entrenous.vault import Budget, Vault

MARK = 0x656E7472
FIRST = """
CREATE TABLE budget (epsilon TEXT NOT NULL, delta TEXT NOT NULL, unit TEXT NOT NULL);
CREATE TABLE entry (
    number INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL,
    purpose TEXT NOT NULL, rehearsal INTEGER NOT NULL);
"""
LATER = ("event", "condition", "asked")
NOISE = '{"mechanism": "gaussian", "scale": 5.0, "sensitivity": 1.0, "repeats": 1, "delta": 0.0}'


def ledger(path: Path, unit: str, *, columns: int = 3, damage: str | None = None) -> Path:
    """Write a ledger as an earlier version did, before or after it had columns for noise, conditions and questions."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(f"BEGIN; PRAGMA application_id = {MARK}; {FIRST} COMMIT;")
    for column in LATER[:columns]:
        connection.execute(f"ALTER TABLE entry ADD COLUMN {column} TEXT")
    connection.execute("INSERT INTO budget VALUES ('2.0', '1E-5', ?)", (unit,))
    for number in range(2):
        connection.execute(
            "INSERT INTO entry (time, epsilon, delta, purpose, rehearsal) VALUES (?, '0.5', '0', 'a release', ?)",
            (f"2026-01-0{number + 1}T00:00:00+00:00", number),
        )
    if columns == 3:
        connection.execute(
            "UPDATE entry SET event = ?, condition = 'rain', asked = '{\"size\": 0.5}'", (NOISE,)
        )
    if damage is not None:
        connection.execute(damage)
    connection.close()
    return path


@pytest.mark.parametrize("columns", [0, 1, 3])
@pytest.mark.parametrize("unit", ["edge", "edge-content", "sender"])
def test_a_ledger_is_read_and_goes_on(tmp_path: Path, unit: str, columns: int) -> None:
    path = ledger(tmp_path / "old.ledger", unit, columns=columns)
    path.chmod(0o644)
    vault = Vault(path)
    assert path.stat().st_mode & 0o077 == 0  # from now on it holds a key
    assert vault.left_epsilon == Decimal(1)
    (budget,) = vault.budgets
    assert (str(budget.unit), budget.epsilon, budget.delta, budget.slack) == (unit, 2.0, 1e-5, 0.0)
    releases = list(vault.state.releases.values())
    assert [entry.time[:10] for entry in releases] == ["2026-01-01", "2026-01-02"]
    assert [entry.rehearsal for entry in releases] == [False, True]
    if columns == 3:
        assert releases[0].promises[0].event == NoiseEvent("gaussian", scale=5.0)
        assert vault.state.condition(releases[0]) == "rain"
        assert vault.state.drawn[releases[0].number].body["asked"] == {"size": 0.5}
    again = Vault(vault.path)
    assert again.entries() == vault.entries()  # once
    order = ties(1.0) if unit == "edge" else words(1.0, unit=Unit.named(unit))
    again.charge(order)
    with pytest.raises(BudgetExceeded):
        vault.charge(order)


def test_nothing_is_admitted_that_was_not_before(tmp_path: Path) -> None:
    """There was no slack: exact composition was shown, and admitted nothing."""
    vault = Vault(ledger(tmp_path / "old.ledger", "edge-content"))
    vault.charge(gaussian(1.0, 1e-7))
    with pytest.raises(BudgetExceeded):
        vault.charge(gaussian(0.01, 1e-9))


def test_releases_of_words_had_declared_ties_public(tmp_path: Path) -> None:
    vault = Vault(ledger(tmp_path / "old.ledger", "edge-content"))
    assert "ties" in vault.state.facts
    assert "ties" not in Vault(ledger(tmp_path / "other.ledger", "edge")).state.facts
    with pytest.raises(Contradiction, match=r"declared public by entry 3 of 2026-01-01"):
        vault.charge(ties(0.1))
    with pytest.raises(VaultError, match="can no longer be hidden since entry 3"):
        vault.add(Budget(1.0, unit=Unit.EDGE))


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM budget",
        "DROP TABLE budget",
        "DROP TABLE entry",
        "UPDATE budget SET epsilon = 'abc'",
        "UPDATE budget SET epsilon = '-1'",
        "UPDATE budget SET epsilon = 'inf'",
        "UPDATE budget SET unit = 'abc'",
        "UPDATE entry SET epsilon = 'abc'",
        "UPDATE entry SET epsilon = '-5'",
        "UPDATE entry SET epsilon = x'ff00'",
        "UPDATE entry SET delta = 'nan'",
        "UPDATE entry SET event = 'no json'",
        'UPDATE entry SET event = \'{"mechanism": "cauchy", "scale": 1}\'',
    ],
)
def test_a_damaged_ledger_is_refused_and_left_alone(tmp_path: Path, damage: str) -> None:
    path = ledger(tmp_path / "old.ledger", "edge", damage=damage)
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(VaultError):
            Vault(path)
    assert path.read_bytes() == before


def test_a_vault_of_a_later_version_is_refused(tmp_path: Path) -> None:
    vault = Vault(ledger(tmp_path / "old.ledger", "edge"))
    connection = sqlite3.connect(vault.path, isolation_level=None)
    connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(VaultError, match="later version"):
        Vault(vault.path)
