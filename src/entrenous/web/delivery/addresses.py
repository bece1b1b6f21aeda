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

_SPECIAL_V4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared between a provider and its customers
            "127.0.0.0/8",  # this machine
            "169.254.0.0/16",  # this link, and what clouds tell their machines
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
"""All that is given out as global unicast. Outside lie, among others, ::/96 and ::ffff:0:0/96 (IPv4 inside),
64:ff9b::/96 and 64:ff9b:1::/48 (NAT64), 100::/64, 5f00::/16, fc00::/7, fe80::/10, fec0::/10 and ff00::/8."""

_SPECIAL_V6 = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: IPv4 inside
            "3fff::/20",  # documentation
        ),
    )
)
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})
"""The upper half of an interface id with IPv4 in the lower one."""


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
    addresses = [str(entry[4][0]) for entry in found]
    if not addresses or not (private or all(is_public(ipaddress.ip_address(one)) for one in addresses)):
        return None
    return addresses[0].split("%", 1)[0]


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return whether an address is global unicast in fact: given out as such, and no IPv4 address wrapped in it.

    What is refused is written out here. What Python calls global changed between its versions, and took addresses for
    global that reach this machine or this site.

    >>> is_public(ipaddress.ip_address("93.184.215.14")), is_public(ipaddress.ip_address("::127.0.0.1"))
    (True, False)

    References
    ----------
    IANA, "IPv4 Special-Purpose Address Registry" and "IPv6 Special-Purpose Address Registry"; RFC 4291, RFC 5214.
    """
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _SPECIAL_V4)
    if address.scope_id is not None or address not in _GLOBAL_V6:
        return False
    if (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP:
        return False
    return not any(address in network for network in _SPECIAL_V6)
