"""Rows of state: read when they are asked for, as Python objects, pandas or Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.state_processor.spark_rows import as_spark_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pandas as pd

__all__ = ["StateFrame"]


class StateFrame:
    """What was read of a savepoint, as rows with named columns. Nothing is read before somebody asks.

    >>> frame = StateFrame(("key", "value"), lambda: [("ann", 3), ("bob", 5)])
    >>> list(frame)
    [('ann', 3), ('bob', 5)]
    >>> int(frame.to_pandas()["value"].sum())
    8
    """

    def __init__(
        self,
        columns: Sequence[str],
        read: Callable[[], Iterable[tuple[Any, ...]]],
        schemas: dict[str, str] | None = None,
    ) -> None:
        self.columns = tuple(columns)
        self._read = read
        self._schemas = schemas or {}
        """Of columns whose type is known, the schema as JSON."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self._read())

    def to_pandas(self) -> pd.DataFrame:
        """Return all rows as a pandas DataFrame; keys and values are the Python objects that the job had."""
        import pandas as pd

        rows = list(self)
        return pd.DataFrame({name: pd.Series([row[place] for row in rows], dtype=_dtype(rows, place))
                             for place, name in enumerate(self.columns)})  # fmt: skip

    def to_spark(self, spark: Any) -> Any:
        """Return all rows as a DataFrame of a Spark session.

        Columns have the types that their values have, if all have the same; state of a declared type has that. What
        Spark has no type for becomes JSON text.
        """
        rows, schema = as_spark_rows(self.columns, list(self), self._schemas)
        return spark.createDataFrame(rows, schema)

    def __repr__(self) -> str:
        return f"StateFrame({', '.join(self.columns)})"


def _dtype(rows: list[tuple[Any, ...]], place: int) -> Any:
    """Numbers and text as pandas has them; anything else, or a mixture, stays as Python has it."""
    kinds = {type(row[place]) for row in rows}
    return None if len(kinds) == 1 and kinds <= {int, float, str, bool} else object
