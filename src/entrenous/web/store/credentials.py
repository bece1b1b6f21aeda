"""SQL about signing in: sessions, providers, tokens, rate limits and replies to repeated requests.

Of every secret only a hash is stored; what the caller hands in is already hashed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from entrenous.web.store.database import count_changed, insert_row, now
from entrenous.web.store.persons import person_from
from entrenous.web.store.records import Credentials, Reply, SessionInfo, SignedIn, TokenInfo, TokenUse
from entrenous.web.store.schema import hits, identities, logins, passkeys, people, replies, sessions, tokens
from entrenous.web.store.signing_in import attempts, devices, links_sent

__all__ = [
    "count_hit",
    "create_session",
    "create_token",
    "credentials",
    "credentials_by_identity",
    "forget_counts",
    "forget_hits",
    "forget_identity",
    "forget_replies",
    "identities_of",
    "link_identity",
    "purge",
    "remember",
    "remember_login",
    "remembered",
    "revoke_session",
    "revoke_sessions",
    "revoke_token",
    "session_by_hash",
    "sessions_of",
    "set_password_hash",
    "still_fits",
    "take_login",
    "token_by_hash",
    "tokens_of",
    "touch_session",
    "touch_token",
]

KEPT = timedelta(days=1)
"""How long replies to repeated requests are kept."""

_HERE = sa.and_(people.c.deleted.is_(None), people.c.suspended.is_(None))


def credentials(session: Session, login: str) -> Credentials | None:
    """Return what a password is checked against, for a handle or a confirmed e-mail address."""
    column = people.c.email if "@" in login else people.c.handle
    query = sa.select(people.c.id, people.c.password_hash, people.c.suspended).where(
        column == login.lower(), people.c.deleted.is_(None)
    )
    row = session.execute(query).one_or_none()
    return None if row is None else Credentials(row.id, row.password_hash, row.suspended is not None)


def still_fits(session: Session, person: int, stored: str | None) -> bool:
    """Return whether somebody who is here still has this password, and let nobody replace it until the end."""
    query = sa.select(people.c.id).where(people.c.id == person, people.c.password_hash == stored, _HERE)
    return session.scalar(query.with_for_update()) is not None


def set_password_hash(session: Session, person: int, password_hash: str) -> None:
    """Replace a person's password."""
    session.execute(sa.update(people).where(people.c.id == person).values(password_hash=password_hash))


# --- sessions -----------------------------------------------------------------------------------------------


def create_session(session: Session, person: int, token_hash: str, expires: datetime, agent: str) -> int:
    """Begin a session and return its number."""
    moment = now(session)
    return insert_row(
        session,
        sessions,
        person=person,
        token_hash=token_hash,
        agent=agent[:200],
        created=moment,
        seen=moment,
        expires=expires,
    )


def session_by_hash(session: Session, token_hash: str) -> SignedIn | None:
    """Return who is signed in, unless the session expired or the person was suspended."""
    query = (
        sa.select(
            people,
            sessions.c.id.label("session_id"),
            sessions.c.created.label("begun"),
            sessions.c.expires,
        )
        .join(people, people.c.id == sessions.c.person)
        .where(sessions.c.token_hash == token_hash, sessions.c.expires > now(session), _HERE)
    )
    row = session.execute(query).one_or_none()
    return None if row is None else SignedIn(row.session_id, person_from(row), row.begun, row.expires)


def touch_session(session: Session, session_id: int) -> None:
    """Note that a session was used."""
    session.execute(sa.update(sessions).where(sessions.c.id == session_id).values(seen=now(session)))


def sessions_of(session: Session, person: int) -> tuple[SessionInfo, ...]:
    """Return a person's sessions, the last used first."""
    query = sa.select(sessions).where(sessions.c.person == person, sessions.c.expires > now(session))
    rows = session.execute(query.order_by(sessions.c.seen.desc(), sessions.c.id))
    return tuple(SessionInfo(row.id, row.created, row.seen, row.expires, row.agent) for row in rows)


def revoke_session(session: Session, person: int, session_id: int) -> bool:
    """End one of a person's sessions and return whether there was one."""
    query = sa.delete(sessions).where(sessions.c.person == person, sessions.c.id == session_id)
    return bool(count_changed(session, query))


def revoke_sessions(session: Session, person: int, *, keep: int | None = None) -> int:
    """End all of a person's sessions but one, and return how many."""
    query = sa.delete(sessions).where(sessions.c.person == person, sessions.c.id != (keep or 0))
    return count_changed(session, query)


# --- providers ----------------------------------------------------------------------------------------------


def link_identity(session: Session, person: int, issuer: str, subject: str) -> None:
    """Let a provider's account sign a person in; an IntegrityError says that it signs in somebody already."""
    session.execute(sa.insert(identities).values(issuer=issuer, subject=subject, person=person))


def credentials_by_identity(session: Session, issuer: str, subject: str) -> Credentials | None:
    """Return whose a provider's account is, and whether that person is suspended."""
    query = (
        sa.select(people.c.id, people.c.password_hash, people.c.suspended)
        .join(identities, identities.c.person == people.c.id)
        .where(identities.c.issuer == issuer, identities.c.subject == subject, people.c.deleted.is_(None))
    )
    row = session.execute(query).one_or_none()
    return None if row is None else Credentials(row.id, row.password_hash, row.suspended is not None)


def identities_of(session: Session, person: int) -> tuple[tuple[str, str], ...]:
    """Return the providers' accounts that sign a person in, as issuer and subject."""
    query = sa.select(identities.c.issuer, identities.c.subject).where(identities.c.person == person)
    return tuple((row.issuer, row.subject) for row in session.execute(query.order_by(identities.c.issuer)))


def remember_login(session: Session, state_hash: str, details: Mapping[str, Any], expires: datetime) -> None:
    """Keep what is needed when a person comes back from a provider."""
    session.execute(sa.insert(logins).values(state_hash=state_hash, details=dict(details), expires=expires))


def take_login(session: Session, state_hash: str) -> dict[str, Any] | None:
    """Return what was kept for a login, once."""
    query = sa.delete(logins).where(logins.c.state_hash == state_hash)
    row = session.execute(query.returning(logins.c.details, logins.c.expires)).one_or_none()
    return None if row is None or row.expires <= now(session) else dict(row.details)


# --- tokens -------------------------------------------------------------------------------------------------


def create_token(
    session: Session, person: int, name: str, token_hash: str, scopes: Sequence[str], expires: datetime | None
) -> int:
    """Add an API token and return its number."""
    return insert_row(
        session,
        tokens,
        person=person,
        name=name,
        token_hash=token_hash,
        scopes=list(scopes),
        created=now(session),
        expires=expires,
    )


# Asked with every request of a program, so it is put together once.
_TOKEN = (
    sa.select(people, tokens.c.id.label("token_id"), tokens.c.scopes)
    .join(people, people.c.id == tokens.c.person)
    .where(
        tokens.c.token_hash == sa.bindparam("token_hash"),
        sa.or_(tokens.c.expires.is_(None), tokens.c.expires > sa.bindparam("moment")),
        _HERE,
    )
)


def token_by_hash(session: Session, token_hash: str) -> TokenUse | None:
    """Return whose token this is and what it may do, unless it expired or the person was suspended."""
    row = session.execute(_TOKEN, {"token_hash": token_hash, "moment": now(session)}).one_or_none()
    return None if row is None else TokenUse(row.token_id, person_from(row), tuple(row.scopes))


def touch_token(session: Session, token_id: int) -> None:
    """Note that a token was used."""
    session.execute(sa.update(tokens).where(tokens.c.id == token_id).values(seen=now(session)))


def tokens_of(session: Session, person: int) -> tuple[TokenInfo, ...]:
    """Return a person's tokens, the newest first."""
    rows = session.execute(sa.select(tokens).where(tokens.c.person == person).order_by(tokens.c.id.desc()))
    return tuple(
        TokenInfo(row.id, row.name, tuple(row.scopes), row.created, row.seen, row.expires) for row in rows
    )


def revoke_token(session: Session, person: int, token_id: int) -> bool:
    """Remove one of a person's tokens and return whether there was one."""
    query = sa.delete(tokens).where(tokens.c.person == person, tokens.c.id == token_id)
    return bool(count_changed(session, query))


# --- limits and repeated requests ---------------------------------------------------------------------------


def count_hit(session: Session, key: str, window: timedelta) -> int:
    """Count a hit and return how many there were in the running window, for all processes together."""
    length = window.total_seconds()
    number = int(now(session).timestamp() // length)
    ends = datetime.fromtimestamp((number + 1) * length, UTC)
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    query = insert(hits).values(key=key, window=number, count=1, expires=ends)
    query = query.on_conflict_do_update(
        index_elements=[hits.c.key, hits.c.window], set_={"count": hits.c.count + 1}
    )
    return int(session.execute(query.returning(hits.c.count)).scalar_one())


def forget_hits(session: Session, key: str) -> None:
    """Count a key from nothing again."""
    session.execute(sa.delete(hits).where(hits.c.key == key))


def forget_counts(session: Session, person: int) -> None:
    """Forget all that was counted of a person: what they asked for, and whom."""
    mine = sa.or_(hits.c.key.like(f"% {person}"), hits.c.key.like(f"% {person} %"))
    session.execute(sa.delete(hits).where(mine))


def remembered(session: Session, person: int, key: str) -> Reply | None:
    """Return what was answered to this person's request with the same Idempotency-Key."""
    query = sa.select(replies).where(replies.c.person == person, replies.c.key == key)
    row = session.execute(query).one_or_none()
    return None if row is None else Reply(row.fingerprint, row.status, row.body, row.media_type)


def remember(session: Session, person: int, key: str, reply: Reply) -> None:
    """Keep an answer; an IntegrityError says that the same request is just being answered."""
    session.execute(
        sa.insert(replies).values(
            person=person,
            key=key,
            fingerprint=reply.fingerprint,
            status=reply.status,
            body=reply.body,
            media_type=reply.media_type,
            created=now(session),
        )
    )


def forget_replies(session: Session, handle: str) -> None:
    """Forget answers to others that name somebody: sent again, such a request is carried out again."""
    named = replies.c.body.contains(f'"handle": "{handle}"', autoescape=True)
    session.execute(sa.delete(replies).where(named))


def purge(session: Session) -> None:
    """Remove what has expired."""
    moment = now(session)
    session.execute(sa.delete(sessions).where(sessions.c.expires <= moment))
    session.execute(sa.delete(logins).where(logins.c.expires <= moment))
    session.execute(sa.delete(replies).where(replies.c.created <= moment - KEPT))
    session.execute(sa.delete(hits).where(hits.c.expires <= moment))
    attempts.purge_attempts(session, moment)
    links_sent.purge_links(session, moment)


def forget_identity(session: Session, person: int) -> None:
    """Remove every way in which a person signs in."""
    for table in (sessions, identities, passkeys, tokens, replies):
        session.execute(sa.delete(table).where(table.c.person == person))
    devices.forget_devices(session, person)
    links_sent.forget_links(session, person)
