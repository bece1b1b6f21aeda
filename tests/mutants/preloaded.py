"""Killers look at copies of the package from one process that has everything imported but the package itself.

To start Python and import numpy, numba, OpenDP, pandas and pytest takes seconds, and there are hundreds of faults. So a
server imports them once, and forks a child for each look: the child puts the copy first on its path, imports the
package from there, runs the killers, and ends. Children share nothing: each has a folder of its own for what is
temporary, and writes no bytecode, so that no fault is left behind in a copy.

As a program it is the server: a look is a line of JSON, {"copy": ..., "killers": [...]}, and so is what is answered,
{"code": ..., "said": ...}. Codes are those of pytest: 0 for nothing noticed, 1 for something, others for a killer that
could not look.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import IO, NoReturn

from tests.mutants.mutant import PROJECT
from tests.mutants.trials import TRIALS

NOT_LOOKED = 2  # as pytest has it for one that was interrupted
SECONDS = 900  # that a look may take
# What the package and its tests import at once or later; modules that pytest rewrites are left to it.
_HEAVY = (
    "numpy", "scipy.special", "scipy.stats", "scipy.sparse.linalg", "numba", "opendp.prelude", "igraph", "pandas",
    "duckdb", "ibis", "sqlglot", "hypothesis", "dp_accounting", "networkx", "typer", "xml.etree.ElementTree", "sqlite3",
)  # fmt: skip
_PYTEST = [
    *("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:schemathesis"),
    # Hypothesis is imported already: its own asserts are not rewritten, those of the tests are.
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
]


class Preloaded:
    """The server, seen from the tests: it is started once, and asked to look as often as one likes."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.mutants.preloaded"],
            cwd=PROJECT,
            # One thread: a child has those of its server no more, and two workers share two cores.
            env={**os.environ, "PYTHONPATH": str(PROJECT), "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        """End the server."""
        self._server.communicate(timeout=60)

    def killed(self, copy: Path, *killers: str) -> tuple[bool, str]:
        """Let killers look at a copy; return whether any noticed something, and what was said. Tests look together."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps({"copy": str(copy), "killers": killers}) + "\n")
        self._server.stdin.flush()
        answer = json.loads(self._server.stdout.readline())
        assert answer["code"] in {0, 1}, f"{', '.join(killers)} could not look: {answer['said']}"
        return answer["code"] == 1, answer["said"]


def look(copy: Path, killers: list[str]) -> int:
    """Let killers look at a copy, in a child that has not imported the package yet."""
    import entrenous

    assert entrenous.__file__ is not None
    assert Path(entrenous.__file__).is_relative_to(copy), entrenous.__file__
    tests = [killer for killer in killers if killer.split(": ")[0] not in TRIALS]
    noticed = False
    for killer in killers:
        kind, _, what = killer.partition(": ")
        if killer not in tests:
            noticed |= TRIALS[kind](what)
    if not tests:
        return int(noticed)
    import pytest

    code = int(pytest.main([*_PYTEST, *tests]))
    return max(code, int(noticed))


def _child(copy: Path, killers: list[str], folder: str, said: IO[bytes]) -> NoReturn:
    """Look, and end; what is printed goes to a file."""
    code = NOT_LOOKED
    try:
        os.setsid()
        for stream in (1, 2):
            os.dup2(said.fileno(), stream)
        os.environ |= {
            "PYTHONPATH": f"{copy}{os.pathsep}{PROJECT}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": folder,
        }
        tempfile.tempdir = None
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(copy))
        code = look(copy, killers)
    except BaseException:  # whatever a fault breaks; a child must never go on as a server
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _looked(copy: Path, killers: list[str]) -> tuple[int, str]:
    """Fork a child that looks, wait for it, and end what it left running."""
    folder = tempfile.mkdtemp(prefix="look-")
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            _child(copy, killers, folder, said)
        deadline = time.monotonic() + SECONDS
        while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() > deadline:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.005)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # not reaped yet, so that the number is still its own
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        text = said.read().decode(errors="replace")
    shutil.rmtree(folder, ignore_errors=True)
    return status, text[-4000:]


def main() -> None:
    """Import what is heavy, then look as often as asked."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for module in (*_HEAVY, "pytest"):
        importlib.import_module(module)
    assert not any(name.split(".")[0] == "entrenous" for name in sys.modules)
    os.environ.pop("PYTEST_ADDOPTS", None)
    gc.collect()
    gc.freeze()  # children neither look through it nor copy it
    for line in sys.stdin:
        asked = json.loads(line)
        code, said = _looked(Path(asked["copy"]), asked["killers"])
        answers.write(json.dumps({"code": code, "said": said}) + "\n")
        answers.flush()
    os._exit(0)  # without what libraries say of their own ends


if __name__ == "__main__":
    main()
