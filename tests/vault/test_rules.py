"""What is allowed after what: every noun after every noun, for vaults with different budgets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.vault.orders import believed, links, ties, words

from entrenous.errors import BudgetExceeded, Contradiction, VaultError
from entrenous.unit import Unit
from entrenous.vault import Budget, Order, Vault

ORDERS: dict[str, Callable[[], Order]] = {
    "network": ties,
    "links": links,
    "words edge": words,
    "words replaced": lambda: words(unit=Unit.REPLACED_CONTENT),
    "words group": lambda: words(unit=Unit.GROUP),
    "words sender": lambda: words(unit=Unit.SENDER),
    "listed edge": lambda: words(listed=True),
    "listed replaced": lambda: words(unit=Unit.REPLACED_CONTENT, listed=True),
    "listed sender": lambda: words(unit=Unit.SENDER, listed=True),
    "believed": believed,
}
NAMES = (*ORDERS, "declare ties", "declare nodes")

#: Rows come first, columns second. "." allowed, "C" a contradiction, "U" no budget for its unit, or one that it says
#: nothing about. The column before the table is what comes first, on an empty vault.
MATRIX = {
    (
        "edge",
        "edge-content",
        "replaced-content",
    ): """
        network          .   . C . . . U C C C C C .
        links            .   C . . . . U . . U . . .
        words edge       .   . C . . . U C C C C C .
        words replaced   .   . C . . . U C C C C C .
        words group      .   . C . . . U C C C C C .
        words sender     U   . . . . . U . . U . . .
        listed edge      .   C . . . . U . . U . . .
        listed replaced  .   C . . . . U . . U . . .
        listed sender    U   . . . . . U . . U . . .
        believed         .   C . . . . U . . U . . .
        declare ties     .   C . . . . U . . U . . .
        declare nodes    .   . . . . . U . . U . . .
""",
    (
        "edge",
        "sender",
        "replaced-sender",
    ): """
        network          .   . C U U U . C C C C C .
        links            .   C . U U U . U U . U . .
        words edge       U   . . U U U . U U . U . .
        words replaced   U   . . U U U . U U . U . .
        words group      U   . . U U U . U U . U . .
        words sender     .   . C U U U . C C C C C .
        listed edge      U   . . U U U . U U . U . .
        listed replaced  U   . . U U U . U U . U . .
        listed sender    .   C . U U U . U U . U . .
        believed         U   . . U U U . U U . U . .
        declare ties     .   C . U U U . U U . U . .
        declare nodes    .   . . U U U . U U . U . .
""",
    ("edge-content",): """
        network          U   U . . . . U . . U . . .
        links            .   C . . . . U . . U . . .
        words edge       .   U . . . . U . . U . . .
        words replaced   .   U . . . . U . . U . . .
        words group      .   U . . . . U . . U . . .
        words sender     U   U . . . . U . . U . . .
        listed edge      .   C . . . . U . . U . . .
        listed replaced  .   C . . . . U . . U . . .
        listed sender    U   U . . . . U . . U . . .
        believed         .   C . . . . U . . U . . .
        declare ties     .   C . . . . U . . U . . .
        declare nodes    .   U . . . . U . . U . . .
""",
}
CELLS = [
    (units, first, second, before, after)
    for units, table in MATRIX.items()
    for first, line in zip(NAMES, table.strip().splitlines(), strict=True)
    for before, second, after in [
        (line.split()[-len(NAMES) - 1], second, after)
        for second, after in zip(NAMES, line.split()[-len(NAMES) :], strict=True)
    ]
]


def tried(vault: Vault, name: str) -> str:
    """Return how a vault answers to an order."""
    before = vault.entries()
    try:
        vault.declare(name.split()[1]) if name.startswith("declare") else vault.charge(ORDERS[name]())
    except Contradiction as refused:
        answer, message = "C", str(refused)
    except VaultError as refused:
        answer, message = "U", str(refused)
    else:
        return "."
    assert vault.entries() == before, "a refusal writes nothing"
    assert "nothing was" in message
    return answer


def new_vault(folder: Path, units: tuple[str, ...]) -> Vault:
    return Vault.create(folder / "company.vault", *(Budget(100.0, unit=Unit.named(unit)) for unit in units))


def test_the_matrix_is_whole() -> None:
    assert len(CELLS) == len(MATRIX) * len(NAMES) ** 2 == 432


@pytest.mark.parametrize("units", MATRIX)
@pytest.mark.parametrize("first", NAMES)
def test_what_is_allowed_after_what(tmp_path: Path, units: tuple[str, ...], first: str) -> None:
    """Each cell on a vault of its own."""
    for place, cell in enumerate(cell for cell in CELLS if cell[:2] == (units, first)):
        (folder := tmp_path / str(place)).mkdir()
        vault = new_vault(folder, units)
        assert (tried(vault, first), tried(vault, cell[2])) == cell[3:], cell


@pytest.mark.parametrize("units", MATRIX)
@pytest.mark.parametrize("first", NAMES)
def test_giving_promises_up_lifts_contradictions_with_them_and_no_others(
    tmp_path: Path, units: tuple[str, ...], first: str
) -> None:
    """What lays ties open may void an earlier promise; nothing can promise to hide what is known."""
    for place, cell in enumerate(cell for cell in CELLS if cell[:2] == (units, first) and cell[4] == "C"):
        (folder := tmp_path / str(place)).mkdir()
        vault = new_vault(folder, units)
        tried(vault, first)
        opened = Vault(vault.path, void_promises=True)
        answer = tried(opened, cell[2])
        if cell[2] == "network":
            assert answer == "C"
            continue
        if answer == ".":  # "U" where the unit has no budget
            assert len(opened.given_up) == 1
            assert "promised to hide adding or removing any one tie" in opened.given_up[0]
            assert opened.state.gone(Unit.EDGE) is not None
            assert tried(opened, "network") == "C"


def test_a_refusal_names_both_sides(tmp_path: Path) -> None:
    vault = new_vault(tmp_path, ("edge", "edge-content"))
    first = vault.charge(ties())
    with pytest.raises(
        Contradiction,
        match=rf"^links obfuscate promises nothing.*entry {first.number} of 20\d\d-\d\d-\d\d \(network release\)",
    ):
        vault.charge(links())
    with pytest.raises(
        Contradiction, match=rf"words histogram takes who is tied to whom for public.*{first.number}"
    ):
        vault.charge(words(listed=True))
    other = Vault.create(tmp_path / "other.vault", Budget(1.0), Budget(1.0, unit=Unit.EDGE_CONTENT))
    other.charge(words(listed=True))
    with pytest.raises(
        Contradiction,
        match=r"network release would promise to hide adding or removing any one tie, but who is tied to whom was "
        r"declared public by entry 4 of 20.*\(words histogram\)",
    ):
        other.charge(ties())


def test_a_tie_goes_with_what_passes_on_it(tmp_path: Path) -> None:
    """Words without a list are charged to ties as well; a network says nothing about contents."""
    vault = new_vault(tmp_path, ("edge", "edge-content"))
    vault.charge(ties(1.0))
    vault.charge(words(2.0))
    assert float(vault.total("edge").epsilon) == 3.0
    assert float(vault.total("edge-content").epsilon) == 2.0


def test_the_budget_of_ties_stops_words_too(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "v", Budget(1.0), Budget(9.0, unit=Unit.EDGE_CONTENT))
    vault.charge(ties(0.5))
    with pytest.raises(
        BudgetExceeded,
        match=r"epsilon 0\.5 left per edge, but what is asked for per edge-content costs that 0\.6",
    ):
        vault.charge(words(0.6))
