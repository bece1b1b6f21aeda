"""Where engines put what does not fit in memory: a folder for its owner alone."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache

__all__ = ["spill_folder"]


@cache
def spill_folder() -> str:
    """Return the folder that all engines of this process spill to, for its owner alone; removed in the end.

    It is one for all because DuckDB lets two connections share a file only if their settings are the same.
    """
    folder = tempfile.mkdtemp(prefix="entrenous-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
