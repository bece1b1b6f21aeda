"""What the documents say is so: their Python runs, their links lead somewhere, what they name exists."""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from entrenous import attack
from entrenous.cli import app

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
DEMO = ROOT / "examples" / "demo.py"
EXAMPLES = sorted({*ROOT.glob("examples/*.py")} - {DEMO})
PACKAGE = ROOT / "src" / "entrenous"
#: What only a reader's machine has.
WRITTEN = {"public/", "dist/", "private/", "entrenous.db", "entrenous.env", "entrenous.service"}


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", document.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


@pytest.mark.documents
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_python_runs(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(document, "python"):
        exec(compile(block, document.name, "exec"), names)


def anchors(document: Path) -> set[str]:
    """The places of a document that a link may lead to: headings, as they are shown on the web, and anchors."""
    text = document.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target, place in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", document.read_text(encoding="utf-8")):
        if "://" not in target:
            linked = document.parent / target if target else document
            assert linked.exists(), target
            assert not place or place in anchors(linked), f"{target}#{place}"


@pytest.mark.parametrize(
    "document", [d for d in DOCUMENTS if d.name != "CHANGELOG.md"], ids=lambda path: path.name
)
def test_files_and_names_exist(document: Path) -> None:
    """`some/module.py`, `some/folder/` and `entrenous.some.name` are there; a change log tells what was."""
    places = [ROOT, PACKAGE, PACKAGE / document.stem]  # a page may speak of its own part alone
    anywhere = [*PACKAGE.glob("**"), *ROOT.glob("tests/**")]
    for code in re.findall(r"`([^`\n]+)`", document.read_text(encoding="utf-8")):
        for path in re.findall(r"(?:[\w.]+/)*[\w*]+\.py\b", code):
            inside = places if "/" in path else anywhere
            assert any(next(place.glob(path), None) for place in inside), path
        if re.fullmatch(r"(?:\w+/)+", code) and code not in WRITTEN:
            assert any((place / code).is_dir() for place in places), code
        for dotted in re.findall(r"\bentrenous(?:\.\w+)+", code):
            assert dotted in WRITTEN or named(dotted), dotted


def named(dotted: str) -> bool:
    """Whether a module, or something in a module, has this name."""
    path, _, last = dotted.rpartition(".")
    try:
        return hasattr(importlib.import_module(path), last) or bool(importlib.import_module(dotted))
    except ModuleNotFoundError:
        return False


def test_names_that_are_gone_are_noticed() -> None:
    assert named("entrenous.network.release")
    assert named("entrenous.desk.Desk")
    assert not named("entrenous.network.owner")
    assert not named("entrenous.report.plots")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_and_their_options_exist(document: Path) -> None:
    for block in blocks(document, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] != ["entrenous"]:
                continue
            command = get_command(app)
            rest = words[1:]
            while hasattr(command, "commands"):
                assert rest[0] in command.commands, line
                command = command.commands[rest.pop(0)]
            known = {option for parameter in command.params for option in parameter.opts}
            assert {word for word in rest if word.startswith("--")} <= known, line


@pytest.mark.documents
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(example: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, example], cwd=tmp_path, check=True, capture_output=True)


@pytest.mark.documents
def test_the_demo_runs_and_leaves_every_page_it_links_to(tmp_path: Path) -> None:
    subprocess.run([sys.executable, DEMO, tmp_path / "demo"], check=True, capture_output=True)
    pages = re.findall('href="(.+?)"', (tmp_path / "demo" / "index.html").read_text(encoding="utf-8"))
    assert pages
    assert [page for page in pages if not (tmp_path / "demo" / page).is_file()] == []


def test_no_document_names_a_machine() -> None:
    for document in DOCUMENTS:
        assert str(ROOT.parent) + "/" not in document.read_text(encoding="utf-8")


def test_the_audit_tries_every_promise_by_the_names_in_the_documents() -> None:
    """In the table of promises `... slots` after `network: owner, size` is short for `network: owner, slots`."""
    mentioned, what = set(), ""
    for name in re.findall(
        r"`((?:network: |words: |\.\.\. )[^`]+)`", (ROOT / "docs/guarantees.md").read_text()
    ):
        what = what if name.startswith("... ") else name.partition(", ")[0]
        mentioned.add(name.replace("...", f"{what},") if name.startswith("... ") else name)
    assert mentioned == set(attack.settings())
    measured = re.findall(r"^\| `(\w+: [^`]+)`", (ROOT / "docs/attack.md").read_text(), re.MULTILINE)
    assert set(measured) == set(attack.settings())
