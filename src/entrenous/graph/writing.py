"""Writing graphs: the same graph gives the same bytes, and nothing more is written than it holds."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from entrenous._files import private_files
from entrenous.errors import ArgumentError, DiskFull, MissingDataError, is_disk_full
from entrenous.graph.formats import FORMATS, by_suffix, checked
from entrenous.graph.structure import Graph

__all__ = ["write", "write_nodes"]


def write(
    graph: Graph,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word users know
    comment: str | None = None,
) -> None:
    r"""Write a graph to a file, compressed if its name ends in .gz.

    Edge lists hold no isolated nodes and Matrix Market holds no names: write the node list beside them with
    `write_nodes` and read them back with ``nodes=``.

    Parameters
    ----------
    graph
        The graph.
    path
        The file; one that is already there is replaced.
    format
        The format, if the name of the file does not speak of it, one of `entrenous.graph.formats.FORMATS`; csr is a
        working copy that is mapped into memory instead of read, for its owner alone.
    comment
        A line of ours, such as the stamp of a rehearsal, put where the format keeps comments.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write(Graph.from_edges([(0, 1)], names=["ann", "bob"]), Path(folder) / "friends.edges")
    ...     (Path(folder) / "friends.edges").read_text()
    'ann bob\n'
    """
    file = Path(path)
    name = by_suffix(file.name) if format is None else format
    if name is None:
        raise ArgumentError(
            "format", f"expected one of {', '.join(FORMATS)}, or a file name ending so; got neither"
        )
    chosen = checked(name)
    pieces = chosen.render(graph, comment)
    if chosen.working_copy:
        _save_mappable(file, pieces)
    else:
        _save(file, b"".join(pieces))


def write_nodes(graph: Graph, path: str | Path, *, comment: str | None = None) -> None:
    """Write the names of all nodes, one a line, in their order.

    Raises
    ------
    ArgumentError
        If a name is not its own line: empty, a comment, or with white space around it.
    """
    names = [graph.name(node) for node in range(graph.n)]
    for place, name in enumerate(names):
        surrogates = any("\ud800" <= letter <= "\udfff" for letter in name)
        if (
            name != name.strip()
            or not name
            or name[0] in "#%\ufeff"
            or surrogates
            or set(name) & set("\n\r\0")
        ):
            raise ArgumentError("graph", f"expected names that fill a line; got another at place {place}")
    head = "" if comment is None else f"# {comment}\n"
    _save(Path(path), (head + "".join(f"{name}\n" for name in names)).encode())


def _save_mappable(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a file to be mapped: aside first, so that a copy in use elsewhere stays whole."""
    if path.suffix.lower() == ".gz":
        raise ArgumentError(
            "path", "expected a name without .gz: what is compressed cannot be mapped into memory"
        )
    aside = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with private_files(), aside.open("wb") as file:
            for piece in pieces:
                file.write(piece)
        aside.replace(path)
    except OSError as failure:
        raise _no_place(path, failure) from None
    finally:
        with suppress(OSError):
            aside.unlink()


def _save(path: Path, content: bytes) -> None:
    if path.suffix.lower() == ".gz":
        packed = io.BytesIO()
        # No name and no time in the header: the same graph gives the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as stream:
            stream.write(content)
        content = packed.getvalue()
    try:
        path.write_bytes(content)
    except OSError as failure:
        raise _no_place(path, failure) from None


def _no_place(path: Path, failure: OSError) -> MissingDataError | DiskFull:
    if is_disk_full(failure):
        return DiskFull(path, "it was not written")
    return MissingDataError(f"{path.name}: expected a folder to write to; got {type(failure).__name__}")
