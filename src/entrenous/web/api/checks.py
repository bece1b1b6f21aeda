"""The part of the interface about deciding and checking: mediate a group, ask who may see an item."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from entrenous import access
from entrenous.access.mediation import ENGINE
from entrenous.errors import ArgumentError
from entrenous.web.api.callers import Bearer, calling
from entrenous.web.api.schemas import Batch, BatchChecked, Check, Checked, Decided, Mediation
from entrenous.web.http.problems import Problem
from entrenous.web.http.visits import limit_rate, service
from entrenous.web.rules.visibility import visible_ids

__all__ = ["router"]

SMALL_GROUP = 128
"""Scores in a group that is mediated in a moment; larger ones take up to seconds, so they are counted."""

router = APIRouter()


@router.post("/mediate", response_model=Decided, tags=["decide"])
async def mediate(request: Request, group: Mediation, _token: Bearer) -> Response:
    """Mediate a group that is sent along. Nothing of it is stored, and no stored answer is read.

    The answer holds everybody's settled scores: it is for whoever runs the mediation. `reasons` holds for each
    person what may be told to that person.
    """
    if sum(len(wish or ()) for wish in group.wishes.values()) > SMALL_GROUP:
        return await run_in_threadpool(_mediate, request, group, counted=True)
    return await service(request).quickly(_mediate, request, group)


def _mediate(request: Request, group: Mediation, *, counted: bool = False) -> Response:
    with calling(request, "mediate") as (_, person):
        asker = person.id  # the database is let go before the work begins
    if counted:
        limit_rate(request, f"mediate {asker}", most=300, minutes=60)
    try:
        decision = access.decide(
            access.Item.from_dict(group.model_dump(exclude_none=True) | {"wishes": group.wishes})
        )
    except ArgumentError as error:
        raise Problem(422, "invalid", "The group does not fit together.", [_place(error)]) from None
    return JSONResponse(decision.to_dict() | {"agreed": decision.agreed, "engine": ENGINE})


@router.post("/check", response_model=Checked, tags=["check"])
async def check(request: Request, question: Check, _token: Bearer) -> Response:
    """Say whether the token's owner may see an item now. Unknown and forbidden are answered alike."""
    visible = await service(request).quickly(_visible, request, [question.item])
    return JSONResponse({"item": question.item, "visible": question.item in visible})


@router.post("/check/batch", response_model=BatchChecked, tags=["check"])
async def check_batch(request: Request, question: Batch, _token: Bearer) -> Response:
    """Say which of up to 1,000 items the token's owner may see now."""
    visible = await service(request).quickly(_visible, request, question.items)
    return JSONResponse({"visible": [item for item in dict.fromkeys(question.items) if item in visible]})


def _visible(request: Request, items: list[str]) -> set[str]:
    with calling(request, "check") as (session, person):
        return visible_ids(session, person.id, items)


def _place(error: ArgumentError) -> dict[str, str]:
    """Return where the fault is and what was expected; the engine's messages never quote a score."""
    return {"field": error.argument, "expected": str(error).removeprefix(f"{error.argument}: ")}
