"""The commands that look after a service: recompute, export, and what they say about a wrong database."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.web.conftest import register
from tests.web.stories import put_up
from typer.testing import CliRunner, Result

from entrenous.cli import app
from entrenous.web import demo, store
from entrenous.web.identity import passwords
from entrenous.web.settings import Settings
from entrenous.web.store import schema
from entrenous.web.store.database import Database


@pytest.fixture
def story(database: Database) -> Database:
    """A service filled with the demonstration."""
    assert demo.fill(database, "hash")
    return database


def run(database: Database, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["access", *arguments, "--database", database.settings.database])


def test_every_decision_of_the_demonstration_comes_out_the_same_again(story: Database) -> None:
    result = run(story, "recompute")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "3 of 3 decisions are as they were made, 3 of them reproduced bit for bit; the audit's"
    )
    assert not demo.fill(story, "hash")  # only an empty service is filled


@pytest.mark.parametrize("change", ['"round":1', '"engine":2'])
def test_a_changed_decision_is_found(story: Database, change: str) -> None:
    with story.writing() as session:
        text = session.scalar(sa.select(schema.decisions.c.record).limit(1)) or ""
        assert change in text
        other = text.replace(change, change[:-1] + "4", 1)
        where = schema.decisions.c.record == text
        session.execute(sa.update(schema.decisions).where(where).values(record=other))
    result = run(story, "recompute", "--json")
    assert result.exit_code == 1
    assert len(json.loads(result.stdout)["different"]) >= 1


def test_a_changed_audit_is_found(story: Database) -> None:
    with story.writing() as session:
        session.execute(sa.update(schema.audit).where(schema.audit.c.number == 7).values(actor=1000))
    result = run(story, "recompute")
    assert result.exit_code == 1
    assert "event 7 of the audit" in result.stderr


def test_export_prints_tuples_and_the_model_they_fit(story: Database) -> None:
    lines = run(story, "export", "openfga").stdout.splitlines()
    assert {entry["relation"] for entry in map(json.loads, lines)} == {"owner", "viewer"}
    assert "#viewer@user:eve" in run(story, "export", "spicedb").stdout
    assert run(story, "export", "spicedb", "--model").stdout.startswith("definition user {}")
    assert run(story, "export", "cedar").exit_code == 1


def test_a_database_without_a_service_is_said_to_be_one(tmp_path: Path) -> None:
    settings = Settings(database=f"sqlite:///{tmp_path}/empty.db")
    database = Database(settings)
    result = run(database, "recompute")
    assert result.exit_code == 1
    assert "--database: expected the database of a service" in result.stderr
    database.close()


def served(monkeypatch: pytest.MonkeyPatch, url: str, *arguments: str) -> Result:
    """Run `serve` up to the moment it would listen."""
    with monkeypatch.context() as patch:  # it leaves its settings in the environment, for other processes
        patch.setattr("uvicorn.run", lambda *_, **__: None)
        patch.setattr(os, "environ", dict(os.environ))
        return CliRunner().invoke(app, ["access", "serve", "--database", url, *arguments])


def lets_in(settings: Settings, handle: str, password: str) -> bool:
    database = Database(settings)
    with database.reading() as session:
        found = store.credentials.credentials(session, handle)
    database.close()
    return found is not None and passwords.password_fits(password, found.password_hash)


def test_fault_10_a_demonstration_says_at_every_start_how_to_sign_in(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 10: restarting the demo printed no password."""
    said = []
    for _ in range(2):
        result = served(monkeypatch, settings.database, "--demo")
        assert result.exit_code == 0, result.output
        found = re.search(r"with the password: (look around \w+)", " ".join(result.stderr.split()))
        assert found is not None
        said.append(found[1])
        assert all(lets_in(settings, handle, found[1]) for handle in (*demo.HANDLES, *demo.FURTHER))
    assert said[0] != said[1]
    assert not lets_in(settings, "ann", said[0]), "the password of the last start is over"


def test_a_demonstration_touches_nobody_else(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(settings)
    database.migrate()
    register(database, *demo.HANDLES)
    with database.writing() as session:
        store.credentials.set_password_hash(session, 1, passwords.hash_password("a word of her own"))
    database.close()
    result = served(monkeypatch, settings.database, "--demo")
    assert "nobody's password was changed" in " ".join(result.stderr.split())
    assert "with the password" not in result.stderr
    assert lets_in(settings, "ann", "a word of her own")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org"])
def test_a_demonstration_is_for_this_machine_alone(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    result = served(monkeypatch, settings.database, "--demo", "--host", host)
    assert result.exit_code == 1
    assert "--host: expected an address of this machine alone" in " ".join(result.stderr.split())
    assert served(monkeypatch, settings.database, "--demo", "--host", "localhost").exit_code == 0
    monkeypatch.setenv("ENTRENOUS_ADDRESS", "https://example.org")
    result = served(monkeypatch, settings.database, "--demo")
    assert "ENTRENOUS_ADDRESS: expected an address of this machine" in " ".join(result.stderr.split())
    assert served(monkeypatch, settings.database).exit_code == 0, "a service that is none goes where it likes"


def test_settings_travel_through_the_environment() -> None:
    settings = replace(Settings(), rounds=5, demo=True, address="https://example.org", smtp="smtps://a:b@c")
    assert Settings.from_environment(settings.to_environment()) == settings


@pytest.mark.parametrize(
    ("name", "value"), [("ROUNDS", "0"), ("ROUNDS", "many"), ("DEMO", "perhaps"), ("ADDRESS", "example.org")]
)
def test_wrong_settings_are_named_not_quoted(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=name.lower() if value in ("0", "example.org") else name) as caught:
        Settings.from_environment({f"ENTRENOUS_{name}": value})
    assert value == "0" or value not in str(caught.value)


@pytest.mark.long
def test_a_worker_of_its_own_closes_what_is_due_until_it_is_interrupted(
    migrated: Path, settings: Settings, tmp_path: Path, process_environment: dict[str, str]
) -> None:
    shutil.copy(migrated, tmp_path / "service.db")
    past = datetime.now(UTC) - timedelta(days=30)
    database = Database(settings, clock=lambda: past)
    (ann,) = register(database, "ann")
    item = put_up(database, [ann])
    # A shell starts what runs in the background deaf to interrupts, and that is handed down.
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = [sys.executable, "-c", f"{listening}; from entrenous.cli import main; main()"]
    worker = subprocess.Popen(
        [*program, "access", "work", "--database", settings.database],
        env=process_environment,
        stderr=subprocess.PIPE,
    )
    for _ in range(3000):
        with database.reading() as session:
            if store.items.decision_of(session, item) is not None:
                break
        time.sleep(0.1)
    worker.send_signal(signal.SIGINT)
    _, said = worker.communicate(timeout=300)
    assert (worker.returncode, b"interrupted" in said) == (130, True)
    with database.reading() as session:
        assert store.items.get_item(session, item).state == "active"  # type: ignore[union-attr]
    database.close()
