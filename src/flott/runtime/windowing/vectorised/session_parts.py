"""The columns that partials of sessions have besides their aggregates."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flott.runtime.windowing.vectorised.aggregates import Part

END: Part = ("max", None)
"""Where a session ends: of several that become one, the latest."""

FIRED: Part = ("min", None)
"""1 if a session fired since it last changed; what newly comes to a session has 0."""
