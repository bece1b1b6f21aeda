"""Where webhooks may go: public places alone, by the very address that was checked."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
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
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "[::1]",
    "[::]",
    "[fe80::1]",
    "[fc00::1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
]


@pytest.mark.parametrize("host", PRIVATE)
def test_private_places_are_refused_as_addresses_and_behind_names(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ArgumentError, match="url: expected"):
        check_target(f"https://{host}/hook")
    plain = host.strip("[]")
    public = ("93.184.215.14", 443)
    monkeypatch.setattr(
        addresses.socket,
        "getaddrinfo",
        lambda *_arguments, **_options: [(0, 0, 0, "", public), (0, 0, 0, "", (plain, 443))],
    )
    assert resolve("innocent.example", 443) is None
    assert post("https://innocent.example/", SECRET, "id", {}, moment=MOMENT) == "no public address"


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
