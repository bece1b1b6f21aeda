"""The picture is well-formed, complete and readable without eyes."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from entrenous import access
from entrenous.access.item_files import examples

SVG = "{http://www.w3.org/2000/svg}"


def drawn(item: access.Item) -> ET.Element:
    return ET.fromstring(access.draw(item, access.decide(item)))


@pytest.mark.parametrize("name", examples())
def test_every_example_can_be_drawn(name: str) -> None:
    item = access.read_example(name)
    root = drawn(item)
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert set(item.people) <= set(words)
    assert root.get("role") == "img"
    described = root.findtext(f"{SVG}desc") or ""
    assert all(who in described for who in item.people)


def test_before_after_and_weights_are_there() -> None:
    root = drawn(access.read_example("thesis-oc"))
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert root.findtext(f"{SVG}title") == "friends-of-friends (consensus)"
    assert "5 → 4.4" in words
    assert sorted(word for word in words if word and word.endswith("%")) == [
        "20%",
        "25%",
        "25%",
        "40%",
        "50%",
    ]
    frames = [
        rect.get("class") for rect in root.iter(f"{SVG}rect") if rect.get("class", "").startswith("card")
    ]
    assert frames == ["card accepts"] * 4


def test_everything_is_inside_and_cards_do_not_overlap() -> None:
    for n in range(1, 13):
        wishes = {f"p{k}": {"friends": 3, "friends-of-friends": 2, "public": 1} for k in range(n)}
        root = drawn(access.Item(wishes, {}))
        width, height = float(root.get("width", 0)), float(root.get("height", 0))
        cards = [
            tuple(float(rect.get(key, 0)) for key in ("x", "y", "width", "height"))
            for rect in root.iter(f"{SVG}rect")
            if rect.get("class", "").startswith("card")
        ]
        assert len(cards) == n
        for k, (x, y, w, h) in enumerate(cards):
            assert x >= 0
            assert y >= 60
            assert x + w <= width
            assert y + h <= height - 40
            for x2, y2, w2, h2 in cards[:k]:
                assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_names_cannot_break_the_picture() -> None:
    wishes = {"<script>": {"friends": 3, "friends-of-friends": 2, "public": 1}, 'a"&\x00\n': None}
    root = drawn(access.Item(wishes, {"<script>": {'a"&\x00\n': 1.0}}))
    assert not list(root.iter(f"{SVG}script"))
    assert "no answer" in [text.text for text in root.iter(f"{SVG}text")]


def test_it_stands_alone() -> None:
    item = access.read_example("limits")
    picture = access.draw(item, access.decide(item))
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")
    assert "limit: friends" in picture
