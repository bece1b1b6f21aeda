"""What an adversary would try, to check the promises: every attack returns a `Finding`."""

from __future__ import annotations

from entrenous.attack.findings import Finding

__all__ = ["Finding"]
