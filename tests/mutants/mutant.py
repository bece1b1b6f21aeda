"""A mutant: one fault planted in a copy of the package, and who must notice it.

A fault is noticed by the *program* (an ordinary release refuses to go on), by a *test*, or by the *audit*. Each mutant
names its killer; the harness plants the fault and checks that the killer kills. That the killers pass without the fault
is checked as well, or their verdicts would mean nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[2]
SOURCE = PROJECT / "src"
_PYTEST = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-n", "0"]


@dataclass(frozen=True)
class Mutant:
    """A fault.

    Attributes
    ----------
    name
        What is wrong, in a few words.
    file
        Where it is planted, below `src/entrenous`.
    before, after
        The text that is replaced, which must stand there exactly once, and the fault.
    killer
        Who notices: "program: TRIAL" (see `trials.py`), "audit: SETTING", or the id of a test.
    """

    name: str
    file: str
    before: str
    after: str
    killer: str

    @property
    def killed_by(self) -> str:
        """The kind of the killer."""
        kind = self.killer.split(":")[0]
        return kind if kind in {"program", "audit"} else "test"


def copy_package(folder: Path) -> Path:
    """Return a copy of the source tree with everything compiled so far; times are kept, or it would count as stale."""
    copy = folder / "src"
    shutil.copytree(SOURCE, copy)
    return copy


@contextmanager
def planted(copy: Path, mutants: tuple[Mutant, ...]) -> Iterator[None]:
    """Plant faults in a copy, and put everything back as it was."""
    kept: dict[Path, tuple[bytes, os.stat_result]] = {}
    try:
        for mutant in mutants:
            file = copy / "entrenous" / mutant.file
            kept.setdefault(file, (file.read_bytes(), file.stat()))
            text = file.read_text(encoding="utf-8")
            assert text.count(mutant.before) == 1, (
                f"{mutant.name}: its text stands {text.count(mutant.before)} times"
            )
            file.write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
        yield
    finally:
        for file, (content, status) in kept.items():
            file.write_bytes(content)
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def killed(copy: Path, killer: str) -> tuple[bool, str]:
    """Let a killer look at a copy; return whether it noticed anything, and what it said."""
    kind, _, what = killer.partition(": ")
    if kind in {"program", "audit"}:
        return _look(copy, ["-m", "tests.mutants.trials", kind, what])
    return _look(copy, [*_PYTEST, killer])


def silent(copy: Path, killers: set[str]) -> bool:
    """Tell whether killers notice nothing in a copy without a fault; tests look together, which is quicker."""
    tests = sorted(killer for killer in killers if not killer.startswith(("program: ", "audit: ")))
    alone = [killed(copy, killer)[0] for killer in killers if killer not in tests]
    return not any(alone) and not (tests and _look(copy, [*_PYTEST, *tests])[0])


def _look(copy: Path, arguments: list[str]) -> tuple[bool, str]:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=PROJECT,
        env=os.environ | {"PYTHONPATH": f"{copy}{os.pathsep}{PROJECT}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    said = done.stdout[-2000:] + done.stderr[-2000:]
    assert done.returncode in {0, 1}, f"{arguments[-1]} could not look: {said}"
    return done.returncode == 1, said
