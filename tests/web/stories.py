"""Short ways to the situations the tests begin in, all through the functions people's requests go through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.web.conftest import befriend, register

from entrenous.web.service import befriending, workflow
from entrenous.web.service.media import Upload
from entrenous.web.store.database import Database

SCORED = ("friends", "friends-of-friends", "public")
PHOTO = Upload("photo", "image/jpeg", b"the photo", b"the thumbnail", "photo.jpg")
FIRST = {"ann": (5, 5, 4), "bob": (3, 3, 0), "cleo": (4, 4, 0), "dora": (2, 2, 2)}
SECOND = FIRST | {"cleo": (4, 2, 0)}
WEIGHTS = (
    ("ann", "bob", 40),
    ("cleo", "bob", 20),
    ("cleo", "dora", 50),
    ("dora", "bob", 25),
    ("dora", "cleo", 25),
)


def four_friends(database: Database) -> dict[str, int]:
    """Register the four of the thesis, friends of each other, with their peer effects; ann looks after the service."""
    ids = dict(zip(FIRST, register(database, *FIRST), strict=True))
    numbers = list(ids.values())
    for place, one in enumerate(numbers):
        for other in numbers[:place]:
            befriend(database, one, other)
    with database.writing() as session:
        for who, friend, percent in WEIGHTS:
            befriending.listen(session, ids[who], ids[friend], percent)
    return ids


def put_up(database: Database, owners: Sequence[int], *, title: str = "A day out", **options: object) -> str:
    """Put up a photo of some friends who all accepted, and ask for their views."""
    with database.writing() as session:
        item = workflow.create_item(session, owners[0], PHOTO, title=title, **options)  # type: ignore[arg-type]
        workflow.tag(session, owners[0], item, owners[1:])
    for person in owners[1:]:
        with database.writing() as session:
            workflow.answer_tag(session, person, item, accept=True)
    with database.writing() as session:
        workflow.open_item(session, owners[0], item)
    return item


def answer(database: Database, item: str, person: int, scores: Sequence[int], **options: object) -> None:
    """Give a view on the three wider audiences."""
    with database.writing() as session:
        view = dict(zip(SCORED, scores, strict=True))
        workflow.answer(session, person, item, view, **options)  # type: ignore[arg-type]


def answer_all(database: Database, item: str, views: Mapping[int, Sequence[int]]) -> None:
    """Give everybody's view."""
    for person, scores in views.items():
        answer(database, item, person, scores)


def agree_all(database: Database, item: str, persons: Sequence[int]) -> None:
    """Let everybody agree, so that the outcome takes effect."""
    for person in persons:
        with database.writing() as session:
            workflow.agree(session, person, item)


def decided(database: Database, ids: Mapping[str, int]) -> str:
    """Put up a photo of the four and let the first round of the thesis be in force: friends of friends."""
    item = put_up(database, list(ids.values()))
    answer_all(database, item, {ids[who]: scores for who, scores in FIRST.items()})
    agree_all(database, item, list(ids.values()))
    return item
