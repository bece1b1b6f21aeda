"""What people read: one self-contained page about a release."""

from __future__ import annotations

from entrenous.page.report import Report

__all__ = ["Report"]
