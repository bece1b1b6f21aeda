"""Run every benchmark: ``python -m benchmarks [--quick]``. Each also runs alone: ``python -m benchmarks.NAME``."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path

NOT_BENCHMARKS = {"__main__", "rows", "scale_curves", "scale_network", "scale_words", "steps"}


def main() -> None:
    """Run the benchmarks one after another, each in a process of its own."""
    folder = Path(__file__).parent
    for name in sorted(module.name for module in pkgutil.iter_modules([str(folder)])):
        if name not in NOT_BENCHMARKS:
            print(f"== {name}", flush=True)
            subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *sys.argv[1:]], check=True)


if __name__ == "__main__":
    main()
