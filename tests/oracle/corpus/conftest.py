"""Only PyFlink's Python can import the job."""

from __future__ import annotations

collect_ignore = ["job"]
