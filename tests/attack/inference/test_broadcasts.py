"""A message to many is published where it counts on each of its edges, and not where a unit covers it."""

from __future__ import annotations

import pytest

from entrenous.attack.inference.broadcasts import broadcasts
from entrenous.errors import ArgumentError
from entrenous.unit import Unit


@pytest.mark.long
def test_a_broadcast_is_published_under_edge_content_and_under_no_unit_that_covers_it() -> None:
    limit, *hidden = broadcasts(trials=20, rng=4)
    assert (limit.unit, limit.stated, limit.verdict) == ("edge-content", None, "nothing promised")
    assert limit.details["phrases published"] > 0.9
    assert limit.measured > 1.0
    covering = {str(unit) for unit in Unit.all() if unit.factor(Unit.MESSAGE) == 1}
    assert {found.unit for found in hidden} == covering
    for found in hidden:
        assert found.stated == 3.0
        assert not found.broken
        assert found.details["phrases published"] < 0.1


def test_what_is_promised_must_be_a_promise() -> None:
    for wrong in ({"epsilon": 0.0}, {"delta": 0.0}, {"trials": 1}):
        with pytest.raises(ArgumentError, match=next(iter(wrong))):
            broadcasts(**wrong)  # type: ignore[arg-type]
