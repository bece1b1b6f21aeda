"""Reading mail and counting words: `python -m benchmarks.words [--quick] [--json FILE]`.

Rows: `read` (JSON lines into a store), `count` (unigrams and bigrams of every edge), `table` (the same, put in order),
`fit` (exact neighbour counts on top of that), `polars` (the count by a hand-written program of Polars, on the same
store), `ratio` (the processor time of `count` over that of `polars`) and `mbox` (an archive of raw mailboxes). All but
`ratio` are processes of their own: seconds, processor seconds and the peak of memory are those of the work, without
imports and compilation. `--quick` takes enron-core instead of enron-internal.
"""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import rows

READ_GOAL = 15_000  # messages a second
FIT_GOAL = 180  # seconds
RATIO_GOAL = 1.5


def main() -> None:
    """Run the benchmark, print its rows and write them if asked to."""
    options = rows.arguments(__doc__)
    mail = rows.data_folder() / "mail"
    name = "enron-core" if options.quick else "enron-internal"
    found = []

    def note(row: dict[str, Any]) -> dict[str, Any]:
        rows.show(row)
        found.append(row)
        return row

    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "corpus.duckdb"
        note(
            {"name": "read", "mail": name, "goal": READ_GOAL}
            | measured(read, mail / f"{name}.jsonl.gz", store)
        )
        counted = note({"name": "count"} | measured(count, store))
        note({"name": "table"} | measured(table, store))
        note({"name": "fit", "goal": FIT_GOAL} | measured(fit, store))
        rival = note({"name": "polars"} | measured(polars_count, store))
        assert counted["pairs"] == rival["pairs"], "both must count alike"
        note({"name": "ratio", "cpu": counted["cpu"] / rival["cpu"], "goal": RATIO_GOAL})
        note({"name": "mbox"} | measured(read, mail / "enron-mbox.tar.gz", Path(folder) / "mbox.duckdb"))
    rows.write(found, options.json)


def measured(work: Callable[..., dict[str, Any]], *arguments: Path) -> dict[str, Any]:
    """Run a function in a process of its own, and return its figures with time, processor time and peak memory."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(_timed, work, *arguments).result()


def _timed(work: Callable[..., dict[str, Any]], *arguments: Path) -> dict[str, Any]:
    import duckdb  # noqa: F401 - loaded before the clock starts
    import ibis  # noqa: F401
    import pyarrow as pa  # noqa: F401

    from entrenous.words import Corpus

    small = Corpus.from_messages([{"from": "a", "to": ["b"], "body": "warm up"}])
    small.neighbour_counts()  # compiles the kernels
    wall, processor = time.perf_counter(), processor_seconds()
    figures = work(*arguments)
    seconds = time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    if "messages" in figures:
        figures["per_second"] = figures["messages"] / seconds
    return figures | {"seconds": seconds, "cpu": processor_seconds() - processor, "gigabytes": peak}


def processor_seconds() -> float:
    """Return the processor time of this process and of those it started and has seen end."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(times.ru_utime + times.ru_stime for times in used)


def read(mail: Path, store: Path) -> dict[str, Any]:
    """Read mail into a store and return what was found; messages read include those that were dropped."""
    from entrenous.words import Corpus

    summary = Corpus.read(mail, store=store).summary
    dropped = sum(count for reason, count in summary.dropped.items() if "files" not in reason)
    return {
        "messages": summary.messages + dropped,
        "kept": summary.messages,
        "persons": summary.persons,
        "edges": summary.edges,
        "largest_neighbourhood": summary.largest_neighbourhood,
        "duplicates": summary.dropped.get("duplicates", 0),
        "lists": sum(summary.lists.values()),
    }


def count(store: Path) -> dict[str, Any]:
    """Run the counting program and take in its rows, as they come."""
    import ibis
    import numpy as np

    from entrenous.words.counting.engines import DuckDB
    from entrenous.words.counting.program import PASSAGES, program

    engine = DuckDB(store, read_only=True)
    passages = ibis.table(PASSAGES, name="edge_passages")
    counts = program(engine.tokens(2), passages, n=2, contribution=None, keep=engine.keep)
    members = np.concatenate([batch.column("bundle").to_numpy() for batch in engine.batches(counts.members)])
    holders = np.bincount(members)
    pairs = sum(
        int(holders[batch.column("bundle").to_numpy()].sum()) for batch in engine.batches(counts.rows())
    )
    return {"pairs": pairs}


def table(store: Path) -> dict[str, Any]:
    """Count, and put the rows in order."""
    from entrenous.words import Corpus

    found = Corpus.open(store).table()
    return {
        "pairs": len(found.ngram),
        "ngrams": found.ngrams,
        "carried_twice": int((found.support() > 1).sum()),
    }


def fit(store: Path) -> dict[str, Any]:
    """Count, put in order, and count exactly what the neighbours of all edges carry; the goal is for all of it."""
    from entrenous.words import Corpus

    found = Corpus.open(store).neighbour_counts()
    return {"pairs_of_edge_and_ngram": int(found.pairs.sum()), "rows": len(found.pairs)}


def polars_count(store: Path) -> dict[str, Any]:
    """Count the same by hand: numbers for words and pairs of words, one packed key per edge and n-gram."""
    import duckdb
    import polars as pl

    with duckdb.connect(str(store), read_only=True) as connection:
        texts = pl.from_arrow(
            connection.sql("SELECT text, message, words FROM texts ORDER BY text").to_arrow_table()
        )
        passages = pl.from_arrow(connection.sql("SELECT message, holder FROM edge_passages").to_arrow_table())
    tokens = texts.select("text", "message", pl.col("words").str.split(" ")).explode("words")
    words = tokens.select(pl.col("words").unique()).with_row_index("gram")
    coded = tokens.join(words, on="words", maintain_order="left").select("text", "message", "gram")
    pairs = (
        coded.with_columns(last=pl.col("gram").shift(-1), after=pl.col("text").shift(-1))
        .filter(pl.col("text") == pl.col("after"))
        .select("message", "gram", "last")
    )
    bigrams = pairs.select("gram", "last").unique().with_row_index("pair", offset=len(words))
    numbered = pairs.join(bigrams, on=["gram", "last"]).select("message", gram="pair")
    said = pl.concat([coded.select("message", "gram"), numbered])
    key = pl.col("holder").cast(pl.Int64) * 2**32 + pl.col("gram")
    counted = said.lazy().join(passages.lazy(), on="message").select(key=key).group_by("key").len()
    return {"pairs": len(counted.collect(engine="streaming"))}


if __name__ == "__main__":
    main()
