"""What stands in the addresses of pages and of the interface: ids of items, numbers of all else, moments."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, AwareDatetime

__all__ = ["ItemId", "Moment", "Number"]

ItemId = Annotated[str, Path(max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]


def _within_the_calendar(moment: datetime) -> datetime:
    """Refuse years that no calendar or database knows."""
    if not 1971 <= moment.year <= 9000:
        raise ValueError("expected a year from 1971 to 9000")
    return moment


Moment = Annotated[AwareDatetime, AfterValidator(_within_the_calendar)]
"""A point in time that every database can keep."""
