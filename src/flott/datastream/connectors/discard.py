"""A sink that throws everything away."""

from __future__ import annotations

from flott.connectors.discard import DiscardingSink

__all__ = ["DiscardingSink"]
