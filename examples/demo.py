"""The main jobs on built-in data, as a user would type them: python examples/demo.py FOLDER."""

from __future__ import annotations

import html
import os
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from entrenous._parallel import threads

FIRST = """
entrenous datasets organization 400 --seed 1 --messages 8000 --out company
entrenous datasets organization 300 --seed 2 --out partner
entrenous budget create company.vault --budget edge=9,1e-5 --budget edge-and-message=6,1e-5
entrenous budget create partner.vault --epsilon 2
"""
"""Two companies, each with a vault of its own."""

CHAPTERS = (
    """
entrenous network release company/graph.edges --nodes company/nodes.txt --epsilon 2 --vault company.vault \
 --out public --curator curator.html
entrenous network release company/graph.edges --nodes company/nodes.txt --epsilon 1 --vault company.vault \
 --hierarchy company/departments.tsv --out public-by-department --curator curator-by-department.html
entrenous report public
entrenous report public-by-department
entrenous network compare company/graph.edges public-by-department
""",
    """
entrenous words read company/mail.jsonl --out mail.corpus
entrenous words vocabulary mail.corpus --epsilon 3 --delta 5e-6 --vault company.vault \
 --out words --curator words-curator.html
entrenous words histogram mail.corpus --vocabulary words --epsilon 2 --delta 5e-6 --noise gaussian \
 --vault company.vault --out counts --curator counts-curator.html
entrenous report words
entrenous report counts
entrenous words correlate --p0 0.0277 --p1 0.2739 --neighbours 1883 --epsilon 1
entrenous attack words --p0 0.0277 --p1 0.2739 --neighbours 1883 --epsilon 1 --out attack-words.html
""",
    """
entrenous links obfuscate partner/graph.edges --nodes partner/nodes.txt --vault partner.vault --out blurred \
 --curator blurred-curator.html
entrenous links entropy partner/graph.edges blurred
entrenous attack links partner/graph.edges --nodes partner/nodes.txt --hierarchy blurred.hierarchy.nwk \
 --out attack-links.html
! entrenous network release partner/graph.edges --nodes partner/nodes.txt --epsilon 1 --vault partner.vault --out late
""",
    """
entrenous access mediate thesis-oo
entrenous access mediate thesis-oc --explain u4
entrenous access mediate thesis-oc --picture photo.svg
entrenous access mediate thesis-second-round
entrenous access mediate professor
entrenous access mediate limits
entrenous access compare limits
entrenous attack access limits --out attack-access.html
""",
)
"""What follows: chapters that need nothing of each other, and so run side by side. What begins with ! is refused."""

LAST = """
! entrenous links obfuscate company/graph.edges --nodes company/nodes.txt --vault company.vault --out company-blurred
! entrenous words vocabulary mail.corpus --edges company/graph.edges --epsilon 1 --delta 1e-6 --vault company.vault \
 --out words-again
! entrenous network release company/graph.edges --nodes company/nodes.txt --epsilon 6 --vault company.vault --out more
entrenous budget show company.vault --out budget.html
entrenous budget verify company.vault public public-by-department words counts --graph company/graph.edges \
 --mail mail.corpus
"""
"""What the vault of the first company makes of it: nothing that contradicts what was promised gets through."""

PAGES = {
    "budget.html": "All that was told about the company, what is left, and what would still be allowed (private)",
    "public/report.html": "A published network: what it promises, and pictures of it",
    "curator.html": "The same for the curator: what was kept and what was lost (private)",
    "public-by-department/report.html": "Published with a public hierarchy, the departments",
    "curator-by-department.html": "The same for the curator: groups survive when they are public (private)",
    "blurred-curator.html": "Every tie moved to an equivalent place: how much is hidden, in bits (private)",
    "words/report.html": "What the company talks about: words and phrases that may be published",
    "words-curator.html": "The same for the curator: which frequent ones are there (private)",
    "counts/report.html": "How many pairs of people use each of them, with noise",
    "counts-curator.html": "The same for the curator: true and noisy counts (private)",
    "attack-words.html": "An attacker who knows that colleagues talk alike: what three kinds of release give away",
    "attack-links.html": "An attacker who knows some of the blurred ties: what is left of the others (private)",
    "attack-access.html": "A liar among co-owners: how far every lie gets, with hard limits and without (private)",
    "photo.svg": "Four people settle who may see a photo: wishes before and after",
}


def said(folder: Path, commands: str) -> str:
    """Run commands one after the other, and return them with what they said; those that begin with ! must fail."""
    program = Path(sys.executable).with_name("entrenous")
    screen = ""
    for line in commands.strip().splitlines():
        command = line.removeprefix("! ")
        done = subprocess.run(
            [program, *shlex.split(command)[1:]],
            check=False,
            cwd=folder,
            env=os.environ | {"COLUMNS": str(shutil.get_terminal_size().columns)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        screen += f"\n$ {command}\n{done.stdout}"
        if bool(done.returncode) != line.startswith("!"):
            sys.exit(f"{screen}\nended with {done.returncode}")
    return screen


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(said(folder, FIRST), flush=True)
    with ThreadPoolExecutor(threads()) as pool:
        for screen in pool.map(lambda chapter: said(folder, chapter), CHAPTERS):
            print(screen, flush=True)
    print(said(folder, LAST), flush=True)
    items = "".join(f'<li><a href="{page}">{html.escape(title)}</a>' for page, title in PAGES.items())
    title = "entrenous: what the demo made"
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
    page = f"{head}<body style='font: 1.1em/1.6 system-ui; margin: 3em'><h1>{title}</h1><ul>{items}</ul>"
    (folder / "index.html").write_text(page, encoding="utf-8")
    print(f"\nopen {folder / 'index.html'}")


if __name__ == "__main__":
    main()
