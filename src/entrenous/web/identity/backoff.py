"""Backoff: whoever guesses passwords waits longer and longer, and never makes the owner wait with them.

Every try is counted before the password is looked at, under three keys for an unknown browser and under one of its own
for a browser that signed in to the account before:

| counted for | free tries | then waits 1, 2, 4, ... seconds, at most |
|---|---|---|
| this browser, if the account knows it | 10 | 5 minutes |
| this client address and this name | 5 | 15 minutes |
| this client address | 100 | 15 minutes |
| this name, unknown browsers together | 300 | 15 minutes |

A count is forgotten a day after it began, and with the right password (of the last two rows only that one try). Who
has to wait is told so without a look at the password: a try that is refused is not counted and costs nothing.

What that allows in a day, for one name. From one address: 5 tries at once, 10 more while the waits of 1 to 512 seconds
pass (17 minutes), then one every 15 minutes: 5 + 10 + 94 = 109. That is less than 300, so whoever guesses from one
address, or from two, keeps nobody waiting but themselves: the owner signs in from a known browser and from any other
address. From any number of addresses: 300 + 10 + 96 = 406 at most; then unknown browsers wait, and known ones still do
not. From a known browser: 10 + 9 + 287 = 306. Names are counted as typed, whether or not anybody has them: nothing is
told. An address of IPv6 stands for its /64, which is what one customer gets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil

from sqlalchemy.orm import Session

from entrenous.web.store.database import now
from entrenous.web.store.signing_in import attempts
from entrenous.web.store.signing_in.attempts import Tries

__all__ = [
    "ACCOUNT",
    "ADDRESS",
    "DEVICE",
    "FORGOTTEN",
    "PAIR",
    "Pace",
    "begin_try",
    "forgive",
    "forgive_name",
    "keys_of_try",
]

FORGOTTEN = timedelta(days=1)
"""How long after its first try a count is kept."""


@dataclass(frozen=True)
class Pace:
    """How many tries are free, and the longest wait after more."""

    free: int
    longest: int

    def wait(self, count: int) -> timedelta:
        """Return how long to wait after so many tries.

        >>> [Pace(5, 900).wait(count).seconds for count in (4, 5, 6, 7, 15, 1000)]
        [0, 1, 2, 4, 900, 900]
        """
        over = count - self.free
        return timedelta(seconds=min(2 ** min(over, 30), self.longest) if over >= 0 else 0)


DEVICE, PAIR, ADDRESS, ACCOUNT = Pace(10, 300), Pace(5, 900), Pace(100, 900), Pace(300, 900)


def keys_of_try(login: str, address: str, device: int | None) -> Mapping[str, Pace]:
    """Return under which keys a try is counted, each with its pace: a known browser's own, or the three of others."""
    if device is not None:
        return {_key("device", str(device)): DEVICE}
    place = network_of(address)
    return {
        _key("pair", place, login): PAIR,
        _key("address", place): ADDRESS,
        _key("account", login): ACCOUNT,
    }


def begin_try(session: Session, keys: Mapping[str, Pace]) -> int:
    """Count a try and return 0, or, without counting it, the seconds to wait before another may be made."""
    moment = now(session)
    begun = Tries(0, moment, moment + FORGOTTEN)
    tries = attempts.locked_attempts(session, keys, begun)
    tries = {key: one if one.expires > moment else begun for key, one in tries.items()}
    waits = max(one.until - moment for one in tries.values()).total_seconds()
    if waits > 0:
        return ceil(waits)
    counted = {
        key: replace(one, count=one.count + 1, until=moment + keys[key].wait(one.count + 1))
        for key, one in tries.items()
    }
    attempts.set_attempts(session, counted)
    return 0


def forgive(session: Session, keys: Mapping[str, Pace]) -> None:
    """Forget tries that ended with the right password; others' tries from the same address or at the same name stay."""
    own = [key for key, pace in keys.items() if pace in (DEVICE, PAIR)]
    attempts.locked_attempts(
        session, keys, Tries(0, now(session), now(session) + FORGOTTEN)
    )  # all in one order
    attempts.forget_attempts(session, own)
    attempts.take_back(session, [key for key in keys if key not in own], now(session))


def forgive_name(session: Session, *logins: str | None) -> None:
    """Forget the tries at names of somebody who has just shown, by mail, who they are."""
    attempts.forget_attempts(session, [_key("account", login) for login in logins if login])


def network_of(address: str) -> str:
    """Return the network an address stands for: itself, or the /64 around an address of IPv6.

    >>> network_of("192.0.2.7"), network_of("2001:db8::1:2"), network_of("testclient")
    ('192.0.2.7', '2001:db8::/64', 'testclient')
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    return str(parsed.ipv4_mapped or ip_network((int(parsed), 64), strict=False))


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(("try", *parts)).encode()).hexdigest()
