"""Four people and their story, to look around in: the group photo of the thesis, decided twice.

References
----------
Q. Xiao and K.-L. Tan, "Peer-aware collaborative access control in social networks", CollaborateCom 2012; chapter 6 of
Xiao's thesis, National University of Singapore 2014.

All six share a password that is new at every start. So there is none in the source and none in a file, and whoever
starts the demonstration reads it there. Only people of a demonstration get it: an event in the audit says that a
service is one, and nothing else writes that event.
"""

from __future__ import annotations

import io
import secrets

from sqlalchemy.orm import Session

from entrenous.access import CHOICES, read_example
from entrenous.web import store
from entrenous.web.service import befriending, membership, workflow
from entrenous.web.service.media import Upload, check_upload
from entrenous.web.store import audit_trail
from entrenous.web.store.database import Database, settings_of

__all__ = ["FURTHER", "HANDLES", "fill", "let_in", "new_password"]

HANDLES = ("ann", "bob", "cleo", "dora")
FURTHER = ("eve", "finn")
"""A friend of all four, and a friend of that friend: people the outcomes make a difference for."""


def new_password() -> str:
    """Return a password for the next demonstration."""
    return f"look around {secrets.token_hex(4)}"


def let_in(database: Database, password_hash: str) -> bool:
    """Give the people of a demonstration another password, and return whether the service is one."""
    return database.write(lambda session: _let_in(session, password_hash), idempotent=True)


def _let_in(session: Session, password_hash: str) -> bool:
    if not audit_trail.is_demonstration(session):
        return False
    for handle in (*HANDLES, *FURTHER):
        found = store.persons.find_person(session, handle)
        if found is not None:
            store.credentials.set_password_hash(session, found.id, password_hash)
    return True


def fill(database: Database, password_hash: str) -> bool:
    """Fill an empty service with the story and return whether it was empty; all share one password."""
    photos = [check_upload(_drawing(shade), "photo.png", database.settings) for shade in range(3)]
    return database.write(lambda session: _fill(session, password_hash, photos), idempotent=True)


def _fill(session: Session, password_hash: str, photos: list[Upload]) -> bool:
    if store.persons.heads_count(session)[0]:
        return False
    audit_trail.record(session, audit_trail.DEMONSTRATION, actor=None)
    ids = {
        handle: membership.register(
            session, handle=handle, name=handle.title(), password_hash=password_hash, admin=handle == "ann"
        ).id
        for handle in (*HANDLES, *FURTHER)
    }
    four = [ids[handle] for handle in HANDLES]
    pairs = [(one, other) for place, one in enumerate(four) for other in four[:place]]
    pairs += [(one, ids["eve"]) for one in four] + [(ids["eve"], ids["finn"])]
    for one, other in pairs:
        handle = next(name for name, number in ids.items() if number == other)
        befriending.ask_friend(session, one, handle)
        befriending.answer_friend(session, other, one, accept=True)
    first, second = read_example("thesis-oc"), read_example("thesis-second-round")
    person = dict(zip(first.people, four, strict=True))
    for who, row in first.peers.items():
        for friend, weight in row.items():
            befriending.listen(session, person[who], person[friend], round(100 * weight))
    views = [{person[who]: dict(wish or {}) for who, wish in item.wishes.items()} for item in (first, second)]
    _decided_twice(session, four, photos[0], views)
    _proposed(session, four, photos[1], views[0])
    _collecting(session, four, photos[2], views[0])
    return True


def _decided_twice(
    session: Session, four: list[int], photo: Upload, views: list[dict[int, dict[str, int]]]
) -> None:
    """Decide on friends; ann asks for more; on friends of friends in the second round, and all agree."""
    item = _put_up(session, four, photo, "At the lake")
    for person in four:
        workflow.answer(session, person, item, views[1][person])
    workflow.petition(session, four[0], item, "Eve was there too. Could her friends see it?")
    for person in four:
        workflow.answer(session, person, item, views[0][person])
    if settings_of(session).objection_hours:
        for person in four:
            workflow.agree(session, person, item)


def _proposed(session: Session, four: list[int], photo: Upload, views: dict[int, dict[str, int]]) -> None:
    """Leave an outcome that may still be objected to."""
    item = _put_up(session, four, photo, "The long table")
    for person in four:
        workflow.answer(session, person, item, views[person])


def _collecting(session: Session, four: list[int], photo: Upload, views: dict[int, dict[str, int]]) -> None:
    """Leave a photo for which ann's and bob's views are still missing."""
    item = _put_up(session, four, photo, "On the way home")
    for person in four[2:]:
        workflow.answer(session, person, item, views[person])
    workflow.set_limit(session, four[3], item, CHOICES[2])


def _put_up(session: Session, four: list[int], photo: Upload, title: str) -> str:
    item = workflow.create_item(session, four[0], photo, title=title, description="A drawing of four people")
    workflow.tag(session, four[0], item, four[1:])
    for person in four[1:]:
        workflow.answer_tag(session, person, item, accept=True)
    workflow.open_item(session, four[0], item)
    return item


def _drawing(shade: int) -> bytes:
    """Return a picture of four people on a meadow, each time in another light."""
    from PIL import Image, ImageDraw

    skies, meadow = ("#9ecae1", "#fdd0a2", "#6a6fa8"), ("#74c476", "#a1b56c", "#3f6b57")
    image = Image.new("RGB", (960, 640), skies[shade])
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 430, 960, 640), fill=meadow[shade])
    draw.ellipse((760, 60, 860, 160), fill="#fff3b0")
    for place, colour in enumerate(("#c0504d", "#4f81bd", "#8064a2", "#e6a23c")):
        left = 130 + 190 * place
        draw.rounded_rectangle((left, 330, left + 110, 520), radius=45, fill=colour)
        draw.ellipse((left + 15, 240, left + 95, 320), fill="#f2d0b1")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()
