"""Every draw of privacy noise names its proof, and every proof in docs/guarantees.md is relied upon somewhere."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import entrenous
from entrenous.statistic import Counts, Statistic

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "entrenous"
#: Where statistics live: all code that sees private data and noise together, and the class they share.
ROOMS = ["network/statistics", "words/statistics", "words/rivals/statistics"]
FILES = [SOURCE / "statistic.py", *(file for room in ROOMS for file in sorted((SOURCE / room).glob("*.py")))]
DRAWS = {"geometric", "gaussian", "words", "chain_generator"}
PROOF = re.compile(r"(?<!`)# proof: ([\w-]+)")


def proved() -> set[str]:
    """The anchors of docs/guarantees.md: each stands at one proof."""
    anchors = re.findall(r'<a id="([^"]+)">', (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8"))
    assert len(anchors) == len(set(anchors)), "an anchor stands twice"
    return set(anchors)


def relied_upon() -> set[str]:
    """The anchors that code names in a comment."""
    return {name for file in SOURCE.rglob("*.py") for name in PROOF.findall(file.read_text(encoding="utf-8"))}


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield statements that hold no others, and whole functions that say how far one unit moves an answer."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and (not hasattr(node, "body") or _is_sensitivity(node)):
            yield node


def _is_sensitivity(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "sensitivity"


def unproved(source: str) -> list[str]:
    """Return the statements that draw noise, or say how far one unit moves an answer, and name no proof."""
    lines = source.splitlines()
    found = []
    for statement in statements(ast.parse(source)):
        draws = any(
            isinstance(node, ast.Attribute)
            and node.attr in DRAWS
            and isinstance(node.value, ast.Name)
            and node.value.id == "noise"
            for node in ast.walk(statement)
        )
        moves = (
            isinstance(statement, ast.AnnAssign)
            and ast.unparse(statement.target) == "stability"
            and statement.value is not None
            and ast.unparse(statement.value) != "{}"
        )
        text = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
        if (draws or moves or _is_sensitivity(statement)) and not PROOF.search(text):
            found.append(lines[statement.lineno - 1].strip())
    return found


def every_statistic() -> list[type[Statistic[object, object]]]:
    """Return all statistics that can be asked."""
    for room in ROOMS:
        package = importlib.import_module(f"entrenous.{room.replace('/', '.')}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    classes, found = [Statistic], []
    while classes:
        for each in classes.pop().__subclasses__():
            classes.append(each)
            if each.__module__.startswith(entrenous.__name__) and not inspect.isabstract(each):
                found.append(each)
    return found


def test_anchors_lead_both_ways() -> None:
    assert relied_upon() - proved() == set(), "named in code, proved nowhere"
    assert proved() - relied_upon() == set(), "proved, and no code relies on it"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(SOURCE).as_posix())
def test_every_draw_names_its_proof(file: Path) -> None:
    assert unproved(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("statistic", every_statistic(), ids=lambda each: each.__name__)
def test_every_statistic_names_its_proof(statistic: type[Statistic[object, object]]) -> None:
    assert statistic.proof in proved()
    source = inspect.getsource(inspect.getmodule(statistic))  # type: ignore[arg-type]
    assert statistic.proof in PROOF.findall(source), "no line of its module relies on its proof"


def test_a_draw_without_a_proof_is_noticed() -> None:
    assert unproved("x = noise.geometric(\n    counts, sensitivity=1, epsilon=1.0\n)") == [
        "x = noise.geometric("
    ]
    assert unproved("x = noise.words(3)  # proof: slots") == []
    assert unproved("class A:\n    stability: dict = {1: 1}") == ["stability: dict = {1: 1}"]
    assert unproved("def sensitivity(self, unit):\n    return 4") == ["def sensitivity(self, unit):"]


def test_all_statistics_are_found() -> None:
    assert len(every_statistic()) >= 15
    assert Counts not in every_statistic()
