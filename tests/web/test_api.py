"""The interface for programs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Clock
from tests.web.crowd import SCORES, Crowd
from tests.web.serving import photo, served

from entrenous import access
from entrenous.access.mediation import ENGINE
from entrenous.web.app import create_app
from entrenous.web.identity.tokens import SCOPES
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

GROUP: dict[str, Any] = {
    "wishes": {
        "u1": {"friends": 5, "friends-of-friends": 5, "public": 4},
        "u2": {"friends": 3, "friends-of-friends": 3, "public": 0},
        "u3": {"friends": 4, "friends-of-friends": 4, "public": 0},
        "u4": {"friends": 2, "friends-of-friends": 2, "public": 2},
    },
    "peers": {"u1": {"u2": 0.4}, "u3": {"u2": 0.2, "u4": 0.5}, "u4": {"u2": 0.25, "u3": 0.25}},
}
ROOT = Path(__file__).parents[2]
PROBLEM = "application/problem+json"


@pytest.fixture
def pair(crowd: Crowd) -> Crowd:
    crowd.add("ann", "bob", "cleo")
    crowd.befriend(("ann", "bob"))
    return crowd


@pytest.fixture
def either_pair(either: Database) -> Crowd:
    """The same three people on each kind of database."""
    crowd = Crowd(either, either.settings)
    crowd.add("ann", "bob", "cleo")
    crowd.befriend(("ann", "bob"))
    return crowd


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("/v1/friends", {"handle": "b\0b"}),
        ("/v1/circles", {"name": "fam\0ily", "members": []}),
        ("/v1/standing-line", {"line": "friends\0"}),
        ("/v1/mediate", {"wishes": {"a\0": {"public": 3}}}),
        ("/v1/mediate", {"wishes": {"a": {"public": 3}}, "limits": {"a": ["x", "\0"]}}),
        ("/v1/mediate", GROUP | {"vote": {"rule": "consensus\0"}}),
    ],
)
def test_text_with_a_nul_is_refused_on_every_database(
    either_pair: Crowd, address: str, body: dict[str, Any]
) -> None:
    """PostgreSQL cannot even look it up; SQLite would."""
    method = "PUT" if address == "/v1/standing-line" else "POST"
    answer = either_pair.stranger.request(
        method, address, json=body, headers=either_pair.token("ann", *sorted(SCOPES))
    )
    assert answer.status_code == 422, answer.text
    assert "U+0000" in answer.text


def test_mediate_is_the_engine(pair: Crowd) -> None:
    answer = pair.stranger.post("/v1/mediate", json=GROUP, headers=pair.token("ann", "mediate"))
    assert answer.status_code == 200
    decision = access.mediate(GROUP["wishes"], GROUP["peers"])
    assert answer.json() == decision.to_dict() | {"agreed": True, "engine": ENGINE}
    assert answer.json()["choice"] == "friends-of-friends"
    assert answer.json()["settled"]["u4"]["friends-of-friends"] == pytest.approx(4.46, abs=0.01)


@pytest.mark.parametrize(
    ("change", "choice"),
    [
        ({"limits": {"u4": "friends"}}, "friends"),
        ({"vote": {"rule": "majority", "theta": 0.51}}, "friends-of-friends"),
        ({"wishes": GROUP["wishes"] | {"u2": None}}, "private"),
        ({"mode": "strict", "anchor": "any", "originator": "u2"}, "friends-of-friends"),
    ],
)
def test_mediate_takes_every_field(pair: Crowd, change: dict[str, Any], choice: str) -> None:
    answer = pair.stranger.post("/v1/mediate", json=GROUP | change, headers=pair.token("ann", "mediate"))
    assert answer.json()["choice"] == choice


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"wishes": {"u1": {"friends": 9}}}, "wishes.u1.friends"),
        ({"wishes": {"u1": {"friends": 4}}}, "wishes.u1.friends-of-friends"),
        ({"peers": {"u1": {"u2": 0.123456789}}}, "peers.u1.u2"),
        ({"wishes": {}}, "wishes"),
        ({"nonsense": 1}, "nonsense"),
        ({"limits": {"nobody": "friends"}}, "limits.nobody"),
    ],
)
def test_a_group_that_does_not_fit_says_where_and_never_quotes(
    pair: Crowd, change: dict[str, Any], field: str
) -> None:
    answer = pair.stranger.post("/v1/mediate", json=GROUP | change, headers=pair.token("ann", "mediate"))
    assert answer.status_code == 422
    assert answer.headers["content-type"] == PROBLEM
    problem = answer.json()
    assert problem["fields"][0]["field"] == field
    assert "0.123456789" not in answer.text
    assert "got 9" not in answer.text


def test_check_and_batch_agree_with_what_pages_show(pair: Crowd, clock: Clock) -> None:
    pair.befriend(("cleo", "bob"), ("cleo", "ann"))
    item, hidden = pair.share("ann", "bob"), pair.share("ann", "bob")
    for who in ("ann", "bob"):
        pair.answer(who, item)
    clock.turn(hours=25)
    headers, client = pair.token("cleo", "check"), pair.stranger
    for one, visible in ((item, True), (hidden, False), ("unknown", False)):
        answer = client.post("/v1/check", json={"item": one}, headers=headers)
        assert answer.json() == {"item": one, "visible": visible}
    batch = client.post("/v1/check/batch", json={"items": [hidden, item, item, "unknown"]}, headers=headers)
    assert batch.json() == {"visible": [item]}
    reading = pair.token("cleo")
    assert [one["id"] for one in client.get("/v1/items", headers=reading).json()] == [item]
    assert [client.get(f"/v1/items/{one}", headers=reading).status_code for one in (item, hidden)] == [
        200,
        404,
    ]
    assert client.post("/v1/check/batch", json={"items": ["x"] * 1001}, headers=headers).status_code == 422


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("POST", "/v1/mediate", "mediate"),
        ("POST", "/v1/check", "check"),
        ("GET", "/v1/me", "read"),
        ("GET", "/v1/standing-line", "answers"),
        ("DELETE", "/v1/standing-line", "write"),
    ],
)
def test_tokens_do_what_they_may_and_no_more(pair: Crowd, method: str, path: str, scope: str) -> None:
    body = {"/v1/mediate": GROUP, "/v1/check": {"item": "x"}}.get(path)
    others = [one for one in SCOPES if one != scope]
    client = pair.clients["ann"]  # a cookie is no token
    assert client.request(method, path, json=body).status_code == 401
    assert client.request(method, path, json=body, headers={"authorization": "Bearer x"}).status_code == 401
    refused = client.request(method, path, json=body, headers=pair.token("ann", *others))
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:entrenous:problem:scope")
    assert client.request(method, path, json=body, headers=pair.token("ann", scope)).status_code == 200


@pytest.mark.long
def test_the_whole_way_through_the_interface(either_pair: Crowd) -> None:
    pair = either_pair
    ann, bob, client = pair.token("ann"), pair.token("bob"), pair.stranger

    def call(who: dict[str, str], method: str, path: str, body: object = None, *, status: int = 200) -> Any:
        answer = client.request(method, f"/v1{path}", json=body, headers=who)
        assert answer.status_code == status, (path, answer.text)
        return answer.json()

    files, form = {"file": ("p.jpg", photo(), "image/jpeg")}, {"title": "A day", "theta": "0.66"}
    created = client.post("/v1/items", data=form, files=files, headers=ann)
    assert created.status_code == 201
    item = created.json()["id"]
    call(ann, "PUT", f"/items/{item}", {"title": "A day out"})
    call(ann, "PUT", f"/items/{item}/expiry", {"expires": "2031-01-01T00:00:00Z"})
    call(ann, "POST", f"/items/{item}/tags", {"people": [pair.ids["bob"]]})
    call(ann, "POST", f"/items/{item}/open", {"days": 3})
    assert call(bob, "GET", "/inbox")[0]["need"] == "tag"
    call(bob, "POST", f"/items/{item}/tags/mine", {"accept": True})
    call(bob, "PUT", f"/friends/{pair.ids['ann']}/listening", {"percent": 40})
    call(bob, "PUT", f"/items/{item}/view", {"scores": SCORES, "limit": "friends"})
    call(ann, "PUT", f"/items/{item}/view", {"scores": SCORES})
    page = call(ann, "GET", f"/items/{item}")
    assert (page["state"], page["outcome"]["choice"]) == ("proposed", "friends")
    assert not {"rule", "agreeing"} & set(page["outcome"]), "a limit reads like a no"
    assert call(bob, "GET", f"/items/{item}/view")["limit"] == "friends"
    call(ann, "POST", f"/items/{item}/agree")
    call(bob, "POST", f"/items/{item}/petition", {"text": "Please think again"})
    call(bob, "PUT", f"/items/{item}/limit", {"limit": None})
    call(bob, "PUT", "/standing-line", {"line": "friends", "counts_for": [pair.ids["ann"]]})
    assert call(bob, "GET", "/standing-line")["line"] == "friends"
    record = call(ann, "GET", f"/items/{item}/decisions/1")
    assert (record["choice"], len(record["commitments"])) == ("friends", 2)
    assert {one["id"] for one in call(bob, "GET", "/items?which=of-me")} == {item}
    assert [one["id"] for one in call(ann, "GET", "/items?which=mine")] == [item]
    assert call(ann, "GET", "/items") == [], "what is being decided is in no gallery"
    stored = client.get(f"/v1/items/{item}/file?variant=thumbnail", headers=bob)
    assert stored.headers["content-type"] == "image/jpeg"
    circle = call(ann, "POST", "/circles", {"name": "Choir", "members": [pair.ids["bob"]]}, status=201)
    call(ann, "PUT", f"/circles/{circle['id']}", {"name": "Band"})
    assert call(ann, "GET", "/circles")[0]["name"] == "Band"
    call(ann, "DELETE", f"/circles/{circle['id']}")
    assert call(ann, "GET", "/notifications")
    call(ann, "POST", "/notifications/read")
    assert call(ann, "GET", "/me/history")
    assert call(ann, "GET", "/me/data")
    call(ann, "POST", "/friends", {"handle": "cleo"})
    cleo = pair.token("cleo")
    assert call(cleo, "GET", "/friends/requests")[0]["incoming"]
    call(cleo, "POST", f"/friends/{pair.ids['ann']}/answer", {"accept": True})
    call(cleo, "DELETE", f"/friends/{pair.ids['ann']}")
    assert call(cleo, "GET", "/friends") == []
    call(ann, "POST", f"/items/{item}/withdraw")
    assert call(bob, "GET", f"/items/{item}", status=404)["detail"].startswith("There is nothing here")


def test_refusals_are_problems(pair: Crowd) -> None:
    item, headers = pair.share("ann", "bob"), pair.token("bob")
    conflict = pair.stranger.post(f"/v1/items/{item}/agree", headers=headers)
    assert (conflict.status_code, conflict.headers["content-type"]) == (409, PROBLEM)
    assert conflict.json()["type"] == "urn:entrenous:problem:wrong-state"
    unknown = pair.stranger.get("/v1/items/unknown", headers=headers)
    forbidden = pair.stranger.get(f"/v1/items/{item}", headers=pair.token("cleo"))
    assert unknown.content == forbidden.content
    assert unknown.status_code == forbidden.status_code == 404
    upload = {"file": ("p.jpg", b"\xff\xd8\xff", "image/jpeg")}
    refused = pair.stranger.post("/v1/items", data={"title": "x"}, files=upload, headers=headers)
    assert (refused.status_code, refused.headers["content-type"]) == (422, PROBLEM)


def test_an_idempotency_key_makes_a_request_happen_once(pair: Crowd) -> None:
    headers = pair.token("ann") | {"idempotency-key": "abc"}
    first = pair.stranger.post("/v1/circles", json={"name": "Choir"}, headers=headers)
    again = pair.stranger.post("/v1/circles", json={"name": "Choir"}, headers=headers)
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert len(pair.stranger.get("/v1/circles", headers=headers).json()) == 1
    other = pair.stranger.post("/v1/circles", json={"name": "Band"}, headers=headers)
    assert (other.status_code, other.json()["type"]) == (422, "urn:entrenous:problem:key-reused")
    bob = pair.stranger.post(
        "/v1/circles", json={"name": "Band"}, headers=pair.token("bob") | {"idempotency-key": "abc"}
    )
    assert bob.status_code == 201, "keys belong to a person"
    assert (
        pair.stranger.post(
            "/v1/circles", json={"name": "B"}, headers=headers | {"idempotency-key": ""}
        ).status_code
        == 400
    )


def test_an_idempotency_key_covers_uploads(pair: Crowd) -> None:
    headers = pair.token("ann") | {"idempotency-key": "upload"}
    ids = {
        pair.stranger.post(
            "/v1/items",
            data={"title": "Once"},
            files={"file": ("p.jpg", photo(), "image/jpeg")},
            headers=headers,
        ).json()["id"]
        for _ in range(2)
    }
    assert len(ids) == 1


def test_probes_and_figures_hold_nothing_personal(pair: Crowd) -> None:
    item = pair.share("ann", "bob", title="A planted title")
    pair.clients["ann"].get(f"/items/{item}")
    assert pair.stranger.get("/health").json() == {"status": "up"}
    assert pair.stranger.get("/ready").json() == {"status": "ready"}
    pair.stranger.get(f"/v1/items/{item}", headers=pair.token("ann"))
    pair.stranger.request("PLANTED", "/health")
    here = TestClient(pair.app, client=("127.0.0.1", 50_000))
    figures = here.get("/metrics").text
    assert 'path="/items/{item}"' in figures
    assert 'path="/v1/items/{item}"' in figures
    assert 'method="other"' in figures
    for word in (item, "ann", "bob", "planted", "PLANTED"):
        assert word not in figures


def test_figures_are_for_this_machine_or_whoever_has_the_token(crowd: Crowd) -> None:
    """Watching them move, anybody could see when somebody seals a view."""
    assert crowd.stranger.get("/metrics").status_code == 404
    guarded = create_app(replace(crowd.settings, metrics_token="a word"), database=crowd.database)
    here = TestClient(guarded, client=("127.0.0.1", 50_000))
    for headers, status in (
        ({}, 404),
        ({"authorization": "Bearer x"}, 404),
        ({"authorization": "Bearer a word"}, 200),
    ):
        assert here.get("/metrics", headers=headers).status_code == status


@pytest.mark.parametrize("before", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_times_beyond_the_calendar_are_refused(pair: Crowd, before: str) -> None:
    assert pair.stranger.get("/gallery", params={"before": before}).status_code == 404
    answer = pair.stranger.get("/v1/items", params={"before": before}, headers=pair.token("ann"))
    assert answer.status_code == 422


@pytest.mark.long
def test_the_client_in_the_documents_works(settings: Settings) -> None:
    block = re.search(
        r"```python\n(.*?)```", (ROOT / "docs" / "web.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert block is not None
    names: dict[str, Any] = {}
    exec(block[1], names)
    with served(settings) as running:
        crowd = Crowd(Database(running), running)
        crowd.add("ann")
        client = names["Access"](running.address, crowd.token("ann")["authorization"].split()[1])
        assert client("POST", "/mediate", GROUP)["choice"] == "friends-of-friends"
        assert client("POST", "/check", {"item": "unknown"}) == {"item": "unknown", "visible": False}
        crowd.database.close()


def test_not_ready_without_its_tables(crowd: Crowd) -> None:
    with crowd.database.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE alembic_version")
    assert crowd.stranger.get("/ready").status_code == 503
