"""What Spark reads in a query of its own: each source makes a DataFrame with the columns c0, c1 and so on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from flott.connectors.paths import absolute, as_uri
from flott.table.python_values import column_from_python
from flott.table.spark_sql.spark_types import spark_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flott.table.plan.nodes import Field
    from flott.table.runtime.line_parser import LineParser
    from flott.table.types import DataType


class SparkSource(Protocol):
    """A table that Spark can read as Flott's own source does."""

    def frame(self, session: Any) -> Any:
        """Return the rows as a DataFrame of a session."""


@dataclass(frozen=True, slots=True)
class GivenRows:
    """Rows that stand in the program."""

    columns: Any
    """An Arrow table."""
    types: tuple[DataType, ...]

    def frame(self, session: Any) -> Any:
        return session.createDataFrame(self.columns, _schema(self.types))


def given_rows(fields: Sequence[Field], rows: Iterable[Sequence[Any]]) -> GivenRows:
    """Return rows as a source."""
    types = tuple(field.type for field in fields)
    cells = list(zip(*rows, strict=True)) or [()] * len(types)
    arrays = [column_from_python(list(values), kind) for values, kind in zip(cells, types, strict=True)]
    return GivenRows(pa.Table.from_arrays(arrays, names=[f"c{place}" for place in range(len(types))]), types)


@dataclass(frozen=True, slots=True)
class ParquetFiles:
    """Some columns of Parquet files."""

    path: str
    names: tuple[str, ...]
    types: tuple[DataType, ...]

    def frame(self, session: Any) -> Any:
        return typed(session.read.parquet(as_uri(absolute(self.path))), self.names, self.types)


@dataclass(frozen=True, slots=True)
class LineFiles:
    """Files of CSV or JSON, whose lines are read by the parser that streams have, so that they mean the same."""

    path: str
    parser: LineParser
    types: tuple[DataType, ...]

    def frame(self, session: Any) -> Any:
        parser = self.parser

        def parsed(batches: Iterator[Any]) -> Iterator[Any]:
            for batch in batches:
                block = "".join(f"{line}\n" for line in batch.column(0).to_pylist()).encode()
                columns = parser.columns(block, "a line")
                if columns is not None:
                    yield pa.RecordBatch.from_arrays(columns, [f"c{place}" for place in range(len(columns))])

        return session.read.text(as_uri(absolute(self.path))).mapInArrow(parsed, _schema(self.types))


def typed(frame: Any, names: Sequence[str], types: Sequence[DataType]) -> Any:
    """Return some columns of a DataFrame, as c0, c1 and so on."""
    return frame.selectExpr(
        *(f"CAST(`{name}` AS {spark_type(kind)}) AS c{place}"
          for place, (name, kind) in enumerate(zip(names, types, strict=True)))
    )  # fmt: skip


def _schema(types: Sequence[DataType]) -> str:
    return ", ".join(f"c{place} {spark_type(kind)}" for place, kind in enumerate(types))
