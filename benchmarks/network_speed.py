"""Seconds and memory of a whole `entrenous network release`, from a file to a folder, as a user types it.

``python -m benchmarks.network_speed [--quick] [--json FILE]``

Every release runs in a process of its own after one that is not counted (which compiles). Peer in the same run:
networkx reading and writing the same file, doing nothing to it. `entrenous --help` stands beside a bare interpreter.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.rows import arguments, data_folder, show, write

GRAPHS = ("ca-AstroPh", "ego-twitter", "dblp-2010")
PROGRAM = str(Path(sys.executable).with_name("entrenous"))
COPY = "import sys, networkx as nx; nx.write_edgelist(nx.read_edgelist(sys.argv[1]), sys.argv[2], data=False)"
SYNTHETIC = "import sys; from benchmarks.rows import synthetic_graph; synthetic_graph(10**6, 10**7).write(sys.argv[1])"


def main() -> None:
    """Time every graph."""
    options = arguments(__doc__)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for row in measured(Path(folder), options.quick):
            show(row)
            rows.append(row)
    write(rows, options.json)


def measured(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield a row per command."""
    for what, command in (
        ("entrenous --help", [PROGRAM, "--help"]),
        ("bare interpreter", [sys.executable, "-c", ""]),
    ):
        timed(command)
        yield {"graph": "", "what": what} | timed(command)
    files = {name: data_folder() / "graphs" / f"{name}.edges.gz" for name in GRAPHS[: 1 if quick else None]}
    if not quick:
        files["synthetic-10M"] = folder / "synthetic.edges"
        # In a process of its own: memory of this one would be counted as its children's.
        subprocess.run([sys.executable, "-c", SYNTHETIC, str(files["synthetic-10M"])], check=True)
    release(files["ca-AstroPh"], folder / "first")
    for name, file in files.items():
        yield {"graph": name, "what": "release"} | release(file, folder / name)
        if name != "synthetic-10M":  # networkx needs tens of gigabytes for it
            copied = timed([sys.executable, "-c", COPY, str(file), str(folder / f"{name}.copy")])
            yield {"graph": name, "what": "networkx copy"} | copied


def release(file: Path, out: Path) -> dict[str, float]:
    """Time one release at epsilon 1."""
    return timed([PROGRAM, "network", "release", str(file), "--epsilon", "1", "--out", str(out)])


def timed(command: Sequence[str]) -> dict[str, float]:
    """Run a command and return its wall-clock seconds, processor seconds and peak memory."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    seconds = time.perf_counter() - began
    return {
        "seconds": seconds,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / 1024,
    }


if __name__ == "__main__":
    main()
