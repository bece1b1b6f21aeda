"""Nothing that was paid for is lost: full disks, killed processes and lost folders."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.vault.orders import ties

from entrenous import links, network
from entrenous.datasets import karate_club
from entrenous.errors import ArgumentError, DiskFull, MissingDataError, OutputExistsError, VaultError
from entrenous.release import Release, read_release
from entrenous.vault import Budget, Vault

CLUB = karate_club()


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault.create(tmp_path / "club.vault", Budget(epsilon=8.0))


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def full_disk(*_: object, **__: object) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def left_over(vault: Vault) -> list[str]:
    return [file.name for file in vault.shelf.folder.glob(".*")]


def test_a_lost_folder_comes_back_as_it_was(vault: Vault, tmp_path: Path) -> None:
    made = [network.release(CLUB, epsilon=1.0, vault=vault) for _ in range(2)]
    folders = [release.save(tmp_path / f"{place}") for place, release in enumerate(made)]
    before, entries = [files(folder) for folder in folders], vault.entries()
    for folder in folders:
        shutil.rmtree(folder)
    numbers = list(vault.state.releases)
    assert vault.shelf.numbers() == numbers
    for number, whole in zip(numbers, before, strict=True):
        again = vault.resume(number).save(tmp_path / f"again-{number}")
        assert files(again) == whole
    assert files(vault.resume().save(tmp_path / "latest")) == before[1]
    assert vault.entries() == entries  # no new charge
    assert left_over(vault) == []


def test_links_are_kept_as_well(vault: Vault, tmp_path: Path) -> None:
    hidden = links.obfuscate(CLUB, steps=500, chains=1, vault=vault)
    coarse = links.generalize(hidden, bits=5.0, vault=vault)
    for made in (hidden, coarse):
        receipt = made.provenance.receipt
        assert receipt is not None
        saved = made.save(tmp_path / f"{receipt.number}")
        assert files(vault.resume(receipt.number).save(tmp_path / f"again-{receipt.number}")) == files(saved)
    assert [entry.kind for entry in vault.state.releases.values()] == ["exposure", "exposure"]


def test_what_is_kept_is_the_owners(vault: Vault) -> None:
    network.release(CLUB, epsilon=1.0, vault=vault)
    assert vault.shelf.folder.stat().st_mode & 0o077 == 0


def test_a_disk_without_room_refuses_before_the_charge(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    before = vault.entries()
    monkeypatch.setattr(os, "posix_fallocate", full_disk)
    with pytest.raises(DiskFull, match=r"the disk that holds club\.vault\.kept is full.*nothing was charged"):
        network.release(CLUB, epsilon=1.0, vault=vault)
    assert vault.entries() == before
    assert left_over(vault) == []


def test_where_room_cannot_be_taken_it_is_looked_for(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "posix_fallocate")
    network.release(CLUB, epsilon=1.0, vault=vault)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(DiskFull, match="nothing was charged"):
        network.release(CLUB, epsilon=1.0, vault=vault)


def test_a_disk_that_fills_up_while_drawing_is_survived(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Room was taken before: it is given back for a second try."""
    keep, tries = Release.keep, []

    def once_full(release: Release[Any], folder: Path) -> None:
        tries.append(folder)
        if len(tries) == 1:
            raise DiskFull(folder, "nothing was written")
        assert left_over(vault) == [], "the room was given back"
        keep(release, folder)

    monkeypatch.setattr(Release, "keep", once_full)
    made = network.release(CLUB, epsilon=1.0, vault=vault)
    assert "not kept" not in made.private
    assert vault.resume() == made


def test_a_disk_that_stays_full_still_lets_the_release_be_saved_elsewhere(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr("entrenous.release.Card.write", full_disk)
        made = network.release(CLUB, epsilon=1.0, vault=vault)
        assert "is full" in made.private["not kept"]
        assert "is kept" not in made.private["not kept"]
        with pytest.raises(DiskFull, match="nothing was written"):  # it is kept nowhere: nothing else is said
            made.save(tmp_path / "public")
    made.save(tmp_path / "public")
    assert read_release(tmp_path / "public").provenance.receipt == made.provenance.receipt
    vault.keep(made)  # when there is room again
    assert vault.resume() == made


def test_a_full_disk_at_the_end_is_named_and_the_release_resumed(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = network.release(CLUB, epsilon=1.0, vault=vault)
    number = next(iter(vault.state.releases))
    with monkeypatch.context() as full:
        full.setattr(Path, "write_text", full_disk)
        with pytest.raises(
            DiskFull, match=rf"release resume VAULT {number} --out DIR` writes it without a new"
        ):
            made.save(tmp_path / "public")
    assert not (tmp_path / "public").exists()
    assert vault.resume(number).save(tmp_path / "public").is_dir()


def test_an_order_that_fails_gives_its_room_back_and_stays_charged(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = network.MECHANISMS["owner"]
    monkeypatch.setitem(network.MECHANISMS, "owner", replace(owner, run=full_disk))
    with pytest.raises(OSError, match="No space"):
        network.release(CLUB, epsilon=1.0, vault=vault)
    assert left_over(vault) == []
    assert float(vault.total().epsilon) == 1.0
    assert vault.state.drawn == {}


def test_the_room_of_killed_processes_is_given_back(vault: Vault) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    vault.shelf.folder.mkdir()
    (vault.shelf.folder / f".reserved-{process.pid}-abc").touch()
    (vault.shelf.folder / f".000009.{process.pid}.partial").mkdir()
    network.release(CLUB, epsilon=1.0, vault=vault)
    assert left_over(vault) == []


def test_the_room_of_living_processes_is_left_alone(vault: Vault) -> None:
    room = vault.shelf.reserve(0)
    network.release(CLUB, epsilon=1.0, vault=vault)
    assert left_over(vault) == [room.file.name]
    room.give_back()
    room.give_back()  # once is enough
    assert left_over(vault) == []


def test_something_else_on_the_shelf_is_left_alone(vault: Vault) -> None:
    vault.shelf.folder.mkdir()
    (vault.shelf.folder / ".notes.partial").touch()
    (vault.shelf.folder / ".reserved-by-somebody").mkdir()
    network.release(CLUB, epsilon=1.0, vault=vault)
    assert len(left_over(vault)) == 2


def test_a_shelf_that_cannot_be_used_after_the_draw_loses_nothing(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_the_way(*_: object) -> None:
        shutil.rmtree(vault.shelf.folder)
        vault.shelf.folder.touch()
        (vault.shelf.folder / "000001").mkdir()

    monkeypatch.setattr("entrenous.vault.keeping.Shelf.keep", in_the_way)
    made = network.release(CLUB, epsilon=1.0, vault=vault)
    assert made.private["not kept"]
    assert made.save(tmp_path / "public").is_dir()


def test_a_release_that_replaces_what_is_kept_loses_neither(vault: Vault) -> None:
    made = network.release(CLUB, epsilon=1.0, vault=vault)
    (number,) = vault.shelf.numbers()
    withdrawn = made.withdraw("the chain has not mixed")
    vault.keep(withdrawn)
    assert vault.resume(number) == withdrawn
    place = vault.shelf.place(number)
    place.rename(place.with_suffix(".old"))  # as if killed between two steps
    assert vault.shelf.numbers() == [number]
    assert vault.resume(number) == withdrawn
    vault.shelf.discard(number)
    assert vault.shelf.numbers() == []


def test_what_was_never_drawn_or_was_discarded_cannot_be_resumed(vault: Vault) -> None:
    with pytest.raises(VaultError, match="none was drawn"):
        vault.resume()
    lost = vault.charge(ties(1.0))
    with pytest.raises(MissingDataError, match=f"no release of entry {lost.number} is kept"):
        vault.resume(lost.number)
    network.release(CLUB, epsilon=1.0, vault=vault)
    (number,) = vault.shelf.numbers()
    vault.shelf.discard(number)
    with pytest.raises(MissingDataError, match="was discarded"):
        vault.resume(number)
    with pytest.raises(VaultError, match="did not pay for it"):
        vault.keep(network.release(CLUB, epsilon=1.0))


def test_a_shelf_belongs_to_one_vault(vault: Vault, tmp_path: Path) -> None:
    network.release(CLUB, epsilon=1.0, vault=vault)
    (tmp_path / "link.vault").symlink_to(vault.path)
    assert Vault(tmp_path / "link.vault").resume() == vault.resume()
    (tmp_path / "other").mkdir()
    other = Vault.create(tmp_path / "other" / "club.vault", Budget(epsilon=8.0))
    theirs = network.release(CLUB, epsilon=2.0, vault=other)
    with pytest.raises(VaultError, match="did not pay for it"):
        vault.keep(theirs)
    vault.path.unlink()
    with pytest.raises(OutputExistsError, match="keeps releases of another vault"):
        Vault.create(vault.path, Budget(epsilon=8.0))
    shutil.copy(other.path, vault.path)
    with pytest.raises(VaultError, match="did not pay for it"):
        Vault(vault.path).resume()


def test_a_promise_that_is_withdrawn_is_never_kept(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []
    keep = Release.keep
    monkeypatch.setattr(Release, "keep", lambda made, folder: (kept.append(made), keep(made, folder))[1])
    made = network.release(
        CLUB, epsilon=1.0, method="privhrg", steps=100, short_chain=True, diagnose=True, vault=vault
    )
    assert [each.guarantee for each in kept] == [made.guarantee]
    with pytest.raises(ArgumentError, match="diagnose"):
        network.release(CLUB, epsilon=1.0, diagnose=True, vault=vault)


SMALL_DISK = """
set -e
mkdir -p "$1" && mount -t tmpfs -o size=4m none "$1"
cd "$1"
shift
exec "$@"
"""
ON_A_SMALL_DISK = """
import os, sys
from dataclasses import replace
from pathlib import Path
from entrenous import network
from entrenous.datasets import karate_club
from entrenous.errors import DiskFull
from entrenous.vault import Budget, Vault

def fill(leave):
    with open("filler", "ab") as file:
        while os.statvfs(".").f_bavail * os.statvfs(".").f_frsize > leave:
            file.write(bytes(4096))
            file.flush()

vault = Vault.create("club.vault", Budget(epsilon=8.0))
made = network.release(karate_club(), epsilon=1.0, vault=vault)
fill(4096)
try:
    made.save("public")
except DiskFull as problem:
    print("named:", "is full" in str(problem))
try:
    network.release(karate_club(), epsilon=1.0, vault=vault)
except DiskFull as problem:
    print("refused:", "nothing was charged" in str(problem))
os.remove("filler")
print("charged:", float(Vault("club.vault").total().epsilon))
print("resumed:", Vault("club.vault").resume().save("public").is_dir())
owner = network.MECHANISMS["owner"]
def filling(*given):
    fill(0)  # while it draws
    return owner.run(*given)
network.MECHANISMS["owner"] = replace(owner, run=filling)
made = network.release(karate_club(), epsilon=1.0, vault=vault)
print("kept:", "not kept" not in made.private, Path("club.vault.kept").is_dir())
os.remove("filler")
print("again:", Vault("club.vault").resume() == made)
"""


@pytest.mark.faults
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    """On a file system of four megabytes, where this machine lets one be mounted; else the tests above stand alone."""
    shell = ["unshare", "-rm", "sh", "-c", SMALL_DISK, "sh", str(tmp_path / "disk")]
    if subprocess.run([*shell, "true"], capture_output=True, check=False).returncode:
        return
    program = [*shell, sys.executable, "-c", ON_A_SMALL_DISK]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "named: True",
        "refused: True",
        "charged: 1.0",
        "resumed: True",
        "kept: True True",
        "again: True",
    ], done.stderr
