"""What functions mean: each built-in function is defined once, over Arrow columns, and found by its SQL name."""

from __future__ import annotations
