"""Files that hold something confidential: readable and writable by their owner alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["private_files"]


@contextmanager
def private_files() -> Iterator[None]:
    """Let nobody but the owner read or write the files that are made inside.

    The mask belongs to the whole process: files that other threads make meanwhile are private as well, never the
    other way round.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with private_files():
    ...         _ = Path(folder, "kept").write_text("confidential")
    ...     oct(Path(folder, "kept").stat().st_mode & 0o777)
    '0o600'
    """
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
