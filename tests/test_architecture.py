"""Who may import whom, and the one door of each heavy dependency, read from the source itself."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "entrenous"
FILES = {file.relative_to(SOURCE).as_posix(): ast.parse(file.read_text()) for file in SOURCE.rglob("*.py")}

CAPABILITIES = {"network", "links", "words", "access"}
ROWS = [  # every row may import the rows below it; parts of one row never import each other
    {"cli"},
    {"web"},
    {"attack"},
    CAPABILITIES,
    {"page"},
    {"release", "hrg", "datasets", "desk"},
    {"opendp"},
    {"budget", "graph", "statistic"},
    {"guarantee", "noise"},
    {"price", "unit"},
    {"_check", "_files", "_parallel"},
    {"errors"},
]
HEIGHT = {part: -row for row, parts in enumerate(ROWS) for part in parts}
DOORS = {
    "numba": ["*_kernels.py"],
    "opendp": ["noise.py", "opendp.py"],
    "matplotlib": ["page/pictures/*"],
    "networkx": ["graph/conversion.py"],
    "igraph": ["graph/conversion.py"],
    "ibis": ["words/counting/*"],
    "duckdb": ["words/counting/engines/duckdb.py"],
    "pyspark": ["words/counting/engines/spark*.py"],
    "sqlglot": ["words/counting/engines/spark.py"],
    "dp_accounting": ["price.py"],
    "fastapi": ["web/*"],
    "pydantic": ["web/*"],
    "sqlalchemy": ["web/*"],
    "typer": ["cli/*"],
    "rich": ["cli/*"],
}

#: Rooms that never see private data: all they may import from the package, also for types.
BLIND = {
    "network/drawing/": (
        "entrenous.network.drawing.",
        "entrenous.hrg.",
        "entrenous.price.",
        "entrenous._parallel.",
        "entrenous.graph.measures.clustering.ranked_arcs",
    ),
    "network/mechanisms/": (
        "entrenous.network.drawing.",
        "entrenous.network.statistics",
        "entrenous.network.hierarchy.blocks",
        "entrenous.network.mechanism.",
        "entrenous.network.mechanisms.",
        "entrenous.hrg.",
        "entrenous.graph.measures.partitions.join_groups",
    ),
    "words/vocabulary/weightings.py": (
        "entrenous.words.statistics",
        "entrenous.words.request.",
        "entrenous.price.",
        "entrenous.errors.",
    ),
}
#: What hands a table to a desk, and looks at none of its rows.
TABLE_DOORS = ["words/histogram.py", "words/vocabulary/release.py", "words/beliefs/estimation.py"]
PUBLIC_OF_TABLES = {"ends", "holders", "by", "n", "table", "bounded", "assumptions"}
#: Whoever else imports noise hands it to a desk, or draws for tests of the promise.
NOISE = [
    "noise.py",
    "statistic.py",
    "desk.py",
    "opendp.py",
    "*/statistics/*",
    "network/release.py",
    *TABLE_DOORS,
    "attack/*",
    "links/*",  # promises nothing
]


def part_of(file: str) -> str:
    return file.split("/")[0].removesuffix(".py")


def imported(tree: ast.AST, *, types_too: bool) -> Iterator[str]:
    """Yield the dotted names a module imports, wherever in it, also those for type checkers alone if asked."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test) and not types_too:
            continue
        else:
            yield from imported(node, types_too=types_too)


def wrong_rows(part: str, tree: ast.AST) -> list[str]:
    parts = {name.split(".")[1] for name in imported(tree, types_too=True) if name.startswith("entrenous.")}
    return [
        other for other in parts & HEIGHT.keys() if other != part and HEIGHT[other] >= HEIGHT.get(part, -99)
    ]


def wrong_doors(file: str, tree: ast.AST) -> set[str]:
    heavy = {name.split(".")[0] for name in imported(tree, types_too=False)} & DOORS.keys()
    return {package for package in heavy if not any(fnmatch(file, door) for door in DOORS[package])}


def peeks(file: str, tree: ast.AST) -> list[str]:
    """Return what a blind room imports or touches that could lead it to private data."""
    allowed = next((names for room, names in BLIND.items() if file.startswith(room)), None)
    if allowed is None:
        return []
    names = [name for name in imported(tree, types_too=True) if name.startswith("entrenous")]
    wrong = [name for name in names if not name.startswith(allowed) or name.endswith((".Graph", ".Noise"))]
    arrays = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return wrong + [
        attribute for attribute in arrays if attribute in {"indptr", "indices", "_meter", "_noise"}
    ]


def rows_read(file: str, tree: ast.AST) -> set[str]:
    """Return what a door of tables reads of them beyond what is public."""
    read = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id in {"table", "corpus"}
    }
    return read - PUBLIC_OF_TABLES if file in TABLE_DOORS else set()


def test_every_part_has_its_row() -> None:
    assert {part_of(file) for file in FILES} - {"__init__", "__main__"} <= HEIGHT.keys()


@pytest.mark.parametrize("file", sorted(FILES.keys() - {"__init__.py", "__main__.py"}))
def test_imports_go_down_and_heavy_packages_enter_by_their_door(file: str) -> None:
    assert not wrong_rows(part_of(file), FILES[file])
    assert not wrong_doors(file, FILES[file])
    assert not peeks(file, FILES[file])
    assert not rows_read(file, FILES[file])
    if any(name.startswith("entrenous.noise.Noise") for name in imported(FILES[file], types_too=True)):
        assert any(fnmatch(file, place) for place in NOISE)


def names_a_capability(tree: ast.AST) -> bool:
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return any(f"entrenous.{part}." in str(text) for text in texts for part in ("attack", *CAPABILITIES))


def test_pages_are_rendered_without_knowing_what_they_are_about() -> None:
    assert not [file for file in FILES if file.startswith("page/") and names_a_capability(FILES[file])]
    assert names_a_capability(ast.parse('import_module("entrenous.words.page")'))


def test_the_rules_notice_offences() -> None:
    assert wrong_rows("network", ast.parse("def f():\n    from entrenous.access import item")) == ["access"]
    assert wrong_rows("graph", ast.parse("from entrenous import release")) == ["release"]
    assert wrong_doors("network/owner.py", ast.parse("if True:\n    import numba.typed")) == {"numba"}


@pytest.mark.parametrize(
    "line",
    [
        "from entrenous.graph import Graph",
        "from entrenous.noise import Noise",
        "from entrenous.network.mechanism import Graph",
        "from entrenous.statistic import Statistic",
        "from entrenous.desk import Desk",
        "def f(asked): return asked._meter",
        "def f(g): return g.indptr",
    ],
)
def test_a_blind_room_is_caught_peeking(line: str) -> None:
    assert peeks("network/mechanisms/rogue.py", ast.parse(line))
    assert peeks("network/drawing/rogue.py", ast.parse(line))


def test_a_door_of_tables_is_caught_reading_rows() -> None:
    assert TABLE_DOORS[0] in FILES
    assert rows_read(TABLE_DOORS[0], ast.parse("def f(table): return table.support()")) == {"support"}
    assert peeks(
        "words/vocabulary/weightings.py", ast.parse("from entrenous.words.counting.table import Table")
    )


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = "import entrenous, sys; print(*(name.split('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"numba", "scipy", "igraph", "matplotlib", "opendp"} & set(done.stdout.split())
