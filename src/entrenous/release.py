"""An artifact with its promise.

A `Release` has two halves. The *publishable* half is the artifact, the guarantee and the provenance; `save` writes it
and nothing else. The *private* half (traces, likelihoods, models for comparison) is for the curator and never leaves
memory by itself.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import singledispatch
from pathlib import Path
from typing import Any, Generic, TypeVar

from entrenous import __version__
from entrenous.errors import ArgumentError, FormatError, MissingDataError, OutputExistsError
from entrenous.graph import Graph
from entrenous.guarantee import Guarantee
from entrenous.noise import REHEARSAL

__all__ = ["NO_GUARANTEE", "Card", "Provenance", "Release", "check_saving", "read_release"]

NO_GUARANTEE = "No formal guarantee: what is hidden was measured, not promised."

Artifact = TypeVar("Artifact")


@dataclass(frozen=True)
class Provenance:
    """How a release was made. It holds nothing that depends on the data: no input hash, no true count, no seed."""

    method: str
    parameters: Mapping[str, str | int | float] = field(default_factory=dict)
    rehearsal: bool = False
    version: str = __version__
    created: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())


@dataclass(frozen=True)
class Release(Generic[Artifact]):
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

    artifact: Artifact
    guarantee: Guarantee | None
    provenance: Provenance
    private: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def card(self) -> Card:
        """The publishable description of this release."""
        return Card(self.guarantee, self.provenance)

    def save(self, folder: str | Path, *, format: str | None = None) -> Path:  # noqa: A002 - the user's word
        """Write the publishable half into a new folder, complete or not at all.

        Everything is written to a folder aside and renamed at the end, so that whatever carries the name asked for is
        complete. A folder that is there is never touched.
        """
        folder = Path(folder)
        with _aside(folder) as aside:
            files = write_artifact(
                self.artifact, aside, format, REHEARSAL if self.provenance.rehearsal else None
            )
            self.card.write(aside, files)
            _flush(aside)
            try:
                aside.rename(folder)
            except OSError:
                _check_free(folder)  # somebody else was quicker
                raise
        return folder


def read_release(folder: str | Path) -> Release[Graph]:
    """Read back what `Release.save` wrote of a graph: the publishable half, with all nodes."""
    folder = Path(folder)
    card = Card.read(folder)
    files = sorted(file for file in folder.glob("graph.*") if file.is_file())
    if not files:
        raise MissingDataError(f"{folder.name} holds no file graph.*: it is not a saved release of a graph")
    nodes = folder / "nodes.txt"
    graph = Graph.read(files[0], nodes=nodes if nodes.exists() else None)
    return Release(graph, card.guarantee, card.provenance)


def check_saving(artifact: object, folder: str | Path, format: str | None = None) -> None:  # noqa: A002
    """Raise now what saving such an artifact would raise later, so that nothing is charged in vain.

    Hand in an artifact of the same shape that holds nothing private, such as a graph without edges on the same nodes.
    """
    with _aside(Path(folder)) as aside:
        write_artifact(artifact, aside, format, None)


def _check_free(folder: Path) -> None:
    if folder.exists():
        raise OutputExistsError(
            f"{folder.resolve().name} is already there; name a new folder, nothing was overwritten"
        )


@contextmanager
def _aside(folder: Path) -> Iterator[Path]:
    """Make a folder beside the wished one, to be renamed or thrown away."""
    _check_free(folder)
    aside = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        aside.mkdir(parents=True)
    except OSError:
        raise MissingDataError(f"{folder.name} cannot be made there; is the place writable?") from None
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)


@dataclass(frozen=True)
class Card:
    """The publishable description of a release: its promise and how it was made."""

    guarantee: Guarantee | None
    provenance: Provenance

    def to_json(self) -> dict[str, Any]:
        """Return the card as plain JSON values."""
        return {
            "guarantee": self.guarantee.to_json() if self.guarantee else None,
            "method": self.provenance.method,
            "parameters": dict(self.provenance.parameters),
            "rehearsal": REHEARSAL if self.provenance.rehearsal else None,
            "made_by": f"entrenous {self.provenance.version}",
            "created": self.provenance.created,
        }

    def text(self, files: Mapping[str, str]) -> str:
        """Return the card for people, as Markdown."""
        lines = ["# What this folder promises", ""]
        if self.provenance.rehearsal:
            lines += [f"**Rehearsal, {REHEARSAL}. Do not publish.**", ""]
        if self.guarantee is None:
            lines += [NO_GUARANTEE]
        else:
            lines += [self.guarantee.sentence, "", "It rests on this:", ""]
            lines += [f"- {sentence}" for sentence in self.guarantee.assumptions]
        lines += ["", "## How it was made", "", f"- method: {self.provenance.method}"]
        lines += [f"- {name}: {value}" for name, value in self.provenance.parameters.items()]
        lines += [f"- by entrenous {self.provenance.version}, {self.provenance.created}"]
        lines += ["", "## What is here", ""]
        lines += [f"- `{name}`: {what}" for name, what in files.items()]
        lines += ["- `guarantee.json`: this card for programs", ""]
        return "\n".join(lines)

    def write(self, folder: Path, files: Mapping[str, str]) -> None:
        """Write the card for people and for programs."""
        (folder / "guarantee.json").write_text(json.dumps(self.to_json(), indent=2) + "\n", encoding="utf-8")
        (folder / "card.md").write_text(self.text(files), encoding="utf-8")

    @classmethod
    def read(cls, folder: str | Path) -> Card:
        """Return the card of a saved release."""
        file = Path(folder) / "guarantee.json"
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
            guarantee = None if values["guarantee"] is None else Guarantee.from_json(values["guarantee"])
            made_by, created = str(values["made_by"]), str(values["created"])
            provenance = Provenance(
                method=str(values["method"]),
                parameters=dict(values["parameters"]),
                rehearsal=values["rehearsal"] is not None,
                version=made_by.removeprefix("entrenous "),
                created=created,
            )
        except OSError:
            raise MissingDataError(
                f"{Path(folder).name} holds no guarantee.json: it is not a saved release"
            ) from None
        except (KeyError, TypeError, ValueError):
            raise FormatError("expected the card of a release", file=file.name) from None
        return cls(guarantee, provenance)


@singledispatch
def write_artifact(artifact: object, folder: Path, format: str | None, stamp: str | None) -> dict[str, str]:  # noqa: A002, ARG001
    """Write an artifact's files into a folder and return what each of them is."""
    raise TypeError(f"a release of {type(artifact).__name__} cannot be saved")


@write_artifact.register
def _(artifact: Graph, folder: Path, format: str | None, stamp: str | None) -> dict[str, str]:  # noqa: A002
    if format == "csr":
        raise ArgumentError(
            "format", "csr is for the curator's working copies; publish edges, parquet or another"
        )
    name = f"graph.{format or 'edges'}"
    artifact.write(folder / name, comment=stamp)
    artifact.write_nodes(folder / "nodes.txt", comment=stamp)
    return {
        name: "the released graph, one tie a line" if not format else "the released graph",
        "nodes.txt": "all nodes, also those without a tie",
    }


def _flush(folder: Path) -> None:
    """Put the files on disk before the folder gets its name."""
    for file in [*folder.iterdir(), folder]:
        handle = os.open(file, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
