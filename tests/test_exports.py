"""Every exported name exists, and whatever is public says what it does."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import ModuleType

import pytest

import entrenous

MODULES = ["entrenous", *(found.name for found in pkgutil.walk_packages(entrenous.__path__, "entrenous."))]


def own_exports(module: ModuleType) -> list[object]:
    """The classes and functions that a module exports and defines itself."""
    exported = [getattr(module, name) for name in getattr(module, "__all__", ())]
    return [
        item
        for item in exported
        if (inspect.isclass(item) or inspect.isfunction(item)) and item.__module__ == module.__name__
    ]


@pytest.mark.parametrize("name", MODULES)
def test_exports_exist_once_and_are_documented(name: str) -> None:
    module = importlib.import_module(name)
    exports = list(getattr(module, "__all__", ()))
    assert [item for item in exports if not hasattr(module, item)] == []
    assert len(set(exports)) == len(exports)
    assert module.__doc__
    for item in own_exports(module):
        assert inspect.getdoc(item), item
        if inspect.isclass(item):
            members = {key: value for key, value in vars(item).items() if not key.startswith("_")}
            silent = [
                key
                for key, value in members.items()
                if (callable(value) or isinstance(value, property | classmethod | staticmethod))
                and not inspect.getdoc(getattr(item, key))
            ]
            assert silent == [], item


def test_first_names_load_on_first_use() -> None:
    assert set(dir(entrenous)) == set(entrenous.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = entrenous.nothing
