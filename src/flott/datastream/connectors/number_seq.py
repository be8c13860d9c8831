"""A sequence of whole numbers as a source."""

from __future__ import annotations

from flott.connectors.number_sequence import NumberSequenceSource

__all__ = ["NumberSequenceSource"]
