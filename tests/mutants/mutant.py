"""A mutant: one fault planted in a copy of the package, and who must notice it.

A fault is noticed by the *program* (an ordinary release refuses to go on), by a *test*, by the *audit*, or by another
trial of `trials.py`. Each mutant names its killer; the harness plants the fault and checks that the killer kills. That
the killers pass without the fault is checked as well, or their verdicts would mean nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.trials import TRIALS

PROJECT = Path(__file__).parents[2]
SOURCE = PROJECT / "src"


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
        Who notices: "KIND: WHAT" for a trial (see `trials.py`), or the id of a test.
    """

    name: str
    file: str
    before: str
    after: str
    killer: str

    @property
    def killed_by(self) -> str:
        """The kind of the killer."""
        kind = self.killer.split(": ")[0]
        return kind if kind in TRIALS else "test"


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
        with _set_aside(copy, list(kept)):
            yield
    finally:
        for file, (content, status) in kept.items():
            file.write_bytes(content)
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


@contextmanager
def _set_aside(copy: Path, changed: list[Path]) -> Iterator[None]:
    """Keep what is compiled of kernels that a fault changes, so that only they are compiled anew, and only once."""
    stale = [each for kernel in _kernels_of(copy, changed) for each in _compiled(kernel)]
    aside = copy.parent / "aside"
    aside.mkdir()
    moved = [(each, each.rename(aside / str(number))) for number, each in enumerate(stale)]
    try:
        yield
    finally:
        for kernel in _kernels_of(copy, changed):
            for each in _compiled(kernel):
                each.unlink()
        for place, each in moved:
            each.rename(place)
        aside.rmdir()


def _kernels_of(copy: Path, changed: list[Path]) -> list[Path]:
    """Return the kernels that are changed, and those made of them, whose compiled code shows no sign of it."""
    texts = {file: file.read_text(encoding="utf-8") for file in (copy / "entrenous").rglob("*_kernels.py")}
    found, more = {file for file in changed if file in texts}, list(changed)
    while more:
        module = ".".join(more.pop().relative_to(copy).with_suffix("").parts)
        users = {file for file, text in texts.items() if f"from {module} import" in text} - found
        found |= users
        more += users
    return sorted(found)


def _compiled(kernel: Path) -> list[Path]:
    """Return what numba keeps of a file of kernels."""
    return sorted((kernel.parent / "__pycache__").glob(f"{kernel.stem}.*.nb[ic]"))
