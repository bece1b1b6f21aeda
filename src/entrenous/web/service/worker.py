"""The worker: delivers what is due from the outbox, does what the clock asks for, and tidies up.

Several workers may run; none waits for another.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import timedelta

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.delivery.outbox import AT_ONCE, deliver_due, destroy_unneeded
from entrenous.web.service.proposals import end_lapsed
from entrenous.web.service.uploads.sizing import make_missing
from entrenous.web.service.uploads.storing import sweep
from entrenous.web.service.workflow import advance_due
from entrenous.web.store.database import Database, now

__all__ = ["Worker", "tidy_up"]

TIDYING = 300.0
"""Seconds between two looks for what can be removed."""

SWEEPING = 24 * 3600.0
"""Seconds between two looks through the object store."""

log = logging.getLogger(__name__)


class Worker:
    """A thread that works off what is due, every so many seconds.

    Parameters
    ----------
    database
        The database of the service.
    pause
        Seconds between two looks.
    """

    def __init__(self, database: Database, *, pause: float = 2.0) -> None:
        self.database = database
        self.pause = pause
        self._next_tidying = 0.0
        self._next_sweep = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="entrenous-worker", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """Finish what is under way, and stop."""
        self._stop.set()
        self._thread.join()

    def join(self) -> None:
        """Wait until the worker stops."""
        self._thread.join()

    def run_once(self) -> int:
        """Do all that is due now, and return how many things that were."""
        done = advance_due(self.database) + end_lapsed(self.database) + deliver_due(self.database)
        if time.monotonic() >= self._next_tidying:
            tidy_up(self.database)
            self._next_tidying = time.monotonic() + TIDYING
        if time.monotonic() >= self._next_sweep:
            self._next_sweep = time.monotonic() + SWEEPING
            sweep(self.database)
        return done + make_missing(self.database)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                done = self.run_once()
            except Exception as error:  # noqa: BLE001 - nothing is lost, so the worker waits and looks again
                log.warning("the worker could not go on (%s); it tries again", type(error).__name__)
                done = 0
            self._stop.wait(0 if done >= AT_ONCE else self.pause)


def tidy_up(database: Database) -> None:
    """Remove sessions that ended, what was withdrawn for good, keys that nobody needs, and all of it from the log."""

    def work(session: Session) -> None:
        moment = now(session)
        store.credentials.purge(session)
        store.items.purge_steps(session, moment, timedelta(minutes=database.settings.undo_minutes))
        for item in store.files.withdrawn_before(session, moment):
            store.files.remove_contents(session, item)
            store.items.forget_item(session, item)

    database.write(work, idempotent=True)
    database.empty_log()
    # What the outbox gave up, and keys of transactions that never committed.
    for item in database.keys.items(database.clock() - timedelta(seconds=TIDYING)):
        destroy_unneeded(database, item)
