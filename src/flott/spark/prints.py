"""Brings what functions print in Spark's workers to the driver."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport

MOST_LINES = 1_000
"""So many lines of a subtask are brought along from an epoch; the worker's own log has all."""


class Tee:
    """A stdout that also remembers its lines."""

    def __init__(self, beside: TextIO, lines: list[str]) -> None:
        self._beside = beside
        self._lines = lines
        self._rest = ""

    def write(self, text: str) -> int:
        """Write through, and remember whole lines."""
        *lines, self._rest = (self._rest + text).split("\n")
        room = MOST_LINES - len(self._lines)
        if room > 0:
            self._lines.extend(lines[:room])
            if len(self._lines) == MOST_LINES:
                self._lines.append(f"… more than {MOST_LINES} lines; the others are in the worker's log")
        return self._beside.write(text)

    def __getattr__(self, name: str) -> object:
        """Be what stands beside in all else."""
        return getattr(self._beside, name)


@contextmanager
def remembered(lines: list[str]) -> Iterator[None]:
    """Remember what is printed inside, and no more what was before: that was of an attempt that failed."""
    lines.clear()
    before = sys.stdout
    sys.stdout = Tee(before, lines)
    try:
        yield
    finally:
        sys.stdout = before


def show_prints(plan: EpochPlan, reports: list[TaskReport]) -> None:
    """Write to the driver's stderr what functions printed, and who did."""
    for report in reports:
        if report.printed:
            vertex = plan.vertices[report.vertex]
            for line in report.printed:
                sys.stderr.write(f"{vertex.name} ({report.subtask + 1}/{vertex.parallelism})> {line}\n")
    sys.stderr.flush()
