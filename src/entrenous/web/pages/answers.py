"""What a person says about an item: their view, their limit, whether they agree, and a petition."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from entrenous.access import CHOICES
from entrenous.errors import ArgumentError
from entrenous.web.http import phrases
from entrenous.web.http.forms import Form, Sent
from entrenous.web.http.visits import acting, go_to, limit_rate, service, visiting
from entrenous.web.pages.sharing import ItemId
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.service import befriending, showing, workflow
from entrenous.web.store.records import MyView

__all__ = ["router"]

router = APIRouter()


@router.get("/items/{item}/view")
def my_view(request: Request, item: ItemId, preset: str = "") -> Response:
    """Show the form for one's own view, filled in as far as known."""
    workflow.advance_due(service(request).database, item)
    return _my_view(request, item, preset=preset)


def _my_view(
    request: Request, item: str, *, preset: str = "", form: Form | None = None, wrong: str | None = None
) -> Response:
    with visiting(request) as visit:
        page = showing.item_page(visit.session, visit.me, item)
        if "answer" not in page.can:
            return go_to(f"/items/{item}")
        view = showing.my_view(visit.session, visit.me, item)
        if preset in phrases.PRESETS and view.method != "circles":
            view = replace(view, scores=_preset(view, preset))
        if form is not None:
            view = replace(view, scores=_scores(form, view.scored), limit=_limit(form, view))
        return visit.page(
            "my_view.html", item=page, view=view, preset=preset, wrong=wrong, status=422 if wrong else 200
        )


@router.post("/items/{item}/view")
def answer(request: Request, item: ItemId, form: Sent) -> Response:
    """Seal one's view."""
    me = acting(request)
    with visiting(request) as visit:
        view = showing.my_view(visit.session, visit.me, item)
    scores, limit = _scores(form, view.scored), _limit(form, view)
    if len(scores) < len(view.scored):
        return _my_view(request, item, form=form, wrong="Choose one answer in every row.")
    try:
        me.do(workflow.answer, item, scores, limit=limit, named=form.flag("named"))
    except ArgumentError:
        return _my_view(
            request,
            item,
            form=form,
            wrong="A wider audience cannot suit you better than a narrower one that is part of it. "
            "Raise the narrower, or lower the wider one.",
        )
    return go_to(f"/items/{item}", "answered")


@router.get("/items/{item}/limit")
def limit_page(request: Request, item: ItemId) -> Response:
    """Show one's hard limit."""
    with visiting(request) as visit:
        page = showing.item_page(visit.session, visit.me, item)
        if "limit" not in page.can:
            raise NotFound
        return visit.page("limit.html", item=page, view=showing.my_view(visit.session, visit.me, item))


@router.post("/items/{item}/limit")
def set_limit(request: Request, item: ItemId, form: Sent) -> Response:
    """Set one's hard limit; a narrower one holds at once."""
    me = acting(request)
    with visiting(request) as visit:
        limit = _limit(form, showing.my_view(visit.session, visit.me, item))
    me.do(workflow.set_limit, item, limit)
    return go_to(f"/items/{item}", "limited")


@router.get("/items/{item}/petition")
def petition_form(request: Request, item: ItemId) -> Response:
    """Show the form to ask for a wider audience."""
    return _petition(request, item)


def _petition(request: Request, item: str, *, form: Form | None = None, wrong: str | None = None) -> Response:
    with visiting(request) as visit:
        page = showing.item_page(visit.session, visit.me, item)
        if "petition" not in page.can:
            raise NotFound
        choice = page.outcome.choice if page.outcome and page.outcome.agreed else CHOICES[0]
        wider = CHOICES[CHOICES.index(choice) + 1 :] if choice in CHOICES else ()
        return visit.page(
            "petition.html", item=page, wider=wider, form=form, wrong=wrong, status=422 if wrong else 200
        )


@router.post("/items/{item}/petition")
def petition(request: Request, item: ItemId, form: Sent) -> Response:
    """Ask everybody to let it go further."""
    me = acting(request)
    limit_rate(request, f"petition {me.id}", most=10, minutes=60)
    try:
        me.do(workflow.petition, item, form.text("text"), form.text("audience") or None)
    except (ArgumentError, Conflict) as error:
        return _petition(request, item, form=form, wrong=str(error))
    return go_to(f"/items/{item}/view", "petitioned")


@router.get("/items/{item}/receipt")
def receipt(request: Request, item: ItemId) -> Response:
    """Show the receipt of one's sealed answer, as long as the service can open it."""
    with visiting(request) as visit:
        page = showing.item_page(visit.session, visit.me, item)
        view = showing.my_view(visit.session, visit.me, item)
        picture = None if view.receipt is None else _square(view.receipt)
        return visit.page("receipt.html", item=page, receipt=view.receipt, picture=picture)


@router.post("/items/{item}/receipt")
def check_receipt(request: Request, item: ItemId, form: Sent) -> Response:
    """Say whether a receipt opens its commitment in the record of a decision."""
    with visiting(request) as visit:
        page = showing.item_page(visit.session, visit.me, item)
        fits = showing.check_receipt(visit.session, visit.me, item, form.text("receipt"))
        return visit.page("receipt.html", item=page, receipt=None, picture=None, fits=fits)


def _square(text: str) -> Markup:
    """Return a text as a QR code, drawn in the page itself."""
    import segno

    code = segno.make(text, error="l", micro=False)
    return Markup(code.svg_inline(scale=3, light="#fff", title="Your receipt as a QR code"))  # noqa: S704 - squares alone


@router.get("/standing-line")
def standing_line(request: Request) -> Response:
    """Show how far things go for the person if they do not answer in time, and what others could know of it."""
    return _standing_line(request)


def _standing_line(request: Request, wrong: str | None = None) -> Response:
    with visiting(request) as visit:
        line = befriending.standing_line(visit.session, visit.me)
        known = befriending.known_lines(line) if line else ()
        friends = befriending.friends(visit.session, visit.me)
        return visit.page(
            "standing_line.html",
            line=line,
            known=known,
            friends=friends,
            wrong=wrong,
            status=422 if wrong else 200,
        )


@router.post("/standing-line")
def set_standing_line(request: Request, form: Sent) -> Response:
    """Keep a standing line, or do without."""
    me = acting(request)
    line = None if form.text("do") == "clear" else form.text("line")
    counts_for = [int(number) for number in form.texts("counts") if number.isdigit()]
    try:
        me.do(befriending.set_standing_line, line, counts_for)
    except (ArgumentError, Conflict) as error:
        return _standing_line(request, str(error))
    return go_to("/standing-line", "saved")


def _scores(form: Form, scored: tuple[str, ...]) -> dict[str, int]:
    """Return the scores that were chosen, as far as they were."""
    chosen = {choice: form.number(f"score-{choice}") for choice in scored}
    return {choice: score for choice, score in chosen.items() if score is not None}


def _limit(form: Form, view: MyView) -> str | tuple[str, ...] | None:
    """Return the limit that was chosen: an audience, or the circles that may ever see the item."""
    if view.method == "circles":
        return (
            tuple(name for name in form.texts("limit") if name in view.scored)
            if form.flag("limited")
            else None
        )
    return form.text("limit") or None


def _preset(view: MyView, preset: str) -> dict[str, int]:
    scores = dict(zip(CHOICES[1:], phrases.PRESETS[preset][1], strict=True))
    return {choice: scores.get(choice, 5 if preset == "private" else 0) for choice in view.scored}
