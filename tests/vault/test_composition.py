"""Both ways of adding up against oracles that share no code with them."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.vault.orders import gaussian, ties, words

from entrenous.errors import BudgetExceeded, PrivacyError
from entrenous.guarantee import Guarantee
from entrenous.price import NoiseEvent, coins_mu, gaussian_delta, gaussian_mu
from entrenous.unit import Unit
from entrenous.vault import Budget, Order, Vault
from entrenous.vault.chain.entry import Promise
from entrenous.vault.composition import Charge, Total


def coin_delta(epsilons: list[float], epsilon: float) -> float:
    """Return the exact delta of coins that tell a bit with these epsilons, by trying all ways they can fall."""
    excess = 0.0
    for falls in product((1, -1), repeat=len(epsilons)):
        loss = sum(fall * each for fall, each in zip(falls, epsilons, strict=True))
        chance = math.prod(
            1 / (1 + math.exp(-fall * each)) for fall, each in zip(falls, epsilons, strict=True)
        )
        excess += max(chance - math.exp(epsilon - loss) * chance, 0.0)
    return excess


def mixed_delta(coins: list[float], mu: float, epsilon: float) -> float:
    """Return the exact delta of coins and normal noise together: a mean over all ways the coins can fall."""
    excess = 0.0
    for falls in product((1, -1), repeat=len(coins)):
        loss = sum(fall * each for fall, each in zip(falls, coins, strict=True))
        chance = math.prod(1 / (1 + math.exp(-fall * each)) for fall, each in zip(falls, coins, strict=True))
        # the rest of epsilon is left to normal noise; it may be negative, where gaussian_delta has no formula
        rest = epsilon - loss
        upper = stats.norm.sf(rest / mu - mu / 2) if mu else float(rest < 0)
        lower = stats.norm.sf(rest / mu + mu / 2) if mu else float(rest < 0)
        excess += chance * max(upper - math.exp(rest) * lower, 0.0)
    return excess


def test_the_oracle_agrees_with_what_is_known() -> None:
    assert mixed_delta([], 1.3, 0.7) == pytest.approx(gaussian_delta(1.3, 0.7))
    assert mixed_delta([0.4, 0.2], 0.0, 0.1) == pytest.approx(coin_delta([0.4, 0.2], 0.1))


@pytest.mark.parametrize(
    ("epsilon", "repeats"), [(2.0, 1), (0.7, 1), (0.4, 2), (0.3, 7), (1.5, 6), (0.05, 8)]
)
def test_coins_tell_no_more_than_the_normal_noise_they_count_as(epsilon: float, repeats: int) -> None:
    mu = coins_mu(epsilon, repeats)
    for at in np.linspace(0, epsilon * repeats, 40):
        assert coin_delta([epsilon] * repeats, float(at)) <= gaussian_delta(mu, float(at)) + 1e-12


@pytest.mark.parametrize(("epsilon", "repeats"), [(2.0, 1), (0.7, 1), (0.4, 2), (0.3, 7), (0.05, 8)])
def test_and_not_much_less(epsilon: float, repeats: int) -> None:
    """Noise moved by a thousandth less would tell less than the coins do."""
    mu = coins_mu(epsilon, repeats) * 0.999
    gaps = [
        coin_delta([epsilon] * repeats, float(at)) - gaussian_delta(mu, float(at))
        for at in np.linspace(0, epsilon * repeats, 400)
    ]
    assert max(gaps) > 0


def test_many_coins_cost_what_normal_noise_does() -> None:
    assert coins_mu(0.01, 100_000) == pytest.approx(0.01 * math.sqrt(100_000), rel=1e-5)
    assert coins_mu(1e-4, 10_000) == pytest.approx(0.01, rel=1e-4)


sequences = st.lists(
    st.tuples(
        st.sampled_from(["pure", "gaussian", "geometric"]),
        st.integers(1, 30).map(lambda tenths: tenths / 20),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=6,
)


def charge_of(kind: str, epsilon: float, repeats: int) -> tuple[Charge, list[float], float]:
    """Return a release, the coins it is worst as, and its mu."""
    if kind == "gaussian":
        mu = gaussian_mu(epsilon, 1e-6)
        event = NoiseEvent("gaussian", scale=1 / mu)
        promise = Promise(Unit.EDGE_CONTENT, *amounts(epsilon, 1e-6), event)
        return Charge((promise,), ("contents",)), [], mu
    if kind == "geometric":
        event = NoiseEvent("geometric", scale=repeats / epsilon, repeats=repeats)
        promise = Promise(Unit.EDGE_CONTENT, *amounts(epsilon, 0.0), event)
        return Charge((promise,), ("contents",)), [epsilon / repeats] * repeats, 0.0
    promise = Promise(Unit.EDGE_CONTENT, *amounts(epsilon, 0.0))
    return Charge((promise,), ("contents",)), [epsilon], 0.0


def amounts(epsilon: float, delta: float) -> tuple[Decimal, Decimal]:
    return Decimal(str(epsilon)), Decimal(str(delta))


@settings(max_examples=60, deadline=None)
@given(sequences, st.sampled_from([1e-5, 1e-3]))
def test_what_is_counted_is_never_below_the_truth(orders: list[tuple[str, float, int]], slack: float) -> None:
    """Random orders: at the epsilon that was counted the exact delta of all of them is at most the delta."""
    made = [charge_of(*order) for order in orders]
    coins, mu = [c for _, each, _ in made for c in each], math.sqrt(sum(m * m for _, _, m in made))
    total = Total.of(Budget(100.0, 1e-3, Unit.EDGE_CONTENT, slack), [charge for charge, _, _ in made])
    assert total is not None
    epsilon, delta = total.spent
    assert mixed_delta(coins, mu, epsilon) <= delta * (1 + 1e-6) + 1e-15
    # the sum by itself, and exact composition by itself
    assert mixed_delta(coins, mu, float(total.epsilon)) <= float(total.delta) * (1 + 1e-6) + 1e-15
    assert total.exact_epsilon is not None
    assert mixed_delta(coins, mu, total.exact_epsilon) <= slack * (1 + 1e-6)
    assert total.epsilon == sum((Fraction(str(order[1])) for order in orders), Fraction(0))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=12))
def test_normal_noise_alone_is_composed_exactly(tenths: list[int]) -> None:
    """Nothing is given away: a hundredth less epsilon would be untrue."""
    made = [charge_of("gaussian", each / 10, 1) for each in tenths]
    mu = math.sqrt(sum(m * m for _, _, m in made))
    total = Total.of(Budget(100.0, 1e-3, Unit.EDGE_CONTENT, 1e-5), [charge for charge, _, _ in made])
    assert total is not None
    assert total.exact_epsilon is not None
    assert mixed_delta([], mu, total.exact_epsilon * 0.99) > 1e-5


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ties", "words", "gaussian", "listed", "sender"]),
            st.integers(1, 12),
            st.booleans(),
        ),
        min_size=1,
        max_size=10,
    )
)
def test_random_orders_of_all_nouns_never_exceed_any_budget(
    tmp_path_factory: pytest.TempPathFactory, orders: list[tuple[str, int, bool]]
) -> None:
    """A vault with three units, random orders: what was admitted is within every budget by the exact oracle."""
    budgets = (
        Budget(2.0, 1e-5, Unit.EDGE),
        Budget(2.0, 1e-5, Unit.EDGE_CONTENT),
        Budget(4.0, 1e-5, Unit.REPLACED_CONTENT),
    )
    vault = Vault.create(tmp_path_factory.mktemp("vaults") / "a.vault", *budgets)
    admitted: list[tuple[str, float]] = []
    for kind, tenths, _ in orders:
        epsilon = tenths / 10
        order = {
            "ties": lambda e: ties(e),
            "words": lambda e: words(e),
            "gaussian": lambda e: gaussian(e, 1e-6),
            "listed": lambda e: words(e, listed=True),
            "sender": lambda e: words(e, unit=Unit.SENDER),
        }[kind](epsilon)
        try:
            vault.charge(order)
        except PrivacyError:  # what is refused is the subject of other tests
            continue
        admitted.append((kind, epsilon))
    state = vault.state
    for budget in budgets:
        if state.gone(budget.unit) is not None:
            continue
        times = 2 if budget.unit == Unit.REPLACED_CONTENT else 1
        kinds = {"ties"} if budget.unit == Unit.EDGE else set()
        coins = [e * times for k, e in admitted if k in kinds | {"words", "listed"}]
        mus = [gaussian_mu(e, 1e-6) * times for k, e in admitted if k == "gaussian"]
        assert budget.slack is not None
        whole = mixed_delta(coins, math.sqrt(sum(m * m for m in mus)), budget.epsilon)
        assert whole <= (budget.delta + budget.slack) * (1 + 1e-6)
    assert not [kind for kind, _ in admitted if kind == "sender"]  # senders have no budget here


def charged_until_refused(vault: Vault, order: Order) -> int:
    for made in range(50):
        try:
            vault.charge(order)
        except BudgetExceeded:
            return made
    return 50


def test_exact_composition_admits_what_the_sum_refuses(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "mail.vault", Budget(3.0, 1e-5, Unit.EDGE_CONTENT))
    made = charged_until_refused(vault, gaussian(1.0, 1e-7))
    assert made >= 6  # the sum would have stopped after 3
    total = vault.total()
    assert total.exact_epsilon is not None
    assert total.exact_epsilon <= 3.0
    assert total.spent == (total.exact_epsilon, float(total.side) + 1e-5)
    entries = [entry for entry in vault.entries() if entry.kind == "charge"]
    assert [entry.body["exactly"] for entry in entries] == [[]] * 3 + [["edge-content"]] * (made - 3)
    assert mixed_delta([], math.sqrt(made) * gaussian_mu(1.0, 1e-7), 3.0) <= 2e-5


def test_without_a_slack_only_the_sum_counts(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "mail.vault", Budget(3.0, 1e-5, Unit.EDGE_CONTENT, slack=0.0))
    for _ in range(3):
        vault.charge(gaussian(1.0, 1e-7))
    with pytest.raises(BudgetExceeded):
        vault.charge(gaussian(0.001, 1e-9))
    assert vault.total().exact_epsilon is None


def test_delta_spent_before_does_not_come_back(tmp_path: Path) -> None:
    """What the sum admitted counts with its whole delta, also once exact composition is needed."""
    vault = Vault.create(tmp_path / "mail.vault", Budget(1.0, 1e-5, Unit.EDGE_CONTENT))
    vault.charge(gaussian(0.9, 1e-5))
    with pytest.raises(BudgetExceeded):  # a threshold costs delta, and none is left
        vault.charge(words(0.2, 1e-8, event=NoiseEvent("gaussian", scale=100.0, delta=1e-9)))
    vault.charge(words(0.2, 1e-8, event=NoiseEvent("gaussian", scale=100.0)))  # noise alone has the slack
    assert vault.total().side == Fraction("1e-5")


def test_changes_that_are_made_of_others_cost_more(tmp_path: Path) -> None:
    budgets = (Budget(8.0, 1e-4, Unit.REPLACED_CONTENT), Budget(4.0, 1e-4, Unit.EDGE_CONTENT))
    vault = Vault.create(tmp_path / "mail.vault", *budgets)
    vault.charge(words(0.5, 1e-6))
    total = vault.total(Unit.REPLACED_CONTENT)
    assert float(total.epsilon) == 1.0
    assert float(total.delta) == pytest.approx((1 + math.exp(0.5)) * 1e-6)
    assert total.mu == math.inf  # a delta beside the noise has no proof for two changes by composition
    vault = Vault.create(
        tmp_path / "senders.vault", Budget(8.0, unit=Unit.SENDER), Budget(8.0, unit=Unit.EDGE_CONTENT)
    )
    vault.charge(words(0.5, unit=Unit.SENDER))
    assert float(vault.total(Unit.EDGE_CONTENT).epsilon) == 2.0


def test_the_better_of_two_promises_counts(tmp_path: Path) -> None:
    """A release that hides replacements directly costs less than twice what hides one content."""
    promise = Guarantee(
        epsilon=1.2,
        delta=1e-6,
        unit=Unit.REPLACED_CONTENT,
        level=Guarantee(epsilon=0.8, delta=1e-6, unit=Unit.EDGE_CONTENT),
    )
    budgets = (Budget(2.0, 1e-5, Unit.REPLACED_CONTENT), Budget(2.0, 1e-5, Unit.EDGE_CONTENT))
    vault = Vault.create(tmp_path / "mail.vault", *budgets)
    vault.charge(Order(purpose="words", sees=("contents",), guarantee=promise))
    assert float(vault.total(Unit.REPLACED_CONTENT).epsilon) == 1.2
    assert float(vault.total(Unit.EDGE_CONTENT).epsilon) == 0.8


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_an_adversary_who_chooses_the_way_by_what_came_out_gains_no_more(share: float) -> None:
    """First normal noise within the whole delta; if it told much, go on by the sum, else by exact composition.

    Neither ceiling alone bounds this: delta and slack together do, as the proof says.
    """
    epsilon, delta = 2.0, 1e-3
    first = gaussian_mu(share * epsilon, delta)
    rest = math.sqrt(max(gaussian_mu(epsilon, delta) ** 2 - first**2, 0.0))
    losses = np.linspace(first**2 / 2 - 9 * first, first**2 / 2 + 9 * first, 4001)
    weights = stats.norm.pdf(losses, first**2 / 2, first) * (losses[1] - losses[0])
    by_sum = [coin_delta([(1 - share) * epsilon], epsilon - loss) for loss in losses]
    exactly = [mixed_delta([], rest, epsilon - loss) for loss in losses]
    excess = float(weights @ np.where(losses > share * epsilon, by_sum, exactly))
    assert delta / 2 < excess <= 2 * delta


def test_a_release_costs_what_all_that_it_looked_at_does() -> None:
    """A promise about contents says nothing of ties, in whatever order both were looked at."""
    promise = (Promise(Unit.EDGE_CONTENT, Decimal(1), Decimal(0), None),)
    cost = Charge(promise, ("contents",)).cost(Unit.EDGE)
    assert cost is not None
    assert cost.epsilon == 1
    for sees in (("contents", "ties"), ("ties", "contents")):
        assert Charge(promise, sees).cost(Unit.EDGE) is None


def test_a_little_of_a_slack_is_kept_back_for_floating_point() -> None:
    total = Total(Budget(1.0, 2e-6, Unit.EDGE_CONTENT, 1e-6))
    assert 1e-6 * (1 - 1e-8) < gaussian_delta(total.most_mu, 1.0) < 1e-6 * (1 - 1e-10)
