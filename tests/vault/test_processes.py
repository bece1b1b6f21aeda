"""Many processes, killed at any moment: never overspent, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from entrenous.unit import Unit
from entrenous.vault import Budget, Vault

ROOT = Path(__file__).parents[2]
CHARGING = """
import random, sys
from entrenous.errors import BudgetExceeded
from entrenous.vault import Vault
from tests.vault.orders import ties, words

vault = Vault(sys.argv[1])
rng = random.Random(int(sys.argv[2]))
kinds = [ties, words]
while kinds:
    kind = rng.choice(kinds)
    try:
        entry = vault.charge(kind(0.004))
    except BudgetExceeded:
        kinds.remove(kind)
        continue
    print(entry.number, kind.__name__, flush=True)
"""


def charging(path: Path, seed: int, told: Path) -> subprocess.Popen[bytes]:
    """Start a process that charges a vault until it is refused, and tells of every entry."""
    with told.open("ab") as file:
        command = [sys.executable, "-c", CHARGING, str(path), str(seed)]
        return subprocess.Popen(command, stdout=file, cwd=ROOT)


@pytest.mark.faults
def test_four_processes_three_units_a_thousand_charges_and_kill_9(tmp_path: Path) -> None:
    """A tie goes with its content, so all charges count per edge: exactly a thousand of 0.004 fit."""
    vault = Vault.create(
        tmp_path / "company.vault",
        Budget(4.0, unit=Unit.EDGE),
        Budget(1.2, unit=Unit.EDGE_CONTENT),
        Budget(2.4, unit=Unit.REPLACED_CONTENT),
    )
    rng = np.random.default_rng(5)
    told = [tmp_path / f"{place}.told" for place in range(4)]
    running = [charging(vault.path, place, file) for place, file in enumerate(told)]
    killed = 0
    while killed < 40 and vault.total("edge").left_epsilon > Decimal("0.4"):
        time.sleep(rng.uniform(0.05, 0.3))
        place = int(rng.integers(4))
        os.kill(running[place].pid, signal.SIGKILL)
        running[place].wait()
        killed += 1
        running[place] = charging(vault.path, 100 + killed, told[place])
    for process in running:
        assert process.wait(timeout=300) == 0
    entries = {entry.number: entry for entry in vault.verify()}
    lines = [line.split() for file in told for line in file.read_text().splitlines()]
    acknowledged = [(int(number), kind) for number, kind in lines]
    assert killed
    assert len({number for number, _ in acknowledged}) == len(acknowledged)
    for number, kind in acknowledged:  # nothing that was acknowledged is lost
        assert entries[number].body["sees"] == ["ties" if kind == "ties" else "contents"]
    charges = [entry for entry in entries.values() if entry.kind == "charge"]
    assert len(charges) == 1000
    assert len(charges) - killed <= len(acknowledged) <= len(charges)  # one each may have been under way
    said = sum(entry.body["sees"] == ["contents"] for entry in charges)
    assert said <= 300  # 0.004 each of 1.2
    assert vault.total("edge").left_epsilon == 0
    assert vault.total("edge-content").left_epsilon == Decimal("1.2") - said * Decimal("0.004")
    assert vault.total("replaced-content").left_epsilon == Decimal("2.4") - said * Decimal("0.008")
