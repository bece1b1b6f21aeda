"""A person's passkeys: asking for them, adding, using and removing them, and never losing the last way in.

A challenge is random, taken once and gone after minutes. The database keeps a hash of it together with a secret in a
cookie: an answer counts only in the browser that was asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.identity import passkeys, tokens
from entrenous.web.identity.passkeys import PasskeyRefused, RelyingParty
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.rules.typed import checked_text
from entrenous.web.store import audit_trail
from entrenous.web.store.database import now
from entrenous.web.store.signing_in import freshness, public_keys

__all__ = [
    "ADD",
    "CHALLENGE_MINUTES",
    "CONFIRM",
    "FRESH_MINUTES",
    "MOST_PASSKEYS",
    "SIGN_IN",
    "add",
    "ask_for_any",
    "ask_for_new",
    "ask_for_own",
    "is_fresh",
    "remove",
    "remove_password",
    "take",
    "use",
]

SIGN_IN, ADD, CONFIRM = "sign-in", "add", "confirm"
"""What a challenge is for; an answer to one kind counts for no other."""

CHALLENGE_MINUTES = 10
FRESH_MINUTES = 10
"""How long after signing in, or confirming, ways to sign in may be added and removed."""

MOST_PASSKEYS = 20

Details = Mapping[str, Any]
NOTHING: Details = {}


def is_fresh(session: Session, session_id: int) -> bool:
    """Return whether whoever uses a session has proved in the last minutes that it is theirs."""
    proved = freshness.proved(session, session_id)
    return proved is not None and now(session) - proved < timedelta(minutes=FRESH_MINUTES)


# --- asking -------------------------------------------------------------------------------------------------


def ask_for_any(session: Session, party: RelyingParty, browser: str) -> dict[str, Any]:
    """Return what to ask a browser in which somebody wants to sign in: the same for everybody."""
    challenge = _remember(session, browser, SIGN_IN)
    return passkeys.request_options(party, challenge)


def ask_for_own(
    session: Session, party: RelyingParty, browser: str, person: int, session_id: int
) -> dict[str, Any]:
    """Return what to ask somebody who is signed in and has to show once more who they are."""
    challenge = _remember(session, browser, CONFIRM, {"session": session_id})
    return passkeys.request_options(party, challenge, known=_known(session, party, person))


def ask_for_new(
    session: Session, party: RelyingParty, browser: str, person: int, session_id: int
) -> dict[str, Any]:
    """Return what to ask somebody who is signed in and adds a passkey."""
    found = store.persons.get_person(session, person)
    if found is None:
        raise NotFound
    user_handle = public_keys.handle_of(session, person) or passkeys.new_user_handle()
    challenge = _remember(session, browser, ADD, {"session": session_id, "user_handle": user_handle})
    return passkeys.creation_options(
        party,
        challenge,
        user_handle=user_handle,
        handle=found.handle,
        name=found.name,
        known=_known(session, party, person),
    )


def take(
    session: Session, browser: str | None, answer: str, purpose: str, *, session_id: int | None = None
) -> tuple[str, Details]:
    """Return the challenge an answer is to, and what was kept with it; both are used up, whatever comes of it.

    Commit before anything else is checked: an answer that is refused must not be tried again.
    """
    challenge = passkeys.challenge_in(answer)
    details = store.credentials.take_login(session, _key(browser or "", challenge))
    wanted = {"purpose": purpose, "session": session_id}
    if not browser or details is None or {name: details.get(name) for name in wanted} != wanted:
        return challenge, {}
    return challenge, details


def _remember(session: Session, browser: str, purpose: str, details: Details = NOTHING) -> str:
    challenge = passkeys.new_challenge()
    kept = {"purpose": purpose, "session": None, **details}
    expires = now(session) + timedelta(minutes=CHALLENGE_MINUTES)
    store.credentials.remember_login(session, _key(browser, challenge), kept, expires)
    return challenge


def _key(browser: str, challenge: str) -> str:
    """Return under what a challenge is kept; trips to a provider are kept in the same table."""
    return tokens.hash_secret(f"passkey {browser} {challenge}")


def _known(session: Session, party: RelyingParty, person: int) -> list[tuple[str, tuple[str, ...]]]:
    own = public_keys.passkeys_of(session, person)
    return [(one.credential, one.transports) for one in own if one.rp_id == party.id]


# --- answers ------------------------------------------------------------------------------------------------


def add(
    session: Session,
    person: int,
    party: RelyingParty,
    answer: str,
    *,
    taken: tuple[str, Details],
    name: str,
) -> None:
    """Let a new passkey sign a person in."""
    challenge, details = taken
    if not details:
        raise PasskeyRefused
    made = passkeys.check_attestation(party, challenge, answer)
    if public_keys.lock_person(session, person) is None:
        raise NotFound
    if len(public_keys.passkeys_of(session, person)) >= MOST_PASSKEYS:
        raise Conflict(
            "too_many_passkeys", f"You have {MOST_PASSKEYS} passkeys. Remove one before you add another."
        )
    try:
        with session.begin_nested():
            public_keys.add_passkey(
                session,
                person,
                credential=made.credential,
                public_key=made.public_key,
                user_handle=details["user_handle"],
                rp_id=party.id,
                sign_count=made.sign_count,
                name=checked_text("name", name, most=80),
                transports=list(made.transports),
                backed_up=made.backed_up,
            )
    except IntegrityError:
        raise PasskeyRefused from None  # known here already: whose it is, is nobody's business
    audit_trail.record(session, "passkey_added", actor=person)


def use(
    session: Session,
    party: RelyingParty,
    answer: str,
    *,
    taken: tuple[str, Details],
    person: int | None = None,
) -> int | None:
    """Return whom an answer of a passkey proves to be there, None for nobody; with `person`, that person or nobody.

    Commit also for nobody: a passkey whose count went backwards exists twice, which is refused and noted.
    """
    challenge, details = taken
    if not details:
        return None
    try:
        key = public_keys.lock_public_key(session, passkeys.credential_in(answer), party.id)
        if key is None or not key.here or (person is not None and key.person != person):
            return None
        used = passkeys.check_assertion(
            party, challenge, answer, credential=key.credential, public_key=key.public_key
        )
    except PasskeyRefused:
        return None
    named = used.user_handle == key.user_handle or (person is not None and used.user_handle is None)
    if not named:
        return None
    if (used.sign_count or key.sign_count) and used.sign_count <= key.sign_count:
        audit_trail.record(session, "passkey_refused", actor=key.person)
        return None
    public_keys.note_use(session, key.id, used.sign_count, backed_up=used.backed_up)
    audit_trail.record(session, "passkey_used", actor=key.person)
    return key.person


# --- removing -----------------------------------------------------------------------------------------------


def remove(
    session: Session, person: int, passkey: int, *, party: RelyingParty | None, issuer: str | None
) -> None:
    """Remove a passkey, unless it is the last way in; `issuer` is the provider one can sign in with here."""
    has_password = public_keys.lock_person(session, person)
    own = public_keys.passkeys_of(session, person)
    if has_password is None or passkey not in {one.id for one in own}:
        raise NotFound
    left = any(one.id != passkey and party is not None and one.rp_id == party.id for one in own)
    if not (has_password or left or _has_identity(session, person, issuer)):
        raise Conflict(
            "last_way_in",
            "This is the only way you can sign in. Add another passkey or set a password first.",
        )
    public_keys.remove_passkey(session, person, passkey)
    audit_trail.record(session, "passkey_removed", actor=person)


def remove_password(session: Session, person: int, *, party: RelyingParty | None) -> None:
    """Do without a password, for somebody who has a passkey for this service."""
    if not public_keys.lock_person(session, person):
        raise NotFound
    own = public_keys.passkeys_of(session, person)
    if party is None or not any(one.rp_id == party.id for one in own):
        raise Conflict("last_way_in", "Your password is the only way you can sign in. Add a passkey first.")
    store.persons.update_person(session, person, password_hash=None)
    audit_trail.record(session, "password_removed", actor=person)


def _has_identity(session: Session, person: int, issuer: str | None) -> bool:
    return any(known == issuer for known, _ in store.credentials.identities_of(session, person))
