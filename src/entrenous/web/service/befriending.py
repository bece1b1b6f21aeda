"""What a person may do about those they know: friends, circles, whom to listen to, and a standing line.

How much one listens to a friend, which circles one keeps and where one's standing line is are nobody else's business:
no function here returns them to anybody but their owner.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from entrenous import access
from entrenous.access.item import STRANGERS
from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.delivery.notices import notify
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.rules.typed import checked_text
from entrenous.web.rules.views import checked_limit
from entrenous.web.store import audit_trail
from entrenous.web.store.database import now
from entrenous.web.store.lists.windows import FIRST, Listed, Position, Window, cut
from entrenous.web.store.records import Circle, Friend, FriendRequest, StandingLine

__all__ = [
    "answer_friend",
    "ask_friend",
    "circles",
    "create_circle",
    "delete_circle",
    "end_friendship",
    "friends",
    "friends_page",
    "known_lines",
    "listen",
    "rename_circle",
    "requests",
    "set_members",
    "set_standing_line",
    "standing_line",
]

MOST_CIRCLES = 50

EVERY_LINE = (1 << len(access.CHOICES)) - 1
"""What others know of a standing line that was never used: nothing."""

ASK_AGAIN = timedelta(days=1)
"""Who was refused, or took a request back, cannot knock again at once: every knock is told to who is asked."""


def friends(session: Session, person: int) -> tuple[Friend, ...]:
    """Return the own friends, each with how much one listens to them."""
    return store.friendships.friends_of(session, person)


def friends_page(session: Session, person: int, *, window: Window = FIRST, limit: int = 50) -> Listed[Friend]:
    """Return a page of the own friends, by name."""

    def fetch(edge: Position | None, count: int, *, back: bool) -> tuple[Friend, ...]:
        there = None if edge is None else (edge[0], edge[1])
        return store.friendships.friends_by_name(session, person, there, count, back=back)

    return cut(fetch, lambda friend: [friend.who.name, friend.who.id], window, limit)


def requests(session: Session, person: int, limit: int | None = None) -> tuple[FriendRequest, ...]:
    """Return who asked to be a friend, and whom one asked, the oldest first; at most `limit` of each.

    Each comes with the friends whose names look like theirs.
    """
    found = store.friendships.friend_requests_of(session, person, limit)
    if not found:
        return ()
    like = store.friendships.friends_like(session, person, [request.who.id for request in found])
    return tuple(replace(request, like=like.get(request.who.id, ())) for request in found)


def ask_friend(session: Session, person: int, handle: str) -> None:
    """Ask somebody to be a friend; if they asked first, that is a yes."""
    other = store.persons.find_person(session, handle.strip().lower())
    if other is None:
        raise NotFound
    if other.id == person:
        raise Conflict("yourself", "that is you")
    if any(friend.who.id == other.id for friend in friends(session, person)):
        raise Conflict("already", "you are friends already")
    asked = {(request.who.id, request.incoming) for request in requests(session, person)}
    if (other.id, True) in asked:
        answer_friend(session, person, other.id, accept=True)
    elif (other.id, False) not in asked:
        if store.credentials.count_hit(session, _knock(person, other.id), ASK_AGAIN) > 1:
            raise Conflict("too_soon", "you asked them already today; ask again another day")
        store.friendships.add_friend_request(session, person, other.id, now(session))
        audit_trail.record(session, "friend_asked", actor=person, person=other.id)
        notify(session, [other.id], "friend_asked", actor=person)


def answer_friend(session: Session, person: int, other: int, *, accept: bool) -> None:
    """Accept or refuse somebody's request; a refusal is not told. Also takes back a request of one's own."""
    if not accept and store.friendships.remove_friend_request(session, person, other):
        return
    if not store.friendships.remove_friend_request(session, other, person):
        raise NotFound
    if accept:
        store.friendships.remove_friend_request(
            session, person, other
        )  # both may have asked at the same moment
        store.friendships.add_friendship(session, person, other, now(session))
        store.credentials.forget_hits(session, _knock(other, person))
        audit_trail.record(session, "friends", actor=person, person=other)
        notify(session, [other], "friend_accepted", actor=person)


def _knock(asker: int, asked: int) -> str:
    return f"friend {asker} {asked}"


def end_friendship(session: Session, person: int, other: int) -> None:
    """End a friendship, from the next request on; the other is not told."""
    if not store.friendships.remove_friendship(session, person, other):
        raise NotFound
    audit_trail.record(session, "friends_no_more", actor=person, person=other)


def listen(session: Session, person: int, friend: int, percent: int) -> None:
    """Say how much a friend's wish moves the own one, in percent; they never see this."""
    if isinstance(percent, bool) or not isinstance(percent, int) or not 0 <= percent <= 100:
        raise ArgumentError("percent", "expected a whole number from 0 to 100")
    if not store.friendships.set_percent(session, person, friend, percent):
        raise NotFound
    audit_trail.record(session, "listens", actor=person)


def circles(session: Session, person: int) -> tuple[Circle, ...]:
    """Return a person's own circles."""
    return store.friendships.circles_of(session, person)


def create_circle(session: Session, person: int, name: str) -> Circle:
    """Begin a circle."""
    clean = _circle_name(name)
    if len(circles(session, person)) >= MOST_CIRCLES:
        raise Conflict("too_many_circles", f"at most {MOST_CIRCLES} circles")
    try:
        with session.begin_nested():
            number = store.friendships.add_circle(session, person, clean)
    except IntegrityError:
        raise Conflict("taken", "you have a circle of this name") from None
    return Circle(number, clean, ())


def rename_circle(session: Session, person: int, circle: int, name: str) -> None:
    """Rename an own circle."""
    clean = _circle_name(name)
    try:
        with session.begin_nested():
            found = store.friendships.rename_circle(session, person, circle, clean)
    except IntegrityError:
        raise Conflict("taken", "you have a circle of this name") from None
    if not found:
        raise NotFound


def set_members(session: Session, person: int, circle: int, members: Collection[int]) -> None:
    """Let an own circle hold exactly these friends, from the next request on."""
    if circle not in {mine.id for mine in circles(session, person)}:
        raise NotFound
    if not set(members) <= {friend.who.id for friend in friends(session, person)}:
        raise Conflict("not_friends", "only friends can be in a circle")
    store.friendships.replace_members(session, circle, set(members))


def delete_circle(session: Session, person: int, circle: int) -> None:
    """Remove an own circle."""
    if not store.friendships.remove_circle(session, person, circle):
        raise NotFound


def standing_line(session: Session, person: int) -> StandingLine | None:
    """Return how far one lets things go when one does not answer in time."""
    return store.friendships.line_of(session, person)


def set_standing_line(
    session: Session, person: int, line: str | None, counts_for: Collection[int] | None = None
) -> None:
    """Say how far things go when one does not answer, and in whose items that counts: exactly these friends'.

    None for the line does without one, None for the friends leaves them as they are. A new line tells nothing about the
    old one, so what others could know of it begins anew.
    """
    if line is not None:
        checked_limit(line, (), "oc")
    if counts_for is not None:
        if not set(counts_for) <= {friend.who.id for friend in friends(session, person)}:
            raise Conflict("not_friends", "it can only count in what your friends put up")
        store.friendships.set_counts(session, person, counts_for)
    before = store.friendships.line_of(session, person)
    if line is None:
        store.friendships.set_line(session, person, None)
    elif before is None or before.line != line:
        store.friendships.set_line(session, person, StandingLine(line, True, EVERY_LINE, 0))
    elif not before.confirmed:
        store.friendships.set_line(session, person, replace(before, confirmed=True))
    audit_trail.record(session, "line", actor=person)


def known_lines(line: StandingLine) -> tuple[str, ...]:
    """Return the lines that others could still believe in, after all silent uses.

    >>> known_lines(StandingLine("friends", True, 0b0110, 2))
    ('friends', 'friends-of-friends')
    """
    return tuple(choice for place, choice in enumerate(access.CHOICES) if line.possible >> place & 1)


def _circle_name(name: str) -> str:
    clean = checked_text("name", name, most=60)
    if clean == STRANGERS:
        raise ArgumentError("name", f"expected another name; {STRANGERS} are all those in no circle")
    return clean
