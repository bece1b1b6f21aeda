"""What concerns a person: the inbox, notifications, the history and everything the service knows about them."""

from __future__ import annotations

import json

from fastapi import APIRouter, Request
from starlette.responses import Response

from entrenous.web.http.paging import Cursor
from entrenous.web.http.visits import acting, go_to, visiting, visitor
from entrenous.web.service import befriending, browsing, export

__all__ = ["router"]

router = APIRouter()
ROWS = 50
FIRST_ROWS = 12
"""How many rows a page of a list has, and how many of each list the first page shows."""
END = {"more_waits": False, "more_mine": False}


@router.get("/")
def home(request: Request) -> Response:
    """Show what needs the person's view; to others, what this is."""
    with visitor(request) as visit:
        if visit.person is None:
            return visit.page("welcome.html")
        requests = befriending.requests(visit.session, visit.me, FIRST_ROWS)
        inbox = browsing.inbox(visit.session, visit.me, limit=FIRST_ROWS)
        mine = browsing.mine(visit.session, visit.me, limit=FIRST_ROWS)
        return visit.page(
            "home.html",
            only=None,
            inbox=inbox,
            more_waits=inbox.onward is not None,
            requests=[asked for asked in requests if asked.incoming],
            mine=mine,
            more_mine=mine.onward is not None,
        )


@router.get("/waiting")
def waiting(request: Request, before: Cursor = None, after: Cursor = None) -> Response:
    """Show all that needs the person's view, a page at a time."""
    with visiting(request) as visit:
        where = visit.window("inbox", before, after)
        page = browsing.inbox(visit.session, visit.me, window=where, limit=ROWS)
        return visit.listed("home.html", "inbox", "inbox", page, only="waiting", requests=(), mine=(), **END)


@router.get("/mine")
def mine(request: Request, before: Cursor = None, after: Cursor = None) -> Response:
    """Show everything the person decides about, a page at a time."""
    with visiting(request) as visit:
        where = visit.window("mine", before, after)
        page = browsing.mine(visit.session, visit.me, window=where, limit=ROWS)
        return visit.listed("home.html", "mine", "mine", page, only="mine", requests=(), inbox=(), **END)


@router.get("/notifications")
def notifications(request: Request, before: Cursor = None, after: Cursor = None) -> Response:
    """Show what happened that concerns the person."""
    with visiting(request) as visit:
        where = visit.window("notifications", before, after)
        page = browsing.notifications(visit.session, visit.me, ROWS, window=where)
        return visit.listed("notifications.html", "notifications", "notices", page)


@router.post("/notifications/read")
def read_notifications(request: Request) -> Response:
    """Mark everything as read."""
    me = acting(request)
    me.write(lambda session: browsing.mark_read(session, me.id), idempotent=True)
    return go_to("/notifications")


@router.get("/history")
def history(request: Request, before: Cursor = None, after: Cursor = None) -> Response:
    """Show what the person did and what happened to their items."""
    with visiting(request) as visit:
        where = visit.window("history", before, after)
        page = browsing.history(visit.session, visit.me, 2 * ROWS, window=where)
        return visit.listed("history.html", "history", "events", page)


@router.get("/my-data")
def my_data(request: Request) -> Response:
    """Hand out everything the service keeps about the person, their own answers included."""
    with visiting(request) as visit:
        data = json.dumps(export.my_data(visit.session, visit.me), indent=1, ensure_ascii=False, default=str)
        headers = {"content-disposition": 'attachment; filename="my-data.json"'}
        return Response(data, media_type="application/json", headers=headers)
