"""Where data comes from and goes to: one file per source or sink; users import them from ``flott.datastream``."""

from __future__ import annotations
