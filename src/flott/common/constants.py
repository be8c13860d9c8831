"""The numbers that both the API and the engine agree on."""

from __future__ import annotations

__all__ = ["DEFAULT_OUTPUT_TAG", "MAX_LONG_VALUE", "MIN_LONG_VALUE"]

MAX_LONG_VALUE = 2**63 - 1
"""The largest timestamp; as a watermark, the end of event time."""

MIN_LONG_VALUE = -(2**63)
"""The smallest timestamp; also what a record without a timestamp counts as."""

DEFAULT_OUTPUT_TAG = ""
"""The tag of the main output, next to those of the side outputs."""
