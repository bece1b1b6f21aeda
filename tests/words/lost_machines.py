"""Programs that lose what they run on, started by `test_spark` in processes of their own.

``python lost_machines.py executors MAIL FOLDER``: kill an executor while mail is read, another while it is counted, and
in the end the driver itself while it counts for a release.
``python lost_machines.py driver MAIL FOLDER``: kill the driver while it draws the noise of a release.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

from entrenous import Budget, Ledger, words

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
    """Return the processes of this application's executors by the names that Spark gave them."""
    application, found = spark.sparkContext.applicationId.encode(), {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes().split(b"\0")
        except OSError:  # it has ended
            continue
        if application in command and any(word.endswith(b"CoarseGrainedExecutorBackend") for word in command):
            found[command[command.index(b"--executor-id") + 1].decode()] = int(place.name)
    return found


def tasks(spark: Any, kind: str) -> dict[str, int]:
    """Return how many tasks of a kind (activeTasks, failedTasks) each executor has, those included that are gone."""
    known = spark.sparkContext._jsc.sc().statusStore().executorList(False)
    found = [known.apply(place) for place in range(known.size())]
    return {executor.id(): getattr(executor, kind)() for executor in found}


def stopped_at_work(spark: Any, name: str, process: int) -> bool:
    """Stop an executor and say whether it is in the middle of a task, once all that it told has arrived."""
    os.kill(process, signal.SIGSTOP)
    time.sleep(1)
    return tasks(spark, "activeTasks").get(name, 0) > 0


def took_a_task(spark: Any, name: str) -> bool:
    """Wait until Spark misses a task of an executor that is gone."""
    for _ in range(100):
        if tasks(spark, "failedTasks").get(name, 0) > 0:
            return True
        time.sleep(0.1)
    return False


def kill_one(spark: Any) -> None:
    """Kill an executor in the middle of a task, so that the task has to be done again."""
    while True:
        active = tasks(spark, "activeTasks")
        for name, process in executors(spark).items():
            if not active.get(name):
                continue
            if stopped_at_work(spark, name, process):
                os.kill(process, signal.SIGKILL)
                if took_a_task(spark, name):
                    return
            else:
                os.kill(process, signal.SIGCONT)
        time.sleep(0.01)


def meanwhile(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def end_at_work(spark: Any) -> None:
    """Wait until a task is running anywhere, and kill this process, the driver."""
    while not any(tasks(spark, "activeTasks").values()):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)


def lose_executors(mail: Path, folder: Path) -> None:
    spark = session("local-cluster[2,1,512]")
    killing = meanwhile(lambda: kill_one(spark))
    corpus = words.Corpus.read(mail, engine="spark")
    killing.join(30)
    assert not killing.is_alive(), "an executor was lost while mail was read, and its task was done again"
    killing = meanwhile(lambda: kill_one(spark))
    table = corpus.table(contribution=9)
    killing.join(30)
    assert not killing.is_alive(), "and another while it was counted"
    np.savez(folder / "table.npz", **{name: getattr(table, name) for name in ARRAYS})
    ledger = Ledger.create(folder / "counting.ledger", Budget(epsilon=2.0, unit="edge-content"))
    meanwhile(lambda: end_at_work(spark))
    words.histogram(corpus, vocabulary=LISTED, epsilon=1.0, contribution=2, ledger=ledger)


def lose_driver(mail: Path, folder: Path) -> None:
    session("local[2]")
    corpus = words.Corpus.read(mail, engine="spark")
    ledger = Ledger.create(folder / "drawing.ledger", Budget(epsilon=2.0, unit="edge-content"))
    module = importlib.import_module("entrenous.words.histogram")
    module._draw = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    words.histogram(corpus, vocabulary=LISTED, epsilon=1.0, contribution=2, ledger=ledger)


if __name__ == "__main__":
    {"executors": lose_executors, "driver": lose_driver}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
