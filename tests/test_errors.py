from __future__ import annotations

import errno
import inspect
from decimal import Decimal
from pathlib import Path

import pytest

from entrenous import errors
from entrenous.errors import (
    ArgumentError,
    BudgetExceeded,
    CannotCompose,
    Contradiction,
    DiskFull,
    EntrenousError,
    FormatError,
    InputError,
    MissingDataError,
    MissingExtraError,
    OutputExistsError,
    PrivacyError,
    VaultError,
    is_disk_full,
)

TREE = {
    InputError: EntrenousError,
    ArgumentError: InputError,
    FormatError: InputError,
    MissingDataError: InputError,
    MissingExtraError: InputError,
    PrivacyError: EntrenousError,
    BudgetExceeded: PrivacyError,
    Contradiction: PrivacyError,
    VaultError: PrivacyError,
    CannotCompose: PrivacyError,
    DiskFull: EntrenousError,
    OutputExistsError: EntrenousError,
}


def test_the_tree_is_the_one_drawn_in_the_docstring() -> None:
    defined = {
        item for _, item in inspect.getmembers(errors, inspect.isclass) if item.__module__ == errors.__name__
    }
    assert defined == {EntrenousError, *TREE}
    for child, parent in TREE.items():
        assert child.__bases__[0] is parent
        assert child.__name__ in (errors.__doc__ or "")


def test_an_argument_error_is_a_value_error_and_knows_its_argument() -> None:
    error = ArgumentError("epsilon", "expected a number; got none")
    assert isinstance(error, ValueError)
    assert (error.argument, str(error)) == ("epsilon", "epsilon: expected a number; got none")


@pytest.mark.parametrize(
    ("line", "file", "text"),
    [
        (None, None, "broken"),
        (17, None, "line 17: broken"),
        (None, "a.csv", "a.csv: broken"),
        (17, "a.csv", "a.csv, line 17: broken"),
    ],
)
def test_a_format_error_says_where(line: int | None, file: str | None, text: str) -> None:
    error = FormatError("broken", line=line, file=file)
    assert (str(error), error.line, error.file) == (text, line, file)


def test_errors_carry_their_numbers() -> None:
    exceeded = BudgetExceeded(
        asked=Decimal("0.7"), left=Decimal("0.6"), parameter="delta", unit="edge-content"
    )
    numbers = (exceeded.asked, exceeded.left, exceeded.parameter, exceeded.unit)
    assert numbers == (Decimal("0.7"), Decimal("0.6"), "delta", "edge-content")
    assert "the vault has delta 0.6 left per edge-content, but 0.7 was asked for" in str(exceeded)
    assert "nothing was charged" in str(exceeded)
    computed = BudgetExceeded(asked=Decimal(1) / Decimal(3), left=Decimal("0.1"))
    assert computed.asked == Decimal(1) / Decimal(3)
    assert "but 0.333333 was asked for" in str(computed)
    missing = MissingExtraError("plots", "drawing")
    assert missing.extra == "plots"
    assert "pip install 'entrenous[plots]'" in str(missing)


def test_a_full_disk_names_the_folder_and_what_follows(tmp_path: Path) -> None:
    error = DiskFull(tmp_path / "public", "nothing was written")
    assert str(error).startswith("the disk that holds public is full: nothing was written.")
    assert str(tmp_path) not in str(error)
    assert is_disk_full(OSError(errno.ENOSPC, "no room"))
    assert is_disk_full(OSError(errno.EDQUOT, "no share"))
    assert not is_disk_full(PermissionError(errno.EACCES, "no right"))
