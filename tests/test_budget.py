from __future__ import annotations

import decimal
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entrenous.budget import Budget, Ledger
from entrenous.errors import ArgumentError, BudgetExceeded, LedgerError, OutputExistsError
from entrenous.guarantee import Guarantee, Kind
from entrenous.price import NoiseEvent
from entrenous.unit import Unit

CHARGING = """
import sys
from entrenous.budget import Ledger
from entrenous.errors import BudgetExceeded
from entrenous.guarantee import Guarantee, Kind, Unit

ledger = Ledger(sys.argv[1])
while True:
    try:
        entry = ledger.charge(Guarantee(epsilon=float(sys.argv[2]), delta=float(sys.argv[3])), purpose="test")
    except BudgetExceeded:
        break
    print(entry.number, flush=True)
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "friends.ledger", Budget(epsilon=1.0, delta=1e-6))


def charging(path: Path, epsilon: float, delta: float = 0.0) -> subprocess.Popen[str]:
    """Start a process that charges one ledger until it is refused, and prints the number of every entry."""
    command = [sys.executable, "-c", CHARGING, str(path), str(epsilon), str(delta)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_ten_tenths_are_one(ledger: Ledger) -> None:
    for _ in range(10):
        ledger.charge(Guarantee(epsilon=0.1), purpose="test")
    assert (ledger.spent_epsilon, ledger.left_epsilon) == (Decimal(1), Decimal(0))
    with pytest.raises(BudgetExceeded):
        ledger.charge(Guarantee(epsilon=1e-17), purpose="test")


def test_a_tenth_and_two_tenths_are_three(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(epsilon=0.3))
    for part in (0.1, 0.2):
        ledger.charge(Guarantee(epsilon=part), purpose="test")
    assert ledger.left_epsilon == 0


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=12))
def test_the_sum_is_exact_and_never_above_the_ceiling(
    tmp_path_factory: pytest.TempPathFactory, thousandths: list[int]
) -> None:
    path = tmp_path_factory.mktemp("ledgers") / "a.ledger"
    ledger = Ledger.create(path, Budget(epsilon=1.0))
    spent = 0
    for part in thousandths:
        if spent + part <= 1000:
            ledger.charge(Guarantee(epsilon=part / 1000), purpose="test")
            spent += part
        else:
            with pytest.raises(BudgetExceeded) as refused:
                ledger.charge(Guarantee(epsilon=part / 1000), purpose="test")
            assert refused.value.asked == Decimal(part) / 1000
            assert refused.value.left == Decimal(1000 - spent) / 1000
    assert Ledger(path).spent_epsilon == Decimal(spent) / 1000


def test_a_refused_charge_writes_nothing(ledger: Ledger) -> None:
    ledger.charge(Guarantee(epsilon=0.6), purpose="first")
    before = ledger.path.read_bytes()
    with pytest.raises(BudgetExceeded) as caught:
        ledger.charge(Guarantee(epsilon=0.5), purpose="second")
    assert (caught.value.asked, caught.value.left, caught.value.parameter) == (
        Decimal("0.5"),
        Decimal("0.4"),
        "epsilon",
    )
    assert ledger.path.read_bytes() == before
    assert [entry.purpose for entry in ledger.entries()] == ["first"]


def test_delta_has_its_own_ceiling(ledger: Ledger) -> None:
    ledger.charge(Guarantee(epsilon=0.1, delta=6e-7), purpose="test")
    with pytest.raises(BudgetExceeded) as caught:
        ledger.charge(Guarantee(epsilon=0.1, delta=6e-7), purpose="test")
    assert (caught.value.parameter, caught.value.left) == ("delta", Decimal("4e-7"))
    assert ledger.spent_epsilon == Decimal("0.1")


def test_a_pure_budget_pays_for_no_delta(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "pure", Budget(epsilon=1.0))
    with pytest.raises(BudgetExceeded):
        ledger.charge(Guarantee(epsilon=0.1, delta=1e-15), purpose="test")


def test_another_unit_is_refused(ledger: Ledger) -> None:
    other = Guarantee(epsilon=0.1)
    object.__setattr__(other, "unit", "message")
    with pytest.raises(LedgerError, match="counts per edge; the release protects per message"):
        ledger.charge(other, purpose="test")
    assert ledger.entries() == ()


def test_the_precision_of_the_caller_does_not_shrink_a_charge(ledger: Ledger) -> None:
    with decimal.localcontext() as context:
        context.prec = 3
        ledger.charge(Guarantee(epsilon=0.12349), purpose="test")
    assert ledger.spent_epsilon == Decimal("0.12349")


def test_entries_are_remembered_as_they_were_made(ledger: Ledger) -> None:
    made = [
        ledger.charge(Guarantee(epsilon=0.25), purpose="network release, method owner"),
        ledger.charge(Guarantee(epsilon=1e-9, delta=1e-9), purpose="a rehearsal", rehearsal=True),
    ]
    assert Ledger(ledger.path).entries() == tuple(made)
    assert [entry.number for entry in made] == [1, 2]
    assert [entry.rehearsal for entry in made] == [False, True]
    assert Ledger(ledger.path).budget == Budget(epsilon=1.0, delta=1e-6, unit="edge")


def test_a_ledger_is_never_overwritten(ledger: Ledger) -> None:
    ledger.charge(Guarantee(epsilon=0.5), purpose="test")
    before = ledger.path.read_bytes()
    with pytest.raises(OutputExistsError, match="never overwritten"):
        Ledger.create(ledger.path, Budget(epsilon=9.0))
    assert ledger.path.read_bytes() == before
    assert [file.name for file in ledger.path.parent.iterdir()] == [ledger.path.name]


@pytest.mark.parametrize("place", ["missing/a.ledger", "a.file/a.ledger"])
def test_where_no_ledger_can_be_created(tmp_path: Path, place: str) -> None:
    (tmp_path / "a.file").touch()
    with pytest.raises(LedgerError, match="cannot be created"):
        Ledger.create(tmp_path / place, Budget(epsilon=1.0))
    assert [file.name for file in tmp_path.iterdir()] == ["a.file"]


def test_a_missing_ledger_is_not_invented(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"no ledger at none\.ledger"):
        Ledger(tmp_path / "none.ledger")
    with pytest.raises(LedgerError):
        Ledger(tmp_path)
    assert list(tmp_path.iterdir()) == []


def foreign_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE budget (epsilon, delta, unit)")
        connection.execute("INSERT INTO budget VALUES ('100', '0', 'edge')")
    connection.close()


FOREIGN = {
    "empty": lambda path: path.touch(),
    "text": lambda path: path.write_text("epsilon = 100\n" * 1000),
    "bytes": lambda path: path.write_bytes(np.random.default_rng(1).bytes(20_000)),
    "another database": foreign_database,
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files_are_refused_and_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "foreign.ledger"
    FOREIGN[kind](path)
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=r"foreign\.ledger"):
        Ledger(path)
    with pytest.raises(OutputExistsError):
        Ledger.create(path, Budget(epsilon=1.0))
    assert path.read_bytes() == before


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
    ],
)
def test_a_damaged_ledger_pays_for_nothing(ledger: Ledger, damage: str) -> None:
    ledger.charge(Guarantee(epsilon=0.5), purpose="test")
    connection = sqlite3.connect(ledger.path, isolation_level=None)
    connection.execute(damage)
    connection.close()
    with pytest.raises(LedgerError):
        Ledger(ledger.path).charge(Guarantee(epsilon=0.1), purpose="test")


def test_random_damage_is_noticed_or_harmless(ledger: Ledger) -> None:
    """Overwritten bytes: the ledger still tells the truth, or refuses; no other error escapes."""
    for _ in range(4):
        ledger.charge(Guarantee(epsilon=0.2), purpose="test")
    whole = ledger.path.read_bytes()
    rng = np.random.default_rng(3)
    refused = 0
    for _ in range(200):
        broken = bytearray(whole)
        start = int(rng.integers(len(broken)))
        broken[start : start + 200] = rng.bytes(200)[: len(broken) - start]
        ledger.path.write_bytes(broken[: int(rng.integers(len(broken)))] if rng.random() < 0.3 else broken)
        try:
            found = Ledger(ledger.path).entries()
        except LedgerError:
            refused += 1
        else:
            assert all(entry.epsilon >= 0 for entry in found)
    assert refused > 20


def test_a_ledger_that_cannot_be_written_pays_for_nothing(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process holds the lock for longer than a charge waits."""
    monkeypatch.setattr("entrenous.budget._WAIT_SECONDS", 0.05)
    other = sqlite3.connect(ledger.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match="locked"):
        ledger.charge(Guarantee(epsilon=0.1), purpose="test")
    other.close()
    assert ledger.entries() == ()


@pytest.mark.parametrize("wrong", [{"epsilon": 0}, {"epsilon": 1, "delta": 1}, {"epsilon": 1, "unit": "x"}])
def test_a_budget_without_meaning_cannot_be_made(wrong: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        Budget(**wrong)  # type: ignore[arg-type]


def test_four_processes_never_overspend(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "shared.ledger", Budget(epsilon=0.7, delta=1e-3))
    processes = [charging(ledger.path, 0.007, 1e-6) for _ in range(4)]
    printed = [int(line) for process in processes for line in process.communicate(timeout=300)[0].split()]
    assert [process.returncode for process in processes] == [0] * 4
    assert sorted(printed) == list(range(1, 101))
    assert ledger.spent_epsilon == Decimal("0.7")
    assert ledger.left_epsilon == 0


@pytest.mark.faults
def test_a_killed_process_loses_no_entry(tmp_path: Path) -> None:
    """Whatever was acknowledged before kill -9 is in the file; at most one more charge was under way."""
    rng = np.random.default_rng(5)
    for attempt in range(5):
        ledger = Ledger.create(tmp_path / f"{attempt}.ledger", Budget(epsilon=1000.0))
        process = charging(ledger.path, 0.001)
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(rng.uniform(0, 0.1))
        os.kill(process.pid, signal.SIGKILL)
        acknowledged = len((first + process.communicate()[0]).splitlines())
        assert acknowledged <= len(ledger.entries()) <= acknowledged + 1
        ledger.charge(Guarantee(epsilon=1.0), purpose="after the crash")


def test_a_ledger_is_an_ordinary_file(ledger: Ledger) -> None:
    assert stat.S_ISREG(ledger.path.lstat().st_mode)
    assert ledger.path.stat().st_nlink == 1


GAUSSIAN = NoiseEvent("gaussian", scale=1400.0, repeats=1000, delta=1e-9)


@pytest.fixture
def mail_ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "mail.ledger", Budget(epsilon=1.0, delta=1e-6, unit=Unit.EDGE_CONTENT))


def test_noise_is_remembered_with_its_charge(mail_ledger: Ledger) -> None:
    promise = Guarantee(epsilon=0.5, unit=Unit.EDGE_CONTENT)
    made = mail_ledger.charge(promise, purpose="words histogram", event=GAUSSIAN)
    mail_ledger.charge(promise, purpose="words histogram")
    assert made.event == GAUSSIAN
    assert [entry.event for entry in Ledger(mail_ledger.path).entries()] == [GAUSSIAN, None]


def test_a_promise_that_rests_on_beliefs_is_charged_at_its_level(mail_ledger: Ledger) -> None:
    level = Guarantee(epsilon=0.2, delta=2e-7, unit=Unit.EDGE_CONTENT)
    believed = Guarantee(epsilon=90.0, unit=Unit.CORRELATED_EDGE, kind=Kind.PUFFERFISH, level=level)
    mail_ledger.charge(believed, purpose="words histogram")
    assert (mail_ledger.left_epsilon, mail_ledger.left_delta) == (Decimal("0.8"), Decimal("8e-7"))
    with pytest.raises(LedgerError, match="without assumptions"):
        mail_ledger.charge(
            Guarantee(epsilon=0.1, unit=Unit.EDGE_CONTENT, kind=Kind.PUFFERFISH), purpose="words histogram"
        )
    with pytest.raises(LedgerError, match="per edge-content"):
        mail_ledger.charge(Guarantee(epsilon=0.1), purpose="network release")


def test_a_rehearsal_is_charged_as_well(ledger: Ledger) -> None:
    """Its output depends on the data like any other's."""
    ledger.charge(Guarantee(epsilon=0.5), purpose="test", rehearsal=True)
    assert ledger.left_epsilon == Decimal("0.5")


def test_what_was_asked_is_written_beside_the_charge(ledger: Ledger) -> None:
    made = ledger.charge(Guarantee(epsilon=0.5, conditional="the weather"), purpose="test")
    assert (made.condition, dict(made.asked)) == ("the weather", {})
    ledger.settle(made.number, {"size": 0.1, "degrees": 0.4})
    (entry,) = Ledger(ledger.path).entries()
    assert entry.condition == "the weather"
    assert entry.asked == {"size": 0.1, "degrees": 0.4}
    assert ledger.left_epsilon == Decimal("0.5")
    ledger.settle(made.number, {}, condition="the moon")
    assert ledger.entries()[0].condition == "the moon"


@pytest.mark.parametrize("damage", ["no json", "[]", '{"size": "much"}'])
def test_damaged_questions_are_noticed(ledger: Ledger, damage: str) -> None:
    ledger.charge(Guarantee(epsilon=0.5), purpose="test")
    connection = sqlite3.connect(ledger.path, isolation_level=None)
    connection.execute("UPDATE entry SET asked = ?", (damage,))
    connection.close()
    with pytest.raises(LedgerError, match="what an entry paid for"):
        ledger.entries()


def test_a_ledger_from_before_events_still_opens_and_still_counts(ledger: Ledger) -> None:
    ledger.charge(Guarantee(epsilon=0.5), purpose="test")
    connection = sqlite3.connect(ledger.path, isolation_level=None)
    for column in ("event", "condition", "asked"):
        connection.execute(f"ALTER TABLE entry DROP COLUMN {column}")
    connection.close()
    old = Ledger(ledger.path)
    assert [(entry.epsilon, entry.event) for entry in old.entries()] == [(Decimal("0.5"), None)]
    old.charge(Guarantee(epsilon=0.25), purpose="test", event=GAUSSIAN)
    assert Ledger(ledger.path).entries()[1].event == GAUSSIAN
    assert old.left_epsilon == Decimal("0.25")


@pytest.mark.parametrize("damage", ["no json", "[]", "{}", '{"mechanism": "cauchy", "scale": 1}', b"\xff"])
def test_damaged_noise_is_noticed(ledger: Ledger, damage: str | bytes) -> None:
    ledger.charge(Guarantee(epsilon=0.5), purpose="test", event=GAUSSIAN)
    connection = sqlite3.connect(ledger.path, isolation_level=None)
    connection.execute("UPDATE entry SET event = ?", (damage,))
    connection.close()
    with pytest.raises(LedgerError, match="noise of an entry"):
        ledger.entries()


@pytest.mark.parametrize(
    "wrong", [{"mechanism": "cauchy"}, {"scale": 0.0}, {"sensitivity": -1.0}, {"repeats": 0}, {"delta": 1.0}]
)
def test_noise_without_meaning_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        NoiseEvent(**{"mechanism": "gaussian", "scale": 1.0} | wrong)
