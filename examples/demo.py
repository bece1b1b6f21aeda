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

FIRST = "entrenous datasets organization 400 --seed 1 --messages 8000 --out company"
CHAPTERS = (
    """
entrenous budget create company.ledger --epsilon 4
entrenous network release company/graph.edges --nodes company/nodes.txt --epsilon 2 --ledger company.ledger \
 --out public --curator curator.html
entrenous network release company/graph.edges --nodes company/nodes.txt --epsilon 2 --ledger company.ledger \
 --hierarchy company/departments.tsv --out public-by-department --curator curator-by-department.html
entrenous budget show company.ledger
entrenous report public
entrenous report public-by-department
entrenous network compare company/graph.edges public-by-department
""",
    """
entrenous links obfuscate company/graph.edges --nodes company/nodes.txt --out blurred --curator blurred-curator.html
entrenous links entropy company/graph.edges blurred
entrenous attack links company/graph.edges --nodes company/nodes.txt --hierarchy blurred.hierarchy.nwk \
 --out attack-links.html
""",
    """
entrenous words read company/mail.jsonl --out mail.corpus
entrenous budget create mail.ledger --epsilon 8 --delta 1e-5 --unit edge-content
entrenous words vocabulary mail.corpus --epsilon 4 --delta 1e-5 --ledger mail.ledger \
 --out words --curator words-curator.html
entrenous words histogram mail.corpus --vocabulary words --epsilon 4 --contribution 10 --ledger mail.ledger \
 --out counts --curator counts-curator.html
entrenous report words
entrenous report counts
entrenous words correlate --p0 0.0277 --p1 0.2739 --neighbours 1883 --epsilon 1
entrenous attack words --p0 0.0277 --p1 0.2739 --neighbours 1883 --epsilon 1 --out attack-words.html
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
"""What follows the first command: chapters that need nothing of each other, and so run side by side."""

PAGES = {
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
    """Run commands one after the other, and return them with what they said."""
    program = Path(sys.executable).with_name("entrenous")
    screen = ""
    for command in commands.strip().splitlines():
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
        if done.returncode:
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
    items = "".join(f'<li><a href="{page}">{html.escape(title)}</a>' for page, title in PAGES.items())
    title = "entrenous: what the demo made"
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
    page = f"{head}<body style='font: 1.1em/1.6 system-ui; margin: 3em'><h1>{title}</h1><ul>{items}</ul>"
    (folder / "index.html").write_text(page, encoding="utf-8")
    print(f"\nopen {folder / 'index.html'}")


if __name__ == "__main__":
    main()
