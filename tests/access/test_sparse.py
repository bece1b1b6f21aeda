"""The large form: the certificate is what counts, whatever the solver says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from entrenous import access
from entrenous.access.settling import sparse
from entrenous.errors import ArgumentError


def random_group(n: int, degree: int, top: float, *, seed: int) -> tuple[np.ndarray, csr_array]:
    rng = np.random.default_rng(seed)
    columns = (np.arange(n)[:, None] + 1 + rng.integers(0, n - 1, (n, degree))) % n
    weights = rng.random((n, degree))
    weights *= (top * rng.random(n) / weights.sum(axis=1))[:, None]
    matrix = csr_array((weights.ravel(), (np.repeat(np.arange(n), degree), columns.ravel())), shape=(n, n))
    return np.sort(rng.integers(0, 6, (n, 3)), axis=1)[:, ::-1], matrix


@pytest.mark.parametrize("mode", ["cap", "strict"])
def test_sparse_agrees_with_dense(mode: str) -> None:
    scores, weights = random_group(50, 6, 0.99, seed=1)
    large = access.mediate_sparse(scores, weights, mode=mode, vote=access.StrongMajority(0.6))
    small = access.mediate_batch(
        scores[None], weights.toarray()[None], mode=mode, vote=access.StrongMajority(0.6)
    )
    assert (large.choice, large.rule) == (small.choice[0], small.rule_names()[0])
    assert (large.accepting == small.accepting[0]).all()
    assert np.abs(large.settled - small.settled[0]).max() <= large.error + 1e-13


def test_limits_and_options_side_by_side() -> None:
    scores = np.array([[1, 2, 3, 5], [1, 3, 2, 5]])
    weights = csr_array((2, 2))
    free = access.mediate_sparse(scores, weights, method="oo")
    bound = access.mediate_sparse(scores, weights, method="oo", ceilings=[1, 3])
    assert (free.choice, free.rule) == (3, "consensus")
    assert (bound.choice, bound.rule) == (1, "hard limit")
    torn = access.mediate_sparse([[5, 0], [0, 5]], weights, method="oo")
    assert (torn.choice, torn.rule) == (0, "no agreement")


def test_no_certificate_without_an_equilibrium() -> None:
    weights = csr_array(np.array([[0, 1.0], [1.0, 0]]))
    decision = access.mediate_sparse([[3], [3]], weights, mode="strict")
    assert not decision.exists
    assert (decision.choice, decision.rule) == (0, "no equilibrium")
    assert access.mediate_sparse([[3], [3]], weights).exists


@pytest.mark.parametrize("solver", sparse._SOLVERS)
def test_every_solver_alone_reaches_the_certificate(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse, "_SOLVERS", {solver: sparse._SOLVERS[solver]})
    scores, weights = random_group(300, 5, 0.95, seed=2)
    decision = access.mediate_sparse(scores, weights, mode="strict")
    assert decision.exists
    assert decision.solver == solver
    assert decision.error < 1e-9


def test_a_wrong_solver_is_found_out_and_the_next_one_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, weights = random_group(300, 5, 0.95, seed=3)
    good = sparse._SOLVERS["gmres"]

    def wrong(used: object, known: np.ndarray, accuracy: float) -> np.ndarray:
        return good(used, known, accuracy) + 1e-3

    monkeypatch.setattr(sparse, "_SOLVERS", {"wrong": wrong, "gmres": good})
    assert access.mediate_sparse(scores, weights).solver == "gmres"


def test_ten_thousand_people() -> None:
    scores, weights = random_group(10_000, 20, 0.99, seed=4)
    decision = access.mediate_sparse(scores, weights, mode="strict", vote=access.StrongMajority(0.51))
    assert decision.exists
    assert decision.error < 1e-9


BAD = {
    "dense": (np.zeros((2, 2)), "weights: expected a scipy sparse matrix"),
    "shape": (csr_array((3, 3)), "weights: expected shape"),
    "negative": (csr_array(np.array([[0, 0], [-0.5, 0]])), "weights: .* person 1"),
    "nan": (csr_array(np.array([[0, np.nan], [0, 0]])), "weights: .* person 0"),
    "complex": (csr_array(np.array([[0, 0.5j], [0, 0]])), "weights: expected a matrix of numbers"),
    "self": (csr_array(np.array([[0, 0], [0, 0.5]])), "weights: .* own wish; got one for person 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_weights_are_refused(name: str) -> None:
    weights, message = BAD[name]
    with pytest.raises(ArgumentError, match=message):
        access.mediate_sparse([[3], [3]], weights)


def test_a_tie_accepts() -> None:
    weights = csr_array(np.array([[0, 0.2], [0, 0]]))
    assert access.mediate_sparse([[2], [5]], weights).choice == 1
    assert access.mediate_sparse([[2], [4]], weights).choice == 0


def test_weights_are_left_as_they_were() -> None:
    weights = csr_array((np.array([0.1, 0.2]), np.array([2, 1]), np.array([0, 2, 2, 2])), shape=(3, 3))
    access.mediate_sparse([[3], [3], [3]], weights)
    assert weights.indices.tolist() == [2, 1]


def test_bad_scores_are_refused() -> None:
    with pytest.raises(ArgumentError, match="scores"):
        access.mediate_sparse([[3], [9]], csr_array((2, 2)))


def test_a_certificate_too_loose_to_tell_ties_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    good = sparse._SOLVERS["gmres"]

    def loose(used: object, known: np.ndarray, accuracy: float) -> np.ndarray:
        return good(used, known, accuracy) + 1e-6

    monkeypatch.setattr(sparse, "_SOLVERS", {"loose": loose})
    scores, weights = random_group(50, 5, 0.95, seed=6)
    assert not access.mediate_sparse(scores, weights).exists
