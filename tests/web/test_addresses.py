"""Where webhooks may go: public places alone, by the very address that was checked."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.web.conftest import Clock, register

from entrenous.errors import ArgumentError
from entrenous.web.delivery import addresses
from entrenous.web.delivery.addresses import check_target, resolve
from entrenous.web.delivery.webhooks import post
from entrenous.web.service import membership
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

SECRET = "whsec_a2tra2tra2tra2tra2tra2tra2tra2tr"
MOMENT = datetime(2030, 5, 1, tzinfo=UTC)

PRIVATE = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.127.255.255",
    "0.0.0.0",
    "0.1.2.3",
    "192.0.0.9",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "[::1]",
    "[::]",
    "[::127.0.0.1]",
    "[::8.8.8.8]",
    "[::ffff:127.0.0.1]",
    "[::ffff:8.8.8.8]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::808:808]",
    "[64:ff9b:1::1]",
    "[64:ff9b:1:ffff:ffff:ffff:ffff:ffff]",
    "[100::1]",
    "[2001::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[2001:2::1]",
    "[2001:10::1]",
    "[2001:20::1]",
    "[2001:db8::1]",
    "[2002:7f00:1::]",
    "[2002:808:808::1]",
    "[2600::5efe:10.0.0.1]",
    "[2600::200:5efe:8.8.8.8]",
    "[3fff::1]",
    "[3fff:fff:ffff::1]",
    "[4000::1]",
    "[5f00::1]",
    "[fc00::1]",
    "[fd12:3456::1]",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "[2600::1%25eth0]",
    "[fec0::1]",
    "[feff::1]",
    "[ff02::1]",
]

PUBLIC = [
    "1.1.1.1",
    "93.184.215.14",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "[2001:200::1]",
    "[2001:4860:4860::8888]",
    "[2003::1]",
    "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]",
    "[2a00:1450:4001:80b::200e]",
    "[3fff:1000::1]",
]


@pytest.mark.parametrize("host", PRIVATE)
def test_private_places_are_refused_as_addresses_and_behind_names(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 10: ::127.0.0.1, 64:ff9b:1::/48 and fec0::/10 passed."""
    with pytest.raises(ArgumentError, match="url: expected"):
        check_target(f"https://{host}/hook")
    plain = host.strip("[]").replace("%25", "%")
    public = ("93.184.215.14", 443)
    monkeypatch.setattr(
        addresses.socket,
        "getaddrinfo",
        lambda *_arguments, **_options: [(0, 0, 0, "", public), (0, 0, 0, "", (plain, 443))],
    )
    assert resolve("innocent.example", 443) is None
    assert post("https://innocent.example/", SECRET, "id", {}, moment=MOMENT) == "no public address"


@pytest.mark.parametrize("host", PUBLIC)
def test_public_places_are_taken(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = host.strip("[]")
    monkeypatch.setattr(
        addresses.socket, "getaddrinfo", lambda *_arguments, **_options: [(0, 0, 0, "", (plain, 443))]
    )
    assert check_target(f"https://{host}/hook").hostname == plain
    assert resolve("innocent.example", 443) == plain


def global_unicast(address: IPv4Address | IPv6Address) -> bool:
    """Say the same once more, digit by digit, as the registries of IANA print it."""
    if address.version == 4:
        match tuple(address.packed):
            case (0 | 10 | 127, *_) | (169, 254, *_) | (192, 168, *_):
                return False
            case (100, second, *_) if 64 <= second <= 127:
                return False
            case (172, second, *_) if 16 <= second <= 31:
                return False
            case (192, 0, 0 | 2, _) | (192, 88, 99, _) | (198, 51, 100, _) | (203, 0, 113, _):
                return False
            case (198, 18 | 19, *_):
                return False
            case (first, *_):
                return first < 224
    groups = address.exploded.split(":")
    if groups[0][0] not in "23":
        return False  # 2000 to 3fff is all there is
    if groups[4] in ("0000", "0200") and groups[5] == "5efe":
        return False
    if groups[0] == "2001" and (groups[1] == "0db8" or int(groups[1], 16) <= 0x1FF):
        return False
    return groups[0] != "2002" and not (groups[0] == "3fff" and groups[1][0] == "0")


EDGES = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "::/96",
    "::ffff:0:0/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "2000::/3",
    "2001::/32",
    "2001::/23",
    "2001:2::/48",
    "2001:10::/28",
    "2001:20::/28",
    "2001:30::/28",
    "2001:db8::/32",
    "2002::/16",
    "2600::5efe:0:0/96",
    "2600::200:5efe:0:0/96",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
]


@st.composite
def near_edges(draw: st.DrawFn) -> IPv4Address | IPv6Address:
    """Return an address inside one of the special ranges, or within a few of its borders."""
    network = ip_network(draw(st.sampled_from(EDGES)))
    first, last = int(network[0]), int(network[-1])
    near = st.integers(-3, 3).flatmap(lambda step: st.sampled_from([first + step, last + step]))
    number = draw(st.integers(first, last) | near)
    kind = type(network[0])
    return kind(min(max(number, 0), 2**network.max_prefixlen - 1))


@settings(max_examples=2000)
@given(near_edges() | st.ip_addresses(v=4) | st.ip_addresses(v=6) | st.ip_addresses(v=6, network="2000::/3"))
def test_the_guard_is_what_the_registries_say(address: IPv4Address | IPv6Address) -> None:
    """Fault 10: against a definition of our own, at every border and anywhere."""
    assert addresses.is_public(address) == global_unicast(address)
    if addresses.is_public(address):
        assert address.is_global, "never wider than Python's own"
        assert not address.is_multicast


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "https://user:password@example.org/",
        "https://example.org:22/",
        "https://",
        "//example.org/",
        "https://exa mple.org/",
        "https://example.org/\r\nHost: other",
        "https://ex\u0430mple.org/",
        "https://[bad/",
        "https://example.org:99999/",
        "https://example.org/" + "a" * 600,
    ],
)
def test_odd_addresses_are_refused(url: str) -> None:
    with pytest.raises(ArgumentError, match="url: expected"):
        check_target(url)


def test_numbers_that_stand_for_this_machine_resolve_to_nothing() -> None:
    for host in ("localhost", "2130706433", "0x7f000001", "127.1"):
        assert resolve(host, 443) is None


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that points elsewhere at the second look (DNS rebinding) gains nothing: there is no second look."""
    asked, connected = [], []

    def answer(host: str, port: int, **_options: Any) -> list[Any]:
        asked.append(host)
        return [(0, 0, 0, "", ("93.184.215.14" if len(asked) == 1 else "127.0.0.1", port))]

    def connect(address: tuple[str, int], **_options: Any) -> Any:
        connected.append(address)
        raise OSError

    monkeypatch.setattr(addresses.socket, "getaddrinfo", answer)
    monkeypatch.setattr("entrenous.web.delivery.webhooks.socket.create_connection", connect)
    assert post("https://rebinding.example/", SECRET, "id", {}, moment=MOMENT) == "OSError"
    assert connected == [("93.184.215.14", 443)]


def test_a_service_on_the_open_net_takes_no_private_webhook(settings: Settings, clock: Clock) -> None:
    database = Database(replace(settings, private_webhooks=False), clock=clock)
    database.migrate()
    (ann,) = register(database, "ann")
    with pytest.raises(ArgumentError, match="url"), database.writing() as session:
        membership.add_webhook(session, ann, "http://127.0.0.1/hook", ["outcome"])
    with pytest.raises(ArgumentError, match="events"), database.writing() as session:
        membership.add_webhook(session, ann, "https://example.org/hook", ["everything"])
    database.close()
