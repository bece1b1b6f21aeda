"""For whoever runs the service: how it is doing, and accounts to suspend. Never what people share or say."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from entrenous.web.http.confirmed import freshly_acting
from entrenous.web.http.forms import Sent
from entrenous.web.http.paging import Cursor
from entrenous.web.http.visits import acting, go_to, visiting
from entrenous.web.service import membership
from entrenous.web.service.accounts import administrators

__all__ = ["router"]

router = APIRouter()


@router.get("/admin")
def admin(request: Request, before: Cursor = None, after: Cursor = None) -> Response:
    """Show counts and accounts; whoever is no administrator learns nothing, not even that the page exists."""
    with visiting(request) as visit:
        overview = membership.overview(visit.session, visit.me)
        where = visit.window("people", before, after)
        page = membership.everybody(visit.session, visit.me, window=where)
        counts = sorted(overview.items.items())
        return visit.listed("admin.html", "people", "everybody", page, overview=overview, item_counts=counts)


@router.post("/admin/people/{person}/suspend")
def suspend(request: Request, person: Annotated[int, Path(ge=1, le=2**31 - 1)], form: Sent) -> Response:
    """Suspend an account, or let it in again."""
    me, suspended = acting(request), form.text("do") == "suspend"
    me.do(membership.suspend, person, suspended=suspended)
    return go_to("/admin", "saved")


@router.post("/admin/people/{person}/administrator")
def appoint(request: Request, person: Annotated[int, Path(ge=1, le=2**31 - 1)], form: Sent) -> Response:
    """Let somebody look after the service too, or no longer; a stolen session must not make its thief one for good."""
    me, appointed = freshly_acting(request, back="/admin"), form.text("do") == "appoint"
    me.do(administrators.set_administrator, person, appointed=appointed)
    return go_to("/admin" if appointed or person != me.id else "/", "saved")
