"""Nobody reads another's scores, limits, weights or circles: two worlds that differ in one person's secrets alone.

Everything everybody else can get hold of (pages, answers of the interface, exports, mails, webhooks, errors) must be
the same in both, byte for byte, and no log may hold what was planted. What is drawn at random differs, of course:
names of slots and the salts of one's own receipts are left out.
"""

from __future__ import annotations

import json
import logging
import re
import smtplib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.web.conftest import Clock, confirm_address
from tests.web.crowd import Crowd
from tests.web.serving import served
from tests.web.test_pages import PLAIN

from entrenous.web.delivery import outbox
from entrenous.web.service import befriending, browsing, export, membership, worker
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

READS = (
    "/v1/me",
    "/v1/me/data",
    "/v1/me/history",
    "/v1/notifications",
    "/v1/friends",
    "/v1/friends/requests",
    "/v1/circles",
    "/v1/standing-line",
    "/v1/inbox",
    "/v1/items",
    "/v1/items?which=mine",
    "/v1/items?which=of-me",
)
ITEM_PAGES = ("", "/view", "/limit", "/petition", "/receipt", "/thumbnail", "/screen", "/file")
OTHERS = ("ann", "bob", "cleo", "eve")
VIEWS = {
    "ann": {"friends": 5, "friends-of-friends": 4, "public": 0},
    "bob": {"friends": 4, "friends-of-friends": 3, "public": 1},
    "cleo": {"friends": 4, "friends-of-friends": 4, "public": 1},
}


@dataclass(frozen=True)
class Secrets:
    """What dora keeps to herself; both of these accept friends of friends and refuse everyone."""

    scores: tuple[int, int, int]
    limit: str
    percent: int
    circle: str
    line: str
    circled: tuple[int, int]
    singer: str

    def view(self) -> dict[str, int]:
        return dict(zip(("friends", "friends-of-friends", "public"), self.scores, strict=True))


WORLDS = (
    Secrets((5, 5, 1), "", 37, "planted zebra", "friends", (5, 1), "bob"),
    Secrets((4, 3, 2), "friends-of-friends", 61, "planted quagga", "public", (3, 0), "cleo"),
)
PLANTED = [word for world in WORLDS for word in (world.circle, "zebra", "quagga")]


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything that is sent, instead of sending it."""
    sent: list[str] = []

    class Recorder:
        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def __enter__(self) -> Recorder:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def send_message(self, message: Any) -> None:
            sent.append(message.as_string())

    monkeypatch.setattr(smtplib, "SMTP", Recorder)
    monkeypatch.setattr(outbox, "post", lambda _url, _secret, _id, body, **_: sent.append(json.dumps(body)))
    return sent


@pytest.mark.long
def test_two_worlds_look_the_same_to_everybody_else(
    tmp_path: Path, settings: Settings, mails: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    seen, own, sent = [], [], []
    for number, secrets in enumerate(WORLDS):
        url = f"sqlite:///{tmp_path}/world{number}.db"
        database = Database(
            replace(settings, database=url, smtp="smtp://mail.example:25"), clock=(clock := Clock())
        )
        database.migrate()
        crowd = Crowd(database, database.settings)
        walks = list(lived(crowd, secrets, clock))
        worker.Worker(database).run_once()
        seen.append({key: text for walk in walks for key, text in walk.items() if key[1] != "dora"})
        own.append({key: text for walk in walks for key, text in walk.items() if key[1] == "dora"})
        sent.append(sorted(named(mail, items_of(crowd)) for mail in mails))
        mails.clear()
        database.close()
    assert len(seen[0]) > 250
    different = [key for key in seen[0] if seen[0][key] != seen[1].get(key)]
    assert different == []
    assert seen[0].keys() == seen[1].keys()
    assert sent[0] == sent[1]
    assert len(sent[0]) > 10
    for text in (*seen[0].values(), *seen[1].values(), *sent[0], caplog.text):
        assert not any(word in text for word in PLANTED)
    late = {path: text for (stage, _, path), text in own[0].items() if stage == "late"}
    changed = {path for path, text in late.items() if own[1]["late", "dora", path] != text}
    assert {"/listening", "/circles", "/standing-line", "/my-data", "/v1/friends"} <= changed, (
        "the walk sees what there is"
    )


def lived(crowd: Crowd, secrets: Secrets, clock: Clock) -> Iterator[dict[tuple[str, str, str], str]]:
    """Let a group decide twice, once by audiences and once by circles, and look around at every stage."""
    crowd.add("ann", "bob", "cleo", "dora", "eve")
    crowd.befriend_all("ann", "bob", "cleo", "dora", "eve")
    with crowd.database.writing() as session:
        for one in OTHERS:
            confirm_address(session, crowd.ids[one], f"{one}@example.org")
            membership.add_webhook(
                session, crowd.ids[one], "http://127.0.0.1:9/", ["outcome", "active", "petition"]
            )
            befriending.listen(session, crowd.ids["ann"], crowd.ids["bob"], 30)
            befriending.listen(session, crowd.ids["bob"], crowd.ids["cleo"], 20)
            befriending.listen(session, crowd.ids["dora"], crowd.ids["ann"], secrets.percent)
    dora = crowd.clients["dora"]
    dora.post("/circles", data={"name": secrets.circle, "member": str(crowd.ids["eve"])})
    dora.post("/standing-line", data={"line": secrets.line})
    item = crowd.share("ann", "bob", "cleo", "dora", title="Sealed")
    for who, view in VIEWS.items():
        crowd.answer(who, item, view)
    yield walked(crowd, "collecting", {"ITEM": item})
    crowd.answer("dora", item, secrets.view(), limit=secrets.limit)
    yield walked(crowd, "proposed", {"ITEM": item})
    for who in ("ann", "bob", "cleo", "dora"):
        crowd.clients[who].post(f"/items/{item}/do/agree")
    clock.turn(minutes=1)  # what is equally old is listed in the order of ids, and those are drawn
    circled = crowd.share("ann", "dora", title="By circles", method="circles")
    crowd.answer("ann", circled, {"Strangers": 4})
    views = dict(zip((secrets.circle, "Strangers"), secrets.circled, strict=True))
    crowd.answer("dora", circled, views)
    dora.post("/circles", data={"name": "Choir", "member": str(crowd.ids[secrets.singer])})
    yield walked(crowd, "late", {"ITEM": item, "CIRCLED": circled}, around=True)
    assert dora.post(f"/items/{item}/limit", data={"limit": "friends"}).status_code == 200
    yield walked(crowd, "narrowed", {"ITEM": item, "CIRCLED": circled})
    said = crowd.clients["bob"].post(f"/items/{item}/petition", data={"text": "Once more"})
    assert "Once more" in said.text
    yield walked(crowd, "petitioned", {"ITEM": item, "CIRCLED": circled})


def walked(
    crowd: Crowd, stage: str, items: dict[str, str], *, around: bool = False
) -> dict[tuple[str, str, str], str]:
    """Return what everybody can get hold of about items, or on a walk around of all, by stage, person and address."""
    found = {}
    for who in ("nobody", "dora", *OTHERS):
        client = crowd.clients.get(who, crowd.stranger)
        headers = crowd.token(who) if who in crowd.ids else {}
        paths = ["/", *READS]
        # Not /metrics: it counts requests, and the worlds are walked one after the other.
        paths += [page.path for page in PLAIN] if around else []
        for item in items.values():
            paths += [f"/items/{item}{part}" for part in ITEM_PAGES]
            paths += [f"/v1/items/{item}{part}" for part in ("", "/view")]
        for path in dict.fromkeys(paths):
            answer = client.get(path, headers=headers)
            said = named(f"{answer.status_code} {answer.text}", items)
            found[stage, who, named(path, items)] = without_what_is_drawn(said)
        for path, body in wrong_requests(crowd, items):
            answer = client.put(path, json=body, headers=headers)
            found[stage, who, f"PUT {named(path, items)}"] = named(
                f"{answer.status_code} {answer.text}", items
            )
    with crowd.database.reading() as session:
        tuples = [json.dumps(one) for one in export.openfga(session)] + list(export.spicedb(session))
    found[stage, "nobody", "tuples"] = "\n".join(sorted(named(one, items) for one in tuples))
    return found


def without_what_is_drawn(text: str) -> str:
    """Leave out random names and salts of the reader's own."""
    text = re.sub(r"entrenous1:[\w:=-]+", "a receipt", text)
    text = re.sub(r"<svg.*?</svg>", "a receipt's picture", text, flags=re.DOTALL)
    return re.sub(r'"slot": ?"[^"]*"', '"slot": ...', text)


def wrong_requests(crowd: Crowd, items: dict[str, str]) -> list[tuple[str, object]]:
    """Requests that are refused, each with its message."""
    first = items["ITEM"]
    return [
        (f"/v1/items/{first}/view", {"scores": {"friends": 9}}),
        (f"/v1/items/{first}/limit", {"limit": "nonsense"}),
        (f"/v1/friends/{crowd.ids['dora']}/listening", {"percent": 101}),
        ("/v1/standing-line", {"line": "nonsense"}),
    ]


def named(text: str, items: dict[str, str]) -> str:
    for name, item in items.items():
        text = text.replace(item, name)
    return text


def items_of(crowd: Crowd) -> dict[str, str]:
    """Return the ids of ann's items, which are drawn at random and so differ between worlds, by their titles."""
    with crowd.database.reading() as session:
        return {card.title: card.id for card in browsing.mine(session, crowd.ids["ann"])}


@pytest.mark.long
def test_what_fails_unexpectedly_is_told_to_nobody_not_even_the_servers_log(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A real server, since it is the server that would log what reaches it."""

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(f"DETAIL: Key (name)=({PLANTED[0]}) already exists")

    monkeypatch.setattr(browsing, "gallery", fail)
    with served(settings) as running:
        answers = [httpx2.get(f"{running.address}{path}") for path in ("/gallery", "/gallery?before=x")]
        logging.getLogger("uvicorn.error").error("the server speaks")
    log = "".join(capfd.readouterr()) + caplog.text
    assert [answer.status_code for answer in answers] == [500, 404]
    assert "the server speaks" in log
    assert "unexpected RuntimeError at /gallery" in log
    for text in (log, *(answer.text for answer in answers)):
        assert not any(word in text for word in PLANTED)
