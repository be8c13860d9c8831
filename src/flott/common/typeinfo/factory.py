"""Types: where users get type information from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.common.typeinfo.basic import BasicTypeInfo, InstantTypeInfo
from flott.common.typeinfo.collections import (
    BasicArrayTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PrimitiveArrayTypeInfo,
)
from flott.common.typeinfo.composite import RowTypeInfo, TupleTypeInfo
from flott.common.typeinfo.opaque import PickledBytesTypeInfo
from flott.common.typeinfo.temporal import (
    DateTypeInfo,
    LocalTimeTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.common.typeinfo.base import TypeInformation

__all__ = ["Types"]


class Types:
    """Makes the type information of the most common types.

    >>> Types.ROW_NAMED(["name", "scores"], [Types.STRING(), Types.LIST(Types.INT())])
    RowTypeInfo(name: String, scores: ListTypeInfo<Integer>)
    >>> Types.MAP(Types.STRING(), Types.DOUBLE()) == Types.MAP(Types.STRING(), Types.DOUBLE())
    True
    """

    @staticmethod
    def STRING() -> BasicTypeInfo:
        """Returns the type of text."""
        return BasicTypeInfo.STRING_TYPE_INFO()

    @staticmethod
    def BYTE() -> BasicTypeInfo:
        """Returns the type of whole numbers of 8 bits."""
        return BasicTypeInfo.BYTE_TYPE_INFO()

    @staticmethod
    def BOOLEAN() -> BasicTypeInfo:
        """Returns the type of True and False."""
        return BasicTypeInfo.BOOLEAN_TYPE_INFO()

    @staticmethod
    def SHORT() -> BasicTypeInfo:
        """Returns the type of whole numbers of 16 bits."""
        return BasicTypeInfo.SHORT_TYPE_INFO()

    @staticmethod
    def INT() -> BasicTypeInfo:
        """Returns the type of whole numbers of 32 bits."""
        return BasicTypeInfo.INT_TYPE_INFO()

    @staticmethod
    def LONG() -> BasicTypeInfo:
        """Returns the type of whole numbers of 64 bits."""
        return BasicTypeInfo.LONG_TYPE_INFO()

    @staticmethod
    def FLOAT() -> BasicTypeInfo:
        """Returns the type of floating point numbers of 32 bits."""
        return BasicTypeInfo.FLOAT_TYPE_INFO()

    @staticmethod
    def DOUBLE() -> BasicTypeInfo:
        """Returns the type of floating point numbers of 64 bits: Python's float."""
        return BasicTypeInfo.DOUBLE_TYPE_INFO()

    @staticmethod
    def CHAR() -> BasicTypeInfo:
        """Returns the type of single characters."""
        return BasicTypeInfo.CHAR_TYPE_INFO()

    @staticmethod
    def BIG_INT() -> BasicTypeInfo:
        """Returns the type of whole numbers of any size: Python's int."""
        return BasicTypeInfo.BIG_INT_TYPE_INFO()

    @staticmethod
    def BIG_DEC() -> BasicTypeInfo:
        """Returns the type of decimal numbers: Python's Decimal."""
        return BasicTypeInfo.BIG_DEC_TYPE_INFO()

    @staticmethod
    def INSTANT() -> InstantTypeInfo:
        """Returns the type of points in time."""
        return BasicTypeInfo.INSTANT_TYPE_INFO()

    @staticmethod
    def SQL_DATE() -> DateTypeInfo:
        """Returns the type of dates."""
        return DateTypeInfo()

    @staticmethod
    def SQL_TIME() -> TimeTypeInfo:
        """Returns the type of times of day."""
        return TimeTypeInfo()

    @staticmethod
    def SQL_TIMESTAMP() -> TimestampTypeInfo:
        """Returns the type of dates with a time of day."""
        return TimestampTypeInfo()

    @staticmethod
    def LOCAL_DATE() -> LocalTimeTypeInfo:
        """Returns the type of local dates."""
        return LocalTimeTypeInfo(LocalTimeTypeInfo.TimeType.LOCAL_DATE)

    @staticmethod
    def LOCAL_TIME() -> LocalTimeTypeInfo:
        """Returns the type of local times of day."""
        return LocalTimeTypeInfo(LocalTimeTypeInfo.TimeType.LOCAL_TIME)

    @staticmethod
    def LOCAL_DATE_TIME() -> LocalTimeTypeInfo:
        """Returns the type of local dates with a time of day."""
        return LocalTimeTypeInfo(LocalTimeTypeInfo.TimeType.LOCAL_DATE_TIME)

    @staticmethod
    def PICKLED_BYTE_ARRAY() -> PickledBytesTypeInfo:
        """Returns the type of any Python object; it travels pickled."""
        return PickledBytesTypeInfo()

    @staticmethod
    def ROW(field_types: Sequence[TypeInformation]) -> RowTypeInfo:
        """Returns the type of rows with fields of the given types."""
        return RowTypeInfo(field_types)

    @staticmethod
    def ROW_NAMED(field_names: Sequence[str], field_types: Sequence[TypeInformation]) -> RowTypeInfo:
        """Returns the type of rows with fields of the given names and types."""
        return RowTypeInfo(field_types, field_names)

    @staticmethod
    def TUPLE(field_types: Sequence[TypeInformation]) -> TupleTypeInfo:
        """Returns the type of tuples with fields of the given types."""
        return TupleTypeInfo(field_types)

    @staticmethod
    def PRIMITIVE_ARRAY(element_type: TypeInformation) -> PrimitiveArrayTypeInfo:
        """Returns the type of arrays of numbers or booleans; of BYTE() it is Python's bytes."""
        return PrimitiveArrayTypeInfo(element_type)

    @staticmethod
    def BASIC_ARRAY(element_type: TypeInformation) -> BasicArrayTypeInfo:
        """Returns the type of arrays of numbers, booleans or strings that may be None."""
        return BasicArrayTypeInfo(element_type)

    @staticmethod
    def OBJECT_ARRAY(element_type: TypeInformation) -> ObjectArrayTypeInfo:
        """Returns the type of arrays of anything."""
        return ObjectArrayTypeInfo(element_type)

    @staticmethod
    def MAP(key_type_info: TypeInformation, value_type_info: TypeInformation) -> MapTypeInfo:
        """Returns the type of dicts."""
        return MapTypeInfo(key_type_info, value_type_info)

    @staticmethod
    def LIST(element_type_info: TypeInformation) -> ListTypeInfo:
        """Returns the type of lists."""
        return ListTypeInfo(element_type_info)
