"""What the service tells a person: frozen, and never another person's scores, limits or weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

__all__ = [
    "Circle",
    "Credentials",
    "Default",
    "Event",
    "Friend",
    "FriendRequest",
    "ItemCard",
    "ItemPage",
    "MyView",
    "Notification",
    "Outcome",
    "Overview",
    "Owner",
    "Person",
    "Petition",
    "Reply",
    "SessionInfo",
    "SignedIn",
    "StoredFile",
    "TokenInfo",
    "TokenUse",
    "Webhook",
    "Who",
]


@dataclass(frozen=True)
class Who:
    """A person as others see them."""

    id: int
    handle: str
    name: str


@dataclass(frozen=True)
class Person:
    """A person as they see themselves."""

    id: int
    handle: str
    name: str
    email: str | None
    admin: bool
    mail: bool
    suspended: bool
    has_password: bool
    created: datetime

    @property
    def who(self) -> Who:
        """The person as others see them."""
        return Who(self.id, self.handle, self.name)


@dataclass(frozen=True)
class Friend:
    """A friend, and how much the reader listens to them, in percent."""

    who: Who
    since: datetime
    percent: int


@dataclass(frozen=True)
class FriendRequest:
    """Somebody asked to be a friend: of the reader (`incoming`), or by the reader."""

    who: Who
    asked: datetime
    incoming: bool


@dataclass(frozen=True)
class Circle:
    """One of the reader's own circles."""

    id: int
    name: str
    members: tuple[Who, ...]


@dataclass(frozen=True)
class Default:
    """What counts for a person who has not answered by the deadline."""

    scores: Mapping[str, int] | None
    limit: str | None


@dataclass(frozen=True)
class Owner:
    """One person's place in an item: who put it up, who is in it, and whether their voice counts."""

    who: Who
    role: str
    state: str
    tagged: bool


@dataclass(frozen=True)
class Outcome:
    """What a round decided; `reason` is written for the reader alone, and `agrees` is the reader's own word."""

    round: int
    choice: str
    rule: str
    agreed: bool
    decided: datetime
    reason: str
    agrees: bool | None
    agreeing: int


@dataclass(frozen=True)
class Petition:
    """A public request for another round; `asks` names whom it addresses, in the order of names."""

    by: Who
    text: str
    round: int
    created: datetime
    asks: tuple[Who, ...]


@dataclass(frozen=True)
class MyView:
    """The reader's own answer; `source` says where it comes from: mine, last round, default, none."""

    item: str
    round: int
    method: str
    scored: tuple[str, ...]
    scores: Mapping[str, int] | None
    limit: str | tuple[str, ...] | None
    submitted: bool
    source: str


@dataclass(frozen=True)
class ItemPage:
    """An item for one reader; what only co-owners may know is None or empty for everybody else."""

    id: str
    title: str
    description: str
    kind: str
    originator: Who
    created: datetime
    co_owner: bool
    audience: str | None
    owners: tuple[Owner, ...]
    can: frozenset[str]
    state: str | None = None
    round: int = 0
    rounds_left: int = 0
    method: str = "oc"
    vote: Mapping[str, object] | None = None
    anchor: str | None = None
    deadline: datetime | None = None
    objection_until: datetime | None = None
    expires: datetime | None = None
    answered: int = 0
    voters: int = 0
    outcome: Outcome | None = None
    petition: Petition | None = None
    my_owner: Owner | None = None
    overdue: bool = False


@dataclass(frozen=True)
class ItemCard:
    """An item in a list; `need` says what it wants of the reader: answer, tag, claim, agree or nothing."""

    id: str
    title: str
    description: str
    kind: str
    originator: Who
    state: str | None
    audience: str | None
    created: datetime
    deadline: datetime | None = None
    need: str | None = None


@dataclass(frozen=True)
class Notification:
    """Something happened that concerns the reader."""

    id: int
    kind: str
    item: str | None
    title: str
    actor: Who | None
    created: datetime
    read: bool


@dataclass(frozen=True)
class Event:
    """A line of the reader's history."""

    at: datetime
    action: str
    item: str | None
    title: str
    actor: Who | None


@dataclass(frozen=True)
class StoredFile:
    """The bytes of an item, after the access check; `inline` is false for what must be downloaded, not shown."""

    content: bytes
    media_type: str
    name: str
    inline: bool


@dataclass(frozen=True)
class Credentials:
    """What a password is checked against."""

    person_id: int
    password_hash: str | None
    suspended: bool


@dataclass(frozen=True)
class SignedIn:
    """A valid session."""

    session_id: int
    person: Person
    created: datetime
    expires: datetime


@dataclass(frozen=True)
class SessionInfo:
    """A session as its owner sees it in the list."""

    id: int
    created: datetime
    seen: datetime
    expires: datetime
    agent: str


@dataclass(frozen=True)
class TokenInfo:
    """An API token as its owner sees it in the list."""

    id: int
    name: str
    scopes: tuple[str, ...]
    created: datetime
    seen: datetime | None
    expires: datetime | None


@dataclass(frozen=True)
class TokenUse:
    """A valid token, at the moment of its use."""

    token_id: int
    person: Person
    scopes: tuple[str, ...]


@dataclass(frozen=True)
class Reply:
    """What was answered to a request with an Idempotency-Key."""

    fingerprint: str
    status: int
    body: str
    media_type: str


@dataclass(frozen=True)
class Webhook:
    """Where a person wants to be told; `failures` counts deliveries in a row that failed."""

    id: int
    url: str
    events: tuple[str, ...]
    created: datetime
    failures: int


@dataclass(frozen=True)
class Overview:
    """What an administrator sees: counts alone."""

    people: int
    suspended: int
    items: Mapping[str, int]
    pending: int
    failed: int
    audit_events: int
