"""Apache Spark: the same statements and the same program, on as many machines as there are.

Everything that Spark works out follows from the messages alone: it may lose a machine and do its part again, or do a
part twice and take one, and no count changes. Noise is drawn on the driver, never here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from functools import cache, partial
from itertools import count
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from entrenous.errors import FormatError, InputError, MissingDataError, OutputExistsError
from entrenous.words.counting.engines.spark_session import (
    STRICT,
    pandas_unused,
    refused,
    running_session,
)
from entrenous.words.counting.engines.spilling import spill_folder
from entrenous.words.reading.cluster_tasks import (
    FILE,
    LINE,
    PLACE,
    SCHEMA,
    digested,
    form_of,
    named,
    pattern_of,
)
from entrenous.words.reading.tables import check_columns

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from entrenous.words.counting.engines import Lasting

__all__ = ["Spark"]

UNFINISHED = "_unfinished"  # marks a corpus that is being written
LOOKING = 16  # files whose columns are looked at side by side
WITHOUT_MAIL = ("_metadata", "_common_metadata")  # beside Parquet files


class Spark:
    """A session of Spark in which a corpus is read and counted.

    Parameters
    ----------
    master
        The cluster: "spark://host:7077", "yarn", "k8s://..."; None for this machine. A session that runs already is
        used as it is.
    store
        A folder at any path that Spark knows, where the tables of the corpus are kept as Parquet; None keeps them in
        the session.
    """

    slices: int | None = None  # Spark cuts its work itself

    def __init__(self, master: str | None = None, *, store: str | None = None) -> None:
        self.store = store
        with refused(), pandas_unused():
            self.session = running_session(master).newSession()
            for name, value in STRICT.items():
                self.session.conf.set(name, value)
        self._kept: dict[str, str] = {}  # what is written aside, and where
        self._name, self._number = uuid4().hex, count()

    @property
    def address(self) -> Any:
        """The arrow type by which messages name addresses: as they are, for no machine gives numbers to all."""
        import pyarrow as pa

        return pa.string()

    def read(self, path: str, columns: Mapping[str, str]) -> None:
        """Take the messages of all Parquet and JSON files at or below a path that Spark knows."""
        import pyarrow as pa

        files = self._files(path)
        self._check_columns(files, columns)
        numbers = dict(zip(files, range(len(files)), strict=True))
        with refused():
            found = [
                self._digested(path, form, numbers, columns)
                for form in sorted({form_of(file) or "" for file in files})
            ]
            together = found[0] if len(found) == 1 else found[0].unionAll(found[1])
            self._hold("digested", together, "table")
        failed = self.rows(
            "SELECT failed FROM digested WHERE failed IS NOT NULL ORDER BY source, failed LIMIT 1"
        )
        if failed:
            raise FormatError(failed[0][0])
        self.define_messages()
        sources = {
            "source": pa.array(range(len(files)), pa.int32()),
            "kind": pa.array(["table"] * len(files)),
            "skipped": pa.nulls(len(files), pa.string()),
        }
        self.take("sources", pa.table(sources))
        self.make(
            "addresses",
            """SELECT name AS address, name FROM (SELECT sender AS name FROM messages WHERE sender IS NOT NULL
            UNION SELECT unnest(recipients) AS name FROM messages)""",
            "temporary",
        )

    def define_messages(self) -> None:
        """Say what the messages are, from what was digested."""
        self.make(
            "messages",
            """SELECT message, source, identity, content, wording, thread, alike, nullif(sender, '') AS sender,
            recipients, subject, body FROM digested""",
            "view",
        )

    def begin(self) -> None:
        """Make the folder of the store, which must be new, or hold a corpus that was not read to its end."""
        with refused():
            folder, system = self._place(str(self.store))
            mark, _ = self._place(f"{self.store}/{UNFINISHED}")
            if system.exists(folder):
                if not system.exists(mark):
                    raise OutputExistsError("store: expected a new folder; got one that is there already")
                system.delete(folder, True)
            system.mkdirs(folder)
            system.create(mark).close()

    def finish(self) -> None:
        """Call the corpus in the store finished."""
        with refused():
            mark, system = self._place(f"{self.store}/{UNFINISHED}")
            system.delete(mark, False)

    def finds_corpus(self) -> bool:
        """Tell whether the store is a corpus that was read to its end."""
        with refused():
            summary, system = self._place(f"{self.store}/summary")
            mark, _ = self._place(f"{self.store}/{UNFINISHED}")
            return bool(system.exists(summary)) and not system.exists(mark)

    def open(self, names: Iterable[str]) -> None:
        """Find the tables of a corpus that was read into the store."""
        with refused():
            for name in names:
                self.session.read.parquet(f"{self.store}/{name}").createOrReplaceTempView(name)
        self.define_messages()

    def rows(self, statement: str, *values: Any) -> list[Any]:
        """Run one statement of SQL and return the rows it answers with."""
        assert not values, "statements of a corpus on Spark take none"
        with refused():
            return [tuple(row) for row in self.session.sql(_translated(statement)).collect()]

    def number(self, statement: str) -> int:
        """Run a query that answers with one whole number, and return it."""
        return int(self.rows(statement)[0][0])

    def has(self, name: str) -> bool:
        """Tell whether the corpus has a table of this name."""
        with refused():
            return bool(self.session.catalog.tableExists(name))

    def take(self, name: str, rows: Any, lasting: Lasting = "temporary") -> None:
        """Make a table of the rows of an arrow table, which are few: they travel with whatever asks for them."""
        with refused():
            self._hold(name, self.session.createDataFrame(rows), "table" if lasting == "table" else "view")

    def make(self, name: str, query: str, lasting: Lasting = "table") -> None:
        """Make a table of what a query answers with."""
        with refused():
            self._hold(name, self.session.sql(_translated(query)), lasting)

    def transaction(self) -> AbstractContextManager[None]:
        """Do all that is done inside: a corpus has a summary, which is written last, or it is unfinished."""
        return nullcontext()

    def tokens(self, n: int) -> Any:
        """Return the words of all texts, each with the n - 1 words that follow it."""
        import ibis

        from entrenous.words.counting.program import TEXTS, split

        return split(ibis.table(TEXTS, name="texts"), n)

    def keep(self, name: str, expression: Any) -> Any:
        """Work out an ibis expression once, keep its rows until they are dropped and return them as a table."""
        import ibis

        with pandas_unused():
            from ibis.backends.pyspark.datatypes import PySparkSchema

        with refused():  # Spark has narrower numbers here and there than ibis thinks
            frame = self.session.sql(_sql(expression)).to(PySparkSchema.from_ibis(expression.schema()))
            self._hold(name, frame, "temporary")
        return ibis.table(expression.schema(), name=name)

    def parted(self, name: str, expression: Any) -> dict[int, Any]:
        """Work out an ibis expression once, and return a table for each `part` of its rows."""
        whole = self.keep(name, expression)
        parts = sorted(part for (part,) in self.rows(f"SELECT DISTINCT part FROM {name}"))  # noqa: S608 - our own name
        return {part: whole.filter(whole.part == part).drop("part") for part in parts}

    def drop(self, names: list[str]) -> None:
        """Let go of what was kept."""
        with refused():
            for name in names:
                self.session.catalog.dropTempView(name)
                if name in self._kept:
                    self._delete(self._kept.pop(name))
                    if not self._kept:
                        self._delete(self._aside())

    def batches(self, expression: Any) -> Iterator[Any]:
        """Return the result of an ibis expression as arrow batches, part by part, so that the driver holds one."""
        import pyarrow as pa

        with refused():
            parts = _mapped(self.session.sql(_sql(expression)), _serialized, "batch BINARY")
            for row in parts.toLocalIterator(prefetchPartitions=True):
                with pa.ipc.open_stream(row.batch) as stream:
                    yield from stream

    def close(self) -> None:
        """Let go of everything, if Spark still answers; the session itself ends with the process."""
        if self._kept:
            self._kept.clear()
            with suppress(InputError), refused():
                self._delete(self._aside())

    def _delete(self, place: str) -> None:
        """Delete a folder, on whatever file system it is."""
        path, system = self._place(place)
        system.delete(path, True)

    def _place(self, place: str) -> tuple[Any, Any]:
        """Return a path as Hadoop has it, and its file system."""
        path = self.session._jvm.org.apache.hadoop.fs.Path(place)
        return path, path.getFileSystem(self.session._jsparkSession.sessionState().newHadoopConf())

    def _hold(self, name: str, frame: Any, lasting: Lasting) -> None:
        """Give a frame a name, and write its rows down: in the store, or aside until they are dropped.

        What was written is whole, and stays where a machine that held it is lost; and what is worked out from it need
        not look at how it came about, which Spark would plan anew with every step.
        """
        if lasting != "view":
            if lasting == "table" and self.store is not None:
                place = f"{self.store}/{name}"
            else:
                self.drop([name])
                self._kept[name] = place = f"{self._aside()}/{name}-{next(self._number)}"
            frame.write.mode("overwrite").parquet(place)
            frame = self.session.read.schema(frame.schema).parquet(place)
        frame.createOrReplaceTempView(name)

    def _aside(self) -> str:
        """Return a folder that all machines reach and that is ours alone."""
        shared = self.session.conf.get("spark.checkpoint.dir", None) or self.store
        if shared is None:
            if not self.session.sparkContext.master.startswith("local"):
                raise InputError(
                    "spark: expected a folder that all machines reach; got none; read the mail into a corpus first, or "
                    "set spark.checkpoint.dir"
                )
            shared = f"file://{spill_folder()}"
        return f"{shared}/_aside-{self._name}"

    def _files(self, path: str) -> dict[str, str]:
        """Return all files at or below a path, in the order of their names, and the path of each.

        Hidden and empty ones hold no mail. Anything else must be read: what Spark cannot read, or would pass over in
        silence, is refused, for the embedded engine may find mail in it.
        """
        found: dict[str, str] = {}
        others = 0
        with refused():
            root, system = self._place(path)
            for top in system.globStatus(root) or ():
                above = named(top.getPath().toUri().toString())
                below = system.listFiles(top.getPath(), True)
                while below.hasNext():
                    file = below.next()
                    name = file.getPath().getName()
                    if name.startswith(".") or name in WITHOUT_MAIL or not file.getLen():
                        continue
                    uri = file.getPath().toUri().toString()
                    found[named(uri)] = file.getPath().toString()
                    parts = (*named(uri).removeprefix(above).split("/"), name)
                    others += form_of(name) is None or any(part.startswith(("_", ".")) for part in parts)
        if not found:
            raise MissingDataError(
                "mail: expected files at a path that Spark knows, where [ ] { } * ? stand for patterns; there are none"
            )
        if others:
            raise InputError(
                "mail: expected Parquet and JSON files (.parquet, .json, .jsonl, .ndjson, also .gz) whose names and "
                f"folders begin with no _ and no dot; got {others} others, which only the embedded engine looks into"
            )
        return {file: found[file] for file in sorted(found, key=PurePosixPath)}

    def _check_columns(self, files: Mapping[str, str], columns: Mapping[str, str]) -> None:
        """Look at what the columns of every Parquet file are: Spark would fill up those that one of them lacks."""
        parquet = self.session._jvm.org.apache.parquet.hadoop

        def names(place: str) -> list[str] | None:
            if form_of(place) != "parquet":
                return None
            path, system = self._place(place)
            reader = parquet.ParquetFileReader.open(
                parquet.util.HadoopInputFile.fromPath(path, system.getConf())
            )
            try:
                return [str(field.getName()) for field in reader.getFileMetaData().getSchema().getFields()]
            finally:
                reader.close()

        with refused(), ThreadPoolExecutor(LOOKING) as threads:
            for number, found in enumerate(threads.map(names, files.values()), start=1):
                if found is not None:
                    check_columns(found, columns, f"file {number}")

    def _digested(self, path: str, form: str, files: Mapping[str, int], columns: Mapping[str, str]) -> Any:
        """Return the messages of all files of a form: read by Spark, digested in its tasks."""
        from pyspark.sql import functions as f

        reader = self.session.read.option("recursiveFileLookup", True).option(
            "pathGlobFilter", pattern_of(form)
        )
        if form == "parquet":
            frame = reader.option("mergeSchema", True).parquet(path)
            place, content = (
                "_metadata.row_index",
                [name for name in columns.values() if name in frame.columns],
            )
            kept = [f.col(f"`{name}`") for name in dict.fromkeys(content)]
        else:
            frame = reader.text(path, lineSep="\n")
            place, kept = "_metadata.file_block_start", [f.col("value").cast("binary").alias(LINE)]
        rows = frame.select(f.col("_metadata.file_path").alias(FILE), f.col(place).alias(PLACE), *kept)
        return _mapped(rows, partial(digested, form=form, files=files, columns=dict(columns)), SCHEMA)


def _mapped(frame: Any, function: Any, schema: str) -> Any:
    """Have a function map the arrow batches of each part, in a Python beside the task."""
    with pandas_unused():
        return frame.mapInArrow(function, schema)


def _serialized(batches: Iterable[Any]) -> Iterator[Any]:
    """Pack arrow batches into rows of bytes: rows can be fetched part by part, where arrow comes all at once."""
    import pyarrow as pa

    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        yield pa.RecordBatch.from_arrays(
            [pa.array([sink.getvalue().to_pybytes()], pa.binary())], names=["batch"]
        )


@cache
def _translated(statement: str) -> str:
    """Return a statement of DuckDB's SQL in Spark's."""
    import sqlglot

    return str(sqlglot.transpile(statement, read="duckdb", write="spark")[0])


def _sql(expression: Any) -> str:
    import ibis

    return str(ibis.to_sql(expression, dialect="pyspark"))
