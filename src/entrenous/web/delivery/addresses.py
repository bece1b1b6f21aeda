"""Where the service may connect to: a guard against being sent to places only the service can reach.

A webhook's address comes from a person, and the service's own network is not theirs (server-side request forgery). The
name is resolved once, every address it stands for must be public, and the connection goes to the very address that was
checked: a name that changes its mind in between gains nothing. Redirects are not followed.
"""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import SplitResult, urlsplit

from entrenous.errors import ArgumentError

__all__ = ["check_target", "resolve"]

_MAPPED = ipaddress.IPv6Network("64:ff9b::/96")


def check_target(url: str, *, private: bool = False) -> SplitResult:
    """Return the parts of an address that may be given as a target, before its name is resolved.

    >>> check_target("https://example.org/hook").hostname
    'example.org'
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ArgumentError("url", "expected an address such as https://example.org/hook") from None
    schemes = ("http", "https") if private else ("https",)
    plain = len(url) <= 500 and url.isascii() and url.isprintable() and " " not in url
    if not plain or parts.scheme not in schemes or not parts.hostname or parts.username or parts.password:
        raise ArgumentError(
            "url", "expected an address such as https://example.org/hook, without a user in it"
        )
    if not private and port not in (None, 443):
        raise ArgumentError("url", "expected the usual port")
    try:
        literal = ipaddress.ip_address(parts.hostname)
    except ValueError:
        return parts
    if not private and not is_public(literal):
        raise ArgumentError("url", "expected a public address")
    return parts


def resolve(host: str, port: int, *, private: bool = False) -> str | None:
    """Return an address to connect to for a host, or None if it has none or any of them is not public."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return None
    addresses = [str(entry[4][0]).split("%", 1)[0] for entry in found]
    if not addresses or not (private or all(is_public(ipaddress.ip_address(one)) for one in addresses)):
        return None
    return addresses[0]


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return whether an address is reached by everybody alike, also if another one is wrapped in it.

    >>> is_public(ipaddress.ip_address("93.184.215.14")), is_public(ipaddress.ip_address("::ffff:127.0.0.1"))
    (True, False)
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if address in _MAPPED:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None and not is_public(inner):
            return False
    return address.is_global and not address.is_multicast
