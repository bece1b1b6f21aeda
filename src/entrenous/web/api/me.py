"""The part of the interface about people: me, friends, circles, and what counts when I do not answer."""

from __future__ import annotations

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import JSONResponse, Response

from entrenous.web.api.callers import (
    ANSWERS,
    Bearer,
    caller,
    calling,
    read,
    read_answers,
    read_page,
    read_page_with,
)
from entrenous.web.api.schemas import (
    AccountName,
    CircleNew,
    Done,
    FriendShown,
    LineSent,
    Listening,
    Members,
    YesOrNo,
)
from entrenous.web.http.paging import Cursor, Limit
from entrenous.web.http.path_parts import Number
from entrenous.web.rules.refusals import NotFound
from entrenous.web.service import befriending, browsing, export
from entrenous.web.store.records import (
    Circle,
    Event,
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
    """Return what the service keeps about the token's owner, but for steps to undo, replies to repeat and hashes.

    Needs both scopes, read and answers.
    """
    with calling(request, "read", ANSWERS) as (session, person):
        return JSONResponse(export.my_data(session, person.id))


@router.get("/me/history")
def history(
    request: Request,
    response: Response,
    _token: Bearer,
    before: Cursor = None,
    after: Cursor = None,
    limit: Limit = 50,
) -> tuple[Event, ...]:
    """Return what the owner did and what happened to their items; the header Link has the next page."""
    return read_page(request, response, "history", browsing.history, before=before, after=after, limit=limit)


@router.get("/notifications")
def notifications(
    request: Request,
    response: Response,
    _token: Bearer,
    before: Cursor = None,
    after: Cursor = None,
    limit: Limit = 50,
) -> tuple[Notification, ...]:
    """Return what happened that concerns the owner; the header Link has the next page."""
    return read_page(
        request, response, "notifications", browsing.notifications, before=before, after=after, limit=limit
    )


@router.post("/notifications/read", response_model=Done)
def read_notifications(request: Request, _token: Bearer) -> Response:
    """Mark all notifications as read."""
    return caller(request).do(None, browsing.mark_read)


@router.get("/friends")
def friends(
    request: Request,
    response: Response,
    _token: Bearer,
    before: Cursor = None,
    after: Cursor = None,
    limit: Limit = 50,
) -> tuple[FriendShown, ...]:
    """Return the owner's friends by name; with the scope answers, also how much the owner listens to each.

    The header Link has the next page.
    """
    page, used = read_page_with(
        request, response, "friends", befriending.friends_page, before=before, after=after, limit=limit
    )
    own = ANSWERS in used.scopes
    return tuple(
        FriendShown(
            who=friend.who,
            since=friend.since,
            percent=friend.percent if own else None,
            counts_line=friend.counts_line if own else None,
        )
        for friend in page
    )


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
    """Return how far things go for the owner when they do not answer in time; needs the scope answers."""
    return read_answers(request, befriending.standing_line)


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
