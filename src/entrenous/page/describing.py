"""Where a page finds out what to tell about a kind of artifact: in a module that the kind names."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple, Protocol, cast

from entrenous.page.sections import Section
from entrenous.release import Artifact, Release

__all__ = ["Describing", "Description", "describing"]


class Description(NamedTuple):
    """The heading of a page and what stands below its card."""

    title: str
    sections: list[Section]


class Describing(Protocol):
    """What the module named by `Artifact.page` offers."""

    def published(self, release: Release[Any]) -> Description:
        """Describe a release from its publishable half alone."""
        ...

    def compared(self, original: Any, release: Release[Any], **known: Any) -> Description:
        """Set a release beside what it was made from, for the curator; what is known already is not computed again."""
        ...


def describing(kind: Artifact[Any]) -> Describing:
    """Load the module that describes such artifacts."""
    return cast("Describing", importlib.import_module(kind.page))
