"""SQL as text: the dialect, the statements, and where in the text a thing stands."""

from __future__ import annotations
