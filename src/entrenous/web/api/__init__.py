"""The interface for programs, `/v1`: mediating, checking, and what people do with items, friends and circles."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends

from entrenous.web.api import amending, checks, me, shared
from entrenous.web.api.schemas import ProblemShape
from entrenous.web.http.problems import MEDIA_TYPE
from entrenous.web.http.visits import count_address

__all__ = ["router"]

_PROBLEM: dict[str, Any] = {"model": ProblemShape, "content": {MEDIA_TYPE: {}}}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"description": "Not understood.", **_PROBLEM},
    401: {"description": "No valid token.", **_PROBLEM},
    403: {"description": "The token lacks a scope.", **_PROBLEM},
    404: {"description": "Nothing there, or nothing that you may see.", **_PROBLEM},
    409: {"description": "Not possible in the present state.", **_PROBLEM},
    413: {"description": "Too large.", **_PROBLEM},
    422: {"description": "Some fields do not fit.", **_PROBLEM},
    429: {"description": "Too many requests.", **_PROBLEM},
    503: {"description": "Too much at this moment.", **_PROBLEM},
}

router = APIRouter(prefix="/v1", responses=PROBLEMS, dependencies=[Depends(count_address)])
for part in (checks, me, amending, shared):  # the plain steps of `shared` come last
    router.include_router(part.router)
