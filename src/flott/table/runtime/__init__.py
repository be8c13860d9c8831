"""What runs in tasks: operators on columns, whose rows may be additions, updates or deletions."""

from __future__ import annotations
