"""The compiled batch against its slow twin: `mediate`, one group at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from entrenous import access
from entrenous.errors import ArgumentError


def random_batch(
    size: int, n: int, columns: int, *, seed: int, weights: tuple[float, ...] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.integers(0, 6, (size, n, columns)), axis=2)[:, :, ::-1]
    given = rng.integers(0, 101, (size, n, n)) / 100 if weights is None else rng.choice(weights, (size, n, n))
    return scores, given * (1 - np.eye(n))


def twin(
    scores: np.ndarray, weights: np.ndarray, ceilings: np.ndarray, method: str, mode: str, vote: object
) -> access.Decision:
    people = [f"p{k}" for k in range(len(scores))]
    scored = access.CHOICES if method == "oo" else access.CHOICES[1:]
    return access.mediate(
        {who: dict(zip(scored, row, strict=True)) for who, row in zip(people, scores.tolist(), strict=True)},
        {
            who: {friend: w for friend, w in zip(people, row, strict=True) if friend != who}
            for who, row in zip(people, weights.tolist(), strict=True)
        },
        limits={who: access.CHOICES[k] for who, k in zip(people, ceilings.tolist(), strict=True)},
        method=method,
        mode=mode,
        vote=vote,  # type: ignore[arg-type]
    )


CASES = [
    ("oc", "cap", 1, None),
    ("oc", "cap", 5, None),
    ("oc", "cap", 16, None),
    ("oc", "cap", 3, (0.0, 0.2, 1.0)),
    ("oc", "strict", 4, (0.0, 0.5, 1.0)),
    ("oo", "cap", 4, None),
    ("oo", "cap", 4, (0.0, 0.5)),
    ("oo", "strict", 3, (0.0, 0.25, 1.0)),
]


@pytest.mark.parametrize(("method", "mode", "n", "weights"), CASES)
@pytest.mark.parametrize("vote", [access.Consensus(), access.StrongMajority(0.6)])
def test_batch_is_the_loop_bit_for_bit(
    method: str, mode: str, n: int, weights: tuple[float, ...] | None, vote: object
) -> None:
    size = 45  # not a multiple of the lanes
    scores, given = random_batch(size, n, 4 if method == "oo" else 3, seed=n, weights=weights)
    ceilings = np.random.default_rng(1).choice([1, 2, 3, 3, 3, 3], (size, n))
    batch = access.mediate_batch(
        scores,
        given,
        method=method,
        mode=mode,
        vote=vote,  # type: ignore[arg-type]
        ceilings=ceilings,
    )
    assert len(batch) == size
    for k, rule in enumerate(batch.rule_names()):
        decision = twin(scores[k], given[k], ceilings[k], method, mode, vote)
        assert (access.CHOICES[batch.choice[k]], rule) == (decision.choice, decision.rule)
        assert tuple(f"p{i}" for i in np.flatnonzero(batch.accepting[k])) == decision.accepted_by
        if decision.certificate.exists:
            assert batch.settled[k].tolist() == [list(row.values()) for row in decision.settled.values()]
            assert batch.totals[k].tolist() == list(decision.certificate.totals.values())
            assert (batch.defect[k], batch.residual[k]) == (
                decision.certificate.defect,
                decision.certificate.residual,
            )
        else:
            assert np.isnan(batch.settled[k]).all()
            assert batch.defect[k] == np.inf


def test_cases_above_cover_ties_limits_and_missing_equilibria() -> None:
    scores, given = random_batch(300, 3, 3, seed=3, weights=(0.0, 0.2, 1.0))
    assert access.mediate_batch(scores, given).exact.any()
    strict = access.mediate_batch(scores, given, mode="strict")
    assert {"no equilibrium", "consensus"} <= set(strict.rule_names())


def test_a_tie_is_settled_with_fractions() -> None:
    scores = [[[2], [5]], [[2], [5]]]
    weights = [[[0, 0.2], [0, 0]], [[0, 0.1999999999999999], [0, 0]]]
    batch = access.mediate_batch(scores, weights)
    assert batch.choice.tolist() == [1, 0]
    assert batch.exact.tolist() == [True, True]


def test_threads_share_the_kernel() -> None:
    scores, given = random_batch(3000, 5, 3, seed=9)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: access.mediate_batch(scores, given).choice, range(4)))
    assert all((answer == answers[0]).all() for answer in answers)


def test_an_empty_batch_has_no_decisions() -> None:
    assert len(access.mediate_batch(np.zeros((0, 2, 3)), np.zeros((0, 2, 2)))) == 0


def bad_arrays() -> dict[str, tuple[np.ndarray, np.ndarray, dict[str, object], str]]:
    scores, weights = np.full((2, 3, 3), 3), np.zeros((2, 3, 3))

    def put(array: np.ndarray, place: tuple[int, ...], value: float) -> np.ndarray:
        changed = array.astype(float)
        changed[place] = value
        return changed

    return {
        "score": (put(scores, (1, 2, 0), 6), weights, {}, "scores: .* mediation 1, person 2"),
        "score nan": (put(scores, (0, 1, 0), np.nan), weights, {}, "scores: .* mediation 0, person 1"),
        "score between": (put(scores, (0, 1, 0), 3.5), weights, {}, "scores: .* whole number"),
        "rising": (put(scores, (1, 0, 2), 4), weights, {}, "scores: expected no higher score"),
        "shape": (scores[0], weights, {}, "scores: expected numbers of shape"),
        "text": (np.array([[["a"]]]), weights, {}, "scores: expected an array of numbers"),
        "true": (scores > 2, weights, {}, "scores: expected an array of numbers"),
        "ragged": ([[[3], [3, 3]]], weights, {}, "scores: expected an array; got rows"),  # type: ignore[dict-item]
        "weights text": (scores, weights.astype(str), {}, "weights: expected an array of numbers"),
        "weights complex": (scores, weights + 1j, {}, "weights: expected an array of numbers"),
        "vote": (scores, weights, {"vote": "majority"}, "vote: expected Consensus"),
        "nobody": (scores[:, :0], weights, {}, "scores: expected numbers of shape"),
        "crowd": (np.zeros((1, 65, 1)), weights, {}, "scores: expected at most 64 people; got 65"),
        "negative": (scores, put(weights, (1, 0, 2), -0.1), {}, "weights: .* mediation 1, person 0"),
        "heavy": (scores, put(weights, (1, 0, 2), 1.1), {}, "weights: expected a number from 0 to 1"),
        "nan": (scores, put(weights, (0, 1, 2), np.nan), {}, "weights: .* mediation 0, person 1"),
        "self": (scores, put(weights, (1, 1, 1), 0.5), {}, "weights: expected no weight .* person 1"),
        "square": (scores, weights[:, :2], {}, "weights: expected shape"),
        "ceilings": (
            scores,
            weights,
            {"ceilings": np.full((2, 3), 4)},
            "ceilings: expected a position from 0 to 3",
        ),
        "ceilings shape": (
            scores,
            weights,
            {"ceilings": [1, 2]},
            "ceilings: expected whole numbers of shape",
        ),
        "method": (scores, weights, {"method": "circles"}, "method: expected one of oc, oo"),
    }


@pytest.mark.parametrize("name", bad_arrays())
def test_bad_arrays_are_refused_with_the_place(name: str) -> None:
    scores, weights, options, message = bad_arrays()[name]
    with pytest.raises(ArgumentError, match=message):
        access.mediate_batch(scores, weights, **options)  # type: ignore[arg-type]
