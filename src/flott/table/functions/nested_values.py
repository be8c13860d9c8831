"""Values of rows, arrays and maps: when two of them are equal, and strings that stand for them as keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.table import types as t
from flott.table.expr import Call
from flott.table.functions.registry import check_count, row_by_row, scalar
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from flott.table.expr import Expr
    from flott.table.functions.registry import Column, Session

NESTED = (t.ArrayType, t.MapType, t.RowType)


def is_nested(kind: t.DataType) -> bool:
    """Return whether values have parts."""
    return isinstance(kind, NESTED)


def comparable(value: Any, kind: t.DataType) -> Any:
    """Return a value of Arrow's in a form that is equal for equal values: the order in a map does not count.

    >>> kind = DataTypes.MAP(DataTypes.STRING(), DataTypes.INT())
    >>> comparable([("b", 2), ("a", 1)], kind)
    (('a', 1), ('b', 2))
    """
    if value is None:
        return None
    if isinstance(kind, t.RowType):
        return tuple(comparable(value[field.name], field.data_type) for field in kind.fields)
    if isinstance(kind, t.ArrayType):
        return tuple(comparable(one, kind.element_type) for one in value)
    if isinstance(kind, t.MapType):
        pairs = [(comparable(key, kind.key_type), comparable(one, kind.value_type)) for key, one in value]
        return tuple(sorted(pairs, key=repr))
    # Both zeros are one.
    return value + 0.0 if isinstance(value, float) else value


def equal_values(kind: t.DataType, args: list[Column], session: Session) -> Column:
    """Say which values of two columns of rows, arrays or maps are equal; NULLs inside of them are."""
    same = row_by_row(lambda one, other: comparable(one, kind) == comparable(other, kind))
    return same(Call(DataTypes.BOOLEAN(), "=", ()), args, session)


def _bind_key(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 1, 1)
    kind = DataTypes.STRING()
    return Call(kind.nullable() if args[0].type.is_nullable else kind.not_null(), name, tuple(args))


@scalar("$KEY", bind=_bind_key)
def _key(call: Call, args: list[Column], session: Session) -> Column:
    """Return a string for each value, the same for equal ones: what rows are grouped by."""
    kind = call.args[0].type
    return row_by_row(lambda value: repr(comparable(value, kind)))(call, args, session)
