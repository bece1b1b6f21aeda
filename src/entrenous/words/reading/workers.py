"""Processes that digest mail side by side: parsing it takes most of the time of reading.

Each is a Python of its own that is sent blocks and answers with arrow batches over pipes. It ends when its pipe is
closed, also because the reader was killed, and says nothing on any stream a user sees.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.abc import MetaPathFinder
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any

from entrenous._parallel import threads
from entrenous.errors import FormatError, MissingExtraError
from entrenous.words.reading.digest import Block, digest, messages_in
from entrenous.words.reading.text.segmentation import EXTRA, needs_extra

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Workers", "forgo_pandas", "serve"]

ENOUGH = 4 << 20  # bytes of mail for which starting processes pays
PROGRAM = "from entrenous.words.reading.workers import forgo_pandas, serve; forgo_pandas(); serve()"


class Workers:
    """As many processes as may compute at once, or none if there is little to do: then blocks are digested here.

    Parameters
    ----------
    columns
        The column of each field of a table.
    size
        How many bytes there are to read.
    """

    def __init__(self, columns: Mapping[str, str], size: int) -> None:
        self._columns = dict(columns)
        self.count = threads() if size >= ENOUGH and threads() > 1 else 0
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._threads = ThreadPoolExecutor(max(self.count, 1))
        self._processes = [_started() for _ in range(self.count)]
        for process in self._processes:
            self._idle.put(process)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            with process:
                process.communicate()

    def digest(self, block: Block) -> Future[pa.RecordBatch]:
        """Have a block digested; rows of tables that are no bytes stay here."""
        if self.count and isinstance(block.units[0], bytes):
            return self._threads.submit(self._asked, block)
        done: Future[pa.RecordBatch] = Future()
        try:
            done.set_result(digest(messages_in(block, self._columns)))
        except (FormatError, MissingExtraError) as problem:
            done.set_exception(problem)
        except Exception as problem:  # noqa: BLE001 - its text may quote a message
            done.set_exception(FormatError(_unreadable(problem), file=block.where))
        return done

    def _asked(self, block: Block) -> pa.RecordBatch:
        import pyarrow as pa

        process = self._idle.get()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            header = {
                "form": block.form,
                "where": block.where,
                "first": block.first,
                "columns": self._columns,
                "sizes": [len(unit) for unit in block.units],
            }
            process.stdin.write(json.dumps(header).encode() + b"\n")
            process.stdin.write(b"".join(block.units))
            process.stdin.flush()
            answer = json.loads(process.stdout.readline() or b'{"failed": "the process ended"}')
            content = process.stdout.read(answer.get("size", 0))
        finally:
            self._idle.put(process)
        if answer.get("extra") == EXTRA:
            raise needs_extra()
        if "failed" in answer:
            raise FormatError(answer["failed"], file=block.where, line=answer.get("line"))
        return pa.ipc.open_stream(pa.py_buffer(content)).read_next_batch()


class _NoPandas(MetaPathFinder):
    """Says that there is no pandas."""

    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("none here", name=fullname)


def forgo_pandas() -> None:
    """Keep this process from loading pandas, which nothing here needs.

    If it is installed, pyarrow loads it to ask whether a list is one of its own. That takes a second of each process.
    """
    sys.meta_path.insert(0, _NoPandas())


def serve() -> None:
    """Digest blocks from standard input until it ends."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while line := requests.readline():
        header = json.loads(line)
        units = [requests.read(size) for size in header["sizes"]]
        block = Block(header["form"], header["where"], header["first"], units)
        _answer(answers, block, header["columns"])
        answers.flush()


def _answer(answers: IO[bytes], block: Block, columns: Mapping[str, str]) -> None:
    import pyarrow as pa

    try:
        batch = digest(messages_in(block, columns))
    except MissingExtraError as problem:
        answers.write(json.dumps({"failed": str(problem), "extra": problem.extra}).encode() + b"\n")
        return
    except FormatError as problem:
        _, _, message = str(problem).partition(": ")  # the place is named again by whoever asked
        answers.write(json.dumps({"failed": message, "line": problem.line}).encode() + b"\n")
        return
    except Exception as problem:  # noqa: BLE001 - told to whoever asked, by its kind: its text may quote a message
        answers.write(json.dumps({"failed": _unreadable(problem)}).encode() + b"\n")
        return
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    content = sink.getvalue()
    answers.write(json.dumps({"size": content.size}).encode() + b"\n")
    answers.write(content)


def _unreadable(problem: Exception) -> str:
    return f"expected messages that can be read; got {type(problem).__name__} in one of them"


def _started() -> subprocess.Popen[bytes]:
    command: list[Any] = [sys.executable, "-c", PROGRAM]
    path = os.pathsep.join(place for place in sys.path if place)
    return subprocess.Popen(  # noqa: S603 - our own program
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": path},
    )
