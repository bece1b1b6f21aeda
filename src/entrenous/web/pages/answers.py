"""What a person says about an item: their view, their limit, whether they agree, and a petition."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
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
        me.do(workflow.answer, item, scores, limit=limit, make_default=form.flag("make_default"))
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
    """Show the form for a petition, and privately whether one's own answer alone would do."""
    return _petition(request, item)


def _petition(request: Request, item: str, *, form: Form | None = None, wrong: str | None = None) -> Response:
    with visiting(request) as visit:
        page = showing.item_page(visit.session, visit.me, item)
        if "petition" not in page.can:
            raise NotFound
        alone = workflow.helps_alone(visit.session, visit.me, item)
        return visit.page(
            "petition.html", item=page, alone=alone, form=form, wrong=wrong, status=422 if wrong else 200
        )


@router.post("/items/{item}/petition")
def petition(request: Request, item: ItemId, form: Sent) -> Response:
    """Ask everybody to think again."""
    me = acting(request)
    limit_rate(request, f"petition {me.id}", most=10, minutes=60)
    try:
        me.do(workflow.petition, item, form.text("text"))
    except (ArgumentError, Conflict) as error:
        return _petition(request, item, form=form, wrong=str(error))
    return go_to(f"/items/{item}/view", "petitioned")


@router.get("/default")
def default_page(request: Request, preset: str = "") -> Response:
    """Show what counts for the person if they do not answer in time."""
    with visiting(request) as visit:
        default = befriending.default(visit.session, visit.me)
        scores = dict(default.scores or {}) if default else {}
        if preset in phrases.PRESETS:
            scores = dict(zip(CHOICES[1:], phrases.PRESETS[preset][1], strict=True))
        limit = default.limit if default else None
        return visit.page("default.html", has_default=default is not None, scores=scores, limit=limit)


@router.post("/default")
def set_default(request: Request, form: Sent) -> Response:
    """Keep a standing default, or do without."""
    me = acting(request)
    if form.text("do") == "clear":
        me.write(lambda session: befriending.clear_default(session, me.id), idempotent=True)
        return go_to("/default", "saved")
    scores, limit = _scores(form, CHOICES[1:]), form.text("limit") or None
    try:
        if len(scores) < len(CHOICES) - 1:
            raise ArgumentError("scores", "choose one answer in every row")
        me.do(befriending.set_default, scores, limit)
    except ArgumentError as error:
        with visiting(request) as visit:
            return visit.page(
                "default.html", status=422, has_default=False, scores=scores, limit=limit, wrong=str(error)
            )
    return go_to("/default", "saved")


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
