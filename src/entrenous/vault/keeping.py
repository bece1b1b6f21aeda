"""Releases that were paid for, kept beside their vault: a full disk or a lost folder costs no second charge.

Room for a release is taken on the disk before it is charged. It is saved there as soon as it is drawn, before
anything else is done with it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from entrenous._files import private_files
from entrenous.errors import DiskFull, MissingDataError, is_disk_full
from entrenous.release import Release, read_release

__all__ = ["LEAST_ROOM", "Room", "Shelf"]

LEAST_ROOM = 1 << 20  # bytes that are taken for a release whose size nobody said
RESERVED = ".reserved-"


@dataclass
class Room:
    """Room on a disk: a file that its process holds a lock on, so that others see whether it is still alive."""

    file: Path
    handle: int

    def give_back(self) -> None:
        """Let go of it, once."""
        if self.handle >= 0:
            with suppress(OSError):
                self.file.unlink()
            os.close(self.handle)
            self.handle = -1


class Shelf:
    """The folder beside a vault that keeps its releases: company.vault.kept for company.vault."""

    def __init__(self, vault: Path) -> None:
        real = vault.resolve()
        self.folder = real.with_name(f"{real.name}.kept")

    def numbers(self) -> list[int]:
        """Return the entries whose releases are kept."""
        return sorted({int(folder.stem) for folder in self.folder.glob("*") if folder.stem.isdigit()})

    def place(self, number: int) -> Path:
        """Return where the release of an entry is kept."""
        return self.folder / f"{number:06d}"

    def reserve(self, size: int) -> Room:
        """Take room on the disk before anything is charged; a disk that has none is named."""
        self._clear_after_the_dead()
        file = self.folder / f"{RESERVED}{os.getpid()}-{secrets.token_hex(8)}"
        try:
            with private_files():
                self.folder.mkdir(exist_ok=True)
                room = Room(file, os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except OSError as problem:
            raise self._refusal(problem) from None
        try:
            fcntl.flock(room.handle, fcntl.LOCK_EX)
            _take(room, max(size, LEAST_ROOM))
        except OSError as problem:
            room.give_back()
            raise self._refusal(problem) from None
        return room

    def _refusal(self, problem: OSError) -> DiskFull | MissingDataError:
        if is_disk_full(problem):
            return DiskFull(self.folder, "there is no room to keep the release; nothing was charged")
        return MissingDataError(
            f"{self.folder.name} cannot be written beside the vault, and releases that were paid for are kept there; "
            "nothing was charged"
        )

    def _clear_after_the_dead(self) -> None:
        """Give back the room of killed processes, whose locks nobody holds, and delete what they had half written."""
        for file in self.folder.glob(f"{RESERVED}*"):
            with suppress(OSError):
                room = Room(file, os.open(file, os.O_WRONLY))
                try:
                    fcntl.flock(room.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    os.close(room.handle)
                    continue
                process = file.name.removeprefix(RESERVED).partition("-")[0]
                if process.isdigit() and not _is_running(int(process)):  # its number may be another's by now
                    for half in self.folder.glob(f".*.{process}.partial"):
                        shutil.rmtree(half, ignore_errors=True)
                room.give_back()

    def keep(self, number: int, release: Release[Any], room: Room | None = None) -> None:
        """Save a release under the number of its entry, complete or not at all; one that is there is replaced.

        The room taken for it is given back afterwards, or before a second try if the disk has filled up meanwhile.
        """
        place, new, old = self._places(number)
        target = new if place.exists() else place
        with private_files():
            self.folder.mkdir(exist_ok=True)
            shutil.rmtree(new, ignore_errors=True)
            try:
                release.keep(target)
            except DiskFull:
                if room is None:
                    raise
                room.give_back()
                release.keep(target)
        if target is new:
            shutil.rmtree(old, ignore_errors=True)
            place.rename(old)
            new.rename(place)
            shutil.rmtree(old, ignore_errors=True)
        if room is not None:
            room.give_back()

    def _places(self, number: int) -> tuple[Path, Path, Path]:
        """Return where a release is kept, and where it is while it takes the place of another."""
        place = self.place(number)
        return place, place.with_suffix(".new"), place.with_suffix(".old")

    def read(self, number: int) -> Release[Any]:
        """Return a release that was kept."""
        there = [place for place in self._places(number) if place.is_dir()]
        if not there:
            raise MissingDataError(
                f"no release of entry {number} is kept beside the vault: it was never drawn, or was discarded"
            )
        return read_release(there[0])

    def discard(self, number: int) -> None:
        """Delete what is kept of an entry."""
        for place in self._places(number):
            shutil.rmtree(place, ignore_errors=True)


def _take(room: Room, size: int) -> None:
    """Take so many bytes; where a system cannot, look at least whether they are there."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(room.handle, 0, size)
    elif shutil.disk_usage(room.file.parent).free < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _is_running(process: int) -> bool:
    """Tell whether a process of this machine is alive; whoever may not ask is told that it is."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
