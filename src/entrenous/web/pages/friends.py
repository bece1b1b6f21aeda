"""Friends, circles, and how much a person listens to each friend."""

from __future__ import annotations

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from entrenous.errors import ArgumentError
from entrenous.web.http import phrases
from entrenous.web.http.forms import Sent
from entrenous.web.http.paging import Cursor
from entrenous.web.http.path_parts import Number
from entrenous.web.http.visits import acting, go_to, visiting
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.service import befriending

__all__ = ["router"]

router = APIRouter()
ROWS = 50
"""How many friends a page shows, and how many requests of each kind: those that wait longest."""


@router.get("/friends")
def friends_page(request: Request, before: Cursor = None, after: Cursor = None) -> Response:
    """Show friends, requests in both directions and a form to ask somebody."""
    return _friends(request, before=before, after=after)


def _friends(
    request: Request,
    *,
    before: str | None = None,
    after: str | None = None,
    asked_for: str = "",
    wrong: str | None = None,
    status: int = 200,
) -> Response:
    with visiting(request) as visit:
        where = visit.window("friends", before, after)
        return visit.listed(
            "friends.html",
            "friends",
            "friends",
            befriending.friends_page(visit.session, visit.me, window=where, limit=ROWS),
            status=status,
            wrong=wrong,
            asked_for=asked_for,
            requests=befriending.requests(visit.session, visit.me, ROWS),
        )


@router.post("/friends")
def ask_friend(request: Request, form: Sent) -> Response:
    """Ask somebody to be a friend."""
    me = acting(request)
    handle = form.text("handle").lower().removeprefix("@")
    try:
        me.do(befriending.ask_friend, handle)
    except NotFound:
        wrong = "Nobody here has this name. Check its spelling."
        return _friends(request, asked_for=handle, wrong=wrong, status=404)
    except (ArgumentError, Conflict) as error:
        return _friends(request, asked_for=handle, wrong=str(error), status=409)
    return go_to("/friends", "asked")


@router.post("/friends/{other}/answer")
def answer_friend(request: Request, other: Number, form: Sent) -> Response:
    """Accept or decline somebody who asked."""
    me, accept = acting(request), form.text("answer") == "accept"
    me.do(befriending.answer_friend, other, accept=accept)
    return go_to("/friends", "accepted" if accept else "declined")


@router.post("/friends/{other}/end")
def end_friendship(request: Request, other: Number) -> Response:
    """End a friendship; at the next request neither sees what was for the other as a friend."""
    me = acting(request)
    me.do(befriending.end_friendship, other)
    return go_to("/friends", "ended")


@router.get("/listening")
def listening_page(request: Request) -> Response:
    """Show how much the person listens to each friend."""
    with visiting(request) as visit:
        return visit.page("listening.html", friends=befriending.friends(visit.session, visit.me))


@router.post("/listening")
def listen(request: Request, form: Sent) -> Response:
    """Set how much the person listens to each friend, all at once; exact percents win over words."""
    me = acting(request)
    words, exact = form.named("level-"), form.named("percent-")
    levels = {word: percent for percent, word in phrases.LISTENING}

    def save(session: Session) -> None:
        for friend in befriending.friends(session, me.id):
            key = str(friend.who.id)
            percent = form.number(f"percent-{key}") if exact.get(key) else None
            if percent is None or percent == friend.percent:
                percent = levels.get(words.get(key, ""), friend.percent)
            if percent != friend.percent:
                befriending.listen(session, me.id, friend.who.id, percent)

    me.write(save)
    return go_to("/listening", "saved")


@router.get("/circles")
def circles_page(request: Request) -> Response:
    """Show the person's circles and who is in them."""
    return _circles(request)


def _circles(request: Request, *, wrong: str | None = None, status: int = 200) -> Response:
    with visiting(request) as visit:
        return visit.page(
            "circles.html",
            status=status,
            wrong=wrong,
            circles=befriending.circles(visit.session, visit.me),
            friends=befriending.friends(visit.session, visit.me),
        )


@router.post("/circles")
def create_circle(request: Request, form: Sent) -> Response:
    """Begin a circle."""
    me = acting(request)

    def create(session: Session) -> None:
        circle = befriending.create_circle(session, me.id, form.text("name"))
        befriending.set_members(session, me.id, circle.id, form.numbers("member"))

    try:
        me.write(create)
    except (ArgumentError, Conflict) as error:
        return _circles(request, wrong=str(error), status=422)
    return go_to("/circles", "saved")


@router.post("/circles/{circle}")
def change_circle(request: Request, circle: Number, form: Sent) -> Response:
    """Rename a circle, say who is in it, or dissolve it."""
    me = acting(request)

    def change(session: Session) -> None:
        if form.text("do") == "delete":
            befriending.delete_circle(session, me.id, circle)
            return
        befriending.rename_circle(session, me.id, circle, form.text("name"))
        befriending.set_members(session, me.id, circle, form.numbers("member"))

    try:
        me.write(change)
    except (ArgumentError, Conflict) as error:
        return _circles(request, wrong=str(error), status=422)
    return go_to("/circles", "saved")
