"""Types of values that Flott does not look into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.common.typeinfo.base import TypeInformation

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ExternalTypeInfo", "PickledBytesTypeInfo"]


class PickledBytesTypeInfo(TypeInformation):
    """The type of any Python object; it travels pickled.

    >>> PickledBytesTypeInfo()
    PickledByteArrayTypeInfo
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PickledBytesTypeInfo)

    def __hash__(self) -> int:
        return hash(PickledBytesTypeInfo)

    def __repr__(self) -> str:
        return "PickledByteArrayTypeInfo"


@dataclass(frozen=True, slots=True, repr=False)
class ExternalTypeInfo(TypeInformation):
    """The type of a value of the Table API, in its form for users."""

    type_info: TypeInformation

    def need_conversion(self) -> bool:
        """Like the type inside."""
        return self.type_info.need_conversion()

    def to_internal_type(self, obj: Any) -> Any:
        """Like the type inside."""
        return self.type_info.to_internal_type(obj)

    def from_internal_type(self, obj: Any) -> Any:
        """Like the type inside."""
        return self.type_info.from_internal_type(obj)

    def arrow_type(self) -> pa.DataType | None:
        """Like the type inside."""
        return self.type_info.arrow_type()

    def __repr__(self) -> str:
        return f"ExternalTypeInfo<{self.type_info!r}>"
