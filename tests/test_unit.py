"""Units: one registry, and what a promise for one says about another."""

from __future__ import annotations

import pytest

from entrenous.errors import ArgumentError
from entrenous.unit import Unit


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
