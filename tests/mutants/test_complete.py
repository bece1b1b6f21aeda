"""Everything private has faults planted in it: new private code must add its own, or say why it has none."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path
from typing import Any

import pytest
from tests.mutants import MUTANTS
from tests.mutants.mutant import SOURCE

import entrenous
from entrenous.network.mechanisms import MECHANISMS
from entrenous.statistic import Statistic
from entrenous.unit import Unit

PACKAGE = SOURCE / "entrenous"
#: Files that see private data, draw, count prices, or say what is promised.
PRIVATE = (
    "desk.py", "guarantee.py", "noise.py", "opendp.py", "price.py", "statistic.py", "unit.py",
    "network/release.py", "network/statistics/*.py", "vault/*.py", "words/counting/*.py", "words/request.py",
    "words/histogram/*.py", "words/rivals/statistics/*.py", "words/statistics/*.py", "words/statistics/nested/*.py",
    "words/vocabulary/*.py",
)  # fmt: skip
#: Files among them in which no fault would give anything away that is not planted elsewhere.
WITHOUT = {
    "vault/budget.py": "a budget is a row of numbers: what they allow is decided in composition.py",
    "vault/outlook.py": "tells what is left, and decides nothing",
    "vault/page.py": "draws a page of what a vault knows",
    "vault/verification.py": "what must be sealed is planted in chain/entry.py, and read again by this",
    "words/counting/_kernels.py": "arranges rows that are counted, and counts for the curator: no answer is made here",
    "words/counting/neighbourhood.py": "counts ties of a graph that is public wherever it is asked",
    "words/counting/neighbours.py": "calibrates beliefs for the curator; what is measured promises nothing",
    "words/counting/table.py": "holds rows as they were counted; how many take part is decided by each statistic",
    "words/histogram/tallies.py": "what is published already, written and read back",
    "words/rivals/statistics/taking_part.py": "which n-grams occur; what becomes of that is planted in each rival",
    "words/vocabulary/artifact.py": "what is published already, written and read back",
    "words/vocabulary/name_counts.py": "what is published already, in the order of names",
    "words/vocabulary/page.py": "draws a page of what is published",
    "words/vocabulary/release.py": "asks desks in an order that program and tests of vaults watch",
}
#: Statistics that draw in compiled loops, or leave rules of theirs to another file.
BESIDE = {
    "Communities": "network/statistics/_kernels.py",
    "GuidedLonger": "words/statistics/candidates.py",
    "NestedLonger": "words/statistics/candidates.py",
    "NestedWords": "words/statistics/nested/nesting.py",
    "PolicyWeights": "words/statistics/_kernels.py",
    "SingleWords": "words/statistics/named_weights.py",
    "Slots": "network/statistics/_kernels.py",
    "TwoAdaptiveRounds": "words/rivals/statistics/_kernels.py",
    "ValidNgrams": "words/statistics/candidates.py",
}
#: For each unit a fault that breaks what is promised for it.
UNITS = {
    Unit.EDGE: "degrees move by one",
    Unit.EDGE_CONTENT: "contents are not bounded before they are counted",
    Unit.REPLACED_CONTENT: "a replaced content pays once",
    Unit.MESSAGE: "messages give every copy their whole weight",
    Unit.THREAD: "messages of a thread have shares of their own",
    Unit.EDGE_AND_MESSAGE: "edges are not clipped",
    Unit.ALL_OF_MAIL: "all of mail forgets threads",
    Unit.SENDER: "an edge has one writer",
    Unit.REPLACED_SENDER: "sizes of holders that are replaced pay once",
    Unit.GROUP: "the threshold of words is for one holder of a group",
    Unit.CORRELATED_EDGE: "the noise of counts is calibrated to five times epsilon",
}


def statistics() -> list[type[Statistic[Any, Any]]]:
    """Every question that can be asked of private data."""
    for module in pkgutil.walk_packages(entrenous.__path__, "entrenous."):
        if "statistics" in module.name.split("."):
            importlib.import_module(module.name)
    found: set[type[Statistic[Any, Any]]] = set()
    more: list[type[Statistic[Any, Any]]] = [Statistic]
    while more:
        kinds = more.pop().__subclasses__()
        more += kinds
        found |= {kind for kind in kinds if kind.__module__.startswith("entrenous.")}
    return sorted(found, key=lambda kind: kind.__qualname__)


def file_of(kind: type) -> str:
    return Path(inspect.getsourcefile(kind) or "").relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("kind", statistics(), ids=lambda kind: kind.__name__)
def test_every_statistic_has_faults_of_its_own(kind: type[Statistic[Any, Any]]) -> None:
    """One within each class; and two, with those of the file it draws in, for each that draws in its own way."""
    inside = [
        mutant
        for mutant in MUTANTS
        if mutant.file == file_of(kind) and mutant.before in inspect.getsource(kind)
    ]
    assert inside or kind.__name__ in BESIDE, f"{kind.__name__}: plant a fault in it (tests/mutants/faults)"
    beside = [mutant for mutant in MUTANTS if mutant.file == BESIDE.get(kind.__name__)]
    assert len(inside) + len(beside) >= (2 if "draw" in vars(kind) else 1)


def private_files() -> list[str]:
    files = {file.relative_to(PACKAGE).as_posix() for pattern in PRIVATE for file in PACKAGE.glob(pattern)}
    return sorted(file for file in files if not file.endswith("__init__.py"))


@pytest.mark.parametrize("file", private_files())
def test_every_private_file_has_faults_or_says_why_not(file: str) -> None:
    planted = any(mutant.file == file for mutant in MUTANTS)
    assert planted != (file in WITHOUT), (
        f"{file}: plant a fault in it (tests/mutants/faults), or say why there is none"
    )


def test_every_unit_has_a_fault() -> None:
    assert UNITS.keys() == {unit for unit in Unit.all() if unit.name in REGISTERED}
    assert set(UNITS.values()) <= {mutant.name for mutant in MUTANTS}


#: Tests register units of their own.
REGISTERED = {unit.name for unit in vars(Unit).values() if isinstance(unit, Unit)}


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_wants_too_much_once(name: str) -> None:
    file = Path(inspect.getsourcefile(MECHANISMS[name].run) or "").relative_to(PACKAGE).as_posix()
    assert any(mutant.file == file for mutant in MUTANTS)


def test_what_is_excused_is_there() -> None:
    assert all((PACKAGE / file).is_file() for file in (*WITHOUT, *BESIDE.values()))
    assert BESIDE.keys() <= {kind.__name__ for kind in statistics()}
