"""TableResult: what a statement gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.table.connectors.printing import shown_cells
from flott.table.result_kind import ResultKind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from types import TracebackType

    from typing_extensions import Self

    from flott.common.job_client import JobClient
    from flott.common.types import Row
    from flott.table.resolved_schema import ResolvedSchema

__all__ = ["CloseableIterator", "TableResult"]

WIDEST = 30


class CloseableIterator:
    """Goes over the rows of a result; leaving it closes it, and that cancels the job."""

    def __init__(self, rows: Iterator[Row], close: Callable[[], None]) -> None:
        self._rows = rows
        self._close = close

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Row:
        return next(self._rows)

    def next(self) -> Row:
        """Returns the next row, waiting for it if need be."""
        return next(self._rows)

    def close(self) -> None:
        """Ends the iteration, and the job if it is still running."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        self.close()


class TableResult:
    """The rows of a query as they come, or that a statement has been done."""

    def __init__(
        self,
        schema: ResolvedSchema,
        kind: ResultKind,
        rows: Iterator[Row],
        client: JobClient | None = None,
        close: Callable[[], None] = lambda: None,
        *,
        changes: bool = False,
    ) -> None:
        self._schema = schema
        self._kind = kind
        self._rows = rows
        self._client = client
        self._close = close
        self._changes = changes

    def is_query(self) -> bool:
        """Says whether its rows are the changes of a query, not what a statement tells."""
        return self._changes

    def get_job_client(self) -> JobClient | None:
        """Returns the handle on the job, if there is one."""
        return self._client

    def wait(self, timeout_ms: int | None = None) -> None:
        """Waits until the job has ended; a failure of the job is raised here."""
        if self._client is not None:
            self._client.get_job_execution_result().result(None if timeout_ms is None else timeout_ms / 1000)

    def get_resolved_schema(self) -> ResolvedSchema:
        """Returns the columns."""
        return self._schema

    def get_result_kind(self) -> ResultKind:
        """Returns whether there are rows."""
        return self._kind

    def collect(self) -> CloseableIterator:
        """Returns the rows as they come; each knows what kind of change it is."""
        return CloseableIterator(self._rows, self._close)

    def print(self) -> None:
        """Prints the rows as a table; of a query also the kind of each change."""
        import sys

        kinds = self._schema.get_column_data_types()
        with self.collect() as rows:
            found = [([str(row.get_row_kind())] if self._changes else []) + shown_cells(row, kinds) for row in rows]
        heads = (["op"] if self._changes else []) + self._schema.get_column_names()
        sys.stdout.write(drawn(heads, found))


def drawn(heads: list[str], rows: list[list[str]], left: Collection[int] = (), widest: int = WIDEST) -> str:
    """Draw a table; the columns at some places, named by their number, are left-aligned, the others right-aligned.

    Cells are cut behind so many characters.

    >>> print(drawn(["id"], [["1"], ["22"]]), end="")
    +----+
    | id |
    +----+
    |  1 |
    | 22 |
    +----+
    2 rows in set
    >>> print(drawn(["id", "name"], [["1", "tea"]], left=[1]).splitlines()[3])
    |  1 | tea  |
    """
    widths = [max([len(head), *(min(len(row[place]), widest) for row in rows)]) for place, head in enumerate(heads)]
    line = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"

    def draw(cells: list[str]) -> str:
        shown = (cell if len(cell) <= widest else f"{cell[: widest - 3]}..." for cell in cells)
        aligned = (
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(shown, widths, strict=True))
        )
        return "|" + "|".join(f" {cell} " for cell in aligned) + "|\n"

    body = "".join(draw(row) for row in rows)
    count = f"{len(rows)} row{'' if len(rows) == 1 else 's'} in set\n" if rows else "Empty set\n"
    return line + draw(heads) + line + body + (line if rows else "") + count


def done(message: str = "OK") -> TableResult:
    """Return the result of a statement that gives no rows."""
    return listing("result", [message], ResultKind.SUCCESS)


def listing(name: str, values: list[str], kind: ResultKind = ResultKind.SUCCESS_WITH_CONTENT) -> TableResult:
    """Return a result of one column of texts."""
    return grid([name], [[value] for value in values], kind)


def grid(names: list[str], cells: list[list[Any]], kind: ResultKind = ResultKind.SUCCESS_WITH_CONTENT) -> TableResult:
    """Return a result of texts."""
    from flott.common.types import Row
    from flott.table.resolved_schema import ResolvedSchema
    from flott.table.types import DataTypes

    schema = ResolvedSchema.physical(names, [DataTypes.STRING()] * len(names))
    template = Row(*names)
    return TableResult(schema, kind, iter([template(*row) for row in cells]))
