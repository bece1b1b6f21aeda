"""What the interface takes and gives, as models that OpenAPI describes.

Scores are whole numbers from 0 to 5 and weights whole hundredths: near-ties are settled with fractions, and long
decimals would make those slow on purpose of whoever sends them.
"""

from __future__ import annotations

from datetime import datetime
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator, model_validator

from entrenous.access import votes
from entrenous.web.http.path_parts import Moment
from entrenous.web.store.records import Who

__all__ = [
    "AccountName",
    "Answer",
    "Batch",
    "BatchChecked",
    "ChangeAnswer",
    "Check",
    "Checked",
    "CircleNew",
    "Created",
    "Decided",
    "Done",
    "Edit",
    "Effect",
    "Expiry",
    "FriendShown",
    "ItemIds",
    "Limit",
    "LineSent",
    "Listening",
    "Mediation",
    "Members",
    "Opening",
    "PetitionText",
    "ProblemShape",
    "Tagging",
    "VoteName",
    "YesOrNo",
]

MOST_PEOPLE = 64
Name = Annotated[str, Field(min_length=1, max_length=80)]
Score = Annotated[int, Field(ge=0, le=5, strict=True)]
Weight = Annotated[float, Field(ge=0, le=1, multiple_of=0.01)]
ItemIdText = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
PersonNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]
ItemIds = Annotated[list[ItemIdText], Field(max_length=1000)]


class Model(BaseModel):
    """A body whose every field is known: a misspelt one is an error, not ignored."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def without_nul(cls, sent: Any) -> Any:
        """Refuse text that PostgreSQL could not even look up, on every kind of database."""
        if _holds_nul(sent):
            raise ValueError("expected text without the character U+0000")
        return sent


def _holds_nul(sent: Any) -> bool:
    """Return whether any text in what was sent, names of fields included, holds a NUL."""
    if isinstance(sent, str):
        return "\0" in sent
    if isinstance(sent, dict):
        return any(map(_holds_nul, sent)) or any(map(_holds_nul, sent.values()))
    return isinstance(sent, list) and any(map(_holds_nul, sent))


def _vote_model(rule: type[votes.Vote]) -> type[Model]:
    """Return the body that describes a voting rule."""
    bounds = {
        each.name: (Annotated[float, Field(gt=each.above, le=each.most, multiple_of=each.step)], ...)
        for each in rule.parameters
    }
    fields: dict[str, Any] = {"rule": (Literal[rule.name], ...), **bounds}
    return create_model(rule.__name__, __base__=Model, __doc__=rule.description, **fields)


VOTE_MODELS = {name: _vote_model(rule) for name, rule in votes.VOTES.items()}
if TYPE_CHECKING:  # the registry is read when the program starts, types are checked before
    VoteName = str
    Vote = Model
else:
    VoteName = Literal[tuple(VOTE_MODELS)]
    Vote = Annotated[reduce(or_, VOTE_MODELS.values()), Field(discriminator="rule")]


class Mediation(Model):
    """A group to mediate, in the common format of files; nothing of it is stored."""

    wishes: Annotated[dict[Name, dict[Name, Score] | None], Field(min_length=1, max_length=MOST_PEOPLE)]
    peers: Annotated[dict[Name, dict[Name, Weight]], Field(max_length=MOST_PEOPLE)] = {}
    choices: Annotated[list[Name], Field(min_length=2, max_length=12)] | None = None
    method: Literal["oc", "oo", "circles"] = "oc"
    mode: Literal["cap", "strict"] = "cap"
    vote: Vote = VOTE_MODELS[votes.DEFAULT.name].model_validate(votes.DEFAULT.to_dict())
    limits: Annotated[dict[Name, Name | list[Name]], Field(max_length=MOST_PEOPLE)] = {}
    anchor: Literal["each", "any", "originator"] = "each"
    originator: Name | None = None
    monotone: bool = True
    circles: Annotated[dict[Name, list[Name]], Field(max_length=MOST_PEOPLE)] = {}

    @field_validator("wishes")
    @classmethod
    def few_scores(cls, wishes: dict[str, dict[str, int] | None]) -> dict[str, dict[str, int] | None]:
        """Bound what one request may ask for."""
        if any(wish is not None and len(wish) > MOST_PEOPLE for wish in wishes.values()):
            raise ValueError(f"at most {MOST_PEOPLE} scores per person")
        return wishes


class Decided(BaseModel):
    """The decision: the audience, the rule that gave it, where the wishes settled, the proof and the reasons."""

    choice: str
    agreed: bool
    rule: str
    accepted_by: list[str]
    settled: dict[str, dict[str, float]]
    certificate: dict[str, Any]
    reasons: dict[str, str]
    engine: int


class Check(Model):
    """An item to ask about."""

    item: ItemIdText


class Checked(BaseModel):
    """Whether the item may be seen; false also if there is none."""

    item: str
    visible: bool


class Batch(Model):
    """Items to ask about."""

    items: ItemIds


class BatchChecked(BaseModel):
    """Those that may be seen, in the order of the question."""

    visible: list[str]


class AccountName(Model):
    """Somebody's short name."""

    handle: Annotated[str, Field(min_length=1, max_length=41)]


class YesOrNo(Model):
    """Accept, or not."""

    accept: bool


class Listening(Model):
    """How much a friend's wish counts, in percent of the own one."""

    percent: Annotated[int, Field(ge=0, le=100, strict=True)]


class CircleNew(Model):
    """A circle."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    members: Annotated[list[PersonNumber], Field(max_length=1000)] = []


class Members(CircleNew):
    """A circle as it should be from now on."""


class LineSent(Model):
    """How far things go for a person who does not answer in time, and in whose items: leave out to keep those."""

    line: Name
    counts_for: Annotated[list[int], Field(max_length=MOST_PEOPLE)] | None = None


class Tagging(Model):
    """Friends who are in an item."""

    people: Annotated[list[PersonNumber], Field(min_length=1, max_length=100)]


class Opening(Model):
    """Ask everybody, for so many days."""

    days: Annotated[int, Field(ge=1, le=365)] | None = None


class Answer(Model):
    """The own view. Where `limit` is left out the limit stays as it is; null removes it."""

    scores: Annotated[dict[Name, Score], Field(max_length=MOST_PEOPLE)]
    limit: Name | Annotated[list[Name], Field(max_length=MOST_PEOPLE)] | None = None
    named: bool = False


class Limit(Model):
    """The widest audience, or the circles, that may ever see the item; null for no limit."""

    limit: Name | Annotated[list[Name], Field(max_length=MOST_PEOPLE)] | None


class PetitionText(Model):
    """The words of a petition, read by all co-owners, and how far the item should go: a step, unless told."""

    text: Annotated[str, Field(min_length=1, max_length=1000)]
    audience: Name | None = None


class Edit(Model):
    """Title and description."""

    title: Annotated[str, Field(min_length=1, max_length=120)]
    description: Annotated[str, Field(max_length=1000)] = ""


class ChangeAnswer(YesOrNo):
    """Yes or no to a proposed change, by the id under which it was read."""

    change: ItemIdText


class Effect(BaseModel):
    """It was proposed, and whether it is in effect already, since nobody else decides."""

    in_effect: bool


class Expiry(Model):
    """When the item stops being shown; null for never."""

    expires: Moment | None


class Created(BaseModel):
    """The id of something new."""

    id: str


class Done(BaseModel):
    """It was done, and it is safe."""

    done: bool = True


class FriendShown(BaseModel):
    """A friend; with the scope answers, also how much the owner listens to them and whether their line counts there."""

    who: Who
    since: datetime
    percent: int | None
    counts_line: bool | None


class ProblemShape(BaseModel):
    """Problem details (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    fields: list[dict[str, str]] = []
