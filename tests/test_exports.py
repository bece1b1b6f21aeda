"""What is public is one list; every exported name exists and says what it does."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import ModuleType

import pytest

import entrenous

#: All that users may rely on. Whoever adds or removes a name does it here as well, and in the change log.
PUBLIC = {
    "entrenous": """
        Budget Graph Guarantee Release Report Vault __version__ access attack datasets links
        network words
    """,
    "entrenous.vault": "Budget Entry FACTS Fact Order Payment Vault pay",
    "entrenous.network": "MECHANISMS diagnosed release",
    "entrenous.links": """
        Obfuscation compare consensus ego_entropy exposure fit frontier generalize
        generalized_entropy joint_entropy obfuscate
    """,
    "entrenous.words": """
        Binomial Chain Conditional Corpus Directory Distribution Global Group Histogram Independent Latent
        PublicEdges Vocabulary compare histogram idf key_phrases tf_idf vocabulary
    """,
    "entrenous.access": """
        CHOICES Consensus Decision ENGINE Item StrongMajority capped_peers compare decide draw
        explain key_players may_see mediate mediate_batch mediate_sparse mediate_viewers own_line
        pivotality read_example read_item sealed_reason second_round
    """,
    "entrenous.attack": """
        Finding Groups Replay allowed_auc attackers audit audit_settings broadcasts disclose_mail disclosures
        guess_edges infer_edge known_links linkage low_bits manipulate planted_letters planted_ties
        releases_allowed replay replay_correlation replay_histogram replay_vocabulary replays settings
        side_channels tempted
    """,
    "entrenous.datasets": "karate_club karate_factions organization",
    "entrenous.graph": "Graph compare measure",
    "entrenous.hrg": "Clipped Dendrogram Published diagnose run sample",
    "entrenous.desk": "Desk desk",
    "entrenous.statistic": "Counts Noted Statistic",
    "entrenous.opendp": "distance domain measurement transformation",
}
MODULES = ["entrenous", *(found.name for found in pkgutil.walk_packages(entrenous.__path__, "entrenous."))]


@pytest.mark.parametrize("name", PUBLIC)
def test_the_public_surface_is_as_written_here(name: str) -> None:
    assert sorted(importlib.import_module(name).__all__) == PUBLIC[name].split()


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
