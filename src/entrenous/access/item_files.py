"""Items in files: TOML, JSON and, with PyYAML, YAML; and the worked examples that come with the package.

All three hold the one format of `Item.from_dict`. A name that stands twice in a table is refused in every
format: which of two answers a person meant is not for a parser to decide.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from entrenous.access.item import Item
from entrenous.errors import ArgumentError, FormatError, MissingDataError, MissingExtraError

__all__ = ["examples", "read_example", "read_item"]


def read_item(path: str | Path) -> Item:
    """Return the item in a `.toml`, `.json`, `.yaml` or `.yml` file.

    Raises
    ------
    MissingDataError
        If there is no such file.
    FormatError
        If the file cannot be read, with the line where that is known.
    ArgumentError
        If it reads, but a field is out of its range.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingDataError(f"{path.name}: expected a file; found none. Check the path")
    parse = _PARSERS.get(path.suffix.lower())
    if parse is None:
        raise FormatError(f"expected one of {', '.join(_PARSERS)} as the file's ending", file=path.name)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError("expected text in UTF-8; save the file in that encoding", file=path.name) from error
    except OSError as error:
        raise MissingDataError(f"{path.name}: the file cannot be opened. Check its permissions") from error
    return Item.from_dict(parse(text, path.name))


def examples() -> tuple[str, ...]:
    """Return the names of the worked examples.

    >>> "thesis-oc" in examples()
    True
    """
    return tuple(sorted(_example_files()))


def read_example(name: str) -> Item:
    """Return a worked example by name.

    >>> from entrenous.access import decide
    >>> decide(read_example("thesis-second-round")).choice
    'friends'
    """
    files = _example_files()
    if name not in files:
        raise ArgumentError("name", f"expected one of {', '.join(sorted(files))}")
    return read_item(files[name])


def _example_files() -> dict[str, Path]:
    folder = Path(str(resources.files("entrenous.access") / "examples"))
    return {path.stem: path for path in folder.iterdir() if path.suffix in _PARSERS}


def _parse_toml(text: str, file: str) -> Any:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # The parser's own message may quote the file; only the place is taken from it.
        place = re.search(r"at line (\d+)", str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        raise FormatError("expected valid TOML with every name once", line=line, file=file) from None
    except (RecursionError, ValueError):
        raise FormatError("expected fewer levels of nesting and shorter numbers", file=file) from None


def _parse_json(text: str, file: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            raise FormatError("expected every name once in a table; remove the second", file=file)
        return table

    try:
        return json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise FormatError("expected valid JSON", line=error.lineno, file=file) from None
    except (RecursionError, ValueError):
        raise FormatError("expected fewer levels of nesting and shorter numbers", file=file) from None


def _parse_yaml(text: str, file: str) -> Any:
    try:
        import yaml
    except ImportError:
        raise MissingExtraError("yaml", "reading YAML") from None

    class OnceLoader(yaml.SafeLoader):  # type: ignore[misc, unused-ignore]
        """PyYAML's safe loader, except that a name twice in a table is an error instead of the last one."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            table: dict[Any, Any] = super().construct_mapping(node, deep=deep)
            if len(table) < len(node.value):
                line = node.start_mark.line + 1
                raise FormatError(
                    "expected every name once in a table; remove the second", line=line, file=file
                )
            return table

    try:
        return yaml.load(text, Loader=OnceLoader)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else None
        raise FormatError("expected valid YAML", line=line, file=file) from None
    except (RecursionError, ValueError, LookupError, AttributeError, TypeError):  # PyYAML on odd tags
        raise FormatError("expected fewer levels of nesting and plain values", file=file) from None


_PARSERS: dict[str, Callable[[str, str], Any]] = {
    ".json": _parse_json,
    ".toml": _parse_toml,
    ".yaml": _parse_yaml,
    ".yml": _parse_yaml,
}
