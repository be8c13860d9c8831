"""Columns of rows, arrays and maps: taken apart into the columns of their parts, and put together again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.table import types as t

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def part_types(kind: t.DataType) -> list[tuple[str, t.DataType]]:
    """Return the types that a type is made of, and what its values are called behind the name of the column.

    >>> part_types(t.DataTypes.MAP(t.DataTypes.STRING(), t.DataTypes.INT()))
    [('[key]', STRING), ('[value]', INT)]
    """
    if isinstance(kind, t.RowType):
        return [(f".{field.name}", field.data_type) for field in kind.fields]
    if isinstance(kind, t.ArrayType):
        return [("[element]", kind.element_type)]
    if isinstance(kind, t.MapType):
        return [("[key]", kind.key_type), ("[value]", kind.value_type)]
    return []


def parts(column: Any) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the parts of the values that are not NULL, and the place in the column of each of their own values.

    >>> parts(pa.array([[1, 2], None, [3]]))[1].tolist()
    [0, 0, 2]
    """
    if pa.types.is_struct(column.type):
        there = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
        inside = column.take(pa.array(there))
        return [inside.field(place) for place in range(column.type.num_fields)], there
    owners = pc.list_parent_indices(_as_list(column)).to_numpy(zero_copy_only=False)
    inside = pc.list_flatten(_as_list(column))
    if pa.types.is_map(column.type):
        return [inside.field(0), inside.field(1)], owners
    return [inside], owners


def rebuilt(column: Any, kind: Any, change: Callable[[int, Any], Any]) -> Any:
    """Return a column of an Arrow type with changed parts: ``change`` gets the number of a part, and its values.

    >>> rebuilt(pa.array([[1, 2], None]), pa.list_(pa.int64()), lambda _, values: pc.add(values, 1)).to_pylist()
    [[2, 3], None]
    """
    if pa.types.is_struct(kind):
        made = [change(place, column.field(place)) for place in range(kind.num_fields)]
        if not made:
            return column
        return pa.StructArray.from_arrays(made, fields=list(kind), mask=column.is_null())
    flat, offsets = pc.list_flatten(_as_list(column)), _offsets(_as_list(column))
    if pa.types.is_map(kind):
        keys, values = (change(place, flat.field(place)) for place in range(2))
        return pa.MapArray.from_arrays(offsets, keys, values, type=kind)
    return pa.ListArray.from_arrays(offsets, change(0, flat), type=kind)


def _as_list(column: Any) -> Any:
    """Return a map as a list of pairs, which Arrow's functions of lists take."""
    if not pa.types.is_map(column.type):
        return column
    return column.cast(pa.list_(pa.struct([("key", column.type.key_type), ("value", column.type.item_type)])))


def _offsets(column: Any) -> Any:
    """Return where the elements of each list begin; NULL for a list that is NULL."""
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    ends = np.append(0, np.cumsum(lengths)).astype(np.int32)
    return pa.array(ends, pa.int32(), mask=np.append(column.is_null().to_numpy(zero_copy_only=False), False))
