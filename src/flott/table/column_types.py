"""The types of columns: DataTypes makes them, each knows its SQL name and whether it may be NULL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

__all__ = [
    "ArrayType", "AtomicType", "BigIntType", "BinaryType", "BooleanType", "CharType", "DataType",
    "DateType", "DayTimeIntervalType", "DecimalType", "DoubleType", "FloatType", "FractionalType", "IntType",
    "IntegralType", "LocalZonedTimestampType", "MapType", "NullType", "NumericType", "RowField",
    "RowType", "SmallIntType", "TimeType", "TimestampType", "TinyIntType", "VarBinaryType", "VarCharType",
    "YearMonthIntervalType",
]  # fmt: skip

MAX_LENGTH = 0x7FFFFFFF
"""A VARCHAR or VARBINARY of this length is a STRING or BYTES."""

MAX_DECIMAL = 38


@dataclass(frozen=True, slots=True)
class DataType:
    """The type of a column.

    >>> DecimalType(precision=10, scale=2).not_null()
    DECIMAL(10, 2) NOT NULL
    """

    is_nullable: bool = True

    sql_name: ClassVar[str] = "?"

    def not_null(self) -> Self:
        """Returns this type without NULL."""
        return replace(self, is_nullable=False)

    def nullable(self) -> Self:
        """Returns this type with NULL."""
        return replace(self, is_nullable=True)

    def same_as(self, other: DataType) -> bool:
        """Says whether two types are one, NULL apart."""
        return self.nullable() == other.nullable()

    def text(self) -> str:
        """Returns the type as SQL writes it, without NOT NULL."""
        return self.sql_name

    def arrow_type(self) -> Any:
        """Returns the type that a column has in Arrow, as Types.… do too."""
        from flott.table.arrow_types import to_arrow_type

        return to_arrow_type(self)

    def __repr__(self) -> str:
        return self.text() if self.is_nullable else f"{self.text()} NOT NULL"


class AtomicType(DataType):
    """A type without parts."""

    __slots__ = ()


class NumericType(AtomicType):
    """A type of numbers."""

    __slots__ = ()


class IntegralType(NumericType):
    """A type of whole numbers."""

    __slots__ = ()
    bits: ClassVar[int] = 0


class FractionalType(NumericType):
    """A type of numbers with a fraction."""

    __slots__ = ()


class NullType(AtomicType):
    """The type of NULL where nothing else is known."""

    __slots__ = ()
    sql_name = "NULL"


class BooleanType(AtomicType):
    """TRUE or FALSE."""

    __slots__ = ()
    sql_name = "BOOLEAN"


class TinyIntType(IntegralType):
    """A whole number of 8 bits."""

    __slots__ = ()
    sql_name = "TINYINT"
    bits = 8


class SmallIntType(IntegralType):
    """A whole number of 16 bits."""

    __slots__ = ()
    sql_name = "SMALLINT"
    bits = 16


class IntType(IntegralType):
    """A whole number of 32 bits."""

    __slots__ = ()
    sql_name = "INT"
    bits = 32


class BigIntType(IntegralType):
    """A whole number of 64 bits."""

    __slots__ = ()
    sql_name = "BIGINT"
    bits = 64


class FloatType(FractionalType):
    """A floating point number of 32 bits."""

    __slots__ = ()
    sql_name = "FLOAT"


class DoubleType(FractionalType):
    """A floating point number of 64 bits."""

    __slots__ = ()
    sql_name = "DOUBLE"


class DateType(AtomicType):
    """A day of the calendar."""

    __slots__ = ()
    sql_name = "DATE"


@dataclass(frozen=True, slots=True, repr=False)
class DecimalType(FractionalType):
    """A decimal number of so many digits, some of them behind the point."""

    precision: int = 10
    scale: int = 0

    def __post_init__(self) -> None:
        if not (1 <= self.precision <= MAX_DECIMAL and 0 <= self.scale <= self.precision):
            raise ValueError(
                f"DECIMAL({self.precision}, {self.scale}): give 1 to {MAX_DECIMAL} digits, of which the scale is a part"
            )

    def text(self) -> str:
        return f"DECIMAL({self.precision}, {self.scale})"


@dataclass(frozen=True, slots=True, repr=False)
class _WithLength(AtomicType):
    length: int = 1

    longest: ClassVar[str | None] = None

    def text(self) -> str:
        return self.longest if self.longest and self.length == MAX_LENGTH else f"{self.sql_name}({self.length})"


class CharType(_WithLength):
    """Text of a fixed length."""

    __slots__ = ()
    sql_name = "CHAR"


class VarCharType(_WithLength):
    """Text of a greatest length."""

    __slots__ = ()
    sql_name = "VARCHAR"
    longest = "STRING"


class BinaryType(_WithLength):
    """Bytes of a fixed length."""

    __slots__ = ()
    sql_name = "BINARY"


class VarBinaryType(_WithLength):
    """Bytes of a greatest length."""

    __slots__ = ()
    sql_name = "VARBINARY"
    longest = "BYTES"


@dataclass(frozen=True, slots=True, repr=False)
class _WithPrecision(AtomicType):
    precision: int = 6

    def text(self) -> str:
        return f"{self.sql_name}({self.precision})"


class TimeType(_WithPrecision):
    """A time of day."""

    __slots__ = ()
    sql_name = "TIME"


class TimestampType(_WithPrecision):
    """A date with a time of day, in no time zone."""

    __slots__ = ()
    sql_name = "TIMESTAMP"


class LocalZonedTimestampType(_WithPrecision):
    """A moment, shown in the time zone of the session."""

    __slots__ = ()
    sql_name = "TIMESTAMP_LTZ"


class DayTimeIntervalType(AtomicType):
    """A stretch of time in days down to fractions of a second."""

    __slots__ = ()
    sql_name = "INTERVAL DAY TO SECOND"


class YearMonthIntervalType(AtomicType):
    """A stretch of time in years and months."""

    __slots__ = ()
    sql_name = "INTERVAL YEAR TO MONTH"


@dataclass(frozen=True, slots=True, repr=False)
class ArrayType(DataType):
    """A list of values of one type."""

    element_type: DataType = NullType()  # noqa: RUF009 - a frozen value

    def text(self) -> str:
        return f"ARRAY<{self.element_type!r}>"


@dataclass(frozen=True, slots=True, repr=False)
class MapType(DataType):
    """Values by key."""

    key_type: DataType = NullType()  # noqa: RUF009 - a frozen value
    value_type: DataType = NullType()  # noqa: RUF009 - a frozen value

    def text(self) -> str:
        return f"MAP<{self.key_type!r}, {self.value_type!r}>"


@dataclass(frozen=True, slots=True)
class RowField:
    """A field of a row."""

    name: str
    data_type: DataType
    description: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class RowType(DataType):
    """A row of named fields."""

    fields: tuple[RowField, ...] = ()

    def field_names(self) -> list[str]:
        """Returns the names of the fields."""
        return [field.name for field in self.fields]

    def field_types(self) -> list[DataType]:
        """Returns the types of the fields."""
        return [field.data_type for field in self.fields]

    def __iter__(self) -> Iterator[RowField]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def text(self) -> str:
        return f"ROW<{', '.join(f'`{field.name}` {field.data_type!r}' for field in self.fields)}>"


def is_text(kind: DataType) -> bool:
    """Say whether values are texts."""
    return isinstance(kind, (CharType, VarCharType))


def is_timestamp(kind: Any) -> bool:
    """Say whether values are timestamps, with a time zone or without."""
    return isinstance(kind, (TimestampType, LocalZonedTimestampType))
