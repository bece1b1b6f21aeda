"""A session of Apache Spark: its settings, its log and its errors, which never quote a message."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from entrenous._files import private_files
from entrenous._parallel import memory, threads
from entrenous.errors import InputError, MissingDataError, MissingExtraError
from entrenous.words.counting.engines.spilling import spill_folder

__all__ = ["STRICT", "pandas_unused", "refused", "running_session"]

LOGGED_BY = "LOG4J_CONFIGURATION_FILE"
LOGGING = Path(__file__).with_name("log4j2.properties")
# Of a session that is made here; one that runs already keeps its own.
SETTINGS = {
    "spark.ui.enabled": "false",  # it shows what is counted to whoever reaches its port
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",  # warnings quote what tasks were doing
    "spark.driver.maxResultSize": "0",  # the bounded table comes to the driver, whatever its size
    "spark.hadoop.fs.permissions.umask-mode": "077",
}
# Of our own part of any session: what is lost or does not fit is an error, and names mean what they say.
STRICT = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.session.timeZone": "UTC",
    "mapreduce.fileoutputcommitter.algorithm.version": "1",  # 2 may leave rows of a lost attempt in a table
}
LOCAL_SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


@contextmanager
def pandas_unused() -> Iterator[None]:
    """Say nothing of versions of pandas, which is used nowhere here."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def running_session(master: str | None) -> Any:
    """Return the session that runs already, or start one with our settings on a cluster, or on this machine."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("spark", "counting on Spark") from None
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    master = master or f"local[{threads()}]"
    settings = dict(SETTINGS)
    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings |= LOCAL_SETTINGS
        settings |= {"spark.driver.memory": f"{memory() >> 20}m", "spark.local.dir": spill_folder()}
    builder = SparkSession.builder.master(master).appName("entrenous")
    for name, value in settings.items():
        builder = builder.config(name, value)
    with refused(), private_files(), _errors_alone():  # Java takes the mask over
        return builder.getOrCreate()


@contextmanager
def _errors_alone() -> Iterator[None]:
    """Have Java log errors alone from its first line on, where the user has said nothing else.

    Java reads this variable before any setting of Spark, and prefers it to the files of Spark's own folders.
    """
    folders = [os.environ.get("SPARK_CONF_DIR"), os.environ.get("SPARK_HOME", "") + "/conf"]
    theirs = any(list(Path(folder).glob("log4j2.*")) for folder in folders if folder)
    if LOGGED_BY in os.environ or theirs:
        yield
        return
    os.environ[LOGGED_BY] = str(LOGGING)
    try:
        yield
    finally:
        del os.environ[LOGGED_BY]


@contextmanager
def refused() -> Iterator[None]:
    """Say what went wrong by its kind: what Spark says may quote messages."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as failure:
        kind = failure.getCondition() or type(failure).__name__
        if kind == "JAVA_GATEWAY_EXITED":
            raise InputError(
                "spark: expected Java 17 or later; it did not start; is it there, and memory?"
            ) from None
        if kind.startswith("PATH_NOT_FOUND"):
            raise MissingDataError(
                "mail: expected files at a path that Spark knows; there are none"
            ) from None
        raise InputError(
            f"spark: expected work that Spark can do; got {kind}; its own log says more"
        ) from None
    except Py4JError as failure:
        raise InputError(
            f"spark: expected work that ends; got {type(failure).__name__}; its log says more"
        ) from None
