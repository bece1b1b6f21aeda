"""The curator's page about published words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from entrenous.cli.console import note, progress

if TYPE_CHECKING:
    from entrenous.release import Release
    from entrenous.words import Corpus

__all__ = ["save_curators_page"]


def save_curators_page(corpus: Corpus, made: Release[Any], page: Path) -> None:
    """Compare what was published with the mail, on a page that must not be published."""
    from entrenous.report import Report

    with progress("comparing with the mail"):
        Report.words_comparison(corpus, made).save(page)
    note(f"the private comparison is in {page}: do not publish it")
