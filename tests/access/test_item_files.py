"""One format in three notations; whatever cannot be read is refused with its place and without its content."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entrenous import access
from entrenous.access.item_files import examples
from entrenous.errors import ArgumentError, FormatError, InputError, MissingDataError, MissingExtraError


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


TOML = """
[wishes]
ann = { friends = 4, friends-of-friends = 3, public = 0 }
bob = { friends = 4, friends-of-friends = 2, public = 0 }
[peers]
ann = { bob = 0.5 }
"""
YAML = """
wishes:
  ann: {friends: 4, friends-of-friends: 3, public: 0}
  bob: {friends: 4, friends-of-friends: 2, public: 0}
peers:
  ann: {bob: 0.5}
"""


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    item = access.read_item(write(tmp_path, "item.toml", TOML))
    again = access.read_item(write(tmp_path, "item.json", json.dumps(item.to_dict())))
    assert item == again
    assert (
        access.read_item(
            str(write(tmp_path, "bom.json", b"\xef\xbb\xbf" + json.dumps(item.to_dict()).encode()))
        )
        == item
    )


def test_yaml_reads_like_toml(tmp_path: Path) -> None:
    path = write(tmp_path, "item.yaml", YAML)
    assert access.read_item(path) == access.read_item(write(tmp_path, "item.toml", TOML))
    with pytest.raises(FormatError, match="every name once"):
        access.read_item(write(tmp_path, "twice.yml", YAML.replace("  bob: {f", "  ann: {f")))
    with pytest.raises(FormatError, match="line 2"):
        access.read_item(write(tmp_path, "bad.yml", "a: [1,\n"))


def test_yaml_without_pyyaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtraError, match=r"entrenous\[yaml\]"):
        access.read_item(write(tmp_path, "item.yml", YAML))


BAD = {
    "syntax.toml": ("[wishes]\nSECRET = {", FormatError, "syntax.toml, line 2"),
    "twice.toml": ("[wishes]\nSECRET = {}\nSECRET = {}\n", FormatError, "twice.toml, line 3"),
    "syntax.json": ('{"wishes":\n SECRET}', FormatError, "syntax.json, line 2"),
    "twice.json": ('{"wishes": {"SECRET": 1, "SECRET": 2}}', FormatError, "every name once"),
    "deep.json": ("[" * 100_000, FormatError, "nesting"),
    "number.json": ('{"wishes": ' + "9" * 5000 + "}", FormatError, "shorter numbers"),
    "number.toml": ("wishes = " + "9" * 5000, FormatError, "shorter numbers"),
    "tag.yaml": ('wishes: !!int ""', FormatError, "plain values"),
    "bytes.json": (b"\xff\xfe\x00SECRET", FormatError, "UTF-8"),
    "item.txt": ("SECRET", FormatError, "expected one of .json, .toml"),
    "list.json": ("[1]", ArgumentError, "item: expected a table"),
    "empty.json": ("", FormatError, "line 1"),
    "empty.toml": ("", ArgumentError, "wishes"),
    "nan.json": ('{"wishes": {"ann": {"friends": NaN}}}', ArgumentError, r"wishes\.ann\.friends"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(name: str, tmp_path: Path) -> None:
    content, kind, message = BAD[name]
    with pytest.raises(kind, match=message) as caught:
        access.read_item(write(tmp_path, name, content))
    assert "SECRET" not in str(caught.value)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(MissingDataError):
            access.read_item(path)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.binary(max_size=60), st.sampled_from([".toml", ".json"]))
def test_arbitrary_bytes_never_raise_anything_else(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes, end: str
) -> None:
    path = write(tmp_path_factory.getbasetemp(), f"fuzz{end}", raw)
    with pytest.raises(InputError):
        access.read_item(path)


def test_examples() -> None:
    assert {"circles", "limits", "professor", "professor-strict", "thesis-oc", "thesis-oo"} <= set(examples())
    with pytest.raises(ArgumentError, match="expected one of circles"):
        access.read_example("none")
