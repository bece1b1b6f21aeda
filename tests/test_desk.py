"""The desk answers what was paid for, refuses what was not, and lets nothing else out."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest
from tests.statistics.questions import AlsoConditional, Asking, Conditional, Entries

from entrenous.desk import Desk, desk, notes_of
from entrenous.errors import ArgumentError, PrivacyError
from entrenous.guarantee import KNOWN_SEED
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.statistic import Noted
from entrenous.unit import Unit


def pure(epsilon: float, do: Callable[[list[int]], Any] = len) -> Asking:
    return Asking(Price(epsilon=epsilon), do)


def test_answers_are_counted_part_by_part() -> None:
    asked = desk([5, 6], unit="edge", epsilon=1.0, rng=1)
    assert len(asked(Entries(0.25))) == 2
    asked(Entries(0.25))
    asked(pure(0.5))
    assert asked.spent == Price(epsilon=1.0)
    assert asked.parts == {"entries": 0.5, "anything": 0.5}


def test_what_exceeds_the_ceiling_is_not_answered() -> None:
    seen: list[int] = []
    asked = desk([5], unit="edge", epsilon=1.0)
    asked(pure(0.6))
    with pytest.raises(PrivacyError, match=r"anything: asked for epsilon 0\.5, and 0\.4 of 1 is left"):
        asked(pure(0.5, lambda data: seen.append(data[0])))
    assert seen == []
    with pytest.raises(PrivacyError, match="not answered"):
        asked(pure(1e-6))


def test_a_failed_answer_is_paid_for_and_its_error_arrives_unchanged() -> None:
    def fail(_: list[int]) -> None:
        raise KeyError("as it was")

    asked = desk([5], unit="edge", epsilon=1.0)
    with pytest.raises(KeyError, match="as it was"):
        asked(pure(0.7, fail))
    assert asked.parts == {"anything": 0.7}
    with pytest.raises(PrivacyError, match=r"0\.3"):
        asked(pure(0.5))


def test_an_interrupt_passes_through() -> None:
    def interrupt(_: list[int]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        desk([5], unit="edge", epsilon=1.0)(pure(0.7, interrupt))


def test_the_promise_is_the_filters_whatever_was_spent() -> None:
    asked = desk([5], unit="edge", epsilon=2.0, rng=1)
    asked(pure(0.5))
    promise = asked.guarantee(("Something is public.",))
    assert (promise.epsilon, promise.unit) == (2.0, Unit.EDGE)
    assert promise.assumptions == (KNOWN_SEED, "Something is public.")


def test_conditions_of_questions_are_in_the_promise() -> None:
    asked = desk([5], unit="edge", epsilon=1.0)
    assert asked.guarantee().conditional is None
    asked(Conditional(Price(epsilon=0.5)))
    assert asked.guarantee().conditional == "the weather"
    for question in (AlsoConditional, Conditional):
        asked(question(Price(epsilon=0.25)))
    assert asked.guarantee().conditional == "the weather and on the season"


def test_the_price_is_that_of_the_noise() -> None:
    assert Entries(0.3).price(Unit.EDGE).epsilon == pytest.approx(0.3)
    assert Entries(0.3).price(Unit.EDGE).epsilon <= 0.3
    with pytest.raises(ArgumentError, match="entries has no proof for the unit sender"):
        Entries(0.3).price(Unit.SENDER)
    with pytest.raises(ArgumentError, match="no proof"):
        desk([1], unit="sender", epsilon=1.0)(Entries(0.3))


def test_notes_go_to_the_curator_alone() -> None:
    asked = desk([5], unit="edge", epsilon=1.0)
    assert asked(pure(0.5, lambda data: Noted(7, {"trace": data[0]}))) == 7
    assert notes_of(asked) == {"trace": 5}
    assert not hasattr(asked, "notes")


def test_only_statistics_are_answered() -> None:
    with pytest.raises(PrivacyError, match="expected a statistic; got function"):
        desk([5], unit="edge", epsilon=1.0)(lambda data: data)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="folder called statistics"):

        class Rogue(Asking):
            pass


def test_normal_noise_is_counted_by_squares_and_delta() -> None:
    asked = Desk([5], unit=Unit.EDGE_CONTENT, ceiling=Price(mu=0.5, delta=1e-6), noise=Noise())
    asked(Asking(Price(mu=0.3)))
    asked(Asking(Price(mu=0.4, delta=1e-6)))
    assert asked.spent.mu == pytest.approx(0.5)
    with pytest.raises(PrivacyError, match="not answered"):
        asked(Asking(Price(mu=0.01)))
    with pytest.raises(PrivacyError, match="delta"):
        asked(Asking(Price(delta=1e-9)))
    with pytest.raises(PrivacyError, match="no pure promise"):
        asked.guarantee()


def test_the_two_kinds_of_noise_do_not_mix() -> None:
    with pytest.raises(PrivacyError, match="desk of pure epsilon"):
        desk([5], unit="edge", epsilon=1.0)(Asking(Price(mu=0.1)))
    with pytest.raises(PrivacyError, match="desk of normal noise"):
        Desk([5], unit=Unit.EDGE, ceiling=Price(mu=1.0), noise=Noise())(pure(0.1))
    with pytest.raises(ArgumentError, match="ceiling"):
        Desk([5], unit=Unit.EDGE, ceiling=Price(epsilon=1.0, mu=1.0), noise=Noise())


def test_a_desk_keeps_the_data_though_nothing_in_python_leads_to_it() -> None:
    desks = [desk([number] * 50, unit="edge", epsilon=1.0) for number in range(50)]
    gc.collect()
    assert [asked(pure(0.5, lambda data: data[7])) for asked in desks] == list(range(50))


def test_a_unit_made_of_others_needs_no_proof_of_its_own() -> None:
    """Two edges move counts by at most twice what one moves; what knows neither refuses."""
    two = Unit("two-edges", "adding or removing any two edges", made_of={"edge": 2})
    assert Entries(0.5).sensitivity(two) == 4
    assert Entries(0.5).price(two).epsilon == pytest.approx(0.5)
    with pytest.raises(ArgumentError, match="no proof for the unit two-senders"):
        Entries(0.5).sensitivity(Unit("two-senders", "anything", made_of={"sender": 2}))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_desk_is_not_copied(copied: Callable[[Any], Any]) -> None:
    with pytest.raises(PrivacyError, match="a desk is not copied"):
        copied(desk([5], unit="edge", epsilon=1.0))


def test_two_threads_that_ask_at_once_are_charged_one_after_the_other() -> None:
    class Watched:
        """A meter that waits a little for somebody else to come in."""

        def __init__(self) -> None:
            self.inside, self.met, self.other = 0, False, threading.Event()

        def charge(self, price: Price, name: str) -> list[int]:
            self.inside += 1
            if self.inside > 1:
                self.met = True
                self.other.set()
            self.other.wait(0.3)
            self.inside -= 1
            return [5]

    asked, meter = desk([5], unit="edge", epsilon=1.0), Watched()
    asked._meter = meter  # type: ignore[assignment]
    asking = [threading.Thread(target=asked, args=(pure(0.1),)) for _ in range(2)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(asked.asked) == 2
    assert not meter.met
