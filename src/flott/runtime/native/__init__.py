"""What was compiled when Flott was installed: ``entries`` is a module, or None where there was no compiler.

Whoever asks does the same in Python without it, only slower. ``FLOTT_PURE=1`` in the environment does without.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

entries: ModuleType | None = None

if os.environ.get("FLOTT_PURE") != "1":
    try:
        from flott.runtime.native import _entries as entries
    except ImportError:
        entries = None
