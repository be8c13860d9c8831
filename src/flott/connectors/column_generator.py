"""Generated records in columns: many at once, without a Python object for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.typeinfo import RowTypeInfo, TupleTypeInfo
from flott.connectors.generator_functions import GeneratorFunction
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flott.common.typeinfo import TypeInformation
    from flott.runtime.columns import ColumnBatch


class ColumnGenerator(GeneratorFunction):
    """Makes records from a numpy array of their indexes: the function returns an array per field, by name.

    The records are Rows, or tuples if the type says so (whose fields are f0, f1 and so on). As every generator
    function, it must return the same records for the same indexes each time.

    >>> from flott.common import Types
    >>> orders = ColumnGenerator(
    ...     lambda index: {"user": index % 3, "amount": index * 10},
    ...     Types.ROW_NAMED(["user", "amount"], [Types.LONG(), Types.LONG()]),
    ... )
    >>> orders.map(5)
    Row(user=2, amount=50)
    """

    def __init__(self, function: Callable[[Any], Mapping[str, Any]], type_info: TypeInformation) -> None:
        if isinstance(type_info, TupleTypeInfo):
            names = [f"f{position}" for position in range(len(type_info.get_field_types()))]
        elif isinstance(type_info, RowTypeInfo):
            names = type_info.get_field_names()
        else:
            raise GraphError(
                f"ColumnGenerator: {type_info!r} has no fields; give a type such as "
                "Types.ROW_NAMED(['user', 'amount'], [Types.LONG(), Types.DOUBLE()])"
            )
        arrow = [field.arrow_type() for field in type_info.get_field_types()]
        if None in arrow:
            wrong = names[arrow.index(None)]
            raise GraphError(f"ColumnGenerator: field '{wrong}' of {type_info!r} has no Arrow type, so it is no column")
        self.function = function
        self.type_info = type_info
        self._names = tuple(names)
        self._types = arrow

    def map(self, value: int) -> Any:
        return self.map_columns(value, value + 1).values[0]

    def map_columns(self, start: int, stop: int) -> ColumnBatch:
        """Return the records of a range of indexes."""
        import numpy as np
        import pyarrow as pa

        from flott.runtime.columns import ColumnBatch, RecordShape

        made = self.function(np.arange(start, stop, dtype=np.int64))
        if set(made) != set(self._names):
            raise ValueError(
                f"the function returned the columns {', '.join(made)}; {self.type_info!r} has {', '.join(self._names)}"
            )
        arrays = []
        for name, kind in zip(self._names, self._types, strict=True):
            array = pa.array(made[name], kind)
            if len(array) != stop - start:
                raise ValueError(f"column '{name}' has {len(array)} values for {stop - start} indexes")
            arrays.append(array)
        return ColumnBatch(tuple(arrays), RecordShape(self._names, isinstance(self.type_info, TupleTypeInfo)))
