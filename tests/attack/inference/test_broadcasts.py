"""A message to many is published where it counts on each of its edges, and not where a unit covers it."""

from __future__ import annotations

import inspect

import pytest

from entrenous.attack.inference.broadcasts import broadcasts
from entrenous.attack.tools.lower_bound import BEYOND_DOUBT, power
from entrenous.errors import ArgumentError
from entrenous.unit import Unit


@pytest.mark.long
def test_a_broadcast_is_published_under_edge_content_and_under_no_unit_that_covers_it() -> None:
    limit, *hidden = broadcasts(trials=20, rng=4)
    assert (limit.unit, limit.stated, limit.verdict) == ("edge-content", None, "nothing promised")
    assert limit.details["phrases published"] > 0.9
    assert limit.measured > 0.5
    covering = {str(unit) for unit in Unit.all() if unit.factor(Unit.MESSAGE) == 1}
    assert {found.unit for found in hidden} == covering
    for found in hidden:
        assert found.stated == 3.0
        assert not found.broken
        assert found.details["phrases published"] < 0.1


def test_what_is_promised_must_be_a_promise() -> None:
    for wrong in ({"epsilon": 0.0}, {"delta": 0.0}, {"trials": 9}):
        with pytest.raises(ArgumentError, match=next(iter(wrong))):
            broadcasts(**wrong)  # type: ignore[arg-type]


def test_so_many_runs_would_show_a_unit_that_publishes_what_it_hides() -> None:
    runs = inspect.signature(broadcasts).parameters["trials"].default
    assert power(1.0, 0.0, runs, epsilon=3.0, delta=1e-5, confidence=BEYOND_DOUBT) > 0.99
