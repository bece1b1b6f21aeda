"""Every planted fault is noticed by its killer, and the killers are silent where there is no fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.mutants import MUTANTS
from tests.mutants.mutant import Mutant, copy_package, killed, planted
from tests.mutants.table import PAGE, table

pytestmark = pytest.mark.mutants


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, one for all mutants of a worker."""
    return copy_package(tmp_path_factory.mktemp("mutants"))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_fault_is_noticed(copy: Path, mutant: Mutant) -> None:
    with planted(copy, (mutant,)):
        noticed, said = killed(copy, mutant.killer)
    assert noticed, f"{mutant.name} survived: {said}"


@pytest.mark.parametrize("killer", sorted({mutant.killer for mutant in MUTANTS}))
def test_a_killer_is_silent_without_a_fault(copy: Path, killer: str) -> None:
    noticed, said = killed(copy, killer)
    assert not noticed, said


def test_five_faults_at_once_are_noticed(copy: Path) -> None:
    """What once stayed unnoticed by every setting of the audit about the default mechanism."""
    named = {
        "the plan overspends twofold",
        "each class of triangles gets the whole share",
        "tails move by one",
        "the number of edges is exact",
        "one noise vector is reused for every chunk",
    }
    five = tuple(mutant for mutant in MUTANTS if mutant.name in named)
    assert len(five) == len(named)
    with planted(copy, five):
        assert all(killed(copy, mutant.killer)[0] for mutant in five)


def test_there_are_enough_and_the_page_lists_them() -> None:
    assert len(MUTANTS) >= 25
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert table() in PAGE.read_text(encoding="utf-8"), "run: python -m tests.mutants.table"
