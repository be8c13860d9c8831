"""What was compiled when Flott was installed: modules, or None each where there was no compiler.

Whoever asks does the same in Python without it, only slower. ``FLOTT_PURE=1`` in the environment does without.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

calls: ModuleType | None = None
"""Calls of the user's functions, and the state that they ask for."""
emission: ModuleType | None = None
"""Copies of records as they are when they are emitted."""
entries: ModuleType | None = None
"""State of many keys, between a key and the bytes of its entry."""
records: ModuleType | None = None
"""What is done to each record without calling the user."""

if os.environ.get("FLOTT_PURE") != "1":
    try:
        from flott.runtime.native import _calls as calls
        from flott.runtime.native import _emission as emission
        from flott.runtime.native import _entries as entries
        from flott.runtime.native import _records as records
    except ImportError:
        calls = emission = entries = records = None
