"""Who may import whom, the one door of each heavy dependency, and the tree, read from the source itself."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

import entrenous

SOURCE = Path(entrenous.__file__).parent  # a mutant is planted in a copy
FILES = {file.relative_to(SOURCE).as_posix(): ast.parse(file.read_text()) for file in SOURCE.rglob("*.py")}

CAPABILITIES = {"network", "links", "words", "access"}
ROWS = [  # every row may import the rows below it; parts of one row never import each other
    {"cli"},
    {"web"},
    {"attack"},
    CAPABILITIES,
    {"vault"},
    {"page"},
    {"release", "hrg", "datasets", "desk"},
    {"opendp"},
    {"card", "graph", "statistic"},
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
    "oxmsg": ["words/reading/formats/outlook_message.py"],
    "pypff": ["words/reading/formats/outlook_store.py"],
    "icu4py": ["words/reading/text/segmentation.py"],
    "fastapi": ["web/*"],
    "pydantic": ["web/*"],
    "sqlalchemy": ["web/*"],
    "fido2": ["web/identity/passkeys.py"],
    "pikepdf": ["web/service/uploads/pdf_program.py"],
    "obstore": ["web/store/blobs/objects.py"],
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
TABLE_DOORS = [
    "words/histogram/release.py",
    "words/vocabulary/release.py",
    "words/vocabulary/desks.py",
    "words/beliefs/estimation.py",
    "words/rivals/side_by_side.py",
]
PUBLIC_OF_TABLES = {
    "ends",
    "holders",
    "public_holders",
    "by",
    "n",
    "table",
    "messages",
    "bounded",
    "assumptions",
}
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
        attribute
        for attribute in arrays
        if attribute in {"indptr", "indices", "_meter", "_noise", "_notes", "_asked"}
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


PAGE = Path(__file__).parent.parent / "docs" / "architecture.md"
MOST_MODULES = 13
SHARED = {"page", "release", "_kernels"}  # the same thing in different parts; any other name is there once
NO_MODULES = {"migrations"}  # Alembic's own files


def blocks() -> list[list[str]]:
    """Return the fenced blocks of the page, line by line."""
    return [block.splitlines()[1:] for block in PAGE.read_text(encoding="utf-8").split("```")[1::2]]


def drawn_tree() -> tuple[dict[str, set[str]], dict[str, str]]:
    """Return the modules of each folder as the page draws them, and what it says a folder is for.

    Two blanks of indentation are one level. Names come first, whatever follows two blanks is prose.
    """
    modules: dict[str, set[str]] = {}
    purpose: dict[str, str] = {}
    path: list[str] = []
    for line in next(block for block in blocks() if block[0].startswith("src/entrenous/")):
        names, _, prose = line.strip().partition("  ")
        depth = (len(line) - len(line.lstrip())) // 2
        if names.endswith("/"):
            path = [*path[: depth - 1], names.strip("/")] if depth else []
            folder = "/".join(path)
            modules[folder], purpose[folder] = set(), prose.strip()
        else:
            modules["/".join(path[: depth - 1])] |= set(names.split())
    return modules, purpose


def real_tree() -> dict[str, set[str]]:
    """Return the modules of each folder of the source."""
    modules: dict[str, set[str]] = {}
    for file in map(Path, FILES):
        if not NO_MODULES & set(file.parts):
            folder = file.parent.as_posix()
            stems = modules.setdefault("" if folder == "." else folder, set())
            stems |= {file.stem} - {"__init__", "__main__"}
    return modules


def commands(modules: dict[str, set[str]]) -> set[str]:
    """Return the modules of `cli`, which are named after their commands."""
    return {f"cli/{stem}" for stem in modules["cli"]}


def crowded(modules: dict[str, set[str]]) -> list[str]:
    """Return what keeps a folder from being a table of contents: too many modules, or three with one prefix."""
    found = [folder for folder, stems in modules.items() if len(stems) > MOST_MODULES]
    for folder, stems in modules.items():
        prefixes = Counter(stem.lstrip("_").split("_")[0] for stem in stems)
        found += [f"{folder}/{prefix}_*" for prefix, count in prefixes.items() if count > 2]
    return found


def namesakes(modules: dict[str, set[str]]) -> list[str]:
    """Return the names that two modules have."""
    places = [f"{folder}/{stem}" for folder, stems in modules.items() for stem in stems - SHARED]
    seen = Counter(place.rpartition("/")[2] for place in places if place not in commands(modules))
    return [stem for stem, count in seen.items() if count > 1]


def test_the_page_draws_the_tree_as_it_is() -> None:
    drawn, real = drawn_tree()[0], real_tree()
    errands = [f"add the folder {folder}/" for folder in real.keys() - drawn.keys()]
    errands += [f"take out the folder {folder}/" for folder in drawn if not (SOURCE / folder).is_dir()]
    for folder in real.keys() & drawn.keys():
        errands += [f"under {folder}/ add {module}" for module in real[folder] - drawn[folder]]
        errands += [f"under {folder}/ take out {module}" for module in drawn[folder] - real[folder]]
    assert not errands, "docs/architecture.md, the tree: " + "; ".join(sorted(errands))


def test_the_page_says_what_every_folder_is_for() -> None:
    assert [folder for folder, prose in drawn_tree()[1].items() if not prose] == []


def test_the_page_has_the_rows_and_doors_that_are_enforced() -> None:
    rows = next(block for block in blocks() if block[0] == "cli")
    assert [set(row.split(" · ")) for row in rows] == ROWS
    table = re.findall(r"^\| (\w+) \| (`[^|]*`) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {package: re.findall(r"`([^`]+)`", doors) for package, doors in table} == DOORS


def test_a_folder_is_a_table_of_contents() -> None:
    assert crowded(real_tree()) == []
    assert namesakes(real_tree()) == []


def test_crowds_and_namesakes_are_noticed() -> None:
    full = {"cli": {"a"}, "words": {f"m{number}" for number in range(MOST_MODULES + 1)}}
    assert crowded(full) == ["words"]
    assert crowded({"cli": set(), "a": {"b_one", "b_two", "_b_three", "c"}}) == ["a/b_*"]
    assert namesakes({"cli": {"budget"}, "": {"budget", "noise"}, "a": {"noise", "page"}, "b": {"page"}}) == [
        "noise"
    ]
