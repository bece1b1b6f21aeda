"""Publish a network under edge differential privacy: a graph goes in, a private graph comes out."""

from __future__ import annotations

from entrenous.network.diagnosis import diagnosed
from entrenous.network.mechanisms import MECHANISMS
from entrenous.network.release import release

__all__ = ["MECHANISMS", "diagnosed", "release"]
