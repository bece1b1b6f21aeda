"""How time and memory grow with messages and with edges.

``python -m benchmarks.scale [--part words|network] [--quick] [--json FILE]``

Parts: `words` (see `benchmarks.scale_words`) and `network` (see `benchmarks.scale_network`); both by default.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks.rows import show, write

PARTS = ("network", "words")


def main() -> None:
    """Run the parts one after another, and say whether their exponents are within the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append", help="only this part")
    parser.add_argument("--quick", action="store_true", help="a smaller run that ends within 50 seconds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows to this file")
    options = parser.parse_args()
    found = []
    for part in options.part or PARTS:
        for row in import_module(f"benchmarks.scale_{part}").rows(options.quick):
            show(row)
            found.append(row)
    write(found, options.json)


if __name__ == "__main__":
    main()
