"""What `entrenous attack release` does with mail: options, and many canaries in one release."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.console import FIRST_RUN, progress

if TYPE_CHECKING:
    from entrenous.attack import Finding

__all__ = ["Contribution", "MailDelta", "PublicList", "Published", "What", "planted_in_mail"]


class Published(StrEnum):
    """What is published of mail."""

    VOCABULARY = "vocabulary"
    HISTOGRAM = "histogram"


What = Annotated[Published, typer.Option(help="Of mail: what is published.")]
MailDelta = Annotated[
    float | None,
    typer.Option(
        help="Of mail: what may be lost. A vocabulary needs it; a histogram has Gaussian noise then."
    ),
]
PublicList = Annotated[
    Path | None,
    typer.Option(
        "--words",
        help="Of mail: the public n-grams of a histogram, one a line. (default: none)",
        metavar="FILE",
    ),
]
Contribution = Annotated[
    int, typer.Option(min=1, help="Of mail: listed n-grams for which each holder counts fully.")
]


def planted_in_mail(
    path: Path,
    what: str,
    unit: str | None,
    epsilon: float,
    delta: float | None,
    words: Path | None,
    contribution: int,
    canaries: int | None,
    seed: int | None,
) -> tuple[list[Finding], list[tuple[str, str]]]:
    """Plant letters in a corpus, and return what attackers prove, with facts for the page."""
    from entrenous import attack
    from entrenous.words import Corpus

    corpus = Corpus.open(path)
    listed = () if words is None else _listed(words)
    with progress(f"releasing once with planted letters ({FIRST_RUN})") as tick:
        found = attack.planted_letters(
            corpus, what=what, unit=unit, epsilon=epsilon, delta=delta, vocabulary=listed,
            contribution=contribution, canaries=canaries, rng=seed, progress=tick,
        )  # fmt: skip
    facts = [
        ("messages", f"{corpus.summary.messages:,}"),
        ("canaries", f"{found[0].details['canaries']:,}"),
        ("published", str(what)),
        ("unit", found[0].unit),
    ]
    return found, facts if delta is None else [*facts, ("delta", f"{delta:g}")]


def _listed(path: Path) -> list[str]:
    """Return the n-grams of a public list, without empty lines and comments."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]
