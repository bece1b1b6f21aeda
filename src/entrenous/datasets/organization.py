"""An invented organization: who works where, who reports to whom, who knows whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.datasets import colleagues
from entrenous.errors import ArgumentError
from entrenous.graph import Graph

if TYPE_CHECKING:
    from entrenous.datasets.mail import Message

__all__ = ["Organization", "organization"]

LEAST_PERSONS, MOST_PERSONS = 10, 1_000_000
TEAM_SIZE = 8  # mean; no team is smaller than LEAST_TEAM
LEAST_TEAM = 3
SPAN_OF_CONTROL = 8  # how many leads, or department heads, report to one of their kind

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Organization:
    """Departments of teams of persons, their ties and their mail, all invented.

    Build one with `organization`. Persons are the nodes of `graph`; every array has one entry per person.

    Attributes
    ----------
    graph
        Who is tied to whom: reporting lines, teammates and friendships across teams.
    department, team
        Where each person works, numbered from 0: the public hierarchy. A team lies in one department.
    manager
        Whom each person reports to; -1 for the one person who reports to nobody.
    seed
        What the organization was drawn from; its mail is drawn from it, too.
    """

    graph: Graph
    department: Numbers
    team: Numbers
    manager: Numbers
    seed: int = field(kw_only=True)

    def __post_init__(self) -> None:
        for array in (self.department, self.team, self.manager):
            array.flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"Organization(persons={self.graph.n}, departments={int(self.department.max()) + 1}, "
            f"teams={int(self.team.max()) + 1}, edges={self.graph.m})"
        )

    def newick(self) -> str:
        """Return the public hierarchy in Newick notation: persons in teams in departments.

        >>> text = organization(10, seed=1).newick()
        >>> text.count("team"), text.count("department"), text.endswith(");")
        (2, 2, True)
        """
        persons = [self.graph.name(person) for person in range(self.graph.n)]
        order = np.argsort(self.team, kind="stable")
        starts = np.flatnonzero(np.diff(self.team[order], prepend=-1))
        departments: dict[int, list[str]] = {}
        for members in np.split(order, starts[1:]):
            team = f"({','.join(persons[person] for person in members)})team{self.team[members[0]]}"
            departments.setdefault(int(self.department[members[0]]), []).append(team)
        nested = [f"({','.join(teams)})department{number}" for number, teams in sorted(departments.items())]
        return f"({','.join(nested)});"

    def messages(self, count: int, *, style: str = "office") -> Iterator[Message]:
        """Yield invented mail, oldest first; see `entrenous.datasets.mail`.

        Mail is drawn as it is asked for and never held: fewer messages are the beginning of more. The style is
        "office", short messages to few, or "enron", of such uneven lengths and numbers of recipients as real mail has.

        >>> first = next(organization(50, seed=1).messages(1))
        >>> sorted(first)
        ['body', 'cc', 'date', 'from', 'id', 'subject', 'to']
        """
        from entrenous.datasets.mail import STYLES, messages

        return messages(self, _check.at_least("count", count, 0), _check.one_of("style", style, STYLES))

    def write_mail(self, path: str | Path, count: int, *, format: str = "jsonl") -> None:  # noqa: A002 - the word users know
        """Write invented mail to a new file or folder: "jsonl" (gzipped if so named), "mbox" or "maildir"."""
        from entrenous.datasets.mail_files import write_mail

        write_mail(self.messages(count), Path(path), format)


def organization(persons: int, *, seed: int) -> Organization:
    """Invent an organization of a given size.

    Team and department sizes vary, degrees have a heavy tail (some people know everybody), friends of friends
    are friends, and most ties stay inside a team or a department.

    Parameters
    ----------
    persons
        How many people, from 10 to 1,000,000.
    seed
        The same seed invents the same organization.

    Examples
    --------
    >>> organization(200, seed=7).graph.n
    200
    """
    n = _check.at_least("persons", persons, LEAST_PERSONS)
    if n > MOST_PERSONS:
        raise ArgumentError("persons", f"expected {MOST_PERSONS} at most; got {n}")
    seed = _check.at_least("seed", seed, 0)
    rng = np.random.default_rng([seed, n])
    team_department, team = _workplaces(n, rng)
    department = team_department[team]
    manager = _reporting_lines(team, team_department)
    edges = colleagues.draw(team, department, manager, rng)
    width = len(str(n))
    names = [f"p{person:0{width}d}@example.org" for person in range(1, n + 1)]
    return Organization(Graph.from_edges(edges, n=n, names=names), department, team, manager, seed=seed)


def _workplaces(n: int, rng: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Return the department of each team and the team of each person."""
    teams = max(2, round(n / TEAM_SIZE))
    departments = max(2, round(teams**0.5))
    department_of = np.sort(np.repeat(np.arange(departments), _sizes(teams, departments, 1, rng)))
    team_of = np.repeat(np.arange(teams), _sizes(n, teams, LEAST_TEAM, rng))
    return department_of, rng.permutation(team_of)


def _sizes(total: int, groups: int, least: int, rng: np.random.Generator) -> Numbers:
    """Split a total into groups of uneven (lognormal) sizes, each at least so large."""
    weights = rng.lognormal(sigma=0.5, size=groups)
    return least + rng.multinomial(total - least * groups, weights / weights.sum()).astype(np.int64)


def _reporting_lines(team: Numbers, team_department: Numbers) -> Numbers:
    """Return each person's manager: a tree of persons below leads below department heads.

    The first person of a team leads it; the lead of a department's first team heads the department. Leads
    report to leads, and heads to heads, in a heap, so that nobody has more than a few of them below.
    """
    lead = np.unique(team, return_index=True)[1]
    manager = lead[team]
    head_team = np.unique(team_department, return_index=True)[1]
    place = np.arange(len(lead)) - head_team[team_department]  # of a team in its department
    manager[lead] = lead[head_team[team_department] + (place - 1) // SPAN_OF_CONTROL * (place > 0)]
    heads = lead[head_team]
    manager[heads] = heads[(np.arange(len(heads)) - 1) // SPAN_OF_CONTROL]
    manager[heads[0]] = -1
    return manager
