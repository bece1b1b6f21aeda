"""What the service tells a person: frozen, and never another person's scores, limits or weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

__all__ = [
    "Circle",
    "Credentials",
    "DeviceInfo",
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
    "StandingLine",
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
    """A person as they see themselves; `email` is theirs for sure, `claimed` is waiting to be confirmed."""

    id: int
    handle: str
    name: str
    email: str | None
    claimed: str | None
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
    """A friend, how much the reader listens to them, in percent, and whether the reader's line counts for them."""

    who: Who
    since: datetime
    percent: int
    counts_line: bool = False


@dataclass(frozen=True)
class FriendRequest:
    """Somebody asked to be a friend: of the reader (`incoming`), or by the reader.

    `like` are those of the reader's friends whose name looks the same: it may be somebody else.
    """

    who: Who
    asked: datetime
    incoming: bool
    like: tuple[Who, ...] = ()


@dataclass(frozen=True)
class Circle:
    """One of the reader's own circles."""

    id: int
    name: str
    members: tuple[Who, ...]


@dataclass(frozen=True)
class StandingLine:
    """How far a person lets things go when they do not answer.

    `confirmed` is false for one that was worked out from an older kind of standing answer: it counts for nobody until
    the person confirms it. `possible` says, a bit for each audience, which lines others could still believe in after
    `uses` silent uses.
    """

    line: str
    confirmed: bool
    possible: int
    uses: int


@dataclass(frozen=True)
class Owner:
    """One person's place in an item: who put it up, who is in it, and whether their voice counts."""

    who: Who
    role: str
    state: str
    tagged: bool


@dataclass(frozen=True)
class Outcome:
    """What a round decided.

    `reason` is made of the reader's own answer and the outcome alone, `agrees` is the reader's own word. `named` are
    those whose answer could have led further: in an open round that everybody was fine with, else None.
    """

    round: int
    choice: str
    agreed: bool
    decided: datetime
    reason: str
    agrees: bool | None
    named: tuple[Who, ...] | None = None


@dataclass(frozen=True)
class Petition:
    """A public request to let an item go further; `audience` is how far, None where circles decide."""

    by: Who
    text: str
    round: int
    created: datetime
    audience: str | None


@dataclass(frozen=True)
class Difference:
    """A part of an item as it is and as it is proposed: title, description, expires or file; a file has no text."""

    part: str
    old: str | None
    new: str | None


@dataclass(frozen=True)
class Change:
    """A proposed change, for co-owners; `agrees` is the reader's own word. Who else said yes is told to nobody."""

    id: str
    by: Who
    differences: tuple[Difference, ...]
    opened: datetime
    until: datetime
    agrees: bool
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class MyView:
    """The reader's own answer; `source` says where it comes from: mine, last round, line, none.

    `nudge` is for the reader alone, in a round that somebody asked for: what they last said about the audience asked
    for, "refused" or "fine", or "unknown" once that is destroyed. `receipt` opens what they sealed.
    """

    item: str
    round: int
    method: str
    scored: tuple[str, ...]
    scores: Mapping[str, int] | None
    limit: str | tuple[str, ...] | None
    submitted: bool
    source: str
    nudge: str | None = None
    named: bool = False
    receipt: str | None = None


@dataclass(frozen=True)
class ItemPage:
    """An item for one reader; what only co-owners may know is None or empty for everybody else.

    So is who put it up, if that person took their name off. `answered` is whether the reader has answered the present
    round: who else has, and how many, is told to nobody, since whoever looks often enough would see who was silent.
    """

    id: str
    title: str
    description: str
    kind: str
    originator: Who | None
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
    answered: bool = False
    voters: int = 0
    outcome: Outcome | None = None
    petition: Petition | None = None
    my_owner: Owner | None = None
    overdue: bool = False
    open: bool = False
    change: Change | None = None
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class ItemCard:
    """An item in a list; `need` says what it wants of the reader: answer, tag, claim, agree, change or nothing."""

    id: str
    title: str
    description: str
    kind: str
    originator: Who | None
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
    """A file of an item, after the access check; `inline` is false for what must be downloaded, not shown.

    `fetch` reads from one byte to another. `tag` is the same as long as the bytes are, and tells nothing about them.
    """

    media_type: str
    name: str
    inline: bool
    size: int
    tag: str
    fetch: Callable[[int, int], bytes] = field(repr=False)

    @property
    def content(self) -> bytes:
        """All bytes, read now."""
        return self.fetch(0, self.size)


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
class DeviceInfo:
    """A browser that signed in to this account before, as its owner sees it in the list."""

    id: int
    created: datetime
    seen: datetime
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
