"""What all benchmarks share: their arguments, the real graphs by name, and results as a JSON list of rows."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from entrenous.errors import MissingDataError
from entrenous.graph import Graph
from entrenous.hrg.sampling import draw

__all__ = ["arguments", "data_folder", "real_graph", "show", "synthetic_graph", "write"]


def arguments(
    description: str | None,
    argv: Sequence[str] | None = None,
    more: Callable[[argparse.ArgumentParser], object] | None = None,
) -> argparse.Namespace:
    """Read ``--quick`` and ``--json FILE`` from the command line, and what `more` adds to the parser."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a smaller run that ends within 50 seconds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows to this file")
    if more is not None:
        more(parser)
    return parser.parse_args(argv)


def data_folder() -> Path:
    """Return the folder of the real data: ENTRENOUS_DATA, or ../shared/data beside the repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("ENTRENOUS_DATA", beside))


def real_graph(name: str) -> Graph:
    """Read one of the shared graphs by its name, such as "polblogs"."""
    path = data_folder() / "graphs" / f"{name}.edges.gz"
    if not path.is_file():
        raise MissingDataError(
            f"expected {path.name} in the folder graphs of the real data; got no such file. "
            "Set ENTRENOUS_DATA to the folder that holds graphs/ and mail/"
        )
    return Graph.read(path)


def synthetic_graph(n: int = 1_000_000, m: int = 5_000_000) -> Graph:
    """Draw a graph with half of its edges inside groups of a hundred and half across: the same one every time."""
    groups = np.arange(0, n, 100)
    inside = np.column_stack([groups, groups + 100, groups, groups + 100])
    across = [[0, n // 2, n // 2, n]]
    count = np.append(np.full(len(groups), m // 2 // len(groups)), m // 2)
    return Graph.from_edges(draw(np.arange(n), np.concatenate([inside, across]), count=count, rng=1), n=n)


def show(row: Mapping[str, Any]) -> None:
    """Print a row as it comes."""
    texts = (f"{value:.4g}" if isinstance(value, float) else value for value in row.values())
    print("  ".join(f"{name} {text}" for name, text in zip(row, texts, strict=True)), flush=True)


def write(rows: Sequence[Mapping[str, Any]], path: Path | None) -> None:
    """Write the rows as a JSON list, if a file was asked for."""
    if path is not None:
        path.write_text(json.dumps(list(rows), indent=1) + "\n", encoding="utf-8")
