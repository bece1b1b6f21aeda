"""A proposed change of an item: the form for it, the page that shows it beside what holds, and the answers."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from entrenous.errors import ArgumentError
from entrenous.web.http.files.file_answers import answer_file
from entrenous.web.http.forms import Form, Sent
from entrenous.web.http.path_parts import ItemId
from entrenous.web.http.visits import acting, go_to, limit_rate, service, visiting
from entrenous.web.rules.refusals import Conflict, NotFound, UploadRefused
from entrenous.web.service import media, proposals, showing, workflow

__all__ = ["router"]

router = APIRouter()


@router.get("/items/{item}/change")
def change_page(request: Request, item: ItemId) -> Response:
    """Show what is proposed, or the form to propose something."""
    return _change(request, item)


def _change(
    request: Request, item: str, *, form: Form | None = None, wrong: str | None = None, status: int = 200
) -> Response:
    with visiting(request) as visit:
        page = showing.item_page(visit.session, visit.me, item)
        if page.change is not None:
            return visit.page("change.html", item=page, change=page.change, wrong=wrong, status=status)
        if "propose" not in page.can:
            raise NotFound
        return visit.page("propose.html", item=page, form=form, wrong=wrong, status=status)


@router.post("/items/{item}/change")
def propose(request: Request, item: ItemId, form: Sent) -> Response:
    """Propose to change the title, the words, the last day or the file."""
    me = acting(request)
    limit_rate(request, f"change {me.id}", most=20, minutes=60)
    with visiting(request) as visit:
        shown = showing.item_page(visit.session, visit.me, item)
    try:
        expires = form.end_of_day("expires")
        # A day is all that the form can say: the same day is no change, whatever the hour was.
        same_day = (expires and expires.date()) == (shown.expires and shown.expires.date())
        file = form.file("file")
        upload = media.take_in(service(request).database, *file, person=me.id) if file else None
        done = me.do(
            proposals.propose,
            item,
            title=form.text("title"),
            description=form.text("description"),
            expires=workflow.KEEP if same_day else expires,
            upload=upload,
        )
    except (ArgumentError, Conflict) as error:
        return _change(request, item, form=form, wrong=str(error), status=422)
    except UploadRefused as error:
        page = _change(request, item, form=form, wrong=str(error), status=error.status)
        page.headers.update(error.headers)
        return page
    return go_to(f"/items/{item}", "changed") if done else go_to(f"/items/{item}/change", "proposed")


@router.post("/items/{item}/change/answer")
def answer_change(request: Request, item: ItemId, form: Sent) -> Response:
    """Say yes or no to the change that was shown."""
    me, accept = acting(request), form.text("answer") == "accept"
    try:
        me.do(proposals.answer_change, item, form.text("change"), accept=accept)
    except Conflict as error:
        return _change(request, item, wrong=str(error), status=409)
    return go_to(f"/items/{item}", "change-accepted" if accept else "change-declined")


@router.post("/items/{item}/change/retract")
def retract(request: Request, item: ItemId) -> Response:
    """Take one's own proposal back."""
    acting(request).do(proposals.retract, item)
    return go_to(f"/items/{item}", "retracted")


@router.api_route("/items/{item}/change/file", methods=["GET", "HEAD"])
def proposed_file(request: Request, item: ItemId) -> Response:
    """Hand out the proposed file, to co-owners alone."""
    return _file(request, item, "original")


@router.api_route("/items/{item}/change/screen", methods=["GET", "HEAD"])
def proposed_screen(request: Request, item: ItemId) -> Response:
    """Hand out the proposed photo as large as a screen needs it, to co-owners alone."""
    return _file(request, item, "screen")


def _file(request: Request, item: str, variant: str) -> Response:
    with visiting(request) as visit:
        return answer_file(request, media.read_proposed(visit.session, visit.me, item, variant))
