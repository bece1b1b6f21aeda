"""Things in states that are seldom seen, added to the demonstration for those who look at every page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy.orm import Session
from tests.web.serving import photo

from entrenous.web import demo
from entrenous.web.service import befriending, membership, workflow
from entrenous.web.service.media import check_upload
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database, now

EVERYONE = {"friends": 5, "friends-of-friends": 5, "public": 5}
AUDIENCES = ("private", "friends", "friends-of-friends", "public")


def fill(settings: Settings, password_hash: str) -> dict[str, str]:
    """Fill an empty service, two days ago, with the demonstration and rare things of ann's; return those by kind."""
    database = Database(settings, clock=lambda: datetime.now(UTC) - timedelta(days=2))
    database.migrate()
    demo.fill(database, password_hash)
    picture = check_upload(photo(), "photo.jpg", settings)
    minutes = check_upload(b"Minutes of a meeting.", "minutes.txt", settings)
    with database.writing() as session:
        ids = {who: membership.find(session, who).id for who in (*demo.HANDLES, *demo.FURTHER)}  # type: ignore[union-attr]
        ann, bob, cleo, dora, eve, _ = ids.values()

        def put_up(title: str, *others: int, owner: int = ann, opened: bool = True, **options: object) -> str:
            item = workflow.create_item(session, owner, picture, title=title, **options)  # type: ignore[arg-type]
            return _join(session, item, owner, others, opened=opened)

        found = {"draft": put_up("A draft", opened=False)}
        found["document"] = _join(
            session, workflow.create_item(session, ann, minutes, title="A document"), ann, [bob]
        )
        found["tag request"] = workflow.create_item(session, bob, picture, title="Who is that?")
        workflow.tag(session, bob, found["tag request"], [ann, cleo])
        workflow.open_item(session, bob, found["tag request"])
        found["no agreement"] = put_up("No agreement", bob, method="oo")
        for person, wanted in ((ann, "private"), (bob, "public")):
            scores = {audience: 5 * (audience == wanted) for audience in AUDIENCES}
            workflow.answer(session, person, found["no agreement"], scores)
        found["withdrawn"] = put_up("Withdrawn")
        found["expired"] = put_up("Expired", bob, expires=now(session) + timedelta(days=1))
        found["claimed"] = put_up("Claimed")
        workflow.answer(session, ann, found["claimed"], EVERYONE)
        workflow.claim(session, eve, found["claimed"])
        found["second round"] = put_up("A second round", bob, cleo)
        for person in (ann, bob, cleo):
            workflow.answer(session, person, found["second round"], EVERYONE | {"public": 0})
        workflow.petition(session, cleo, found["second round"], "Could everyone see this?\nPlease.")
        circle = befriending.create_circle(session, ann, "Family")
        befriending.set_members(session, ann, circle.id, [dora, eve])
        found["by circles"] = put_up("By circles", bob, method="circles")
        found["decided by circles"] = put_up("Decided by circles", bob, method="circles")
        workflow.answer(session, ann, found["decided by circles"], {"Family": 5, "Strangers": 1})
        workflow.answer(session, bob, found["decided by circles"], {"Strangers": 4})
    database.close()
    present = Database(settings)
    with present.writing() as session:  # only what was withdrawn a moment ago is still there to look at
        workflow.withdraw(session, ann, found["withdrawn"])
    present.close()
    return found


def _join(session: Session, item: str, owner: int, others: Sequence[int], *, opened: bool = True) -> str:
    workflow.tag(session, owner, item, others)
    for one in others:
        workflow.answer_tag(session, one, item, accept=True)
    if opened:
        workflow.open_item(session, owner, item)
    return item
