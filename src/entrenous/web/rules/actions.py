"""Who may do what with an item, and when: one rule, asked by pages, by the interface and by the workflow.

An `Action` says by whom, in which states of the item and on what further condition. `may` answers for one person, with
True or with the reason why not; `offered` collects what a page can offer. A new action is one line at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy.orm import Session

from entrenous.access import CHOICES
from entrenous.web import store
from entrenous.web.rules import decisions
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.rules.states import ASKED, LIVE, STATES, accepted, closes_now, present_state
from entrenous.web.store.changes import Proposed
from entrenous.web.store.database import settings_of
from entrenous.web.store.items import ItemRow, OwnerRow, Step

__all__ = ["ACTIONS", "ASKED", "MOST_OWNERS", "Action", "Place", "Reason", "may", "offered", "try_to"]

MOST_OWNERS = 64
"""Up to so many people near-ties are settled with fractions, and everybody can still be asked."""


@dataclass(frozen=True)
class Reason:
    """Why something may not be done: a word for programs and a sentence for people. It counts as a no."""

    code: str
    message: str

    def __bool__(self) -> bool:
        return False

    def refusal(self) -> Conflict | NotFound:
        """Return the refusal to raise; one that must not tell that the item exists is as if it did not."""
        return NotFound() if self is NOT_HERE else Conflict(self.code, self.message)


NO_CHANGE = Reason("no_change", "there is no proposed change any more; look at the item again")
BUILT_ON = Reason("too_late", "somebody has already answered it, or somebody has joined since")
NOT_HERE = Reason("not_found", "there is nothing here, or nothing that you may see")


@dataclass(frozen=True)
class Place:
    """Where a person stands with an item; what only some rules ask for is looked up when they do."""

    session: Session
    person: int | None
    owners: Sequence[OwnerRow]

    @property
    def own(self) -> OwnerRow | None:
        """The person's own row among the owners."""
        return next((owner for owner in self.owners if owner.person == self.person), None)

    @property
    def state(self) -> str | None:
        """The state of the person's own row."""
        return None if self.own is None else self.own.state

    def agrees(self, item: ItemRow) -> bool:
        """Return whether the person said that they agree with the present outcome."""
        return self.person in store.items.agreeing(self.session, item.id, item.round)

    def change(self, item: ItemRow, moment: datetime) -> Proposed | None:
        """Return the proposed change of an item, unless its time is over."""
        found = store.changes.change_of(self.session, item.id)
        return found if found is not None and moment < found.until else None

    def last_step(self, item: ItemRow, moment: datetime) -> Step | None:
        """Return the person's last step that is recent enough to be taken back."""
        if self.person is None:
            return None
        since = moment - timedelta(minutes=settings_of(self.session).undo_minutes)
        return store.items.last_step(self.session, item.id, self.person, since)


Role = Callable[[Place, ItemRow], bool]
Obstacle = Callable[[Place, ItemRow, datetime], Reason | None]


@dataclass(frozen=True)
class Action:
    """Something people do with an item.

    Parameters
    ----------
    name
        What pages and programs call it.
    by
        Who does it; for everybody else the item is not there.
    during
        The states of the item in which it can be done.
    obstacle
        What else may be in the way, once person and state fit.
    unseen
        What may be in the way besides, and must not be seen by who only looks: it says what others did.
    """

    name: str
    by: Role
    during: tuple[str, ...]
    obstacle: Obstacle | None = None
    unseen: Obstacle | None = None


ACTIONS: dict[str, Action] = {}
"""All that people do with an item, by name."""


def _listed(action: Action) -> Action:
    ACTIONS[action.name] = action
    return action


def may(action: Action, place: Place, item: ItemRow, moment: datetime) -> Literal[True] | Reason:
    """Return True if a person may do something with an item at a moment, else the reason why not.

    Whether the person may see the item at all is for `visibility` to say; ask it first about somebody without a place.
    """
    state = present_state(item, moment)
    if not action.by(place, item):
        return NOT_HERE
    if state not in action.during:
        return _wrong_state(state)
    reason = action.obstacle(place, item, moment) if action.obstacle else None
    return True if reason is None else reason


def try_to(action: Action, place: Place, item: ItemRow, moment: datetime) -> Literal[True] | Reason:
    """Return what `may` does, for somebody who is about to do it: also what cannot be seen beforehand counts."""
    answer = may(action, place, item, moment)
    reason = action.unseen(place, item, moment) if answer and action.unseen else None
    return answer if reason is None else reason


def offered(place: Place, item: ItemRow, moment: datetime) -> frozenset[str]:
    """Return the names of all that a person may do with an item that they see."""
    return frozenset(name for name, action in ACTIONS.items() if may(action, place, item, moment))


def _wrong_state(state: str) -> Reason:
    return Reason("wrong_state", f"this is not possible while the item is {state.replace('_', ' ')}")


# --- by whom ------------------------------------------------------------------------------------------------


def _somebody(place: Place, _item: ItemRow) -> bool:
    return place.person is not None


def _originator(place: Place, item: ItemRow) -> bool:
    return place.state == "accepted" and item.originator == place.person


def _co_owner(place: Place, item: ItemRow) -> bool:
    return place.state == "accepted" and _not_taken_away(place, item)


def _asked(place: Place, _item: ItemRow) -> bool:
    return place.state == "asked"


def _has_a_place(place: Place, item: ItemRow) -> bool:
    return place.own is not None and _not_taken_away(place, item)


def _not_taken_away(place: Place, item: ItemRow) -> bool:
    """Return whether the item is still there: one that was withdrawn is there for who put it up alone."""
    return item.state != "withdrawn" or item.originator == place.person


# --- what may be in the way ---------------------------------------------------------------------------------


def _being_closed(_place: Place, item: ItemRow, moment: datetime) -> Reason | None:
    return Reason("wrong_state", "the time for this round is over") if closes_now(item, moment) else None


def _named_already(place: Place, _item: ItemRow, _moment: datetime) -> Reason | None:
    if place.state not in (None, "declined"):
        return Reason("already", "you are already named here, or who put it up said no")
    if place.own is None and len(place.owners) >= MOST_OWNERS:
        return Reason("too_many_owners", f"at most {MOST_OWNERS} people can decide about one item")
    return None


def _tagged(place: Place, _item: ItemRow, _moment: datetime) -> Reason | None:
    return Reason("already", "that is so already") if place.own is not None and place.own.tagged else None


def _not_tagged(place: Place, _item: ItemRow, _moment: datetime) -> Reason | None:
    return Reason("already", "that is so already") if place.own is not None and not place.own.tagged else None


def _agreed(place: Place, item: ItemRow, _moment: datetime) -> Reason | None:
    return Reason("already", "you have said so already") if place.agrees(item) else None


def _last_round(place: Place, item: ItemRow, _moment: datetime) -> Reason | None:
    if item.choice == CHOICES[-1]:
        return Reason("widest", "it goes as far as it can; for less, set a limit: it holds at once")
    if item.petitions < settings_of(place.session).rounds - 1:
        return None
    return Reason("too_many_rounds", "this was asked for already; for less, set a limit: it holds at once")


def _change_open(place: Place, item: ItemRow, moment: datetime) -> Reason | None:
    if place.change(item, moment) is None:
        return None
    return Reason("already", "a change is proposed already; wait until it is agreed or ended")


def _no_change_to_answer(place: Place, item: ItemRow, moment: datetime) -> Reason | None:
    change = place.change(item, moment)
    if change is None:
        return NO_CHANGE
    own = change.proposer == place.person
    return Reason("own_change", "you proposed this; you can take it back") if own else None


def _no_own_change(place: Place, item: ItemRow, moment: datetime) -> Reason | None:
    change = place.change(item, moment)
    return None if change is not None and change.proposer == place.person else NO_CHANGE


def _withdrawn(_place: Place, item: ItemRow, _moment: datetime) -> Reason | None:
    return Reason("already", "it is withdrawn already") if item.state == "withdrawn" else None


# --- what can be taken back ---------------------------------------------------------------------------------


def _nothing_to_undo(place: Place, item: ItemRow, moment: datetime) -> Reason | None:
    step = place.last_step(item, moment)
    if step is None:
        return Reason("nothing_to_undo", "there is no step of yours that can be taken back any more")
    state = present_state(item, moment)
    if step.action == "answer" and (
        (state, item.round) != ("collecting", step.before["round"]) or closes_now(item, moment)
    ):
        return Reason("too_late", "the round is closed, so this view counts; for less, set a limit")
    if step.action == "decline" and state not in LIVE:
        return _wrong_state(state)
    if step.action == "petition" and _built_on(place, item, state, step.before["round"]):
        return BUILT_ON
    return None


def _built_on(place: Place, item: ItemRow, state: str, petitioned: int) -> bool:
    """Return whether the round that a petition brought on is over, or asks somebody new."""
    if (state, item.round) != ("collecting", petitioned + 1):
        return True
    decided = store.items.decision_of(place.session, item.id, petitioned)
    assert decided is not None, "what was petitioned against was decided"
    return not {owner.slot for owner in accepted(place.owners)} <= decisions.took_part(decided)


def _answered_already(place: Place, item: ItemRow, moment: datetime) -> Reason | None:
    """Refuse to take back a petition that somebody answered; who only looks must not see when that happens."""
    step = place.last_step(item, moment)
    if step is None or step.action != "petition":
        return None
    return BUILT_ON if store.items.answered(place.session, item.id, item.round) else None


# --- the registry -------------------------------------------------------------------------------------------

OPEN = _listed(Action("open", _originator, ("draft",)))
EDIT = _listed(Action("edit", _originator, ("draft",)))
EXPIRE = _listed(Action("expire", _originator, LIVE))
TAG = _listed(Action("tag", _originator, LIVE))
DECIDE_CLAIM = _listed(Action("decide_claim", _originator, LIVE))
WITHDRAW = _listed(Action("withdraw", _originator, STATES, _withdrawn))
ANSWER = _listed(Action("answer", _co_owner, ("collecting",), _being_closed))
AGREE = _listed(Action("agree", _co_owner, ("proposed",), _agreed))
PETITION = _listed(Action("petition", _co_owner, ("proposed", "active", "no_agreement"), _last_round))
LIMIT = _listed(Action("limit", _co_owner, LIVE))
UNTAG = _listed(Action("untag", _co_owner, LIVE, _not_tagged))
RETAG = _listed(Action("retag", _co_owner, LIVE, _tagged))
PROPOSE = _listed(Action("propose", _co_owner, ASKED, _change_open))
ANSWER_CHANGE = _listed(Action("answer_change", _co_owner, ASKED, _no_change_to_answer))
RETRACT = _listed(Action("retract", _co_owner, ASKED, _no_own_change))
UNDO = _listed(Action("undo", _has_a_place, STATES, _nothing_to_undo, _answered_already))
ANSWER_TAG = _listed(Action("answer_tag", _asked, LIVE))
CLAIM = _listed(Action("claim", _somebody, LIVE, _named_already))
