"""The rows of a query as they stand: on a terminal a table that changes in place, elsewhere a line for each change."""

from __future__ import annotations

import shutil
import time
from collections import deque
from threading import Lock, Thread
from typing import TYPE_CHECKING, TextIO

from flott.cli.output import amount
from flott.common.duration_text import for_people
from flott.table.connectors.printing import render_cells, render_row
from flott.table.standing_rows import StandingRows
from flott.table.table_result import drawn
from flott.table.types import NumericType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.common.types import Row
    from flott.table.table_result import TableResult
    from flott.table.types import DataType

EVERY = 0.2
"""Seconds between two pictures."""
RECENT = 5.0
"""Seconds that the rate is of."""
FEW = 10
"""A lower rate is shown with a decimal."""
AROUND = 7
"""Lines around the rows: borders, head, count, status, prompt."""


def show_lines(result: TableResult, out: TextIO) -> None:
    """Write each change on a line, as it comes."""
    kinds = result.get_resolved_schema().get_column_data_types()
    with result.collect() as rows:
        for row in rows:
            out.write(f"{render_row(row, kinds)}\n")
            out.flush()


def left_aligned(kinds: list[DataType]) -> list[int]:
    """Return the places of the columns that are left-aligned: all but numbers."""
    return [place for place, kind in enumerate(kinds) if not isinstance(kind, NumericType)]


class LiveTable:
    """Draws a table over itself while a query runs, and how it runs below; Ctrl-C ends the query.

    Args:
        result: What the query gives.
        out: The terminal.
        clock: Seconds.
    """

    def __init__(self, result: TableResult, out: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._names = result.get_resolved_schema().get_column_names()
        self._kinds = result.get_resolved_schema().get_column_data_types()
        self._rows = result.collect()
        self._out = out
        self._clock = clock
        self._began = clock()
        self._rate = RecentRate(self._began)
        self._standing = StandingRows()
        self._lock = Lock()
        self._changes = 0
        self._drawn: int | None = None
        """How many changes the picture shows that stands on the terminal."""
        self._failure: BaseException | None = None
        self._height = 0

    def show(self) -> None:
        """Draw until the query ends."""
        reader = Thread(target=self._read, args=(self._rows,), daemon=True)
        reader.start()
        try:
            while reader.is_alive():
                reader.join(EVERY)
                if reader.is_alive():
                    self.draw()
            self.draw(over=True)
        except KeyboardInterrupt:
            self.draw(over=True)
            self._out.write("The query was ended.\n")
            return
        finally:
            self.close()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """End the query."""
        self._rows.close()

    def take(self, row: Row) -> None:
        """Take a change of the result in."""
        cells = render_cells(row, self._kinds)
        with self._lock:
            self._standing.change(row.get_row_kind(), cells)
            self._changes += 1

    def _read(self, rows: Iterable[Row]) -> None:
        try:
            for row in rows:
                self.take(row)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that draws
            self._failure = error

    def draw(self, *, over: bool = False) -> None:
        """Draw the rows if they have changed, and below them how the query runs until it is over."""
        width, height = shutil.get_terminal_size()
        with self._lock:
            changes = self._changes
            most = max(1, height - AROUND)
            shown, count = self._standing.shown(most), len(self._standing)
        status = [] if over else [self._status(changes)]
        if changes == self._drawn:
            self._out.write("\x1b[1A\x1b[J")  # the line of the status alone
            lines = status
        else:
            lines = [*self._picture(shown, count), *status]
            self._out.write(f"\x1b[{self._height}A\x1b[J" if self._height else "")
            self._height, self._drawn = len(lines), changes
        # A line that wraps would take two.
        self._out.write("".join(f"{line[:width]}\n" for line in lines))
        self._out.flush()

    def _picture(self, shown: list[list[str]], count: int) -> list[str]:
        picture = drawn(self._names, shown, left_aligned(self._kinds))
        if count > len(shown):
            picture = picture.replace(f"{len(shown)} row", f"the last {len(shown)} of {count} row")
        return picture.splitlines()

    def _status(self, changes: int) -> str:
        now = self._clock()
        rate = self._rate.at(now, changes)
        often = f"{rate:.1f}" if 0 < rate < FEW else amount(rate)
        since = for_people((now - self._began) * 1000)
        return f"Running for {since}: {amount(changes)} changes, {often} rows/s. Ctrl-C ends the query."


class RecentRate:
    """How many per second, of late.

    >>> rate = RecentRate(began=0.0)
    >>> rate.at(1.0, 50), rate.at(2.0, 150), rate.at(10.0, 150)
    (50.0, 75.0, 0.0)
    """

    def __init__(self, began: float) -> None:
        self._seen = deque([(began, 0)])

    def at(self, now: float, count: int) -> float:
        """Return the rate when so many have come."""
        self._seen.append((now, count))
        while len(self._seen) > 2 and now - self._seen[1][0] >= RECENT:  # noqa: PLR2004 - two make a rate
            self._seen.popleft()
        then, before = self._seen[0]
        return (count - before) / max(now - then, EVERY)
