"""The rooms of the service: each imports only those below it, and none is overcrowded."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import entrenous.web

WEB = Path(entrenous.web.__file__).parent
ROWS = [  # every row may import the rows below it; rooms of one row never import each other
    {"app", "demo"},
    {"api", "pages"},
    {"http"},
    {"service"},
    {"delivery", "identity"},
    {"rules"},
    {"store"},
    {"settings"},
]
HEIGHT = {room: -row for row, rooms in enumerate(ROWS) for room in rooms}
FILES = sorted(
    path.relative_to(WEB).as_posix() for path in WEB.rglob("*.py") if "migrations" not in path.parts
)


def room_of(file: str) -> str:
    return file.split("/")[0].removesuffix(".py")


def wrong_rooms(room: str, tree: ast.AST) -> set[str]:
    """Return the rooms that a file imports although they are not below its own."""
    names = [
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    ]
    rooms = {name.split(".")[2] for name in names if name.startswith("entrenous.web.")}
    return {other for other in rooms if other != room and HEIGHT[other] >= HEIGHT[room]}


@pytest.mark.parametrize("file", [file for file in FILES if file != "__init__.py"])
def test_rooms_import_what_is_below_them(file: str) -> None:
    assert wrong_rooms(room_of(file), ast.parse((WEB / file).read_text())) == set()


def test_the_rule_about_rooms_notices_offences() -> None:
    assert wrong_rooms("store", ast.parse("from entrenous.web.rules.states import LIVE")) == {"rules"}
    assert wrong_rooms("rules", ast.parse("def f():\n    from entrenous.web import service")) == {"service"}
    assert wrong_rooms("pages", ast.parse("from entrenous.web import api")) == {"api"}


def test_no_room_is_overcrowded() -> None:
    for folder in {path.parent for path in WEB.rglob("*.py")}:
        modules = [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= 13, folder
