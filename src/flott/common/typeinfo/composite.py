"""Types of records with several fields: rows and tuples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.typeinfo.base import TypeInformation
from flott.common.types import Row, RowKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

__all__ = ["RowTypeInfo", "TupleTypeInfo"]

_INSERT = RowKind.INSERT.value


class _CompositeTypeInfo(TypeInformation):
    """Fields of given types, in order."""

    __slots__ = ("_field_types",)

    def __init__(self, field_types: Sequence[TypeInformation]) -> None:
        for position, field_type in enumerate(field_types):
            if not isinstance(field_type, TypeInformation):
                raise TypeError(
                    f"the type of field {position} is {field_type!r}; "
                    "give type information, such as Types.STRING() (with parentheses)"
                )
        self._field_types = tuple(field_types)

    def get_field_types(self) -> list[TypeInformation]:
        """Returns the types of the fields."""
        return list(self._field_types)

    def need_conversion(self) -> bool:
        """A record always becomes a plain tuple."""
        return True

    def _to_internal(self, values: Sequence[Any]) -> tuple[Any, ...]:
        types = self._field_types
        if len(values) != len(types):
            raise ValueError(f"{self!r} has {len(types)} fields, but the record has {len(values)}")
        return tuple(field.to_internal_type(value) for field, value in zip(types, values, strict=True))

    def _from_internal(self, values: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(field.from_internal_type(value) for field, value in zip(self._field_types, values, strict=True))

    def _struct(self, names: Sequence[str]) -> pa.DataType | None:
        import pyarrow as pa

        types = [field.arrow_type() for field in self._field_types]
        if any(field is None for field in types):
            return None
        return pa.struct(list(zip(names, types, strict=True)))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._field_types == other._field_types

    def __hash__(self) -> int:
        return hash((type(self), self._field_types))


class RowTypeInfo(_CompositeTypeInfo):
    """The type of a Row: its field types, and their names if they have any.

    As in Flink, names do not count when two row types are compared.

    >>> from flott.common import Types
    >>> RowTypeInfo([Types.STRING(), Types.INT()], ["name", "age"])
    RowTypeInfo(name: String, age: Integer)
    >>> RowTypeInfo([Types.STRING(), Types.INT()]).get_field_names()
    ['f0', 'f1']
    """

    __slots__ = ("_field_names",)

    def __init__(self, field_types: Sequence[TypeInformation], field_names: Sequence[str] | None = None) -> None:
        super().__init__(field_types)
        if field_names is not None and len(field_names) != len(field_types):
            raise ValueError(
                f"a row type needs as many names as types, "
                f"but got {len(field_names)} names and {len(field_types)} types"
            )
        if field_names is not None and len(set(field_names)) != len(field_names):
            raise ValueError(f"the field names of a row type differ, but got {list(field_names)}")
        self._field_names = None if field_names is None else tuple(field_names)

    def get_field_names(self) -> list[str]:
        """Returns the names of the fields: f0, f1 and so on if none were given."""
        if self._field_names is None:
            return [f"f{position}" for position in range(len(self._field_types))]
        return list(self._field_names)

    def has_names(self) -> bool:
        """Says whether the fields have names of their own, beyond f0, f1 and so on."""
        return self._field_names is not None

    def get_field_index(self, field_name: str) -> int:
        """Returns the position of a field; -1 if the row has no names and none is meant by f0, f1."""
        names = self.get_field_names()
        if field_name in names:
            return names.index(field_name)
        if self._field_names is None:
            return -1
        raise ValueError(f"{self!r} has no field '{field_name}'")

    def to_internal_type(self, obj: Any) -> tuple[Any, ...] | None:
        """Returns a tuple of the number of the row's kind and the plain forms of its fields.

        >>> from flott.common import Types
        >>> person = RowTypeInfo([Types.STRING(), Types.INT()], ["name", "age"])
        >>> person.to_internal_type(Row(age=11, name="Alice"))
        (0, 'Alice', 11)
        """
        if obj is None:
            return None
        if isinstance(obj, Row):
            values: Sequence[Any] = (
                tuple(obj) if self._field_names is None else obj.get_fields_by_names(self._field_names)
            )
            return (obj.get_row_kind().value, *self._to_internal(values))
        if isinstance(obj, (tuple, list)):
            return (_INSERT, *self._to_internal(obj))
        fields = obj if isinstance(obj, dict) else getattr(obj, "__dict__", None)
        if fields is None:
            raise ValueError(f"{obj!r} is no row: give a Row, a tuple, a list, a dict or an object")
        return (_INSERT, *self._to_internal([fields.get(name) for name in self.get_field_names()]))

    def from_internal_type(self, obj: Any) -> Row | None:
        """Returns the Row of a tuple that `to_internal_type` made."""
        if obj is None:
            return None
        kind, *values = obj
        row = Row.of_kind(RowKind(kind), *self._from_internal(values))
        if self._field_names is not None:
            row.set_field_names(self._field_names)
        return row

    def arrow_type(self) -> pa.DataType | None:
        """Returns an Arrow struct of the fields, without the row's kind; None if one is pickled."""
        return self._struct(self.get_field_names())

    def __repr__(self) -> str:
        if self._field_names is None:
            fields = [repr(field) for field in self._field_types]
        else:
            pairs = zip(self._field_names, self._field_types, strict=True)
            fields = [f"{name}: {field!r}" for name, field in pairs]
        return f"RowTypeInfo({', '.join(fields)})"


class TupleTypeInfo(_CompositeTypeInfo):
    """The type of a tuple.

    >>> from flott.common import Types
    >>> TupleTypeInfo([Types.STRING(), Types.INT()])
    TupleTypeInfo(String, Integer)
    """

    __slots__ = ()

    def to_internal_type(self, obj: Any) -> tuple[Any, ...] | None:
        """Returns a tuple of the plain forms of the fields."""
        if obj is None:
            return None
        if not isinstance(obj, (tuple, list, Row)):
            raise ValueError(f"{obj!r} is no tuple: give a tuple, a list or a Row")  # noqa: TRY004
        return self._to_internal(tuple(obj))

    def from_internal_type(self, obj: Any) -> tuple[Any, ...] | None:
        """Returns the tuple of plain forms that `to_internal_type` made."""
        return None if obj is None else self._from_internal(obj)

    def arrow_type(self) -> pa.DataType | None:
        """Returns an Arrow struct with the fields f0, f1 and so on; None if one is pickled."""
        return self._struct([f"f{position}" for position in range(len(self._field_types))])

    def __repr__(self) -> str:
        return f"TupleTypeInfo({', '.join(map(repr, self._field_types))})"
