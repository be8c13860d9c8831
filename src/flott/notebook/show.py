"""Runs a stream or a query, and shows it while it runs."""

from __future__ import annotations

import sys
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Protocol, cast

from flott.common import Configuration
from flott.coordination.client import DriverJobClient
from flott.datastream.data_stream import DataStream
from flott.errors import FlottError
from flott.notebook.picture import RUNNING, STARTING, OperatorLine, Picture
from flott.notebook.rows import ChangingRows, KeyedRecords, LastRecords
from flott.rest.served_job import ServedJob
from flott.rest.views.job import job_details
from flott.table.table import Table
from flott.table.table_result import TableResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.common.job_client import JobClient
    from flott.datastream.data_stream.collecting import CloseableIterator
    from flott.notebook.rows import ShownRows

__all__ = ["show"]


class Screen(Protocol):
    """Where pictures appear, each in the place of the one before."""

    def update(self, picture: Picture) -> Any:
        """Show this one from now on."""


def show(
    result: DataStream | Table | TableResult,
    *,
    rows: int = 20,
    key: Callable[[Any], Any] | None = None,
    columns: Sequence[str] | None = None,
    name: str | None = None,
    every: float = 0.5,
) -> None:
    """Runs a stream or a query, and shows its rows, watermarks and rates while it runs.

    The table changes in its place. When the job ends, or the cell is interrupted, what was shown last stays; an
    interrupted job is cancelled. A failure of the job is raised.

        show(t_env.sql_query("SELECT city, COUNT(*) AS orders FROM orders GROUP BY city"))
        show(words.reduce(add), key=lambda pair: pair[0], columns=["word", "count"])

    Args:
        result: A DataStream, a Table, or what ``execute_sql`` returned for a query.
        rows: How many rows are shown at most: of a query and of a stream the last ones.
        key: For a stream that tells new values of the same things: show the last record of each key, in their order.
        columns: Names for the columns of a stream whose records have none.
        name: The name of the job.
        every: Seconds between two pictures.
    """
    if rows < 1 or every <= 0:
        raise FlottError(f"show(rows={rows}, every={every}): show at least one row, and give a time above zero")
    watch(result, _display(), rows=rows, key=key, columns=columns, name=name, every=every)


def watch(
    result: DataStream | Table | TableResult,
    display: Callable[[Picture], Screen],
    *,
    rows: int,
    key: Callable[[Any], Any] | None = None,
    columns: Sequence[str] | None = None,
    name: str | None = None,
    every: float = 0.5,
) -> None:
    """Run a result to its end, and let a screen show it; the first picture makes the screen."""
    if isinstance(result, DataStream):
        taken: ShownRows = KeyedRecords(key, columns) if key is not None else LastRecords(rows, columns)
        stream = cast("CloseableIterator", result.execute_and_collect(name))
        Watch(taken, stream, stream.get_job_client(), rows).run(display, every)
    elif isinstance(result, Table | TableResult):
        if key is not None or columns is not None:
            raise FlottError("show(...): the rows of a query have keys and names already; leave out key and columns")
        table = result.execute() if isinstance(result, Table) else result
        changing = ChangingRows(table.get_resolved_schema())
        Watch(changing, table.collect(), table.get_job_client(), rows).run(display, every)
    else:
        raise FlottError(
            f"show({result!r:.100}): give a DataStream, a Table, or what execute_sql(...) returned for a query"
        )


class LastPicture:
    """The screen of a plain script, where nothing can change in its place: only the last picture is printed."""

    def update(self, picture: Picture) -> None:
        """Print the picture of a job that is over."""
        if picture.status not in {STARTING, RUNNING}:
            sys.stdout.write(f"{picture!r}\n")


class Watch:
    """One job under way: a thread takes its rows, another shows them."""

    def __init__(self, taken: ShownRows, results: Any, client: JobClient | None, most: int) -> None:
        self._taken = taken
        self._results = results
        self._most = most
        self._job = ServedJob(client.master, Configuration()) if isinstance(client, DriverJobClient) else None
        self._lock = Lock()
        self._failure: BaseException | None = None

    def run(self, display: Callable[[Picture], Screen], every: float) -> None:
        """Show the job until it ends, or somebody interrupts."""
        reader = Thread(target=self._read, name="flott-notebook", daemon=True)
        screen = display(self.picture(STARTING))
        reader.start()
        status = "finished"
        try:
            while reader.is_alive():
                reader.join(every)
                screen.update(self.picture(RUNNING))
        except KeyboardInterrupt:
            status = "stopped"
        finally:
            self._results.close()
            reader.join()
        if self._failure is not None and status != "stopped":
            status = "failed"
        screen.update(self.picture(status))
        if status == "failed":
            raise cast("BaseException", self._failure)

    def _read(self) -> None:
        try:
            for record in self._results:
                with self._lock:
                    self._taken.take(record)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that shows
            self._failure = error

    def picture(self, status: str) -> Picture:
        """Return what there is to show now."""
        with self._lock:
            columns, shown, total = self._taken.columns(), self._taken.shown(self._most), len(self._taken)
        if self._job is None:
            return Picture("query", status, 0, 0.0, columns, shown, total, [])
        details = job_details(self._job)
        figures = details["flott"]
        operators = [
            OperatorLine(
                vertex["name"],
                vertex["flott"]["watermark"],
                vertex["metrics"]["read-records"],
                vertex["metrics"]["write-records"],
                vertex["flott"]["late-records"],
                vertex["flott"]["read-records-per-second"],
                vertex["flott"]["write-records-per-second"],
            )
            for vertex in details["vertices"]
        ]
        rate = figures["read-records-per-second"]
        return Picture(details["name"], status, figures["epoch"], rate, columns, shown, total, operators)


def _display() -> Callable[[Picture], Screen]:
    """Return what makes a screen of the first picture; asked for before a job starts, as it may be missing."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError as missing:
        raise FlottError("show(...) needs IPython: pip install 'flott[notebook]'") from missing
    if get_ipython() is None:
        return lambda _: LastPicture()
    return lambda picture: cast("Screen", display(picture, display_id=True))
