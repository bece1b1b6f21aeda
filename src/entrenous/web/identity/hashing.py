"""Room for argon2: passwords are hashed in threads of their own, so that pages never wait for them.

A password takes 64 MB and a tenth of a second of a core on purpose. The threads that hash are fewer than the cores and
have the lowest claim to them: a page that is asked for meanwhile comes first. What waits for them waits in the event
loop and holds neither a thread nor a transaction. The line is bounded: who would have to stand too far back is asked
to come again. Nobody fills it alone: from one network no more than a quarter of it comes.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from entrenous._parallel import threads
from entrenous.web.rules.refusals import Busy

__all__ = ["MOST_FROM_ONE", "MOST_WAITING", "HashingRoom"]

T = TypeVar("T")

MOST_WAITING = 80
"""So many sign-ins, registrations and new passwords are under way at once in a process: eight seconds of a core."""

MOST_FROM_ONE = MOST_WAITING // 4
"""So many of them from one network, also of those who are only told to wait: a flood leaves room for others."""

NICENESS = 15
"""How much hashing yields to everything else; argon2's own threads inherit it."""


class HashingRoom:
    """The threads that hash passwords in one process, and the line before them.

    >>> room = HashingRoom(most=1)
    >>> with room.place("192.0.2.7"):
    ...     asyncio.run(room.do(len, "a password"))
    10
    """

    def __init__(self, *, most: int = MOST_WAITING, most_from_one: int = MOST_FROM_ONE) -> None:
        self.most = most
        self.most_from_one = most_from_one
        self._inside: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(
            max(1, threads() - 1), thread_name_prefix="entrenous-hashing", initializer=_yield_to_others
        )

    @property
    def waiting(self) -> int:
        """How many have a place, at work or in line."""
        return self._inside.total()

    @contextmanager
    def place(self, network: str) -> Iterator[None]:
        """Take a place in line for as long as the block lasts; refused if all, or all for this network, are taken."""
        with self._lock:
            if self._inside.total() >= self.most or self._inside[network] >= self.most_from_one:
                raise Busy
            self._inside[network] += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside[network] -= 1
                if not self._inside[network]:
                    del self._inside[network]

    async def do(self, work: Callable[..., T], *given: Any) -> T:
        """Hash or check a password in one of the threads, and return the result."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *given)

    def close(self) -> None:
        """Let the threads end once they are done."""
        self._threads.shutdown(wait=False)


def _yield_to_others() -> None:
    """Let a thread of the room run when nothing else wants to; on Linux priorities are per thread."""
    if hasattr(os, "setpriority") and os.uname().sysname == "Linux":
        with suppress(OSError):  # a container may forbid it: then it takes its share like others
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
