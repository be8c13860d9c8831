"""Row: a record with fields by position and by name, and the kind of change it stands for."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Row", "RowKind", "rows_of"]


class RowKind(Enum):
    """What a row does to a table: it adds, it takes back, or it replaces.

    >>> str(RowKind.UPDATE_AFTER)
    '+U'
    """

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    def short_string(self) -> str:
        """Returns the kind in two characters: +I, -U, +U or -D."""
        return _SHORT[self.value]

    def __str__(self) -> str:
        return _SHORT[self.value]


_SHORT = ("+I", "-U", "+U", "-D")
_INSERT = RowKind.INSERT
_RETRACTING = frozenset({RowKind.UPDATE_BEFORE, RowKind.DELETE})

_SHARED_NAMES: dict[tuple[str, ...], tuple[str, ...]] = {}
_MOST_SHARED_NAMES = 1_000


def _shared(names: tuple[str, ...]) -> tuple[str, ...]:
    """Returns one tuple for all rows of equal names: pickle then writes the names once per block."""
    if len(_SHARED_NAMES) >= _MOST_SHARED_NAMES:  # names made from data must not pile up
        _SHARED_NAMES.clear()
    return _SHARED_NAMES.setdefault(names, names)


class Row:
    """A record of several values, which may have names.

    With names, in the order they are given:

    >>> row = Row(name="Alice", age=11)
    >>> row
    Row(name='Alice', age=11)
    >>> row["name"], row.age, row[0], "age" in row
    ('Alice', 11, 'Alice', True)

    By position, or as the template of rows with the same names:

    >>> Row("Alice", 11)[1]
    11
    >>> Person = Row("name", "age")
    >>> Person("Alice", 11) == row
    True

    Rows with names are equal when their fields are, in any order:

    >>> Row(age=11, name="Alice") == row
    True
    """

    # No public name may be added without need: a method hides a field of that name in `row.name`.
    __slots__ = ("_fields", "_row_kind", "_values")

    _fields: tuple[str, ...] | None
    _row_kind: RowKind
    _values: list[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs:
            if args:
                raise ValueError(
                    "a Row takes values either by position or by name: Row('Alice', 11) or Row(name='Alice', age=11)"
                )
            self._fields = _shared(tuple(kwargs))
            self._values = list(kwargs.values())
        else:
            self._fields = None
            self._values = list(args)
        self._row_kind = _INSERT

    @staticmethod
    def of_kind(row_kind: RowKind, *args: Any, **kwargs: Any) -> Row:
        """Returns a row of the given kind.

        >>> Row.of_kind(RowKind.DELETE, 1).get_row_kind()
        <RowKind.DELETE: 3>
        """
        row = Row(*args, **kwargs)
        row._row_kind = row_kind
        return row

    def as_dict(self, recursive: bool = False) -> dict[str, Any]:
        """Returns the values by their names; with `recursive`, rows inside become dicts too.

        >>> Row(key=1, value=Row(a=2)).as_dict(recursive=True)
        {'key': 1, 'value': {'a': 2}}
        """
        if self._fields is None:
            raise TypeError(
                "a Row without field names can't become a dict; build it as Row(name=...) or call set_field_names first"
            )
        values = map(_to_plain, self._values) if recursive else self._values
        return dict(zip(self._fields, values, strict=False))

    def get_row_kind(self) -> RowKind:
        """Returns the kind of change this row stands for."""
        return self._row_kind

    def set_row_kind(self, row_kind: RowKind) -> None:
        """Sets the kind of change this row stands for."""
        self._row_kind = row_kind

    def set_field_names(self, field_names: Sequence[str]) -> None:
        """Gives names to the values."""
        self._fields = _shared(tuple(field_names))

    def get_field_names(self) -> list[str] | None:
        """Returns the names of the fields, or None if they have none."""
        return None if self._fields is None else list(self._fields)

    def get_fields_by_names(self, names: Sequence[str]) -> list[Any]:
        """Returns the values of the given fields; all values if the row has no names."""
        fields = self._fields
        if fields is None or tuple(names) == fields:
            return self._values
        missing = [name for name in names if name not in fields]
        if missing:
            raise ValueError(f"a Row with the fields {list(fields)} has no {missing}")
        return [self._values[fields.index(name)] for name in names]

    def get_field(self, field: int | str) -> Any:
        """Returns the value at a position or of a name."""
        return self[field]

    def set_field(self, field: int | str, value: Any) -> None:
        """Sets the value at a position or of a name."""
        self[field] = value

    def get_arity(self) -> int:
        """Returns how many values the row has."""
        return len(self._values)

    def _is_retract_msg(self) -> bool:
        return self._row_kind in _RETRACTING

    def _is_accumulate_msg(self) -> bool:
        return self._row_kind not in _RETRACTING

    def __contains__(self, item: object) -> bool:
        return item in (self._values if self._fields is None else self._fields)

    def __call__(self, *args: Any) -> Row:
        """Returns a row with the given values, named after the values of this one."""
        if len(args) > len(self._values):
            raise ValueError(f"{self!r} makes rows of {len(self._values)} values, not {len(args)}: {args}")
        try:
            names = _shared(tuple(self._values))
        except TypeError:
            raise TypeError(f"{self!r} holds values, so it can't be called to make rows with those names") from None
        return _restore(Row, names, args, self._row_kind)

    def __getitem__(self, item: int | slice | str) -> Any:
        if isinstance(item, (int, slice)):
            return self._values[item]
        return self._values[self._index(item, AttributeError)]

    def __setitem__(self, key: int | slice | str, value: Any) -> None:
        if isinstance(key, (int, slice)):
            self._values[key] = value
        else:
            self._values[self._index(key, KeyError)] = value

    def _index(self, name: str, without_names: type[Exception]) -> int:
        fields = self._fields
        if fields is None:
            raise without_names(f"'{name}': this Row has no field names, use a position: {self!r}")
        try:
            return fields.index(name)
        except ValueError:
            raise ValueError(f"a Row with the fields {list(fields)} has no '{name}'") from None

    def __getattr__(self, item: str) -> Any:
        # Only reached for what is no attribute: so usually a field.
        if not item.startswith("_"):
            fields = self._fields
            if fields is None:
                raise AttributeError(f"'{item}': this Row has no field names, use a position, or Row({item}=...)")
            if item in fields:
                return self[fields.index(item)]
        raise AttributeError(f"this Row has no field '{item}'")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        if self._fields is None and self._row_kind is _INSERT:
            return type(self), tuple(self._values)
        return _restore, (type(self), self._fields, tuple(self._values), self._row_kind)

    def __repr__(self) -> str:
        if self._fields is None:
            return f"<Row({', '.join(map(repr, self._values))})>"
        pairs = zip(self._fields, self._values, strict=False)
        return f"Row({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Row) or type(self) is not type(other):
            return False
        if self._row_kind is not other._row_kind:
            return False
        if self._fields == other._fields:
            return self._values == other._values
        if self._fields is None or other._fields is None:
            return False
        names = sorted(self._fields)
        return names == sorted(other._fields) and (self.get_fields_by_names(names) == other.get_fields_by_names(names))

    def __hash__(self) -> int:
        # The same whatever the order of the fields: rows are equal by name, and rows of a result also by position.
        return hash(frozenset(self._values))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _restore(cls: type[Row], fields: tuple[str, ...] | None, values: Sequence[Any], row_kind: RowKind) -> Row:
    row = cls.__new__(cls)
    row._fields = fields
    row._values = list(values)  # noqa: SLF001
    row._row_kind = row_kind  # noqa: SLF001
    return row


def _to_plain(value: Any) -> Any:
    if isinstance(value, Row):
        return value.as_dict(recursive=True)
    if isinstance(value, list):
        return [_to_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _to_plain(item) for key, item in value.items()}
    return value


def rows_of(names: tuple[str, ...], columns: Sequence[Sequence[Any]]) -> Iterator[Row]:
    """Makes many rows of equal names from the values of each field: faster than one by one.

    >>> list(rows_of(("name", "age"), [["Alice", "Bob"], [11, 12]]))
    [Row(name='Alice', age=11), Row(name='Bob', age=12)]
    """
    shared = _shared(names)
    for values in zip(*columns, strict=True):
        row = Row.__new__(Row)
        row._fields = shared
        row._values = list(values)  # noqa: SLF001 - as Row itself would set them
        row._row_kind = _INSERT  # noqa: SLF001
        yield row
