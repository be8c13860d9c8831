"""A pandas DataFrame as a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.table.arrow_types import from_arrow_type, to_arrow_type
from flott.table.errors import TableError
from flott.table.plan.nodes import Columns, Field
from flott.table.types import DataType, RowType

if TYPE_CHECKING:
    from collections.abc import Sequence


def columns_node(frame: Any, schema: RowType | Sequence[str] | Sequence[DataType] | None) -> Columns:
    """Return the plan of a DataFrame's rows; its index is left out.

    >>> import pandas as pd
    >>> columns_node(pd.DataFrame({"id": [1]}), None).fields[0].type
    BIGINT
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise TableError(f"from_pandas({frame!r:.80}): give a pandas DataFrame")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    names, types = _columns(table, schema)
    if len(names) != table.num_columns:
        raise TableError(f"from_pandas(…): the schema has {len(names)} columns, the DataFrame {table.num_columns}")
    columns = []
    for name, kind, column in zip(names, types, table.columns, strict=True):
        try:
            columns.append(column.cast(to_arrow_type(kind)))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise TableError(f"from_pandas(…): column '{name}' is to be {kind!r}: {error}") from None
    fields = tuple(Field(name, kind) for name, kind in zip(names, types, strict=True))
    return Columns(fields, pa.Table.from_arrays(columns, names=names))


def _columns(table: pa.Table, schema: Any) -> tuple[list[str], list[DataType]]:
    own = [from_arrow_type(kind) for kind in table.schema.types]
    if schema is None:
        return list(table.schema.names), own
    if isinstance(schema, RowType):
        return schema.field_names(), schema.field_types()
    if isinstance(schema, (list, tuple)) and schema and all(isinstance(one, str) for one in schema):
        return list(schema), own[: len(schema)]
    if isinstance(schema, (list, tuple)) and schema and all(isinstance(one, DataType) for one in schema):
        return list(table.schema.names)[: len(schema)], list(schema)
    raise TableError(f"from_pandas(…, {schema!r:.80}): give DataTypes.ROW([...]), a list of names, or a list of types")
