from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous import guarantee
from entrenous.errors import ArgumentError, CannotCompose
from entrenous.guarantee import (
    KNOWN_SEED,
    NODES_LISTED,
    NODES_SEEN,
    PUBLIC_HIERARCHY,
    Guarantee,
    Kind,
    exact,
)
from entrenous.unit import Unit

CHAIN = "the chain having reached its distribution"
amounts = st.integers(1, 10**6).map(lambda thousandths: thousandths / 1000)


def test_the_sentence_names_unit_numbers_and_factor() -> None:
    promise = Guarantee(epsilon=0.5, delta=1e-6, assumptions=(NODES_LISTED, PUBLIC_HIERARCHY))
    sentence = " ".join(promise.sentence.split())
    assert sentence.startswith(
        "Edge differential privacy with epsilon 0.5 and delta 1e-06: adding or removing any one tie"
    )
    assert sentence.endswith("by a factor of at most 1.649, except with probability 1e-06.")
    assert " ".join(str(promise).split()) == f"{sentence} {NODES_LISTED} {PUBLIC_HIERARCHY}"


def test_a_promise_that_rests_on_a_chain_says_so_first() -> None:
    promise = Guarantee(epsilon=0.5, assumptions=(NODES_LISTED,), conditional=CHAIN)
    assert promise.sentence.startswith(f"Conditional on {CHAIN}: edge differential privacy")
    assert promise.to_json()["conditional"] == CHAIN
    rehearsed = Guarantee(epsilon=0.5, assumptions=(KNOWN_SEED,), conditional=CHAIN)
    assert rehearsed.sentence.startswith("A rehearsal")
    assert CHAIN in rehearsed.sentence
    assert Guarantee(epsilon=0.5, assumptions=(KNOWN_SEED,)).sentence.startswith("A rehearsal")


@pytest.mark.parametrize("epsilon", [699.0, 700.0, 1e9])
def test_the_sentence_survives_any_epsilon(epsilon: float) -> None:
    assert "factor" in Guarantee(epsilon=epsilon).sentence


@pytest.mark.parametrize("kind", Kind)
def test_an_epsilon_above_ten_is_called_weak(kind: Kind) -> None:
    weak = "weak promise: something that was thought to have one chance in a thousand"
    assert "weak" not in Guarantee(epsilon=10.0, kind=kind).sentence
    sentence = Guarantee(epsilon=10.5, kind=kind).sentence
    odds = math.exp(10.5) / 999
    assert sentence.endswith(f"{weak} may turn out to be {100 * odds / (1 + odds):.4g} % certain.")
    assert "97.32 % certain" in sentence
    assert weak in Guarantee(epsilon=1e9, kind=kind, conditional=CHAIN).sentence
    assert weak in Guarantee(epsilon=10.5, kind=kind, assumptions=(KNOWN_SEED,)).sentence


def test_a_pufferfish_promise_does_not_call_itself_differential_privacy() -> None:
    assert "ifferential privacy" not in Guarantee(epsilon=1.0, kind=Kind.PUFFERFISH).sentence


@given(st.lists(amounts, min_size=2, max_size=12))
def test_composition_adds_decimals_exactly(parts: list[float]) -> None:
    total = Guarantee(epsilon=parts[0])
    for part in parts[1:]:
        total += Guarantee(epsilon=part)
    assert total.epsilon == float(sum(map(exact, parts)))


def test_composition_keeps_every_assumption_once() -> None:
    first = Guarantee(epsilon=0.1, delta=0.2, assumptions=(NODES_SEEN,))
    second = Guarantee(epsilon=0.2, delta=0.1, assumptions=(NODES_SEEN, NODES_LISTED), conditional=CHAIN)
    assert first + second == second + first
    assert first + second == Guarantee(
        epsilon=0.3, delta=0.3, assumptions=(NODES_SEEN, NODES_LISTED), conditional=CHAIN
    )


def test_what_does_not_compose_says_so() -> None:
    plain = Guarantee(epsilon=1.0)
    with pytest.raises(CannotCompose, match="Pufferfish"):
        _ = plain + Guarantee(epsilon=1.0, kind=Kind.PUFFERFISH)
    with pytest.raises(CannotCompose, match="nothing would be promised"):
        _ = Guarantee(epsilon=1.0, delta=0.5) + Guarantee(epsilon=1.0, delta=0.5)
    with pytest.raises(TypeError):
        _ = plain + 1.0  # type: ignore[operator]


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0},
        {"epsilon": -1.0},
        {"epsilon": math.inf},
        {"epsilon": math.nan},
        {"epsilon": "1"},
        {"epsilon": 1, "delta": 1},
        {"epsilon": 1, "delta": -0.1},
        {"epsilon": 1, "unit": "person"},
        {"epsilon": 1, "kind": "entropy"},
    ],
)
def test_a_promise_without_meaning_cannot_be_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        Guarantee(**wrong)


def test_a_promise_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Guarantee(epsilon=1.0).epsilon = 2.0  # type: ignore[misc]


@given(
    amounts,
    st.floats(0, 0.999),
    st.lists(st.sampled_from([NODES_LISTED, NODES_SEEN]), unique=True),
    st.sampled_from([None, CHAIN]),
)
def test_json_and_back(epsilon: float, delta: float, assumptions: list[str], conditional: str | None) -> None:
    promise = Guarantee(epsilon=epsilon, delta=delta, assumptions=tuple(assumptions), conditional=conditional)
    assert Guarantee.from_json(json.loads(json.dumps(promise.to_json()))) == promise


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": None},
        {"kind": "measured"},
        {"assumptions": None},
        {"assumptions": "abc"},
        {"assumptions": [1]},
    ],
    ids=str,
)
def test_a_promise_is_read_whole_or_not_at_all(change: dict[str, Any]) -> None:
    values = Guarantee(epsilon=1.0).to_json()
    with pytest.raises(ArgumentError):
        Guarantee.from_json(values | change)
    for name in ("epsilon", "delta", "unit", "kind", "assumptions"):
        with pytest.raises(ArgumentError):
            Guarantee.from_json({key: value for key, value in values.items() if key != name})


def test_every_unit_says_what_changes() -> None:
    assert all(unit.change for unit in Unit.all())


def test_assumptions_are_whole_sentences() -> None:
    sentences = [
        value for name, value in vars(guarantee).items() if name.isupper() and isinstance(value, str)
    ]
    assert len(sentences) >= 4
    assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in sentences)


def correlated(**changes: Any) -> Guarantee:
    level = Guarantee(epsilon=0.2152, unit=Unit.EDGE_CONTENT, contribution=1000)
    return Guarantee(
        **{
            "epsilon": 100.0,
            "unit": Unit.CORRELATED_EDGE,
            "kind": Kind.PUFFERFISH,
            "contribution": 1000,
            "per_ngram": 0.1,
            "level": level,
        }
        | changes
    )


def test_a_correlated_promise_prints_the_number_for_one_ngram_and_the_level_without_assumption() -> None:
    sentence = correlated().sentence
    assert "for an attacker who believes what is said below" in sentence
    assert "For any one counted n-gram alone epsilon is 0.1." in sentence
    assert "Without any assumption the edge-content level is epsilon 0.2152:" in sentence
    assert "adding or removing the content of one edge (at most 1000 n-grams) changes" in sentence
    assert correlated().charged == correlated().level
    assert Guarantee(epsilon=1.0).charged == Guarantee(epsilon=1.0)


@pytest.mark.parametrize(
    ("unit", "size", "text"),
    [
        (Unit.EDGE_CONTENT, None, "adding or removing the content of one edge (at most 5 n-grams)"),
        (Unit.REPLACED_CONTENT, None, "replacing the content of one edge by any other (at most 5 n-grams)"),
        (Unit.SENDER, None, "adding or removing everything one person wrote (at most 5 n-grams)"),
        (Unit.GROUP, 12, "adding or removing the content of any 12 edges (at most 5 n-grams)"),
    ],
)
def test_units_of_words_say_what_is_hidden(unit: Unit, size: int | None, text: str) -> None:
    assert text in Guarantee(epsilon=1.0, unit=unit, size=size, contribution=5).sentence


@pytest.mark.parametrize("unit", Unit.all(), ids=str)
def test_what_changes_reads_well_wherever_it_stands(unit: Unit) -> None:
    """A sentence goes on after it, and so does a cell of a table: no comma may be left open, and none is at its end."""
    change = Guarantee(epsilon=1.0, unit=unit, size=3 if unit == Unit.GROUP else None).change
    assert not change.endswith(",")
    assert ", with" not in change


@pytest.mark.parametrize(
    ("unit", "covered"),
    [
        (Unit.MESSAGE, []),
        (Unit.THREAD, ["thread", "message"]),
        (Unit.EDGE_AND_MESSAGE, ["message", "edge-content"]),
        (Unit.ALL_OF_MAIL, ["message", "thread", "edge-content", "sender"]),
    ],
)
def test_cards_state_an_epsilon_for_every_unit_that_is_covered(unit: Unit, covered: list[str]) -> None:
    promise = Guarantee(epsilon=2.0, unit=unit)
    assert promise.by_unit == dict.fromkeys(covered, 2.0)
    assert all(f"{name} 2" in promise.sentence for name in covered)


def test_what_is_nearly_certain_is_not_called_certain() -> None:
    assert "over 99.99 % certain" in Guarantee(epsilon=20.0).sentence


def test_promises_about_words_survive_json() -> None:
    for promise in (correlated(), Guarantee(epsilon=1.0, unit=Unit.GROUP, size=3, delta=1e-9)):
        assert Guarantee.from_json(json.loads(json.dumps(promise.to_json()))) == promise
    assert "level" not in Guarantee(epsilon=1.0).to_json()


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": 3},
        {"unit": Unit.GROUP},
        {"unit": Unit.GROUP, "size": 0},
        {"contribution": 0},
        {"per_ngram": 0.0},
        {"level": Guarantee(epsilon=1.0, kind=Kind.PUFFERFISH)},
    ],
    ids=str,
)
def test_numbers_beside_a_promise_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        correlated(**wrong)


def test_levels_are_composed_before_converting() -> None:
    group = Guarantee(epsilon=6.0, unit=Unit.GROUP, size=3, level=Guarantee(2.0, unit=Unit.EDGE_CONTENT))
    with pytest.raises(CannotCompose, match="levels"):
        _ = group + group
    assert (group.charged + group.charged).epsilon == 4.0
    with pytest.raises(CannotCompose, match="unit"):
        _ = Guarantee(epsilon=1.0) + group.charged
