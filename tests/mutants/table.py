"""The table of faults and who notices them: ``python -m tests.mutants.table`` writes it into docs/attack.md."""

from __future__ import annotations

import re

from tests.mutants import MUTANTS
from tests.mutants.mutant import PROJECT

PAGE = PROJECT / "docs" / "attack.md"
START, END = "<!-- mutants -->", "<!-- end of mutants -->"


def table() -> str:
    """Return the table as Markdown."""
    lines = ["| fault | where | noticed by |", "|---|---|---|"]
    lines += [
        f"| {mutant.name} | `{mutant.file}` | {mutant.killed_by}: `{mutant.killer.split(': ')[-1]}` |"
        for mutant in MUTANTS
    ]
    return "\n".join(lines)


def main() -> None:
    """Replace the table on the page."""
    page = PAGE.read_text(encoding="utf-8")
    assert START in page
    made = re.sub(f"{START}.*{END}", lambda _: f"{START}\n{table()}\n{END}", page, flags=re.DOTALL)
    PAGE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
