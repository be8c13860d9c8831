"""Types of single values: strings, numbers, booleans, points in time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from flott.common.time import Instant
from flott.common.typeinfo.base import TypeInformation

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BasicType", "BasicTypeInfo", "InstantTypeInfo"]


class BasicType(Enum):
    """The kinds of single values."""

    STRING = "String"
    BYTE = "Byte"
    BOOLEAN = "Boolean"
    SHORT = "Short"
    INT = "Integer"
    LONG = "Long"
    FLOAT = "Float"
    DOUBLE = "Double"
    CHAR = "Char"
    BIG_INT = "BigInteger"
    BIG_DEC = "BigDecimal"
    INSTANT = "Instant"


# Big integers and decimals are unbounded in Python and in Flink; no Arrow type holds all of them.
_ARROW_ALIASES = {
    BasicType.STRING: "string",
    BasicType.BYTE: "int8",
    BasicType.BOOLEAN: "bool",
    BasicType.SHORT: "int16",
    BasicType.INT: "int32",
    BasicType.LONG: "int64",
    BasicType.FLOAT: "float32",
    BasicType.DOUBLE: "float64",
    BasicType.CHAR: "string",
}


@dataclass(frozen=True, slots=True, repr=False)
class BasicTypeInfo(TypeInformation):
    """The type of a single value.

    >>> BasicTypeInfo.LONG_TYPE_INFO()
    Long
    >>> BasicTypeInfo.LONG_TYPE_INFO().arrow_type()
    DataType(int64)
    """

    basic_type: BasicType

    def arrow_type(self) -> pa.DataType | None:
        """Returns the Arrow type, or None for numbers of unbounded size."""
        import pyarrow as pa

        alias = _ARROW_ALIASES.get(self.basic_type)
        return pa.type_for_alias(alias) if alias else None

    def __repr__(self) -> str:
        return self.basic_type.value

    @staticmethod
    def STRING_TYPE_INFO() -> BasicTypeInfo:
        """Returns the type of text."""
        return BasicTypeInfo(BasicType.STRING)

    @staticmethod
    def BOOLEAN_TYPE_INFO() -> BasicTypeInfo:
        """Returns the type of True and False."""
        return BasicTypeInfo(BasicType.BOOLEAN)

    @staticmethod
    def BYTE_TYPE_INFO() -> BasicTypeInfo:
        """Returns the type of whole numbers of 8 bits."""
        return BasicTypeInfo(BasicType.BYTE)

    @staticmethod
    def SHORT_TYPE_INFO() -> BasicTypeInfo:
        """Returns the type of whole numbers of 16 bits."""
        return BasicTypeInfo(BasicType.SHORT)

    @staticmethod
    def INT_TYPE_INFO() -> BasicTypeInfo:
        """Returns the type of whole numbers of 32 bits."""
        return BasicTypeInfo(BasicType.INT)

    @staticmethod
    def LONG_TYPE_INFO() -> BasicTypeInfo:
        """Returns the type of whole numbers of 64 bits."""
        return BasicTypeInfo(BasicType.LONG)

    @staticmethod
    def FLOAT_TYPE_INFO() -> BasicTypeInfo:
        """Returns the type of floating point numbers of 32 bits."""
        return BasicTypeInfo(BasicType.FLOAT)

    @staticmethod
    def DOUBLE_TYPE_INFO() -> BasicTypeInfo:
        """Returns the type of floating point numbers of 64 bits."""
        return BasicTypeInfo(BasicType.DOUBLE)

    @staticmethod
    def CHAR_TYPE_INFO() -> BasicTypeInfo:
        """Returns the type of single characters."""
        return BasicTypeInfo(BasicType.CHAR)

    @staticmethod
    def BIG_INT_TYPE_INFO() -> BasicTypeInfo:
        """Returns the type of whole numbers of any size."""
        return BasicTypeInfo(BasicType.BIG_INT)

    @staticmethod
    def BIG_DEC_TYPE_INFO() -> BasicTypeInfo:
        """Returns the type of decimal numbers of any precision."""
        return BasicTypeInfo(BasicType.BIG_DEC)

    @staticmethod
    def INSTANT_TYPE_INFO() -> InstantTypeInfo:
        """Returns the type of points in time."""
        return InstantTypeInfo(BasicType.INSTANT)


@dataclass(frozen=True, slots=True, repr=False)
class InstantTypeInfo(BasicTypeInfo):
    """The type of a point in time; inside, microseconds since 1970-01-01 UTC.

    >>> InstantTypeInfo().to_internal_type(Instant.of_epoch_milli(5))
    5000
    """

    basic_type: BasicType = BasicType.INSTANT

    def need_conversion(self) -> bool:
        """An Instant becomes a number."""
        return True

    def to_internal_type(self, obj: Instant | None) -> int | None:
        """Returns the microseconds since 1970-01-01 UTC."""
        return None if obj is None else obj.seconds * 1_000_000 + obj.nanos // 1000

    def from_internal_type(self, obj: Any) -> Instant | None:
        """Returns the Instant so many microseconds after 1970-01-01 UTC."""
        if obj is None:
            return None
        seconds, micros = divmod(obj, 1_000_000)
        return Instant(seconds, micros * 1000)

    def arrow_type(self) -> pa.DataType | None:
        """Returns Arrow's timestamp in UTC; its plain form is what `to_internal_type` returns."""
        import pyarrow as pa

        return pa.timestamp("us", tz="UTC")
