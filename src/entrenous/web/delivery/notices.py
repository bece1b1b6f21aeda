"""Telling people what concerns them: in the service, and, if they wish, by mail and webhook.

A notice is written in the transaction of what it tells about, so that neither exists without the other. What goes into
the outbox are numbers alone; addresses are looked up at delivery, and mails name neither people nor titles: they travel
through places nobody here controls.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.store.database import now, settings_of

__all__ = ["KINDS", "notify"]

KINDS = {
    "tag_asked": "Somebody says that you are in something they put up, and asks whether your voice should count.",
    "tag_accepted": "Somebody you asked is now deciding with you.",
    "tag_declined": "Somebody you asked does not want to take part.",
    "claim_made": "Somebody says that they are in something you put up.",
    "claim_accepted": "You are now one of those who decide about something you are in.",
    "claim_refused": "Who put it up says that you are not in it.",
    "view_needed": "Your view is needed on something you share.",
    "outcome": "There is an outcome on something you share. Have a look whether you agree.",
    "petition": "Somebody asks all of you to let something you share go further.",
    "active": "An outcome on something you share is now in force.",
    "no_agreement": "You found no common audience, so only those who share it see it.",
    "change_proposed": "Somebody proposes to change something you share. It changes only if all of you say yes.",
    "change_agreed": "Something you share was changed, as all of you agreed.",
    "change_ended": "A proposed change of something you share ended without taking effect.",
    "expiry": "Something you share is shown for a shorter time than before.",
    "names": "Who is named in something you share has changed.",
    "expired": "Something you share has expired, so only those who share it see it.",
    "withdrawn": "Something you shared was withdrawn by who put it up.",
    "friend_asked": "Somebody asks to be your friend.",
    "friend_accepted": "Somebody you asked is now your friend.",
}
"""What can be told, and the sentence a mail says it in."""


def notify(
    session: Session, people: Iterable[int], kind: str, *, item: str | None = None, actor: int | None = None
) -> None:
    """Tell people something, except whoever did it."""
    told = [person for person in dict.fromkeys(people) if person != actor]
    if not told:
        return
    moment = now(session)
    store.letters.add_notifications(session, told, kind, item, actor, moment)
    letters: list[tuple[str, dict[str, Any]]] = []
    if settings_of(session).smtp:
        for person in store.persons.reachable_by_mail(session, told):
            letters.append(("mail", {"person": person, "kind": kind, "item": item}))
    for webhook in store.letters.webhooks_for(session, told, kind):
        letters.append(
            ("webhook", {"webhook": webhook, "kind": kind, "item": item, "at": moment.isoformat()})
        )
    store.letters.enqueue(session, letters, moment)
