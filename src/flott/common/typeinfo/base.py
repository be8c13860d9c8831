"""What every type information can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TypeInformation"]


class TypeInformation:
    """Says what the records of a stream, or the values of a state, look like.

    Made with `Types`; plain values that may be compared, hashed and pickled.
    """

    __slots__ = ()

    def need_conversion(self) -> bool:
        """Says whether `to_internal_type` changes anything."""
        return False

    def to_internal_type(self, obj: Any) -> Any:
        """Turns a value into its plain form: numbers, strings and tuples of them."""
        return obj

    def from_internal_type(self, obj: Any) -> Any:
        """Turns a plain form back into the value."""
        return obj

    def arrow_type(self) -> pa.DataType | None:
        """Returns the Arrow type that holds any such value, or None if it must be pickled."""
        return None
