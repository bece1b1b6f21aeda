"""Shared things: adding one, who is in it, its page, its file, and the collections of them."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from entrenous.access.votes import DEFAULT, VOTES
from entrenous.errors import ArgumentError
from entrenous.web.http.files.file_answers import answer_file
from entrenous.web.http.forms import Form, Sent
from entrenous.web.http.paging import Cursor
from entrenous.web.http.path_parts import ItemId, Number
from entrenous.web.http.visits import acting, go_to, limit_rate, service, visiting, visitor
from entrenous.web.rules.refusals import Conflict, NotFound, UploadRefused
from entrenous.web.service import befriending, browsing, media, proposals, showing, workflow

__all__ = ["ItemId", "router"]

router = APIRouter()


PAGE = 24
READ = ["GET", "HEAD"]


@router.get("/items/new")
def new_item(request: Request) -> Response:
    """Show the form to add a photo or a document and say who is in it."""
    return _new_item(request)


def _new_item(
    request: Request, *, form: Form | None = None, wrong: str | None = None, status: int = 200
) -> Response:
    with visiting(request) as visit:
        friends = befriending.friends(visit.session, visit.me)
        return visit.page(
            "new_item.html", status=status, wrong=wrong, form=form, friends=friends, votes=VOTES
        )


@router.post("/items")
def add_item(request: Request, form: Sent) -> Response:
    """Take in a photo or a document, tag people, and ask them unless it is to stay a draft."""
    me = acting(request)
    limit_rate(request, f"upload {me.id}", most=200, minutes=60)
    file, ask = form.file("file"), form.text("do") != "draft"
    if file is None:
        return _new_item(request, form=form, wrong="Choose a photo or a document first.", status=422)

    def add(session: Session) -> str:
        item = workflow.create_item(
            session,
            me.id,
            upload,
            title=form.text("title"),
            description=form.text("description"),
            method=form.text("method") or "oc",
            vote=VOTES.get(form.text("vote"), type(DEFAULT)).usual().to_dict(),
            may_be_open=form.flag("open"),
            anchor=form.text("anchor") or "each",
            expires=form.end_of_day("expires"),
        )
        if tagged := form.numbers("friend"):
            workflow.tag(session, me.id, item, tagged)
        if ask:
            workflow.open_item(session, me.id, item, days=form.number("days"))
        return item

    try:
        upload = media.take_in(service(request).database, *file, person=me.id)
        item = me.write(add)
    except (ArgumentError, Conflict) as error:
        return _new_item(request, form=form, wrong=str(error), status=422)
    except UploadRefused as error:
        page = _new_item(request, form=form, wrong=str(error), status=error.status)
        page.headers.update(error.headers)
        return page
    return go_to(f"/items/{item}", "opened" if ask else "drafted")


@router.get("/items/{item}")
def item_page(request: Request, item: ItemId) -> Response:
    """Show an item: to co-owners its whole state, to others the thing itself, to those asked the question."""
    workflow.advance_due(service(request).database, item)
    with visitor(request) as visit:
        try:
            page = showing.item_page(visit.session, visit.viewer, item)
        except NotFound:
            if visit.person is None:
                raise
            card = showing.tag_request(visit.session, visit.me, item)
            return visit.page("tag_request.html", card=card)
        taken = {owner.who.id for owner in page.owners}
        friends = befriending.friends(visit.session, visit.me) if "tag" in page.can else ()
        return visit.page(
            "item.html", item=page, untagged=[friend for friend in friends if friend.who.id not in taken]
        )


@router.api_route("/items/{item}/file", methods=READ)
def item_file(request: Request, item: ItemId) -> Response:
    """Hand out the thing itself to whoever may see it; a link may ask for it as a download."""
    return _file(request, item, "original", download=request.query_params.get("as") == "download")


@router.api_route("/items/{item}/screen", methods=READ)
def item_screen(request: Request, item: ItemId) -> Response:
    """Hand out a photo as large as a screen needs it to whoever may see it."""
    return _file(request, item, "screen")


@router.api_route("/items/{item}/thumbnail", methods=READ)
def item_thumbnail(request: Request, item: ItemId) -> Response:
    """Hand out a small picture of it to whoever may see it."""
    return _file(request, item, "thumbnail")


def _file(request: Request, item: str, variant: str, *, download: bool = False) -> Response:
    with visitor(request) as visit:
        stored = media.read_file(visit.session, visit.viewer, item, variant)
        return answer_file(request, stored, download=download)


@router.post("/items/{item}/tag")
def answer_tag(request: Request, item: ItemId, form: Sent) -> Response:
    """Say whether one is in it; only then does the own voice count."""
    me, accept = acting(request), form.text("answer") == "accept"
    me.do(workflow.answer_tag, item, accept=accept)
    return go_to(f"/items/{item}/view", "accepted") if accept else go_to("/", "declined")


@router.post("/items/{item}/tags")
def tag(request: Request, item: ItemId, form: Sent) -> Response:
    """Say that more friends are in it; they are asked first."""
    me = acting(request)
    me.do(workflow.tag, item, form.numbers("friend"))
    return go_to(f"/items/{item}", "asked")


@router.post("/items/{item}/claim")
def claim(request: Request, item: ItemId) -> Response:
    """Say "I am in this" about an item one can see."""
    me = acting(request)
    limit_rate(request, f"claim {me.id}", most=20, minutes=60)
    me.do(workflow.claim, item)
    return go_to(f"/items/{item}", "claimed")


@router.post("/items/{item}/claims/{claimant}")
def answer_claim(request: Request, item: ItemId, claimant: Number, form: Sent) -> Response:
    """Take a claimant in as a co-owner, or not."""
    me, accept = acting(request), form.text("answer") == "accept"
    me.do(workflow.answer_claim, item, claimant, accept=accept)
    return go_to(f"/items/{item}", "accepted" if accept else "declined")


@router.post("/items/{item}/edit")
def edit(request: Request, item: ItemId, form: Sent) -> Response:
    """Change the title and the description of a draft."""
    me = acting(request)
    me.do(workflow.edit_item, item, title=form.text("title"), description=form.text("description"))
    return go_to(f"/items/{item}", "saved")


@router.post("/items/{item}/expiry")
def expiry(request: Request, item: ItemId, form: Sent) -> Response:
    """Say until when it may be seen."""
    me = acting(request)
    me.do(proposals.set_expiry, item, form.end_of_day("expires"))
    return go_to(f"/items/{item}", "saved")


STEPS: dict[str, tuple[Callable[[Session, int, str], object], str]] = {
    "open": (workflow.open_item, "opened"),
    "untag": (workflow.untag, "untagged"),
    "retag": (workflow.retag, "retagged"),
    "withdraw": (workflow.withdraw, "withdrawn"),
    "undo": (workflow.undo, "undone"),
    "agree": (workflow.agree, "agreed"),
}
"""Steps that need nothing but the person and the item, and what the page says after them."""


@router.post("/items/{item}/do/{step}")
def do_step(request: Request, item: ItemId, step: str) -> Response:
    """Take one of the plain steps."""
    if step not in STEPS:
        raise NotFound
    me, (change, done) = acting(request), STEPS[step]
    me.do(change, item)
    return go_to("/" if step == "withdraw" else f"/items/{item}", done)


@router.get("/gallery")
def gallery(request: Request, before: Cursor = None, after: Cursor = None) -> Response:
    """Show what the visitor may see, newest first."""
    with visitor(request) as visit:
        where = visit.window("visible", before, after)
        page = browsing.gallery(visit.session, visit.viewer, window=where, limit=PAGE)
        return visit.listed("gallery.html", "visible", "cards", page)


@router.get("/of-me")
def of_me(request: Request, before: Cursor = None, after: Cursor = None) -> Response:
    """Show everything the person is in, and who sees it now."""
    with visiting(request) as visit:
        where = visit.window("of-me", before, after)
        page = browsing.of_me(visit.session, visit.me, window=where, limit=PAGE)
        return visit.listed("of_me.html", "of-me", "cards", page)
