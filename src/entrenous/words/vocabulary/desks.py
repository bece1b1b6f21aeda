"""Names from one desk and their counts from another: two ceilings, one promise.

What counts need, a table of the names alone, is made from an answer of the first desk, so the second can only open
after it. Both ceilings are fixed before anything is asked, and a promise is read off both together.
"""

from __future__ import annotations

from entrenous.desk import Desk
from entrenous.errors import PrivacyError
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.request import TableDesk

__all__ = ["Desks"]


class Desks:
    """A desk for names, and once these are known, one for their counts.

    Parameters
    ----------
    table
        What names are asked of.
    unit
        What is protected, by both.
    ceilings
        Those of the desk for names, and of the one for counts; None for no counts.
    noise
        Where noise comes from, for both.

    Examples
    --------
    >>> table = Table.from_counts([{"a": 1}], ends=[(0, 1)])
    >>> both = Desks(table, Unit.EDGE_CONTENT, (Price(mu=3.0), Price(mu=4.0)), Noise(1))
    >>> both.ceiling, both.for_counts(table).ceiling
    (Price(epsilon=0.0, mu=5.0, delta=0.0), Price(epsilon=0.0, mu=4.0, delta=0.0))
    >>> both.for_counts(table)
    Traceback (most recent call last):
    entrenous.errors.PrivacyError: no desk for counts is left: what is promised covers one at most
    """

    def __init__(self, table: Table, unit: Unit, ceilings: tuple[Price, Price | None], noise: Noise) -> None:
        names, counts = ceilings
        self.names: TableDesk = Desk(table, unit=unit, ceiling=names, noise=noise)
        self._noise, self._left = noise, counts
        self._opened: TableDesk | None = None
        self._ceiling = names if counts is None else Price.total((names, counts))

    @property
    def unit(self) -> Unit:
        """What both protect."""
        return self.names.unit

    @property
    def ceiling(self) -> Price:
        """The most that all questions to both may cost together."""
        return self._ceiling

    @property
    def rehearsal(self) -> bool:
        """Whether noise comes from a seed."""
        return self.names.rehearsal

    def for_counts(self, table: Table) -> TableDesk:
        """Open the desk for counts, once.

        Parameters
        ----------
        table
            What counts are asked of: other rows of the same mail, chosen by nothing but answers of the first desk.
        """
        if self._left is None:
            raise PrivacyError("no desk for counts is left: what is promised covers one at most")
        self._opened = Desk(table, unit=self.unit, ceiling=self._left, noise=self._noise)
        self._left = None
        return self._opened

    @property
    def parts(self) -> dict[str, float]:
        """What each statistic cost, by name."""
        return self.names.parts | ({} if self._opened is None else self._opened.parts)

    @property
    def costs(self) -> dict[str, float]:
        """What a card says: the cost of each statistic."""
        return self.names.costs | ({} if self._opened is None else self._opened.costs)
