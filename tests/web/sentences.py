"""Every sentence people and programs read from the service, taken out of its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import entrenous.web
from entrenous.access.insight import sealed_words

WEB = Path(entrenous.web.__file__).parent
SPOKEN = ("http/phrases.py", "delivery/notices.py", "delivery/outbox.py", "identity/tokens.py")
"""Files whose texts are shown to people: their strings, but for docstrings."""

BLOCKS = (
    r"p|h[1-6]|li|dt|dd|label|legend|summary|button|option|section|div|form|fieldset|th|td|figcaption|title|blockquote"
    r"|a class=\"button"
)
_BLOCK = re.compile(rf"</?(?:{BLOCKS})\b[^>]*>|<span class=\"(?:hint|hidden)\">")
_ENDS = re.compile(r"(?<=[.!?:;])\s+|\n")


def sentences() -> dict[str, str]:
    """Return every sentence with the file it stands in."""
    found: dict[str, str] = {}
    for file in sorted(WEB.glob("templates/*.html")):
        for sentence in _split(_without_markup(file.read_text())):
            found.setdefault(sentence, f"templates/{file.name}")
    for name in SPOKEN:
        for text in strings(ast.parse((WEB / name).read_text())):
            for sentence in _split(text):
                found.setdefault(sentence, name)
    for file in sorted((WEB / "api").glob("*.py")):
        for text in descriptions(ast.parse(file.read_text())):
            for sentence in _split(text):
                found.setdefault(sentence, f"api/{file.name}")
    for text in strings(ast.parse(Path(sealed_words.__file__).read_text())):
        for sentence in _split(text):
            found.setdefault(sentence, "access/insight/sealed_words.py")
    return found


def _without_markup(text: str) -> str:
    """Return the words of a template, one block a line; what is filled in is `…`, choices stand side by side."""
    text = re.sub(r"\{#.*?#\}", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    text = _BLOCK.sub("\n", text)
    text = re.sub(r"\{\{.*?\}\}", _filled_in, text)
    text = re.sub(r"\{% (?:block|macro|endblock|endmacro|for|endfor)\b.*?%\}", "\n", text)
    text = re.sub(r"\{%.*?%\}", " ", text)
    return re.sub(r"<[^>]*>", "", text)


def _filled_in(found: re.Match[str]) -> str:
    """Return the words inside an expression, such as the label of a button or either side of a condition, or `…`."""
    texts = (double or single for double, single in re.findall(r"\"([^\"]*)\"|'([^']*)'", found[0]))
    return " ".join(text for text in texts if " " in text.strip()) or "…"


def strings(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a module that are no docstrings; what is filled in is `…`."""
    documents = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    inside = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) not in documents and id(node) not in inside and " " in node.value:
            yield node.value


def descriptions(tree: ast.AST) -> Iterator[str]:
    """Yield what OpenAPI says: docstrings of routes and bodies, and descriptions of fields."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.decorator_list:
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            text = ast.get_docstring(node)
            if text:
                yield re.sub(r"(?<!\n)\n(?!\n)", " ", text)
        if (
            isinstance(node, ast.keyword)
            and node.arg == "description"
            and isinstance(node.value, ast.Constant)
        ):
            yield node.value.value


def _split(text: str) -> Iterator[str]:
    for sentence in _ENDS.split(text):
        clean = re.sub(r"\s+", " ", sentence).strip(" ,·")
        if re.search(r"[a-zA-Z]{2}", clean):
            yield clean
