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
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def executors(spark: Any) -> list[int]:
    """Return the processes of this application's executors."""
    application, found = spark.sparkContext.applicationId.encode(), []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes().split(b"\0")
        except OSError:  # it has ended
            continue
        if application in command and any(word.endswith(b"CoarseGrainedExecutorBackend") for word in command):
            found.append(int(place.name))
    return found


def failed_tasks(spark: Any) -> list[int]:
    """Return how many tasks failed on each executor that is gone."""
    known = spark.sparkContext._jsc.sc().statusStore().executorList(False)
    executors = [known.apply(place) for place in range(known.size())]
    return [executor.failedTasks() for executor in executors if not executor.isActive()]


def when_busy(spark: Any, strike: Callable[[], bool]) -> threading.Thread:
    """Strike once while tasks of a job are running on both executors, which have one core each."""
    status = spark.sparkContext.statusTracker()

    def watch() -> None:
        while True:
            stages = [status.getStageInfo(stage) for stage in status.getActiveStageIds()]
            if sum(stage.numActiveTasks for stage in stages if stage is not None) >= 2 and strike():
                return
            time.sleep(0.01)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def lose_executors(mail: Path, folder: Path) -> None:
    spark = session("local-cluster[2,1,512]")
    killed: list[int] = []

    def kill_one() -> bool:
        running = [process for process in executors(spark) if process not in killed]
        if not running:
            return False
        os.kill(running[0], signal.SIGKILL)
        killed.append(running[0])
        return True

    watching = when_busy(spark, kill_one)
    corpus = words.Corpus.read(mail, engine="spark")
    assert not watching.is_alive()
    watching = when_busy(spark, kill_one)
    table = corpus.table(contribution=9)
    assert not watching.is_alive()
    assert len(killed) == 2
    failed = failed_tasks(spark)
    assert len(failed) == 2
    assert min(failed) >= 1, "each took a task with it, which was done again"
    np.savez(folder / "table.npz", **{name: getattr(table, name) for name in ARRAYS})
    ledger = Ledger.create(folder / "counting.ledger", Budget(epsilon=2.0, unit="edge-content"))
    when_busy(spark, lambda: os.kill(os.getpid(), signal.SIGKILL) is None)
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
