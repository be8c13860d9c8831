"""The name of a side output."""

from __future__ import annotations

from flott.runtime.output_tag import OutputTag

__all__ = ["OutputTag"]
