"""Files in an object store: the same to people, nothing lost when something fails, nothing left behind for good."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore
import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient
from tests.web.buckets import Bucket, a_bucket
from tests.web.conftest import Clock
from tests.web.crowd import Crowd
from tests.web.serving import photo

from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.app import create_app
from entrenous.web.delivery import outbox
from entrenous.web.service import membership
from entrenous.web.service.uploads import storing
from entrenous.web.service.uploads.storing import check_place, move, sweep
from entrenous.web.service.worker import Worker, tidy_up
from entrenous.web.settings import Settings
from entrenous.web.store.blobs.objects import ObjectLost, ObjectsAway, ObjectStore
from entrenous.web.store.database import Database

pytestmark = pytest.mark.long  # a server beside, and clients that try again
AT_ONCE = timedelta(0)


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    with a_bucket() as made:
        yield made


ON_POSTGRESQL = pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.thorough])
"""The store knows nothing of the database beside it, and moves and sweeps by the same SQL: a matter for make audit."""


@pytest.fixture(params=["sqlite", ON_POSTGRESQL])
def kept(
    request: pytest.FixtureRequest,
    bucket: Bucket,
    settings: Settings,
    clock: Clock,
    migrated: Path,
    tmp_path: Path,
) -> Iterator[Database]:
    """An empty service on each kind of database, with its files in the bucket."""
    settings = bucket.settings(settings)
    if request.param == "postgresql":
        settings = replace(settings, database=request.getfixturevalue("migrated_postgres_url"))
    else:
        shutil.copy(migrated, tmp_path / "service.db")
    opened = Database(settings, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def people(kept: Database) -> Crowd:
    crowd = Crowd(kept, kept.settings)
    crowd.add("admiral", "ann", "bob", "eve")  # the first one looks after the service, and cannot leave
    crowd.befriend(("ann", "bob"))
    return crowd


def rows(database: Database) -> list[Any]:
    with database.engine.connect() as connection:
        return list(
            connection.execute(sa.text("SELECT variant, place, content, size FROM contents ORDER BY place"))
        )


def deliver(database: Database) -> None:
    while outbox.deliver_due(database):
        pass


# --- the client ---------------------------------------------------------------------------------------------


def test_put_get_a_part_and_delete(bucket: Bucket, settings: Settings) -> None:
    objects = ObjectStore(bucket.settings(settings))
    name = objects.put(b"0123456789")
    assert re.fullmatch("[0-9a-f]{48}", name)
    assert (objects.get(name, 0, 10), objects.get(name, 3, 6)) == (b"0123456789", b"345")
    objects.delete(name)
    objects.delete(name)
    with pytest.raises(ObjectLost):
        objects.get(name, 0, 10)


def test_only_the_part_that_is_asked_for_is_fetched(bucket: Bucket, settings: Settings) -> None:
    objects = ObjectStore(bucket.settings(settings))
    name = objects.put(bytes(5_000_000))
    found = obstore.get(bucket.store("files"), name, options={"range": (10, 20)})
    assert len(found.bytes()) == 10
    assert len(objects.get(name, 4_999_990, 5_000_000)) == 10


@pytest.mark.parametrize("url", ["s3://", "http://bucket/x", "file:///tmp", "s3://bucket/x?y=1", "bucket"])
def test_other_places_are_refused(settings: Settings, url: str) -> None:
    with pytest.raises(ArgumentError, match="s3://bucket/prefix"):
        ObjectStore(replace(settings, files=url))


# --- the service --------------------------------------------------------------------------------------------


def test_people_notice_no_difference_and_bytes_are_in_the_bucket_alone(people: Crowd, bucket: Bucket) -> None:
    item = people.share("ann", "bob")
    ann, eve = people.clients["ann"], people.clients["eve"]
    assert [(row.variant, bytes(row.content)) for row in sorted(rows(people.database))] == [
        ("original", b""),
        ("screen", b""),
        ("thumbnail", b""),
    ]
    assert {f"files/{row.place}" for row in rows(people.database)} == bucket.names()
    assert all(item not in name for name in bucket.names())
    got = {ann.get(f"/items/{item}/{size}").content for size in ("file", "screen", "thumbnail")}
    assert got == set(bucket.contents())
    part = ann.get(f"/items/{item}/file", headers={"range": "bytes=2-9"})
    assert (part.status_code, part.content) == (206, ann.get(f"/items/{item}/file").content[2:10])
    bucket.asked.clear()
    for size in ("file", "screen", "thumbnail"):
        assert eve.get(f"/items/{item}/{size}").status_code == 404
    tag = ann.head(f"/items/{item}/file").headers["etag"]
    assert ann.get(f"/items/{item}/file", headers={"if-none-match": tag}).status_code == 304
    assert bucket.asked == [], "refused, HEAD and not modified need no bytes"


def test_no_page_and_no_answer_names_the_bucket(people: Crowd, bucket: Bucket) -> None:
    item = people.share("ann", "bob")
    ann, token = people.clients["ann"], people.token("ann")
    places = [row.place for row in rows(people.database)]
    for path in ("/", f"/items/{item}", "/gallery", f"/v1/items/{item}", "/my-data", f"/items/{item}/file"):
        answer = ann.get(path, headers=token)
        told = answer.text + str(answer.headers)
        assert bucket.endpoint not in told
        assert not any(place in told for place in places)


def test_a_proposed_file_takes_the_place_of_the_old_one_in_the_bucket_too(
    people: Crowd, bucket: Bucket
) -> None:
    item = people.share("ann", "bob")
    before = bucket.names()
    ann, bob = people.clients["ann"], people.clients["bob"]
    data = {"title": "A day out", "description": ""}
    files = {"file": ("p.jpg", photo("another"), "image/jpeg")}
    assert ann.post(f"/items/{item}/change", data=data, files=files).status_code == 200
    new = bucket.names() - before
    assert len(new) == 3
    proposed = bob.get(f"/items/{item}/change/file").content
    change = re.search(r'name="change" value="([^"]+)"', bob.get(f"/items/{item}/change").text)
    assert change is not None
    bob.post(f"/items/{item}/change/answer", data={"change": change[1], "answer": "accept"})
    assert bob.get(f"/items/{item}/file").content == proposed
    deliver(people.database)
    assert bucket.names() == new


def test_what_is_withdrawn_and_whose_account_is_deleted_leaves_no_object(
    people: Crowd, bucket: Bucket, clock: Clock
) -> None:
    first, second = people.share("ann", "bob"), people.share("ann", "bob")
    own = people.share("bob")
    ann = people.clients["ann"]
    assert len(bucket.names()) == 9
    ann.post(f"/items/{first}/do/withdraw")
    deliver(people.database)
    assert len(bucket.names()) == 9, "it can still be undone"
    clock.turn(days=1)
    tidy_up(people.database)
    deliver(people.database)
    assert len(bucket.names()) == 6
    with people.database.writing() as session:
        membership.delete_account(session, people.ids["ann"])
    deliver(people.database)
    assert {f"files/{row.place}" for row in rows(people.database)} == bucket.names()
    assert people.clients["bob"].get(f"/items/{own}/file").status_code == 200
    assert people.clients["bob"].get(f"/items/{second}/file").status_code == 404


# --- what goes wrong ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["down", "full"])
def test_a_store_that_fails_loses_nothing(people: Crowd, bucket: Bucket, fault: str) -> None:
    item = people.share("ann", "bob")
    ann, before = people.clients["ann"], rows(people.database)
    bucket.fault = fault
    files = {"file": ("p.jpg", photo(), "image/jpeg")}
    refused = ann.post("/items", data={"title": "Another", "do": "draft"}, files=files)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert "place where files are kept is away" in refused.text
    assert bucket.endpoint not in refused.text
    assert rows(people.database) == before
    assert "Another" not in ann.get("/").text
    read = ann.get(f"/items/{item}/file")
    assert read.status_code == (503 if fault == "down" else 200)
    token = people.token("ann")
    if fault == "down":
        assert ann.get(f"/v1/items/{item}/file", headers=token).json()["type"].endswith("files-away")
        assert ann.get(f"/items/{item}").status_code == 200
    bucket.fault = None
    assert ann.get(f"/items/{item}/file").status_code == 200
    assert ann.post("/items", data={"title": "Another", "do": "draft"}, files=files).status_code == 200


def test_removing_is_tried_again_while_the_store_is_away(people: Crowd, bucket: Bucket, clock: Clock) -> None:
    people.share("ann")
    bucket.fault = "down"
    with people.database.writing() as session:
        membership.delete_account(session, people.ids["ann"])
    outbox.deliver_due(people.database)
    bucket.fault = None
    assert len(bucket.names()) == 3
    clock.turn(minutes=10)
    deliver(people.database)
    assert bucket.names() == set()


def test_a_lost_object_is_not_there_rather_than_a_fault(people: Crowd, bucket: Bucket) -> None:
    item = people.share("ann")
    for name in bucket.names():
        obstore.delete(bucket.store(), name)
    assert people.clients["ann"].get(f"/items/{item}/file").status_code == 404
    assert people.clients["ann"].get(f"/items/{item}").status_code == 200


KILLED = """
import os, signal, sys
from entrenous.web.service import media, workflow
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

database = Database(Settings.from_environment())
upload = media.take_in(database, sys.stdin.buffer.read(), "p.jpg")
with database.writing() as session:
    workflow.create_item(session, int(sys.argv[1]), upload, title="Never told")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.faults
def test_killed_between_object_and_row_nothing_acknowledged_is_lost_and_the_sweep_finds_the_rest(
    people: Crowd, bucket: Bucket, process_environment: dict[str, str]
) -> None:
    item = people.share("ann")
    told = bucket.names()
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(people.ids["ann"])],
        input=photo(),
        env=process_environment | people.database.settings.to_environment(),
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    orphans = bucket.names() - told
    assert len(orphans) == 3
    assert {f"files/{row.place}" for row in rows(people.database)} == told
    assert sweep(people.database) == 0, "what is younger than a day may still get its row"
    assert sweep(people.database, kept_for=AT_ONCE) == 3
    assert sweep(people.database, kept_for=AT_ONCE) == 0
    assert bucket.names() == told
    assert people.clients["ann"].get(f"/items/{item}/file").status_code == 200


@pytest.mark.faults
def test_killed_between_commit_and_removal_the_next_worker_removes_it(people: Crowd, bucket: Bucket) -> None:
    """The letter that removes an object is committed with the row's end: whoever works next finds it."""
    people.share("ann")
    with people.database.writing() as session:
        membership.delete_account(session, people.ids["ann"])
    assert len(bucket.names()) == 3
    again = Database(people.database.settings, clock=people.database.clock)
    Worker(again).run_once()
    again.close()
    assert bucket.names() == set()


def test_the_sweep_leaves_others_files_alone(people: Crowd, bucket: Bucket) -> None:
    people.share("ann")
    obstore.put(bucket.store("files"), "holiday.jpg", b"somebody else's")
    obstore.put(bucket.store("elsewhere"), "0" * 48, b"somebody else's")
    before = bucket.names()
    assert sweep(people.database, kept_for=AT_ONCE) == 0
    assert bucket.names() == before


def test_the_objects_of_another_database_are_never_swept(
    people: Crowd, bucket: Bucket, migrated: Path, tmp_path: Path
) -> None:
    """Whoever starts with a wrong database must not find all files gone."""
    people.share("ann")
    check_place(people.database)
    shutil.copy(migrated, tmp_path / "other.db")
    other = Database(replace(people.database.settings, database=f"sqlite:///{tmp_path}/other.db"))
    for act in (check_place, sweep, lambda database: move(database, to_objects=True)):
        with pytest.raises(ArgumentError, match="another database"):
            act(other)
    other.close()
    assert len(bucket.names()) == 3


def test_a_wrong_key_a_wrong_bucket_and_a_missing_setting_are_told_when_it_starts(
    people: Crowd, bucket: Bucket, caplog: pytest.LogCaptureFixture
) -> None:
    settings = people.database.settings
    wrong = {
        "refuses this key": bucket.settings(settings, key="another-key"),
        "no such bucket": replace(settings, files="s3://another-bucket/files"),
    }
    for words, given in wrong.items():
        database = Database(given)
        with pytest.raises(ArgumentError, match=words) as caught:
            check_place(database)
        assert "test-secret" not in str(caught.value)
        database.close()
    people.share("ann")
    without = Database(replace(settings, files=""))
    with pytest.raises(ArgumentError, match="set ENTRENOUS_FILES"):
        check_place(without)
    with pytest.raises(ArgumentError, match="ENTRENOUS_FILES"):
        TestClient(create_app(without.settings, database=without)).__enter__()
    without.close()
    bucket.fault = "down"
    check_place(people.database)  # one that is away may come back
    assert "does not answer" in caplog.text


def test_the_worker_goes_on_while_the_store_is_away(people: Crowd, bucket: Bucket) -> None:
    bucket.fault = "down"
    worker = Worker(people.database)
    with pytest.raises(ObjectsAway):
        worker.run_once()  # the loop notes it and goes on
    assert worker.run_once() == 0


# --- moving -------------------------------------------------------------------------------------------------


def test_files_move_there_and_back_and_may_be_stopped_half_way(
    people: Crowd, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = people.database
    inside = Database(replace(database.settings, files=""), clock=database.clock)
    crowd = Crowd(inside, inside.settings, people.ids, people.clients)
    items = [crowd.share("ann", title=f"Photo {number}") for number in range(3)]
    got = {item: crowd.clients["ann"].get(f"/items/{item}/file") for item in items}
    inside.close()
    assert bucket.names() != set(), "the clients of these people write to the bucket"
    deliver(database)
    assert move(database, to_objects=False).lost == 0
    deliver(database)
    assert bucket.names() == set()
    assert all(row.place is None and len(row.content) == row.size > 0 for row in rows(database))

    real, left = storing._move, [4]

    def stopped(*given: Any, **named: Any) -> bool:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return real(*given, **named)

    monkeypatch.setattr(storing, "_move", stopped)
    with pytest.raises(KeyboardInterrupt):
        move(database, to_objects=True)
    monkeypatch.undo()
    assert len(bucket.names()) == 4
    assert move(database, to_objects=True).moved == 5
    assert move(database, to_objects=True).moved == 0
    assert {f"files/{row.place}" for row in rows(database)} == bucket.names()
    assert all(bytes(row.content) == b"" for row in rows(database))
    for item, before in got.items():
        after = people.clients["ann"].get(f"/items/{item}/file")
        assert (after.content, after.headers["etag"]) == (before.content, before.headers["etag"])


def test_moving_tells_what_is_lost(people: Crowd, bucket: Bucket) -> None:
    people.share("ann")
    obstore.delete(bucket.store(), next(iter(bucket.names())))
    assert move(people.database, to_objects=False) == storing.Moved(2, 1)


def test_what_another_change_took_away_is_not_moved(
    people: Crowd, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody deletes the account while bytes are on their way: the row is not brought back, the object goes."""
    people.share("ann")
    assert move(people.database, to_objects=False).moved == 3
    deliver(people.database)
    put = ObjectStore.put

    def slow(self: ObjectStore, content: bytes) -> str:
        name = put(self, content)
        with people.database.writing() as session:
            if store.persons.get_person(session, people.ids["ann"]) is not None:
                membership.delete_account(session, people.ids["ann"])
        return name

    monkeypatch.setattr(ObjectStore, "put", slow)
    assert move(people.database, to_objects=True).moved == 0
    assert rows(people.database) == []
    assert bucket.names() == set()


def test_the_commands_move_and_sweep(
    people: Crowd, bucket: Bucket, process_environment: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    people.share("ann")
    environment = process_environment | people.database.settings.to_environment()

    def run(*words: str, **changes: str) -> tuple[int, str]:
        command = [sys.executable, "-c", "from entrenous.cli import main; main()", "access", *words]
        done = subprocess.run(command, env=environment | changes, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    assert run("files", "move", "--to", "database") == (0, "3 files are in the database now\n")
    assert run("files", "sweep") == (0, "0 objects that belonged to nothing are removed\n")
    assert run("files", "move", "--to", "objects") == (0, "3 files are in the object store now\n")
    status, said = run("serve", ENTRENOUS_FILES_KEY="another-key")
    assert status != 0
    assert "refuses this key; check ENTRENOUS_FILES_KEY" in " ".join(said.split())
    assert "Traceback" not in said
    status, said = run("files", "move", "--to", "elsewhere")
    assert status != 0
    assert "objects" in said
