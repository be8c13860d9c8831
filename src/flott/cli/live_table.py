"""The rows of a query as they stand: on a terminal a table that changes in place, elsewhere a line for each change."""

from __future__ import annotations

import shutil
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TextIO

from flott.table.connectors.printing import render_cells, render_row
from flott.table.standing_rows import StandingRows
from flott.table.table_result import drawn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.table.table_result import TableResult

EVERY = 0.2
"""Seconds between two pictures."""
AROUND = 6
"""Lines around the rows: borders, head, count, prompt."""


def show_lines(result: TableResult, out: TextIO) -> None:
    """Write each change on a line, as it comes."""
    kinds = result.get_resolved_schema().get_column_data_types()
    with result.collect() as rows:
        for row in rows:
            out.write(f"{render_row(row, kinds)}\n")
            out.flush()


class LiveTable:
    """Draws a table over itself while a query runs; Ctrl-C ends the query."""

    def __init__(self, result: TableResult, out: TextIO) -> None:
        self._names = result.get_resolved_schema().get_column_names()
        self._kinds = result.get_resolved_schema().get_column_data_types()
        self._rows = result.collect()
        self._out = out
        self._standing = StandingRows()
        self._lock = Lock()
        self._changed = True
        self._failure: BaseException | None = None
        self._height = 0

    def show(self) -> None:
        """Draw until the query ends."""
        reader = Thread(target=self._read, args=(self._rows,), daemon=True)
        reader.start()
        try:
            while reader.is_alive():
                reader.join(EVERY)
                self._draw()
        except KeyboardInterrupt:
            self._draw()
            self._out.write("The query was ended.\n")
            return
        finally:
            self._rows.close()
        if self._failure is not None:
            raise self._failure

    def _read(self, rows: Iterable[Any]) -> None:
        try:
            for row in rows:
                cells = render_cells(row, self._kinds)
                with self._lock:
                    self._standing.change(row.get_row_kind(), cells)
                    self._changed = True
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that draws
            self._failure = error

    def _draw(self) -> None:
        with self._lock:
            if not self._changed:
                return
            self._changed = False
            width, height = shutil.get_terminal_size()
            most = max(1, height - AROUND)
            shown, count = self._standing.shown(most), len(self._standing)
        picture = drawn(self._names, shown)
        if count > len(shown):
            picture = picture.replace(f"{len(shown)} row", f"the last {len(shown)} of {count} row")
        # A line that wraps would take two.
        picture = "".join(f"{line[:width]}\n" for line in picture.splitlines())
        up = f"\x1b[{self._height}A\x1b[J" if self._height else ""
        self._height = picture.count("\n")
        self._out.write(up + picture)
        self._out.flush()
