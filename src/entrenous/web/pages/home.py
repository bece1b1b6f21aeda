"""What concerns a person: the inbox, notifications, the history and everything the service knows about them."""

from __future__ import annotations

import json

from fastapi import APIRouter, Request
from starlette.responses import Response

from entrenous.web.http.visits import acting, go_to, visiting, visitor
from entrenous.web.service import befriending, browsing, export

__all__ = ["router"]

router = APIRouter()


@router.get("/")
def home(request: Request) -> Response:
    """Show what needs the person's view; to others, what this is."""
    with visitor(request) as visit:
        if visit.person is None:
            return visit.page("welcome.html")
        return visit.page(
            "home.html",
            inbox=browsing.inbox(visit.session, visit.me),
            requests=[asked for asked in befriending.requests(visit.session, visit.me) if asked.incoming],
            mine=browsing.mine(visit.session, visit.me),
        )


@router.get("/notifications")
def notifications(request: Request) -> Response:
    """Show what happened that concerns the person."""
    with visiting(request) as visit:
        return visit.page("notifications.html", notices=browsing.notifications(visit.session, visit.me))


@router.post("/notifications/read")
def read_notifications(request: Request) -> Response:
    """Mark everything as read."""
    me = acting(request)
    me.write(lambda session: browsing.mark_read(session, me.id), idempotent=True)
    return go_to("/notifications")


@router.get("/history")
def history(request: Request) -> Response:
    """Show what the person did and what happened to their items."""
    with visiting(request) as visit:
        return visit.page("history.html", events=browsing.history(visit.session, visit.me))


@router.get("/my-data")
def my_data(request: Request) -> Response:
    """Hand out everything the service keeps about the person, their own answers included."""
    with visiting(request) as visit:
        data = json.dumps(export.my_data(visit.session, visit.me), indent=1, ensure_ascii=False, default=str)
        headers = {"content-disposition": 'attachment; filename="my-data.json"'}
        return Response(data, media_type="application/json", headers=headers)
