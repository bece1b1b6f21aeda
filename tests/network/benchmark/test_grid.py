"""The benchmark: every cell once, whatever interrupts it, and a fair ranking."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from entrenous import datasets
from entrenous.errors import ArgumentError
from entrenous.network import MECHANISMS
from entrenous.network.benchmark import grid as benchmark
from entrenous.network.benchmark.grid import FIXED_SPLITS, SMALL_SPLITS, Cell, Result, Source, grid, run
from entrenous.network.benchmark.ranking import HEADLINE, rank, tidy, write_parquet

WISHES = {"methods": ["chung-lu", "tmf"], "epsilons": [1.0, 2.0], "seeds": 2}


def result_of(method: str, seed: int, value: float, *, epsilon: float = 1.0, graph: str = "club") -> Result:
    measures = dict.fromkeys(HEADLINE, value)
    return Result(Cell(graph, method, epsilon, seed), "f", 0.1, 90.0, measures, (1, 2), (3.0,))


@pytest.fixture
def club(tmp_path: Path) -> Source:
    datasets.karate_club().write(tmp_path / "club.edges")
    return Source(tmp_path / "club.edges")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> list[Cell]:
    """Run cells in this process, and write down which."""
    computed: list[Cell] = []

    def compute(cells: list[Cell], sources: dict[str, Source], folder: Path, *_: object) -> None:
        for cell in cells:
            computed.append(cell)
            benchmark._fill(cell, sources[cell.graph], folder)

    monkeypatch.setattr(benchmark, "_compute", compute)
    return computed


def test_the_grid_has_every_combination_once_and_the_divisions_of_hrg_on_the_smallest_graph() -> None:
    cells = grid({"large": 500, "small": 30}, methods=list(MECHANISMS), epsilons=[1, 2], seeds=3)
    assert len(set(cells)) == len(cells)
    plain = [cell for cell in cells if cell.split is None]
    assert len(plain) == 2 * len(MECHANISMS) * 2 * 3
    divided = [cell for cell in cells if cell.split is not None]
    assert {cell.graph for cell in divided} == {"small"}
    assert {cell.split for cell in divided} == {*FIXED_SPLITS, *SMALL_SPLITS}
    assert all(cell.epsilon == pytest.approx(sum(cell.split or ())) for cell in divided)
    assert len({cell.file for cell in cells}) == len(cells)


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        ("methods", {"methods": ["magic"]}),
        ("grid", {"methods": []}),
        ("grid", {"epsilons": []}),
        ("epsilons", {"epsilons": [0]}),
        ("seeds", {"seeds": 0}),
    ],
)
def test_wrong_grids_are_refused(argument: str, wrong: dict[str, object]) -> None:
    with pytest.raises(ArgumentError) as caught:
        grid({"club": 34}, **{**WISHES, **wrong})  # type: ignore[arg-type]
    assert caught.value.argument == argument


def test_what_is_named_twice_is_done_once() -> None:
    cells = grid({"club": 34}, methods=["tmf", "tmf"], epsilons=[1, 1.0], seeds=2)
    assert len(cells) == 2


def test_close_epsilons_have_files_of_their_own() -> None:
    cells = grid({"club": 34}, methods=["tmf"], epsilons=[0.12345678, 0.12345679], seeds=1)
    assert len({cell.file for cell in cells}) == 2


def test_figures_of_other_code_are_not_kept(
    club: Source, tmp_path: Path, here: list[Cell], monkeypatch: pytest.MonkeyPatch
) -> None:
    run([club], tmp_path / "out", methods=["chung-lu"], epsilons=[1.0], seeds=1)
    here.clear()
    monkeypatch.setattr(benchmark, "_code", lambda: b"a later version")
    run([club], tmp_path / "out", methods=["chung-lu"], epsilons=[1.0], seeds=1)
    assert len(here) == 2  # the original and its release


def test_two_graphs_of_one_name_are_refused(club: Source, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="different names"):
        run([club, club], tmp_path / "out", **WISHES)  # type: ignore[arg-type]


def test_a_second_run_computes_what_is_missing_alone(club: Source, tmp_path: Path, here: list[Cell]) -> None:
    out = tmp_path / "out"
    first = run([club], out, **WISHES)  # type: ignore[arg-type]
    assert len(first) == len(here) == 1 + 2 * 2 * 2
    assert first[0].cell.method == "original"
    assert sum(first[0].degrees) == 34
    (out / "cells" / "club_tmf_1.0_0.json").unlink()
    (out / "cells" / "club_tmf_2.0_1.json").write_text("{ half a", encoding="utf-8")
    here.clear()
    second = run([club], out, **WISHES)  # type: ignore[arg-type]
    assert {(cell.epsilon, cell.seed) for cell in here} == {(1.0, 0), (2.0, 1)}
    assert [each.measures for each in second] == [each.measures for each in first]
    assert not list((out / "cells").glob(".*"))


def test_another_graph_of_the_same_name_is_measured_anew(
    club: Source, tmp_path: Path, here: list[Cell]
) -> None:
    wishes = {"methods": ["chung-lu"], "epsilons": [1.0], "seeds": 1}
    run([club], tmp_path / "out", **wishes)  # type: ignore[arg-type]
    datasets.organization(40, seed=1).graph.write(club.path)
    benchmark._graph.cache_clear()
    benchmark._measured.cache_clear()
    here.clear()
    results = run([club], tmp_path / "out", **wishes)  # type: ignore[arg-type]
    assert len(here) == 2
    assert sum(results[0].degrees) == 40


@pytest.mark.faults
def test_cells_give_the_same_in_processes_of_their_own_and_survive_being_killed(
    club: Source, tmp_path: Path, here: list[Cell]
) -> None:
    """kill -9 in the middle: what was written stays and is whole, workers end, and the rest is filled in later."""
    out = tmp_path / "out"
    program = (
        "from pathlib import Path; from entrenous.network.benchmark.grid import Source, run\n"
        "if __name__ == '__main__':\n"
        f"    run([Source(Path({str(club.path)!r}))], Path({str(out)!r}), methods=['chung-lu', 'tmf'], "
        "epsilons=[1.0, 2.0], seeds=20)\n"
    )
    script = tmp_path / "program.py"
    script.write_text(program, encoding="utf-8")
    process = subprocess.Popen([sys.executable, script], start_new_session=True)
    deadline = time.monotonic() + 300
    while len(list(out.glob("cells/club*.json"))) < 4 and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    written = {
        file.name: json.loads(file.read_text(encoding="utf-8")) for file in out.glob("cells/club*.json")
    }
    assert 4 <= len(written) < 81
    while group_alive(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not group_alive(process.pid)
    results = run([club], out, methods=["chung-lu", "tmf"], epsilons=[1.0, 2.0], seeds=20)
    assert len(results) == 81
    assert not {cell.file for cell in here} & written.keys()
    once = next(result for result in results if result.cell.file in written and result.cell.epsilon)
    benchmark._fill(once.cell, club, tmp_path)
    again = Result.read(tmp_path / once.cell.file)
    assert again is not None
    assert again.measures == once.measures
    assert once.memory > 10
    assert once.seconds > 0


def group_alive(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    return True


def test_numbers_that_are_none_survive_the_file(tmp_path: Path) -> None:
    result = result_of("tmf", 0, math.nan)
    result.write(tmp_path)
    found = Result.read(tmp_path / result.cell.file)
    assert found is not None
    assert all(math.isnan(value) for value in found.measures.values())
    assert Result.read(tmp_path / "nowhere.json") is None


def test_the_first_is_best_and_who_cannot_be_told_apart_is_level() -> None:
    runs = {"owner": (0.10, 0.12, 0.11), "dgg": (0.11, 0.12, 0.13), "tmf": (0.50, 0.52, 0.51)}
    results = [result_of(m, s, v) for m, values in runs.items() for s, v in enumerate(values)]
    standings = rank(results)
    assert len(standings) == 3 * len(HEADLINE)
    degrees = {each.method: each for each in standings if each.measure == "deg_KS"}
    assert [degrees[m].place for m in ("owner", "dgg", "tmf")] == [1, 2, 3]
    assert [degrees[m].level for m in ("owner", "dgg", "tmf")] == [True, True, False]
    assert degrees["owner"].mean == pytest.approx(0.11)
    assert degrees["owner"].sd == pytest.approx(0.01)
    overlap = {each.method: each for each in standings if each.measure == "evc_overlap@50"}
    assert overlap["tmf"].place == 1  # more is better there
    assert not overlap["owner"].level


@pytest.mark.parametrize(
    ("first", "second"),
    [((0.0, 0.9, 0.3), (0.50, 0.51, 0.52)), ((0.10, 0.11, 0.12), (0.0, 0.9, 0.3))],
    ids=["the best scatters", "the other scatters"],
)
def test_nobody_is_level_by_scattering(first: tuple[float, ...], second: tuple[float, ...]) -> None:
    runs = {"owner": first, "tmf": second}
    results = [result_of(m, s, v) for m, values in runs.items() for s, v in enumerate(values)]
    degrees = [each for each in rank(results) if each.measure == "deg_KS"]
    assert [(each.method, each.level) for each in degrees] == [("owner", True), ("tmf", False)]


def test_undefined_values_come_last_and_a_single_seed_has_no_spread() -> None:
    standings = rank([result_of("owner", 0, 0.3), result_of("tmf", 0, math.nan), result_of("dgg", 0, 0.2)])
    degrees = [each for each in standings if each.measure == "deg_KS"]
    assert [each.method for each in degrees] == ["dgg", "owner", "tmf"]
    assert [each.level for each in degrees] == [True, False, False]
    assert all(math.isnan(each.sd) for each in degrees)


def test_the_table_is_tidy(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    split = Result(Cell("club", "privhrg", 1.0, 0, (0.1, 0.9)), "f", 2.0, 80.0, {"deg_KS": 0.5}, (1,), (1.0,))
    results = [result_of("owner", 1, 0.25), split]
    write_parquet(results, tmp_path / "measures.parquet")
    table = pq.read_table(tmp_path / "measures.parquet")
    assert table.column_names == [
        "graph", "method", "epsilon", "eps1", "eps2", "seed", "measure", "value", "seconds", "memory",
    ]  # fmt: skip
    assert table.num_rows == len(tidy(results)) == len(HEADLINE) + 1
    last = table.to_pylist()[-1]
    assert (last["eps1"], last["eps2"], last["seconds"], last["value"]) == (0.1, 0.9, 2.0, 0.5)
    assert np.isnan(table.to_pylist()[0]["eps1"])
