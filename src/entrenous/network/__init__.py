"""Publish a network under edge differential privacy: a graph goes in, a private graph comes out."""

from __future__ import annotations

from entrenous.network.publication import METHODS, release

__all__ = ["METHODS", "release"]
