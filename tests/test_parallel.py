"""Threads and memory: what the environment says is checked and obeyed, and never changes a result."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from entrenous import _parallel, graph, hrg, links, network
from entrenous.errors import ArgumentError
from entrenous.graph.measures.centrality import eigenvector_centrality
from entrenous.graph.measures.clustering import clustering

ROOT = Path(__file__).parent.parent
#: What says how much to use, and stands in `_parallel.py` alone.
DECISIONS = re.compile(r"cpu_count|sched_getaffinity|max_workers|SC_PHYS_PAGES|local\[\*\]|\d ?GB\"")


def test_all_cores_of_this_process_unless_the_environment_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ENTRENOUS_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert _parallel.threads() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert _parallel.threads() == 1
    monkeypatch.setenv("ENTRENOUS_THREADS", "7")
    assert _parallel.threads() == 7


@pytest.mark.parametrize("given", ["", "0", "-1", "two", "1.5", "٣"])
def test_other_numbers_of_threads_are_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("ENTRENOUS_THREADS", given)
    with pytest.raises(ArgumentError, match=r"^ENTRENOUS_THREADS: expected a whole number"):
        _parallel.threads()


@pytest.mark.parametrize(
    ("given", "amount"),
    [("3GB", 3 * 10**9), ("1.5 gb", 1_500_000_000), ("2GiB", 2 << 30), ("800MB", 8 * 10**8), ("1TB", 10**12)],
)
def test_amounts_of_memory(monkeypatch: pytest.MonkeyPatch, given: str, amount: int) -> None:
    monkeypatch.setenv("ENTRENOUS_MEMORY", given)
    assert _parallel.memory() == amount


@pytest.mark.parametrize("given", ["", "3", "0GB", "-3GB", "99MB", "much", "3GBGB", "infGB"])
def test_other_amounts_of_memory_are_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("ENTRENOUS_MEMORY", given)
    with pytest.raises(ArgumentError, match=r"^ENTRENOUS_MEMORY: expected an amount such as 3GB"):
        _parallel.memory()


@pytest.mark.parametrize("limits", [[], [1 << 62], [4 << 30, 2 << 30]])
def test_a_quarter_of_the_machine_or_of_its_control_group(
    monkeypatch: pytest.MonkeyPatch, limits: list[int]
) -> None:
    monkeypatch.delenv("ENTRENOUS_MEMORY", raising=False)
    monkeypatch.setattr(_parallel, "_group_limits", lambda: iter(limits))
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2 << 20}.__getitem__)
    assert _parallel.memory() == min([8 << 30, *limits]) // 4


def test_limits_of_control_groups_of_both_versions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    read = Path.read_text
    listed = "4:memory:/a/b\n3:cpu:/a\n0::/c\n"
    monkeypatch.setattr(_parallel, "_CGROUPS", tmp_path)
    monkeypatch.setattr(
        Path, "read_text", lambda file, **kw: listed if str(file) == "/proc/self/cgroup" else read(file, **kw)
    )
    for file, content in {
        "memory/a/memory.limit_in_bytes": "300\n",  # of the group above; the own one is not shown
        "c/memory.max": "max\n",
        "memory.max": "200\n",
        "cpu/a/memory.max": "1\n",  # another controller's
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(content)
    assert list(_parallel._group_limits()) == [300, 200]


def test_parts_run_at_once_and_come_back_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTRENOUS_THREADS", "3")
    together = threading.Barrier(3, timeout=300)

    def work(part: int) -> int:
        together.wait()
        return part

    assert list(_parallel.map_in_threads(work, range(6))) == list(range(6))
    monkeypatch.setenv("ENTRENOUS_THREADS", "1")
    main = threading.get_ident()
    assert set(_parallel.map_in_threads(lambda _: threading.get_ident(), range(4))) == {main}


def test_jobs_report_together_and_end_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTRENOUS_THREADS", "2")
    seen: list[tuple[int, int]] = []

    def job(report: Callable[[int, int], None]) -> str:
        for done in (1, 2, 1, 2):  # two stages
            report(done, 2)
        return "done"

    found = _parallel.run_with_progress([job, job], 8, lambda *step: seen.append(step))
    assert found == ["done", "done"]
    assert seen == [(step, 8) for step in range(1, 9)]

    begun, ended = threading.Event(), threading.Event()

    def fails(_: Callable[[int, int], None]) -> None:
        begun.wait(10)
        raise ArithmeticError

    def goes_on(report: Callable[[int, int], None]) -> None:
        begun.set()
        try:
            while True:
                report(0, 1)
        except KeyboardInterrupt:
            ended.set()
            raise

    with pytest.raises(ArithmeticError):
        _parallel.run_with_progress([fails, goes_on], 2, None)
    assert ended.is_set()


def test_processes_that_share_the_cores_take_one_thread_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTRENOUS_THREADS", "5")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with _parallel.one_thread_each():
        assert _parallel.threads() == 1
        assert os.environ["OMP_NUM_THREADS"] == "1"
    assert _parallel.threads() == 5
    assert "OMP_NUM_THREADS" not in os.environ


@pytest.mark.long
def test_measures_and_releases_are_the_same_with_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_parallel, "_WORTH_THREADS", 0)
    private = graph.Graph.from_edges(
        [(node, (node + step * step) % 600) for node in range(600) for step in range(1, 8)], n=600
    )

    def digits() -> list[object]:
        made = network.release(private, epsilon=2.0, rng=7).artifact
        compared = graph.compare(private, made)
        sampled = clustering(private, wedges=3000, rng=3)
        _, central = eigenvector_centrality(private)
        fitted = links.fit(private, chains=3, steps=3000, rng=5)
        diagnosed = hrg.diagnose(private, beta=0.1, steps=2000, chains=4, rng=5)
        return [
            made.indptr.tobytes(),
            made.indices.tobytes(),
            repr(dict(compared)),
            repr(sampled),
            central.tobytes(),
            fitted.ends,
            diagnosed.r_hat,
        ]

    monkeypatch.setenv("ENTRENOUS_THREADS", "1")
    alone = digits()
    monkeypatch.setenv("ENTRENOUS_THREADS", "3")
    assert digits() == alone


def test_how_much_to_use_is_decided_in_one_place() -> None:
    found = {
        file.relative_to(ROOT).as_posix()
        for folder in ("src", "benchmarks", "examples")
        for file in (ROOT / folder).rglob("*.py")
        if DECISIONS.search(file.read_text())
    }
    assert found == {"src/entrenous/_parallel.py"}
