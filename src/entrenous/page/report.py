"""One self-contained page about a release: the card first, then pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from entrenous import __version__
from entrenous._files import private_files
from entrenous.card import Card, Provenance
from entrenous.errors import MissingDataError, PrivacyError
from entrenous.noise import REHEARSAL
from entrenous.page.describing import describing
from entrenous.page.sections import Head, Section
from entrenous.release import Release, artifact_of, read_release

__all__ = ["Report", "check_private_place", "rendered"]

CURATOR_BANNER = "This page contains private information: for the curator only."
LONGEST_FACT = 40  # characters; a longer one is a sentence
UNKNOWN_ORIGIN = "This {noun} came without a card: nothing is known about what it promises."
_MEANINGS = {
    "guarantee.json": "the card for programs",
    "card.md": "the card for people",
    "report.html": "this page",
}


@dataclass(frozen=True)
class Report:
    """A finished page: published, or for the curator alone.

    Build one with `of_release`, `of_folder` or `comparison`. The page needs no network and no script.

    Attributes
    ----------
    html
        The whole page.
    private
        Whether the page says something about the original data.

    Examples
    --------
    >>> from entrenous.datasets import karate_club
    >>> from entrenous.card import Provenance
    >>> from entrenous.release import Release
    >>> report = Report.of_release(Release(karate_club(), None, Provenance("none")))
    >>> "<svg" in report.html, report.private
    (True, False)
    """

    html: str = field(repr=False)
    private: bool

    @classmethod
    def of_release(cls, release: Release[Any]) -> Self:
        """Describe a release from its publishable half alone."""
        kind = artifact_of(release.artifact, release.provenance.method)
        title, sections = describing(kind).published(release)
        return cls(rendered(title, _head(release.card), sections), private=False)

    @classmethod
    def of_folder(cls, folder: str | Path) -> Self:
        """Describe a saved release; see `Release.save`."""
        folder = Path(folder)
        saved = read_release(folder)
        kind = artifact_of(saved.artifact, saved.provenance.method)
        files = [
            (file.name, _MEANINGS.get(file.name) or kind.meaning(file.name))
            for file in sorted(folder.iterdir())
        ]
        title, sections = describing(kind).published(saved)
        return cls(rendered(title, _head(saved.card, files), sections), private=False)

    @classmethod
    def comparison(cls, original: Any, released: Any, **known: Any) -> Self:
        """Compare a release with what it was made from: the curator's page, which must not be published.

        Parameters
        ----------
        original
            The confidential data.
        released
            A release of it, or an artifact of unknown origin.
        known
            What was computed already, by the names that `compared` in the kind's `page` module has for it, such as
            ``comparison`` for graphs.
        """
        carded = isinstance(released, Release)
        release = released if carded else Release(released, None, Provenance("unknown"))
        kind = artifact_of(release.artifact, release.provenance.method)
        head = _head(release.card) if carded else Head(UNKNOWN_ORIGIN.format(noun=kind.noun))
        title, sections = describing(kind).compared(original, release, **known)
        return cls(rendered(title, head, sections, curator=True), private=True)

    def save(self, path: str | Path) -> Path:
        """Write the page; a page that is there is replaced, a half-written one is never seen.

        The curator's page can be read by its owner alone.

        Raises
        ------
        PrivacyError
            If the page is the curator's and the place is inside a saved release, which is to be published.
        """
        file = Path(path)
        if self.private:
            check_private_place(file)
        aside = file.with_name(f".{file.name}.{os.getpid()}.partial")
        try:
            with private_files() if self.private else nullcontext():
                aside.write_text(self.html, encoding="utf-8")
            aside.replace(file)
        except OSError:
            raise MissingDataError(f"{file.name} cannot be written there; is its folder there?") from None
        finally:
            with suppress(OSError):
                aside.unlink()
        return file


def check_private_place(path: str | Path, published: str | Path | None = None) -> None:
    """Raise if a curator's page could not be written there, or would stand inside a folder to be published.

    Parameters
    ----------
    path
        The page.
    published
        A folder that will be published but is not there yet.
    """
    file = Path(path).resolve()  # neither `..` nor a link leads in unseen
    folders = file.parents
    if (published is not None and Path(published).resolve() in folders) or any(
        (folder / "guarantee.json").exists() for folder in folders
    ):
        raise PrivacyError(
            f"{file.name} would stand inside a folder to be published, but it tells about the original "
            "data; save it elsewhere"
        )
    if not file.parent.is_dir():
        raise MissingDataError(f"{file.name} cannot be written there; is its folder there?")


def rendered(title: str, head: Head, sections: Sequence[Section], *, curator: bool = False) -> str:
    """Fill the template; everything that is not a picture of ours is escaped.

    Parameters
    ----------
    title
        The heading.
    head
        What stands first.
    sections
        What stands below.
    curator
        Whether the page tells about confidential data.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("entrenous.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = {
        "title": title,
        "curator": curator,
        "curator_banner": CURATOR_BANNER,
        "footer": f"Written by entrenous {__version__}. The page is complete in itself: it loads nothing.",
    }
    return environment.get_template("report.html").render(page=page, head=head, sections=sections)


def _head(card: Card, files: Sequence[tuple[str, str]] = ()) -> Head:
    """Return what a page shows of a card: publishable facts only."""
    guarantee, provenance = card.guarantee, card.provenance
    facts: list[tuple[str, object]] = []
    if guarantee is not None:
        facts += [("protected unit", guarantee.unit), ("epsilon", f"{guarantee.epsilon:g}")]
        facts += [("delta", f"{guarantee.delta:g}")] if guarantee.delta else []
    parameters = {name: _value(value) for name, value in provenance.parameters.items()}
    facts += [("method", provenance.method)]
    facts += [(name, text) for name, text in parameters.items() if len(text) <= LONGEST_FACT]
    facts += [("made by", f"entrenous {provenance.version}"), ("made on", provenance.created)]
    return Head(
        promise=card.promise,
        facts=facts,
        stamp=REHEARSAL if provenance.rehearsal else None,
        notes=[
            *(f"{name}: {text}" for name, text in parameters.items() if len(text) > LONGEST_FACT),
            *(sentence.removesuffix(".") for sentence in card.remembered),
        ],
        assumptions=guarantee.assumptions if guarantee else (),
        files=files,
    )


def _value(value: str | float) -> str:
    """Write a parameter for a reader."""
    return value if isinstance(value, str) else f"{value:,g}" if isinstance(value, float) else f"{value:,}"
