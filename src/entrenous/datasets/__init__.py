"""Small graphs and an invented organization, for examples and tests."""

from __future__ import annotations

from entrenous.datasets.karate import karate_club, karate_factions
from entrenous.datasets.organization import organization

__all__ = ["karate_club", "karate_factions", "organization"]
