"""The part of the interface about people: me, friends, circles, and what counts when I do not answer."""

from __future__ import annotations

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import JSONResponse, Response

from entrenous.web.api.callers import Bearer, caller, calling, read
from entrenous.web.api.schemas import AccountName, CircleNew, Done, LineSent, Listening, Members, YesOrNo
from entrenous.web.http.path_parts import Number
from entrenous.web.rules.refusals import NotFound
from entrenous.web.service import befriending, browsing, export
from entrenous.web.store.records import (
    Circle,
    Event,
    Friend,
    FriendRequest,
    Notification,
    Person,
    StandingLine,
)

__all__ = ["router"]

router = APIRouter(tags=["people"])


@router.get("/me")
def me(request: Request, _token: Bearer) -> Person:
    """Return the token's owner."""
    with calling(request, "read") as (_, person):
        return person


@router.get("/me/data", response_model=dict[str, object])
def my_data(request: Request, _token: Bearer) -> Response:
    """Return what the service keeps about the token's owner, but for steps to undo, replies to repeat and hashes."""
    return JSONResponse(read(request, export.my_data))


@router.get("/me/history")
def history(request: Request, _token: Bearer) -> tuple[Event, ...]:
    """Return what the owner did and what happened to their items."""
    return read(request, browsing.history)


@router.get("/notifications")
def notifications(request: Request, _token: Bearer) -> tuple[Notification, ...]:
    """Return what happened that concerns the owner."""
    return read(request, browsing.notifications)


@router.post("/notifications/read", response_model=Done)
def read_notifications(request: Request, _token: Bearer) -> Response:
    """Mark all notifications as read."""
    return caller(request).do(None, browsing.mark_read)


@router.get("/friends")
def friends(request: Request, _token: Bearer) -> tuple[Friend, ...]:
    """Return the owner's friends, and how much the owner listens to each."""
    return read(request, befriending.friends)


@router.get("/friends/requests")
def friend_requests(request: Request, _token: Bearer) -> tuple[FriendRequest, ...]:
    """Return who asked, and who was asked."""
    return read(request, befriending.requests)


@router.post("/friends", response_model=Done)
def ask_friend(request: Request, sent: AccountName, _token: Bearer) -> Response:
    """Ask somebody to be a friend."""
    return caller(request).do(sent, befriending.ask_friend, sent.handle)


@router.post("/friends/{other}/answer", response_model=Done)
def answer_friend(request: Request, other: Number, sent: YesOrNo, _token: Bearer) -> Response:
    """Accept or decline somebody who asked."""
    return caller(request).do(sent, befriending.answer_friend, other, accept=sent.accept)


@router.put("/friends/{other}/listening", response_model=Done)
def listen(request: Request, other: Number, sent: Listening, _token: Bearer) -> Response:
    """Say how much a friend's wish counts. They never see this."""
    return caller(request).do(sent, befriending.listen, other, sent.percent)


@router.delete("/friends/{other}", response_model=Done)
def end_friendship(request: Request, other: Number, _token: Bearer) -> Response:
    """End a friendship; it takes effect at the next request."""
    return caller(request).do(None, befriending.end_friendship, other)


@router.get("/circles")
def circles(request: Request, _token: Bearer) -> tuple[Circle, ...]:
    """Return the owner's circles."""
    return read(request, befriending.circles)


@router.post("/circles", response_model=Circle, status_code=201)
def create_circle(request: Request, sent: CircleNew, _token: Bearer) -> Response:
    """Begin a circle."""
    who = caller(request)

    def change(session: Session) -> Circle:
        circle = befriending.create_circle(session, who.id, sent.name)
        befriending.set_members(session, who.id, circle.id, sent.members)
        return _circle(session, who.id, circle.id)

    return who.write(change, sent, status=201)


@router.put("/circles/{circle}", response_model=Circle)
def change_circle(request: Request, circle: Number, sent: Members, _token: Bearer) -> Response:
    """Rename a circle and say who is in it."""
    who = caller(request)

    def change(session: Session) -> Circle:
        befriending.rename_circle(session, who.id, circle, sent.name)
        befriending.set_members(session, who.id, circle, sent.members)
        return _circle(session, who.id, circle)

    return who.write(change, sent)


@router.delete("/circles/{circle}", response_model=Done)
def delete_circle(request: Request, circle: Number, _token: Bearer) -> Response:
    """Dissolve a circle."""
    return caller(request).do(None, befriending.delete_circle, circle)


@router.get("/standing-line")
def standing_line(request: Request, _token: Bearer) -> StandingLine | None:
    """Return how far things go for the owner when they do not answer in time."""
    return read(request, befriending.standing_line)


@router.put("/standing-line", response_model=Done)
def set_standing_line(request: Request, sent: LineSent, _token: Bearer) -> Response:
    """Keep a standing line, and say in whose items it counts."""
    return caller(request).do(sent, befriending.set_standing_line, sent.line, sent.counts_for)


@router.delete("/standing-line", response_model=Done)
def clear_standing_line(request: Request, _token: Bearer) -> Response:
    """Do without a standing line."""
    return caller(request).do(None, befriending.set_standing_line, None)


def _circle(session: Session, person: int, number: int) -> Circle:
    for circle in befriending.circles(session, person):
        if circle.id == number:
            return circle
    raise NotFound
