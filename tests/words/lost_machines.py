"""Programs that lose what they run on, started by `test_spark` in processes of their own.

``python lost_machines.py executors MAIL FOLDER``: kill an executor while mail is read, another while it is counted, and
in the end the driver itself while it counts for a release.
``python lost_machines.py driver MAIL FOLDER``: kill the driver while it draws the noise of a release.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

from entrenous import Budget, Vault, words
from entrenous.words.statistics import ListedCounts

ARRAYS = ("offsets", "ngram", "frequency", "parts", "ends")
LISTED = ("the", "to", "of", "to the")


def session(master: str) -> Any:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # so little work is not worth optimising
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.executor.memory": "512m",
        "spark.log.level": "OFF",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.files.maxPartitionBytes": "100000",
        "spark.sql.shuffle.partitions": "3",
        "spark.ui.enabled": "false",
        "spark.ui.liveUpdate.period": "0",  # what is asked about tasks is true at once
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def executors(spark: Any) -> dict[str, int]:
    """Return the processes of this driver's executors by the names that Spark gave them.

    What Java starts looks like its parent for a moment, but has one thread where Java has many.
    """
    port = spark.sparkContext.getConf().get("spark.driver.port")
    driver, found = f"spark://CoarseGrainedScheduler@127.0.0.1:{port}".encode(), {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes().split(b"\0")
            threads = len(list((place / "task").iterdir()))
        except OSError:  # it has ended
            continue
        if driver in command and threads > 5:
            found[command[command.index(b"--executor-id") + 1].decode()] = int(place.name)
    return found


def active_tasks(spark: Any) -> dict[str, int]:
    """Return how many tasks each executor holds."""
    return {executor.id(): executor.activeTasks() for executor in known_executors(spark, alive=True)}


def completed_tasks(spark: Any) -> int:
    """Return how many tasks were completed so far, also by executors that are gone."""
    return sum(executor.completedTasks() for executor in known_executors(spark, alive=False))


def known_executors(spark: Any, *, alive: bool) -> list[Any]:
    known = spark.sparkContext._jsc.sc().statusStore().executorList(alive)
    return [known.apply(place) for place in range(known.size())]


def held_task(spark: Any, stopped: Collection[str]) -> str:
    """Wait until one of the stopped executors holds a task, whatever it told before it was stopped; return its name."""
    for _ in range(900):
        before = active_tasks(spark)
        time.sleep(1)
        now = active_tasks(spark)
        for name in stopped:
            if before.get(name) and now.get(name):
                return name
    raise TimeoutError("no executor was given a task within a quarter of an hour")


def kill_one(spark: Any, killed: list[str]) -> None:
    """Kill an executor in the middle of a job: it takes a task with it, and what it had worked out before.

    Both are stopped first. Stopped executors finish nothing, so the job must come to hand a task to one of them, and
    cannot end without doing it again.
    """
    done = completed = completed_tasks(spark)
    running: dict[str, int] = {}
    while len(running) < 2 or completed < done + 4:
        time.sleep(0.02)
        running, completed = executors(spark), completed_tasks(spark)
    try:
        for process in running.values():
            os.kill(process, signal.SIGSTOP)
        lost = held_task(spark, running)
        os.kill(running.pop(lost), signal.SIGKILL)
        killed.append(lost)
    finally:
        for process in running.values():
            os.kill(process, signal.SIGCONT)


def meanwhile(work: Callable[[], None]) -> None:
    threading.Thread(target=work, daemon=True).start()


def end_at_work(spark: Any) -> None:
    """Wait until tasks of a new job are done and others are running, and kill this process, the driver."""
    done = completed_tasks(spark)
    while completed_tasks(spark) < done + 2 or not any(active_tasks(spark).values()):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)


def lose_executors(mail: Path, folder: Path) -> None:
    spark = session("local-cluster[2,1,512]")
    killed: list[str] = []
    meanwhile(lambda: kill_one(spark, killed))
    corpus = words.Corpus.read(mail, engine="spark")
    assert len(killed) == 1, "an executor was lost while mail was read"
    meanwhile(lambda: kill_one(spark, killed))
    table = corpus.table(contribution=9)
    assert len(set(killed)) == 2, "and another while it was counted"
    np.savez(folder / "table.npz", **{name: getattr(table, name) for name in ARRAYS})
    vault = Vault.create(folder / "counting.vault", Budget(epsilon=2.0, unit="edge-content"))
    meanwhile(lambda: end_at_work(spark))
    words.histogram(corpus, vocabulary=LISTED, epsilon=1.0, contribution=2, vault=vault)


def lose_driver(mail: Path, folder: Path) -> None:
    session("local[2]")
    corpus = words.Corpus.read(mail, engine="spark")
    vault = Vault.create(folder / "drawing.vault", Budget(epsilon=2.0, unit="edge-content"))
    ListedCounts.draw = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    words.histogram(corpus, vocabulary=LISTED, epsilon=1.0, contribution=2, vault=vault)


if __name__ == "__main__":
    {"executors": lose_executors, "driver": lose_driver}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
