"""Who wrote to whom: addresses folded to persons, and the public directory that says more.

An address is its text in lower case, without brackets, quotes and blanks; without an "@" (Exchange and Lotus Notes
write names and paths instead) the display name stands for it, "Last, First" turned round. Each address is one person;
several are the same person only where a directory says so.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from entrenous.errors import FormatError, MissingDataError

__all__ = ["Directory", "addresses_in", "folded", "pieces_in"]

COLUMNS = ("address", "person", "member_of", "kind")
_WRAPPING = " \t\r\n\"'<>()[],;:"
_BRACKETED = re.compile(r"<([^<>@]*@[^<>]*)>")
_NOBODY = re.compile(r"(?:undisclosed|unlisted)[- ]recipients?|recipient list (?:not shown|suppressed)")
_COMMENT = re.compile(r"\([^()]*\)")
# Commas in quotes, and in encoded words, do not separate.
_PIECE = re.compile(r"""(?:=\?[^?\s]*\?[bBqQ]\?[^?]*\?=|"[^"]*"|<[^<>]*>|\([^()]*\)|[^,;"<(]|["<(])+""")
_GROUP = re.compile(r"""(?:"[^"]*"|[^"<>@(:])*:""")  # the name of a group, whose addresses follow, if any


@lru_cache(maxsize=1 << 20)
def folded(text: str) -> str:
    """Return the address that a text names, or the folded name if it names none; empty if there is neither.

    >>> folded('"Smith, Ann" <Ann.Smith@Example.org>'), folded("Smith, Ann </O=X/CN=ASMITH>")
    ('ann.smith@example.org', 'ann smith')
    """
    bracketed = _BRACKETED.search(text)
    inner = (
        (bracketed.group(1) if bracketed else _COMMENT.sub("", text))
        .strip(_WRAPPING)
        .lower()
        .removeprefix("mailto:")
    )
    domain = inner.rpartition("@")[2]
    if "@" in inner and " " not in inner and ("/" not in inner or "." in domain):
        return inner
    name = _without_path(inner).partition("@")[0].strip(_WRAPPING)
    if _NOBODY.fullmatch(name):
        return ""
    last, comma, first = name.partition(",")
    return " ".join((f"{first} {last}" if comma else name).replace("'", "").split())


def _without_path(name: str) -> str:
    """Return a name without its path in the directory of Exchange ("/O=...") or of Lotus Notes ("Ann Day/HOU/ECT")."""
    name = name.partition("/o=")[0]
    words, blank, last = name.rpartition(" ")
    return words + blank + last.partition("/")[0]


def addresses_in(header: str) -> list[str]:
    """Return the folded addresses of a header, broken ones included, each once.

    >>> addresses_in('Bob <bob@example.org>, "Day, Eve" <eve@example.org>; ann@example.org, BOB@example.org')
    ['bob@example.org', 'eve@example.org', 'ann@example.org']
    >>> addresses_in("Team: ann@example.org, bob@example.org;"), addresses_in("Nobody you know:;")
    (['ann@example.org', 'bob@example.org'], [])
    """
    return list(dict.fromkeys(filter(None, map(folded, pieces_in(header)))))


def pieces_in(header: str) -> list[str]:
    """Return what stands between the commas of a header, without names of groups."""
    pieces: list[str] = _PIECE.findall(header)
    return [piece[_group_end(piece) :] if ":" in piece else piece for piece in pieces]


def _group_end(piece: str) -> int:
    found = _GROUP.match(piece)
    return 0 if found is None else found.end()


@dataclass(frozen=True)
class Directory:
    """What an organization says in public about its addresses.

    Attributes
    ----------
    person
        The person behind an address, where it is not the address itself.
    members
        The addresses on each list; none if they are not known.
    """

    person: dict[str, str] = field(default_factory=dict)
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> Directory:
        """Read a directory: a table (.csv, or .tsv) with a row per address and a first row of column names.

        Columns are `address`, `person` (whom it belongs to, if not to itself), `member_of` (the lists it is on,
        separated by blanks) and `kind` ("list" if the address is one itself); all but the first may be missing.
        """
        file = Path(path)
        if not file.is_file():
            raise MissingDataError("directory: expected a file of addresses; there is none of this name")
        with file.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
            rows = csv.DictReader(lines, dialect="excel-tab" if file.suffix == ".tsv" else "excel")
            if "address" not in (rows.fieldnames or ()):
                raise FormatError(
                    f"expected the columns {', '.join(COLUMNS)}, at least the first; "
                    f"got {len(rows.fieldnames or ())} others",
                    line=1,
                    file="directory",
                )
            return cls._from_rows(rows)

    @classmethod
    def _from_rows(cls, rows: csv.DictReader[str]) -> Directory:
        person: dict[str, str] = {}
        members: dict[str, list[str]] = {}
        for row in rows:
            address = folded(row["address"] or "")
            if not address:
                raise FormatError("expected an address; got none", line=rows.line_num, file="directory")
            if (row.get("kind") or "").strip().lower() == "list":
                members.setdefault(address, [])
            if row.get("person"):
                whose = folded(row["person"] or "")
                if person.setdefault(address, whose) != whose:
                    raise FormatError(
                        "expected one person per address; got a second one",
                        line=rows.line_num,
                        file="directory",
                    )
            for name in (row.get("member_of") or "").split():
                members.setdefault(folded(name), []).append(address)
        return cls(person, {name: tuple(dict.fromkeys(found)) for name, found in members.items()})

    def expanded(self, address: str) -> tuple[str, ...]:
        """Return the persons an address stands for: one, or the members of a list and of the lists on it."""
        found: dict[str, None] = {}
        waiting, seen = [address], {address}
        while waiting:
            name = waiting.pop()
            if name in self.members:
                new = [member for member in self.members[name] if member not in seen]
                seen.update(new)
                waiting.extend(reversed(new))
            else:
                found[self.person.get(name, name)] = None
        return tuple(found)
