from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from tests.page.pages import TRACE, Structure, blurred, release_of

from entrenous.card import Provenance
from entrenous.datasets import karate_club, organization
from entrenous.errors import MissingDataError, MissingExtraError, PrivacyError
from entrenous.graph import Graph
from entrenous.guarantee import NODES_LISTED, Guarantee
from entrenous.page import Report
from entrenous.release import Release

CANARY = "<script>alert('ann & bob')</script>"
STAMP = "not private: drawn from a known seed"


@pytest.fixture(scope="module")
def released() -> Graph:
    club = karate_club()
    names = [CANARY, *(club.names or ())[1:]]
    return Graph.from_edges(blurred(club).edges(), n=club.n, names=names)


@pytest.fixture(scope="module")
def published(released: Graph) -> str:
    return Report.of_release(release_of(released)).html


def test_the_card_says_what_is_promised(published: str) -> None:
    sentence = " ".join(Guarantee(1.0).sentence.split())
    assert sentence in " ".join(published.split())
    assert NODES_LISTED in published
    assert "owner" in published
    assert STAMP not in published


def test_no_guarantee_is_said_plainly(released: Graph) -> None:
    html = Report.of_release(Release(released, None, Provenance("obfuscate"))).html
    assert "No formal guarantee" in html


def test_the_page_is_sound_and_loads_nothing(published: str) -> None:
    structure = Structure(published)
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", published)
    assert {"script", "link", "img", "iframe", "object"}.isdisjoint(structure.tags)
    assert all(address.startswith("#") for address in structure.addresses)
    assert len(set(structure.ids)) == len(structure.ids)
    assert {address[1:] for address in structure.addresses} <= set(structure.ids)


def test_pictures_have_titles_and_keep_their_texts(published: str) -> None:
    pictures = re.findall(r"<svg.*?</svg>", published, flags=re.DOTALL)
    assert len(pictures) == 4
    assert all('role="img"' in picture and "<title id=" in picture for picture in pictures)
    assert "ties of a node" in published


def test_names_are_escaped(published: str) -> None:
    assert CANARY not in published
    assert "&lt;script&gt;" in published


def test_a_rehearsal_carries_its_stamp(released: Graph) -> None:
    assert STAMP in Report.of_release(release_of(released, rehearsal=True)).html


def test_the_published_page_does_not_depend_on_the_private_half(released: Graph, published: str) -> None:
    secrets = {"trace": TRACE, "note": "the curator's secret"}
    assert Report.of_release(release_of(released, **secrets)).html == published


def test_a_saved_folder_gives_the_same_card(released: Graph, tmp_path: Path) -> None:
    plain = karate_club().with_edges(released.edges())
    release_of(plain).save(tmp_path / "public")
    html = Report.of_folder(tmp_path / "public").html
    for text in (NODES_LISTED, "graph.edges", "nodes.txt", "guarantee.json", f"{plain.m} ties"):
        assert text in html


def test_a_folder_without_a_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError):
        Report.of_folder(tmp_path)


def test_the_curators_page_is_not_saved_into_a_release(tmp_path: Path) -> None:
    club = karate_club()
    release = release_of(blurred(club))
    folder = release.save(tmp_path / "public")
    report = Report.comparison(club, release)
    with pytest.raises(PrivacyError):
        report.save(folder / "report.html")
    page = report.save(tmp_path / "curator.html")
    assert page.read_text(encoding="utf-8") == report.html
    assert page.stat().st_mode & 0o077 == 0  # its owner alone
    assert not list(folder.glob("*.html"))


def test_a_published_page_may_join_its_release(tmp_path: Path) -> None:
    release = release_of(blurred(karate_club()))
    folder = release.save(tmp_path / "public")
    report = Report.of_folder(folder)
    page = report.save(folder / "report.html")
    assert page.read_text(encoding="utf-8") == report.html
    assert page.stat().st_mode == (folder / "card.md").stat().st_mode  # as public as the rest


def test_without_matplotlib_the_error_says_what_to_install(
    released: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"entrenous\[plots\]"):
        Report.of_release(release_of(released))


def test_the_users_own_plot_style_stays_as_it_was(released: Graph) -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    Report.of_release(release_of(released))
    assert dict(mpl.rcParams) == before


@pytest.mark.long
def test_the_same_release_gives_the_same_page() -> None:
    graph = organization(200, seed=1).graph
    assert Report.of_release(release_of(graph)).html == Report.of_release(release_of(graph)).html
