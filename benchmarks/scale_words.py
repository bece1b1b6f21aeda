"""Millions of messages: how time and memory of reading and counting grow with them, and Spark beside DuckDB.

``python -m benchmarks.scale --part words [--quick] [--json FILE]``

Mail is invented, as uneven as Enron's, fifty messages to a person, and written as JSON lines. Every step is a process
of its own: `write` the mail, `read` it into a store, `count` words and pairs of words (of each edge the hundred that it
says most), `resume` a reader that was killed half-way (the smaller corpora), and `spark`: both done by Spark on the
cores of this machine, whose table must be that of DuckDB (the smallest corpus). Memory is that of
the process and all it started, at its peak. The last rows hold the exponent of time in messages of each step.

The folder ENTRENOUS_SCALE keeps the mail for the next run, if it is set.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.steps import exponent, measured
from entrenous import datasets
from entrenous.datasets.mail_files import write_mail
from entrenous.words import Corpus
from entrenous.words.counting.table import Table

__all__ = ["GOAL", "rows"]

GOAL = 1.1  # the largest exponent of time in messages
MEMORY_GOAL = 8192  # megabytes for five million messages
SIZES = (300_000, 1_000_000, 2_500_000, 5_000_000)
QUICK_SIZES = (3_000, 9_000)
PER_PERSON = 50  # messages
PER_FILE = 500_000
CONTRIBUTION = 100
READER = """import sys
from entrenous.words import Corpus
Corpus.read(sys.argv[1], store=sys.argv[2], progress=lambda done, total: print(done / total, flush=True))"""


def rows(quick: bool) -> Iterator[dict[str, Any]]:
    """Yield a row per step and size, then the exponents."""
    corpora = QUICK_SIZES if quick else SIZES
    found = []
    for messages in corpora:
        with ExitStack() as folders:
            kept = os.environ.get("ENTRENOUS_SCALE")
            mail = Path(kept or folders.enter_context(tempfile.TemporaryDirectory())) / f"mail-{messages}"
            aside = Path(folders.enter_context(tempfile.TemporaryDirectory()))
            if not mail.is_dir():
                yield {"step": "write", "messages": messages} | measured(_write, mail, messages)
            for row in _steps(
                mail, aside, messages, smallest=messages == corpora[0], resumed=messages < corpora[-2]
            ):
                found.append(row)
                yield row
    for step in ("read", "count"):
        curve = [row for row in found if row["step"] == step]
        sizes, seconds = [row["messages"] for row in curve], [row["seconds"] for row in curve]
        yield {
            "step": f"{step}: exponent",
            "of all": exponent(sizes, seconds),
            "of the two largest": exponent(sizes[-2:], seconds[-2:]),
            "goal": GOAL,
        }
    embedded = [row["peak_mb"] for row in found if row["step"] != "spark"]
    yield {"step": "largest memory", "megabytes": max(embedded), "goal": MEMORY_GOAL}


def _steps(
    mail: Path, aside: Path, messages: int, *, smallest: bool, resumed: bool
) -> Iterator[dict[str, Any]]:
    about = {"messages": messages}
    yield {"step": "read"} | about | _measured(_read, mail, aside / "corpus")
    counted = _measured(_count, aside / "corpus")
    yield {"step": "count"} | about | counted
    if resumed:
        yield {"step": "resume"} | about | _resume(mail, aside / "resumed")
    if smallest:
        done = _measured(_spark, mail)
        assert done["digest"] == counted["digest"], "both engines must give the same table"
        yield {"step": "spark"} | about | done


def _write(mail: Path, messages: int) -> dict[str, Any]:
    company = datasets.organization(max(messages // PER_PERSON, 10), seed=1)
    drawn = company.messages(messages, style="enron")
    unfinished = mail.with_suffix(".unfinished")
    unfinished.mkdir()
    for number, first in enumerate(range(0, messages, PER_FILE)):
        these = islice(drawn, min(PER_FILE, messages - first))
        write_mail(these, unfinished / f"{number:03}.jsonl", "jsonl")
    unfinished.rename(mail)
    return {"gigabytes on disk": sum(file.stat().st_size for file in mail.iterdir()) / 1e9}


def _read(mail: Path, store: Path) -> dict[str, Any]:
    corpus = Corpus.read(mail, store=store)
    corpus.close()
    kept = corpus.summary
    return {"persons": kept.persons, "edges": kept.edges, "gigabytes on disk": store.stat().st_size / 1e9}


def _count(store: Path) -> dict[str, Any]:
    return _about(Corpus.open(store).table(contribution=CONTRIBUTION))


def _spark(mail: Path) -> dict[str, Any]:
    start = time.perf_counter()
    corpus = Corpus.read(mail, engine="spark")
    read = time.perf_counter() - start
    counted = _about(corpus.table(contribution=CONTRIBUTION))
    corpus.close()
    return counted | {"seconds to read": read, "seconds to count": time.perf_counter() - start - read}


def _about(table: Table) -> dict[str, Any]:
    """Return the size of a table, and a digest of it: two that are equal have the same."""
    value = hashlib.sha256()
    for array in (table.offsets, table.ngram, table.frequency, table.parts, table.ends):
        value.update(array.tobytes())
    return {"ngrams": table.ngrams, "rows": len(table.ngram), "digest": value.hexdigest()[:16]}


def _resume(mail: Path, store: Path) -> dict[str, Any]:
    """Kill a reader half-way, let another one continue, and check that nothing is missing or double."""
    reader = subprocess.Popen([sys.executable, "-c", READER, mail, store], stdout=subprocess.PIPE, text=True)
    assert reader.stdout is not None
    share = next(float(line) for line in reader.stdout if float(line) > 0.5)
    reader.send_signal(signal.SIGKILL)
    reader.wait()
    reader.stdout.close()
    figures = _measured(_read, mail, store)
    whole = Corpus.open(store)
    corpus = whole.summary
    whole.close()
    missing = sum(1 for file in mail.iterdir() for _ in file.open("rb")) - corpus.messages
    assert not missing, "every message must be there"
    assert not corpus.dropped, "none of them twice"
    return figures | {"killed at": share}


def _warm() -> None:
    small = Corpus.from_messages([{"from": "a", "to": ["b"], "body": "warm up"}])
    small.table(contribution=1)


def _measured(work: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Measure a step, its memory being that of all processes it needs."""
    figures = measured(_watched, work, *arguments, warm=_warm)
    return figures | {"peak_mb": figures.pop("family_mb")}


def _watched(work: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Do the work and add the peak of memory, of this process and of all that it started."""
    peak, done = 0.0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.1):
            peak = max(peak, sum(_resident(process) for process in _family()))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        figures = work(*arguments)
    finally:
        done.set()
        watching.join()
    return figures | {"family_mb": peak}


def _family() -> list[int]:
    """Return this process and all below it."""
    parents: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
        parents.setdefault(parent, []).append(int(place.name))
    family = [os.getpid()]
    for process in family:
        family.extend(parents.get(process, ()))
    return family


def _resident(process: int) -> float:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
