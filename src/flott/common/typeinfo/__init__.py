"""Type information: what records and state values look like."""

from __future__ import annotations

from flott.common.typeinfo.base import TypeInformation
from flott.common.typeinfo.basic import BasicType, BasicTypeInfo, InstantTypeInfo
from flott.common.typeinfo.collections import (
    BasicArrayTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PrimitiveArrayTypeInfo,
)
from flott.common.typeinfo.composite import RowTypeInfo, TupleTypeInfo
from flott.common.typeinfo.factory import Types
from flott.common.typeinfo.opaque import ExternalTypeInfo, PickledBytesTypeInfo
from flott.common.typeinfo.temporal import (
    DateTypeInfo,
    LocalTimeTypeInfo,
    SqlTimeTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
)

__all__ = [
    "BasicArrayTypeInfo",
    "BasicType",
    "BasicTypeInfo",
    "DateTypeInfo",
    "ExternalTypeInfo",
    "InstantTypeInfo",
    "ListTypeInfo",
    "LocalTimeTypeInfo",
    "MapTypeInfo",
    "ObjectArrayTypeInfo",
    "PickledBytesTypeInfo",
    "PrimitiveArrayTypeInfo",
    "RowTypeInfo",
    "SqlTimeTypeInfo",
    "TimeTypeInfo",
    "TimestampTypeInfo",
    "TupleTypeInfo",
    "TypeInformation",
    "Types",
]
