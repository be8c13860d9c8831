"""A type as a schema: what a checkpoint notes of a state's type, to compare it with a later one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from flott.common.typeinfo.basic import BasicTypeInfo
from flott.common.typeinfo.collections import (
    BasicArrayTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PrimitiveArrayTypeInfo,
)
from flott.common.typeinfo.composite import RowTypeInfo, TupleTypeInfo
from flott.common.typeinfo.temporal import DateTypeInfo, LocalTimeTypeInfo, TimestampTypeInfo, TimeTypeInfo

if TYPE_CHECKING:
    from flott.common.typeinfo.base import TypeInformation

__all__ = ["PICKLED", "schema_of", "schema_text"]

PICKLED = "PICKLED"
"""The schema of anything that is pickled as it is: it fits every other."""

_ARRAYS = PrimitiveArrayTypeInfo, BasicArrayTypeInfo, ObjectArrayTypeInfo
_TEMPORAL = DateTypeInfo, TimeTypeInfo, TimestampTypeInfo, LocalTimeTypeInfo


def schema_of(type_info: TypeInformation) -> Any:  # noqa: PLR0911 - one line for each kind of type
    """Return a type as plain data that JSON can hold.

    >>> from flott.common import Types
    >>> schema_of(Types.ROW_NAMED(["name", "scores"], [Types.STRING(), Types.LIST(Types.INT())]))
    {'row': {'name': 'STRING', 'scores': {'list': 'INT'}}}
    >>> schema_of(Types.TUPLE([Types.LONG(), Types.PICKLED_BYTE_ARRAY()]))
    {'tuple': ['LONG', 'PICKLED']}
    """
    if isinstance(type_info, BasicTypeInfo):
        return type_info.basic_type.name
    if isinstance(type_info, RowTypeInfo):
        types = [schema_of(field) for field in type_info.get_field_types()]
        return {"row": dict(zip(type_info.get_field_names(), types, strict=True)) if type_info.has_names() else types}
    if isinstance(type_info, TupleTypeInfo):
        return {"tuple": [schema_of(field) for field in type_info.get_field_types()]}
    if isinstance(type_info, ListTypeInfo):
        return {"list": schema_of(type_info.element_type)}
    if isinstance(type_info, _ARRAYS):
        return {"array": schema_of(type_info.element_type)}
    if isinstance(type_info, MapTypeInfo):
        return {"map": [schema_of(type_info.key_type_info), schema_of(type_info.value_type_info)]}
    return repr(type_info) if isinstance(type_info, _TEMPORAL) else PICKLED


def schema_text(type_info: TypeInformation) -> str:
    """Return a type as JSON.

    >>> from flott.common import Types
    >>> schema_text(Types.MAP(Types.STRING(), Types.DOUBLE()))
    '{"map": ["STRING", "DOUBLE"]}'
    """
    return json.dumps(schema_of(type_info))
