"""An artifact with its promise.

A `Release` has two halves. The *publishable* half is the artifact, the guarantee and the provenance; `save` writes it
and nothing else. The *private* half (traces, likelihoods, models for comparison) is for the curator and never leaves
memory by itself.

What kinds of artifacts there are is a registry: each kind is an `Artifact`, declared beside its class. Saving, reading
back and describing go through it.
"""

from __future__ import annotations

import errno
import importlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Generic, TypeVar

from entrenous import CAPABILITIES
from entrenous.card import Card, Provenance, Receipt
from entrenous.errors import (
    ArgumentError,
    DiskFull,
    MissingDataError,
    OutputExistsError,
    is_disk_full,
)
from entrenous.graph import Graph
from entrenous.graph.formats import DEFAULT, FORMATS, PUBLISHABLE
from entrenous.guarantee import Guarantee
from entrenous.noise import REHEARSAL

__all__ = [
    "ARTIFACTS",
    "GRAPH",
    "Artifact",
    "Release",
    "artifact_of",
    "check_saving",
    "declare",
    "graph_room",
    "read_release",
]


Published = TypeVar("Published")


@dataclass(frozen=True)
class Release(Generic[Published]):
    """An artifact with its promise.

    Parameters
    ----------
    artifact
        What may be published.
    guarantee
        The promise, or None where nothing is promised.
    provenance
        How it was made.
    private
        The curator's half; `save` never writes it.
    """

    artifact: Published
    guarantee: Guarantee | None
    provenance: Provenance
    private: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def card(self) -> Card:
        """The publishable description of this release."""
        return Card(self.guarantee, self.provenance)

    def withdraw(self, reason: str) -> Release[Published]:
        """Return the release without its promise, and with the reason on its card."""
        provenance = replace(self.provenance, withdrawn=reason)
        return replace(self, guarantee=None, provenance=provenance)

    def save(self, folder: str | Path, *, format: str | None = None) -> Path:  # noqa: A002 - the user's word
        """Write the publishable half into a new folder, complete or not at all.

        Everything is written to a folder aside and renamed at the end, so that whatever carries the name asked for is
        complete. A folder that is there is never touched.
        """
        receipt = None if "not kept" in self.private else self.provenance.receipt
        return _saved(self, Path(folder), format, receipt)

    def keep(self, folder: Path) -> None:
        """Save it where nothing else keeps it yet."""
        _saved(self, folder, None, None)


def _saved(release: Release[Any], folder: Path, file_format: str | None, kept_under: Receipt | None) -> Path:
    """Save a release; a full disk names the receipt under which it is kept."""
    with _aside(folder) as aside, _naming_full_disks(folder, kept_under):
        kind = artifact_of(release.artifact, release.provenance.method)
        stamp = REHEARSAL if release.provenance.rehearsal else None
        files = kind.write(release.artifact, aside, file_format, stamp)
        release.card.write(aside, files)
        _forget_the_hour(aside, release.provenance.created)
        _flush(aside)
        try:
            aside.rename(folder)
        except OSError:
            _check_free(folder)  # somebody else was quicker
            raise
    return folder


@dataclass(frozen=True)
class Artifact(Generic[Published]):
    """A kind of thing that is published: how it is written, recognised, read back and described.

    Attributes
    ----------
    noun
        What it is called in messages, such as "graph".
    of
        Its class.
    files
        What a saved folder of it may hold besides the card, and what each file is. Names may be patterns; a folder is
        recognised by the first.
    write
        Writes one into a folder, in a format or in its usual one, with a stamp or without, and returns what each file
        is, for the card.
    read
        Reads one back from a folder and its card.
    page
        The module that says what a page tells about it, loaded on first use; see `entrenous.page.describing`.
    method
        How the name of the method that makes it begins; empty for any method.

    Examples
    --------
    >>> from entrenous.datasets import karate_club
    >>> artifact_of(karate_club()).noun
    'graph'
    """

    noun: str
    of: type[Published]
    files: Mapping[str, str]
    write: Callable[[Published, Path, str | None, str | None], dict[str, str]]
    read: Callable[[Path, Card], Published]
    page: str
    method: str = ""

    def is_in(self, folder: str | Path) -> bool:
        """Tell whether a folder holds the file by which this kind is recognised."""
        return any(file.is_file() for file in Path(folder).glob(next(iter(self.files))))

    def read_release(self, folder: str | Path) -> Release[Published]:
        """Read back what `Release.save` wrote of this kind: the publishable half."""
        folder = Path(folder)
        card = Card.read(folder)
        if not self.is_in(folder):
            raise MissingDataError(
                f"{folder.name} holds no file {next(iter(self.files))}: it is not a saved {self.noun}"
            )
        return Release(self.read(folder, card), card.guarantee, card.provenance)

    def meaning(self, file: str) -> str:
        """Say what a file of a saved folder is; nothing of one that is not known."""
        return next((text for pattern, text in self.files.items() if fnmatch(file, pattern)), "")


ARTIFACTS: list[Artifact[Any]] = []  # the one declared last comes first


def declare(kind: Artifact[Published]) -> Artifact[Published]:
    """Add a kind to the registry; of several that fit, the one declared last is taken."""
    ARTIFACTS.insert(0, kind)
    return kind


def artifact_of(artifact: object, method: str = "") -> Artifact[Any]:
    """Return the kind of an artifact that was made by some method."""
    for kind in ARTIFACTS:
        if isinstance(artifact, kind.of) and method.startswith(kind.method):
            return kind
    known = ", ".join(dict.fromkeys(kind.of.__name__ for kind in ARTIFACTS))
    raise TypeError(f"expected something that can be published: {known}; got {type(artifact).__name__}")


def read_release(folder: str | Path) -> Release[Any]:
    """Read back what `Release.save` wrote, whatever its kind: the publishable half."""
    folder = Path(folder)
    method = Card.read(folder).provenance.method
    capability = method.partition(":")[0]
    if capability in CAPABILITIES:  # its kinds are declared when it is imported
        importlib.import_module(f"entrenous.{capability}")
    for kind in ARTIFACTS:
        if method.startswith(kind.method) and kind.is_in(folder):
            return kind.read_release(folder)
    expected = ", ".join(dict.fromkeys(next(iter(kind.files)) for kind in ARTIFACTS))
    raise MissingDataError(f"{folder.name}: expected one of {expected} beside the card; got none")


def check_saving(
    artifact: object,
    folder: str | Path,
    format: str | None = None,  # noqa: A002 - the user's word
    *,
    room: int = 0,
) -> None:
    """Raise now what saving such an artifact would raise later, so that nothing is charged in vain.

    Hand in an artifact of the same shape that holds nothing private, such as a graph without edges on the same nodes,
    and how many bytes of room the real one will want.
    """
    with _aside(Path(folder)) as aside, _naming_full_disks(Path(folder)):
        artifact_of(artifact).write(artifact, aside, format, None)
        if shutil.disk_usage(aside).free < room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def _naming_full_disks(folder: Path, receipt: Receipt | None = None) -> Iterator[None]:
    """Say of a full disk that it is one, and that what was paid for is kept."""
    try:
        yield
    except (OSError, DiskFull) as problem:
        if isinstance(problem, OSError) and not is_disk_full(problem):
            raise
        kept = (
            "nothing was written"
            if receipt is None
            else (
                f"it was not written. The release is kept beside its vault: `entrenous release resume VAULT "
                f"{receipt.number} --out DIR` writes it without a new charge"
            )
        )
        raise DiskFull(folder, kept) from None


def _check_free(folder: Path) -> None:
    if folder.exists():
        raise OutputExistsError(
            f"{folder.resolve().name} is already there; name a new folder, nothing was overwritten"
        )


@contextmanager
def _aside(folder: Path) -> Iterator[Path]:
    """Make a folder beside the one asked for, to be renamed or thrown away."""
    _check_free(folder)
    aside = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        aside.mkdir(parents=True)
    except OSError as problem:
        if is_disk_full(problem):
            raise DiskFull(folder, "nothing was written") from None
        raise MissingDataError(f"{folder.name} cannot be made there; is the place writable?") from None
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _forget_the_hour(folder: Path, created: str) -> None:
    """Date all files to the day on the card: the hour would tell whoever knows the start how long drawing took."""
    try:
        day = datetime.fromisoformat(created).replace(tzinfo=UTC).timestamp()
    except ValueError:  # a card that somebody else wrote
        return
    for file in [*folder.iterdir(), folder]:
        os.utime(file, (day, day))


def _flush(folder: Path) -> None:
    """Put the files on disk before the folder gets its name."""
    for file in [*folder.iterdir(), folder]:
        handle = os.open(file, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _write_graph(graph: Graph, folder: Path, file_format: str | None, stamp: str | None) -> dict[str, str]:
    if file_format in FORMATS.keys() - set(PUBLISHABLE):
        raise ArgumentError(
            "format",
            f"expected one of {', '.join(PUBLISHABLE)}; got one for working copies, which are the curator's",
        )
    name = f"graph.{file_format or DEFAULT}"
    graph.write(folder / name, comment=stamp)
    graph.write_nodes(folder / "nodes.txt", comment=stamp)
    return {
        name: "the released graph, one tie a line" if not file_format else "the released graph",
        "nodes.txt": "all nodes, also those without a tie",
    }


def _read_graph(folder: Path, card: Card) -> Graph:  # noqa: ARG001 - a graph is complete without its card
    file = min(file for file in folder.glob("graph.*") if file.is_file())
    nodes = folder / "nodes.txt"
    return Graph.read(file, nodes=nodes if nodes.exists() else None)


def graph_room(graph: Graph) -> int:
    """Return how many bytes a release of a graph takes, roughly and rather more: names of ties and nodes."""
    return 40 * (graph.n + graph.m)


GRAPH = declare(
    Artifact(
        noun="graph",
        of=Graph,
        files={"graph.*": "the released graph", "nodes.txt": "all nodes, also those without a tie"},
        write=_write_graph,
        read=_read_graph,
        page="entrenous.network.page",
    )
)
