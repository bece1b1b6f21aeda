"""Units: one registry, and what a promise for one says about another."""

from __future__ import annotations

from itertools import product

import pytest

from entrenous.errors import ArgumentError
from entrenous.unit import PARTS, Unit


def test_a_unit_is_found_by_its_name_and_stays_the_same_object() -> None:
    assert all(Unit.named(str(unit)) is unit for unit in Unit.all())
    assert Unit.named(Unit.EDGE) is Unit.EDGE
    with pytest.raises(ArgumentError, match=r"unit: expected one of .*edge.*got 'village'"):
        Unit.named("village")


def test_a_name_is_given_once() -> None:
    with pytest.raises(ArgumentError, match="is a unit already"):
        Unit.register("edge", "anything")


def test_replacing_is_removing_and_adding() -> None:
    assert Unit.SENDER.factor(Unit.REPLACED_SENDER) == 2
    assert Unit.REPLACED_SENDER.factor(Unit.SENDER) == 1
    assert Unit.EDGE.factor(Unit.EDGE) == 1
    assert Unit.EDGE.factor(Unit.EDGE_CONTENT) is None


def test_implications_name_units() -> None:
    assert {name for unit in Unit.all() for name in unit.implies} <= {str(unit) for unit in Unit.all()}


@pytest.mark.parametrize("unit", Unit.all(), ids=str)
def test_a_change_touches_known_parts_and_amounts_to_known_units(unit: Unit) -> None:
    assert unit.parts
    assert set(unit.parts) <= set(PARTS)
    assert set(unit.parts.values()) <= {str(each) for each in Unit.all()}


def test_who_is_tied_is_no_part_of_what_is_written() -> None:
    assert dict(Unit.EDGE.parts) == {"ties": "edge", "contents": "edge-content"}
    others = [unit for unit in Unit.all() if unit != Unit.EDGE]
    assert all(dict(unit.parts) == {"contents": str(unit)} for unit in others)


def test_a_unit_that_says_nothing_of_parts_touches_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entrenous.unit._REGISTRY", {})
    assert dict(Unit.register("person", "anything").parts) == dict.fromkeys(PARTS, "person")


def test_two_people_write_on_an_edge() -> None:
    """Its content is added or removed by changing what both wrote: each is removed once and added once."""
    assert Unit.SENDER.factor(Unit.EDGE_CONTENT) == 4
    assert Unit.SENDER.factor(Unit.REPLACED_CONTENT) == 4
    assert Unit.REPLACED_SENDER.factor(Unit.EDGE_CONTENT) == 2
    assert Unit.REPLACED_SENDER.factor(Unit.REPLACED_CONTENT) == 2
    assert Unit.EDGE_CONTENT.factor(Unit.SENDER) is None


def test_no_detour_by_another_unit_says_more_than_the_direct_way() -> None:
    for first, by, last in product(Unit.all(), repeat=3):
        direct, there, on = first.factor(last), first.factor(by), by.factor(last)
        if None not in (direct, there, on):
            assert 1 <= direct <= there * on, (first, by, last)


def test_to_hide_a_part_does_not_hide_the_whole() -> None:
    """A message is less than its thread, and less than what passed on its edge, or what its sender wrote."""
    larger = (Unit.THREAD, Unit.EDGE_CONTENT, Unit.SENDER, Unit.EDGE_AND_MESSAGE, Unit.ALL_OF_MAIL)
    assert all(Unit.MESSAGE.factor(each) is None for each in larger)
    assert Unit.EDGE_AND_MESSAGE.factor(Unit.THREAD) is None
    assert Unit.THREAD.factor(Unit.SENDER) is None
