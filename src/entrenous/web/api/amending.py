"""The part of the interface about changing what was agreed."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from fastapi import APIRouter, File, Form, Request, UploadFile
from sqlalchemy.orm import Session
from starlette.responses import Response

from entrenous.web.api.callers import Bearer, caller, calling, read
from entrenous.web.api.schemas import ChangeAnswer, Done, Effect
from entrenous.web.http.files.file_answers import FILE_ANSWERS, answer_file
from entrenous.web.http.path_parts import ItemId, Moment
from entrenous.web.http.visits import limit_rate, service
from entrenous.web.rules.refusals import NotFound
from entrenous.web.service import media, proposals, showing, workflow
from entrenous.web.store.records import Change

__all__ = ["router"]

router = APIRouter(tags=["items"])


@router.get("/items/{item}/change")
def change(request: Request, item: ItemId, _token: Bearer) -> Change:
    """Return what is proposed to change in an item, for its co-owners."""
    found = read(request, showing.item_page, item).change
    if found is None:
        raise NotFound
    return found


@router.post("/items/{item}/change", response_model=Effect, status_code=201)
def propose(
    request: Request,
    item: ItemId,
    _token: Bearer,
    title: Annotated[str | None, Form(min_length=1, max_length=120)] = None,
    description: Annotated[str | None, Form(max_length=1000)] = None,
    expires: Annotated[Moment | None, Form(description="When it stops being shown")] = None,
    never_expires: Annotated[bool, Form(description="Shown without an end")] = False,
    file: Annotated[
        UploadFile | None, File(description="Another file in its place, of the same kind")
    ] = None,
) -> Response:
    """Propose a change; what is left out stays. It takes effect when every co-owner has said yes."""
    who = caller(request)
    limit_rate(request, f"change {who.id}", most=20, minutes=60)
    upload = None
    if file is not None:
        upload = media.take_in(service(request).database, file.file, file.filename or "", person=who.id)
    digest = hashlib.sha256(upload.content).hexdigest() if upload else None
    sent = [digest, title, description, expires, never_expires]

    def propose_it(session: Session) -> Effect:
        keep = expires is None and not never_expires
        done = proposals.propose(
            session,
            who.id,
            item,
            title=title,
            description=description,
            expires=workflow.KEEP if keep else expires,
            upload=upload,
        )
        return Effect(in_effect=done)

    return who.write(propose_it, sent, status=201)


@router.delete("/items/{item}/change", response_model=Done)
def retract(request: Request, item: ItemId, _token: Bearer) -> Response:
    """Take the owner's own proposal back."""
    return caller(request).do(None, proposals.retract, item)


@router.post("/items/{item}/change/answer", response_model=Done)
def answer_change(request: Request, item: ItemId, sent: ChangeAnswer, _token: Bearer) -> Response:
    """Say yes or no to the change with this id. Nobody is told who said no."""
    return caller(request).do(sent, proposals.answer_change, item, sent.change, accept=sent.accept)


@router.head("/items/{item}/change/file", include_in_schema=False)
@router.get("/items/{item}/change/file", response_class=Response, responses=FILE_ANSWERS)
def proposed_file(
    request: Request,
    item: ItemId,
    _token: Bearer,
    variant: Literal["original", "screen", "thumbnail"] = "original",
) -> Response:
    """Return the file that is proposed, for co-owners."""
    with calling(request, "read") as (session, person):
        return answer_file(request, media.read_proposed(session, person.id, item, variant), download=True)
