"""What stands in the paths of pages and of the interface: ids of items, and numbers of everything else."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

__all__ = ["ItemId", "Number"]

ItemId = Annotated[str, Path(max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
