from __future__ import annotations

import inspect
from decimal import Decimal

import pytest

from entrenous import errors
from entrenous.errors import (
    ArgumentError,
    BudgetExceeded,
    CannotCompose,
    EntrenousError,
    FormatError,
    InputError,
    LedgerError,
    MissingDataError,
    MissingExtraError,
    OutputExistsError,
    PrivacyError,
)

TREE = {
    InputError: EntrenousError,
    ArgumentError: InputError,
    FormatError: InputError,
    MissingDataError: InputError,
    MissingExtraError: InputError,
    PrivacyError: EntrenousError,
    BudgetExceeded: PrivacyError,
    LedgerError: PrivacyError,
    CannotCompose: PrivacyError,
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
    exceeded = BudgetExceeded(asked=Decimal("0.7"), left=Decimal("0.6"), parameter="delta")
    assert (exceeded.asked, exceeded.left, exceeded.parameter) == (Decimal("0.7"), Decimal("0.6"), "delta")
    assert "delta 0.6 left" in str(exceeded)
    assert "nothing was charged" in str(exceeded)
    missing = MissingExtraError("plots", "drawing")
    assert missing.extra == "plots"
    assert "pip install 'entrenous[plots]'" in str(missing)
