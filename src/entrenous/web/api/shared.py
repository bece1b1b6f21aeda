"""The part of the interface about shared things."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Request, UploadFile
from sqlalchemy.orm import Session
from starlette.responses import Response

from entrenous.access import StrongMajority
from entrenous.access.votes import DEFAULT, VOTES, Vote
from entrenous.errors import ArgumentError
from entrenous.web.api.callers import ANSWERS, Bearer, caller, calling, read, read_answers, read_page, using
from entrenous.web.api.schemas import (
    Answer,
    Created,
    Done,
    Edit,
    Expiry,
    Opening,
    PetitionText,
    Tagging,
    VoteName,
    YesOrNo,
)
from entrenous.web.api.schemas import Limit as LimitSent
from entrenous.web.http.files.file_answers import FILE_ANSWERS, answer_file
from entrenous.web.http.paging import Cursor, Limit
from entrenous.web.http.path_parts import ItemId, Number
from entrenous.web.http.visits import limit_rate, service
from entrenous.web.service import browsing, media, proposals, showing, workflow
from entrenous.web.store.records import ItemCard, ItemPage, MyView

__all__ = ["router"]

router = APIRouter(tags=["items"])

PLAIN_STEPS = {
    "agree": workflow.agree,
    "claim": workflow.claim,
    "retag": workflow.retag,
    "undo": workflow.undo,
    "untag": workflow.untag,
    "withdraw": workflow.withdraw,
}


@router.get("/inbox")
def inbox(
    request: Request,
    response: Response,
    _token: Bearer,
    before: Cursor = None,
    after: Cursor = None,
    limit: Limit = 50,
) -> tuple[ItemCard, ...]:
    """Return what needs the owner: views, tags, claims and outcomes; the header Link has the next page."""
    return read_page(request, response, "inbox", browsing.inbox, before=before, after=after, limit=limit)


LISTS = {"visible": browsing.gallery, "mine": browsing.mine, "of-me": browsing.of_me}


@router.get("/items")
def items(
    request: Request,
    response: Response,
    _token: Bearer,
    which: Literal["visible", "mine", "of-me"] = "visible",
    before: Cursor = None,
    after: Cursor = None,
    limit: Limit = 50,
) -> tuple[ItemCard, ...]:
    """Return items the owner may see, newest first; the header Link has the next page."""
    return read_page(request, response, which, LISTS[which], before=before, after=after, limit=limit)


@router.post("/items", response_model=Created, status_code=201)
def create_item(
    request: Request,
    _token: Bearer,
    file: Annotated[UploadFile, File(description="JPEG, PNG or WebP, or a document")],
    title: Annotated[str, Form(min_length=1, max_length=120)],
    description: Annotated[str, Form(max_length=1000)] = "",
    method: Annotated[Literal["oc", "oo", "circles"], Form()] = "oc",
    vote: Annotated[
        VoteName, Form(description="Who has to agree; theta alone means majority")
    ] = DEFAULT.name,
    theta: Annotated[
        float | None, Form(gt=0.5, le=1, description="The share of a majority; else two thirds")
    ] = None,
    anchor: Annotated[Literal["each", "any", "originator"], Form()] = "each",
    may_be_open: Annotated[
        bool, Form(description="Whether to ask if names may be told when nothing wider is agreed")
    ] = False,
) -> Response:
    """Put up a photo or a document, as a draft."""
    who = caller(request)
    limit_rate(request, f"upload {who.id}", most=200, minutes=60)
    upload = media.take_in(service(request).database, file.file, file.filename or "", person=who.id)
    rule = _vote(vote, theta)
    content = hashlib.sha256(upload.content).hexdigest()
    sent = [content, title, description, method, rule.to_dict(), anchor, may_be_open]

    def change(session: Session) -> Created:
        item = workflow.create_item(
            session,
            who.id,
            upload,
            title=title,
            description=description,
            method=method,
            vote=rule.to_dict(),
            anchor=anchor,
            may_be_open=may_be_open,
        )
        return Created(id=item)

    return who.write(change, sent, status=201)


def _vote(name: str, theta: float | None) -> Vote:
    """Return the rule that is named, with the share that is given, or that a share alone means."""
    if theta is None:
        return VOTES[name].usual()
    if name not in (DEFAULT.name, StrongMajority.name):
        raise ArgumentError("theta", f"expected with the rule {StrongMajority.name} alone; leave it out")
    return StrongMajority(round(theta, 2))


@router.get("/items/{item}")
def item_page(request: Request, item: ItemId, _token: Bearer) -> ItemPage:
    """Return an item as the owner sees it; what an outcome means beside their own answer needs the scope answers."""
    caller(request, "read")
    workflow.advance_due(service(request).database, item)
    with using(request, "read") as (session, used):
        page = showing.item_page(session, used.person.id, item)
        return page if ANSWERS in used.scopes else showing.without_own_words(session, page)


@router.head("/items/{item}/file", include_in_schema=False)
@router.get("/items/{item}/file", response_class=Response, responses=FILE_ANSWERS)
def item_file(
    request: Request,
    item: ItemId,
    _token: Bearer,
    variant: Literal["original", "screen", "thumbnail"] = "original",
) -> Response:
    """Return the thing itself, or a part of it; with the tag it came with, whether it is still the same."""
    with calling(request, "read") as (session, person):
        return answer_file(request, media.read_file(session, person.id, item, variant), download=True)


@router.put("/items/{item}", response_model=Done)
def edit_item(request: Request, item: ItemId, sent: Edit, _token: Bearer) -> Response:
    """Change title and description of a draft; once others are asked, changes are proposed."""
    return caller(request).do(sent, workflow.edit_item, item, title=sent.title, description=sent.description)


@router.put("/items/{item}/expiry", response_model=Done)
def set_expiry(request: Request, item: ItemId, sent: Expiry, _token: Bearer) -> Response:
    """Say when the item stops being shown; once others are asked, only an earlier moment than before."""
    return caller(request).do(sent, proposals.set_expiry, item, sent.expires)


@router.post("/items/{item}/tags", response_model=Done)
def tag(request: Request, item: ItemId, sent: Tagging, _token: Bearer) -> Response:
    """Say which friends are in an item; they are asked first."""
    return caller(request).do(sent, workflow.tag, item, sent.people)


@router.post("/items/{item}/tags/mine", response_model=Done)
def answer_tag(request: Request, item: ItemId, sent: YesOrNo, _token: Bearer) -> Response:
    """Say whether the owner is in it; only then does their voice count."""
    return caller(request).do(sent, workflow.answer_tag, item, accept=sent.accept)


@router.post("/items/{item}/claims/{claimant}", response_model=Done)
def answer_claim(request: Request, item: ItemId, claimant: Number, sent: YesOrNo, _token: Bearer) -> Response:
    """Take a claimant in as a co-owner, or not."""
    return caller(request).do(sent, workflow.answer_claim, item, claimant, accept=sent.accept)


@router.post("/items/{item}/open", response_model=Done)
def open_item(request: Request, item: ItemId, sent: Opening, _token: Bearer) -> Response:
    """Ask everybody for their view."""
    return caller(request).do(sent, workflow.open_item, item, days=sent.days)


@router.get("/items/{item}/view")
def my_view(request: Request, item: ItemId, _token: Bearer) -> MyView:
    """Return the owner's own view, limit and receipt; needs the scope answers, and nobody can read another's."""
    return read_answers(request, showing.my_view, item)


@router.put("/items/{item}/view", response_model=Done)
def answer(request: Request, item: ItemId, sent: Answer, _token: Bearer) -> Response:
    """Seal the owner's view."""
    limit = sent.limit if "limit" in sent.model_fields_set else workflow.KEEP
    return caller(request).do(sent, workflow.answer, item, sent.scores, limit=limit, named=sent.named)


@router.get("/items/{item}/decisions/{round_}")
def decision_record(request: Request, item: ItemId, round_: Number, _token: Bearer) -> dict[str, Any]:
    """Return the record of a decision for a co-owner: the outcome, and a commitment for each slot."""
    return read(request, showing.record_of, item, round_)


@router.put("/items/{item}/limit", response_model=Done)
def set_limit(request: Request, item: ItemId, sent: LimitSent, _token: Bearer) -> Response:
    """Set the owner's hard limit; a narrower one holds from the next request on."""
    return caller(request).do(sent, workflow.set_limit, item, sent.limit)


@router.post("/items/{item}/petition", response_model=Done)
def petition(request: Request, item: ItemId, sent: PetitionText, _token: Bearer) -> Response:
    """Ask everybody to let it go further."""
    who = caller(request)
    limit_rate(request, f"petition {who.id}", most=10, minutes=60)
    return who.do(sent, workflow.petition, item, sent.text, sent.audience)


@router.post("/items/{item}/{step}", response_model=Done)
def do_step(
    request: Request,
    item: ItemId,
    step: Literal["agree", "claim", "retag", "undo", "untag", "withdraw"],
    _token: Bearer,
) -> Response:
    """Take a plain step: agree with the outcome, claim to be in it, hide or show the own name, undo, withdraw."""
    who = caller(request)
    if step == "claim":
        limit_rate(request, f"claim {who.id}", most=20, minutes=60)
    return who.do(None, PLAIN_STEPS[step], item)
