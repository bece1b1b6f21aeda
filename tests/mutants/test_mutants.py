"""Every planted fault is noticed by its killer, and the killers are silent where there is no fault.

That takes minutes: `make audit` plants them, and `make test` checks that the text of each still stands where it
would be planted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.mutants import MUTANTS
from tests.mutants.mutant import SOURCE, Mutant, copy_package, planted
from tests.mutants.preloaded import Preloaded
from tests.mutants.table import PAGE, table

#: What once stayed unnoticed, planted together, by every setting of the audit about the default mechanism.
FIVE = (
    "the plan overspends twofold",
    "each class of triangles gets the whole share",
    "tails move by one",
    "the number of edges is exact",
    "one noise vector is reused for every chunk",
)
REPLAYED = "replay: owner 20"  # with slots, and two classes of triangles
KILLERS = sorted({mutant.killer for mutant in MUTANTS} | {"program: release", "program: words", REPLAYED})


def named(*names: str) -> tuple[Mutant, ...]:
    """Return the mutants of these names."""
    by_name = {mutant.name: mutant for mutant in MUTANTS}
    return tuple(by_name[name] for name in names)


def group(killer: str) -> str:
    """Return what looks in one process: each trial by itself, and the tests of a folder together."""
    return killer if not killer.startswith("tests/") else killer.split("::")[0].rpartition("/")[0]


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, one for all mutants of a worker."""
    return copy_package(tmp_path_factory.mktemp("mutants"))


@pytest.fixture(scope="session")
def preloaded() -> Iterator[Preloaded]:
    """The server of a worker from which killers look."""
    server = Preloaded()
    yield server
    server.close()


@pytest.mark.audit
@pytest.mark.thorough
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_fault_is_noticed(copy: Path, preloaded: Preloaded, mutant: Mutant) -> None:
    with planted(copy, (mutant,)):
        noticed, said = preloaded.killed(copy, mutant.killer)
    assert noticed, f"{mutant.name} survived: {said}"


@pytest.mark.audit
@pytest.mark.thorough
@pytest.mark.parametrize("together", sorted({group(killer) for killer in KILLERS}))
def test_killers_are_silent_without_a_fault(copy: Path, preloaded: Preloaded, together: str) -> None:
    noticed, said = preloaded.killed(copy, *(killer for killer in KILLERS if group(killer) == together))
    assert not noticed, said


@pytest.mark.audit
@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", [*FIVE, "a rogue asks for a thousandfold", "a rogue returns the graph itself"]
)
def test_what_once_went_unnoticed_is_noticed(copy: Path, preloaded: Preloaded, name: str) -> None:
    (mutant,) = named(name)
    with planted(copy, (mutant,)):
        noticed, said = preloaded.killed(copy, mutant.killer)
    assert noticed, said


@pytest.mark.audit
@pytest.mark.thorough
@pytest.mark.parametrize("name", FIVE)
def test_one_replay_finds_what_once_went_unnoticed(copy: Path, preloaded: Preloaded, name: str) -> None:
    with planted(copy, named(name)):
        noticed, said = preloaded.killed(copy, REPLAYED)
    assert noticed, said


@pytest.mark.audit
@pytest.mark.thorough
def test_five_faults_at_once_stop_a_release(copy: Path, preloaded: Preloaded) -> None:
    with planted(copy, named(*FIVE)):
        assert preloaded.killed(copy, "program: release")[0]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_fault_still_has_its_place(mutant: Mutant) -> None:
    assert (SOURCE / "entrenous" / mutant.file).read_text(encoding="utf-8").count(mutant.before) == 1


def test_there_are_enough_and_the_page_lists_them() -> None:
    assert len(MUTANTS) >= 25
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert table() in PAGE.read_text(encoding="utf-8"), "run: python -m tests.mutants.table"
