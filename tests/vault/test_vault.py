"""The vault as a memory: exact amounts, nothing overwritten, nothing lost, nothing overspent."""

from __future__ import annotations

import decimal
import sqlite3
import stat
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.vault.orders import ties, words

from entrenous.errors import ArgumentError, BudgetExceeded, DiskFull, OutputExistsError, VaultError
from entrenous.guarantee import Guarantee, Kind
from entrenous.price import NoiseEvent
from entrenous.unit import Unit
from entrenous.vault import Budget, Order, Vault

GAUSSIAN = NoiseEvent("gaussian", scale=1400.0, repeats=1000, delta=1e-9)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault.create(tmp_path / "friends.vault", Budget(epsilon=1.0, delta=1e-6, slack=0.0))


def test_ten_tenths_are_one(vault: Vault) -> None:
    for _ in range(10):
        vault.charge(ties(0.1))
    assert vault.left_epsilon == Decimal(0)
    with pytest.raises(BudgetExceeded):
        vault.charge(ties(1e-17))


def test_a_tenth_and_two_tenths_are_three(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=0.3))
    for part in (0.1, 0.2):
        vault.charge(ties(part))
    assert vault.left_epsilon == 0


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=12))
def test_the_sum_is_exact_and_never_above_the_ceiling(
    tmp_path_factory: pytest.TempPathFactory, thousandths: list[int]
) -> None:
    path = tmp_path_factory.mktemp("vaults") / "a.vault"
    vault = Vault.create(path, Budget(epsilon=1.0))
    spent = 0
    for part in thousandths:
        if spent + part <= 1000:
            vault.charge(ties(part / 1000))
            spent += part
        else:
            with pytest.raises(BudgetExceeded) as refused:
                vault.charge(ties(part / 1000))
            assert refused.value.asked == Decimal(part) / 1000
            assert refused.value.left == Decimal(1000 - spent) / 1000
    assert Vault(path).left_epsilon == 1 - Decimal(spent) / 1000


def test_a_refused_charge_writes_nothing(vault: Vault) -> None:
    vault.charge(ties(0.6))
    before, entries = vault.path.read_bytes(), vault.entries()
    with pytest.raises(BudgetExceeded) as caught:
        vault.charge(ties(0.5))
    assert (caught.value.asked, caught.value.left, caught.value.parameter, caught.value.unit) == (
        Decimal("0.5"),
        Decimal("0.4"),
        "epsilon",
        "edge",
    )
    assert vault.path.read_bytes() == before
    assert vault.entries() == entries


def test_asking_beforehand_writes_nothing(vault: Vault) -> None:
    before = vault.path.read_bytes()
    vault.check(ties(0.5))
    with pytest.raises(BudgetExceeded):
        vault.check(ties(1.5))
    assert vault.path.read_bytes() == before


def test_delta_has_its_own_ceiling(vault: Vault) -> None:
    vault.charge(ties(0.1, 6e-7))
    with pytest.raises(BudgetExceeded) as caught:
        vault.charge(ties(0.1, 6e-7))
    assert (caught.value.parameter, caught.value.left) == ("delta", Decimal("4e-7"))
    assert vault.left_epsilon == Decimal("0.9")


def test_a_pure_budget_pays_for_no_delta(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "pure", Budget(epsilon=1.0))
    with pytest.raises(BudgetExceeded):
        vault.charge(ties(0.1, 1e-15))


def test_a_unit_without_a_budget_is_refused(vault: Vault) -> None:
    before = vault.path.read_bytes()
    with pytest.raises(VaultError, match=r"counts per edge; the release protects per edge-content"):
        vault.charge(words(0.1))
    assert vault.path.read_bytes() == before


def test_the_precision_of_the_caller_does_not_shrink_a_charge(vault: Vault) -> None:
    with decimal.localcontext() as context:
        context.prec = 3
        vault.charge(ties(0.12349))
    assert vault.left_epsilon == 1 - Decimal("0.12349")


def test_entries_are_remembered_as_they_were_made(vault: Vault) -> None:
    made = [vault.charge(ties(0.25)), vault.charge(ties(1e-9, 1e-9, rehearsal=True))]
    assert Vault(vault.path).entries()[-2:] == tuple(made)
    assert [entry.kind for entry in vault.entries()] == ["opened", "budget", "fact", "charge", "charge"]
    assert [entry.rehearsal for entry in made] == [False, True]
    assert Vault(vault.path).budgets == (Budget(epsilon=1.0, delta=1e-6, unit=Unit.EDGE, slack=0.0),)


def test_a_vault_is_never_overwritten(vault: Vault) -> None:
    vault.charge(ties(0.5))
    before = vault.path.read_bytes()
    with pytest.raises(OutputExistsError, match="never overwritten"):
        Vault.create(vault.path, Budget(epsilon=9.0))
    assert vault.path.read_bytes() == before
    assert [file.name for file in vault.path.parent.iterdir()] == [vault.path.name]


@pytest.mark.parametrize("place", ["missing/a.vault", "a.file/a.vault"])
def test_where_no_vault_can_be_created(tmp_path: Path, place: str) -> None:
    (tmp_path / "a.file").touch()
    with pytest.raises(VaultError, match="cannot be created"):
        Vault.create(tmp_path / place, Budget(epsilon=1.0))
    assert [file.name for file in tmp_path.iterdir()] == ["a.file"]


def test_a_missing_vault_is_not_invented(tmp_path: Path) -> None:
    with pytest.raises(VaultError, match=r"no vault at none\.vault"):
        Vault(tmp_path / "none.vault")
    with pytest.raises(VaultError):
        Vault(tmp_path)
    assert list(tmp_path.iterdir()) == []


def foreign_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE budget (epsilon, delta, unit)")
        connection.execute("INSERT INTO budget VALUES ('100', '0', 'edge')")
    connection.close()


FOREIGN = {
    "empty": lambda path: path.touch(),
    "text": lambda path: path.write_text("epsilon = 100\n" * 1000),
    "bytes": lambda path: path.write_bytes(np.random.default_rng(1).bytes(20_000)),
    "another database": foreign_database,
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files_are_refused_and_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "foreign.vault"
    FOREIGN[kind](path)
    before = path.read_bytes()
    with pytest.raises(VaultError, match=r"foreign\.vault"):
        Vault(path)
    with pytest.raises(OutputExistsError):
        Vault.create(path, Budget(epsilon=1.0))
    assert path.read_bytes() == before


def test_a_vault_that_cannot_be_written_pays_for_nothing(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process holds the lock for longer than a charge waits."""
    monkeypatch.setattr("entrenous.vault.chain.storage.WAIT_SECONDS", 0.05)
    other = sqlite3.connect(vault.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(VaultError, match="locked"):
        vault.charge(ties(0.1))
    other.close()
    assert not vault.state.charges


def test_a_full_disk_is_named_and_nothing_is_charged(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = sqlite3.OperationalError("database or disk is full")
    problem.sqlite_errorcode = sqlite3.SQLITE_FULL

    def no_room(*_: object, **__: object) -> None:
        raise problem

    with monkeypatch.context() as patched:
        patched.setattr("entrenous.vault.chain.storage.Chain.add", no_room)
        with pytest.raises(DiskFull, match=r"full: friends\.vault could not be written; nothing was charged"):
            vault.charge(ties(0.1))
    assert not vault.state.charges


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0},
        {"epsilon": 1, "delta": 1},
        {"epsilon": 1, "unit": "x"},
        {"epsilon": 1, "slack": -1},
        {"epsilon": 1, "slack": 1e-20},
        {"epsilon": 1, "unit": "group"},
        {"epsilon": 1, "unit": "correlated-edge"},
    ],
)
def test_a_budget_without_meaning_cannot_be_made(wrong: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        Budget(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["edge", "edge=", "edge=a", "village=1", "edge=1,2,3,4", "=1"])
def test_a_budget_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ArgumentError):
        Budget.parse(text)


def test_budgets_are_for_different_units(tmp_path: Path) -> None:
    for budgets in ((), (Budget(1.0), Budget(2.0))):
        with pytest.raises(ArgumentError, match="no two for the same unit"):
            Vault.create(tmp_path / "a.vault", *budgets)


def test_a_vault_is_an_ordinary_file_of_its_owner(vault: Vault) -> None:
    """It holds the key of its fingerprints."""
    assert stat.S_ISREG(vault.path.lstat().st_mode)
    assert stat.S_IMODE(vault.path.stat().st_mode) == 0o600
    assert vault.path.stat().st_nlink == 1


@pytest.fixture
def mail(tmp_path: Path) -> Vault:
    return Vault.create(tmp_path / "mail.vault", Budget(epsilon=1.0, delta=1e-6, unit=Unit.EDGE_CONTENT))


def test_noise_is_remembered_with_its_charge(mail: Vault) -> None:
    made = mail.charge(words(0.5, event=GAUSSIAN))
    mail.charge(words(0.25))
    assert made.promises[0].event == GAUSSIAN
    assert [charge.promises[0].event for charge in Vault(mail.path).state.charges] == [GAUSSIAN, None]


def test_a_promise_that_rests_on_beliefs_is_charged_at_its_level(mail: Vault) -> None:
    level = Guarantee(epsilon=0.2, delta=2e-7, unit=Unit.EDGE_CONTENT)
    promise = Guarantee(epsilon=90.0, unit=Unit.CORRELATED_EDGE, kind=Kind.PUFFERFISH, level=level)
    mail.charge(Order(purpose="words histogram", sees=("contents",), guarantee=promise))
    assert (mail.left_epsilon, mail.left_delta) == (Decimal("0.8"), Decimal("8e-7"))
    with pytest.raises(VaultError, match="without assumptions"):
        Order(
            purpose="words histogram",
            sees=("contents",),
            guarantee=Guarantee(epsilon=0.1, unit=Unit.EDGE_CONTENT, kind=Kind.PUFFERFISH),
        )


def test_a_rehearsal_is_charged_as_well(vault: Vault) -> None:
    """Its output depends on the data like any other's."""
    vault.charge(ties(0.5, rehearsal=True))
    assert vault.left_epsilon == Decimal("0.5")


def test_what_was_asked_is_written_after_the_charge(vault: Vault) -> None:
    promise = Guarantee(epsilon=0.5, conditional="the weather")
    made = vault.charge(Order(purpose="test", sees=("ties",), guarantee=promise))
    assert vault.state.condition(made) == "the weather"
    vault.settle(made.number, {"size": 0.1, "degrees": 0.4})
    state = Vault(vault.path).state
    assert state.condition(made) == "the weather"
    assert state.drawn[made.number].body["asked"] == {"size": 0.1, "degrees": 0.4}
    assert vault.left_epsilon == Decimal("0.5")
    assert float(vault.total().conditional) == 0.5
    vault.settle(made.number, {}, condition="the moon")
    assert vault.state.condition(made) == "the moon"


def test_a_budget_is_added_and_never_changed(vault: Vault) -> None:
    vault.charge(ties(0.5))
    vault.add(Budget(epsilon=2.0, unit=Unit.EDGE_CONTENT))
    assert [str(budget.unit) for budget in vault.budgets] == ["edge", "edge-content"]
    vault.charge(words(0.25))
    assert vault.total("edge-content").left_epsilon == Decimal("1.75")
    assert vault.total("edge").left_epsilon == Decimal("0.25")  # a tie goes with its content
    with pytest.raises(VaultError, match="never changed"):
        vault.add(Budget(epsilon=9.0, unit=Unit.EDGE_CONTENT))
    with pytest.raises(VaultError, match="says nothing about the unit sender"):
        vault.add(Budget(epsilon=9.0, unit=Unit.SENDER))
    with pytest.raises(
        VaultError, match=r"earlier releases cost epsilon 0\.5 and delta 0 per replaced-content"
    ):
        vault.add(Budget(epsilon=0.4, unit=Unit.REPLACED_CONTENT))


def test_a_new_budget_counts_what_was_released_before(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "mail.vault", Budget(8.0, 1e-4, Unit.EDGE_CONTENT))
    vault.charge(words(0.5))
    vault.add(Budget(8.0, 1e-4, Unit.REPLACED_CONTENT))
    for known in (vault, Vault(vault.path)):
        assert float(known.total(Unit.REPLACED_CONTENT).epsilon) == 1.0


def test_a_budget_for_what_is_known_cannot_be_added(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "mail.vault", Budget(8.0, 1e-4, Unit.EDGE_CONTENT))
    vault.declare("ties")
    with pytest.raises(VaultError, match="edge can no longer be hidden"):
        vault.add(Budget(epsilon=1.0, unit=Unit.EDGE))
    assert [str(budget.unit) for budget in vault.budgets] == ["edge-content"]


def test_a_release_that_says_nothing_of_a_budget_is_refused(tmp_path: Path) -> None:
    budgets = (Budget(8.0, 1e-4, Unit.EDGE_CONTENT), Budget(8.0, 1e-4, Unit.SENDER))
    vault = Vault.create(tmp_path / "mail.vault", *budgets)
    with pytest.raises(VaultError, match="says nothing about it"):
        vault.charge(words(0.5))
    assert float(vault.total(Unit.EDGE_CONTENT).epsilon) == 0
    vault.charge(words(0.5, unit=Unit.SENDER))
    assert float(vault.total(Unit.EDGE_CONTENT).epsilon) == 2.0


@pytest.mark.parametrize(
    "wrong", [{"mechanism": "cauchy"}, {"scale": 0.0}, {"sensitivity": -1.0}, {"repeats": 0}, {"delta": 1.0}]
)
def test_noise_without_meaning_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        NoiseEvent(**{"mechanism": "gaussian", "scale": 1.0} | wrong)  # type: ignore[arg-type]
