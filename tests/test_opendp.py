"""Our statistics as measurements of OpenDP: the price is the map, and nothing comes out that was not paid for."""

from __future__ import annotations

from typing import Any

import opendp.prelude as dp
import pytest
from tests.statistics.questions import Asking, Conditional, Entries

from entrenous.errors import PrivacyError
from entrenous.opendp import distance, domain, measurement, transformation
from entrenous.price import Price
from entrenous.statistic import Noted


def filtered(epsilon: float, data: list[int]) -> Any:
    odometer = dp.c.make_fully_adaptive_composition(domain(list), distance(), dp.max_divergence())
    return dp.c.make_privacy_filter(odometer, d_in=1, d_out=epsilon)(data)


def test_the_map_is_the_price_for_every_number_of_units() -> None:
    entries = measurement(Entries(0.25))
    assert [entries.map(units) for units in (1, 2, 4)] == [0.25, 0.5, 1.0]
    assert len(entries([1, 2, 3])) == 3


def test_one_of_ours_is_counted_beside_one_of_theirs() -> None:
    theirs = transformation(len, stability=1, kind=list) >> dp.m.then_laplace(scale=4.0)
    asked = filtered(0.5, [1, 2])
    asked(measurement(Entries(0.25)))
    asked(theirs)
    assert asked.privacy_loss(1) == pytest.approx(0.5)
    with pytest.raises(dp.OpenDPException, match="would exceed privacy budget"):
        asked(theirs)


def test_notes_for_the_curator_stay_behind() -> None:
    noted = Asking(Price(epsilon=0.1), lambda data: Noted(len(data), {"secret": data}))
    assert measurement(noted)([1, 2]) == 2


def test_what_a_map_cannot_say_is_refused() -> None:
    with pytest.raises(PrivacyError, match="conditional on the weather"):
        measurement(Conditional(Price(epsilon=1.0)))
    with pytest.raises(PrivacyError, match="expected a pure epsilon"):
        measurement(Asking(Price(mu=1.0)))


def test_many_units_move_a_count_further() -> None:
    counted = transformation(len, stability=2, kind=list)
    assert [counted.map(units) for units in (0, 1, 3)] == [0, 2, 6]
