"""What can be wrong with a pattern."""

from __future__ import annotations

from flott.errors import FlottError, GraphError

__all__ = ["CepError", "MalformedPatternError"]


class MalformedPatternError(GraphError):
    """A pattern can't mean what it says; found while it was built, before anything ran."""


class CepError(FlottError):
    """Matching can't go on: an event has no timestamp, or a skip strategy missed its element."""
