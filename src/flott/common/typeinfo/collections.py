"""Types of arrays, lists and maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.common.typeinfo.base import TypeInformation
from flott.common.typeinfo.basic import BasicType, BasicTypeInfo

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "BasicArrayTypeInfo", "ListTypeInfo", "MapTypeInfo", "ObjectArrayTypeInfo",
    "PrimitiveArrayTypeInfo",
]  # fmt: skip

_PRIMITIVE = frozenset(
    {
        BasicType.BOOLEAN, BasicType.BYTE, BasicType.SHORT, BasicType.INT, BasicType.LONG,
        BasicType.FLOAT, BasicType.DOUBLE, BasicType.CHAR,
    }
)  # fmt: skip
_BASIC = _PRIMITIVE | {BasicType.STRING}


def _check_element(kind: str, element: TypeInformation, allowed: frozenset[BasicType]) -> None:
    if not (isinstance(element, BasicTypeInfo) and element.basic_type in allowed):
        names = ", ".join(sorted(f"Types.{basic.name}()" for basic in allowed))
        raise TypeError(
            f"{kind} can't hold {element!r}; its elements are one of {names}. "
            "For any other element use Types.OBJECT_ARRAY(...) or Types.LIST(...)"
        )


@dataclass(frozen=True, slots=True, repr=False)
class _SequenceTypeInfo(TypeInformation):
    """A sequence of elements of one type; inside, a list of their plain forms."""

    element_type: TypeInformation

    def need_conversion(self) -> bool:
        """A sequence needs it when its elements do."""
        return self.element_type.need_conversion()

    def to_internal_type(self, obj: Any) -> Any:
        """Turns each element into its plain form."""
        if obj is None or not self.need_conversion():
            return obj
        return [self.element_type.to_internal_type(element) for element in obj]

    def from_internal_type(self, obj: Any) -> Any:
        """Turns each plain form back into the element."""
        if obj is None or not self.need_conversion():
            return obj
        return [self.element_type.from_internal_type(element) for element in obj]

    def arrow_type(self) -> pa.DataType | None:
        """Returns an Arrow list, or None if the elements must be pickled."""
        import pyarrow as pa

        element = self.element_type.arrow_type()
        return None if element is None else pa.list_(element)

    def __repr__(self) -> str:
        return f"{type(self).__name__}<{self.element_type!r}>"


class PrimitiveArrayTypeInfo(_SequenceTypeInfo):
    """The type of an array of numbers or booleans, none of them missing.

    >>> PrimitiveArrayTypeInfo(BasicTypeInfo.INT_TYPE_INFO())
    PrimitiveArrayTypeInfo<Integer>
    """

    __slots__ = ()

    def __init__(self, element_type: TypeInformation) -> None:
        _check_element("a primitive array", element_type, _PRIMITIVE)
        super().__init__(element_type)

    def arrow_type(self) -> pa.DataType | None:
        """Returns Arrow's binary for an array of bytes, else a list."""
        import pyarrow as pa

        if self.element_type == BasicTypeInfo.BYTE_TYPE_INFO():
            return pa.binary()
        return super().arrow_type()


class BasicArrayTypeInfo(_SequenceTypeInfo):
    """The type of an array of numbers, booleans or strings, some of which may be None.

    >>> BasicArrayTypeInfo(BasicTypeInfo.STRING_TYPE_INFO())
    BasicArrayTypeInfo<String>
    """

    __slots__ = ()

    def __init__(self, element_type: TypeInformation) -> None:
        _check_element("a basic array", element_type, _BASIC)
        super().__init__(element_type)


class ObjectArrayTypeInfo(_SequenceTypeInfo):
    """The type of an array of anything.

    >>> ObjectArrayTypeInfo(ListTypeInfo(BasicTypeInfo.INT_TYPE_INFO()))
    ObjectArrayTypeInfo<ListTypeInfo<Integer>>
    """

    __slots__ = ()


class ListTypeInfo(_SequenceTypeInfo):
    """The type of a list.

    >>> ListTypeInfo(BasicTypeInfo.INT_TYPE_INFO()).arrow_type()
    ListType(list<item: int32>)
    """

    __slots__ = ()

    @property
    def elem_type(self) -> TypeInformation:
        """PyFlink's name for the type of the elements."""
        return self.element_type


@dataclass(frozen=True, slots=True, repr=False)
class MapTypeInfo(TypeInformation):
    """The type of a dict.

    >>> MapTypeInfo(BasicTypeInfo.STRING_TYPE_INFO(), BasicTypeInfo.LONG_TYPE_INFO())
    MapTypeInfo<String, Long>
    """

    key_type_info: TypeInformation
    value_type_info: TypeInformation

    def need_conversion(self) -> bool:
        """A map needs it when its keys or its values do."""
        return self.key_type_info.need_conversion() or self.value_type_info.need_conversion()

    def to_internal_type(self, obj: Any) -> Any:
        """Turns each key and value into its plain form."""
        if obj is None or not self.need_conversion():
            return obj
        key, value = self.key_type_info, self.value_type_info
        return {key.to_internal_type(k): value.to_internal_type(v) for k, v in obj.items()}

    def from_internal_type(self, obj: Any) -> Any:
        """Turns each plain form back into the key or value."""
        if obj is None or not self.need_conversion():
            return obj
        key, value = self.key_type_info, self.value_type_info
        return {key.from_internal_type(k): value.from_internal_type(v) for k, v in obj.items()}

    def arrow_type(self) -> pa.DataType | None:
        """Returns an Arrow map, or None if keys or values must be pickled."""
        import pyarrow as pa

        key, value = self.key_type_info.arrow_type(), self.value_type_info.arrow_type()
        return None if key is None or value is None else pa.map_(key, value)

    def __repr__(self) -> str:
        return f"MapTypeInfo<{self.key_type_info!r}, {self.value_type_info!r}>"
